// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ovlp/flowgraph/function_ref.hpp>
#include <ovlp/simkernel/platform.hpp>

namespace ovlp::sim {

/// How kernels are executed. Source: the paper, section 5; DESIGN.md, "One source, two backends".
enum class execution_mode : std::uint8_t {
  direct,   ///< the body runs and is measured
  partial,  ///< the body does not run; its estimate is charged
  sampled   ///< the first bodies of each kernel and sizes run and are measured; then their mean is charged
};

/// When a kernel of some sizes has been measured often enough: after `count` times, or from the third time on when the
/// standard error of the mean is at most `relative_error` of it.
struct sampling {
  std::uint64_t count = 5;
  std::optional<double> relative_error;

  /// "N" or "P%". Errors: config_error.
  static sampling parse(std::string const& text);
};

/// The durations of kernels, in seconds on the reference core.
class kernel_times {
 public:
  /// `host_speed`: of the core that measures, relative to the reference core.
  kernel_times(execution_mode mode, sampling sample, double host_speed, platform const& on)
      : mode_(mode), sample_(sample), host_speed_(host_speed), platform_(on) {}

  /// Estimates from a file. Errors: config_error. Format: docs/formats/durations.md.
  void read(std::string const& file);

  /// Executes a kernel, or not, and says how long it takes on the reference core.
  /// Errors: config_error if it is to be charged and nothing tells how much.
  double operator()(std::string_view name, std::span<std::int64_t const> sizes, function_ref<void()> body);

  /// The largest relative standard error of the means that were charged after sampling.
  double sampling_error() const;

 private:
  struct entry {
    std::optional<double> estimate_s;  ///< from a file or a model
    std::uint64_t count = 0;           ///< measured
    double mean_s = 0;
    double squares_s2 = 0;  ///< sum of squared deviations from the mean (Welford 1962)
    std::uint64_t charged = 0;
    double relative_error() const;
  };
  struct less_sizes {
    using is_transparent = void;
    bool operator()(std::span<std::int64_t const> a, std::span<std::int64_t const> b) const {
      return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    }
  };
  using entries = std::map<std::vector<std::int64_t>, entry, less_sizes>;

  entry& find(std::string_view name, std::span<std::int64_t const> sizes);
  double estimate(entry& of, std::string_view name, std::span<std::int64_t const> sizes) const;
  double measure(entry& of, function_ref<void()> body);
  bool sampled_enough(entry const& of) const;

  execution_mode const mode_;
  sampling const sample_;
  double const host_speed_;
  platform const& platform_;
  std::map<std::string, entries, std::less<>> kernels_;
};

}  // namespace ovlp::sim
