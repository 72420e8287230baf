// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The one header of an application.
#include <ovlp/flowgraph/buffer.hpp>
#include <ovlp/flowgraph/chain.hpp>
#include <ovlp/flowgraph/error.hpp>
#include <ovlp/flowgraph/graph.hpp>
#include <ovlp/flowgraph/shapes.hpp>
#include <ovlp/flowgraph/threads.hpp>
#include <ovlp/runtime/options.hpp>
#ifdef OVLP_SIMULATE
#include <ovlp/simkernel/simulated.hpp>
#else
#include <ovlp/runtime/real.hpp>
#endif

namespace ovlp {

/// The linked backend: `engine run{argc, argv};`
#ifdef OVLP_SIMULATE
using engine = sim::engine;
#else
using engine = real::engine;
#endif

}  // namespace ovlp
