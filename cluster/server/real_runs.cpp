// SPDX-License-Identifier: BSD-3-Clause
#include "server/real_runs.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <filesystem>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/json_object.hpp>
#include <ovlp/base/process.hpp>
#include <ovlp/base/secret.hpp>
#include <ovlp/base/streams.hpp>
#include <ovlp/base/text.hpp>

#include "server/host_watches.hpp"
#include "server/job_processes.hpp"
#include "server/job_reports.hpp"

namespace ovlp::cluster {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using steady = std::chrono::steady_clock;
using seconds = std::chrono::duration<double>;

constexpr std::size_t longest_line_bytes = 1 << 16;
constexpr std::size_t most_strangers = 32;
constexpr seconds stranger_patience{5};
constexpr seconds ending_patience{10};  ///< for processes that are to end, and for hosts to answer
constexpr seconds rest_patience{2};     ///< for what is left of a job whose first process has ended before its time
constexpr seconds silence_patience{2};  ///< from the end of what a program says to its own
constexpr seconds look{0.25}, look_at_ends{0.01};

steady::time_point after(seconds time) { return steady::now() + std::chrono::duration_cast<steady::duration>(time); }

/// Lines of one that has connected. Its owner hears them.
class line_connection : public std::enable_shared_from_this<line_connection> {
 public:
  /// `hear`: a line; nothing: it has gone, and says no more.
  using listener = std::function<void(std::optional<std::string>)>;

  explicit line_connection(tcp::socket socket) : socket_(std::move(socket)) {
    error_code ignored;
    ::fcntl(socket_.native_handle(), F_SETFD, FD_CLOEXEC);  // or who is launched keeps it open
    socket_.non_blocking(true, ignored);
    socket_.set_option(tcp::no_delay(true), ignored);
  }

  void use(listener hear) {
    bool const first = !hear_;
    hear_ = std::move(hear);
    if (first) read();
  }
  /// False: it does not read what was said before. Who has gone is noticed when reading.
  bool say(std::string const& line) {
    error_code error;
    boost::asio::write(socket_, boost::asio::buffer(line + "\n"), error);
    return error != boost::asio::error::would_block;
  }
  std::string peer() const {
    error_code error;
    auto const there = socket_.remote_endpoint(error);
    return error ? "somebody who has gone" : there.address().to_string();
  }
  void close() {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
    socket_.close(ignored);
    hear_ = [](auto const&) {};
  }

 private:
  void read() {
    boost::asio::async_read_until(socket_, boost::asio::dynamic_buffer(buffer_, longest_line_bytes), '\n',
                                  [this, self = shared_from_this()](error_code error, std::size_t bytes) {
                                    auto const hear = hear_;  // which may replace itself
                                    if (error) return hear(std::nullopt);
                                    std::string line = buffer_.substr(0, bytes - 1);
                                    buffer_.erase(0, bytes);
                                    hear(std::move(line));
                                    if (socket_.is_open()) read();
                                  });
  }

  tcp::socket socket_;
  std::string buffer_;
  listener hear_;
};

class real_runs;

class real_run final : public running_program {
 public:
  real_run(real_runs& all, job_number number, job const& of, hosts_of_job hosts);
  ~real_run() override;

  report const* next() override;
  void go_on(hosts_of_job hosts) override;
  ending end() override;

  /// It has connected. False: it had already.
  bool connected(std::shared_ptr<line_connection> const& by);
  /// Its processes are to end, and it is to be looked at often.
  bool ends() const { return ends_; }

 private:
  base::command command_of() const;
  void add_hosts(nlohmann::json& message) const;
  std::optional<report> hear();
  void fail(std::string why);
  void begin_to_end();
  std::optional<report> when_nothing_is_left();
  bool nothing_is_left();
  std::optional<std::string> lost_host_of_it() const;
  std::string how_it_ended();
  /// Its first process. Asked at each border, and without a system call while it runs.
  bool runs() { return program_ && !(*program_has_ended_ && program_->wait(seconds(0))); }
  bool is_late() const { return steady::now() > until_; }

  real_runs& all_;
  job const& of_;
  job_number const number_;
  std::string const mark_;
  std::vector<node_count> hosts_;
  std::set<node_count> used_hosts_;
  job_reports said_;
  std::string log_;
  std::optional<base::process> program_;
  std::optional<boost::asio::posix::stream_descriptor> watch_;  ///< tells when the program ends
  std::shared_ptr<bool> program_has_ended_ = std::make_shared<bool>(false);
  std::shared_ptr<line_connection> link_;
  std::deque<std::pair<std::string, double>> heard_;  ///< lines, and when they came
  steady::time_point until_;                          ///< when it has to have started, or to have ended
  bool started_ = false;
  bool hung_up_ = false;
  std::optional<steady::time_point> silent_since_;  ///< its process or its link has ended
  bool next_is_end_ = false;                        ///< it has said so
  bool ends_ = false;
  std::optional<std::string> failure_;
  steady::time_point next_look_{};  ///< for what is left of it
  seconds look_again_ = look_at_ends;
  bool taken_ = true;
  report next_{};
};

class real_runs final : public job_runs {
 public:
  explicit real_runs(real_cluster given) : on(std::move(given)), timer_(context) {
    if (on.hosts.empty() != on.launch_template.empty())
      throw std::logic_error("a real cluster has hosts and a command that launches on them, or neither");
    if (!on.hosts.empty()) base::launch_command(on.launch_template, "", 0, "", {});  // is it well-formed?
    try {
      acceptor_.emplace(context, *tcp::resolver(context).resolve(on.listen, "0").begin());
    } catch (boost::system::system_error const& wrong) {
      throw io_error("cannot listen on " + on.listen + ": " + wrong.code().message());
    }
    ::fcntl(acceptor_->native_handle(), F_SETFD, FD_CLOEXEC);
    port = acceptor_->local_endpoint().port();
    accept();
  }

  void begin(double at_s) override {
    begin_s_ = at_s;
    begin_ = steady::now();
  }
  std::unique_ptr<running_program> start(job_number number, job const& of, double /*now_s*/,
                                         hosts_of_job hosts) override {
    return std::make_unique<real_run>(*this, number, of, hosts);
  }
  std::string name_of(node_count host) const override {
    return host < on.hosts.size() ? on.hosts[host].name : job_runs::name_of(host);
  }
  std::vector<lost_host> newly_lost() override { return watches.newly_lost(); }
  bool is_real() const override { return true; }

  /// Looks up now and then: processes end, and limits pass, without a word.
  double wait_until(double at_s) override {
    base::end_if_interrupted();
    context.restart();
    context.poll();
    drop_strangers();
    watches.listen();
    if (seconds const left(at_s - now_s()); left.count() > 0 && !std::exchange(something_happened_, false)) {
      bool const any_ends = std::ranges::any_of(runs, [](auto const& run) { return run.second->ends(); });
      auto const wait = std::chrono::ceil<steady::duration>(std::min(left, any_ends ? look_at_ends : look));
      context.run_one_for(wait);
      something_happened_ = false;
    }
    return std::min(at_s, now_s());
  }

  double now_s() const { return begin_s_ + seconds(steady::now() - begin_).count(); }
  void something_happened() { something_happened_ = true; }

  real_cluster const on;
  boost::asio::io_context context;
  std::uint16_t port = 0;
  std::string const secret = base::make_secret();
  std::string const name = base::make_secret();  ///< of this server, in marks
  host_watches watches{on.hosts, on.launch_template, name};
  base::temporary_folder const folder;  ///< for what jobs print, if nobody wants it
  std::map<job_number, real_run*> runs;

 private:
  struct stranger {
    std::shared_ptr<line_connection> link;
    steady::time_point since = steady::now();
  };

  void accept() {
    acceptor_->async_accept([this](error_code error, tcp::socket socket) {
      if (error) {  // no descriptor is free, say
        timer_.expires_after(std::chrono::milliseconds(100));
        timer_.async_wait([this](error_code stopped) {
          if (!stopped) accept();
        });
        return;
      }
      if (strangers_.size() >= most_strangers) drop(strangers_.begin(), "too many others have come since");
      auto const link = std::make_shared<line_connection>(std::move(socket));
      strangers_.push_back({link});
      link->use([this, who = std::prev(strangers_.end())](std::optional<std::string> const& line) {
        admit(who, line.value_or(""));
      });
      accept();
    });
  }

  void admit(std::list<stranger>::iterator who, std::string const& hello) try {
    nlohmann::json const content = base::parse_json(hello, "its first line");
    base::json_object from(content, "its first line");
    auto const number = static_cast<job_number>(from.count("job", 0));
    bool const knows = base::equal_secrets(from.text("secret"), secret);
    from.end();
    if (!knows) return drop(who, "it does not know the secret of this cluster");
    auto const run = runs.find(number);
    if (run == runs.end() || !run->second->connected(who->link))
      return drop(who, "it says that it is job " + std::to_string(number) + ", which is not expected");
    strangers_.erase(who);
    something_happened();
  } catch (config_error const& wrong) {
    drop(who, wrong.what());
  }

  void drop(std::list<stranger>::iterator who, std::string const& why) {
    if (on.complain) on.complain("a connection from " + who->link->peer() + " is dropped: " + base::one_line(why));
    who->link->close();
    strangers_.erase(who);
  }

  void drop_strangers() {
    while (!strangers_.empty() && steady::now() - strangers_.front().since > stranger_patience)
      drop(strangers_.begin(), "it says nothing");
  }

  std::optional<tcp::acceptor> acceptor_;
  boost::asio::steady_timer timer_;
  std::list<stranger> strangers_;
  double begin_s_ = 0;
  steady::time_point begin_ = steady::now();
  bool something_happened_ = false;
};

real_run::real_run(real_runs& all, job_number number, job const& of, hosts_of_job hosts)
    : all_(all),
      of_(of),
      number_(number),
      mark_(all.name + "." + std::to_string(number) + "."),
      hosts_(hosts.begin(), hosts.end()),
      used_hosts_(hosts.begin(), hosts.end()),
      said_(static_cast<node_count>(hosts.size()), of.possible.back()),
      until_(after(seconds(all.on.patience_s))) {
  std::string const folder = all.on.logs.empty() ? all.folder.path().string() : all.on.logs;
  log_ = folder + "/" + std::to_string(number) + ".txt";
  try {
    program_.emplace(command_of());
    watch_.emplace(all_.context, program_->watched());
    watch_->async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [&all, has_ended = program_has_ended_](error_code error) {
                         if (error) return;
                         *has_ended = true;
                         all.something_happened();
                       });
  } catch (std::exception const& wrong) {
    fail(base::one_line(wrong.what()));
  }
  all_.runs[number] = this;
}

real_run::~real_run() {
  all_.runs.erase(number_);
  if (link_) link_->close();
  if (runs()) program_->kill_group(SIGKILL);
}

/// Of its nodes, if they are not all processes of this machine.
void real_run::add_hosts(nlohmann::json& message) const {
  if (all_.on.hosts.empty()) return;
  for (node_count const host : hosts_)
    message["hosts"].push_back({{"name", all_.on.hosts[host].name}, {"address", all_.on.hosts[host].address}});
}

base::command real_run::command_of() const {
  std::string const file = base::find_program(of_.program.front());
  if (file.empty()) throw io_error("'" + of_.program.front() + "' is not on PATH, or no file");
  std::vector<std::string> words{std::filesystem::absolute(file)};
  words.insert(words.end(), of_.program.begin() + 1, of_.program.end());
  for (std::string const& word : {std::string("--nodes"), std::to_string(of_.possible.back()), std::string("--hold"),
                                  std::to_string(hosts_.size())})
    words.push_back(word);
  base::command made;
  nlohmann::json told{{"address", all_.on.listen}, {"port", all_.port}, {"secret", all_.secret}, {"job", number_}};
  add_hosts(told);
  made.input = told.dump() + "\n";
  made.output = log_;
  made.environment = {{"OVLP_CLUSTER", "stdin"}, {job_mark_variable, mark_}};  // of what launches it, too
  if (all_.on.hosts.empty()) {
    made.words = std::move(words);
    return made;
  }
  words.insert(words.end(), {"--launch", all_.on.launch_template});
  for (auto const& [name, value] : made.environment) words.insert(words.begin(), name + "=" + value);
  made.words = base::launch_command(all_.on.launch_template, all_.on.hosts[hosts_[0]].name, 0, "env", words);
  return made;
}

bool real_run::connected(std::shared_ptr<line_connection> const& by) {
  if (link_ || ends_) return false;
  link_ = by;
  link_->use([this](std::optional<std::string> line) {
    if (line) heard_.emplace_back(std::move(*line), all_.now_s());
    hung_up_ = hung_up_ || !line;
    all_.something_happened();
  });
  return true;
}

report const* real_run::next() {
  if (auto const lost = lost_host_of_it(); lost && !ends_) fail("its host " + *lost + " is lost");
  if (taken_) {
    auto found = ends_ ? when_nothing_is_left() : hear();
    if (!found) return nullptr;
    next_ = std::move(*found);
    taken_ = false;
  }
  return &next_;
}

std::optional<std::string> real_run::lost_host_of_it() const {
  auto const lost = std::ranges::find_if(hosts_, [this](node_count host) { return all_.watches.is_lost(host); });
  return lost == hosts_.end() ? std::nullopt : std::optional(all_.name_of(*lost));
}

void real_run::go_on(hosts_of_job hosts) {
  if (next_.kind == report::kind_type::border && !ends_) {
    hosts_.assign(hosts.begin(), hosts.end());
    used_hosts_.insert(hosts.begin(), hosts.end());
    said_.told(static_cast<node_count>(hosts.size()));
    nlohmann::json answer{{"hold", hosts.size()}};
    add_hosts(answer);
    if (!link_->say(answer.dump())) fail("does not read the answers that it has asked for");
  }
  taken_ = true;
}

running_program::ending real_run::end() {
  if (ends_) return ending::by_itself;
  begin_to_end();
  taken_ = true;
  return ending::begun;
}

/// What it says next, if it has said something.
std::optional<report> real_run::hear() {
  if (!heard_.empty()) {
    auto const [line, when_s] = heard_.front();
    heard_.pop_front();
    try {
      report made = said_.read(line);
      made.at_s = when_s;
      started_ = true;
      if (made.kind != report::kind_type::ended) return made;
      next_is_end_ = true;
      begin_to_end();
    } catch (std::exception const& wrong) {  // what it says comes from outside
      fail(base::one_line(wrong.what()));
    }
  } else if (bool const has_ended = !runs(); has_ended || hung_up_) {
    if (!silent_since_) silent_since_ = steady::now();
    bool const nothing_comes = hung_up_ || !link_ || steady::now() - *silent_since_ > silence_patience;
    if (has_ended && nothing_comes) {
      fail(how_it_ended());
    } else if (steady::now() - *silent_since_ > silence_patience) {
      fail("goes on, and says no more");
    }
  } else if (!started_ && is_late()) {
    fail("has not started within " + base::shortest(all_.on.patience_s) + " s" +
         (link_ ? "" : ": expected a program built on ovlp, which connects to this cluster"));
  }
  return std::nullopt;
}

void real_run::fail(std::string why) {
  failure_ = std::move(why);
  begin_to_end();
}

/// From now on only its end is waited for: one that has said that it ends does so by itself, another one is told to.
void real_run::begin_to_end() {
  ends_ = true;
  until_ = after(next_is_end_ ? seconds(all_.on.patience_s) : runs() ? ending_patience : rest_patience);
  if (next_is_end_) return;
  bool const was_there = link_ && !hung_up_;
  if (link_) link_->close();
  // On another host its first process is out of reach of signals: it ends because its link has, and what has launched
  // it then.
  bool const ends_by_link = !all_.on.hosts.empty() && was_there;
  if (!ends_by_link && runs()) program_->kill_group(SIGTERM);
}

std::optional<report> real_run::when_nothing_is_left() {
  if (!nothing_is_left()) return std::nullopt;
  if (next_is_end_ && !failure_ && program_->wait(seconds(0)) != 0) failure_ = how_it_ended();
  report made{report::kind_type::ended, all_.now_s()};
  if (!failure_) return made;
  made.kind = report::kind_type::failed;
  made.why = *failure_;
  return made;
}

/// Who does not end in time is killed.
bool real_run::nothing_is_left() {
  bool const goes_on = runs(), late = is_late();
  if ((goes_on && !late) || steady::now() < next_look_) return false;
  auto const left = all_.watches.processes(mark_, used_hosts_, late);
  if (!left) return false;
  next_look_ = after(look_again_);
  look_again_ = std::min(2 * look_again_, look);
  if (!goes_on && left == 0) return true;
  if (late && next_is_end_ && !failure_)
    failure_ = "does not end, " + base::shortest(all_.on.patience_s) + " s after it has said so";
  if (late && goes_on) program_->kill_group(SIGKILL);
  return false;
}

/// What it has printed last, of a file that may have gone.
std::string last_line_in(std::string const& file) {
  constexpr std::streamoff read_bytes = 4096;
  base::file_reader from(file, std::ios::binary | std::ios::ate);
  std::streamoff const size = from.tellg();
  from.seekg(std::max<std::streamoff>(0, size - read_bytes));
  return base::last_line(std::string(std::istreambuf_iterator<char>(from), {}));
}

std::string real_run::how_it_ended() {
  base::outcome how{program_->wait(seconds(0)).value_or(0), false, {}, {}};
  how.err = last_line_in(log_);
  if (how.good())
    return started_ ? "has ended, and has not said so" : "has ended, and has not said so: it made no call of a graph";
  return "has ended: " + how.complaint();
}

}  // namespace

std::unique_ptr<job_runs> make_real_runs(real_cluster on) { return std::make_unique<real_runs>(std::move(on)); }

}  // namespace ovlp::cluster
