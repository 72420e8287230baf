// SPDX-License-Identifier: BSD-3-Clause
// Prints a number as a program does that thinks of no locale.
#include <cstdio>
#include <iostream>
#include <sstream>

int main() {
  std::ostringstream text;
  text << 12345.5;
  std::printf("C++ %s, C %.1f\n", text.str().c_str(), 12345.5);
}
