// SPDX-License-Identifier: BSD-3-Clause
#include "transports.hpp"

#include <array>

#include "model_table.hpp"

namespace ovlp::machine {
namespace {

constexpr std::array known_transports{
    known_model<transport_model>{"direct", read_direct_transport},
    known_model<transport_model>{"stream", read_stream_transport},
};

}  // namespace

transport_model read_transport(base::json_object from) {
  return read_model<transport_model>(from, "model", known_transports);
}

}  // namespace ovlp::machine
