// SPDX-License-Identifier: BSD-3-Clause
// Transfers between accounts, each of which is busy with one at a time: a transfer begins at the account with the lower
// number, and calls a graph that takes part at the other one.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include <ovlp/ovlp.hpp>

namespace {

struct Account {
  int balance = 100;
  bool busy = false;
};
struct Transfer {
  int from, to, amount;
};
using Here = ovlp::here<Account>;

int first_of(Transfer const& t) { return std::min(t.from, t.to); }
int second_of(Transfer const& t) { return t.from + t.to - first_of(t); }
void book(Account& account, Transfer const& t, bool takes) { account.balance += takes ? t.amount : -t.amount; }

int take_part(Here& here, Transfer t) {
  Account& account = here.state;
  here.wait_until([&] { return !account.busy; });
  book(account, t, second_of(t) == t.to);
  return 1;
}

}  // namespace

int main(int argc, char** argv) try {
  ovlp::engine run{argc, argv};
  ovlp::threads<> const far{"far", ovlp::mapping("node1")};
  ovlp::threads<Account> const accounts{"accounts", 2};
  ovlp::graph<Transfer, int> const other{"other", ovlp::leaf("take part", accounts.by(second_of), take_part)};
  auto const transfer = [&other](Here& here, Transfer t) {
    Account& account = here.state;
    here.wait_until([&] { return !account.busy; });
    account.busy = true;
    book(account, t, first_of(t) == t.to);
    int const done = here.call(other, t);
    account.busy = false;
    return done;
  };
  ovlp::graph<Transfer, int> const bank{"bank", ovlp::leaf("transfer", accounts.by(first_of), transfer)};
  ovlp::graph<int, int> const pause{"pause", ovlp::leaf("pause", far.at(0), [](int i) { return i; })};
  run.add(bank);
  run.add(other);
  run.add(pause);
  std::vector<ovlp::pending_call<int>> calls;
  for (int i = 0; i < 4; ++i) {
    calls.push_back(run.async(bank, {i % 2, (i + 1) % 2, 1 + i}));
    for (int hops = 0; hops < 5; ++hops) run(pause, 0);
  }
  int done = 0;
  for (auto& call : calls) done += call.get();
  return done == 4 ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "accounts: %s\n", error.what());
  return 1;
}
