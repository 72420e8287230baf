// SPDX-License-Identifier: BSD-3-Clause
// What keeps the processes of a run together, without processes.
#include "real/reactor.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/flowgraph/walk.hpp>
#include <ovlp/runtime/internal/fact.hpp>
#include <ovlp/runtime/internal/program.hpp>

#include "real/descriptors.hpp"
#include "real/four_counter.hpp"
#include "real/membership.hpp"
#include "real/output.hpp"
#include "real/run_state.hpp"
#include "real/shared_ring.hpp"
#include "real/silence.hpp"
#include "real/tcp_transport.hpp"
#include "support/seed.hpp"

namespace {

using namespace ovlp::real;
using namespace std::chrono_literals;
using ovlp::fact;
using ovlp::facts;
using ovlp::node_id;

std::string bytes_of(outgoing const& message) {
  std::vector<std::span<std::byte const>> parts;
  message.add_to(parts, 0);
  std::string all;
  for (auto const& part : parts) all.append(reinterpret_cast<char const*>(part.data()), part.size());
  return all;
}

service read_back(outgoing const& message) {
  std::string const all = bytes_of(message);
  frame_header header{};
  std::memcpy(&header, all.data(), sizeof header);
  ovlp::program const none;
  auto const body = std::as_bytes(std::span(all)).subspan(sizeof header);
  return std::get<service>(decode(header, body, none).message);
}

/// Keeps what is sent.
class fake_transport final : public transport {
 public:
  peer_address accept() override { return {0, "here", 1}; }
  void stop_accepting() override {}
  std::size_t descriptors(std::size_t more_nodes) const override { return more_nodes; }
  void connect(peer_address const& to, std::uint64_t) override {
    if (to.port == 0) throw ovlp::network_error("nobody is there");
    connections.insert(to.node);
  }
  bool connected(node_id node) const override { return connections.contains(node); }
  bool any_connected() const override { return !connections.empty(); }
  using transport::send;
  bool send(node_id to, std::unique_ptr<outgoing> message, sending) override {
    sent.emplace_back(to, read_back(*message));
    return true;
  }
  void flush() override {}
  void send_heartbeats(std::chrono::milliseconds) override {}
  clock::time_point last_received(node_id) const override { return {}; }
  void tick() override {}
  void give_up(node_id, std::string const&) override {}
  void finish_sending() override {}
  void close() override {}

  /// What has been sent since the last time.
  std::vector<std::pair<node_id, service>> take_sent() { return std::exchange(sent, {}); }

  std::set<node_id> connections;
  std::vector<std::pair<node_id, service>> sent;
};

std::vector<node_id> nodes_of(welcome const& message) {
  std::vector<node_id> nodes;
  for (peer_address const& peer : message.peers) nodes.push_back(peer.node);
  return nodes;
}

facts const agreed{{fact::kind::option, "--columns", "--columns 100", 0},
                   {fact::kind::option, "--fast", std::nullopt, 0},
                   {fact::kind::structure, "leaf 'add' of graph 'sums'", std::nullopt, 17},
                   {fact::kind::value, "parameter 2 (double) of leaf 'add'", "0.5", 0},
                   {fact::kind::value, "parameter 3 (Grid) of leaf 'add'", std::nullopt, 21}};

/// One process's share of joining.
struct joining {
  explicit joining(node_id self) : members(network, run, self, 5, 1, agreed, [this] { return now_s; }) {}

  void say_hello(node_id from, facts const& theirs = agreed) {
    network.connections.insert(from);
    members.handle_hello({"", from, ovlp::detail::digest_of(theirs), "there", static_cast<std::uint16_t>(1000 + from)});
  }

  std::optional<ovlp::failure> failed;
  double now_s = 0;
  run_state run{[this](ovlp::failure const& what) { failed = what; }};
  fake_transport network;
  membership members;
};

}  // namespace

TEST_CASE("more files than may be open are not to be had, and the limit stays") {
  rlimit before{}, after{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK_FALSE(ovlp::real::can_open(std::size_t{1} << 40));
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &after) == 0);
  CHECK(after.rlim_cur == before.rlim_cur);
  CHECK(ovlp::real::can_open(1));
}

// The four-counter rule

TEST_CASE(
    "a run is quiet when two waves, one after the other, find all passive and the same numbers sent and received") {
  four_counter waves;
  std::vector<node_id> const others{1, 2};
  auto const wave = [&](std::uint64_t received_by_2, bool passive_2 = true) {
    std::uint64_t const number = waves.begin_wave(others);
    waves.handle_answer(1, {number, true, 10, 4});
    waves.handle_answer(2, {number, passive_2, 0, received_by_2});
    return waves.all_quiet(others, {0, true, 5, 5});
  };
  CHECK(!wave(6));
  SUBCASE("both say so") { CHECK(wave(6)); }
  SUBCASE("more than two say so") {
    CHECK(wave(6));
    CHECK(wave(6));
  }
  SUBCASE("a message is in flight in the second") {
    CHECK(!wave(5));
    CHECK(!wave(6));
    CHECK(wave(6));
  }
  SUBCASE("a node is active in the second") {
    CHECK(!wave(6, false));
    CHECK(!wave(6));
    CHECK(wave(6));
  }
  SUBCASE("the node that asks goes on in between") {
    waves.reset();
    CHECK(!wave(6));
    CHECK(wave(6));
  }
}

TEST_CASE("messages that were sent and received between two waves count, though all have arrived") {
  four_counter waves;
  std::vector<node_id> const others{1};
  auto const wave = [&](std::uint64_t messages) {
    std::uint64_t const number = waves.begin_wave(others);
    waves.handle_answer(1, {number, true, 0, messages});
    return waves.all_quiet(others, {0, true, messages, 0});
  };
  CHECK(!wave(3));
  CHECK(!wave(4));
  CHECK(wave(4));
}

TEST_CASE("a wave with a missing answer, or of other nodes than there are now, says nothing") {
  four_counter waves;
  auto const wave = [&](std::vector<node_id> const& asked, std::vector<node_id> const& answer,
                        std::vector<node_id> const& now) {
    std::uint64_t const number = waves.begin_wave(asked);
    for (node_id node : answer) waves.handle_answer(node, {number, true, 1, 1});
    return waves.all_quiet(now, {0, true, 0, 0});
  };
  CHECK(!wave({1, 2}, {1, 2}, {1, 2}));
  CHECK(!wave({1, 2}, {1}, {1, 2}));
  CHECK(!wave({1, 2}, {1, 2}, {1, 3}));
  CHECK(!wave({1, 2}, {1, 2}, {1}));
  CHECK(wave({1, 2}, {1, 2}, {1, 2}));
}

TEST_CASE("answers that come after their wave has ended do not count in the next") {
  four_counter waves;
  std::uint64_t const first = waves.begin_wave({1});
  std::uint64_t const second = waves.begin_wave({1});
  waves.handle_answer(1, {first, true, 0, 0});
  CHECK(!waves.all_quiet({1}, {0, true, 0, 0}));
  waves.handle_answer(1, {second, true, 0, 0});
  waves.all_quiet({1}, {0, true, 0, 0});
  CHECK(waves.all_quiet({1}, {0, true, 0, 0}));
}

TEST_CASE("a run of one node is quiet after two looks") {
  four_counter waves;
  waves.reset();
  CHECK(!waves.all_quiet({}, {0, true, 0, 0}));
  waves.begin_wave({});
  CHECK(waves.all_quiet({}, {0, true, 0, 0}));
}

// Silence

TEST_CASE("silence lasts since something was last received, without what this process itself has missed") {
  silence of;
  silence::clock::time_point const start{1000s};
  CHECK(of.at(start + 1s, start, 0s) == 1s);
  CHECK(of.at(start + 2s, start, 0s) == 2s);
  CHECK(of.at(start + 12s, start, 9s) == 3s);  // we were stopped
  CHECK(of.at(start + 13s, start, 0s) == 4s);
  SUBCASE("what was missed before something came does not count after it") {
    CHECK(of.at(start + 20s, start + 14s, 0s) == 6s);
  }
  SUBCASE("no more can be missed than has passed") {
    CHECK(of.at(start + 15s, start + 14s, 9s) == 0s);
    CHECK(of.at(start + 16s, start + 14s, 0s) == 1s);
  }
}

// Joining

TEST_CASE("nodes that join together are welcomed when the last has said hello, each with those of lower number") {
  joining driver(0);
  for (node_id node : {1u, 2u, 3u}) driver.members.expect(node);
  driver.say_hello(3);
  driver.say_hello(1);
  CHECK(driver.network.take_sent().empty());
  driver.say_hello(2);
  auto const sent = driver.network.take_sent();
  REQUIRE(sent.size() == 3);
  for (auto const& [to, message] : sent) {
    std::vector<node_id> lower;
    for (node_id node = 1; node < to; ++node) lower.push_back(node);
    CHECK(nodes_of(std::get<welcome>(message)) == lower);
  }
  for (node_id node : {1u, 2u, 3u}) {
    CHECK(!driver.members.all_joined());
    driver.members.handle_ready(node);
  }
  CHECK(driver.members.all_joined());
  CHECK(driver.members.present() == std::vector<node_id>{1, 2, 3});
}

TEST_CASE("a node that joins later connects to all that have joined and do not leave") {
  joining driver(0);
  for (node_id node : {1u, 2u, 3u}) {
    driver.members.expect(node);
    driver.say_hello(node);
    driver.members.handle_ready(node);
  }
  driver.members.leave(2);
  driver.network.take_sent();
  driver.members.expect(4);
  CHECK(driver.members.expected() == 1);
  CHECK(driver.members.expects(4));
  CHECK(!driver.members.expects(1));
  driver.say_hello(4);
  auto const sent = driver.network.take_sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].first == 4);
  CHECK(nodes_of(std::get<welcome>(sent[0].second)) == std::vector<node_id>{1, 3});
  CHECK(driver.members.present() == std::vector<node_id>{1, 3});
}

TEST_CASE("a node that is launched again is another member") {
  joining driver(0);
  driver.members.expect(1);
  driver.say_hello(1);
  driver.members.handle_ready(1);
  driver.members.leave(1);
  CHECK(driver.members.leaving(1));
  driver.members.expect(1);
  CHECK(!driver.members.leaving(1));
  CHECK(driver.members.present().empty());
  driver.say_hello(1);
  driver.members.handle_ready(1);
  CHECK(driver.members.present() == std::vector<node_id>{1});
}

TEST_CASE("a joining process is ready when all whom it was to connect to have accepted it") {
  joining worker(3);
  worker.members.join({0, "there", 7});
  worker.members.handle_welcome({{{1, "there", 1001}, {2, "there", 1002}}, 0, 0});
  CHECK(worker.network.connections == std::set<node_id>{0, 1, 2});
  worker.members.handle_accepted(2);
  CHECK(worker.network.take_sent().empty());
  worker.members.handle_accepted(1);
  auto const sent = worker.network.take_sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].first == 0);
  CHECK(std::holds_alternative<ready>(sent[0].second));
}

TEST_CASE("a joining process reports to node 0 a peer that it cannot reach, and is not ready") {
  joining worker(3);
  worker.members.join({0, "there", 7});
  worker.members.handle_welcome({{{1, "there", 1001}, {2, "nowhere", 0}}, 0, 0});
  worker.members.handle_accepted(1);
  auto const sent = worker.network.take_sent();
  REQUIRE(!sent.empty());
  CHECK(std::get<peer_lost>(sent[0].second).node == 2);
  CHECK(std::get<peer_lost>(sent[0].second).how == "nobody is there");
}

TEST_CASE("a process finds how far its clock is behind node 0's, whoever else is waited for") {
  joining driver(0), worker(1);
  driver.members.expect(1);
  driver.members.expect(2);
  worker.now_s = 1;
  worker.members.join({0, "here", 1000});
  driver.now_s = 101.25;  // a hundred seconds ahead; a quarter of a second under way
  driver.say_hello(1);
  driver.now_s = 107;
  driver.say_hello(2);
  auto const sent = driver.network.take_sent();
  REQUIRE(sent.size() == 2);
  welcome const message = std::get<welcome>(sent[0].second);
  CHECK(worker.members.behind_driver_s(message, 7.25) == 100);
  CHECK(worker.members.behind_driver_s(message, 7.75) == 99.75);  // the way back took longer
}

TEST_CASE("a process that differs is asked in what, which fails the run, and nobody is welcomed") {
  facts theirs = agreed;
  std::string expected;
  SUBCASE("an option") {
    theirs[0].text = "--columns 50";
    expected = "node1 was started with --columns 50, node0 with --columns 100";
  }
  SUBCASE("a flag") {
    theirs[1].text = "--fast";
    expected = "node1 was started with --fast, node0 without --fast";
  }
  SUBCASE("an operation") {
    theirs[2].digest = 18;
    expected = "node1 runs another program than node0: leaf 'add' of graph 'sums' differs";
  }
  SUBCASE("an operation of another name") {
    theirs[2].what = "leaf 'take' of graph 'sums'";
    expected =
        "node1 runs another program than node0: it has leaf 'take' of graph 'sums', where node0 has leaf 'add' of "
        "graph 'sums'";
  }
  SUBCASE("no operation") {
    theirs.resize(2);
    expected = "node1 runs another program than node0: it lacks leaf 'add' of graph 'sums'";
  }
  SUBCASE("a parameter that can be shown") {
    theirs[3].text = "0.25";
    expected = "parameter 2 (double) of leaf 'add' is 0.25 on node1, 0.5 on node0";
  }
  SUBCASE("a parameter that is too much to be shown") {
    theirs[4].digest = 22;
    expected = "parameter 3 (Grid) of leaf 'add' differs between node1 and node0";
  }
  SUBCASE("a long option with a line end, which is not told as one") {
    theirs[0].text = "--columns " + std::string(500, 'x') + "\n" + std::string(500, 'y');
    expected = "node1 was started with --columns " + std::string(50, 'x') + "..., node0 with --columns 100";
  }
  joining driver(0);
  driver.members.expect(1);
  driver.members.expect(2);
  driver.say_hello(1, theirs);
  driver.say_hello(2);
  CHECK(!driver.failed);
  auto const sent = driver.network.take_sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].first == 1);
  CHECK(std::holds_alternative<facts_request>(sent[0].second));
  driver.members.handle_facts(1, theirs);
  REQUIRE(driver.failed);
  std::string const& said = driver.failed->text;  // that of engines before this one may follow
  CHECK(said.substr(0, said.find(" (an engine")) == expected);
}

// Over TCP

namespace {

/// One end: what is reported, in order, as text.
struct tcp_end final : transport::observer {
  explicit tcp_end(node_id self, std::string secret = "secret", bool shared_memory = false)
      : carrier(reactor, known, {self, 3, std::move(secret), "127.0.0.1", "127.0.0.1", shared_memory}, errors, *this) {}
  ~tcp_end() override {
    auto const lead = reactor.lead();
    carrier.close();
    reactor.context().poll();
  }

  bool expects(node_id) const override {
    ++asked;
    return true;
  }
  std::size_t expected() const override { return 1; }
  void handle_hello(hello const& from) override { report("hello " + std::to_string(from.node)); }
  void handle_message(node_id from, incoming& message) override {
    auto const& told = std::get<service>(message.message);
    report(std::to_string(from) + (std::get_if<heartbeat>(&told) != nullptr ? " lives" : " sent " + text(told)));
  }
  void handle_sent(node_id) override {}
  void handle_lost(node_id node, std::string const& how, bool silent) override {
    report("lost " + std::to_string(node) + (silent ? ", silent: " : ": ") + how);
  }
  void handle_cannot_accept(std::string const& why) override { report(why); }

  static std::string text(service const& message) {
    auto const* const answer = std::get_if<waiting_answer>(&message);
    return answer == nullptr ? "something else" : answer->list.at(0);
  }
  void say(node_id to, std::string const& words) { carrier.send(to, waiting_answer{false, {words}}); }
  bool say_with_others(node_id to, std::string const& words) {
    return carrier.send(to, std::make_unique<outgoing>(service(waiting_answer{false, {words}})), sending::with_others);
  }
  void report(std::string const& what) {
    ovlp::scoped_lock const lock(mutex);
    reports.push_back(what);
  }
  /// Waits for so many reports.
  std::vector<std::string> expect(std::size_t count) {
    for (auto const until = std::chrono::steady_clock::now() + 10s; std::chrono::steady_clock::now() < until;) {
      {
        ovlp::scoped_lock const lock(mutex);
        if (reports.size() >= count) return std::exchange(reports, {});
      }
      std::this_thread::sleep_for(1ms);
    }
    ovlp::scoped_lock const lock(mutex);
    return reports;
  }
  peer_address accept() {
    peer_address where{};
    reactor.run([&] { where = carrier.accept(); });
    return where;
  }
  void connect(peer_address const& to) {
    reactor.run([&] { carrier.connect(to, 42); });
  }
  void close() {
    reactor.run([&] { carrier.close(); });
  }

  ovlp::program known;
  mutable std::atomic<int> asked{0};  ///< whether a process is expected: each that comes
  std::shared_ptr<output> errors = std::make_shared<output>(stderr);
  ovlp::mutex mutex;
  std::vector<std::string> reports OVLP_GUARDED_BY(mutex);
  ovlp::real::reactor reactor{0us};  // whose own thread leads
  tcp_transport carrier;
};

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE(
    "handlers run while no thread is idle, though what is looked at has changed when the watching thread looked") {
  for (int i = 0; i < 100; ++i) {
    ovlp::real::reactor reactor{0us};
    auto const until = std::chrono::steady_clock::now() + 2 * ovlp::real::reactor::watch_period;
    while (std::chrono::steady_clock::now() < until) reactor.look_at(nullptr);
    bool ran = false;
    reactor.run([&] { ran = true; });
    CHECK(ran);
  }
}

TEST_CASE("a process that connects introduces itself before anything else, and messages arrive in order") {
  tcp_end driver(0), worker(1);
  worker.connect(driver.accept());
  worker.say(0, "first");
  worker.say(0, std::string(1000000, 'x'));
  worker.say(0, "last");
  CHECK(driver.expect(4) == texts{"hello 1", "1 sent first", "1 sent " + std::string(1000000, 'x'), "1 sent last"});
  CHECK(driver.carrier.connected(1));
  driver.say(1, "welcome");
  CHECK(worker.expect(1) == texts{"0 sent welcome"});
}

TEST_CASE("what is sent to a node that is not connected is dropped") {
  tcp_end driver(0), worker(1);
  driver.say(1, "too early");
  worker.connect(driver.accept());
  CHECK(driver.expect(1) == texts{"hello 1"});
  driver.say(1, "in time");
  CHECK(worker.expect(1) == texts{"0 sent in time"});
  worker.close();
  CHECK(driver.expect(1) == texts{"lost 1: the connection was closed"});
  CHECK(!driver.carrier.connected(1));
  driver.say(1, "too late");
}

TEST_CASE("messages that may go with others wait for a flush, or for one that goes at once, and arrive in order") {
  tcp_end driver(0), worker(1);
  worker.connect(driver.accept());
  CHECK(driver.expect(1) == texts{"hello 1"});
  CHECK(worker.say_with_others(0, "a"));
  CHECK(worker.say_with_others(0, "b"));
  std::this_thread::sleep_for(20ms);  // time enough to arrive, were they sent
  {
    ovlp::scoped_lock const lock(driver.mutex);
    CHECK(driver.reports.empty());
  }
  worker.carrier.flush();
  CHECK(driver.expect(2) == texts{"1 sent a", "1 sent b"});
  worker.say_with_others(0, "c");
  worker.say(0, "d");
  CHECK(driver.expect(2) == texts{"1 sent c", "1 sent d"});
  worker.say_with_others(0, "e");
  worker.say_with_others(0, std::string(100000, 'x'));  // not worth waiting for more
  CHECK(driver.expect(2) == texts{"1 sent e", "1 sent " + std::string(100000, 'x')});
  texts many;
  for (int i = 0; i < 100; ++i) {
    worker.say_with_others(0, std::to_string(i));
    many.push_back("1 sent " + std::to_string(i));
  }
  worker.carrier.flush();
  CHECK(driver.expect(100) == many);
}

TEST_CASE("a heartbeat sends what is kept, and a connection that closes forgets it") {
  tcp_end driver(0), worker(1);
  worker.connect(driver.accept());
  CHECK(driver.expect(1) == texts{"hello 1"});
  worker.say_with_others(0, "kept");
  worker.carrier.send_heartbeats(1h);
  CHECK(driver.expect(1) == texts{"1 sent kept"});
  worker.say_with_others(0, "forgotten");
  worker.close();
  worker.carrier.flush();
  CHECK(driver.expect(1) == texts{"lost 1: the connection was closed"});
}

TEST_CASE("the next process of a node takes its place without a loss once the last one has gone") {
  tcp_end driver(0);
  peer_address const where = driver.accept();
  auto first = std::make_unique<tcp_end>(1);
  first->connect(where);
  CHECK(driver.expect(1) == texts{"hello 1"});
  for (int i = 0; i < 5; ++i) {
    auto next = std::make_unique<tcp_end>(1);
    next->connect(where);
    while (driver.asked < i + 2) std::this_thread::sleep_for(1ms);
    next->say(0, "of the next");
    first->say(0, "of the last");
    CHECK(driver.expect(1) == texts{"1 sent of the last"});
    first->close();
    CHECK(driver.expect(2) == texts{"hello 1", "1 sent of the next"});
    driver.say(1, "to the next");
    CHECK(next->expect(1) == texts{"0 sent to the next"});
    first = std::move(next);
  }
}

TEST_CASE("a node that is given up for its silence is reported as silent, and its connection is closed") {
  tcp_end driver(0), worker(1);
  worker.connect(driver.accept());
  CHECK(driver.expect(1) == texts{"hello 1"});
  driver.reactor.run([&] { driver.carrier.give_up(1, "silent for long"); });
  CHECK(driver.expect(1) == texts{"lost 1, silent: silent for long"});
  CHECK(worker.expect(1) == texts{"lost 0: the connection was closed"});
}

TEST_CASE("heartbeats are sent to whom nothing else has been sent for a while") {
  tcp_end driver(0), worker(1);
  worker.connect(driver.accept());
  CHECK(driver.expect(1) == texts{"hello 1"});
  worker.carrier.send_heartbeats(1h);
  worker.say(0, "something");
  CHECK(driver.expect(1) == texts{"1 sent something"});
  std::this_thread::sleep_for(2ms);
  worker.carrier.send_heartbeats(1ms);
  CHECK(driver.expect(1) == texts{"1 lives"});
}

TEST_CASE("a process that does not know the secret is not connected") {
  tcp_end driver(0), other(1, "guessed");
  other.connect(driver.accept());
  CHECK(other.expect(1).size() == 1);  // lost
  CHECK(!driver.carrier.connected(1));
}

// Over TCP and a ring in shared memory

namespace {

/// A thread that leads an end's reactor, and sleeps there.
class leader {
 public:
  leader(ovlp::real::reactor& led, bool may_poll)
      : led_(led), thread_([this, may_poll] { led_.wait(stop_, may_poll); }) {}
  leader(leader const&) = delete;
  leader& operator=(leader const&) = delete;
  ~leader() {
    led_.wake(stop_);
    thread_.join();
  }

 private:
  ovlp::real::reactor& led_;
  wake_flag stop_;
  std::thread thread_;
};

/// A process that speaks for itself: a socket, and a ring that it writes to as it likes.
struct raw_end {
  raw_end(peer_address const& to, shared_ring::place const& ring_is) : socket(context) {
    socket.connect({boost::asio::ip::make_address(to.host), to.port});
    say(bytes_of(outgoing(service(hello{"secret", 1, 42, "127.0.0.1", 1, ring_is}))));
  }
  explicit raw_end(peer_address const& to) : raw_end(to, {}) {}
  void say(std::string const& bytes) { boost::asio::write(socket, boost::asio::buffer(bytes)); }
  bool write(std::string const& bytes) const {
    std::span<std::byte const> const parts[] = {std::as_bytes(std::span(bytes))};
    return ring->write(parts);
  }
  bool becomes_mapped() const {
    for (int i = 0; i < 5000 && !ring->mapped(); ++i) std::this_thread::sleep_for(1ms);
    return ring->mapped();
  }

  boost::asio::io_context context;
  boost::asio::ip::tcp::socket socket;
  std::unique_ptr<shared_ring> ring;
};

std::unique_ptr<raw_end> with_ring(peer_address const& to) {
  auto ring = shared_ring::make();
  REQUIRE(ring);
  auto made = std::make_unique<raw_end>(to, ring->where());
  made->ring = std::move(ring);
  REQUIRE(made->becomes_mapped());
  return made;
}

/// Some words, after so many messages the other way.
std::string words(std::string const& text, std::uint64_t others_before) {
  outgoing made(service(waiting_answer{false, {text}}));
  made.follows(others_before);
  return bytes_of(made);
}

}  // namespace

TEST_CASE(
    "small and large messages arrive in the order in which they were sent, whether the other process sleeps or "
    "looks") {
  std::mt19937_64 from(ovlp::testing::new_seed());
  for (int round = 0; round < 6; ++round) {
    tcp_end ends[2] = {tcp_end(0, "secret", true), tcp_end(1, "secret", true)};
    std::vector<std::unique_ptr<leader>> leaders;
    for (tcp_end& end : ends) {
      if (from() % 3 > 0) leaders.push_back(std::make_unique<leader>(end.reactor, from() % 2 == 0));
    }
    ends[1].connect(ends[0].accept());
    CHECK(ends[0].expect(1) == texts{"hello 1"});
    constexpr int count = 2000;
    std::uint64_t const seeds[] = {from(), from()};
    auto const speak = [&](std::size_t which) {
      std::mt19937_64 own(seeds[which]);
      node_id const other = which == 0 ? 1 : 0;
      for (int i = 0; i < count; ++i) {
        auto const kind = own() % 100;
        std::string const text = std::to_string(i) + std::string(kind < 2    ? own() % 300000
                                                                 : kind < 10 ? own() % 20000
                                                                             : own() % 100,
                                                                 'x');
        if (own() % 3 == 0) {
          ends[which].say_with_others(other, text);
        } else {
          ends[which].say(other, text);
        }
        if (own() % 20 == 0) std::this_thread::sleep_for(std::chrono::microseconds(own() % 200));
        if (own() % 50 == 0) ends[which].carrier.flush();
        if (own() % 100 == 0) ends[which].carrier.send_heartbeats(0ms);
      }
      ends[which].carrier.flush();
    };
    std::thread speaker([&] { speak(1); });
    speak(0);
    speaker.join();
    for (tcp_end& end : ends) {
      int next = 0;
      for (auto const until = std::chrono::steady_clock::now() + 20s;
           next < count && std::chrono::steady_clock::now() < until;) {
        for (std::string const& report : end.expect(1)) {
          auto const at = report.find(" sent ");
          if (at == std::string::npos) continue;  // it lives
          REQUIRE(std::stoi(report.substr(at + 6)) == next);
          ++next;
        }
      }
      REQUIRE(next == count);
    }
  }
}

TEST_CASE("a message by the ring waits for those by the socket that were sent before it, and the other way round") {
  tcp_end driver(0, "secret", true);
  auto const worker = with_ring(driver.accept());
  CHECK(worker->write(words("second", 1)));
  CHECK(worker->write(words("third", 1)));
  CHECK(driver.expect(1) == texts{"hello 1"});
  std::this_thread::sleep_for(20ms);
  worker->say(words("first", 0));
  worker->say(words("fourth", 2));
  CHECK(driver.expect(4) == texts{"1 sent first", "1 sent second", "1 sent third", "1 sent fourth"});
}

TEST_CASE("what has been written to the ring before a connection ends is handled before the loss") {
  tcp_end driver(0, "secret", true);
  auto worker = with_ring(driver.accept());
  texts expected{"hello 1"};
  {
    std::promise<void> go;
    std::thread holds([&] { driver.reactor.run([&] { go.get_future().wait(); }); });  // nobody looks meanwhile
    for (int i = 0; i < 500; ++i) {
      CHECK(worker->write(words(std::to_string(i), 0)));
      expected.push_back("1 sent " + std::to_string(i));
    }
    worker.reset();
    go.set_value();
    holds.join();
  }
  expected.emplace_back("lost 1: the connection was closed");
  CHECK(driver.expect(expected.size()) == expected);
}

TEST_CASE("a ring that is malformed loses the node") {
  tcp_end driver(0, "secret", true);
  auto const worker = with_ring(driver.accept());
  CHECK(driver.expect(1) == texts{"hello 1"});
  std::string expected;
  std::string good = words("good", 0);
  SUBCASE("by a record without a header") {
    worker->write("short");
    expected = "a message that is too short";
  }
  SUBCASE("by no magic number") {
    good[0] ^= 1;
    worker->write(good);
    expected = "not a frame of ovlp";
  }
  SUBCASE("by bytes too many") {
    worker->write(good + "x");
    expected = "a message of another size than it says";
  }
  SUBCASE("by a message of the socket after records that are not there") {
    worker->say(words("early", 1));
    expected = "a message before another one that it follows";
  }
  SUBCASE("by a record that should have come before a message of the socket") {
    worker->say(words("one", 0));
    CHECK(driver.expect(1) == texts{"1 sent one"});
    worker->write(good);
    expected = "a message that comes too late";
  }
  SUBCASE("by a message of the socket that should have come before a record") {
    worker->write(good);
    CHECK(driver.expect(1) == texts{"1 sent good"});
    worker->say(words("one", 0));
    expected = "a message that comes too late";
  }
  auto const reports = driver.expect(1);
  REQUIRE(reports.size() == 1);
  CHECK(reports[0] == "lost 1: sent " + expected);
}

TEST_CASE("without a ring, messages that follow others in it are malformed") {
  tcp_end driver(0, "secret", true);
  raw_end worker(driver.accept());
  worker.say(words("one", 0));
  worker.say(words("two", 1));
  CHECK(driver.expect(3) ==
        texts{"hello 1", "1 sent one", "lost 1: sent a message before another one that it follows"});
}

TEST_CASE("a node whose ring cannot be mapped is sent to by the socket alone") {
  tcp_end driver(0, "secret", true);
  raw_end worker(driver.accept(), {::getpid(), 0, 17});
  worker.say(words("one", 0));
  CHECK(driver.expect(2) == texts{"hello 1", "1 sent one"});
  driver.say(1, "back");
  std::string const back = words("back", 0);
  std::string read(back.size(), ' ');
  boost::asio::read(worker.socket, boost::asio::buffer(read));
  CHECK(read == back);
}

TEST_CASE("the next process of a node has a ring of its own") {
  tcp_end driver(0, "secret", true);
  peer_address const where = driver.accept();
  for (int i = 0; i < 5; ++i) {
    tcp_end worker(1, "secret", true);
    worker.connect(where);
    CHECK(driver.expect(1) == texts{"hello 1"});
    for (int j = 0; j < 100; ++j) worker.say(0, std::to_string(j));
    texts const said = driver.expect(100);
    REQUIRE(said.size() == 100);
    CHECK(said[99] == "1 sent 99");
    driver.say(1, "back");
    CHECK(worker.expect(1) == texts{"0 sent back"});
    worker.close();
    CHECK(driver.expect(1) == texts{"lost 1: the connection was closed"});
  }
}
