// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/collectives.hpp>

#include <algorithm>
#include <bit>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::mpi {
namespace {

/// The records of a rank, while they are made. Places count from the root, where there is one: the root is 0.
class script {
 public:
  explicit script(collective_part const& of) : of_(of) {
    if (!has_root(of.what.what)) return;
    auto const root = std::ranges::find(of.members, of.what.root);
    root_ = static_cast<std::size_t>(root - of.members.begin());
  }

  std::size_t size() const { return of_.members.size(); }
  std::size_t place() const { return (of_.place + size() - root_) % size(); }
  bool is_root() const { return place() == 0; }
  /// What the operation moves as a whole, where all ranks have it.
  std::uint64_t all() const { return std::max(of_.what.bytes_sent, of_.what.bytes_received); }
  /// Bytes that belong to a place.
  std::uint64_t block(std::size_t of_place) const {
    if (!of_.counts.empty()) return of_.counts[absolute(of_place)];
    switch (of_.what.what) {
      case operation::gather:
      case operation::all_gather: return of_.what.bytes_sent;
      case operation::scatter: return is_root() ? share(of_.what.bytes_sent, of_place) : of_.what.bytes_received;
      case operation::reduce_scatter: return of_.what.bytes_received;
      case operation::all_to_all: return share(of_.what.bytes_sent, of_place);
      default: return share(all(), of_place);
    }
  }
  /// Of an all-to-all, from any place.
  std::uint64_t block_received() const {
    return of_.counts.empty() ? share(of_.what.bytes_received, 0) : of_.what.bytes_received;
  }
  /// Of `count` places from this one on.
  std::uint64_t blocks(std::size_t first, std::size_t count) const {
    if (of_.counts.empty()) return block(first) * count;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += block((first + i) % size());
    return sum;
  }

  void send_to(std::size_t to, std::uint64_t bytes) { add<send>(to, bytes, none); }
  void receive_from(std::size_t from, std::uint64_t bytes) { add<receive>(from, bytes, none); }
  void begin_send(std::size_t to, std::uint64_t bytes) { add<send>(to, bytes, requests_++); }
  void begin_receive(std::size_t from, std::uint64_t bytes) { add<receive>(from, bytes, requests_++); }
  /// For all that has begun.
  void wait_for_all() {
    for (; waited_ < requests_; ++waited_) records_.push_back(wait{waited_});
  }
  void exchange(std::size_t to, std::uint64_t out, std::size_t from, std::uint64_t in) {
    begin_receive(from, in);
    begin_send(to, out);
    wait_for_all();
  }

  std::vector<record> take() { return std::move(records_); }

 private:
  std::uint64_t share(std::uint64_t of_bytes, std::size_t of_place) const {
    return of_bytes / size() + (of_place < of_bytes % size() ? 1 : 0);
  }
  std::size_t absolute(std::size_t of_place) const { return (of_place + root_) % size(); }
  template <class Call>
  void add(std::size_t partner, std::uint64_t bytes, index request) {
    records_.push_back(Call{of_.members[absolute(partner)], of_.tag, bytes, of_.what.communicator, request});
  }

  collective_part const& of_;
  std::size_t root_ = 0;
  index requests_ = 0, waited_ = 0;
  std::vector<record> records_;
};

// Trees: a place's parent is the place without its lowest bit; it stands for the places from itself on, as many as that
// bit says.

std::size_t lowest_bit(script const& s) { return s.is_root() ? std::bit_ceil(s.size()) : s.place() & (~s.place() + 1); }
/// Of the subtree of a place with this lowest bit.
std::size_t subtree(script const& s, std::size_t place, std::size_t bit) { return std::min(bit, s.size() - place); }

// Bytes of what a place hands on, that stands for so many from itself on.
using bytes_of_part = std::uint64_t(script const& s, std::size_t place, std::size_t places);
std::uint64_t no_bytes(script const&, std::size_t, std::size_t) { return 0; }
std::uint64_t all_bytes(script const& s, std::size_t, std::size_t) { return s.all(); }
std::uint64_t own_blocks(script const& s, std::size_t place, std::size_t places) { return s.blocks(place, places); }
std::uint64_t all_blocks(script const& s, std::size_t, std::size_t) { return s.blocks(0, s.size()); }

/// From the leaves to the root.
template <bytes_of_part Bytes>
void tree_up(script& s) {
  std::size_t const own_bit = lowest_bit(s);
  for (std::size_t bit = 1; bit < own_bit && s.place() + bit < s.size(); bit *= 2)
    s.receive_from(s.place() + bit, Bytes(s, s.place() + bit, subtree(s, s.place() + bit, bit)));
  if (!s.is_root()) s.send_to(s.place() - own_bit, Bytes(s, s.place(), subtree(s, s.place(), own_bit)));
}
/// From the root to the leaves: the farthest first.
template <bytes_of_part Bytes>
void tree_down(script& s) {
  std::size_t const own_bit = lowest_bit(s);
  if (!s.is_root()) s.receive_from(s.place() - own_bit, Bytes(s, s.place(), subtree(s, s.place(), own_bit)));
  for (std::size_t bit = own_bit / 2; bit > 0; bit /= 2) {
    if (s.place() + bit < s.size())
      s.begin_send(s.place() + bit, Bytes(s, s.place() + bit, subtree(s, s.place() + bit, bit)));
  }
  s.wait_for_all();
}

/// All others send to the root.
template <bytes_of_part Bytes>
void star_in(script& s) {
  if (!s.is_root()) return s.send_to(0, Bytes(s, s.place(), 1));
  for (std::size_t p = 1; p < s.size(); ++p) s.begin_receive(p, Bytes(s, p, 1));
  s.wait_for_all();
}
template <bytes_of_part Bytes>
void star_out(script& s) {
  if (!s.is_root()) return s.receive_from(0, Bytes(s, s.place(), 1));
  for (std::size_t p = 1; p < s.size(); ++p) s.begin_send(p, Bytes(s, p, 1));
  s.wait_for_all();
}

/// Blocks go round: in step i a place hands on that of the i-th place before it, beginning with that of `First` before.
template <std::size_t First>
void ring(script& s) {
  std::size_t const n = s.size(), p = s.place();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    std::size_t const out = (p + 2 * n - First - i) % n;
    s.exchange((p + 1) % n, s.block(out), (p + n - 1) % n, s.block((out + n - 1) % n));
  }
}

/// From place to place.
void chain(script& s) {
  if (s.place() > 0) s.receive_from(s.place() - 1, s.all());
  if (s.place() + 1 < s.size()) s.send_to(s.place() + 1, s.all());
}

/// One after the other.
template <void (*... Steps)(script&)>
std::vector<record> scripted(collective_part const& of) {
  script s(of);
  if (s.size() > 1) (Steps(s), ...);
  return s.take();
}

void barrier_dissemination(script& s) {
  std::size_t const n = s.size(), p = s.place();
  for (std::size_t far = 1; far < n; far *= 2) s.exchange((p + far) % n, 0, (p + n - far) % n, 0);
}

/// In step i a place gets what the place 2^i after it has: after that it has twice as many blocks.
void all_gather_bruck(script& s) {
  std::size_t const n = s.size(), p = s.place();
  for (std::size_t far = 1; far < n; far *= 2) {
    std::size_t const count = std::min(far, n - far);
    s.exchange((p + n - far) % n, s.blocks(p, count), (p + far) % n, s.blocks((p + far) % n, count));
  }
}
void all_gather_linear(script& s) {
  for (std::size_t i = 1; i < s.size(); ++i) {
    std::size_t const other = (s.place() + i) % s.size();
    s.begin_receive(other, s.block(other));
    s.begin_send(other, s.block(s.place()));
  }
  s.wait_for_all();
}

/// In step i with the places that are i before and after.
void all_to_all_pairwise(script& s) {
  std::size_t const n = s.size(), p = s.place();
  for (std::size_t i = 1; i < n; ++i)
    s.exchange((p + i) % n, s.block((p + i) % n), (p + n - i) % n, s.block_received());
}
void all_to_all_linear(script& s) {
  std::size_t const n = s.size(), p = s.place();
  for (std::size_t i = 1; i < n; ++i) {
    s.begin_receive((p + n - i) % n, s.block_received());
    s.begin_send((p + i) % n, s.block((p + i) % n));
  }
  s.wait_for_all();
}

/// With the place whose number differs in one bit, bit by bit. So that a power of two take part, of the first places
/// every second one gives what it has to the one after it first, and gets the result last.
void all_reduce_recursive_doubling(script& s) {
  std::size_t const n = s.size(), p = s.place();
  std::size_t const part = std::bit_floor(n), left_out = n - part;
  bool const in_a_pair = p < 2 * left_out, gives = in_a_pair && p % 2 == 0;
  if (gives) s.send_to(p + 1, s.all());
  else if (in_a_pair) s.receive_from(p - 1, s.all());
  if (!gives) {
    std::size_t const number = in_a_pair ? p / 2 : p - left_out;
    for (std::size_t bit = 1; bit < part; bit *= 2) {
      std::size_t const other = number ^ bit;
      std::size_t const other_place = other < left_out ? 2 * other + 1 : other + left_out;
      s.exchange(other_place, s.all(), other_place, s.all());
    }
  }
  if (gives) s.receive_from(p + 1, s.all());
  else if (in_a_pair) s.send_to(p - 1, s.all());
}

void scan_recursive_doubling(script& s) {
  for (std::size_t far = 1; far < s.size(); far *= 2) {
    if (s.place() >= far) s.begin_receive(s.place() - far, s.all());
    if (s.place() + far < s.size()) s.begin_send(s.place() + far, s.all());
    s.wait_for_all();
  }
}

using enum operation;
/// Of an all-reduce by a ring each block goes round and is combined, then goes round as it is.
constexpr std::array algorithms{
    collective_algorithm{barrier, "dissemination", scripted<barrier_dissemination>},
    collective_algorithm{barrier, "binomial", scripted<tree_up<no_bytes>, tree_down<no_bytes>>},
    collective_algorithm{barrier, "linear", scripted<star_in<no_bytes>, star_out<no_bytes>>},
    collective_algorithm{broadcast, "binomial", scripted<tree_down<all_bytes>>},
    collective_algorithm{broadcast, "linear", scripted<star_out<all_bytes>>},
    collective_algorithm{broadcast, "ring", scripted<chain>},
    collective_algorithm{gather, "linear", scripted<star_in<own_blocks>>},
    collective_algorithm{gather, "binomial", scripted<tree_up<own_blocks>>},
    collective_algorithm{scatter, "linear", scripted<star_out<own_blocks>>},
    collective_algorithm{scatter, "binomial", scripted<tree_down<own_blocks>>},
    collective_algorithm{all_gather, "ring", scripted<ring<0>>},
    collective_algorithm{all_gather, "bruck", scripted<all_gather_bruck>},
    collective_algorithm{all_gather, "binomial", scripted<tree_up<own_blocks>, tree_down<all_blocks>>},
    collective_algorithm{all_gather, "linear", scripted<all_gather_linear>},
    collective_algorithm{all_to_all, "pairwise", scripted<all_to_all_pairwise>},
    collective_algorithm{all_to_all, "linear", scripted<all_to_all_linear>},
    collective_algorithm{reduce, "binomial", scripted<tree_up<all_bytes>>},
    collective_algorithm{reduce, "linear", scripted<star_in<all_bytes>>},
    collective_algorithm{all_reduce, "recursive-doubling", scripted<all_reduce_recursive_doubling>},
    collective_algorithm{all_reduce, "ring", scripted<ring<1>, ring<0>>},
    collective_algorithm{all_reduce, "binomial", scripted<tree_up<all_bytes>, tree_down<all_bytes>>},
    collective_algorithm{all_reduce, "linear", scripted<star_in<all_bytes>, star_out<all_bytes>>},
    collective_algorithm{reduce_scatter, "ring", scripted<ring<1>>},
    collective_algorithm{reduce_scatter, "binomial", scripted<tree_up<all_bytes>, tree_down<own_blocks>>},
    collective_algorithm{reduce_scatter, "linear", scripted<star_in<all_bytes>, star_out<own_blocks>>},
    collective_algorithm{scan, "recursive-doubling", scripted<scan_recursive_doubling>},
    collective_algorithm{scan, "linear", scripted<chain>},
    collective_algorithm{exclusive_scan, "recursive-doubling", scripted<scan_recursive_doubling>},
    collective_algorithm{exclusive_scan, "linear", scripted<chain>},
};

std::string names_of_algorithms(auto const& wanted) {
  std::vector<std::string> names;
  for (collective_algorithm const& a : algorithms) {
    if (wanted(a) && std::ranges::find(names, a.name) == names.end()) names.emplace_back(a.name);
  }
  return base::joined(names);
}

}  // namespace

std::span<collective_algorithm const> collective_algorithms() { return algorithms; }

collective_choice::collective_choice(std::string const& text) {
  for (collective_algorithm const& a : algorithms) {
    auto& chosen = chosen_[static_cast<std::size_t>(a.of)];
    if (chosen == nullptr) chosen = &a;
  }
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find(',', at), text.size());
    choose(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
}

void collective_choice::choose(std::string_view word) {
  std::size_t const equals = word.find('=');
  bool const for_one = equals != std::string_view::npos;
  std::string_view const of = for_one ? word.substr(0, equals) : "";
  std::string_view const name = for_one ? word.substr(equals + 1) : word;
  if (for_one && std::ranges::find(operation_names, of) == operation_names.end())
    throw config_error("collectives: expected an operation before '=', such as all_reduce, got '" + std::string(of) +
                       "'");
  bool found = false;
  auto const is_of = [&](collective_algorithm const& a) { return !for_one || name_of(a.of) == of; };
  for (collective_algorithm const& a : algorithms) {
    if (a.name != name || !is_of(a)) continue;
    chosen_[static_cast<std::size_t>(a.of)] = &a;
    found = true;
  }
  if (!found)
    throw config_error("collectives: expected one of " + names_of_algorithms(is_of) +
                       (for_one ? " for " + std::string(of) : "") + ", got '" + std::string(name) + "'");
}

}  // namespace ovlp::mpi
