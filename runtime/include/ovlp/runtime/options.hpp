// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ovlp {

/// The command line of an application: its own options beside those of the run.
///
///   int n = 2592;
///   ovlp::options options{"lu", "Block LU factorization with partial pivoting"};
///   options.add("--n", n, "order of the matrix").at_least(1);
///   ovlp::engine run{argc, argv, options};   // reads the command line
///
/// A wrong value ends the program with one line that says what was expected, and status 2; --help shows all options.
/// In a real run each process reads the same command line, so the variables have the same values in all of them; a run
/// of which processes have others is refused.
/// Ownership: variables live until the engine is made; that reads the options, which are not needed afterwards. For
///            one engine.
/// Names: a program's own option comes first; one of the run that is called alike is then --ovlp-NAME, as --help shows:
///        so a new version of ovlp takes no name from a program. Only what commands of ovlp give to programs is taken:
///        --nodes, --hosts, --transport, --platform, --execution, --durations, --no-alloc, --vary, --without,
///        --summary,
///        --record..., --trace, --plan, --policy, --barriers, --efficiency...
/// Errors: config_error for a name that was added before, or, when the engine is made, that is taken.
class options {
 public:
  options(std::string application, std::string description);
  options(options const&) = delete;
  options& operator=(options const&) = delete;
  ~options();

  /// One option that is being described. Its variable holds the default, and the value once the engine is made.
  class option {
   public:
    option& at_least(double least);                    ///< numbers only
    option& at_most(double most);                      ///< numbers only
    option& one_of(std::vector<std::string> choices);  ///< exactly one of these texts
    option& required();                                ///< the command line must have it
    /// Each process of a run may have another value, such as the name of a file of its own.
    option& may_differ();

   private:
    friend class options;
    explicit option(void* target) : target_(target) {}
    void* target_;
  };

  option add(std::string const& name, int& value, std::string const& meaning);
  option add(std::string const& name, std::size_t& value, std::string const& meaning);
  option add(std::string const& name, double& value, std::string const& meaning);
  option add(std::string const& name, std::string& value, std::string const& meaning);
  option add(std::string const& name, std::vector<std::string>& values, std::string const& meaning);  ///< repeatable
  /// A flag: false unless given.
  option add(std::string const& name, bool& value, std::string const& meaning);
  /// Arguments without a name, such as files.
  option add_arguments(std::string const& name, std::vector<std::string>& values, std::string const& meaning);

  struct implementation;  ///< of the library
  implementation& internals() { return *implementation_; }

 private:
  std::unique_ptr<implementation> implementation_;
};

}  // namespace ovlp
