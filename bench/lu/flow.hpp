// SPDX-License-Identifier: BSD-3-Clause
/// The task flow of a simulated run, for other simulators to replay: what each place did, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

enum class action : std::uint32_t {
  compute,         ///< for so many seconds, if it has the core alone
  send,            ///< a message of so many bytes to the peer, which is on another node; goes on at once
  receive,         ///< waits for that message
  credit,          ///< a message of no bytes, which crosses beside the others and is not counted
  receive_credit,  ///< waits for it
  signal,          ///< to another place of the node; takes no time
  await,           ///< waits for it
};

/// One thing that a place does.
struct flow_item {
  action what;
  std::uint32_t place;
  std::uint32_t peer;     ///< the place at the other end
  std::uint32_t message;  ///< which one; credits and signals count with them, from 0
  double amount;          ///< seconds or bytes
};

/// A place is what does one thing after another: the threads of one collection on one node, which have one core.
/// Places of a node share its core evenly. From one node to another messages cross one after another, in order.
struct flow {
  struct header {
    std::uint32_t nodes = 0;
    std::uint32_t places = 0;    ///< place p is on node p % nodes
    std::uint64_t messages = 0;  ///< and credits, and signals
    std::uint64_t items = 0;
    // What a replay has to come to.
    double time_s = 0;
    std::uint64_t tasks = 0;      ///< compute
    std::uint64_t transfers = 0;  ///< send
    std::uint64_t events = 0;     ///< atomic steps and transfers of the run, which include steps that take no time
  };
  header about;
  std::vector<flow_item> items;

  std::uint32_t node_of(std::uint32_t place) const { return place % about.nodes; }
};

inline void write_flow(const flow& from, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&from.about), sizeof from.about);
  file.write(reinterpret_cast<const char*>(from.items.data()),
             static_cast<std::streamsize>(from.items.size() * sizeof(flow_item)));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

inline flow read_flow(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  flow read;
  if (file.read(reinterpret_cast<char*>(&read.about), sizeof read.about)) {
    read.items.resize(read.about.items);
    file.read(reinterpret_cast<char*>(read.items.data()),
              static_cast<std::streamsize>(read.items.size() * sizeof(flow_item)));
  }
  if (!file) throw std::runtime_error("cannot read " + path + ", or it is no flow of lu_simulated --flow");
  return read;
}

}  // namespace bench
