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

#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>

namespace ovlp {

std::shared_ptr<cluster_link> cluster_link::find(plan first, bool simulated) {
  char const* const said = std::getenv("OVLP_CLUSTER");  // NOLINT(concurrency-mt-unsafe): before there are threads
  if (said == nullptr || *said == '\0') return nullptr;
  static std::atomic<bool> found = false;
  if (found.exchange(true)) throw config_error("a job of a cluster makes one engine, got another one");
  std::string_view const text = said;
  int link = -1;
  bool const is_one = text.starts_with("fd:") && base::read_number(text.substr(3), link) && link > 2 &&
                      ::fcntl(link, F_SETFD, FD_CLOEXEC) == 0;
  if (!is_one) throw config_error("OVLP_CLUSTER: expected fd:N with an open descriptor, got " + base::quoted(text));
  return std::make_shared<cluster_link>(link, std::move(first), simulated);
}

cluster_link::~cluster_link() {
  ::shutdown(link_, SHUT_RDWR);  // wakes who waits
  waits_ = {};
  ::close(link_);
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

void cluster_link::started(double begin_s, double now_s) {
  std::scoped_lock const lock(mutex_);
  begin_s_ = begin_s;
  tell("started", now_s, ",\"nodes\":" + nlohmann::json(nodes_).dump());
}

void cluster_link::node(node_record const& change) {
  std::scoped_lock const lock(mutex_);
  if (change.change == node_change::launched) return;
  bool const joined = change.change == node_change::joined;
  if (begin_s_) {
    tell(joined ? "joined" : "released", change.at_s, ",\"node\":" + std::to_string(change.node));
  } else if (joined) {
    nodes_.insert(change.node);
  }
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

std::optional<ovlp::decision> cluster_link::hear_decision(border const& asked) {
  std::string const where = "the answer of the cluster's server";
  nlohmann::json const content = base::parse_json(hear(), where);
  base::json_object answer(content, where);
  std::size_t const nodes = answer.count("hold", 1);
  answer.end();
  if (nodes == asked.held.nodes) return std::nullopt;
  return ovlp::decision{{nodes}, "the cluster"};
}

std::optional<ovlp::decision> cluster_link::decide(border const& at) {
  {
    std::scoped_lock const lock(mutex_);
    tell("border", at.at_s,
         ",\"iteration\":" + std::to_string(at.iteration) +
             ",\"efficiency\":" + base::shortest(at.efficiency.value_or(1)));
  }
  return hear_decision(at);
}

void cluster_link::ask(border const& at, answer const& then) {
  if (simulated_) return policy::ask(at, then);
  std::scoped_lock const lock(mutex_);
  asked_.emplace(at, then);
  if (!waits_.joinable()) waits_ = std::jthread([this](std::stop_token const& stop) { answer_all(stop); });
  woken_.notify_one();
}

/// What is to be done with an answer is done here, and may lead to the next question.
void cluster_link::answer_all(std::stop_token const& stop) {
  for (;;) {
    std::unique_lock lock(mutex_);
    if (!woken_.wait(lock, stop, [this] { return asked_.has_value(); })) return;
    auto const [at, then] = *std::exchange(asked_, std::nullopt);
    lock.unlock();
    policy::ask(at, then);
  }
}

}  // namespace ovlp
