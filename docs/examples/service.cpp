// SPDX-License-Identifier: BSD-3-Clause
// Requests are answered, and the run's own clock says how fast:  service --nodes 3
#include <algorithm>
#include <cstdio>
#include <ovlp/ovlp.hpp>

using seconds = std::chrono::duration<double>;

struct Request {
  int number;
  seconds sent;
};
struct Figures {
  int answered = 0;
  seconds total{0}, slowest{0};  // from a request to its answer
};

void ask(ovlp::here<>& here, int count, ovlp::out<Request>& requests) {
  for (int i = 0; i < count; ++i) requests.post({i, here.now()});
}
Request answer(ovlp::here<>& here, Request request) {
  here.kernel("service.answer", {1}, [&] {
    int volatile work = 0;
    for (int i = 0; i < 100'000; ++i) work = work + 1;
  });
  return request;
}
Figures measure(ovlp::here<>& here, ovlp::in<Request>& answers) {
  Figures all;
  for (Request const& answered : answers) {
    seconds const took = here.now() - answered.sent;
    all.total += took;
    all.slowest = std::max(all.slowest, took);
    ++all.answered;
  }
  return all;
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  ovlp::threads<> clients{"clients", 1}, servers{"servers", 2 * run.nodes()};
  run.estimate("service.answer", 100e-6);
  ovlp::graph const service{"service", ovlp::split("ask", clients.at(0), ask).window(4 * run.nodes()) >>
                                           ovlp::leaf("answer", servers.least_loaded(), answer) >>
                                           ovlp::merge("measure", clients.at(0), measure)};
  seconds const begun = run.now();
  Figures const all = run(service, 500);
  std::printf("%d answers, %.0f a second; %.3f ms each, %.3f ms the slowest\n", all.answered,
              all.answered / (run.now() - begun).count(), 1e3 * all.total.count() / all.answered,
              1e3 * all.slowest.count());
}
