// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace ovlp::base {

class statement;

/// A file of SQLite. Thread: one at a time. Errors: io_error that names the file.
class database {
 public:
  /// create: replaces a file of that name, unless a process that has created it still has it open; update: makes it if
  /// it is not there. While others write, update waits.
  enum class mode { read, create, update };
  database(std::string file, mode how);

  /// Statements without results.
  void run(std::string const& sql);
  statement prepare(std::string_view sql);
  std::string const& file() const { return file_; }

 private:
  friend class statement;
  struct closer {
    void operator()(sqlite3* d) const noexcept;
  };
  [[noreturn]] void fail() const;

  /// Says to other processes that this one writes the file.
  class claim {
   public:
    claim() = default;
    explicit claim(int descriptor) : descriptor_(descriptor) {}
    claim(claim&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    claim& operator=(claim&& other) noexcept {
      std::swap(descriptor_, other.descriptor_);
      return *this;
    }
    ~claim();

   private:
    int descriptor_ = -1;
  };
  [[nodiscard]] claim claimed() const;

  std::string const file_;
  claim claim_;  // it ends last: with a descriptor of a file all locks of the process end
  std::unique_ptr<sqlite3, closer> handle_;
};

/// A statement with parameters, to be run several times. Columns and parameters are counted from 0.
/// Thread, errors: as its database, which outlives it.
class statement {
 public:
  statement(database const& in, std::string_view sql);

  /// All parameters, in their order; then it can be run.
  template <class... Values>
  statement& with(Values const&... values) {
    reset();
    int at = 0;
    (bind(at++, values), ...);
    return *this;
  }
  /// Steps to the next row of its results; false: there is none.
  bool next();
  /// To its end.
  void run() {
    while (next()) {
    }
  }

  /// Whether it is a number; false of texts, and of what is not there.
  bool is_number(int column) const;
  bool is_null(int column) const;
  std::int64_t number(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  /// Valid until the next step.
  std::span<std::byte const> bytes(int column) const;

 private:
  struct closer {
    void operator()(sqlite3_stmt* s) const noexcept;
  };
  void reset();
  void bind(int at, std::int64_t value);
  void bind(int at, std::uint64_t value) { bind(at, static_cast<std::int64_t>(value)); }
  void bind(int at, std::uint32_t value) { bind(at, std::int64_t{value}); }
  void bind(int at, std::int32_t value) { bind(at, std::int64_t{value}); }
  void bind(int at, double value);
  /// What these refer to stays until the statement has run.
  void bind(int at, std::string_view value);
  void bind(int at, std::span<std::byte const> value);
  void check(int status) const;

  database const* in_;
  std::unique_ptr<sqlite3_stmt, closer> handle_;
};

/// Whether a file begins as databases do. False for one that cannot be read.
bool is_database(std::string const& file);

// For statements whose text is made.

/// A text as a constant of SQL.
std::string sql_text(std::string_view text);
/// The name of a table or column, whatever it contains.
std::string sql_name(std::string_view name);

}  // namespace ovlp::base
