// SPDX-License-Identifier: BSD-3-Clause
#include "transports.hpp"

#include <array>

namespace ovlp::machine {
namespace {

struct known_transport {
  char const* name;
  transport_maker (*read)(support::json_object&);
};
constexpr std::array known_transports{
    known_transport{"direct", read_direct_transport},
    known_transport{"stream", read_stream_transport},
};

}  // namespace

transport_model read_transport(support::json_object from) {
  known_transport const& chosen = from.choice("model", known_transports);
  transport_model read{chosen.name, chosen.read(from)};
  from.end();
  return read;
}

}  // namespace ovlp::machine
