// SPDX-License-Identifier: BSD-3-Clause
// A sentence in capitals, letter by letter.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <ovlp/ovlp.hpp>
#include <string>

struct Text {
  std::string chars;
};
struct Char {
  std::size_t place;
  char value;
};

void take_apart(Text text, ovlp::out<Char>& chars) {  // a split
  for (std::size_t i = 0; i < text.chars.size(); ++i) chars.post({i, text.chars[i]});
}
Char upper(Char c) {  // a leaf
  return {c.place, static_cast<char>(std::toupper(static_cast<unsigned char>(c.value)))};
}
Text put_together(ovlp::in<Char>& chars) {  // a merge
  Text text;
  for (Char const& c : chars) {  // in order of arrival
    text.chars.resize(std::max(text.chars.size(), c.place + 1));
    text.chars[c.place] = c.value;
  }
  return text;
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};
  ovlp::threads<> master{"master", 1}, workers{"workers", 4};

  ovlp::graph const shout = ovlp::split("take apart", master.at(0), take_apart) >>
                            ovlp::leaf("upper", workers.in_turn(), upper) >>
                            ovlp::merge("put together", master.at(0), put_together);
  Text const loud = run(shout, {"hello, flow graph"});
  std::printf("%s\n", loud.chars.c_str());
}
