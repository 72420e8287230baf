// SPDX-License-Identifier: BSD-3-Clause
// What people and files exchange does not depend on the locale that a program, or its user, has chosen: a point is a
// point, and digits stand in no groups. So libraries read and write numbers by std::to_chars and std::from_chars, by
// `fixed` and `shortest` (text.hpp), and by these streams; tests/check_locale finds other ways.
#pragma once

#include <locale.h>

#include <filesystem>
#include <fstream>
#include <locale>
#include <sstream>
#include <string>
#include <utility>

namespace ovlp::base {

class text_writer : public std::ostringstream {
 public:
  text_writer() { imbue(std::locale::classic()); }
  text_writer(text_writer&& other) noexcept : std::ostringstream(std::move(other)) {}
};

class text_reader : public std::istringstream {
 public:
  explicit text_reader(std::string const& text) : std::istringstream(text) { imbue(std::locale::classic()); }
};

class file_reader : public std::ifstream {
 public:
  explicit file_reader(std::filesystem::path const& file, std::ios::openmode mode = std::ios::in) {
    imbue(std::locale::classic());  // before it reads
    open(file, mode);
  }
};

class file_writer : public std::ofstream {
 public:
  explicit file_writer(std::filesystem::path const& file, std::ios::openmode mode = std::ios::out) {
    imbue(std::locale::classic());
    open(file, mode);
  }
  file_writer(file_writer&& other) noexcept : std::ofstream(std::move(other)) {}
};

/// While it lives, C's functions behave on the calling OS thread as if nobody had called setlocale(): for what
/// libraries of others read and write.
class c_locale {
 public:
  c_locale() : own_(::newlocale(LC_ALL_MASK, "C", nullptr)), before_(::uselocale(own_)) {}
  c_locale(c_locale const&) = delete;
  c_locale& operator=(c_locale const&) = delete;
  ~c_locale() {
    ::uselocale(before_);
    ::freelocale(own_);
  }

 private:
  locale_t own_;
  locale_t before_;
};

/// For programs of ours, first of all in main(): whatever stood in the environment or was set before. Then what they
/// print themselves is alike everywhere, too.
inline void use_classic_locale() {
  ::setlocale(LC_ALL, "C");
  std::locale::global(std::locale::classic());
}

}  // namespace ovlp::base
