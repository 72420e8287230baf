// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/store/open_run.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <system_error>

#include <ovlp/base/database.hpp>
#include <ovlp/base/streams.hpp>

#include "schema.hpp"

namespace ovlp {

bool is_record(std::string const& file) {
  constexpr std::size_t id_place = 68;  // https://www.sqlite.org/fileformat.html, 1.3
  std::array<unsigned char, id_place + 4> head{};
  base::file_reader from(file, std::ios::binary);
  if (!base::is_database(file) || !from.read(reinterpret_cast<char*>(head.data()), head.size())) return false;
  std::uint32_t id = 0;
  for (std::size_t i = id_place; i < head.size(); ++i) id = id << 8 | head[i];
  return id == store::application_id;
}

std::vector<std::filesystem::path> parts_of(std::string const& run) {
  std::filesystem::path const file(run);
  std::string const prefix = file.filename().string() + ".node";
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (auto const& entry : std::filesystem::directory_iterator(
           file.has_parent_path() ? file.parent_path() : std::filesystem::path("."), error)) {
    std::string const name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.find_first_not_of("0123456789.", prefix.size()) == std::string::npos &&
        entry.is_regular_file(error) && (is_record(entry.path().string()) || entry.file_size(error) == 0))
      found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace ovlp
