// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <ovlp/base/version.hpp>
#include <ovlp/ovlp.hpp>

void numbers(int count, ovlp::out<int>& to) {
  for (int i = 1; i <= count; ++i) to.post(i);
}
int square(ovlp::here<>& here, int number) {
  int result = 0;
  here.kernel("square", {number}, [&] { result = number * number; });
  return result;
}
int sum(ovlp::in<int>& squares) {
  int total = 0;
  while (auto s = squares.wait()) total += *s;
  return total;
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  run.record();
  run.estimate("square", 1e-3);
  ovlp::threads<> master{"master", 1}, workers{"workers", 4};
  int const total = run(ovlp::split("numbers", master.at(0), numbers) >>
                            ovlp::leaf("square", workers.in_turn(), square) >> ovlp::merge("sum", master.at(0), sum),
                        10);
  std::printf("ovlp %s, %s: %d\n", ovlp::version().data(), run.summary().backend.c_str(), total);
  return total == 385 ? 0 : 1;
}
