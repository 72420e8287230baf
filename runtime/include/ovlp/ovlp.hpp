// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The one header of an application.
#include <ovlp/flowgraph/buffer.hpp>
#include <ovlp/flowgraph/chain.hpp>
#include <ovlp/flowgraph/error.hpp>
#include <ovlp/flowgraph/graph.hpp>
#include <ovlp/flowgraph/threads.hpp>
#include <ovlp/runtime/options.hpp>
#include <ovlp/runtime/real.hpp>

namespace ovlp {

/// The linked backend: `engine run{argc, argv};`
using engine = real::engine;

}  // namespace ovlp
