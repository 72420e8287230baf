// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/machine/virtual_machine.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/netmodel/network.hpp>

namespace {

using namespace ovlp::machine;

/// Two nodes, a latency of 0.5 s, a bandwidth of 100 B/s; and more sections.
platform two_nodes(std::string const& more = {}, std::vector<std::string> const& without = {}) {
  return platform::parse(R"({"name": "test", "reference_core": "any", "nodes": [{"count": 2, "cores": 1, "speed": 2}],
                             "network": {"model": "star", "latency_s": 0.5, "bandwidth_Bps": 100})" +
                             more + "}",
                         "test.json", without);
}

struct note : message {
  note(virtual_machine& m, std::uint64_t size, kind_type k = kind_type::object) : machine(m) {
    kind = k;
    from = 0;
    to = 1;
    bytes = size;
  }
  void accepted() override { accepted_s = machine.now_s(); }
  void delivered() override { delivered_s = machine.now_s(); }
  virtual_machine& machine;
  double accepted_s = -1;
  double delivered_s = -1;
};

struct computation : task {
  explicit computation(virtual_machine& m) : machine(m) {}
  void done(unsigned, double) override { done_s = machine.now_s(); }
  virtual_machine& machine;
  double done_s = -1;
};

void run(virtual_machine& machine) {
  while (machine.advance()) {
  }
}

/// A network that is wrong: its only transfer ends when it says, if it says so.
class wrong_network final : public ovlp::net::network {
 public:
  wrong_network(double next_s, std::vector<ovlp::net::completion> ends) : next_s_(next_s), ends_(std::move(ends)) {}
  void start(ovlp::net::transfer const&, double) override { started_ = true; }
  double next_event() const override {
    if (!started_) return never;
    return next_s_;
  }
  double latency_s(std::uint32_t, std::uint32_t) const override { return 0; }
  std::span<ovlp::net::completion const> advance(double) override {
    started_ = false;
    return ends_;
  }

 private:
  double const next_s_;
  std::vector<ovlp::net::completion> const ends_;
  bool started_ = false;
};

}  // namespace

TEST_CASE("a network whose transfers end in the past, in the future, twice or never is found out") {
  auto const message_of = [](double next_s, std::vector<ovlp::net::completion> const& ends) -> std::string {
    platform on = two_nodes();
    on.network.make = [&](std::vector<ovlp::net::node_link> const&) {
      return std::make_unique<wrong_network>(next_s, ends);
    };
    virtual_machine machine(on, 2);
    note hello(machine, 100);
    thread later(machine.processor_of(1));  // so that the clock goes on before
    computation work(machine);
    later.add(work, 2);
    while (machine.now_s() < 1) machine.advance();
    machine.send(hello);
    try {
      run(machine);
    } catch (std::logic_error const& wrong) {
      return wrong.what();
    }
    return "";
  };
  std::string const which = "network: the transfer of 100 bytes from node0 to node1 ";
  CHECK(message_of(2, {{0, 2}}) == "");
  CHECK(message_of(2, {{0, -1}}) == which + "ends in the past");
  CHECK(message_of(2, {{0, 3}}) == which + "ends in the future");
  CHECK(message_of(2, {{0, 2}, {0, 2}}) == "network: a transfer ends twice");
  CHECK(message_of(never, {}) == which + "never ends");
}

TEST_CASE("a few lines drive a machine: a message takes its latency and its bytes, computing its work") {
  virtual_machine machine(two_nodes(), 2);
  note hello(machine, 100);
  computation work(machine);
  thread there(machine.processor_of(1));
  machine.send(hello);
  there.add(work, 3);
  run(machine);
  CHECK(hello.delivered_s == doctest::Approx(0.5 + 1));
  CHECK(hello.accepted_s == hello.delivered_s);
  CHECK(work.done_s == doctest::Approx(1.5));  // at speed 2
  CHECK(machine.now_s() == doctest::Approx(1.5));
}

TEST_CASE("a thread does its tasks one after another, and what is put first first") {
  virtual_machine machine(two_nodes(), 2);
  thread t(machine.processor_of(0));
  computation a(machine), b(machine), c(machine), nothing(machine);
  t.add(a, 2);
  t.add(b, 2);
  t.add_next(c, 2);
  t.add(nothing, 0);
  CHECK(!t.empty());
  run(machine);
  CHECK(a.done_s == doctest::Approx(1));
  CHECK(c.done_s == doctest::Approx(2));
  CHECK(b.done_s == doctest::Approx(3));
  CHECK(nothing.done_s == b.done_s);
  CHECK(t.empty());
}

TEST_CASE("a thread that always has something to do forgets what it has done") {
  virtual_machine machine(two_nodes(), 2);
  thread t(machine.processor_of(0));
  struct chain : task {
    explicit chain(thread& on) : t(on) {}
    void done(unsigned step, double work_s) override {
      CHECK(step == next);
      CHECK(work_s == 2);
      if (++next < 1000) t.add(*this, 2, next + 1);
    }
    thread& t;
    unsigned next = 0;
  } all(t);
  t.add(all, 2, 0);
  t.add(all, 2, 1);
  run(machine);
  CHECK(all.next == 1001);
  CHECK(machine.now_s() == doctest::Approx(1001));
}

TEST_CASE("a message can be sent again once it is delivered") {
  virtual_machine machine(two_nodes(), 2);
  note ball(machine, 0);
  for (int i = 1; i <= 3; ++i) {
    machine.send(ball);
    run(machine);
    CHECK(ball.delivered_s == doctest::Approx(0.5 * i));
    std::swap(ball.from, ball.to);
  }
}

TEST_CASE("messages that follow one another wake their receiver once") {
  virtual_machine machine(two_nodes(R"(, "effects": [{"name": "wakeup", "send_s": 1}])"), 2);
  note first(machine, 100), second(machine, 100), later(machine, 100);
  machine.send(first);
  machine.send(second);
  run(machine);
  CHECK(machine.used().communication_s == doctest::Approx(1));
  machine.send(later);  // to a node that has nothing to do again
  run(machine);
  CHECK(machine.used().communication_s == doctest::Approx(2));
}

TEST_CASE("nobody is woken in runs of so few nodes that idle ones poll") {
  for (auto const& [beyond, wakeups] : {std::pair(1, 1), {2, 0}}) {
    virtual_machine machine(
        two_nodes(R"(, "effects": [{"name": "wakeup", "send_s": 1, "beyond_nodes": )" + std::to_string(beyond) + "}]"),
        2);
    note hello(machine, 100);
    machine.send(hello);
    run(machine);
    CHECK(machine.used().communication_s == doctest::Approx(wakeups));
  }
}

TEST_CASE("a stream's buffer takes objects while others cross, in order, and control messages come with them") {
  virtual_machine machine(two_nodes(R"(, "comm_cpu": {"incoming": [0], "outgoing": [0], "per_message_s": 0.2},
                                        "transport": {"model": "stream", "buffer_bytes": 250})"),
                          2);
  thread sender(machine.processor_of(0));
  note first(machine, 100), second(machine, 100), third(machine, 100), notice(machine, 0, message::kind_type::control);
  for (note* m : {&first, &second, &third, &notice}) machine.send(*m, &sender);
  run(machine);
  // Each costs 0.1 s here, and crosses in 1 s after a latency of 0.5 s that passes for all of them together.
  CHECK(first.accepted_s == doctest::Approx(0.1));
  CHECK(second.accepted_s == doctest::Approx(0.2));
  CHECK(first.delivered_s == doctest::Approx(0.1 + 1.5 + 0.1));
  CHECK(second.delivered_s == doctest::Approx(0.1 + 0.5 + 2 + 0.1));
  // The buffer has room again when the first has crossed.
  CHECK(third.accepted_s == doctest::Approx(1.6));
  CHECK(third.delivered_s == doctest::Approx(0.1 + 0.5 + 3 + 0.1));
  CHECK(notice.delivered_s == doctest::Approx(third.delivered_s + 0.1));
}

TEST_CASE("what a message has waited for its turn, its latency is shorter") {
  struct timed : note {
    using note::note;
    void crossed(crossing const& c) override { when = c; }
    crossing when{};
  };
  /// Sent at 1; since when, when its first byte enters the network, its latency, and when it is there.
  auto const phases_of = [](std::string const& more, std::optional<double> since_s) {
    virtual_machine machine(two_nodes(more), 2);
    thread later(machine.processor_of(1));
    computation until_then(machine);
    later.add(until_then, 2);
    while (until_then.done_s < 0) machine.advance();
    timed hello(machine, 100);
    hello.waiting_since_s = since_s;
    machine.send(hello);
    run(machine);
    return std::vector{hello.when.sent_s, hello.when.started_s, hello.when.latency_s, hello.delivered_s};
  };
  CHECK(phases_of("", {}) == std::vector<double>{1, 1, 0.5, 2.5});
  CHECK(phases_of("", 1) == std::vector<double>{1, 1, 0.5, 2.5});
  CHECK(phases_of("", 0.75) == std::vector<double>{0.75, 0.75, 0.5, 2.25});
  CHECK(phases_of("", 0.5) == std::vector<double>{1.0, 1.0, 0.0, 2.0});
  CHECK(phases_of("", 0) == std::vector<double>{1.0, 1.0, 0.0, 2.0});
  // It costs 0.125 s here, in its turn as without others, and there.
  std::string const costs = R"(, "comm_cpu": {"incoming": [0], "outgoing": [0], "per_message_s": 0.25})";
  CHECK(phases_of(costs, {}) == std::vector<double>{1, 1.125, 0.5, 2.75});
  CHECK(phases_of(costs, 0.75) == std::vector<double>{0.75, 0.875, 0.5, 2.5});
  CHECK(phases_of(costs, 0) == std::vector<double>{1, 1.125, 0.0, 2.25});
  // A stream has room for all of them: this one has waited to be copied, and nothing could cross before.
  CHECK(phases_of(R"(, "transport": {"model": "stream", "buffer_bytes": 1})", 0) ==
        std::vector<double>{1, 1, 0.5, 2.5});
}

TEST_CASE("parts of a model can be left out, by name") {
  std::string const more = R"(, "transport": {"model": "stream", "buffer_bytes": 1},
    "effects": [{"name": "wakeup", "send_s": 1}])";
  auto const takes_s = [&](std::vector<std::string> const& without) {
    virtual_machine machine(two_nodes(more, without), 2);
    note hello(machine, 100);
    machine.send(hello);
    run(machine);
    return hello.delivered_s;
  };
  CHECK(takes_s({}) == doctest::Approx(0.5 + 1.5));
  CHECK(takes_s({"wakeup"}) == doctest::Approx(1.5));
  CHECK(takes_s({"stream", "wakeup"}) == doctest::Approx(1.5));
  CHECK(two_nodes(more, {"wakeup", "stream"}).effects.empty());
  CHECK(two_nodes(more, {"wakeup", "wakeup"}).effects.empty());
  CHECK(two_nodes(more, {"stream"}).transport.name == "direct");
  CHECK_THROWS_WITH_AS(two_nodes(more, {"luck"}),
                       "--without luck: test.json has no such part: expected one of wakeup, stream",
                       ovlp::config_error);
  CHECK_THROWS_WITH_AS(two_nodes("", {"wakeup"}), "--without wakeup: test.json has nothing to leave out",
                       ovlp::config_error);
}

TEST_CASE("a node without its quota is as slow as the quota makes it") {
  std::string const text = R"({"name": "test", "reference_core": "any", "host": {"cores": 1},
    "nodes": [{"cores": 1, "count": 1, "speed": 2, "quota": {"share": 0.25, "period_s": 1}}],
    "network": {"model": "star", "latency_s": 0, "bandwidth_Bps": 1}})";
  platform const plain = platform::parse(text, "p.json", {"quota"});
  CHECK(!plain.nodes[0].quota);
  CHECK(!plain.host);
  CHECK(plain.nodes[0].speed == 0.5);
  CHECK(!platform::parse(text, "p.json", {"quota", "host"}).host);  // which goes with the quota
}
