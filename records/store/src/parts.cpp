// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/store/open_run.hpp>

#include <algorithm>
#include <system_error>

namespace ovlp {

std::vector<std::filesystem::path> parts_of(std::string const& run) {
  std::filesystem::path const file(run);
  std::string const prefix = file.filename().string() + ".node";
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (auto const& entry : std::filesystem::directory_iterator(
           file.has_parent_path() ? file.parent_path() : std::filesystem::path("."), error)) {
    std::string const name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.find_first_not_of("0123456789.", prefix.size()) == std::string::npos)
      found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace ovlp
