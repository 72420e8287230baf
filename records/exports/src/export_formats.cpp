// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/exports/export_formats.hpp>

#include <array>

#include <ovlp/store/exports.hpp>

#include "timeline.hpp"
#include "writers.hpp"

namespace ovlp {
namespace {

template <exports::writer Write>
std::unique_ptr<record_sink> of_timeline(std::string const& output) {
  return exports::make_timeline_sink([output](exports::timeline const& run) { Write(run, output); });
}

constexpr std::array formats{
    export_format{"csv", "a folder with a table of each kind of record", make_csv_export},
    export_format{"perfetto", "a file for ui.perfetto.dev", of_timeline<exports::write_perfetto>},
    export_format{"paraver", "NAME.prv, with NAME.pcf and NAME.row, for Paraver", of_timeline<exports::write_paraver>},
    export_format{"otf2", "a folder with an archive of OTF2, for Vampir and others", of_timeline<exports::write_otf2>},
};

}  // namespace

std::span<export_format const> export_formats() { return formats; }

}  // namespace ovlp
