// SPDX-License-Identifier: BSD-3-Clause
// ovlp threads compare
#include <memory>
#include <string>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/text.hpp>
#include <ovlp/threads/communication_file.hpp>

#include "row_order.hpp"
#include "subcommands.hpp"

namespace ovlp::tools {
namespace {

void compare_matrices(std::vector<std::string> const& files, shared_memory::row_order order) {
  shared_memory::communication_matrix const first = shared_memory::read_matrix(files.front(), order);
  auto const n = static_cast<double>(first.threads());
  std::string text =
      "mean squared error to " + files.front() + " (0 to " + base::fixed((n * n - n) / (n * n) * 1e4, 2) + ")\n";
  for (std::size_t i = 1; i < files.size(); ++i) {
    shared_memory::communication_matrix const other = shared_memory::read_matrix(files[i], order);
    if (other.threads() != first.threads())
      throw config_error(files[i] + ": expected " + std::to_string(first.threads()) + " threads, as in " +
                         files.front() + ", got " + std::to_string(other.threads()));
    std::string const error = base::fixed(mean_squared_error(first, other), 4);
    text += std::string(error.size() < 12 ? 12 - error.size() : 0, ' ') + error + "  " + files[i] + "\n";
  }
  base::write_output("-", text);
}

}  // namespace

void add_threads_compare(CLI::App& threads) {
  auto const files = std::make_shared<std::vector<std::string>>();
  CLI::App& compare = *threads.add_subcommand("compare", "How far matrices are from the first one");
  add_required(compare, "matrices", *files, "MATRIX", "of ovlp threads trace, or tables of numbers (CSV)")
      ->expected(2, 1 << 20);
  auto const order = std::make_shared<shared_memory::row_order>(shared_memory::row_order::unknown);
  add_row_order(compare, *order);
  compare.footer("Example: ovlp threads compare accurate.json relaxed-64.json relaxed-4096.json");
  compare.callback([files, order] { compare_matrices(*files, *order); });
}

}  // namespace ovlp::tools
