// SPDX-License-Identifier: BSD-3-Clause
// The one header of an application: data objects, operations, graphs, collections, options, and the linked backend.
//
//   #include <ovlp/ovlp.hpp>
//
//   int main(int argc, char** argv) {
//     ovlp::engine run{argc, argv};
//     ovlp::threads<> workers{"workers", 4};
//     ovlp::graph const twice = ovlp::leaf("twice", workers.at(0), [](int i) { return 2 * i; });
//     return run(twice, 21) == 42 ? 0 : 1;
//   }
//
// docs/guide.md goes on from here.
#pragma once

#include <ovlp/base/error.hpp>
#include <ovlp/flowgraph/buffer.hpp>
#include <ovlp/flowgraph/chain.hpp>
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
///
/// The target that a program links decides: ovlp::real or ovlp::sim, which defines OVLP_SIMULATE; ovlp::ovlp is one of
/// them by the CMake option of that name. Nothing else in the public headers depends on it. A program that wants both
/// includes both headers and names real::engine and sim::engine.
#ifdef OVLP_SIMULATE
using engine = sim::engine;
#else
using engine = real::engine;
#endif

}  // namespace ovlp
