// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/exports/export_formats.hpp>

#include <array>

#include <ovlp/store/exports.hpp>

#include "timeline.hpp"
#include "writers.hpp"

namespace ovlp {
namespace {

template <exports::writer Write>
std::unique_ptr<record_sink> of_timeline(std::string const& output, std::string const& reservation,
                                         export_note const& note) {
  return exports::make_timeline_sink(reservation,
                                     [output, note](exports::timeline const& run) { Write(run, output, note); });
}
std::unique_ptr<record_sink> csv(std::string const& output, std::string const& reservation, export_note const&) {
  return make_csv_export(output, reservation);
}

constexpr std::array formats{
    export_format{"csv", "a folder with a table of each kind of record", csv},
    export_format{"perfetto", "a file for ui.perfetto.dev", of_timeline<exports::write_perfetto>},
    export_format{"paraver", "NAME.prv, with NAME.pcf and NAME.row, for Paraver", of_timeline<exports::write_paraver>},
    export_format{"otf2", "a folder with an archive of OTF2, for Vampir and others", of_timeline<exports::write_otf2>},
};

}  // namespace

std::span<export_format const> export_formats() { return formats; }

}  // namespace ovlp
