// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/flowgraph/object_type.hpp>

#include <boost/core/demangle.hpp>

namespace ovlp {

std::string type_name(std::type_info const& type) { return boost::core::demangle(type.name()); }

}  // namespace ovlp
