// SPDX-License-Identifier: BSD-3-Clause
// Hosts files as people and batch systems write them.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/hosts.hpp>

#include "support/process.hpp"

namespace {

using ovlp::base::host;
using words = std::vector<std::string>;

std::vector<host> hosts_in(std::string const& text) {
  ovlp::testing::temporary_folder const folder;
  return ovlp::base::read_hosts(folder.file("hosts", text));
}
words addresses(std::string const& text) {
  words found;
  for (host const& h : hosts_in(text)) found.push_back(h.address);
  return found;
}

void check_refused(std::string const& text, std::string const& complaint) {
  CAPTURE(text);
  CHECK_THROWS_WITH_AS(hosts_in(text), doctest::Contains(complaint.c_str()), ovlp::config_error);
}

}  // namespace

TEST_CASE("a line is a host, a list of hosts, or ranges of them") {
  CHECK(addresses("alpha\nbeta.cluster.org\n10.0.0.7") == words{"alpha", "beta.cluster.org", "10.0.0.7"});
  CHECK(addresses("alpha,beta , gamma") == words{"alpha", "beta", "gamma"});
  CHECK(addresses("alpha[01-03,07]") == words{"alpha01", "alpha02", "alpha03", "alpha07"});
  CHECK(addresses("n[8-11]") == words{"n8", "n9", "n10", "n11"});
  CHECK(addresses("n[08-11]") == words{"n08", "n09", "n10", "n11"});
  CHECK(addresses("n[099-100]-ib,login") == words{"n099-ib", "n100-ib", "login"});
  CHECK(addresses("r[1-2]n[1,3]") == words{"r1n1", "r1n3", "r2n1", "r2n3"});
}

TEST_CASE("a host is the place of as many nodes as its slots") {
  words const three{"alpha", "alpha", "beta"};
  CHECK(addresses("alpha slots=2\nbeta slots=1 max_slots=4") == three);
  CHECK(addresses("alpha max-slots=2 slots=2 # two\nbeta") == three);
  CHECK(addresses("alpha:2\nbeta:1") == three);
  CHECK(addresses("alpha:2,beta") == three);
  CHECK(addresses("a[1-2] slots=2") == words{"a1", "a1", "a2", "a2"});
}

TEST_CASE("comments, blanks, line ends of other systems and a byte order mark do not matter") {
  words const two{"alpha", "beta"};
  CHECK(addresses("\xef\xbb\xbf"
                  "alpha\nbeta\n") == two);
  CHECK(addresses("alpha\r\n\r\nbeta\r\n") == two);
  CHECK(addresses("# hosts\n\n  \talpha  # node 0\n#\nbeta# node 1") == two);
}

TEST_CASE("a user is for who starts the process, not for other nodes") {
  std::vector<host> const hosts = hosts_in("me@alpha\nsome.one@n[1-2]:2\nme@[::1]");
  REQUIRE(hosts.size() == 6);
  CHECK(hosts[0].name == "me@alpha");
  CHECK(hosts[0].address == "alpha");
  CHECK(hosts[0].machine() == "alpha");
  CHECK(hosts[4].name == "some.one@n2");
  CHECK(hosts[4].address == "n2");
  CHECK(hosts[5].name == "me@::1");
  CHECK(hosts[5].address == "::1");
}

TEST_CASE("an address of IPv6 stands with or without brackets, and with a number of nodes in them only") {
  CHECK(addresses("::1") == words{"::1"});
  CHECK(addresses("[::1]") == words{"::1"});
  CHECK(addresses("[fd00::7]:2,fe80::1%eth0") == words{"fd00::7", "fd00::7", "fe80::1%eth0"});
  CHECK(addresses("::ffff:10.0.0.1 slots=2") == words{"::ffff:10.0.0.1", "::ffff:10.0.0.1"});
}

TEST_CASE("what is none of these is refused with line, text and what was expected") {
  check_refused("alpha\nbeta 4", "line 2: expected one host, several with commas between them");
  check_refused("alpha beta", "got 'alpha beta'");
  check_refused("alpha cores=4", "'slots=N'");
  check_refused("alpha slots=0", "expected a number of at least 1");
  check_refused("alpha slots=many", "expected a number of at least 1");
  check_refused("alpha slots=4 max_slots=2", "expected no more slots than max_slots");
  check_refused("alpha slots=1 slots=2", "expected 'slots=' and 'max_slots=' once each");
  check_refused("alpha max_slots=3", "expected 'slots=N' beside 'max_slots='");
  check_refused("alpha:2 slots=3", "expected either HOST:N or 'slots=N', not both");
  check_refused("alpha slots=2x", "expected a blank after the number of slots");
  check_refused("alpha,beta slots=2", "expected 'slots=' on a line with one host only");
  check_refused("alpha,", "expected a host");
  check_refused("slots=2", "expected a host");
  check_refused("alpha:0", "expected a number of at least 1");
  check_refused("alpha:", "expected a number of at least 1");
  check_refused("n[3-1]", "expected a range that goes up");
  check_refused("n[1-3", "expected a range of numbers");
  check_refused("n[]", "expected a range of numbers");
  check_refused("n[a-c]", "expected a range of numbers");
  check_refused("n[-1]", "expected a range of numbers");
  check_refused("n[0-4194304]", "expected at most 4194304 hosts");
  check_refused("n[0-9999]m[0-9999]", "expected at most 4194304 hosts");
  check_refused("n[0-4000] slots=4000000", "expected at most 4194304 hosts");
  check_refused("n[0-99999999999999999999999]", "expected a smaller number");
  check_refused("[::1", "expected");
  check_refused("a@b@c", "expected a host");
  check_refused("@alpha", "expected a user before '@'");
}

TEST_CASE("no name can be an option or a command of whatever starts processes") {
  for (std::string const name : {"-oProxyCommand=reboot", "a;reboot", "$(reboot)", "`reboot`", "a|b", "'a'", "a\\b",
                                 "a/b", "-l@alpha", "alpha@-v", "\xc3\xa4", "a\x01", "{host}"}) {
    check_refused(name, "hosts', line 1: expected ");
  }
  check_refused(std::string("a\0b", 3), "got 'a?b'");
  check_refused(std::string(300, 'a'), "expected names of at most 255 characters");
  check_refused(std::string(1 << 20, '['), "expected");
}

TEST_CASE("ten thousand lines are read in no time") {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "host" + std::to_string(i) + " slots=4  # " + std::string(100, 'x') + "\n";
  std::vector<host> const hosts = hosts_in(text);
  REQUIRE(hosts.size() == 40'000);
  CHECK(hosts.back().address == "host9999");
}
