// SPDX-License-Identifier: BSD-3-Clause
// Text that lies in FILE, or compressed by zstd in FILE.zst, which `zstd` and `zstd -d` make of each other. In a
// library of its own: who links ovlp_base_internal does not link zstd.
#pragma once

#include <string>
#include <string_view>

namespace ovlp::base {

/// Which of the two is there; FILE if neither is. Errors: config_error if both are, for they may differ.
std::string plain_or_compressed(std::string const& file);

/// The text of either. Errors: as read_file(); config_error "FILE.zst: what is wrong" of one that is damaged.
std::string read_compressed(std::string const& file);

/// Makes either of them anew. Errors: as replace_file().
void replace_compressed(std::string const& file, std::string_view text);

}  // namespace ovlp::base
