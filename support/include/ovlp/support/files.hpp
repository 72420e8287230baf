// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ovlp::support {

/// The contents of a file. Errors: config_error "FILE: cannot be read: what the system says".
std::string read_file(std::string const& file);
/// The same; "-" is standard input.
std::string read_input(std::string const& file);

/// Makes a file with these contents. Errors: io_error "FILE: cannot be written: what the system says".
void write_file(std::string const& file, std::string_view contents);
/// The same; "-" is standard output.
void write_output(std::string const& file, std::string_view contents);
/// Before long work, whose results they are to get: whether they can be made, and are different ones; empty names are
/// none. What is there stays. Errors: config_error, if one is named twice; else as write_output().
void expect_outputs(std::vector<std::string> const& files);
/// Makes the file with all its contents at once: whoever reads, or is left after an interruption, has the old contents
/// or the new ones.
void replace_file(std::string const& file, std::string_view contents);

/// A folder that is removed, with all in it, at the end of this object's life. Errors: io_error.
class temporary_folder {
 public:
  explicit temporary_folder(std::filesystem::path const& in = std::filesystem::temp_directory_path());
  temporary_folder(temporary_folder const&) = delete;
  temporary_folder& operator=(temporary_folder const&) = delete;
  ~temporary_folder();

  std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ovlp::support
