// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <ovlp/mpi/raw_format.hpp>

/// What a traced rank has written, in memory.
namespace ovlp::mpi::raw {

struct members {
  std::string key;
  std::vector<rank_id> ranks;
};

struct counted_collective : collective {
  std::vector<std::uint64_t> bytes_of_rank = {};
};

using event = std::variant<send, receive, wait, counted_collective>;
inline moment const& when(event const& what) {
  return std::visit([](auto const& one) -> moment const& { return one.when; }, what);
}

struct profile {
  std::uint64_t begin = 0, end = 0;
  std::vector<std::uint64_t> times;  ///< of each piece; `never`
};

struct rank {
  std::string file;
  begin about;
  std::string library;  ///< that wrote it
  std::string program;
  std::vector<members> communicators;
  /// Non-blocking receives with what they got; without those that were cancelled.
  std::vector<event> events;
  std::map<std::size_t, profile> profiles;  ///< by the place of the send or receive in `events`
  struct unseen_call {
    raw::unseen sum;
    std::string call;
  };
  std::vector<unseen_call> unseen;
  std::vector<std::pair<std::string, std::uint64_t>> left_out;  ///< name, calls
  moment end;
};

/// Reads and checks it. Errors: config_error "FILE: ...": cannot be read, is no such file, is cut short.
rank read_rank(std::string const& file);

/// All ranks' files of a folder. Errors: config_error; ranks that are missing, and files of different runs.
std::vector<rank> read_ranks(std::string const& folder);

}  // namespace ovlp::mpi::raw
