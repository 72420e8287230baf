// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ovlp/base/json_object.hpp>
#include <ovlp/machine/platform.hpp>

#include "transport.hpp"

// Each transport reads its own parameters; the table of them is in transports.cpp.
namespace ovlp::machine {

using transport_maker = decltype(transport_model::make);

transport_maker read_direct_transport(base::json_object& from);
transport_maker read_stream_transport(base::json_object& from);

/// A platform file's `transport`. Errors: config_error.
transport_model read_transport(base::json_object from);

}  // namespace ovlp::machine
