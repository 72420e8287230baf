// SPDX-License-Identifier: BSD-3-Clause
// All nodes learn the largest value of all in ceil(log2 P) rounds: in round r node i tells node i + 2^r what it knows,
// and goes on when it has heard from node i - 2^r. Source: D. Hensgen, R. Finkel, U. Manber, "Two algorithms for
// barrier synchronization", International Journal of Parallel Programming 17 (1988).
//
//   dissemination_sim --nodes 16384 --execution partial --platform gigabit
#include <algorithm>
#include <optional>
#include <vector>

#include "pattern.hpp"

namespace {

struct Order {};
struct Note {
  std::size_t round;
  std::uint64_t largest;
};
/// The least and the largest of what the nodes know in the end: the same if all know the same.
struct Known {
  std::uint64_t least, largest;
  bool operator==(Known const&) const = default;
};
struct Place {
  std::vector<std::optional<std::uint64_t>> heard;  ///< by round
  std::uint64_t largest = 0;
};
using Here = ovlp::here<Place>;

std::size_t rounds(std::size_t nodes) {
  std::size_t count = 0;
  while (std::size_t{1} << count < nodes) ++count;
  return count;
}

Known disseminate(Here& here, Order, ovlp::out<Note>& notes) {
  Place& place = here.state;
  for (std::size_t round = 0; round < place.heard.size(); ++round) {
    notes.post({round, place.largest});
    here.wait_until([&] { return place.heard[round].has_value(); });
    place.largest = std::max(place.largest, *place.heard[round]);
  }
  return {place.largest, place.largest};
}
void take(Here& here, Note note) { here.state.heard[note.round] = note.largest; }
Known join(Known a, Known b) { return {std::min(a.least, b.least), std::max(a.largest, b.largest)}; }

}  // namespace

int main(int argc, char** argv) {
  ovlp::options options{"dissemination", "All nodes learn the largest value of all"};
  ovlp::engine run{argc, argv, options};
  std::size_t const nodes = run.nodes();
  ovlp::threads<Place> places{
      "places", nodes, [nodes](std::size_t index) {
        return Place{std::vector<std::optional<std::uint64_t>>(rounds(nodes)), bench::value_of(index)};
      }};

  auto const partner = [](Note const& note, ovlp::routing const& now) {
    return now.sender + (std::size_t{1} << note.round);
  };
  ovlp::graph const barrier{
      "dissemination",
      ovlp::everywhere("disseminate", places, disseminate).aside(ovlp::leaf("take", places.by(partner), take)) >>
          ovlp::reduce("join", places.at(0), join)};
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < nodes; ++i) largest = std::max(largest, bench::value_of(i));
  return bench::measure(run, barrier, {}, {largest, largest},
                        {{"contestant", "dissemination"}, {"rounds", rounds(nodes)}});
}
