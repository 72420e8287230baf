// SPDX-License-Identifier: BSD-3-Clause
// Words are counted where they live:  counters --nodes 2 --where "node0*2 node1" to be or not to be
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
  std::size_t thread;
  ovlp::node_id node;
  std::size_t words;
};
using Answers = std::map<std::size_t, Answer>;

void each(std::vector<std::string> text, ovlp::out<std::string>& words) {
  for (auto& word : text) words.post(std::move(word));
}
int count(Here& here, std::string word) { return ++here.state.seen[word]; }
int most(ovlp::in<int>& counts) {
  int all = 0;
  while (auto c = counts.wait()) all = std::max(all, *c);
  return all;
}

void ask(Here& here, Question, ovlp::out<Question>& questions) {
  for (std::size_t i = 0; i < here.size(); ++i) questions.post({});
}
Answer answer(Here& here, Question) { return {here.index(), here.node(), here.state.seen.size()}; }
Answers collect(ovlp::in<Answer>& answers) {
  Answers all;
  while (auto a = answers.wait()) all[a->thread] = *a;
  return all;
}

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
                               ovlp::merge("most", master.at(0), most);
  ovlp::graph const asking = ovlp::split("ask", counters.at(0), ask) >>
                             ovlp::leaf("answer", counters.in_turn(), answer) >>
                             ovlp::merge("collect", counters.at(0), collect);
  run.add(asking);

  std::printf("most: %d\n", run(counting, text));
  for (auto const& [thread, a] : run(asking, {}))
    std::printf("counters[%zu] on node%u: %zu different words\n", thread, a.node, a.words);
}
