// SPDX-License-Identifier: BSD-3-Clause
// Words are counted where they live:  counters --nodes 2 --where "node0*2 node1" to be or not to be
#include <algorithm>
#include <cstdio>
#include <map>
#include <ovlp/ovlp.hpp>
#include <string>
#include <vector>

struct Counter {  // the state of one DPS thread
  std::map<std::string, int> seen;
};
using Here = ovlp::here<Counter>;

struct Question {};
struct Answer {
  ovlp::node_id node;
  std::size_t words;
};

void each(std::vector<std::string> text, ovlp::out<std::string>& words) {
  for (auto& word : text) words.post(std::move(word));
}
int count(Here& here, std::string word) { return ++here.state.seen[word]; }
int larger(int a, int b) { return std::max(a, b); }
Answer answer(Here& here, Question) { return {here.node(), here.state.seen.size()}; }

int main(int argc, char** argv) {
  std::string where = "node0*2";
  std::vector<std::string> text;
  ovlp::options options{"counters", "Counts words"};
  options.add("--where", where, "node of each counter");
  options.add_arguments("words", text, "what to count").required();
  ovlp::engine run{argc, argv, options};
  ovlp::threads<> master{"master", 1};
  ovlp::threads<Counter> counters{"counters", ovlp::mapping(where)};

  auto const first_letter = [](std::string const& word) { return word.front(); };
  ovlp::graph const counting = ovlp::split("each", master.at(0), each) >>
                               ovlp::leaf("count", counters.by(first_letter), count) >>
                               ovlp::reduce("most", master.at(0), larger);
  ovlp::graph const asking = ovlp::everywhere("ask", counters, answer) >> ovlp::gather("answers", master.at(0));
  run.add(asking);

  std::printf("most: %d\n", run(counting, text));
  std::size_t thread = 0;
  for (Answer const& a : run(asking, {}))
    std::printf("counters[%zu] on node%u: %zu different words\n", thread++, a.node, a.words);
}
