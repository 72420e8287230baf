// SPDX-License-Identifier: BSD-3-Clause
// A store that some fill and some empty: who takes waits until there is something.
#include <cstdio>
#include <exception>
#include <stdexcept>

#include <ovlp/ovlp.hpp>

#include "numbers.hpp"

namespace {

using bench::explore_faults::add_up;

struct Store {
  int goods = 0;
};
struct Visit {
  int goods;  ///< that are brought; 0: that one is taken
};

void open_store(int visits, ovlp::out<Visit>& to) {
  for (int i = 0; i < visits; ++i) {
    to.post({2});
    to.post({0});
    to.post({0});
  }
}
Visit walk(Visit visit) { return visit; }
int visit(ovlp::here<Store>& here, Visit what) {
  Store& store = here.state;
  if (what.goods > 0) return store.goods += what.goods, 0;
  here.wait_until([&] { return store.goods > 0; });
  if (--store.goods < 0) throw std::logic_error("something was taken from an empty store");
  return 1;
}

}  // namespace

int main(int argc, char** argv) try {
  ovlp::engine run{argc, argv};
  ovlp::threads<> const master{"master", 1}, streets{"streets", 4};
  ovlp::threads<Store> const store{"store", 1};
  ovlp::graph<int, int> const day{
      "day", ovlp::split("open", master.at(0), open_store) >> ovlp::leaf("walk", streets.in_turn(), walk) >>
                 ovlp::leaf("visit", store.at(0), visit) >> ovlp::merge("count", master.at(0), add_up)};
  return run(day, 4) == 8 ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "takers: %s\n", error.what());
  return 1;
}
