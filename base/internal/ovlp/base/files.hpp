// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ovlp::base {

/// The contents of a file: as large as memory, or, of what is no plain file and may never end, 256 MiB.
/// `name`: what errors call it, if not by its own. Errors: config_error "FILE: cannot be read: what the system says".
std::string read_file(std::string const& file, std::string const& name = "");
/// The same; "-" is standard input.
std::string read_input(std::string const& file);
/// A line of standard input, of 64 KiB at most; what follows it is not touched. From a terminal none is taken: nobody
/// is to type it.
std::string read_input_line();

/// Makes a file of our own with these contents; replaces what is there.
/// Errors: io_error "FILE: cannot be written: what the system says".
void write_file(std::string const& file, std::string_view contents);

// What people ask to be written. A file of that name is replaced if it is empty or of the same kind, so that a command
// can be repeated; another one is somebody's, and stays. Files are of one kind if they begin with the same word: of
// a JSON object its first key, of a list its bracket, of rows of numbers any number, of CSV the name of the first
// column. What is no plain file is written to.

/// Returns the file. Errors: config_error, if it is of another kind than what begins so.
std::string const& expect_replaceable(std::string const& file, std::string_view begins);
/// Writes it; a plain file is replaced at once (replace_file); "-" is standard output. Errors: as expect_replaceable()
/// and write_file().
void write_output(std::string const& file, std::string_view contents);
/// What a file will begin with.
struct output {
  std::string file;  ///< empty: none
  std::string_view begins;
};
/// Of pictures, by their names.
std::string_view picture_begins(std::string const& file);
/// Before long work, whose results they are to get: whether they can be made, and are different ones. What is there
/// stays. Errors: config_error, if one is named twice; else as write_output().
void expect_outputs(std::vector<output> const& files);
/// Makes the file with all its contents at once: whoever reads, or is left after an interruption, has the old contents
/// or the new ones. Errors: as write_output().
void replace_file(std::string const& file, std::string_view contents);

/// A file beside another one, which it is to replace at once. Removed at the end, if it has not.
class replacement {
 public:
  explicit replacement(std::string const& file);
  replacement(replacement const&) = delete;
  replacement& operator=(replacement const&) = delete;
  ~replacement();

  std::string const& name() const { return name_; }
  /// It is complete. Errors: io_error.
  void take_place();

 private:
  std::string const file_;
  std::filesystem::path target_;
  std::string name_;
};

/// Makes a folder, with those around it; one that is there stays. Errors: io_error "'FOLDER': cannot be made: ...".
void make_folder(std::filesystem::path const& folder);

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

}  // namespace ovlp::base
