// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/records/run_recorder.hpp>

#include <utility>

#include <ovlp/base/modules.hpp>

namespace ovlp {
namespace {

constexpr char const* packages = "libsqlite3-dev libzstd-dev";

}  // namespace

std::shared_ptr<record_sink> make_run_recorder(std::string const& file, run_facts about, emitters who,
                                               std::function<void(std::string const&)> failed) {
  using maker = record_sink*(std::string const&, run_facts, emitters, std::function<void(std::string const&)>);
  auto* const make = base::load_module<maker>("--record", "ovlp_recorder.so", "ovlp_make_recorder", packages);
  return std::shared_ptr<record_sink>(make(file, std::move(about), who, std::move(failed)));
}

void join_run_records(std::string const& file) {
  base::load_module<void(std::string const&)>("--record", "ovlp_recorder.so", "ovlp_join_records", packages)(file);
}

}  // namespace ovlp
