// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <complex>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <ovlp/flowgraph/buffer.hpp>
#include <ovlp/flowgraph/fields.hpp>

namespace {

struct Nothing {};
struct Three {
  int a;
  double b;
  std::string c;
};
struct Nested {
  Three three;
  Nothing nothing;
  std::array<int, 3> numbers;
  std::array<Three, 2> threes;
};
struct WithDefaults {
  int a = 1;
  int b = 2;
};
struct MoveOnly {
  std::unique_ptr<int> a;
  int b;
};
struct Thirty2 {
  int a1, a2, a3, a4, a5, a6, a7, a8, b1, b2, b3, b4, b5, b6, b7, b8;
  std::string c1, c2, c3, c4, c5, c6, c7, c8;
  double d1, d2, d3, d4, d5, d6, d7, d8;
};
struct Thirty3 {
  Thirty2 x;
  int a1, a2, a3, a4, a5, a6, a7, a8, b1, b2, b3, b4, b5, b6, b7, b8;
  int c1, c2, c3, c4, c5, c6, c7, c8, d1, d2, d3, d4, d5, d6, d7, d8;
};

struct Base {
  int a;
};
struct EmptyBase {};
struct Derived : Base {
  int b;
};
struct DerivedOfEmpty : EmptyBase {
  int b;
};
struct CArray {
  int a;
  int b[3];
  int c;
};
struct CArrayOfStructs {
  Three a[2];
};
struct ConstMember {
  int a;
  int const b;
};
struct Reference {
  int& a;
};
struct ConstReference {
  int a;
  int const& b;
};
struct Private {
  explicit Private(int x) : a_(x) {}
  [[nodiscard]] int get() const { return a_; }

 private:
  int a_;
};
union number {
  int a;
  float b;
};

template <class Member>
struct One {
  Member m;
};
template <class Member>
struct Between {
  int a;
  Member m;
  Member n;
  int z;
};

template <class Aggregate>
constexpr std::size_t count = std::tuple_size_v<decltype(ovlp::fields(std::declval<Aggregate&>()))>;

template <class... Member>
constexpr bool counted_right = ((count<One<Member>> == 1 && count<Between<Member>> == 4) && ...);

using ovlp::detail::aggregate_fault;
using ovlp::detail::rule;

}  // namespace

TEST_CASE("fields are references to the members, in order") {
  Three object{1, 2.5, "three"};
  auto [a, b, c] = ovlp::fields(object);
  static_assert(std::is_same_v<decltype(ovlp::fields(object)), std::tuple<int&, double&, std::string&>>);
  CHECK(&a == &object.a);
  CHECK(&b == &object.b);
  CHECK(&c == &object.c);
  a = 7;
  c += "!";
  CHECK(object.a == 7);
  CHECK(object.c == "three!");
}

TEST_CASE("fields of a const object are const") {
  Three const object{1, 2.5, "three"};
  static_assert(
      std::is_same_v<decltype(ovlp::fields(object)), std::tuple<int const&, double const&, std::string const&>>);
  CHECK(std::get<2>(ovlp::fields(object)) == "three");
}

TEST_CASE("an empty aggregate has no fields") {
  Nothing object;
  CHECK(std::tuple_size_v<decltype(ovlp::fields(object))> == 0);
}

TEST_CASE("an aggregate, an empty one and an array within an aggregate are one field each") {
  Nested object{};
  CHECK(count<Nested> == 4);
  std::get<2>(ovlp::fields(object))[1] = 5;
  CHECK(object.numbers[1] == 5);
}

TEST_CASE("default values and move-only members do not change the count") {
  CHECK(count<WithDefaults> == 2);
  CHECK(count<MoveOnly> == 2);
}

TEST_CASE("up to 32 members are found, each at its place") {
  Thirty2 object{};
  CHECK(count<Thirty2> == 32);
  object.d8 = 32;
  object.c1 = "17";
  CHECK(std::get<31>(ovlp::fields(object)) == 32);
  CHECK(std::get<16>(ovlp::fields(object)) == "17");
}

TEST_CASE("members of any type are counted as one") {
  static_assert(counted_right<bool, char, long double, std::byte, int*, rule, Nothing, Three, Nested, One<Nothing>>);
  static_assert(counted_right<std::string, std::vector<int>, std::vector<bool>, std::vector<Three>, std::deque<int>,
                              std::list<std::string>, std::vector<std::vector<int>>>);
  static_assert(counted_right<std::array<int, 0>, std::array<int, 1>, std::array<int, 3>, std::array<Three, 2>>);
  static_assert(counted_right<std::tuple<>, std::tuple<int>, std::tuple<std::tuple<int>>, std::tuple<int, double>,
                              std::pair<int, std::string>, std::map<int, std::string>, std::set<int>,
                              std::unordered_map<std::string, int>>);
  static_assert(counted_right<std::optional<int>, std::optional<Three>, std::optional<std::optional<int>>,
                              std::variant<int>, std::variant<int, double>, std::variant<std::monostate, std::string>>);
  static_assert(counted_right<std::unique_ptr<int>, std::unique_ptr<Three>, std::complex<float>, std::complex<double>,
                              std::chrono::nanoseconds, std::chrono::duration<double>, ovlp::buffer<double>>);
}

TEST_CASE("fields are known to the compiler") {
  constexpr int sum = [] {
    WithDefaults object;
    std::get<0>(ovlp::fields(object)) = 40;
    return object.a + object.b;
  }();
  static_assert(sum == 42);
}

TEST_CASE("what can not be taken apart is refused by the rule that it breaks") {
  static_assert(aggregate_fault<Three>() == rule::none);
  static_assert(aggregate_fault<Derived>() == rule::base);
  static_assert(aggregate_fault<DerivedOfEmpty>() == rule::base);
  static_assert(aggregate_fault<CArray>() == rule::c_array);
  static_assert(aggregate_fault<CArrayOfStructs>() == rule::c_array);
  static_assert(aggregate_fault<ConstMember>() == rule::not_assignable);
  static_assert(aggregate_fault<Reference>() == rule::not_assignable);
  static_assert(aggregate_fault<ConstReference>() == rule::not_assignable);
  static_assert(aggregate_fault<One<std::mutex>>() == rule::not_assignable);
  static_assert(aggregate_fault<Thirty3>() == rule::too_many);
  static_assert(aggregate_fault<Private>() == rule::not_aggregate);
  static_assert(aggregate_fault<number>() == rule::not_aggregate);
  static_assert(aggregate_fault<std::array<int, 2>>() == rule::not_aggregate);
  static_assert(aggregate_fault<int>() == rule::not_aggregate);
  static_assert(aggregate_fault<int*>() == rule::not_aggregate);
}
