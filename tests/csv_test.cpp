// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/csv.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include <ovlp/base/error.hpp>

namespace {

using ovlp::base::csv_reader;

TEST_CASE("columns are found by their names, fields without blanks around them") {
  csv_reader reader("# key: value\nb, a\n 2.5 ,one word \n\n,x\n", "file", {"a", "b"},
                    csv_reader::other_columns::refused);
  CHECK(reader.comments() == std::vector<std::string>{"# key: value"});
  REQUIRE(reader.next());
  CHECK(reader.text(0) == "one word");
  CHECK(reader.number(1) == 2.5);
  REQUIRE(reader.next());
  CHECK(!reader.number_or_none(1));
  CHECK(reader.line_number() == 5);
  CHECK_THROWS_WITH_AS(reader.fail_field(0, "a name"), "file:5: a: expected a name, got 'x'", ovlp::config_error);
  CHECK(!reader.next());
}

TEST_CASE("rows are written with the digits that were asked for, and nothing where there is no value") {
  ovlp::base::csv_writer csv("name,count,part,other", 3);
  csv.row("x", 123456, 2.0 / 3, std::optional<double>());
  csv.row(std::string("y"), std::size_t{7}, 1e-9, std::optional(0.5));
  CHECK(csv.text() == "name,count,part,other\nx,123456,0.667,\ny,7,1e-09,0.5\n");
}

TEST_CASE("whatever a file of values holds, it is read or refused") {
  std::mt19937_64 random(2);
  std::string const good = "# key: value\r\na,b\n1,2\n0.5e3,7\n";
  std::string const bytes = std::string("0123456789.e-+,\n\r#\"ab \xff") + '\0';
  for (int i = 0; i < 20'000; ++i) {
    std::string text = good;
    for (std::uint64_t changes = random() % 4; changes > 0; --changes) {
      std::size_t const at = random() % text.size();
      if (random() % 2 == 0) text.erase(at, random() % 4);
      text.insert(std::min(at, text.size()), 1, bytes[random() % bytes.size()]);
    }
    CAPTURE(text);
    try {
      csv_reader reader(text, "fuzz", {"b", "a"}, csv_reader::other_columns::skipped);
      while (reader.next()) {
        if (!(reader.number(1) >= 0)) FAIL("a negative number");
        reader.whole_number(0);
      }
    } catch (ovlp::config_error const& refused) {
      CHECK(std::string(refused.what()).starts_with("fuzz:"));
    }
  }
}

}  // namespace
