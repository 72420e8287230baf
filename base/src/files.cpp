// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/files.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp::base {
namespace {

/// Calls it again where a signal came in between.
template <class Call>
ssize_t uninterrupted(Call const& call) {
  for (;;) {
    ssize_t const result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

std::uint64_t most_bytes(int of) {
  struct stat is {};
  if (::fstat(of, &is) != 0 || !S_ISREG(is.st_mode)) return std::uint64_t{256} << 20;
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::string read_all(int from, std::string const& name) {
  auto const check = [&](bool good) {
    if (!good) throw config_error(name + ": cannot be read: " + std::strerror(errno));
  };
  check(from >= 0);
  std::uint64_t const most = most_bytes(from);
  std::string text;
  std::array<char, 65536> piece{};
  for (;;) {
    ssize_t const got = uninterrupted([&] { return ::read(from, piece.data(), piece.size()); });
    check(got >= 0);
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > most)
      throw config_error(name + ": expected at most " + std::to_string(most >> 20) + " MiB, got more");
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

std::string lower(std::string_view text) {
  std::string all(text);
  for (char& c : all) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return all;
}

/// What tells kinds of files apart.
std::string first_word(std::string_view text) {
  if (text.starts_with('[')) return "[";
  if (text.starts_with('{')) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n", 1)));
    std::string_view const key = text.substr(0, text.starts_with('"') ? text.find('"', 1) : 0);
    return "{" + std::string(key) + (key.empty() ? "" : "\"");
  }
  auto const is_binary = [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\r' && c != '\n';
  };
  if (text.starts_with('\n') && std::ranges::any_of(text, is_binary)) return "\n";
  std::string const mark = text.starts_with('#') ? "#" : "";
  while (text.starts_with('#') || (!mark.empty() && text.starts_with(' '))) text.remove_prefix(1);
  std::string_view const word = text.substr(0, std::min(text.size(), text.find_first_of(" \t\r\n,:;()>\"")));
  bool const number = !word.empty() && word.find_first_not_of("0123456789.+-e") == std::string_view::npos;
  return mark + (number ? "0" : lower(word));
}

}  // namespace

std::string read_file(std::string const& file, std::string const& name) {
  return read_all(open_file(file, O_RDONLY).number(), name.empty() ? file : name);
}

std::string read_input_line() {
  std::string line;
  if (::isatty(STDIN_FILENO) == 1) return line;
  for (char c = 0; line.size() < 65536; line += c) {
    if (uninterrupted([&] { return ::read(STDIN_FILENO, &c, 1); }) != 1 || c == '\n') break;
  }
  return line;
}

std::string read_input(std::string const& file) {
  return file == "-" ? read_all(STDIN_FILENO, "standard input") : read_file(file);
}

std::string const& expect_replaceable(std::string const& file, std::string_view begins) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error) || std::filesystem::file_size(file, error) == 0 || error)
    return file;
  std::array<char, 256> there{};
  open_file const from(file, O_RDONLY);
  ssize_t const got = uninterrupted([&] { return ::read(from.number(), there.data(), there.size()); });
  if (got < 0) throw config_error(file + ": cannot be read: " + std::strerror(errno));
  std::string const word = first_word(begins);
  if (first_word({there.data(), static_cast<std::size_t>(got)}) == word) return file;
  throw config_error(file + ": expected no file, or one that begins as what is written (" + base::quoted(word) +
                     "), got another, which would be lost");
}

std::string_view picture_begins(std::string const& file) {
  return std::filesystem::path(file).extension() == ".svg" ? "<?xml " : "\x89PNG\r\n";
}

void write_file(std::string const& file, std::string_view contents) {
  open_file to(file, O_WRONLY | O_CREAT | O_TRUNC);
  write_all(to.number(), contents, file);
  check_written(to.close(), file);
}

void write_output(std::string const& file, std::string_view contents) {
  if (file == "-") return write_all(STDOUT_FILENO, contents, "standard output");
  std::error_code ignored;
  std::filesystem::file_status const there = std::filesystem::status(file, ignored);
  bool const is_plain = !std::filesystem::exists(there) || std::filesystem::is_regular_file(there);
  is_plain ? replace_file(file, contents) : write_file(file, contents);  // a pipe, a terminal, a device
}

void expect_outputs(std::vector<output> const& files) {
  for (auto what = files.begin(); what != files.end(); ++what) {
    std::string const& file = what->file;
    if (file.empty()) continue;
    if (std::any_of(files.begin(), what, [&](output const& before) { return before.file == file; }))
      throw config_error("expected outputs of different names, got '" + file + "' twice");
    if (file == "-") continue;
    expect_replaceable(file, what->begins);
    std::error_code ignored;
    bool const is_there = std::filesystem::exists(std::filesystem::symlink_status(file, ignored));
    check_written(open_file(file, O_WRONLY | O_CREAT).number() >= 0, file);
    if (!is_there) std::filesystem::remove(file, ignored);
  }
}

void replace_file(std::string const& file, std::string_view contents) {
  expect_replaceable(file, contents);
  replacement made(file);
  open_file to(made.name(), O_WRONLY | O_CREAT | O_TRUNC);
  if (to.number() < 0) return write_file(file, contents);  // a folder in which only this file can be written
  write_all(to.number(), contents, file);
  check_written(to.close(), file);
  made.take_place();
}

replacement::replacement(std::string const& file) : file_(file) {
  std::error_code error;
  target_ = std::filesystem::weakly_canonical(file, error);  // a link stays one
  if (error) target_ = file;
  name_ = target_.string() + "." + std::to_string(::getpid()) + ".new";  // others may replace it, too
}

replacement::~replacement() {
  std::error_code ignored;
  std::filesystem::remove(name_, ignored);
}

void replacement::take_place() {
  std::error_code error;
  std::filesystem::rename(name_, target_, error);
  if (error) throw io_error(file_ + ": cannot be written: " + error.message());
}

void make_folder(std::filesystem::path const& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw io_error("'" + folder.string() + "': cannot be made: " + failed.message());
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

}  // namespace ovlp::base
