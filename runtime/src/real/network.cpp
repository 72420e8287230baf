// SPDX-License-Identifier: BSD-3-Clause
#include "network.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <sstream>

#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>

#include <ovlp/flowgraph/error.hpp>
#include <ovlp/runtime/internal/main_calls.hpp>
#include <ovlp/runtime/internal/process_exit.hpp>
#include <ovlp/runtime/internal/reallocation.hpp>

#include "listen_address.hpp"

namespace ovlp::real {
namespace {

using boost::asio::ip::tcp;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds tick_period{250};
constexpr seconds heartbeat_period{1};
constexpr seconds stranger_patience{5};
constexpr seconds stop_patience{5};
constexpr seconds failed_patience{1};  // nobody waits for results any more
constexpr seconds input_patience{1};
constexpr std::size_t most_strangers = 32;      // beside the nodes that are to come
constexpr std::size_t most_drops_told = 16;     // in a tick
constexpr std::size_t descriptors_of_node = 4;  // of a process that was launched: input, output, errors, connection
constexpr std::size_t spare_descriptors = 8;

std::string make_secret() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw io_error("the system gives no random bytes");
  }
  std::string text;
  for (unsigned char byte : bytes) {
    constexpr char digits[] = "0123456789abcdef";
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

/// Takes the same time wherever the difference is.
bool equal_secrets(std::string const& a, std::string const& b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

std::string own_program() {
  std::error_code error;
  auto const path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw io_error("cannot find this program's file: " + error.message());
  return path.string();
}

failure network_failure(std::string text) {
  failure what;
  what.kind = failure::kind_type::network;
  what.type = "ovlp::network_error";
  what.text = std::move(text);
  return what;
}

/// Sees to it that so many more files and sockets can be opened. Errors: network_error.
void need_descriptors(std::size_t more, node_id self) {
  std::error_code error;
  std::filesystem::directory_iterator const files("/proc/self/fd", error);
  std::size_t const needed = static_cast<std::size_t>(std::distance(begin(files), end(files))) + more;
  rlimit limit{};
  if (error || ::getrlimit(RLIMIT_NOFILE, &limit) != 0 || needed <= limit.rlim_cur) return;
  if (needed > limit.rlim_max) {
    throw network_error(node_name(self) + " needs " + std::to_string(needed) + " file descriptors, but the limit is " +
                        std::to_string(limit.rlim_max) + ": raise it (ulimit -n), or take fewer nodes");
  }
  limit.rlim_cur = needed;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0)
    throw network_error(node_name(self) + " cannot have " + std::to_string(needed) +
                        " file descriptors: " + std::strerror(errno));
}

/// To standard error, unless that would have to wait.
void say_at_once(std::string const& line) {
  if (::ftrylockfile(stderr) != 0) return;
  pollfd to{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&to, 1, 0) == 1 && (to.revents & POLLOUT) != 0) std::fprintf(stderr, "%s\n", line.c_str());
  ::funlockfile(stderr);
}

/// Engines of this program that have launched processes.
std::atomic<int> launching_engines{0};

}  // namespace

network::network(reactor& reactor, world& world, program const& known, real_options const& options,
                 statistics_sink* statistics)
    : reactor_(reactor),
      world_(world),
      known_(known),
      options_(options),
      statistics_(statistics),
      self_(0),
      secret_(make_secret()),
      acceptor_(reactor.context()),
      timer_(reactor.context()),
      last_tick_(connection::clock::now()),
      links_(options.nodes),
      launcher_(reactor, out_, errors_),
      input_(reactor.context()) {
  if (!options.hosts_file.empty()) {
    cluster_.hosts = read_hosts(options.hosts_file);
    if (cluster_.hosts.size() < options.nodes) {
      throw config_error("hosts file '" + options.hosts_file + "': expected " + std::to_string(options.nodes) +
                         " hosts for --nodes " + std::to_string(options.nodes) + ", got " +
                         std::to_string(cluster_.hosts.size()));
    }
  }
  cluster_.launch_template = options.launch_template;
  if (cluster_.launch_template.empty() && !cluster_.local())
    cluster_.launch_template = "ssh {host} {program} {arguments}";
  if (!cluster_.launch_template.empty()) launch_command(cluster_.launch_template, "", 0, "", {});  // is it well-formed?
}

network::network(reactor& reactor, world& world, program const& known, real_options const& options,
                 statistics_sink* statistics, ticket given)
    : reactor_(reactor),
      world_(world),
      known_(known),
      options_(options),
      statistics_(statistics),
      ticket_(std::move(given)),
      self_(ticket_->node),
      secret_(ticket_->secret),
      acceptor_(reactor.context()),
      host_(ticket_->host),
      timer_(reactor.context()),
      last_tick_(connection::clock::now()),
      links_(ticket_->nodes),
      launcher_(reactor, out_, errors_),
      input_(reactor.context()) {}

network::~network() {
  auto const lead = reactor_.lead();
  reactor_.on_error({});
}

void network::fail_on_errors() {
  reactor_.on_error([this](std::exception const& thrown) {
    bool const memory = dynamic_cast<std::bad_alloc const*>(&thrown) != nullptr;
    fail(network_failure(node_name(self_) + ": " + (memory ? "memory ran out" : thrown.what())));
  });
}

// Listening and connecting

void network::listen(std::string const& where) {
  listen_address const wanted = listen_address::parse(where);
  boost::system::error_code error;
  tcp::resolver resolver(reactor_.context());
  auto const found = resolver.resolve(wanted.address, "0", tcp::resolver::passive, error);
  if (error || found.empty())
    throw config_error("--listen: expected an address of this machine, got '" + wanted.address + "'");
  tcp::endpoint endpoint = found.begin()->endpoint();
  for (std::uint32_t port = wanted.first_port; port <= wanted.last_port; ++port) {
    endpoint.port(static_cast<std::uint16_t>(port));
    acceptor_.open(endpoint.protocol(), error);
    if (error) break;
    ::fcntl(acceptor_.native_handle(), F_SETFD, FD_CLOEXEC);
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
    if (!error) break;
    acceptor_.close();
  }
  if (error) throw network_error("cannot listen on '" + where + "': " + error.message());
  accept();
}

void network::accept() {
  accepting_ = true;
  acceptor_.async_accept([this](boost::system::error_code error, tcp::socket socket) {
    if (!acceptor_.is_open()) return;
    if (!error) {
      make_room_for_stranger();
      auto const link = adopt(std::move(socket));
      strangers_[link.get()] = stranger{link, connection::clock::now()};
      link->start();
    } else if (error != boost::asio::error::connection_aborted && !drop_oldest_stranger()) {
      accepting_ = false;  // until the next tick
      cannot_accept(error.message());
      return;
    }
    accept();
  });
}

void network::cannot_accept(std::string const& why) {
  std::string const text = node_name(self_) + " cannot accept connections: " + why;
  if (!ticket_ && !joining_.empty()) {
    end_run(network_failure(text));
  } else if (!std::exchange(told_that_it_cannot_accept_, true)) {
    errors_->print("ovlp: " + text);
  }
}

void network::make_room_for_stranger() {
  auto const unlinked = [](auto const& link) { return link.load() == nullptr; };
  auto const expected =
      ticket_ ? static_cast<std::size_t>(std::count_if(links_.begin(), links_.end(), unlinked)) : joining_.size();
  if (strangers_.size() >= most_strangers + expected) drop_oldest_stranger();
}

std::shared_ptr<connection> network::adopt(tcp::socket socket) {
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);  // processes that we launch must not hold it open
  return std::make_shared<connection>(
      reactor_, std::move(socket), known_,
      connection::handlers{[this](connection& from, incoming& message) { take(from, message); },
                           [this](connection& link) {
                             if (auto const node = node_of(link)) manager_->sent(*node);
                           },
                           [this](connection& link, std::string const& how) { lost(link, how); }});
}

std::shared_ptr<connection> network::connect(std::string const& host, std::uint16_t port) {
  tcp::resolver resolver(reactor_.context());
  tcp::socket socket(reactor_.context());
  boost::system::error_code error;
  auto const found = resolver.resolve(host, std::to_string(port), error);
  if (!error) boost::asio::connect(socket, found, error);
  if (error) throw network_error("cannot connect to " + host + ":" + std::to_string(port) + ": " + error.message());
  auto link = adopt(std::move(socket));
  link->trust();
  return link;
}

void network::greet(connection& link) {
  std::uint16_t const port = acceptor_.is_open() ? acceptor_.local_endpoint().port() : std::uint16_t{0};
  link.send(std::make_unique<outgoing>(service(hello{secret_, self_, known_.fingerprint(links_.size()), host_, port})));
}

// Joining

void network::begin() {
  reactor_.run([this] {
    fail_on_errors();
    tick();
  });
}

void network::start_beating() {
  if (beating_.joinable()) return;
  beating_ = std::jthread([this](std::stop_token const& stop) {
    std::mutex waiting;  // of this thread alone
    std::condition_variable_any stopped;
    std::unique_lock lock(waiting);
    while (!stopped.wait_for(lock, stop, tick_period, [&stop] { return stop.stop_requested(); })) {
      for (auto const& link : links_) {
        if (connection* const to = link.load(std::memory_order_acquire)) to->beat(heartbeat_period);
      }
    }
  });
}

void network::launch_all(std::set<node_id> const& nodes) {
  if (nodes.empty()) return;
  reactor_.run([&] { start_processes(nodes, false); });
  world_.block_main([this, &nodes] {
    auto const all = [this](node_id node) { return links_[node].load() != nullptr; };
    return failed() || std::all_of(nodes.begin(), nodes.end(), all);
  });
}

void network::launch(node_id node) {
  boost::asio::post(reactor_.context(), [this, node] {
    try {
      start_processes({node}, true);
    } catch (error const& wrong) {
      end_run(network_failure(wrong.what()));
    }
  });
}

void network::start_processes(std::set<node_id> const& nodes, bool join_later) {
  need_descriptors(nodes.size() * descriptors_of_node + most_strangers + spare_descriptors, self_);
  start_beating();
  if (!acceptor_.is_open()) {
    ++launching_engines;
    std::string const everywhere = cluster_.local() ? "127.0.0.1" : "0.0.0.0";
    listen(options_.listen.empty() ? everywhere : options_.listen);
    host_ = cluster_.local() ? "127.0.0.1" : cluster_.hosts[0];
    if (!options_.listen.empty()) host_ = listen_address::parse(options_.listen).address;
  }
  joining_since_ = connection::clock::now();
  for (node_id node : nodes) {
    auto const before = peers_.find(node);
    if (before != peers_.end() && before->second.link && !before->second.link->closed()) {
      to_relaunch_.insert(node);
    } else {
      start_process(node, join_later);
    }
  }
}

void network::start_process(node_id node, bool joins_later) {
  ticket given;
  given.node = node;
  given.nodes = options_.nodes;
  given.driver_host = host_;
  given.driver_port = acceptor_.local_endpoint().port();
  given.secret = secret_;
  given.host = cluster_.local() ? "127.0.0.1" : cluster_.hosts[node];
  given.listen = cluster_.local() ? "127.0.0.1" : "0.0.0.0";
  given.joins_later = joins_later;
  given.launch = launches_[node]++;
  std::string const program = own_program();
  std::vector<std::string> arguments = options_.arguments;
  arguments.emplace_back("--worker");
  std::vector<std::string> command;
  if (cluster_.launch_template.empty()) {
    command = arguments;
    command.insert(command.begin(), program);
  } else {
    command = launch_command(cluster_.launch_template, given.host, node, program, arguments);
  }
  if (manager_ != nullptr) manager_->node_renewed(node);
  peers_[node] = peer{};
  peers_[node].address.node = node;
  joining_.insert(node);
  launcher_.start(node, command, given.json());
}

void network::take_hello(connection& from, hello const& message) {
  if (!equal_secrets(message.secret, secret_)) {
    drop_stranger(from, "it does not know the secret of this run");
    return;
  }
  bool const expected =
      message.node < links_.size() && message.node != self_ && (ticket_ || joining_.contains(message.node));
  if (!expected) {
    drop_stranger(from, "it says that it is " + node_name(message.node) + ", which is not expected");
    return;
  }
  if (links_[message.node].load() != nullptr) {
    strangers_.at(&from).early = message;
    return;
  }
  auto const link = strangers_.extract(&from).mapped().link;
  link->trust();
  peer& p = peers_[message.node] = peer{};
  p.link = link;
  p.address = {message.node, message.host, message.port};
  p.said_hello = true;
  if (message.fingerprint != known_.fingerprint(links_.size())) {
    fail(network_failure(node_name(message.node) +
                         " runs another program: its graphs, its data objects or its version of ovlp "
                         "differ from those of " +
                         node_name(self_) +
                         (launching_engines > 1 ? " (an engine before this one launched processes, too: in a launched "
                                                  "process the first engine serves)"
                                                : "")));
    return;
  }
  if (ticket_) {
    p.joined = true;
    manager_->node_renewed(message.node);
    links_[message.node] = link.get();
    link->send(std::make_unique<outgoing>(service(accepted{})));
  } else {
    welcome_when_all_are_here();
  }
}

void network::welcome_when_all_are_here() {
  auto const here = [this](node_id node) { return peers_[node].said_hello; };
  if (!std::all_of(joining_.begin(), joining_.end(), here)) return;
  for (node_id node : joining_) {
    welcome message;
    for (auto const& [other, p] : peers_) {
      if (p.leaving || other == node) continue;
      if (p.joined || (joining_.contains(other) && other < node)) message.peers.push_back(p.address);
    }
    peers_[node].link->send(std::make_unique<outgoing>(service(message)));
  }
}

int network::serve() {
  reactor_.run([this] {
    fail_on_errors();
    listen(ticket_->listen);
    watch_input();
    peer& driver = peers_[0];
    driver.link = connect(ticket_->driver_host, ticket_->driver_port);
    driver.joined = true;
    links_[0] = driver.link.get();
    greet(*driver.link);
    try {
      need_descriptors(links_.size() + most_strangers + spare_descriptors, self_);
    } catch (network_error const& wrong) {
      early_failure_ = network_failure(wrong.what());
    }
    if (early_failure_) tell_driver(failure_report{*early_failure_});
    driver.link->start();
    start_beating();
    tick();
  });
  int status = 0;
  world_.block_main([&] {
    scoped_lock const lock(told_main_);
    if (stop_status_) status = *stop_status_;
    return stop_status_.has_value();
  });
  return status;
}

// Messages

std::optional<node_id> network::node_of(connection const& link) const {
  for (auto const& [node, p] : peers_) {
    if (p.link.get() == &link) return node;
  }
  return std::nullopt;
}

void network::take(connection& from, incoming& message) {
  auto* const told = std::get_if<service>(&message.message);
  auto const node = node_of(from);
  if (!node) {
    if (auto const* const first = told == nullptr ? nullptr : std::get_if<hello>(told)) {
      take_hello(from, *first);
    } else {
      drop_stranger(from, "it did not introduce itself");
    }
    return;
  }
  if (told != nullptr) {
    take_service(from, *node, *told);
    return;
  }
  ++received_;
  if (manager_->stopping()) return;
  if (auto* const object = std::get_if<envelope_ptr>(&message.message)) {
    manager_->receive(*node, std::move(*object));
  } else {
    manager_->receive(*node, std::get<control>(message.message));
  }
}

void network::take_service(connection& from, node_id node, service const& message) {
  if (auto const* w = std::get_if<welcome>(&message)) {
    for (peer_address const& address : w->peers) {
      peer& p = peers_[address.node];
      p.address = address;
      try {
        p.link = connect(address.host, address.port);
      } catch (network_error const& wrong) {
        tell_driver(peer_lost{address.node, wrong.what(), false});
        return;
      }
      to_connect_.insert(address.node);
      greet(*p.link);
      p.link->start();
    }
    if (to_connect_.empty()) tell_driver(ready{});
  } else if (std::get_if<accepted>(&message) != nullptr) {
    peers_[node].joined = true;
    links_[node] = &from;
    if (to_connect_.erase(node) > 0 && to_connect_.empty()) tell_driver(ready{});
  } else if (std::get_if<ready>(&message) != nullptr) {
    peers_[node].joined = true;
    joining_.erase(node);
    links_[node] = &from;
    world_.notify_main();
    if (manager_ != nullptr) manager_->reallocation().node_joined(node);
  } else if (auto const* f = std::get_if<failure_report>(&message)) {
    end_run(f->what);
  } else if (auto const* l = std::get_if<peer_lost>(&message)) {
    auto const lost_peer = peers_.find(l->node);
    if (lost_peer == peers_.end() || lost_peer->second.leaving) return;
    report_lost(l->node, "its connection to " + node_name(node) + ": " + l->how, l->silent);
  } else if (auto const* s = std::get_if<stop>(&message)) {
    finishing_ = true;
    {
      scoped_lock const lock(told_main_);
      stop_status_ = s->status;
    }
    world_.notify_main();
  } else if (auto const* p = std::get_if<probe>(&message)) {
    tell_driver(probe_answer{p->wave, manager_->passive(), sent_, received_});
  } else if (auto const* a = std::get_if<probe_answer>(&message)) {
    if (a->wave == wave_) answers_[node] = *a;
  } else if (auto const* bye = std::get_if<goodbye>(&message)) {
    departed_sent_ += bye->sent;
    departed_received_ += bye->received;
    peers_[node].leaving = true;
    scoped_lock const lock(told_main_);
    for (auto [call, figures] : bye->figures) {
      figures.shift(clock_difference_s(bye->now_s));
      departed_figures_[call].add(figures);
    }
  } else if (std::get_if<waiting_request>(&message) != nullptr) {
    tell_driver(look_what_waits());
  } else if (auto const* list = std::get_if<waiting_answer>(&message)) {
    waiting_[node] = *list;
    report_stall();
  } else if (auto const* r = std::get_if<statistics_request>(&message)) {
    tell_driver(
        statistics_answer{statistics_ == nullptr ? call_statistics{} : statistics_->take(r->call), world_.now_s()});
  } else if (auto const* figures = std::get_if<statistics_answer>(&message)) {
    {
      scoped_lock const lock(told_main_);
      figures_[node] = figures->figures;
      figures_[node].shift(clock_difference_s(figures->now_s));
    }
    world_.notify_main();
  }
}

bool network::post(node_id to, std::unique_ptr<outgoing> message) {
  if (message->counted()) ++sent_;
  connection* const link = links_[to].load(std::memory_order_acquire);
  return link == nullptr || link->send(std::move(message));
}

bool network::send(node_id to, envelope_ptr object) { return post(to, std::make_unique<outgoing>(std::move(object))); }
void network::send(node_id to, control const& message) { post(to, std::make_unique<outgoing>(message)); }
void network::tell(node_id to, service const& message) { post(to, std::make_unique<outgoing>(message)); }
void network::tell_driver(service const& message) { tell(0, message); }

// Losing

void network::drop_stranger(connection& link, std::string const& why) {
  if (drops_told_ < most_drops_told) {
    ++drops_told_;
    errors_->print("ovlp: dropped a connection from " + link.peer() + ": " + why);
  } else {
    ++drops_untold_;
  }
  auto const kept = strangers_.extract(&link);
  link.close();
}

bool network::drop_oldest_stranger() {
  connection* oldest = nullptr;
  auto since = connection::clock::time_point::max();
  for (auto const& [link, s] : strangers_) {
    if (s.early || s.since >= since) continue;
    oldest = s.link.get();
    since = s.since;
  }
  if (oldest == nullptr) return false;
  drop_stranger(*oldest, "it did not introduce itself before too many others came");
  return true;
}

void network::lost(connection& link, std::string const& how, bool silent) {
  auto const node = node_of(link);
  if (!node) {
    drop_stranger(link, how);
    return;
  }
  peer& p = peers_[*node];
  links_[*node] = nullptr;
  link.close();
  retired_.push_back(p.link);
  for (auto const& [next, s] : strangers_) {
    if (!s.early || s.early->node != *node) continue;
    take_hello(*s.link, hello(*s.early));
    return;
  }
  if (to_relaunch_.erase(*node) > 0) {
    launch(*node);
    return;
  }
  if (finishing_ || p.leaving) return;
  if (!ticket_) {
    report_lost(*node, how, silent);
  } else if (*node == 0) {
    die("lost node0: " + how);
  } else {
    tell_driver(peer_lost{*node, how, silent});
  }
}

void network::report_lost(node_id node, std::string const& how, bool silent) {
  std::string text = node_name(node) + " is lost: " + how;
  if (silent) {
    launcher_.kill(node);  // it may be stopped, and would not hear that the run has ended
  } else {
    // A process that has just died is often reaped a moment later.
    std::optional<std::string> end = launcher_.ended(node);
    for (int i = 0; i < 50 && !end; ++i) {
      ::usleep(1000);
      end = launcher_.ended(node);
    }
    if (end) text += "; its process " + *end;
  }
  end_run(network_failure(text));
}

void network::die(std::string const& why) {
  say_at_once("ovlp: " + node_name(self_) + " ends: " + why);
  ::_exit(1);
}

void network::fail(failure const& what) {
  if (ticket_) {
    if (links_[0].load() != nullptr) {
      tell_driver(failure_report{what});
    } else {
      early_failure_ = what;  // before we have joined
    }
    manager_->stop();
  } else {
    end_run(what);
  }
}

void network::end_run(failure const& what) {
  {
    scoped_lock const lock(told_main_);
    if (failure_ || finishing_) return;
    failure_ = what;
  }
  if (manager_ != nullptr) manager_->stop();
  boost::asio::post(reactor_.context(), [this] {
    for (auto& [node, p] : peers_) {
      p.leaving = true;
      if (p.link) p.link->send(std::make_unique<outgoing>(service(stop{1})));
    }
  });
  world_.notify_main();
}

std::optional<failure> network::failed() {
  scoped_lock const lock(told_main_);
  return failure_;
}

void network::release(node_id node) {
  boost::asio::post(reactor_.context(), [this, node] {
    peers_[node].leaving = true;
    launcher_.release(node);
    tell(node, stop{0});
  });
}

void network::finish(bool all_calls_have_ended) {
  if (finishing_) return;
  bool const was_cut_short = failed().has_value();
  reactor_.run([this] {
    finishing_ = true;
    timer_.cancel();
    if (acceptor_.is_open()) acceptor_.close();
    for (auto& [node, p] : peers_) {
      p.leaving = true;
      if (p.link) p.link->send(std::make_unique<outgoing>(service(stop{0})));
    }
  });
  auto const works = [this](node_id node) {
    connection const* const link = peers_[node].link.get();
    return link != nullptr && !link->closed() &&
           connection::clock::now() - link->last_received() < 2 * heartbeat_period;
  };
  if (was_cut_short) {
    launcher_.finish(failed_patience, {}, {});
  } else if (all_calls_have_ended) {
    launcher_.finish(stop_patience, works, [this](node_id node) {
      fail_at_exit(options_.application, node_name(node) +
                                             " is killed: the run is over, and it neither ends nor says "
                                             "that it lives; what it still did is lost");
    });
  } else {
    launcher_.finish(stop_patience, {}, [this](node_id node) {
      errors_->print("ovlp: " + node_name(node) + " is killed: it works for a call that nobody waits for");
    });
  }
  beating_ = {};
  auto const lead = reactor_.lead();
  for (auto& [node, p] : peers_) {
    if (p.link) p.link->close();
  }
  for (auto& [link, s] : strangers_) s.link->close();
  reactor_.context().poll();  // handlers of what was closed
}

void network::say_goodbye() {
  // A socket that is closed with unread bytes drops what it has sent, so each side reads until the other has closed.
  auto const until = connection::clock::now() + stop_patience;
  reactor_.run([this] {
    timer_.cancel();
    acceptor_.close();
    for (auto& [node, p] : peers_) {
      if (!p.link || p.link->closed()) continue;
      tell(node, node == 0 ? goodbye{sent_, received_, statistics_->take_all(), world_.now_s()} : goodbye{});
      p.link->finish_sending();
    }
  });
  bool open = true;
  while (open && connection::clock::now() < until) {
    ::usleep(500);
    reactor_.run([&] {
      open = false;
      for (auto& [node, p] : peers_) open = open || (p.link && !p.link->closed());
    });
  }
}

// Watching

void network::tick() {
  auto const now = connection::clock::now();
  auto const missed = now - std::exchange(last_tick_, now) - tick_period;  // we were stopped, or had much to do
  for (auto& [node, p] : peers_) {
    if (!p.link || finishing_ || p.leaving) continue;
    if (p.said_hello) p.link->beat(heartbeat_period);  // it may wait for others to join
    if (!p.joined) continue;
    if (missed > missed.zero()) p.link->excuse(missed);
    std::chrono::duration<double> const silence = now - p.link->last_received();
    if (silence > heartbeat_period) p.link->read_little();  // it may just be slow
    if (options_.peer_timeout_s > 0 && silence.count() > options_.peer_timeout_s) {
      std::shared_ptr<connection> const link = p.link;
      char how[64];
      std::snprintf(how, sizeof how, "it has been silent for %.1f s", silence.count());
      lost(*link, how, true);
      break;  // peers_ may have changed
    }
  }
  std::vector<std::shared_ptr<connection>> late;
  for (auto const& [link, s] : strangers_) {
    if (!s.early && now - s.since > stranger_patience) late.push_back(s.link);
  }
  for (auto const& link : late) drop_stranger(*link, "it did not introduce itself in time");
  drops_told_ = 0;
  if (std::size_t const more = std::exchange(drops_untold_, 0))
    errors_->print("ovlp: dropped " + std::to_string(more) + " more connections");
  if (acceptor_.is_open() && !accepting_) accept();
  if (!ticket_ && !joining_.empty() && !failed()) {
    for (node_id node : joining_) {
      auto const end = launcher_.ended(node);
      std::chrono::duration<double> const waited = now - joining_since_;
      if (end) {
        end_run(network_failure(node_name(node) + " did not join the run: its process " + *end));
      } else if (waited.count() > options_.launch_timeout_s) {
        std::ostringstream why;
        why << node_name(node) << " did not join the run within the " << options_.launch_timeout_s
            << " s of --launch-timeout";
        end_run(network_failure(why.str()));
      }
    }
  }
  launcher_.bury();
  if (!ticket_ && manager_ != nullptr) look_for_stall();
  if (finishing_) return;
  timer_.expires_after(tick_period);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) tick();
  });
}

void network::watch_input() {
  if (!input_.is_open()) input_.assign(::dup(STDIN_FILENO));
  input_.async_read_some(boost::asio::buffer(input_bytes_), [this](boost::system::error_code error, std::size_t) {
    if (!error) {
      watch_input();
      return;
    }
    // Node 0 closes our input when the run ends; that it has ended may still be on its way.
    auto const patience = std::make_shared<boost::asio::steady_timer>(reactor_.context(), input_patience);
    patience->async_wait([this, patience](boost::system::error_code) {
      if (!finishing_) die("node0 has ended");
    });
  });
}

// A run is stalled when, in two waves of questions, every node was passive and as many messages had been received as
// sent, the same number both times: then nothing was in flight in between (Mattern 1987, the four-counter method).
void network::look_for_stall() {
  if (reporting_ || failed() || finishing_) return;
  bool const waits =
      world_.main_is_blocked() && manager_->open_requests() > 0 && joining_.empty() && to_relaunch_.empty();
  if (!waits || !manager_->passive()) {
    quiet_.reset();
    answers_.clear();
    ++wave_;
    return;
  }
  std::size_t asked = 0;
  std::uint64_t sent = sent_ + departed_sent_;
  std::uint64_t received = received_ + departed_received_;
  bool passive = true;
  for (auto const& [node, p] : peers_) {
    if (!p.joined || p.leaving) continue;
    ++asked;
    auto const answer = answers_.find(node);
    if (answer == answers_.end()) continue;
    passive = passive && answer->second.passive;
    sent += answer->second.sent;
    received += answer->second.received;
  }
  if (wave_ > 0 && answers_.size() == asked) {
    auto const now = std::pair(sent, received);
    bool const quiet = passive && sent == received;
    if (quiet && quiet_ == now) {
      reporting_ = true;
      waiting_[0] = look_what_waits();
      for (auto const& [node, p] : peers_) {
        if (p.joined && !p.leaving) tell(node, waiting_request{});
      }
      report_stall();
      return;
    }
    quiet_.reset();
    if (quiet) quiet_ = now;
  }
  ++wave_;
  answers_.clear();
  for (auto const& [node, p] : peers_) {
    if (p.joined && !p.leaving) tell(node, probe{wave_});
  }
}

/// Nothing can go on, unless what this node holds back.
waiting_answer network::look_what_waits() {
  if (manager_->reallocation().let_in_held()) return {true, {}};
  return {false, manager_->waiting()};
}

void network::report_stall() {
  std::size_t nodes = 1;
  for (auto const& [node, p] : peers_) nodes += p.joined && !p.leaving ? 1 : 0;
  if (waiting_.size() < nodes) return;
  bool goes_on = false;
  std::vector<std::string> all;
  for (auto const& [node, answer] : waiting_) {
    goes_on = goes_on || answer.goes_on;
    all.insert(all.end(), answer.list.begin(), answer.list.end());
  }
  if (goes_on) {
    reporting_ = false;
    waiting_.clear();
    quiet_.reset();
    return;
  }
  end_run(stall(all));
}

/// What to add to times of a node that said a moment ago that it was `now_s` there. Wrong by as long as the message
/// took, so not used where the clocks are one.
double network::clock_difference_s(double now_s) const { return cluster_.local() ? 0 : world_.now_s() - now_s; }

call_statistics network::collect(std::uint64_t call) {
  std::vector<node_id> asked;
  reactor_.run([&] {
    scoped_lock const lock(told_main_);
    figures_.clear();
    for (auto const& [node, p] : peers_) {
      if (!p.joined || p.leaving) continue;
      asked.push_back(node);
      tell(node, statistics_request{call});
    }
  });
  world_.block_main([&] {
    if (failed()) return true;
    scoped_lock const lock(told_main_);
    return figures_.size() == asked.size();
  });
  call_statistics all = statistics_->take(call);
  scoped_lock const lock(told_main_);
  for (auto const& [node, figures] : figures_) all.add(figures);
  if (auto const departed = departed_figures_.extract(call)) all.add(departed.mapped());
  return all;
}

}  // namespace ovlp::real
