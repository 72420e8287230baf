// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/flowgraph/layout.hpp>
#include <ovlp/flowgraph/reader.hpp>
#include <ovlp/flowgraph/walk.hpp>
#include <ovlp/flowgraph/writer.hpp>

#include "support/seed.hpp"

using ovlp::buffer;
using ovlp::byte_count;
using ovlp::data_object;
using ovlp::decode_error;

namespace {

/// Objects are the same exactly if their digests are.
template <class T>
bool are_same(T const& x, T const& y) {
  bool const are = ovlp::same(x, y);
  CHECK((ovlp::detail::digest_of(x) == ovlp::detail::digest_of(y)) == are);
  return are;
}

enum class colour : std::uint16_t { red, green };
enum class flag : bool { off, on };

struct Nothing {};
struct Ints {
  int a, b, c;
};
struct Padded {
  int a;
  double b;
};
struct Block {
  int k, row, column;
  buffer<double> values;
};
struct Numbers {
  bool a;
  char b;
  std::int8_t c;
  std::uint64_t d;
  float e;
  double f;
  long double g;
  colour h;
  flag i;
  std::byte j;
  std::complex<double> k;
  std::complex<long double> l;
  std::chrono::nanoseconds m;
  std::chrono::duration<long double> n;
};
struct Containers {
  std::string a;
  std::u16string b;
  std::vector<double> c;
  std::vector<bool> d;
  std::vector<Padded> e;
  std::vector<std::string> f;
  std::deque<int> g;
  std::list<std::vector<bool>> h;
  std::array<std::string, 2> i;
  std::array<bool, 3> j;
  std::vector<Nothing> k;
};
struct Associations {
  std::map<int, std::string> a;
  std::multimap<std::string, int> b;
  std::set<std::string> c;
  std::multiset<int> d;
  std::unordered_map<std::string, std::vector<int>> e;
  std::unordered_multimap<int, std::string> f;
  std::unordered_set<int> g;
  std::unordered_multiset<std::string> h;
};
struct Alternatives {
  std::optional<int> a;
  std::optional<std::vector<std::string>> b;
  std::variant<int, std::string, Padded> c;
  std::unique_ptr<Block> d;
  std::pair<int, std::string> e;
  std::tuple<int, Nothing, std::optional<bool>> f;
};
struct Buffers {
  buffer<double> a;
  std::vector<buffer<std::uint8_t>> b;
  buffer<Padded> c;
  std::optional<buffer<int>> d;
};
struct Everything {
  Nothing nothing;
  Numbers numbers;
  Containers containers;
  Associations associations;
  Alternatives alternatives;
  Buffers buffers;
  std::vector<Block> blocks;
};

using bytes = std::vector<std::byte>;

/// A message as it would travel.
struct message {
  bytes inline_part;
  bytes bulk_part;
};

template <class T>
message encode(T const& object) {
  ovlp::writer writer;
  writer.write(object);
  bytes all;
  for (auto const segment : writer.segments()) {
    REQUIRE(!segment.empty());
    all.insert(all.end(), segment.begin(), segment.end());
  }
  REQUIRE(all.size() == writer.inline_bytes() + writer.bulk_bytes());
  auto const middle = all.begin() + static_cast<std::ptrdiff_t>(writer.inline_bytes());
  return {{all.begin(), middle}, {middle, all.end()}};
}

template <class T>
T decode(message const& from) {
  T object{};
  ovlp::reader reader(from.inline_part, from.bulk_part.size());
  reader.read(object);
  reader.finish();
  std::size_t done = 0;
  for (auto const piece : reader.bulk()) {
    REQUIRE(piece.size() <= from.bulk_part.size() - done);
    std::memcpy(piece.data(), from.bulk_part.data() + done, piece.size());
    done += piece.size();
  }
  REQUIRE(done == from.bulk_part.size());
  return object;
}

/// Writes, counts, reads and compares `object`.
template <class T>
void check_round_trip(T const& object) {
  message const sent = encode(object);
  CHECK(sent.inline_part.size() + sent.bulk_part.size() == byte_count(object));
  T const received = decode<T>(sent);
  CHECK(are_same(object, received));
  CHECK(are_same(object, object));
}

template <class T>
bytes as_bytes(T const& value) {
  bytes result(sizeof value);
  std::memcpy(result.data(), &value, sizeof value);
  return result;
}

template <class T>
void check_refused(bytes const& inline_part, std::size_t bulk_bytes = 0) {
  T object{};
  auto const read_all = [&] {
    ovlp::reader reader(inline_part, bulk_bytes);
    reader.read(object);
    reader.finish();
  };
  CHECK_THROWS_AS(read_all(), decode_error);
}

/// Objects with random contents.
class dice {
 public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine_); }
  bool coin() { return below(2) == 1; }

  std::string text() {
    std::string result(below(20) == 0 ? below(6000) : below(30), ' ');
    for (char& c : result) c = static_cast<char>('a' + below(26));
    return result;
  }
  template <class T>
  buffer<T> elements() {
    buffer<T> result(below(3) == 0 ? 4096 / sizeof(T) + below(300) : below(20));
    for (T& x : result.mutate()) x = make<T>();
    return result;
  }
  /// The walk's own way through a type serves to fill it: see filler.
  template <class T>
  T make();

 private:
  std::mt19937_64 engine_;
};

/// A visitor of the walk that fills an object with random values.
struct filler {
  static constexpr bool fills = true;
  dice& random;

  template <class T, class... None>
  bool scalar(T& x, None const&... /*none*/) {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      x = random.below(6);  // a size
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      x = static_cast<T>(random.below(3));  // an alternative
    } else if constexpr (ovlp::detail::is_bool<T>()) {
      x = static_cast<T>(random.coin());
    } else if constexpr (std::is_integral_v<T>) {
      x = static_cast<T>(random.below(100));
    } else {
      x = T(static_cast<float>(random.below(100)) - 50);
    }
    return true;
  }
  template <class T>
  bool block(std::size_t n, T* first) {
    for (std::size_t i = 0; i < n * sizeof(T); ++i) {
      reinterpret_cast<unsigned char*>(first)[i] = static_cast<unsigned char>(random.below(256));
    }
    return true;
  }
  template <class T>
  bool elements(buffer<T>& x) {
    x = random.elements<T>();
    return true;
  }
  void expect(std::uint64_t, std::size_t) {}
  void require(bool, char const*) {}
};

template <class T>
T dice::make() {
  T object{};
  filler visitor{*this};
  ovlp::detail::walk(visitor, object);
  return object;
}

Everything random_everything(dice& random) {
  Everything x{};
  x.numbers = random.make<Numbers>();
  x.containers = random.make<Containers>();
  x.alternatives = random.make<Alternatives>();
  x.buffers = random.make<Buffers>();
  x.blocks = random.make<std::vector<Block>>();
  x.containers.a = random.text();
  if (random.coin()) x.containers.c.resize(400 + random.below(400), 1.25);
  for (std::size_t n = random.below(5); n > 0; --n) {
    int const i = static_cast<int>(random.below(8));
    x.associations.a[i] = random.text();
    x.associations.b.emplace(random.text(), i);
    x.associations.c.insert(random.text());
    x.associations.d.insert(i);
    x.associations.e[random.text()] = {i, i + 1};
    x.associations.f.emplace(i % 2, random.text());
    x.associations.g.insert(i);
    x.associations.h.insert(std::to_string(i % 2));
  }
  return x;
}

Everything one_of_each() {
  Everything x{};
  x.numbers = {true,
               'x',
               -3,
               1ULL << 63,
               0.5F,
               std::numeric_limits<double>::quiet_NaN(),
               1.25L,
               colour::green,
               flag::on,
               std::byte{7},
               {1, -2},
               {3, -4},
               std::chrono::nanoseconds(5),
               std::chrono::duration<long double>(1.5L)};
  x.containers = {"text",
                  u"wide",
                  {1, 2, 3},
                  {true, false, true},
                  {{1, 2}, {3, 4}},
                  {"", "a", std::string(5000, 'b')},
                  {1, 2, 3},
                  {{true}, {}},
                  {"x", "y"},
                  {true, false, true},
                  std::vector<Nothing>(3)};
  x.associations = {{{1, "one"}, {2, "two"}},   {{"a", 1}, {"a", 2}},           {"x", "y"}, {1, 1, 2},
                    {{"k", {1, 2}}, {"l", {}}}, {{1, "a"}, {1, "b"}, {2, "c"}}, {5, 6, 7},  {"q", "q"}};
  x.alternatives = {3, {{"a", "b"}}, "choice", std::make_unique<Block>(Block{1, 2, 3, buffer<double>(600)}), {1, "p"},
                    {}};
  x.buffers.a = buffer<double>(512);
  x.buffers.b = {buffer<std::uint8_t>(4095), buffer<std::uint8_t>(4096), {}};
  x.buffers.c = buffer<Padded>(2);
  x.blocks.resize(2);
  return x;
}

template <class T>
struct Holds {
  T x;
};
struct Tree {
  std::vector<Tree> children;
};
struct List {
  std::unique_ptr<List> next;
};
class Private {
 public:
  [[nodiscard]] int get() const { return x_; }

 private:
  int x_ = 0;
};
union number {
  int a;
  float b;
};

template <class... T>
constexpr bool all_objects = (data_object<T> && ...);
template <class... T>
constexpr bool no_objects = (!data_object<T> && ...);

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// What is a data object

TEST_CASE("plain aggregates of supported types are data objects") {
  CHECK(all_objects<int, bool, char, long double, colour, std::byte, std::complex<float>, std::chrono::seconds>);
  CHECK(all_objects<Nothing, Ints, Block, Numbers, Containers, Associations, Alternatives, Buffers, Everything>);
  CHECK(all_objects<std::string, std::vector<Block>, std::array<int, 0>, std::tuple<>, std::monostate>);
  CHECK(all_objects<std::variant<std::monostate, Block>, std::unique_ptr<int>, buffer<Padded>, Holds<Holds<int>>>);
}

TEST_CASE("pointers, references, unions, private data and the like are not") {
  CHECK(no_objects<int*, char const*, std::nullptr_t, int Ints::*, void (*)(), int&, int const, void, int[2]>);
  CHECK(no_objects<Holds<int*>, Holds<int&>, Holds<int const>, Holds<int[2]>, Holds<number>, number, Private>);
  CHECK(no_objects<std::mutex, Holds<std::mutex>, std::shared_ptr<int>, std::string_view, std::span<int>, std::thread>);
  CHECK(no_objects<std::vector<int*>, std::optional<Private>, std::map<int, char const*>, std::tuple<int&>,
                   std::unique_ptr<int[]>, std::unique_ptr<int const>, std::variant<int, int*>>);
  CHECK(no_objects<buffer<bool>, buffer<int*>, buffer<std::optional<int>>, buffer<Holds<bool>>>);
}

TEST_CASE("a type that contains itself is not a data object") { CHECK(no_objects<Tree, List, Holds<Tree>>); }

TEST_CASE("the broken rule is told with the type that breaks it") {
  using ovlp::detail::fault;
  using ovlp::detail::rule;
  using found = decltype(ovlp::detail::inspect<Holds<std::vector<Holds<int*>>>>());
  CHECK(std::is_same_v<found, fault<rule::pointer, int*>>);
  CHECK(std::is_same_v<decltype(ovlp::detail::inspect<Holds<number>>()), fault<rule::union_type, number>>);
  CHECK(std::is_same_v<decltype(ovlp::detail::inspect<Holds<Private>>()), fault<rule::not_aggregate, Private>>);
  CHECK(std::is_same_v<decltype(ovlp::detail::inspect<Tree>()), fault<rule::recursive, Tree>>);
  CHECK(std::is_same_v<decltype(ovlp::detail::inspect<buffer<bool>>()), fault<rule::element, buffer<bool>>>);
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing and reading

TEST_CASE("what is written is what is read") {
  check_round_trip(42);
  check_round_trip(true);
  check_round_trip(flag::on);
  check_round_trip(Nothing{});
  check_round_trip(Ints{1, 2, 3});
  check_round_trip(std::string("text"));
  check_round_trip(std::string(10'000, 'x'));
  check_round_trip(std::vector<bool>{true, false, true});
  check_round_trip(std::vector<Nothing>(1000));
  check_round_trip(std::unordered_map<int, std::string>{{1, "a"}, {2, "b"}});
  check_round_trip(std::make_unique<std::vector<int>>(5, 1));
  check_round_trip(std::unique_ptr<int>{});
  check_round_trip(std::variant<std::monostate, int>{});
  check_round_trip(Everything{});
  check_round_trip(one_of_each());
}

TEST_CASE("random objects come through unchanged") {
  dice random(ovlp::testing::new_seed());
  for (int i = 0; i < 300; ++i) {
    check_round_trip(random_everything(random));
    check_round_trip(random.make<std::vector<Block>>());
    check_round_trip(random.make<Alternatives>());
    check_round_trip(random.make<std::vector<std::variant<int, std::string, std::optional<Ints>>>>());
  }
}

TEST_CASE("reading replaces what the object was before") {
  message const empty = encode(Everything{});
  Everything x = one_of_each();
  ovlp::reader reader(empty.inline_part);
  reader.read(x);
  reader.finish();
  CHECK(are_same(x, Everything{}));
}

TEST_CASE("the bytes of an object are those of its parts, with 8 for a size and 1 for a flag") {
  CHECK(byte_count(Nothing{}) == 0);
  CHECK(byte_count(1) == 4);
  CHECK(byte_count(Ints{1, 2, 3}) == 12);
  CHECK(byte_count(Padded{1, 2}) == 12);
  CHECK(byte_count(std::string("abc")) == 8 + 3);
  CHECK(byte_count(std::vector<Padded>(10)) == 8 + 10 * 12);
  CHECK(byte_count(buffer<Padded>(10)) == 8 + 10 * sizeof(Padded));
  CHECK(byte_count(std::vector<Nothing>(10)) == 8 + 10);
  CHECK(byte_count(std::array<Nothing, 10>{}) == 0);
  CHECK(byte_count(std::vector<std::array<Nothing, 10>>(2)) == 8 + 2);
  CHECK(byte_count(std::optional<int>{}) == 1);
  CHECK(byte_count(std::optional<int>{1}) == 5);
  CHECK(byte_count(std::variant<int, double>{1.0}) == 4 + 8);
  CHECK(byte_count(Block{1, 2, 3, buffer<double>(1000)}) == 12 + 8 + 8000);
}

TEST_CASE("counting does not touch the elements of a buffer") {
  Block const block{1, 2, 3, buffer<double>(1'000'000'000)};
  CHECK(byte_count(block) == 8'000'000'020);
  CHECK_FALSE(block.values.allocated());
}

TEST_CASE("a small object is one segment") {
  ovlp::writer writer;
  CHECK(writer.segments().empty());
  writer.write(Ints{1, 2, 3});
  REQUIRE(writer.segments().size() == 1);
  CHECK(writer.segments()[0].size() == 12);
  CHECK(writer.inline_bytes() == 12);
  CHECK(writer.bulk_bytes() == 0);
}

TEST_CASE("a writer takes several objects, and is as new when cleared") {
  ovlp::writer writer;
  Block const block{1, 2, 3, buffer<double>(1000)};
  std::string const text(5000, 'x');
  for (int round = 0; round < 3; ++round) {
    writer.write(block);
    writer.write(text);
    writer.write(std::vector<std::string>(50, "more than fits"));
    CHECK(writer.inline_bytes() == 20 + 5008 + 8 + 50 * 22);
    CHECK(writer.bulk_bytes() == 8000);
    bytes inline_part;
    for (auto const segment : writer.segments()) {
      if (segment.data() != static_cast<void const*>(block.values.data())) {
        inline_part.insert(inline_part.end(), segment.begin(), segment.end());
      }
    }
    Block first{};
    std::string second;
    std::vector<std::string> third;
    ovlp::reader reader(inline_part, writer.bulk_bytes());
    reader.read(first);
    reader.read(second);
    reader.read(third);
    reader.finish();
    CHECK(reader.bulk().size() == 1);
    CHECK(second == text);
    CHECK(third[49] == "more than fits");
    writer.clear();
    CHECK(writer.inline_bytes() == 0);
    CHECK(writer.segments().empty());
  }
}

TEST_CASE("long runs of numbers are referred to in place, short ones are copied") {
  struct Runs {
    std::vector<char> below;
    std::vector<char> at;
    std::string text;
    int last;
  };
  Runs const runs{std::vector<char>(1023), std::vector<char>(1024), std::string(9000, 'x'), 1};
  ovlp::writer writer;
  writer.write(runs);
  auto const segments = writer.segments();
  REQUIRE(segments.size() == 5);
  CHECK(segments[0].size() == 8 + 1023 + 8);
  CHECK(segments[1].data() == static_cast<void const*>(runs.at.data()));
  CHECK(segments[2].size() == 8);
  CHECK(segments[3].data() == static_cast<void const*>(runs.text.data()));
  CHECK(segments[4].size() == 4);
  CHECK(writer.bulk_bytes() == 0);
  check_round_trip(runs);
}

TEST_CASE("large buffers are the bulk part, in place and after all else; small ones are inline") {
  std::vector<Block> const blocks{
      {1, 1, 1, buffer<double>(127)}, {2, 2, 2, buffer<double>(128)}, {3, 3, 3, buffer<double>(129)}, {4, 4, 4, {}}};
  ovlp::writer writer;
  writer.write(blocks);
  CHECK(writer.inline_bytes() == 8 + 4 * 20 + 127 * 8);
  CHECK(writer.bulk_bytes() == (128 + 129) * 8);
  auto const segments = writer.segments();
  REQUIRE(segments.size() == 3);
  CHECK(segments[1].data() == static_cast<void const*>(blocks[1].values.data()));
  CHECK(segments[2].data() == static_cast<void const*>(blocks[2].values.data()));
}

TEST_CASE("a reader reads a large buffer straight into its elements") {
  Block const sent{1, 2, 3, buffer<double>(1000)};
  message const in_flight = encode(sent);
  Block received{};
  ovlp::reader reader(in_flight.inline_part, in_flight.bulk_part.size());
  reader.read(received);
  reader.finish();
  REQUIRE(reader.bulk().size() == 1);
  CHECK(received.values.allocated());
  CHECK(reader.bulk()[0].data() == static_cast<void const*>(received.values.data()));
  CHECK(reader.bulk()[0].size() == 8000);
}

// ---------------------------------------------------------------------------------------------------------------------
// Bytes from outside

TEST_CASE("a message that ends too early is refused, wherever it ends") {
  message const whole = encode(one_of_each());
  for (std::size_t size = 0; size < whole.inline_part.size(); size += size < 2000 ? 1 : 97) {
    check_refused<Everything>(
        {whole.inline_part.begin(), whole.inline_part.begin() + static_cast<std::ptrdiff_t>(size)},
        whole.bulk_part.size());
  }
}

TEST_CASE("bytes that are left over are refused") {
  check_refused<int>(bytes(5));
  check_refused<Nothing>(bytes(1));
  check_refused<int>(bytes(4), 1);
}

TEST_CASE("a size larger than what is left is refused before any memory is taken") {
  for (std::uint64_t const size :
       {std::uint64_t{9}, std::uint64_t{1} << 60, ~std::uint64_t{0}, std::uint64_t{1} << 61}) {
    bytes claim = as_bytes(size);
    claim.resize(16);
    check_refused<std::string>(claim);
    check_refused<std::vector<double>>(claim);
    check_refused<std::vector<bool>>(claim);
    check_refused<std::vector<std::string>>(claim);
    check_refused<std::list<Nothing>>(claim);
    check_refused<std::vector<std::tuple<>>>(claim);
    check_refused<std::list<std::array<std::string, 0>>>(claim);
    check_refused<std::map<int, std::string>>(claim);
    check_refused<std::unordered_multiset<int>>(claim);
    check_refused<std::vector<std::optional<std::array<double, 1000>>>>(claim);
    check_refused<buffer<char>>(claim);
    check_refused<buffer<double>>(claim, 4095);
    check_refused<std::vector<buffer<double>>>(claim, 1'000'000);
  }
}

TEST_CASE("buffers larger or smaller than the bulk part are refused") {
  message const sent = encode(buffer<double>(1000));
  check_refused<buffer<double>>(sent.inline_part, 7999);
  check_refused<buffer<double>>(sent.inline_part, 8001);
  check_refused<buffer<double>>(sent.inline_part, 0);
}

TEST_CASE("a bool other than 0 and 1 is refused") {
  bytes const two{std::byte{2}};
  check_refused<bool>(two);
  check_refused<flag>(two);
  check_refused<std::optional<Nothing>>(two);
  check_refused<std::unique_ptr<Nothing>>(two);
  check_refused<std::array<bool, 1>>(two);
  bytes bits = as_bytes(std::uint64_t{1});
  bits.push_back(std::byte{255});
  check_refused<std::vector<bool>>(bits);
}

TEST_CASE("an alternative that a variant has not is refused") {
  check_refused<std::variant<Nothing, std::monostate>>(as_bytes(std::uint32_t{2}));
  check_refused<std::variant<Nothing, std::monostate>>(as_bytes(~std::uint32_t{0}));
}

TEST_CASE("a key that occurs twice in a map or set is refused") {
  message const twice = encode(std::vector<int>{1, 1});
  check_refused<std::set<int>>(twice.inline_part);
  check_refused<std::unordered_set<int>>(twice.inline_part);
  CHECK(decode<std::multiset<int>>(twice).size() == 2);
}

TEST_CASE("a refusal tells the place") {
  try {
    decode<std::pair<int, bool>>({{std::byte{1}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{9}}, {}});
    FAIL("not refused");
  } catch (decode_error const& refused) {
    CHECK(std::string(refused.what()) == "data object, byte 5 of 5: a bool is neither 0 nor 1");
  }
}

TEST_CASE("mangled messages are refused or make an object that writes the same number of bytes") {
  dice random(ovlp::testing::new_seed());
  std::size_t refused = 0;
  std::size_t read = 0;
  auto const attack = [&]<class T>(T const& object) {
    message const whole = encode(object);
    for (int i = 0; i < 60; ++i) {
      message mangled = whole;
      bytes& part = mangled.inline_part;
      for (std::size_t n = random.below(4); n > 0 && !part.empty(); --n) {
        std::size_t const at = random.below(part.size());
        switch (random.below(4)) {
          case 0: part[at] = static_cast<std::byte>(random.below(256)); break;
          case 1: part[at] ^= static_cast<std::byte>(1U << random.below(8)); break;
          case 2: part[at] = std::byte{0xff}; break;
          default: part.erase(part.begin() + static_cast<std::ptrdiff_t>(at)); break;
        }
      }
      if (random.below(4) == 0) part.resize(random.below(part.size() + 1));
      if (random.below(8) == 0) mangled.bulk_part.resize(random.below(mangled.bulk_part.size() + 9000));
      try {
        T const received = decode<T>(mangled);
        ++read;
        CHECK(byte_count(received) == mangled.inline_part.size() + mangled.bulk_part.size());
      } catch (decode_error const&) {
        ++refused;
      }
    }
  };
  for (int i = 0; i < 60; ++i) {
    attack(random_everything(random));
    attack(random.make<std::vector<Block>>());
    attack(random.make<Alternatives>());
    attack(random.make<std::map<int, std::vector<bool>>>());
    attack(random.make<std::list<std::tuple<Nothing, std::optional<Nothing>, std::string>>>());
    attack(random.make<std::vector<std::vector<std::vector<Nothing>>>>());
  }
  CHECK(refused > 0);
  CHECK(read > 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// Comparison

TEST_CASE("objects are the same when all their parts are, to the bit") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(are_same(nan, nan));
  CHECK_FALSE(are_same(0.0, -0.0));
  CHECK(are_same(1.25L, 1.25L));
  CHECK_FALSE(are_same(1.25L, 1.5L));
  CHECK_FALSE(are_same(std::complex<long double>(1, 2), std::complex<long double>(1, 3)));
  CHECK_FALSE(are_same(std::chrono::duration<long double>(1), std::chrono::duration<long double>(2)));
  CHECK_FALSE(are_same(std::vector<int>{1, 2}, std::vector<int>{1, 2, 3}));
  CHECK_FALSE(are_same(std::vector<int>{1, 2}, std::vector<int>{1, 3}));
  CHECK_FALSE(are_same(std::list<std::string>{"a"}, std::list<std::string>{"b"}));
  CHECK_FALSE(are_same(std::optional<int>{}, std::optional<int>{0}));
  CHECK_FALSE(are_same(std::vector<bool>{true}, std::vector<bool>{false}));
  CHECK_FALSE(are_same(std::variant<int, double>{1}, std::variant<int, double>{1.0}));
  CHECK_FALSE(are_same(std::map<int, int>{{1, 2}}, std::map<int, int>{{1, 3}}));
}

TEST_CASE("bytes between the members of a struct do not count") {
  Padded x;
  Padded y;
  std::memset(static_cast<void*>(&x), 0x00, sizeof x);
  std::memset(static_cast<void*>(&y), 0xff, sizeof y);
  x.a = y.a = 1;
  x.b = y.b = 2;
  CHECK(are_same(x, y));
  buffer<Padded> a(1);
  buffer<Padded> b(1);
  std::memcpy(static_cast<void*>(a.mutate().data()), &x, sizeof x);
  std::memcpy(static_cast<void*>(b.mutate().data()), &y, sizeof y);
  CHECK(are_same(a, b));
}

TEST_CASE("pointers and buffers are the same when what they hold is") {
  CHECK(are_same(std::make_unique<int>(1), std::make_unique<int>(1)));
  CHECK_FALSE(are_same(std::make_unique<int>(1), std::make_unique<int>(2)));
  CHECK_FALSE(are_same(std::make_unique<int>(1), std::unique_ptr<int>{}));
  buffer<int> const a(10);
  buffer<int> b(10);
  CHECK(are_same(a, b));
  b.mutate()[9] = 1;
  CHECK_FALSE(are_same(a, b));
  CHECK_FALSE(are_same(a, buffer<int>(11)));
}

TEST_CASE("unordered containers are the same in whatever order they are") {
  std::unordered_map<int, std::string> forwards;
  std::unordered_map<int, std::string> backwards(1000);
  std::unordered_multimap<int, int> many;
  std::unordered_multimap<int, int> many_backwards(500);
  for (int i = 0; i < 100; ++i) {
    forwards[i] = std::to_string(i);
    backwards[99 - i] = std::to_string(99 - i);
    many.emplace(i % 10, i);
    many_backwards.emplace((99 - i) % 10, 99 - i);
  }
  CHECK(are_same(forwards, backwards));
  CHECK(are_same(many, many_backwards));
  backwards[5] = "other";
  many_backwards.erase(many_backwards.find(3));
  many_backwards.emplace(4, 3);
  CHECK_FALSE(are_same(forwards, backwards));
  CHECK_FALSE(are_same(many, many_backwards));
  CHECK_FALSE(are_same(std::unordered_set<int>{1, 2}, std::unordered_set<int>{1, 3}));
  double const nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(ovlp::same(std::unordered_set<double>{nan}, std::unordered_set<double>{nan}));
}

TEST_CASE("a variant that lost its value is an error") {
  std::variant<std::string, std::deque<int>> lost;
  struct Throws {
    operator std::deque<int>() const { throw 1; }
  };
  CHECK_THROWS_AS(lost.emplace<1>(Throws{}), int);
  REQUIRE(lost.valueless_by_exception());
  CHECK_THROWS_AS(byte_count(lost), std::bad_variant_access);
}

// ---------------------------------------------------------------------------------------------------------------------
// Layouts

TEST_CASE("a layout names kinds and sizes") {
  CHECK(ovlp::layout<int>() == "i4");
  CHECK(ovlp::layout<Ints>() == "{i4,i4,i4}");
  CHECK(ovlp::layout<Nothing>() == "{}");
  CHECK(ovlp::layout<Block>() == "{i4,i4,i4,#f8}");
  CHECK(ovlp::layout<Numbers>() == "{b,c,i1,u8,f4,f8,f16,eu2,eb,eu1,z16,z32,t1/1000000000i8,t1/1f16}");
  CHECK(ovlp::layout<Containers>() == "{s,[u2],[f8],[b],[{i4,f8}],[s],[i4],[[b]],2*s,3*b,[{}]}");
  CHECK(ovlp::layout<Associations>() == "{<i4:s>,<s:i4>,<s>,<i4>,<s:[i4]>,<i4:s>,<i4>,<s>}");
  CHECK(ovlp::layout<Alternatives>() == "{?i4,?[s],(i4|s|{i4,f8}),?{i4,i4,i4,#f8},{i4,s},{i4,{},?b}}");
  CHECK(ovlp::layout<Buffers>() == "{#f8,[#u1],#16:{i4,f8},?#i4}");
}
