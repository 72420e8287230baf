// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/runtime/internal/cluster_link.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/sockets.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp {
namespace {

struct found_link {
  int descriptor = -1;
  std::vector<base::host> hosts = {};
};

/// Of each node that is held; none: all are processes of this machine.
std::vector<base::host> hosts_in(base::json_object& said) {
  std::vector<base::host> hosts;
  if (!said.has("hosts")) return hosts;
  for (base::json_object& one : said.objects("hosts")) {
    hosts.push_back({one.text("name"), one.text("address")});
    one.end();
  }
  return hosts;
}

/// What the server hands to a job that it has started, as a line of standard input: where it listens, and what a job
/// has to say there first.
found_link connect_as_told() {
  std::string const where = "OVLP_CLUSTER=stdin: the first line of standard input";
  nlohmann::json const content = base::parse_json(base::read_input_line(), where);
  base::json_object told(content, where);
  std::string const address = told.text("address"), secret = told.text("secret");
  std::size_t const port = told.count("port", 1), job = told.count("job", 0);
  if (port > 65535) told.fail(told.path("port"), "at most 65535", told.at("port"));
  found_link made;
  made.hosts = hosts_in(told);
  told.end();
  made.descriptor = base::connect_to(address, static_cast<std::uint16_t>(port));
  std::string const hello = nlohmann::json{{"job", job}, {"secret", secret}}.dump() + "\n";
  if (::send(made.descriptor, hello.data(), hello.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(hello.size()))
    throw io_error("the server of the cluster has gone");
  return made;
}

found_link find_link(std::string_view said, bool simulated) {
  found_link made;
  if (said == "stdin") {
    if (simulated)
      throw config_error(
          "this is a simulated program, whose time is not that of a real cluster: expected one that runs for real");
    made = connect_as_told();
  } else if (!said.starts_with("fd:") || !base::read_number(said.substr(3), made.descriptor) || made.descriptor <= 2) {
    made.descriptor = -1;
  }
  if (::fcntl(made.descriptor, F_SETFD, FD_CLOEXEC) != 0)
    throw config_error("OVLP_CLUSTER: expected stdin, or fd:N with an open descriptor, got " + base::quoted(said));
  return made;
}

}  // namespace

std::shared_ptr<cluster_link> cluster_link::find(plan first, bool simulated) {
  char const* const said = std::getenv("OVLP_CLUSTER");  // NOLINT(concurrency-mt-unsafe): before there are threads
  if (said == nullptr || *said == '\0') return nullptr;
  static std::atomic<bool> found = false;
  if (found.exchange(true)) throw config_error("a job of a cluster makes one engine, got another one");
  found_link made = find_link(said, simulated);
  return std::make_shared<cluster_link>(made.descriptor, std::move(first), simulated, std::move(made.hosts));
}

cluster_link::~cluster_link() {
  {
    std::scoped_lock const lock(mutex_);
    over_ = true;
  }
  ::shutdown(link_, SHUT_RDWR);  // wakes who waits
  hears_ = {};
  ::close(link_);
}

std::vector<base::host> cluster_link::hosts() const {
  std::scoped_lock const lock(mutex_);
  return hosts_;
}

void cluster_link::tell(std::string_view report, double at_s, std::string_view more) {
  base::text_writer said;
  said << "{\"report\":\"" << report << "\",\"at_s\":" << base::shortest(at_s - *begin_s_) << more << "}\n";
  std::string const line = said.str();
  std::string_view left = line;
  while (!left.empty()) {  // who does not read any more is noticed at the next border
    ssize_t const sent = ::send(link_, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return;
    if (sent > 0) left.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void cluster_link::started(double begin_s, double now_s, std::function<void(std::string const&)> lost) {
  std::scoped_lock const lock(mutex_);
  begin_s_ = begin_s;
  tell("started", now_s, ",\"nodes\":" + nlohmann::json(nodes_).dump());
  if (!simulated_) hears_ = std::jthread([this, lost = std::move(lost)] { hear_all(lost); });
}

void cluster_link::node(node_record const& change) {
  std::scoped_lock const lock(mutex_);
  if (change.change == node_change::launched) return;
  bool const joined = change.change == node_change::joined;
  std::string const which = ",\"node\":" + std::to_string(change.node);
  if (!begin_s_) {
    if (joined) nodes_.insert(change.node);
  } else if (simulated_) {
    tell(joined ? "joined" : "released", change.at_s, which);
  } else if (!joined) {
    leaving_.insert(change.node);
  } else {
    if (leaving_.erase(change.node) > 0) tell("released", change.at_s, which);  // and has been launched again since
    tell("joined", change.at_s, which);
  }
}

void cluster_link::gone(std::set<std::uint32_t> const& nodes, double now_s) {
  std::scoped_lock const lock(mutex_);
  for (std::uint32_t const node : nodes) {
    if (leaving_.erase(node) > 0) tell("released", now_s, ",\"node\":" + std::to_string(node));
  }
}

void cluster_link::stop_asking() {
  std::unique_lock lock(mutex_);
  over_ = true;
  called_.wait(lock, [this] { return !calls_out_; });
}

/// Without the lock: what is called may tell us something. False: the run needs the server no more.
template <class Call>
bool cluster_link::call_out(Call const& call) {
  std::unique_lock lock(mutex_);
  if (over_) return false;
  calls_out_ = true;
  lock.unlock();
  call();
  lock.lock();
  calls_out_ = false;
  called_.notify_all();
  return true;
}

void cluster_link::end(end_record const& how) {
  std::scoped_lock const lock(mutex_);
  if (begin_s_ && how.failure.empty()) tell("ended", how.at_s);
}

std::string cluster_link::hear() {
  for (;;) {
    if (std::size_t const end = heard_.find('\n'); end != std::string::npos) {
      std::string line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> piece{};
    ssize_t const got = ::recv(link_, piece.data(), piece.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || heard_.size() > piece.size())
      throw error("the server of the cluster " + std::string(got <= 0 ? "has gone" : "says no line"));
    heard_.append(piece.data(), static_cast<std::size_t>(got));
  }
}

std::optional<ovlp::decision> cluster_link::hear_decision(std::string const& line, border const& asked) {
  std::string const where = "the answer of the cluster's server";
  nlohmann::json const content = base::parse_json(line, where);
  base::json_object answer(content, where);
  std::size_t const nodes = answer.count("hold", 1);
  std::vector<base::host> hosts = hosts_in(answer);
  answer.end();
  std::scoped_lock const lock(mutex_);
  if (hosts.size() != (hosts_.empty() ? 0 : nodes))
    throw error(where + ": expected the host of each node that is held, if any was said before");
  hosts_ = std::move(hosts);
  if (nodes == asked.held.nodes) return std::nullopt;
  return ovlp::decision{{nodes}, "the cluster"};
}

void cluster_link::tell_border(border const& at) {
  tell("border", at.at_s,
       ",\"iteration\":" + std::to_string(at.iteration) +
           ",\"efficiency\":" + base::shortest(at.efficiency.value_or(1)));
}

std::optional<ovlp::decision> cluster_link::decide(border const& at) {
  {
    std::scoped_lock const lock(mutex_);
    tell_border(at);
  }
  return hear_decision(hear(), at);
}

void cluster_link::ask(border const& at, answer const& then) {
  if (simulated_) return policy::ask(at, then);
  std::scoped_lock const lock(mutex_);
  asked_.emplace(at, then);
  tell_border(at);
}

/// What is to be done with an answer is done here, and may lead to the next question.
void cluster_link::hear_all(std::function<void(std::string const&)> const& lost) {
  for (;;) {
    std::string line, wrong;
    try {
      line = hear();
    } catch (error const& gone) {
      wrong = gone.what();
    }
    auto const asked = [this] {
      std::scoped_lock const lock(mutex_);
      return std::exchange(asked_, std::nullopt);
    }();
    if (!asked) {
      call_out([&] { lost(wrong.empty() ? "the server of the cluster answers what nobody asked" : wrong); });
      return;
    }
    std::optional<ovlp::decision> made;
    try {
      if (wrong.empty()) made = hear_decision(line, asked->first);
    } catch (std::exception const& thrown) {
      wrong = thrown.what();
    }
    if (!call_out([&] { asked->second(made, wrong); }) || !wrong.empty()) return;
  }
}

}  // namespace ovlp
