// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ovlp::base {

/// The file that a program's name means: that file, if there is a slash in the name, else one on PATH. Empty: there is
/// none that can be run.
std::filesystem::path find_program(std::string const& name);

/// A program to be run, without a shell.
struct command {
  std::vector<std::string> words;                                     ///< its name, sought on PATH, and its arguments
  std::string input = {};                                             ///< on its standard input
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< beside ours
  std::optional<std::chrono::duration<double>> time_limit = {};       ///< of run()
  /// Its input and output are ours, in place of `input` and what is kept; and so is its process group.
  bool shares_streams = false;
  /// File for what it prints, in the place of what is kept.
  std::string output = {};
  /// It talks with us in lines on this descriptor: 3 or more, or 0 for its standard input and output. none: it does
  /// not.
  static constexpr int none = -1;
  int talks_on = none;
};

/// A program that runs, in a process group of its own unless it shares our streams. What it prints is kept, as far as
/// somebody asks: until then it is in pipes, which hold 64 KiB each. Thread: one at a time.
class process {
 public:
  /// Starts it. Errors: io_error that names the program.
  explicit process(command const& what);
  process(process const&) = delete;
  process& operator=(process const&) = delete;
  /// If it still runs, it is killed with all of its group.
  ~process();

  pid_t id() const { return id_; }
  /// A descriptor of the caller's own that can be read from the program's end on: for those who wait for several
  /// things. Errors: io_error.
  int watched() const;
  void kill(int signal) const;
  /// Only the program itself, if the group is ours.
  void kill_group(int signal) const;

  /// Reads what it prints until it ends: then its exit status, or 128 + the number of the signal that ended it. None if
  /// it still runs after so long. What others of its group print later is not waited for.
  std::optional<int> wait(std::chrono::duration<double> at_most);

  // With one that talks. What it prints beside that is read, and the end of it kept.
  /// Says a line. Whether it has been taken in this time; of one that has ended: yes, and nobody hears it.
  bool say(std::string const& line, std::chrono::duration<double> at_most);
  /// It hears no more: its input ends.
  void hang_up();
  enum class heard : std::uint8_t { line, nothing, end };
  /// Its next line, without its end; `nothing`: none came for so long; `end`: it has closed its side, or has ended.
  /// Errors: io_error for a line that does not end; `interrupted`.
  heard hear(std::string& line, std::chrono::duration<double> at_most);
  /// With the line that was heard last, another one has come.
  bool has_said_more() const { return said_.find('\n') != std::string::npos; }

  /// What it has printed so far.
  std::string const& out() { return read(), text_[0]; }
  std::string const& err() { return read(), text_[1]; }
  /// CPU time of it and of the processes that it waited for; known at its end.
  double cpu_s() const { return cpu_s_; }

 private:
  void read();
  bool waits_for(short events, std::chrono::steady_clock::time_point until);
  bool reap(int flags);

  pid_t id_ = -1;
  bool has_group_;
  int handle_ = -1;  // that poll() takes
  std::optional<int> status_;
  double cpu_s_ = 0;
  std::array<int, 2> from_{-1, -1};  // its output; -1: all has been read
  int talk_ = -1;
  std::string said_;  // by it, and not heard yet
  std::array<std::string, 2> text_;
};

/// How a program ended.
struct outcome {
  int status = 0;  ///< as process::wait()
  bool timed_out = false;
  std::string out;
  std::string err;
  double cpu_s = 0;

  bool good() const { return status == 0 && !timed_out; }
  /// For a message: why it was not good, in one line.
  std::string complaint() const;
};

/// Thrown while a program runs, or before one is started, when the user has interrupted us: see notice_interrupts().
struct interrupted {
  std::string kept = {};  ///< for the message: what was not in vain; may be empty
};

/// Runs it to its end; one that takes longer than its limit is ended, with all of its group: by SIGTERM, two seconds
/// later by SIGKILL. Errors: io_error if it cannot be started; `interrupted`, when it has been ended likewise.
outcome run(command const& what);

/// From now on SIGINT, SIGTERM and SIGHUP end run() with `interrupted`, so that what was begun can be undone; not those
/// that are ignored, as SIGHUP is by nohup.
void notice_interrupts();
/// The last one that came; 0.
int noticed_interrupt();
/// For what runs no programs and takes long: so does this. Errors: `interrupted`.
void end_if_interrupted();
/// From now on, and until it is called again, SIGINT ends this process at once, with status 130 and this line on
/// standard error. Thread: one at a time.
void end_on_interrupt_with(std::string const& line);
/// While it lives they are put off: for the undoing.
class put_off_interrupts {
 public:
  put_off_interrupts();
  put_off_interrupts(put_off_interrupts const&) = delete;
  put_off_interrupts& operator=(put_off_interrupts const&) = delete;
  ~put_off_interrupts();
};

}  // namespace ovlp::base
