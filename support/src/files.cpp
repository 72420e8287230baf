// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/support/files.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp::support {
namespace {

/// Calls it again where a signal came in between.
template <class Call>
ssize_t uninterrupted(Call const& call) {
  for (;;) {
    ssize_t const result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

std::string read_all(int from, std::string const& name) {
  auto const check = [&](bool good) {
    if (!good) throw config_error(name + ": cannot be read: " + std::strerror(errno));
  };
  check(from >= 0);
  std::string text;
  std::array<char, 65536> piece{};
  for (;;) {
    ssize_t const got = uninterrupted([&] { return ::read(from, piece.data(), piece.size()); });
    check(got >= 0);
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

void check_written(bool good, std::string const& name) {
  if (!good) throw io_error(name + ": cannot be written: " + std::strerror(errno));
}

void write_all(int to, std::string_view contents, std::string const& name) {
  check_written(to >= 0, name);
  while (!contents.empty()) {
    ssize_t const written = uninterrupted([&] { return ::write(to, contents.data(), contents.size()); });
    check_written(written >= 0, name);
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Closes it at the end.
class open_file {
 public:
  open_file(std::string const& name, int flags) : number_(::open(name.c_str(), flags | O_CLOEXEC, 0666)) {}
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;
  ~open_file() { close(); }
  int number() const { return number_; }
  /// Whether all that was written has arrived, as far as the system says.
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

}  // namespace

std::string read_file(std::string const& file) { return read_all(open_file(file, O_RDONLY).number(), file); }

std::string read_input(std::string const& file) {
  return file == "-" ? read_all(STDIN_FILENO, "standard input") : read_file(file);
}

void write_file(std::string const& file, std::string_view contents) {
  open_file to(file, O_WRONLY | O_CREAT | O_TRUNC);
  write_all(to.number(), contents, file);
  check_written(to.close(), file);
}

void write_output(std::string const& file, std::string_view contents) {
  if (file == "-") write_all(STDOUT_FILENO, contents, "standard output");
  else write_file(file, contents);
}

void expect_outputs(std::vector<std::string> const& files) {
  for (auto file = files.begin(); file != files.end(); ++file) {
    if (file->empty()) continue;
    if (std::find(files.begin(), file, *file) != file)
      throw config_error("expected outputs of different names, got '" + *file + "' twice");
    if (*file == "-") continue;
    std::error_code ignored;
    bool const is_there = std::filesystem::exists(std::filesystem::symlink_status(*file, ignored));
    check_written(open_file(*file, O_WRONLY | O_CREAT).number() >= 0, *file);
    if (!is_there) std::filesystem::remove(*file, ignored);
  }
}

void replace_file(std::string const& file, std::string_view contents) {
  write_file(file + ".new", contents);
  std::error_code error;
  std::filesystem::rename(file + ".new", file, error);
  if (error) throw io_error(file + ": cannot be written: " + error.message());
}

temporary_folder::temporary_folder(std::filesystem::path const& in) {
  std::string made = (in / "ovlp-XXXXXX").string();
  if (::mkdtemp(made.data()) == nullptr) throw io_error(made + ": cannot be made: " + std::strerror(errno));
  path_ = made;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace ovlp::support
