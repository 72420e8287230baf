// SPDX-License-Identifier: BSD-3-Clause
// The most frequent words of text files:  wordcount --nodes 4 --top 10 *.txt
#include <cctype>
#include <fstream>
#include <iostream>
#include <map>
#include <ovlp/ovlp.hpp>

using Words = std::map<std::string, std::size_t>;  // what travels: plain data, containers of it, aggregates of both

bool in_word(char c) { return (c & 0x80) != 0 || c == '\'' || std::isalnum(c); }

void read_files(std::vector<std::string> names, ovlp::out<std::string>& chunks) {  // a split: one in, many out
  for (auto const& name : names) {
    std::ifstream file{name, std::ios::binary};
    while (file) {
      std::string text(1 << 18, ' ');
      text.resize(static_cast<std::size_t>(file.read(text.data(), std::ssize(text)).gcount()));
      for (char c; file.get(c) && in_word(c);) text += c;  // no word is cut in two
      chunks.post(std::move(text));
    }
    if (!file.eof()) throw std::runtime_error{"cannot read '" + name + "'"};
  }
}
Words count_words(std::string text) {  // a leaf: one in, one out
  Words words;
  std::string word;
  for (char c : text += ' ')
    if (in_word(c)) word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!word.empty()) ++words[std::exchange(word, {})];
  return words;
}
Words add_up(ovlp::in<Words>& parts) {  // a merge: many in, one out
  Words all;
  for (Words const& part : parts)
    for (auto const& [word, times] : part) all[word] += times;
  return all;
}

int main(int argc, char** argv) try {
  int top = 10;
  std::vector<std::string> files;
  ovlp::options options{"wordcount", "The most frequent words of text files"};
  options.add("--top", top, "words to show").at_least(1);
  options.add_arguments("files", files, "text files").required();
  ovlp::engine run{argc, argv, options};
  ovlp::threads<> master{"master", 1}, workers{"workers", 2 * run.nodes()};

  auto read = ovlp::split("read", master.at(0), read_files).window(4 * run.nodes());
  auto count = ovlp::leaf("count", workers.in_turn(), count_words);
  auto merge = ovlp::merge("add up", master.at(0), add_up);
  std::multimap<std::size_t, std::string, std::greater<>> ranking;
  for (auto const& [word, times] : run(read >> count >> merge, files)) ranking.emplace(times, word);
  for (auto const& [times, word] : ranking)
    if (top-- > 0) std::cout << times << ' ' << word << '\n';
} catch (ovlp::error const& error) {
  std::cerr << "wordcount: " << error.what() << '\n';
  return 1;
}
