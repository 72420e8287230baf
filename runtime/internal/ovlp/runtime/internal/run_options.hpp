// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/flowgraph/mapping.hpp>
#include <ovlp/records/plan.hpp>
#include <ovlp/runtime/internal/fact.hpp>
#include <ovlp/runtime/internal/order_file.hpp>
#include <ovlp/runtime/options.hpp>

namespace ovlp {

class cluster_link;

/// What the command line says about the run itself. A backend derives what it adds.
class run_options {
 public:
  std::string application;
  std::size_t nodes = 1;
  bool nodes_given = false;           ///< by the command line
  std::size_t execution_threads = 0;  ///< 0: per collection
  bool execution_thread_per_core = false;
  bool barriers = false;                                  ///< streams post when they have taken in all
  std::vector<std::pair<std::string, mapping>> mappings;  ///< of collections, in the place of the program's
  std::size_t stack_kib = 256;
  std::string summary_file;
  std::string trace_file;
  std::string record_file;
  std::string record_only;  ///< "nodes": sums; empty: all records
  std::string durations_file;
  std::string plan_file;
  ovlp::plan plan;  ///< of that file, if there is one
  std::string policy;
  std::size_t hold = 0;                  ///< nodes that are held first, until others say; 0: as the plan says
  std::shared_ptr<cluster_link> server;  ///< nullptr: the run is no job of a cluster
  bool iterations = false;               ///< print a table of them
  std::string efficiency_file;
  std::string over_time_file;
  std::string note_order_file;
  std::string follow_order_file;
  std::optional<std::vector<deliveries>> followed_order;  ///< of that file
  double window_s = 0;                                    ///< of the efficiency over time; 0: a 25th of the call
  std::vector<std::string> arguments;                     ///< as given, without the program's name
  ovlp::facts facts;  ///< of the command line: in what all processes of a run must agree

  run_options() = default;
  run_options(run_options const&) = delete;
  run_options& operator=(run_options const&) = delete;
  virtual ~run_options() = default;

  /// Reads the command line into `program_options` and into these. An option that only another backend has is noted on
  /// stderr.
  /// Ends the program on --help (status 0) and on wrong options (one line, status 2). Errors: config_error if the
  /// program has an option of a name that is ovlp's.
  void read(int argc, char const* const* argv, options& program_options);

  /// "real"
  virtual char const* backend() const = 0;
  /// Whether others may say what is to be held, so that every border is of use.
  virtual bool takes_orders() const { return hold > 0; }
  /// Whether figures of a call are to be written or printed.
  bool ask_for_figures() const {
    return iterations || !summary_file.empty() || !efficiency_file.empty() || !over_time_file.empty();
  }

 protected:
  /// Options that another backend has, so that one command serves both.
  struct foreign_option {
    char const* name;
    bool is_flag = false;
  };

  /// Says what is wrong with the command line, in a line.
  virtual void complain(std::string const& line) const;

 private:
  /// Adds them to the command line.
  virtual void add_own(options& to) = 0;
  virtual std::vector<foreign_option> foreign_options() const = 0;
  /// What one option alone does not show; may set what has not been given. Errors: config_error.
  virtual void check_own() {}
  /// Not the user's process, but one that the run has launched with the same command line: says nothing about it.
  virtual bool launched() const { return false; }

  /// Of the command line, before they are checked.
  struct texts {
    std::string threads = "collections";
    std::vector<std::string> mappings;
  };

  void add_common(options& to, texts& given);
  ovlp::facts agreed(options& given, texts const& said) const;
  [[noreturn]] void end_program(std::string const& why) const;
  void check(options& given, texts const& said);
};

/// Where a node of a real run writes what goes to this file: nodes beyond the first add .nodeN.
std::string file_of_node(std::string const& file, node_id node);

/// The name of the program that runs, without its folder.
std::string program_name(int argc, char const* const* argv);

}  // namespace ovlp
