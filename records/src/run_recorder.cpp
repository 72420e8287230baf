// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/records/run_recorder.hpp>

#include <utility>

#include <ovlp/support/modules.hpp>

namespace ovlp {

std::shared_ptr<record_sink> make_run_recorder(std::string const& file, run_facts about, emitters who,
                                               std::function<void(std::string const&)> failed) {
  using maker = record_sink*(std::string const&, run_facts, emitters, std::function<void(std::string const&)>);
  auto* const make =
      support::load_module<maker>("--record", "ovlp_recorder.so", "ovlp_make_recorder", "libsqlite3-dev libzstd-dev");
  return std::shared_ptr<record_sink>(make(file, std::move(about), who, std::move(failed)));
}

}  // namespace ovlp
