// SPDX-License-Identifier: BSD-3-Clause
#include "gnuplot.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sstream>

#include <ovlp/flowgraph/error.hpp>

namespace ovlp::tools {
namespace {

/// A file without a name, in memory: unlike a pipe it never makes one end wait for the other.
class memory_file {
 public:
  memory_file() : file_(::memfd_create("gnuplot", MFD_CLOEXEC)) { check(file_ >= 0); }
  memory_file(memory_file const&) = delete;
  memory_file& operator=(memory_file const&) = delete;
  ~memory_file() { ::close(file_); }

  int descriptor() const { return file_; }

  void write(std::string_view text) const {
    while (!text.empty()) {
      ssize_t const written = ::write(file_, text.data(), text.size());
      check(written > 0);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    check(::lseek(file_, 0, SEEK_SET) == 0);
  }
  std::string read() const {
    std::string text;
    std::array<char, 65536> piece{};
    check(::lseek(file_, 0, SEEK_SET) == 0);
    for (ssize_t n = 0; (n = ::read(file_, piece.data(), piece.size())) != 0;) {
      check(n > 0);
      text.append(piece.data(), static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  static void check(bool good) {
    if (!good) throw io_error(std::string("no memory for gnuplot's script and picture: ") + std::strerror(errno));
  }
  int file_;
};

/// The length of the UTF-8 character that begins the text; 0 if none does.
std::size_t character_length(std::string_view text) {
  auto const first = static_cast<unsigned char>(text[0]);
  std::size_t const length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::string run_gnuplot(std::string const& script) {
  memory_file const in;
  memory_file const out;
  memory_file const messages;
  in.write(script);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages.descriptor(), STDERR_FILENO);
  std::string name = "gnuplot";
  std::string without_settings = "--default-settings";
  std::array<char*, 3> const arguments{name.data(), without_settings.data(), nullptr};
  pid_t child = -1;
  int const error = ::posix_spawnp(&child, name.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) throw io_error("plots need gnuplot, and it is not on PATH (Debian: the package gnuplot-nox)");
  if (error != 0) throw io_error(std::string("gnuplot cannot be started: ") + std::strerror(error));

  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::string picture = out.read();
  if (status == 0 && !picture.empty()) return picture;
  std::string said;
  std::istringstream lines(messages.read());
  for (std::string word; lines >> word;) said += (said.empty() ? "" : " ") + word;
  throw io_error("gnuplot failed: " + (said.empty() ? "wait status " + std::to_string(status) : said));
}

std::string gnuplot_text(std::string_view text) {
  std::string quoted = "'";
  while (!text.empty()) {
    std::size_t const length = character_length(text);
    bool const control = static_cast<unsigned char>(text[0]) < ' ' || text[0] == '\x7f';
    if (length == 0 || control) {
      quoted += '?';
    } else {
      quoted += text[0] == '\'' ? "''" : text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return quoted + "'";
}

}  // namespace ovlp::tools
