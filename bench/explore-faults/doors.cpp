// SPDX-License-Identifier: BSD-3-Clause
// A call that waits at a door until another one has opened it, while the door moves to another node.
#include <cstdio>
#include <exception>

#include <ovlp/ovlp.hpp>

namespace {

struct Door {
  bool is_open = false;
};

int walk(int visitor) { return visitor; }
int open(ovlp::here<Door>& here, int visitor) {
  here.state.is_open = true;
  return visitor;
}
int wait(ovlp::here<Door>& here, int visitor) {
  Door const& door = here.state;
  here.wait_until([&] { return door.is_open; });
  return visitor;
}

}  // namespace

int main(int argc, char** argv) try {
  ovlp::engine run{argc, argv};
  ovlp::threads<> const streets{"streets", ovlp::mapping("node1 node2")};
  ovlp::threads<Door> const doors{"doors", 1};
  ovlp::graph<int, int> const opening{"opening",
                                      ovlp::leaf("walk", streets.at(0), walk) >> ovlp::leaf("open", doors.at(0), open)};
  ovlp::graph<int, int> const waiting{"waiting",
                                      ovlp::leaf("walk", streets.at(1), walk) >> ovlp::leaf("wait", doors.at(0), wait)};
  ovlp::graph<int, int> const pause{"pause", ovlp::leaf("pause", streets.at(1), walk)};
  run.add(opening);
  run.add(waiting);
  run.add(pause);
  ovlp::pending_call<int> waits = run.async(waiting, 1), opens = run.async(opening, 2);
  for (int hops = 0; hops < 4; ++hops) run(pause, 0);
  run.remap(doors, ovlp::mapping("node1"));
  return waits.get() + opens.get() == 3 ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "doors: %s\n", error.what());
  return 1;
}
