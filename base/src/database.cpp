// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/database.hpp>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/streams.hpp>

namespace ovlp::base {
namespace {

constexpr int most_bytes = 1 << 28;  // of a value in a file that is read

}  // namespace

void database::closer::operator()(sqlite3* d) const noexcept { ::sqlite3_close_v2(d); }

database::database(std::string file, mode how) : file_(std::move(file)) {
  std::error_code error;
  if (how == mode::create) {
    auto const there = std::filesystem::symlink_status(file_, error);
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
      throw io_error("'" + file_ + "': expected a file, or none yet: it would be replaced");
    claim const unused = claimed();  // nobody's any more: it may go
    std::remove((file_ + "-journal").c_str());
    if (std::remove(file_.c_str()) != 0 && errno != ENOENT)
      throw io_error("'" + file_ + "': cannot be written: " + std::strerror(errno));
  } else if (std::filesystem::is_directory(file_, error)) {
    throw io_error("'" + file_ + "': expected a file, got a folder");
  } else if (how == mode::read && !file_reader(file_)) {
    throw io_error("'" + file_ + "': cannot be read: " + std::strerror(errno));
  }
  // Whoever wrote it was killed: SQLite puts it in order, for which it writes.
  bool const broken_off = how == mode::read && std::filesystem::exists(file_ + "-journal", error);
  int const access = how == mode::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  int const flags = SQLITE_OPEN_NOMUTEX | (broken_off ? SQLITE_OPEN_READWRITE : access);
  sqlite3* opened = nullptr;
  int const status = ::sqlite3_open_v2(file_.c_str(), &opened, flags, nullptr);
  handle_.reset(opened);
  if (status != SQLITE_OK) fail();
  if (how == mode::read) ::sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, most_bytes);
  if (how == mode::create) claim_ = claimed();
  constexpr int patience_ms = 10'000;
  ::sqlite3_busy_timeout(opened, patience_ms);
}

namespace {

/// A byte that SQLite does not lock, nor anybody else.
constexpr off_t claimed_byte = off_t{1} << 61;

bool is_still(std::string const& file, int descriptor) {
  struct stat named {
  }, opened{};
  return ::stat(file.c_str(), &named) == 0 && ::fstat(descriptor, &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

}  // namespace

database::claim::~claim() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

/// Of the file that is there now, if there is one. Where the file system knows no locks, it is nobody's.
database::claim database::claimed() const {
  int const descriptor = ::open(file_.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return {};
  claim made(descriptor);
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = claimed_byte;
  lock.l_len = 1;
  bool const taken = ::fcntl(descriptor, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES);
  if (taken || !is_still(file_, descriptor)) throw io_error("'" + file_ + "': another run writes it");
  return made;
}

void database::fail() const {
  throw io_error("'" + file_ + "': " + (handle_ ? ::sqlite3_errmsg(handle_.get()) : "no memory"));
}

void database::run(std::string const& sql) {
  if (::sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

statement database::prepare(std::string_view sql) { return {*this, sql}; }

void statement::closer::operator()(sqlite3_stmt* s) const noexcept { ::sqlite3_finalize(s); }

statement::statement(database const& in, std::string_view sql) : in_(&in) {
  sqlite3_stmt* made = nullptr;
  check(::sqlite3_prepare_v2(in.handle_.get(), sql.data(), static_cast<int>(sql.size()), &made, nullptr));
  handle_.reset(made);
}

void statement::check(int status) const {
  if (status != SQLITE_OK) in_->fail();
}

bool statement::next() {
  int const status = ::sqlite3_step(handle_.get());
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) in_->fail();
  return false;
}

void statement::reset() { ::sqlite3_reset(handle_.get()); }  // its result is that of the step before

void statement::bind(int at, std::int64_t value) { check(::sqlite3_bind_int64(handle_.get(), at + 1, value)); }
void statement::bind(int at, double value) { check(::sqlite3_bind_double(handle_.get(), at + 1, value)); }
void statement::bind(int at, std::string_view value) {
  check(::sqlite3_bind_text64(handle_.get(), at + 1, value.data(), value.size(), nullptr, SQLITE_UTF8));
}
void statement::bind(int at, std::span<std::byte const> value) {
  check(::sqlite3_bind_blob64(handle_.get(), at + 1, value.data(), value.size(), nullptr));
}

bool statement::is_number(int column) const {
  int const type = ::sqlite3_column_type(handle_.get(), column);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}
bool statement::is_null(int column) const { return ::sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
std::int64_t statement::number(int column) const { return ::sqlite3_column_int64(handle_.get(), column); }
double statement::real(int column) const { return ::sqlite3_column_double(handle_.get(), column); }
std::string statement::text(int column) const {
  auto const* const at = reinterpret_cast<char const*>(::sqlite3_column_text(handle_.get(), column));
  return at == nullptr ? "" : std::string(at, static_cast<std::size_t>(::sqlite3_column_bytes(handle_.get(), column)));
}
std::span<std::byte const> statement::bytes(int column) const {
  auto const* const at = static_cast<std::byte const*>(::sqlite3_column_blob(handle_.get(), column));
  return {at, static_cast<std::size_t>(::sqlite3_column_bytes(handle_.get(), column))};
}

namespace {

std::string in_quotes(std::string_view text, char quote) {
  std::string inside;
  for (char const c : text) inside.append(c == quote ? 2 : 1, c);
  return quote + inside + quote;
}

}  // namespace

bool is_database(std::string const& file) {
  constexpr std::string_view begin("SQLite format 3");  // https://www.sqlite.org/fileformat.html, 1.3
  std::string read(begin.size(), '\0');
  file_reader from(file, std::ios::binary);
  return from.read(read.data(), static_cast<std::streamsize>(read.size())) && read == begin;
}

std::string sql_text(std::string_view text) { return in_quotes(text, '\''); }
std::string sql_name(std::string_view name) { return in_quotes(name, '"'); }

}  // namespace ovlp::base
