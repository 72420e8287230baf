// SPDX-License-Identifier: BSD-3-Clause
// Bytes from outside are refused or read, whatever they are; they never do harm. Run with sanitizers.
#include <doctest/doctest.h>

#include <sys/mman.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <ovlp/ovlp.hpp>
#include <ovlp/runtime/internal/program.hpp>

#include "real/launch/ticket.hpp"
#include "real/shared_ring.hpp"
#include "real/wire.hpp"

namespace {

using bytes = std::vector<std::byte>;
using generator = std::mt19937_64;

struct Rich {
  int number;
  std::string text;
  std::vector<std::vector<short>> rows;
  std::map<std::string, double> table;
  std::variant<int, std::string> either;
  std::optional<bool> perhaps;
  ovlp::buffer<double> small;
  ovlp::buffer<double> large;
};
struct Piece {
  int number;
  ovlp::buffer<float> elements;
};

/// A seed of one's own with OVLP_FUZZ_SEED.
std::uint64_t seed() {
  char const* const given = std::getenv("OVLP_FUZZ_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 20240501;
}
double seconds() {
  char const* const given = std::getenv("OVLP_FUZZ_SECONDS");
  return given != nullptr ? std::strtod(given, nullptr) : 3;
}

ovlp::graph<Rich, Rich> make_graph(ovlp::threads<> const& master, ovlp::threads<std::vector<int>> const& workers) {
  ovlp::graph<Rich, Rich> graph("fuzzed");
  auto split = graph.split("split", master, [](Rich r, ovlp::out<Piece>& out) { out.post({r.number, {}}); });
  auto leaf = graph.leaf("leaf", workers, [](Piece p) { return p; });
  auto merge = graph.merge("merge", master, [](ovlp::in<Piece>& in) {
    Rich r{};
    while (in.wait()) ++r.number;
    return r;
  });
  graph.enter(split, ovlp::at(0));
  graph.edge(split.port<Piece>(), leaf, ovlp::in_turn());
  graph.edge(leaf, merge, ovlp::at(0));
  graph.leave(merge);
  return graph;
}

/// What both ends of a connection know.
struct both_ends {
  both_ends() {
    known.add(make_graph(master, workers).definition());
    known.close();
  }

  ovlp::threads<> const master{"master", 1};
  ovlp::threads<std::vector<int>> const workers{"workers", 4};
  ovlp::program known;
};

struct message {
  ovlp::real::frame_header header{};
  bytes inline_part;
};

message frame_of(ovlp::real::outgoing const& sent) {
  std::vector<std::span<std::byte const>> parts;
  sent.add_to(parts, 0);
  bytes all;
  for (auto const& part : parts) all.insert(all.end(), part.begin(), part.end());
  message made;
  std::memcpy(&made.header, all.data(), sizeof made.header);
  auto const first = all.begin() + sizeof made.header;
  made.inline_part.assign(first, first + static_cast<std::ptrdiff_t>(made.header.inline_bytes));
  return made;
}

std::vector<ovlp::frame> frames() { return {ovlp::call_frame(1, 1, 0, 0), {2, 3, 0, 0, 1}}; }

template <class T>
ovlp::envelope_ptr object(std::uint32_t graph, std::uint32_t operation, T value, ovlp::frames in = frames()) {
  auto made = ovlp::envelope::make(ovlp::type_of<T>(), &value, in);
  made->graph = graph;
  made->operation = operation;
  return made;
}

/// Changes bytes: flips, small and large numbers, cuts, repetitions.
void mutate(bytes& data, generator& from) {
  for (auto times = 1 + from() % 4; times > 0; --times) {
    std::size_t const at = data.empty() ? 0 : from() % data.size();
    switch (from() % 7) {
      case 0:
        if (!data.empty()) data[at] ^= static_cast<std::byte>(1u << (from() % 8));
        break;
      case 1:
        if (!data.empty()) data[at] = static_cast<std::byte>(from());
        break;
      case 2: data.resize(at); break;
      case 3:
        data.insert(data.begin() + static_cast<std::ptrdiff_t>(at), 1 + from() % 16, static_cast<std::byte>(from()));
        break;
      case 4:
      case 5: {  // a size or an index of 4 or 8 bytes
        std::uint64_t const interesting[] = {0,
                                             1,
                                             2,
                                             255,
                                             0x7fffffff,
                                             0xfffffffe,
                                             0xffffffff,
                                             std::uint64_t{1} << 32,
                                             std::uint64_t{1} << 61,
                                             ~std::uint64_t{0},
                                             ~std::uint64_t{0} - 7};
        std::uint64_t const value = interesting[from() % std::size(interesting)];
        std::size_t const width = from() % 2 == 0 ? 4 : 8;
        if (data.size() >= at + width) std::memcpy(data.data() + at, &value, width);
        break;
      }
      default:
        if (!data.empty()) data.erase(data.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
}

}  // namespace

TEST_CASE("a message that was changed on its way is read or refused, and does no harm") {
  both_ends const of;
  using namespace ovlp::real;
  Rich const rich{7,
                  "seven",
                  {{1, 2}, {}, {3}},
                  {{"a", 1.5}, {"b", -2}},
                  std::string("text"),
                  true,
                  ovlp::buffer<double>(5),
                  ovlp::buffer<double>(5000)};
  std::vector<message> good;
  good.push_back(frame_of(outgoing(object<Rich>(0, 0, rich))));
  good.push_back(frame_of(outgoing(object<Piece>(0, 1, Piece{3, ovlp::buffer<float>(100000)}))));
  good.push_back(frame_of(outgoing(object<Piece>(0, 2, Piece{3, ovlp::buffer<float>(3)}))));
  good.push_back(frame_of(outgoing(object<Rich>(0, ovlp::result_operation, rich))));
  good.push_back(frame_of(outgoing(object<std::vector<int>>(of.known.number_of(*of.workers.definition()),
                                                            ovlp::state_operation, std::vector<int>(10, 1)))));
  good.push_back(frame_of(outgoing(ovlp::control(ovlp::closer_here{1, {0, 2}, 3}))));
  good.push_back(
      frame_of(outgoing(ovlp::control(ovlp::group_total{{0, 1}, 2, 3, 0, 2, {ovlp::frame{}, ovlp::frame{}}, 4, 1}))));
  good.push_back(frame_of(outgoing(ovlp::control(ovlp::view_update{1, 2, 3, {0, 1, 2, 3}}))));
  good.push_back(frame_of(outgoing(ovlp::control(ovlp::change_done{1, "why not"}))));
  good.push_back(frame_of(outgoing(service(hello{"0123456789abcdef0123456789abcdef", 1, 2, "127.0.0.1", 3}))));
  good.push_back(frame_of(outgoing(service(welcome{{{1, "a", 2}, {3, "b", 4}}, 1.5, 2.5}))));
  good.push_back(
      frame_of(outgoing(service(failure_report{{ovlp::failure::kind_type::network, "t", "x", "o", "h", "n"}}))));
  good.push_back(frame_of(outgoing(service(goodbye{1, 2, {{3, {}}}}))));
  good.push_back(frame_of(outgoing(service(waiting_answer{false, {"one", "two"}}))));

  for (message const& m : good) {
    CHECK_NOTHROW(check(m.header, peer_limits));
    incoming const back = decode(m.header, m.inline_part, of.known);
    std::size_t bulk = 0;
    for (auto const& piece : back.bulk) bulk += piece.size();
    CHECK(bulk == m.header.bulk_bytes);
  }

  MESSAGE("seed " << seed() << " (OVLP_FUZZ_SEED, OVLP_FUZZ_SECONDS)");
  generator from(seed());
  std::size_t read = 0;
  std::size_t refused = 0;
  auto const until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds());
  for (std::size_t round = 0; round < 2000 || std::chrono::steady_clock::now() < until; ++round) {
    message m = good[from() % good.size()];
    mutate(m.inline_part, from);
    if (from() % 4 == 0) {
      bytes header(sizeof m.header);
      std::memcpy(header.data(), &m.header, header.size());
      mutate(header, from);
      header.resize(sizeof m.header);
      std::memcpy(&m.header, header.data(), header.size());
    }
    // As the connection does: a part as long as announced is handed over. Enormous bulk parts are for trusted peers.
    m.header.inline_bytes = m.inline_part.size();
    if (m.header.bulk_bytes > 1 << 20) m.header.bulk_bytes &= (1 << 20) - 1;
    bytes const exact(m.inline_part);  // of its own, so that a sanitizer sees each byte too far
    try {
      check(m.header, peer_limits);
      incoming const back = decode(m.header, exact, of.known);
      std::size_t bulk = 0;
      for (auto const& piece : back.bulk) bulk += piece.size();
      REQUIRE(bulk == m.header.bulk_bytes);
      ++read;
    } catch (ovlp::decode_error const&) {
      ++refused;
    }
  }
  MESSAGE(read << " read, " << refused << " refused");
  CHECK(refused > 100);
}

TEST_CASE("an object may be in any number of groups") {
  both_ends const of;
  using namespace ovlp::real;
  std::vector<ovlp::frame> deep = frames();
  for (std::uint32_t place = 0; place < 5000; ++place) deep.push_back({2, place, 0, 0, 1});
  message const m = frame_of(outgoing(object<Piece>(0, 1, Piece{3, {}}, deep)));
  incoming const back = decode(m.header, m.inline_part, of.known);
  auto const& read = std::get<ovlp::envelope_ptr>(back.message);
  REQUIRE(read->frames().size() == 5002);
  CHECK(read->innermost().place == 4999);
}

TEST_CASE("an object in more groups than can be counted is no message") {
  both_ends const of;
  using namespace ovlp::real;
  message m = frame_of(outgoing(object<Piece>(0, 1, Piece{3, {}})));
  std::size_t const before_depth = 5 * sizeof(std::uint32_t);  // graph, operation, thread, iteration, epoch
  std::uint32_t const many = ovlp::envelope::most_frames + 1;
  m.inline_part.resize(m.inline_part.size() + many * sizeof(ovlp::frame));
  std::memcpy(m.inline_part.data() + before_depth, &many, sizeof many);
  CHECK_THROWS_WITH_AS(decode(m.header, m.inline_part, of.known), "too many groups", ovlp::decode_error);
}

TEST_CASE("random bytes are no message") {
  both_ends const of;
  using namespace ovlp::real;
  generator from(seed());
  for (int round = 0; round < 20000; ++round) {
    bytes data(from() % 200);
    for (auto& b : data) b = static_cast<std::byte>(from());
    frame_header header{frame_magic, static_cast<frame_kind>(1 + from() % 3), data.size(), 0};
    if (!data.empty() && from() % 2 == 0) data[0] = static_cast<std::byte>(from() % 16);  // which message it is
    try {
      static_cast<void>(decode(header, data, of.known));
    } catch (ovlp::decode_error const&) {
    }
    bytes raw(sizeof header);
    for (auto& b : raw) b = static_cast<std::byte>(from());
    std::memcpy(&header, raw.data(), raw.size());
    CHECK_THROWS_AS(check(header, stranger_limits), ovlp::decode_error);
  }
}

TEST_CASE("a ring whose memory was changed is read or refused, and does no harm") {
  using ovlp::real::shared_ring;
  generator from(seed());
  std::size_t refused = 0;
  bytes const text(100, std::byte{1});
  for (int round = 0; round < 500; ++round) {
    auto const made = shared_ring::make();
    REQUIRE(made);
    auto const other = shared_ring::map(made->where());
    REQUIRE(other);
    void* const there =
        ::mmap(nullptr, sizeof(shared_ring::memory), PROT_READ | PROT_WRITE, MAP_SHARED, made->where().descriptor, 0);
    REQUIRE(there != MAP_FAILED);
    auto& way = static_cast<shared_ring::memory*>(there)->ways[0];
    try {
      for (int step = 0; step < 200; ++step) {
        std::span<std::byte const> const parts[] = {std::span(text).first(from() % text.size())};
        static_cast<void>(made->write(parts));
        bool const change = from() % 10 == 0;
        std::uint64_t const near[] = {0, 4, 8, 16, 64, shared_ring::capacity, ~std::uint64_t{0}, from()};
        std::uint64_t const value = near[from() % std::size(near)];
        std::uint64_t const some = from() % 3 == 0 ? value : way.written + value % 256;
        switch (change ? from() % 3 : 3) {
          case 0: way.written = some; break;
          case 1: way.read = some; break;
          case 2: std::memcpy(way.bytes.data() + from() % 512 * 8, &value, sizeof value); break;
          default:;
        }
        if (from() % 2 == 0 && other->front()) other->pop();
      }
    } catch (ovlp::network_error const&) {
      ++refused;
    }
    ::munmap(there, sizeof(shared_ring::memory));
  }
  CHECK(refused > 100);
}

TEST_CASE("a ticket that was changed is read or refused, and does no harm") {
  using ovlp::real::ticket;
  ticket good;
  good.node = 3;
  good.nodes = 8;
  good.driver_host = good.host = good.listen = "127.0.0.1";
  good.driver_port = 4711;
  good.secret = "0123456789abcdef0123456789abcdef";
  std::string const text = good.json();
  CHECK(ticket::parse(text).secret == good.secret);
  generator from(seed());
  for (int round = 0; round < 20000; ++round) {
    bytes data(text.size());
    std::memcpy(data.data(), text.data(), text.size());
    mutate(data, from);
    std::string const changed(reinterpret_cast<char const*>(data.data()), data.size());
    try {
      ticket const back = ticket::parse(changed);
      CHECK(back.node < back.nodes);
      CHECK(back.node > 0);
      CHECK(back.nodes <= ovlp::mapping::most_nodes);
    } catch (ovlp::config_error const&) {
    }
  }
  for (auto const& [key, value] : {std::pair{"\"node\":3", "\"node\":8"}, std::pair{"\"node\":3", "\"node\":0"},
                                   std::pair{"\"node\":3", "\"node\":-1"}, std::pair{"\"nodes\":8", "\"nodes\":1e99"},
                                   std::pair{"\"driver_port\":4711", "\"driver_port\":70000"}}) {
    std::string changed = text;
    changed.replace(changed.find(key), std::string_view(key).size(), value);
    CHECK_THROWS_AS(static_cast<void>(ticket::parse(changed)), ovlp::config_error);
  }
  for (char const* wrong : {"", "{", "null", "[]", "7", "\"text\"", "{\"node\":-1}", "\xff\xfe"}) {
    CHECK_THROWS_AS(static_cast<void>(ticket::parse(wrong)), ovlp::config_error);
  }
}
