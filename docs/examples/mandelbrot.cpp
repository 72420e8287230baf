// SPDX-License-Identifier: BSD-3-Clause
// The Mandelbrot set, line by line, by workers that come and go while it is computed:  mandelbrot --nodes 3
#include <complex>
#include <cstdio>
#include <ovlp/ovlp.hpp>
#include <string>

void deal(ovlp::here<>& here, int height, ovlp::out<int>& lines, ovlp::threads<> const& workers) {
  for (int line = 0; line < height; ++line) {
    if (line == height / 3) here.resize(workers, 3);      // two join, on nodes that are launched for them
    if (line == 2 * height / 3) here.resize(workers, 1);  // they leave again when they have computed what they have
    lines.post(line);
  }
}
std::string compute(int line, int height) {
  std::string text;
  for (int column = 0; column < 2 * height; ++column) {
    std::complex<double> const c(1.5 * column / height - 2, 2.4 * (line + 0.5) / height - 1.2);
    std::complex<double> z;
    int steps = 0;
    while (steps < 100 && std::norm(z) <= 4) z = z * z + c, ++steps;
    text += " .:-=+*%@#"[steps / 11];
  }
  return text;
}

int main(int argc, char** argv) {
  int const height = 24;
  ovlp::engine run{argc, argv};
  ovlp::threads<> const master{"master", 1}, workers{"workers", ovlp::mapping::in_turn(1, run.nodes())};
  ovlp::graph const image{"image", ovlp::split("deal", master.at(0), deal, workers).window(8) >>
                                       ovlp::leaf("compute", workers.least_loaded(), compute, height) >>
                                       ovlp::gather("lines", master.at(0))};
  for (std::string const& line : run(image, height)) std::printf("%s\n", line.c_str());
}
