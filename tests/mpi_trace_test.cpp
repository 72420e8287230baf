// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/mpi/trace_file.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/mpi/check.hpp>
#include <ovlp/mpi/collectives.hpp>
#include <ovlp/mpi/describe.hpp>

namespace {

using namespace ovlp::mpi;

/// Files in a folder of their own.
class files {
 public:
  std::string write(std::string const& name, std::string const& contents) const {
    ovlp::base::write_file(path(name), contents);
    return path(name);
  }
  std::string path(std::string const& name) const { return (folder_.path() / name).string(); }

 private:
  ovlp::base::temporary_folder folder_;
};

/// What is wrong, without the folder of the file; empty: nothing.
std::string fault(std::function<void()> const& of) {
  try {
    of();
  } catch (ovlp::config_error const& wrong) {
    std::string text = wrong.what();
    std::size_t const folder = text.find("/trace.");
    return folder == std::string::npos ? text : text.substr(folder + 1);
  }
  return "";
}
std::string fault_of_file(std::string const& name, std::string const& contents) {
  files const in;
  return fault([&] { read_trace(in.write(name, contents)); });
}
bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// All of it but its name.
std::string written(trace t) {
  files const in;
  t.name = "trace";
  write_trace(t, in.path("trace.mpitrace"));
  return ovlp::base::read_file(in.path("trace.mpitrace"));
}

trace of_ranks(std::size_t ranks) {
  trace made;
  made.name = "test";
  made.ranks.resize(ranks);
  std::vector<rank_id>& all = made.communicators.emplace_back();
  for (std::size_t r = 0; r < ranks; ++r) all.push_back(static_cast<rank_id>(r));
  return made;
}

/// A record of each kind, with all that it can say.
trace of_everything() {
  trace t = of_ranks(3);
  t.name = "all of it";
  t.communicators.push_back({2, 0});
  t.ranks[0].profiles.push_back({0.25, 1.0 / 3, {0, 0.1F, access_profile::never, 1}});
  t.ranks[0].counts.push_back({1, 2, 3});
  t.ranks[0].records = {compute{1.0 / 3},
                        marker{60000001, 18446744073709551615U},
                        send{1, 7, 1000, 0, 5, 0, protocol::eager},
                        send{2, -3, 10, 1, none, none, protocol::rendezvous},
                        wait{5},
                        collective{operation::gather, 0, 1, 6, 0, none, 0},
                        collective{operation::all_reduce, 1, 0, 8, 8, 9},
                        compute{0},
                        wait{9}};
  t.ranks[1].records = {receive{0, 7, 1000, 0, 0}, wait{0}, collective{operation::gather, 0, 1, 6, 18}};
  t.ranks[2].records = {receive{0, -3, 10, 1}, collective{operation::gather, 0, 1, 6, 0},
                        collective{operation::all_reduce, 1, 0, 8, 8, 0}, wait{0}};
  return t;
}

std::string text_of(trace const& t) {
  files const in;
  write_trace(t, in.path("trace.mpitrace"));
  return ovlp::base::read_file(in.path("trace.mpitrace"));
}

constexpr char const* two_tasks =
    "#DIMEMAS:\"mini\":1,00000000000000000346:2(1,1),1\n"
    "d:1:1:2:0:1\n"
    "1:0:0:0.000000001\n20:0:0:60000001:1\n1:0:0:0.000100000\n2:0:0:1:-1:1000:7:1:0\n1:0:0:0.000050000\n"
    "10:0:0:10:1:1:0:8:8:1\n1:0:0:0.000010000\n20:0:0:60000001:0\n"
    "1:1:0:0.000000001\n20:1:0:60000001:1\n3:1:0:0:-1:1000:7:1:0\n1:1:0:0.000050000\n10:1:0:10:1:0:0:8:8:1\n"
    "1:1:0:0.000010000\n20:1:0:60000001:0\n"
    "s:0:60\ns:1:212\n";

/// The two tasks with a text in the place of another of the same length.
std::string two_tasks_with(std::string const& what, std::string const& instead) {
  std::string text = two_tasks;
  REQUIRE(what.size() == instead.size());
  return text.replace(text.find(what), what.size(), instead);
}

}  // namespace

TEST_CASE("our own format loses nothing, and what is read is written in the same way") {
  trace const t = of_everything();
  check(t);
  files const in;
  write_trace(t, in.path("trace.mpitrace"));
  trace const again = read_trace(in.path("trace.mpitrace"));
  CHECK(again.name == t.name);
  CHECK(again.communicators == t.communicators);
  CHECK(again.ranks[0].counts == t.ranks[0].counts);
  CHECK(again.ranks[0].profiles[0].end_s == 1.0 / 3);
  CHECK(again.ranks[0].profiles[0].shares == t.ranks[0].profiles[0].shares);
  auto const& sent = std::get<send>(again.ranks[0].records[2]);
  CHECK(sent.request == 5);
  CHECK(sent.profile == 0);
  CHECK(sent.how == protocol::eager);
  CHECK(std::get<compute>(again.ranks[0].records[0]).duration_s == 1.0 / 3);
  CHECK(text_of(again) == text_of(t));
}

TEST_CASE("a file of our own that is cut anywhere, or changed, is not read") {
  std::string const text = text_of(of_everything());
  CHECK(fault_of_file("trace.mpitrace", text) == "");
  for (std::size_t size = 17; size + 1 < text.size(); ++size)
    REQUIRE(fault_of_file("trace.mpitrace", text.substr(0, size)) != "");
  CHECK(fault_of_file("trace.mpitrace", text.substr(0, text.find("\nend") + 1)) ==
        "trace.mpitrace:25: the file is cut short: expected 'end' and the number of records as its last line");
  auto const with = [&](std::string const& line) {
    return fault_of_file("trace.mpitrace", "ovlp mpi trace 1\nname x\ncommunicator 0\nrank 0\n" + line + "\nend 1\n");
  };
  CHECK(with("compute 1") == "");
  CHECK(with("compute -1") == "trace.mpitrace:5: expected seconds, a number of 0 or more, got '-1'");
  CHECK(with("compute nan") == "trace.mpitrace:5: expected seconds, a number of 0 or more, got 'nan'");
  CHECK(with("compute 1 2") == "trace.mpitrace:5: expected the end of the line, got '2'");
  CHECK(with("dance 1") == "trace.mpitrace:5: expected a record, got 'dance'");
  CHECK(with("send 0 1 x") == "trace.mpitrace:5: expected bytes, a whole number 0 or more, got 'x'");
  CHECK(with("send 0 1 1 color=3") == "trace.mpitrace:5: expected communicator=, request= or profile=, got 'color=3'");
  CHECK(with("rank 2") == "trace.mpitrace:5: expected the next rank, a whole number from 1 to 1, got '2'");
  CHECK(with("") == "trace.mpitrace:6: expected 1 records, as this line says, and found 0");
}

TEST_CASE("a file of no format is refused, and so is one that cannot be written") {
  CHECK(has(fault_of_file("trace.txt", "hello\n"), "trace.txt: expected a trace of an MPI program, in one of these"));
  CHECK(has(fault_of_file("trace.txt", ""), "trace.txt: expected a trace of an MPI program"));
  CHECK(has(fault([] { read_trace("/nowhere/trace.dim"); }), "cannot be read"));
  CHECK(has(fault([] { write_trace(of_ranks(1), "/tmp/x.prv"); }), "expected a name that ends in .mpitrace or .dim"));
}

TEST_CASE("a trace of Dimemas is read as it stands") {
  files const in;
  trace const t = read_trace(in.write("mini.dim", two_tasks));
  CHECK(t.name == "mini");
  REQUIRE(t.ranks.size() == 2);
  REQUIRE(t.ranks[0].records.size() == 8);
  auto const& sent = std::get<send>(t.ranks[0].records[3]);
  CHECK(sent.to == 1);
  CHECK(sent.tag == 7);
  CHECK(sent.bytes == 1000);
  CHECK(sent.how == protocol::eager);
  CHECK(sent.communicator == 0);
  auto const& reduced = std::get<collective>(t.ranks[1].records[4]);
  CHECK(reduced.what == operation::reduce);
  CHECK(reduced.root == 0);
}

TEST_CASE("what Dimemas knows of a trace comes back from its format") {
  trace t = of_ranks(3);
  t.communicators.push_back({0, 2});
  t.ranks[0].records = {compute{0.1},
                        send{1, 7, 1000, 0, none, none, protocol::eager},
                        send{2, 7, 10, 1, 0, none, protocol::rendezvous},
                        collective{operation::broadcast, 1, 2, 8, 8, 1},
                        compute{1e-9},
                        wait{1},
                        collective{operation::scan, 0, 0, 4, 4}};
  t.ranks[1].records = {compute{1e-9}, receive{0, 7, 1000, 0, 0}, marker{3, 4}, wait{0},
                        collective{operation::scan, 0, 0, 4, 4}};
  t.ranks[2].records = {compute{2}, receive{0, 7, 10, 1}, collective{operation::broadcast, 1, 2, 8, 8, 0}, wait{0},
                        collective{operation::scan, 0, 0, 4, 4}};
  files const in;
  write_trace(t, in.path("test.dim"));
  trace const again = read_trace(in.path("test.dim"));
  CHECK(text_of(again) == text_of(t));
}

TEST_CASE("a trace of Dimemas that its own reader would crash on, or that is wrong, is refused") {
  auto const with = [](std::string const& what, std::string const& instead) {
    return fault_of_file("trace.dim", two_tasks_with(what, instead));
  };
  std::string without_table = two_tasks;
  without_table.replace(without_table.find("1,0000000"), 22, "0");
  CHECK(has(fault_of_file("trace.dim", without_table), "trace.dim:1: there is no offset table"));
  std::string const text = two_tasks;
  for (std::size_t size = 60; size < text.size() - 1; size += 7)
    REQUIRE(fault_of_file("trace.dim", text.substr(0, size)) != "");
  CHECK(has(fault_of_file("trace.dim", text.substr(0, 200)), "trace.dim:1: the file is cut short"));
  CHECK(has(fault_of_file("trace.dim", text.substr(0, text.find("s:1:"))), "expected an offset table of 2 tasks"));
  CHECK(has(with("s:1:212", "s:1:213"), "task 1 begins at byte 212, expected 213"));
  CHECK(has(with("1:0:0:0.000000001", "20:0:0:0000000:01"), "trace.dim:3: expected a burst as the first record"));
  CHECK(has(with("2:0:0:1:-1", "2:0:0:9:-1"), "trace.dim:6: expected a task, a whole number from 0 to 1, got '9'"));
  CHECK(has(with("2:0:0:1:-1", "2:0:0:1:00"), "dependencies between threads"));
  CHECK(has(with("1:0:0:0.000100000", "1:0:0:-.000100000"), "trace.dim:5: expected seconds"));
  CHECK(has(with("1000:7:1:0\n1:0:0", "1000:7:1:5\n1:0:0"), "trace.dim:6: expected how it is sent"));
  CHECK(has(with("3:1:0:0:-1:1000:7:1:0", "3:1:0:0:-1:1000:7:1:2"), "a wait for what has not begun"));
  CHECK(has(with("3:1:0:0:-1:1000:7:1:0", "3:1:0:0:-1:1000:7:2:0"), "expected a communicator that is defined, got 2"));
  CHECK(has(with("3:1:0:0:-1:1000:7", "3:1:0:0:-1:1000:8"),
            "rank 1, call 1: receive from rank 0, tag 8, 1000 bytes: there is no send for it"));
  CHECK(has(with("10:1:0:10", "10:1:0:11"), "rank 1, call 2: all_reduce: expected the same as rank 0, call 2: reduce"));
}

TEST_CASE("a time-independent trace of SimGrid is read") {
  files const in;
  std::string const file = in.write("ti.txt",
                                    "0 init\n1 init\n0 compute 5e8\n0 send 1 7 1e3 0\n1 irecv 0 7 1000 0\n"
                                    "1 compute 1e9\n1 wait 0 1 7\n0 bcast 10 1\n1 bcast 10 1\n0 allreduce 4 2e9 1\n"
                                    "1 allreduce 4 2e9 1\n0 allgatherv 3 3 5\n1 allgatherv 5 3 5\n0 alltoall 2 2\n"
                                    "1 alltoall 2 2\n0 isend 1 9 1\n1 recv 0 9 1\n0 finalize\n1 finalize\n");
  trace const t = read_trace(file, 1e9);
  CHECK(t.name == "ti");
  auto const& first = t.ranks[0].records;
  auto const& second = t.ranks[1].records;
  REQUIRE(first.size() == 9);
  CHECK(std::get<compute>(first[0]).duration_s == 0.5);
  CHECK(std::get<send>(first[1]).bytes == 8000);
  CHECK(std::get<collective>(first[2]).root == 1);
  CHECK(std::get<collective>(first[2]).bytes_sent == 10);
  CHECK(std::get<collective>(first[3]).bytes_sent == 16);
  CHECK(std::get<compute>(first[4]).duration_s == 2);
  CHECK(std::get<collective>(first[5]).bytes_received == 8);
  CHECK(t.ranks[0].counts[0] == std::vector<std::uint64_t>{3, 5});
  CHECK(std::get<collective>(first[6]).bytes_sent == 4);
  CHECK(std::get<wait>(first[8]).request == std::get<send>(first[7]).request);
  CHECK(std::get<receive>(second[0]).request == std::get<wait>(second[2]).request);
  CHECK(std::get<compute>(read_trace(file, 1e6).ranks[0].records[0]).duration_s == 500);

  CHECK(has(fault_of_file("trace.txt", "0 init\n0 dance\n"),
            "trace.txt:2: expected an action of SMPI's replay, got 'dance'"));
  CHECK(has(fault_of_file("trace.txt", "0 init\n0 send 1 7\n"),
            "trace.txt:2: expected a rank, a whole number from 0 to 0"));
  CHECK(has(fault_of_file("trace.txt", "0 init\n1 init\n0 send 1 7\n"), "trace.txt:3: expected elements, a number"));
  CHECK(has(fault_of_file("trace.txt", "0 init\n0 finalize\n0 compute 1\n"), "trace.txt:3: expected no action"));
  CHECK(has(fault_of_file("trace.txt", "0 init\n4000000 init\n"),
            "trace.txt: expected actions of each of 4000001 ranks, got 2 in all"));
  CHECK(has(fault_of_file("trace.txt", "0 init\n1 init\n0 send 1 7 10\n"), "there is no receive for it"));
}

TEST_CASE("files of time-independent traces, a rank each, are read by their list") {
  files const in;
  in.write("rank-0.txt", "0 init\n0 compute 5\n0 send 1 7 100\n0 finalize");  // without a last line end
  in.write("rank-1.txt", "1 init\n1 recv 0 7 100\n1 finalize");
  std::string const whole = in.write("whole.txt",
                                     "0 init\n0 compute 5\n0 send 1 7 100\n0 finalize\n1 init\n"
                                     "1 recv 0 7 100\n1 finalize\n");
  trace const listed = read_trace(in.write("list.txt", "rank-0.txt\n\nrank-1.txt"));
  CHECK(listed.name == "list");
  CHECK(written(listed) == written(read_trace(whole)));
  CHECK(has(fault_of_file("trace.txt", "no-such.txt\n"), "trace.txt:1: expected the name of a trace beside this list"));
  in.write("rank-1.txt", "1 init\n1 reciv 0 7 100\n");
  std::string said;
  try {
    read_trace(in.path("list.txt"));
  } catch (ovlp::config_error const& wrong) {
    said = wrong.what();
  }
  CHECK(has(said, "rank-1.txt:2: expected an action of SMPI's replay, got 'reciv'"));
}

TEST_CASE("comments of GOAL mean nothing") {
  files const in;
  std::string const plain = "num_ranks 1\nrank 0 {\na: calc 5\nb: calc 6\nb requires a\n}\n";
  std::string const commented =
      "// made by\n/* two\nlines */ num_ranks 1 // one\nrank 0 { /* begins */\na: calc /* ns */ 5\n// b: calc 7\n"
      "b: calc 6\nb requires a//\n}\n/**/";
  CHECK(written(read_trace(in.write("trace.goal", commented))) == written(read_trace(in.write("plain.goal", plain))));
  CHECK(has(fault_of_file("trace.goal", "num_ranks 1\nrank 0 {\n/* calc 5\n}\n"), "trace.goal:3: expected the end of"));
  CHECK(has(fault_of_file("trace.goal", "/* x */\nnum_ranks 1\nrank 0 {\n\n/* y\n*/ calk 5\n}\n"), "trace.goal:6: "));
}

TEST_CASE("a schedule of GOAL becomes calls in an order that its dependencies allow") {
  files const in;
  trace const t = read_trace(in.write("goal.txt",
                                      "num_ranks 2\nrank 0 {\nl1: calc 100 cpu 0\nl2: send 10b to 1 tag 7\n"
                                      "l2 requires l1\nl3: recv 8b from 1\nl4: calc 50\nl4 requires l3\n}\n"
                                      "rank 1 {\nr: recv 10b from 0 tag 7\ns: send 8b to 0\ns irequires r\n}\n"));
  auto const& first = t.ranks[0].records;
  REQUIRE(first.size() == 6);
  CHECK(std::get<receive>(first[0]).bytes == 8);  // nothing is before it
  CHECK(std::get<compute>(first[1]).duration_s == doctest::Approx(1e-7));
  CHECK(std::get<send>(first[2]).tag == 7);
  CHECK(std::get<wait>(first[3]).request == std::get<receive>(first[0]).request);
  CHECK(std::get<compute>(first[4]).duration_s == doctest::Approx(5e-8));
  CHECK(std::get<wait>(first[5]).request == std::get<send>(first[2]).request);
  auto const& second = t.ranks[1].records;
  REQUIRE(second.size() == 4);
  CHECK(std::holds_alternative<receive>(second[0]));
  CHECK(std::holds_alternative<send>(second[1]));

  auto const with = [](std::string const& statements) {
    return fault_of_file("trace.goal", "num_ranks 1\nrank 0 {\n" + statements + "\n}\n");
  };
  CHECK(with("calc 5") == "");
  CHECK(has(with("a: calc 5\nb: calc 5\na requires b\nb requires a"), "dependencies of rank 0 go in a circle"));
  CHECK(has(with("a requires b"), "trace.goal:3: expected calc, send, recv, or a label that stands above, got 'a'"));
  CHECK(has(with("calc 5 cpu 1"), "trace.goal:3: expected cpu 0"));
  CHECK(has(with("send 5 to 0"), "trace.goal:3: expected"));
  CHECK(has(fault_of_file("trace.goal", "num_ranks 1\nrank 0 {\ncalc 5\n"), "expected '}' at the end of rank 0"));
  CHECK(has(fault_of_file("trace.goal", "num_ranks 2\nrank 0 {\n}\n"), "expected 2 ranks, got 1"));
}

TEST_CASE("a trace is checked: who disagrees, and where, is said") {
  trace t = of_ranks(2);
  t.ranks[0].records = {compute{1}, send{1, 7, 100}};
  auto const faults = [&] { return fault([&] { check(t); }); };
  CHECK(faults() ==
        "trace 'test': rank 0, call 1: send to rank 1, tag 7, 100 bytes: there is no receive for it: rank 1 receives 0 "
        "messages with this tag");
  t.ranks[1].records = {receive{0, 7, 99}};
  CHECK(has(faults(), "rank 1, call 1: receive from rank 0, tag 7, 99 bytes: the message that it gets has 100 bytes"));
  t.ranks[1].records = {receive{0, 7, 100}, receive{0, 7, 100}};
  CHECK(has(faults(), "rank 1, call 2: receive from rank 0, tag 7, 100 bytes: there is no send for it"));
  t.ranks[1].records = {receive{0, 7, 100}};
  CHECK(faults() == "");
  t.ranks[1].records.emplace_back(wait{3});
  CHECK(has(faults(), "rank 1, call 2: wait for request 3: expected a request that has begun"));
  t.ranks[1].records.back() = collective{operation::barrier};
  CHECK(has(faults(), "rank 1, call 2: barrier: rank 0 makes only 0 collectives"));
  t.ranks[0].records.emplace_back(collective{operation::barrier});
  t.ranks[0].records.emplace_back(collective{operation::scan});
  CHECK(has(faults(),
            "rank 1 makes 1 collectives of communicator 0, expected 2, as rank 0 does: the next is rank 0, "
            "call 3: scan"));
  t.ranks[1].records.emplace_back(collective{operation::scan, 0, 0, 0, 0, 5});
  CHECK(has(faults(), "expected the same as rank 0, call 3: scan"));
  t.ranks[1].records.back() = collective{operation::scan, 4};
  CHECK(has(faults(), "expected a communicator that exists"));
  t.ranks[1].records.back() = compute{-1};
  CHECK(has(faults(), "rank 1, record 3: expected a duration of 0 or more"));
  t.ranks[1].records.back() = receive{5, 1, 1};
  CHECK(has(faults(), "expected a communicator that has rank 5"));
  t.communicators = {{0, 0}};
  CHECK(has(faults(), "communicator 0: expected different ranks from 0 to 1, got 0"));
}

TEST_CASE("figures beyond what is possible are refused") {
  auto const faults = [](record const& r, std::vector<access_profile> const& profiles = {}) {
    trace t = of_ranks(1);
    t.ranks[0] = {{compute{2}, r}, profiles, {}};
    return fault([&] { check(t); });
  };
  CHECK(faults(compute{5e8}) == "");
  CHECK(has(faults(compute{1e300}), "rank 0, record 2: expected a rank that computes for 10^9 seconds at most"));
  CHECK(has(faults(send{0, 7, std::uint64_t{1} << 63}), "expected 2^40 bytes at most"));
  CHECK(has(faults(receive{0, 7, std::uint64_t{1} << 63}), "expected 2^40 bytes at most"));
  CHECK(has(faults(collective{operation::all_reduce, 0, 0, 8, ~std::uint64_t{0}}), "expected 2^40 bytes at most"));
  CHECK(faults(compute{1}, {{0, 3, {0, 1}}}) == "");
  char const* const why = "rank 0, profile 0: expected an interval of what the rank computes";
  CHECK(has(faults(compute{1}, {{0, 3.1, {0, 1}}}), why));
  CHECK(has(faults(compute{1}, {{-1, 3, {0, 1}}}), why));
  CHECK(has(faults(compute{1}, {{2, 1, {0, 1}}}), why));
  CHECK(has(faults(compute{1}, {{0, 3, {1.5F}}}), why));
}

TEST_CASE("ranks that disagree in the bytes of a collective are refused") {
  using bytes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // given and got
  auto const faults = [](operation what, bytes const& moved) {
    trace t = of_ranks(moved.size());
    for (std::size_t r = 0; r < moved.size(); ++r)
      t.ranks[r].records = {collective{what, 0, has_root(what) ? 1 : 0, moved[r].first, moved[r].second}};
    return fault([&] { check_bytes_of_collectives(t); });
  };
  struct {
    operation what;
    bytes agree, disagree;
    char const* why;
  } const cases[] = {
      {operation::barrier, {{0, 0}, {0, 0}}, {}, ""},
      {operation::broadcast, {{0, 8}, {8, 0}}, {{0, 9}, {8, 0}}, "rank 0, call 1: broadcast"},
      {operation::gather, {{5, 0}, {3, 8}}, {{5, 0}, {3, 7}}, "gets 7 bytes, expected 8"},
      {operation::scatter, {{0, 3}, {8, 5}}, {{0, 3}, {9, 5}}, "gives 9 bytes, expected 8"},
      {operation::all_gather, {{5, 8}, {3, 8}}, {{5, 8}, {3, 6}}, "rank 1, call 1"},
      {operation::all_to_all, {{5, 7}, {9, 7}}, {{5, 7}, {9, 8}}, "gives, with all other ranks, 14 bytes, expected 15"},
      {operation::reduce, {{8, 0}, {8, 8}}, {{4, 0}, {8, 8}}, "gives 4 bytes, expected 8"},
      {operation::all_reduce, {{8, 8}, {8, 8}}, {{8, 8}, {8, 4}}, "rank 1, call 1"},
      {operation::scan, {{8, 8}, {8, 8}}, {{8, 8}, {4, 4}}, "rank 1, call 1"},
      {operation::exclusive_scan, {{8, 8}, {8, 8}}, {{8, 8}, {4, 8}}, "rank 1, call 1"},
      {operation::reduce_scatter, {{8, 5}, {8, 3}}, {{8, 5}, {7, 3}}, "gives 7 bytes, expected 8"},
  };
  for (auto const& one : cases) {
    CAPTURE(name_of(one.what));
    CHECK(faults(one.what, one.agree) == "");
    if (!one.disagree.empty()) CHECK(has(faults(one.what, one.disagree), one.why));
  }
}

TEST_CASE("every algorithm of every collective makes messages that match, for any number of ranks") {
  for (collective_algorithm const& a : collective_algorithms()) {
    for (std::size_t ranks = 1; ranks <= 9; ++ranks) {
      for (rank_id root : {rank_id{0}, static_cast<rank_id>(ranks - 1)}) {
        trace t = of_ranks(ranks);
        collective const c{a.of, 0, has_root(a.of) ? root : 0, 100 * ranks, 100 * ranks};
        for (std::size_t place = 0; place < ranks; ++place)
          t.ranks[place].records = a.part({c, t.communicators[0], place, {}, collective_tag(0)});
        INFO(name_of(a.of) << ' ' << a.name << ", " << ranks << " ranks");
        REQUIRE(fault([&] { check(t); }) == "");
        bool const silent = std::ranges::all_of(t.ranks, [](trace_of_rank const& r) { return r.records.empty(); });
        CHECK(silent == (ranks == 1));
      }
    }
  }
}

TEST_CASE("algorithms of collectives are chosen by name, for one operation or for all that know it") {
  CHECK(collective_choice().name(operation::all_reduce) == "recursive-doubling");
  collective_choice const some("linear,all_reduce=ring");
  CHECK(some.name(operation::all_reduce) == "ring");
  CHECK(some.name(operation::broadcast) == "linear");
  CHECK(collective_choice("ring").name(operation::gather) == "linear");
  CHECK(has(fault([] { collective_choice("magic"); }), "expected one of dissemination, binomial, linear, ring"));
  CHECK(fault([] { collective_choice("barrier=ring"); }) ==
        "collectives: expected one of dissemination, binomial, linear for barrier, got 'ring'");
  CHECK(has(fault([] { collective_choice("dance=ring"); }), "expected an operation before '='"));
}
