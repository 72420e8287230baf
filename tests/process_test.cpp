// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/base/process.hpp>

#include <doctest/doctest.h>

#include <signal.h>

#include <chrono>
#include <string>

#include <ovlp/base/error.hpp>

#include "support/process.hpp"

namespace {

using namespace std::chrono_literals;
using ovlp::base::outcome;
using ovlp::base::process;
using ovlp::base::run;

TEST_CASE("a program gets input and environment, and gives back all that it prints") {
  outcome const ended =
      run({{"sh", "-c", "cat; echo $COLOUR; echo wrong >&2; exit 3"}, "some input\n", {{"COLOUR", "red"}}});
  CHECK(ended.status == 3);
  CHECK(ended.out == "some input\nred\n");
  CHECK(ended.err == "wrong\n");
  CHECK(ended.complaint() == "wrong");
  // More than a pipe holds, of input and of output.
  std::string const much(1'000'000, 'x');
  CHECK(run({{"cat"}, much}).out == much);
}

TEST_CASE("a program that takes longer than its limit is ended with all that it started") {
  outcome const ended = run({{"sh", "-c", "sleep 1234.5 & echo $!; wait"}, "", {}, 0.2s});
  CHECK(ended.timed_out);
  CHECK(ended.complaint() == "took too long");
  CHECK(ovlp::testing::eventually(
      2s, [&] { return ovlp::testing::contents(ovlp::testing::proc_of(std::stoi(ended.out)) / "cmdline").empty(); }));
}

TEST_CASE("one that does not listen to SIGTERM is killed") {
  outcome const ended = run({{"sh", "-c", "trap '' TERM; while :; do sleep 0.01; done"}, "", {}, 0.2s});
  CHECK(ended.timed_out);
  CHECK(ended.status == 128 + SIGKILL);
}

TEST_CASE("a signal that ends a program is part of its status") {
  process started({{"sleep", "1000"}});
  CHECK(!started.wait(0.01s));
  started.kill(SIGTERM);
  CHECK(started.wait(10s) == 128 + SIGTERM);
}

TEST_CASE("lines go to a program that talks, and come from it") {
  int talks_on = 0;
  std::string script = "while read a; do echo \"got $a\"; done";
  SUBCASE("on its standard input and output") {}
  SUBCASE("on a descriptor of its own, and it prints much beside") {
    talks_on = 3;
    script = "while read a <&3; do seq 100000; seq 100000 >&2; echo \"got $a\" >&3; done; echo last >&2";
  }
  process talker({.words = {"sh", "-c", script}, .talks_on = talks_on});
  std::string line;
  CHECK(talker.hear(line, 0.01s) == process::heard::nothing);
  for (std::string const word : {"one", "two", "three"}) {
    CHECK(talker.say(word, 20s));
    REQUIRE(talker.hear(line, 20s) == process::heard::line);
    CHECK(line == "got " + word);
  }
  CHECK(talker.err().size() <= 1 << 17);
}

TEST_CASE("a program that talks and ends, or says a line without an end, is told from one that is silent") {
  std::string line;
  process gone({.words = {"sh", "-c", "echo hello >&4; printf unfinished >&4; echo why >&2; exit 3"}, .talks_on = 4});
  CHECK(gone.hear(line, 20s) == process::heard::line);
  CHECK(gone.hear(line, 20s) == process::heard::end);
  CHECK(gone.say("nobody hears this", 20s));
  CHECK(gone.wait(20s) == 3);
  CHECK(gone.err() == "why\n");
  process endless({.words = {"cat", "/dev/zero"}, .talks_on = 0});
  CHECK_THROWS_WITH_AS(endless.hear(line, 50s), "it says a line that does not end", ovlp::io_error);
}

TEST_CASE("one that does not listen is not waited for longer, and is told that no more will be said") {
  std::string line;
  process listener({.words = {"sh", "-c", "while read a; do echo $a; done; echo over"}, .talks_on = 0});
  CHECK(listener.say("one", 20s));
  listener.hang_up();
  CHECK(listener.hear(line, 20s) == process::heard::line);
  CHECK(listener.hear(line, 20s) == process::heard::line);
  CHECK(line == "over");
  CHECK(listener.wait(20s) == 0);
  process busy({.words = {"sleep", "1000"}, .talks_on = 0});
  std::string more_than_fits;
  more_than_fits.resize(10'000'000, 'x');
  CHECK(!busy.say(more_than_fits, 0.2s));
}

TEST_CASE("who ends is not waited for longer because of what it leaves behind") {
  outcome const ended = run({{"sh", "-c", "sleep 1 & echo done"}});
  CHECK(ended.out == "done\n");
  CHECK(ended.good());
}

TEST_CASE("the CPU time of a program is told, with that of those that it waited for") {
  char const* const loop = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
  outcome const ended = run({{"sh", "-c", "sh -c '" + std::string(loop) + "'; true"}});
  CHECK(ended.cpu_s > 0.01);
  CHECK(ended.cpu_s < 60);
}

TEST_CASE("a program that is not there is named") {
  CHECK_THROWS_WITH_AS(run({{"no-such-program"}}), "'no-such-program' is not on PATH, or no file", ovlp::io_error);
}

}  // namespace
