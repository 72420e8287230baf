// SPDX-License-Identifier: BSD-3-Clause
// A sentence in capitals, letter by letter:  shout --nodes 2
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <ovlp/ovlp.hpp>
#include <string>

struct Letter {  // a data object: what travels
  std::size_t place;
  char value;
};

void take_apart(std::string text, ovlp::out<Letter>& letters) {  // a split: one in, many out
  for (std::size_t i = 0; i < text.size(); ++i) letters.post({i, text[i]});
}
Letter upper(Letter letter) {  // a leaf: one in, one out
  return {letter.place, static_cast<char>(std::toupper(static_cast<unsigned char>(letter.value)))};
}
std::string put_together(ovlp::in<Letter>& letters) {  // a merge: many in, one out
  std::string text;
  for (Letter const& letter : letters) {  // in order of arrival
    text.resize(std::max(text.size(), letter.place + 1));
    text[letter.place] = letter.value;
  }
  return text;
}

int main(int argc, char** argv) {
  ovlp::engine run{argc, argv};  // real or simulated: what the program is linked with
  ovlp::threads<> master{"master", 1}, workers{"workers", 4};

  ovlp::graph const shout = ovlp::split("take apart", master.at(0), take_apart) >>
                            ovlp::leaf("upper", workers.in_turn(), upper) >>
                            ovlp::merge("put together", master.at(0), put_together);
  std::printf("%s\n", run(shout, "hello, flow graph").c_str());
}
