// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include <ovlp/runtime/real.hpp>

namespace ovlp::testing {

// A split, workers and a merge, whose simulated times can be computed by hand.

struct Task {
  int number;
  buffer<unsigned char> ballast;
};
struct Start {};
struct Done {
  int tasks;
};

// The object walk counts a number as 4 bytes and a buffer as its elements and an 8 byte size.
constexpr std::size_t extra_bytes = 12;

/// Posts `tasks` objects of so many bytes. `window`: 0: none.
inline auto deal(threads<> const& master, int tasks, std::size_t bytes, std::size_t window = 0) {
  return split("deal", master.at(0),
               [=](Start, out<Task>& posted) {
                 for (int i = 0; i < tasks; ++i) posted.post({i, buffer<unsigned char>(bytes - extra_bytes)});
               })
      .window(window);
}

inline auto count(threads<> const& master) {
  return merge("count", master.at(0), [](in<Done>& done) {
    Done all{0};
    while (done.wait()) ++all.tasks;
    return all;
  });
}

/// A leaf computes `seconds` on each of them, by kernel "one".
inline graph<Start, Done> fan(threads<> const& master, threads<> const& workers, int tasks, std::size_t bytes,
                              int seconds, std::size_t window = 0) {
  return deal(master, tasks, bytes, window) >> leaf("work", workers.in_turn(),
                                                    [=](here<>& here, Task task) {
                                                      here.kernel("one", {seconds}, [] {});
                                                      return Done{task.number};
                                                    }) >>
         count(master);
}

}  // namespace ovlp::testing
