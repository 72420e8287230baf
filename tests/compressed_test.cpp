// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/compressed.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>

#include "support/process.hpp"
#include "validate/measurements.hpp"

namespace {

using ovlp::base::plain_or_compressed;
using ovlp::base::read_compressed;
using ovlp::base::read_file;
using ovlp::base::replace_compressed;

/// As measurements are, and longer than what is decompressed at a time.
std::string some_rows() {
  std::string rows = "run,time_s\n";
  for (int i = 0; i < 20'000; ++i) rows += std::to_string(i) + ",0." + std::to_string(i * 7919 % 100'003) + "\n";
  return rows;
}

std::string complaint_about(std::string const& file) {
  try {
    return "none, and it reads " + std::to_string(read_compressed(file).size()) + " bytes";
  } catch (ovlp::config_error const& refused) {
    return refused.what();
  }
}

TEST_CASE("a text is read as it was written, plain or compressed, in one piece or several") {
  ovlp::testing::temporary_folder const folder;
  std::string const plain = folder.path() / "rows.csv", packed = plain + ".zst", rows = some_rows();
  for (std::string const& text : {std::string(), std::string("x"), std::string(1 << 20, 'x'), rows}) {
    std::filesystem::remove(plain);  // which begins with another word
    replace_compressed(plain, text);
    CHECK(read_file(plain) == text);
    CHECK(read_compressed(plain) == text);
    replace_compressed(packed, text);
    CHECK(read_compressed(packed) == text);
  }
  std::string const once = read_file(packed);
  CHECK(once.size() < rows.size() / 2);
  ovlp::base::write_file(packed, once + once);  // as `cat` joins them
  CHECK(read_compressed(packed) == rows + rows);
}

TEST_CASE("of a compressed text that is damaged one line names the file") {
  ovlp::testing::temporary_folder const folder;
  std::string const file = folder.path() / "rows.csv.zst", rows = some_rows().substr(0, 2000);
  replace_compressed(file, rows);
  std::string const good = read_file(file), begin = file + ": expected text compressed by zstd: ";
  for (std::size_t length = 0; length < good.size(); ++length) {
    ovlp::base::write_file(file, std::string_view(good).substr(0, length));
    CHECK(complaint_about(file) == begin + "it ends too early");
  }
  for (std::size_t place = 0; place < good.size(); ++place) {
    std::string damaged = good;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << place % 8));
    ovlp::base::write_file(file, damaged);
    CAPTURE(place);
    std::string const complaint = complaint_about(file);
    if (complaint.starts_with("none")) {
      CHECK(read_compressed(file) == rows);  // a bit that means nothing
    } else {
      CHECK(complaint.starts_with(begin));
      CHECK(complaint.find('\n') == std::string::npos);
    }
  }
  ovlp::base::write_file(file, rows);
  CHECK(complaint_about(file) == begin + "Unknown frame descriptor");
}

TEST_CASE("measurements go on in the form in which they lie") {
  using namespace ovlp::lab::validate;
  auto const took = [](run_key const& run, double time_s) {
    measurement made;
    made.of = run;
    made.time_s = time_s;
    return made;
  };
  ovlp::testing::temporary_folder const folder;
  run_key const first{"here", "lu", "--nodes 1", 1}, second{"here", "lu", "--nodes 1", 2};
  measurements(folder.path()).add(took(first, 1), {{first, 1, 0, 1, 0.5, 1}}, {{first, "k", "1 2", 0.1, 0, 0.1, 7}});
  CHECK(std::filesystem::exists(folder.path() / "iterations.csv"));
  for (char const* name : {"measurements.csv", "iterations.csv"}) {
    std::string const plain = folder.path() / name;
    replace_compressed(plain + ".zst", read_file(plain));
    CHECK_THROWS_WITH_AS(plain_or_compressed(plain),
                         (plain + ": expected it plain or compressed, but '" + plain + ".zst' is there too").c_str(),
                         ovlp::config_error);
    std::filesystem::remove(plain);
  }
  measurements(folder.path()).add(took(second, 2), {{second, 1, 0, 2, 0.5, 2}}, {});
  measurements const all(folder.path());
  REQUIRE(all.runs().size() == 2);
  CHECK(all.runs()[0].time_s == 1);
  CHECK(all.runs()[1].time_s == 2);
  CHECK(all.iterations().size() == 2);
  CHECK(all.kernels().size() == 1);
  CHECK(!std::filesystem::exists(folder.path() / "measurements.csv"));
  CHECK(!std::filesystem::exists(folder.path() / "iterations.csv"));
  CHECK(!std::filesystem::exists(folder.path() / "durations.csv.zst"));
}

}  // namespace
