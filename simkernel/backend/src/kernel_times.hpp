// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ovlp/flowgraph/function_ref.hpp>
#include <ovlp/machine/platform.hpp>
#include <ovlp/records/kernel_table.hpp>
#include <ovlp/runtime/execution_mode.hpp>
#include <ovlp/runtime/internal/backend.hpp>
#include <ovlp/runtime/internal/first_times.hpp>
#include <ovlp/simkernel/durations.hpp>

#include "charged_run.hpp"

namespace ovlp::sim {

/// When a kernel of some sizes has been measured often enough: after `count` times, or from the third time on when the
/// standard error of the mean is at most `relative_error` of it.
struct sampling {
  std::uint64_t count = 5;
  std::optional<double> relative_error;

  /// "N" or "P%". Errors: config_error.
  static sampling parse(std::string const& text);
};

/// Where the duration of a kernel came from.
enum class duration_source : std::uint8_t { measured, sampled, durations, interpolated, program, platform };
constexpr std::array<char const*, 6> duration_sources{"measured",     "sampled", "durations",
                                                      "interpolated", "program", "platform"};
/// By kernel, and by source: how many.
using duration_counts = std::map<std::string, std::array<std::uint64_t, duration_sources.size()>, std::less<>>;

/// The durations of kernels, in seconds on the reference core.
class kernel_times {
 public:
  /// `host_speed`: of the core that measures, relative to the reference core. `nodes`: of the run.
  kernel_times(execution_mode mode, sampling sample, double host_speed, machine::platform const& on, std::size_t nodes)
      : mode_(mode), sample_(sample), host_speed_(host_speed), platform_(on), nodes_(nodes) {}

  /// From now on what a file estimates varies as its standard deviation says, drawn from this seed.
  void vary_by(std::uint64_t seed) { varied_.emplace(seed); }

  /// Estimates from a file. Errors: config_error. Format: docs/formats/durations.md.
  void read(std::string const& file);

  /// What another run took is charged, whether the kernels run or not. Errors: config_error, io_error.
  void charge_as(std::string const& file) { as_in_.emplace(file); }
  /// What the next step there computed outside kernels in that run.
  std::optional<double> charged_remainder_s(operation_place const& at) {
    return as_in_ ? as_in_->next_remainder_s(at) : std::nullopt;
  }

  /// Of kernels of this name, where no file tells.
  void estimate(std::string name, kernel_estimate seconds) { kernels_[std::move(name)].estimate = std::move(seconds); }
  void execute(std::string name, execution_mode mode) { kernels_[std::move(name)].mode = mode; }
  /// No kernel is charged.
  bool all_run() const;

  struct time {
    double work_s;         ///< on the reference core
    double measured_s;     ///< CPU time that the body took here; 0 if it did not run
    bool is_mean = false;  ///< of those that were sampled
    double demand = 0;     ///< of what the cores of a node share, 0 to 1
  };
  /// Executes a kernel, or not, and says how long it takes. One that always runs is charged as others are.
  /// Errors: config_error if it is to be charged and nothing tells how much.
  time operator()(kernel_call const& what);

  /// Whether a kernel was charged by a model that a file gives.
  bool uses_models() const { return uses_models_; }
  /// Whether a kernel was charged by a file that a simulation wrote.
  bool uses_simulated() const;
  /// Cores that computed at once when what kernels demand was measured; 0: no demand was.
  std::size_t cores_of_demands() const { return cores_of_demands_; }

  /// How many kernels there were so far.
  duration_counts counts() const;

  /// A mean that was charged after sampling.
  struct sampled_mean {
    std::string of;  ///< name and sizes, in words
    std::uint64_t samples;
    double relative_error;  ///< standard error
  };
  /// The one with the largest relative error, if there is any.
  std::optional<sampled_mean> weakest_mean() const;
  /// Those of which nothing has been charged so far.
  std::vector<std::string> unused_files() const;
  /// By file, the processor that its durations are of.
  std::map<std::string, std::string> const& cores_of_files() const { return cores_; }
  /// What the runtime takes, of the last file that says it.
  std::optional<runtime_duration> const& runtime() const { return runtime_; }
  /// Whether durations vary, and files say how much.
  bool vary() const;

 private:
  /// Those that ran of a sampled kernel.
  struct sample {
    std::uint64_t count = 0;
    double mean_s = 0;
    double squares_s2 = 0;  ///< sum of squared deviations from the mean (Welford 1962)
    bool charged = false;   ///< the mean
    void add(double work_s);
    double relative_error() const;
  };
  struct entry {
    std::optional<double> estimate_s;                          ///< once it is known
    duration_source source = duration_source::measured;        ///< of the estimate
    double standard_deviation_s = 0;                           ///< of the estimate
    double first_ratio = 1;                                    ///< how much longer the first one in a DPS thread takes
    std::shared_ptr<std::vector<double> const> of_nodes = {};  ///< relative to the estimate; nullptr: all alike
    double demand = 0;                                         ///< of what the cores of a node share
    std::optional<kernel_duration> alone = {}, beside = {};    ///< as measured with one execution thread, and with more
    std::size_t threads_beside = 0;                            ///< so many
    first_times first = {};
    std::vector<std::size_t> files = {};  ///< that the estimate is from
    sample firsts, others;                ///< of DPS threads
  };
  /// All kernels of a name.
  struct kernel {
    std::optional<execution_mode> mode;               ///< of its own
    kernel_estimate estimate;                         ///< of the program; may be empty
    std::optional<machine::kernel_model> model = {};  ///< of the file of this number
    std::size_t file_of_model = 0;
    std::array<std::uint64_t, duration_sources.size()> counts{};
    std::map<std::vector<std::int64_t>, entry> of_sizes;
    struct from_files;
    /// By how many there are: sizes above 0 that files know; made when they are first asked for.
    std::map<std::size_t, std::shared_ptr<from_files const>> measured;
  };

  /// Where a kernel of these sizes is kept.
  struct place {
    kernel* of_name = nullptr;
    entry* of_sizes = nullptr;
  };
  place& find(kernel_call const& what);
  void find_demand(entry& of);
  void find_estimate(kernel& of, entry& of_sizes, kernel_call const& what);
  static bool interpolate(kernel& of, entry& of_sizes, std::span<std::int64_t const> sizes);
  time execute_or_charge(kernel_call const& what);
  double charge(entry& of_sizes, kernel_call const& what);
  static double charged_by(machine::kernel_model const& model, std::string const& of, kernel_call const& what);
  double model(kernel const& of, kernel_call const& what) const;
  time measure(function_ref<void()> body) const;
  double run_charged(kernel_call const& what) const;
  bool is_enough(sample const& of) const;

  execution_mode const mode_;
  sampling const sample_;
  double const host_speed_;
  machine::platform const& platform_;
  std::size_t const nodes_;
  std::map<std::string, kernel> kernels_;
  kernel_table<place> places_;  ///< in kernels_, of all that has been called
  struct durations_file {
    std::string name;
    bool simulated;
    bool used = false;
  };
  std::vector<durations_file> files_;
  std::map<std::string, std::string> cores_;
  std::optional<runtime_duration> runtime_;
  std::size_t runtime_file_ = 0;
  std::optional<std::mt19937_64> varied_;
  bool uses_models_ = false;
  std::size_t cores_of_demands_ = 0;  ///< the least; 0: none is known
  std::optional<charged_run> as_in_;
};

}  // namespace ovlp::sim
