// SPDX-License-Identifier: BSD-3-Clause
#include "potential_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <optional>
#include <sstream>

#include <ovlp/base/text.hpp>

#include "text_table.hpp"

namespace ovlp::tools {
namespace {

using base::fixed;

std::string in_us(double time_s) { return fixed(1e6 * time_s, 3); }

text_table messages_of(mpi::code_parameters const& code, potential_study const& study) {
  text_table table;
  std::vector<std::string> head{"message", "per iteration", "bytes", "independent [us]", "available [us]", "mean [us]"};
  for (double const latency_s : study.latencies_s) head.push_back("at " + short_number(1e6 * latency_s) + " us");
  table.add(head);
  for (mpi::message_parameters const& m : code.messages) {
    std::vector<std::string> row{m.name, short_number(m.per_iteration), fixed(m.sent_words * mpi::word_bytes, 0),
                                 in_us(mpi::independent_work_s(m))};
    if (m.model == mpi::spmd::concurrent) {
      mpi::time_available const available = mpi::time_available_for(m, m.transfer);
      row.insert(row.end(), {in_us(available.least_s), in_us(available.mean_s)});
    } else {
      row.insert(row.end(), {"pipelined", ""});
    }
    for (double const latency_s : study.latencies_s)
      row.push_back(fixed(mpi::normalized_overlap(m, study.fastest(latency_s)), 2));
    table.add(row);
  }
  return table;
}

text_table times_of(mpi::code_parameters const& code, potential_study const& study) {
  text_table table;
  table.add({"latency [us]", "without overlap", "with overlap", "messages", "collectives", "bandwidth needed [MB/s]"});
  for (double const latency_s : study.latencies_s) {
    mpi::overlap_network const on = study.fastest(latency_s);
    mpi::iteration_time const time = mpi::time_of_iteration(code, on);
    auto const required = mpi::required_bandwidth(code, on);
    auto const share = [&](double part_s) {  // of the time without overlap
      return fixed(100 * part_s / (time.computation_s * time.normalized()), 1) + " %";
    };
    table.add({short_number(1e6 * latency_s), fixed(time.normalized(), 3), fixed(time.normalized_overlapped(), 3),
               share(time.messages_s), share(time.collectives_s), required ? short_number(1e-6 * *required) : "none"});
  }
  return table;
}

}  // namespace

std::string text_of(potential_study const& study) {
  std::ostringstream text;
  std::string const bandwidth = short_number(1e-6 * study.bandwidths_Bps.back()) + " MB/s";
  for (mpi::code_parameters const& code : study.codes) {
    text << (&code == &study.codes.front() ? "" : "\n") << code.name << ": " << in_us(code.computation_s)
         << " us of computation an iteration\n\n"
         << "Time to hide messages behind, and as a multiple of their delays at " << bandwidth << ":\n"
         << messages_of(code, study).text() << '\n'
         << "Time of an iteration at " << bandwidth << ", as a multiple of its computation, and of what it is without\n"
         << "overlap; and the bandwidth on which it is with overlap what it is here without:\n"
         << times_of(code, study).text();
  }
  return text.str();
}

std::string csv_of(potential_study const& study) {
  std::ostringstream text;
  text << std::setprecision(15)
       << "code,latency_s,bandwidth_Bps,normalized_overlap,computation_s,messages_s,exposed_s,collectives_s,"
          "normalized_time,normalized_time_overlapped,required_bandwidth_Bps\n";
  auto const or_none = [&](std::optional<double> const& value) {
    if (value) text << *value;
  };
  for (mpi::code_parameters const& code : study.codes) {
    std::string name = code.name;
    std::replace(name.begin(), name.end(), ',', ';');  // such files have no quotes
    for (double const latency_s : study.latencies_s) {
      for (double const bandwidth : study.bandwidths_Bps) {
        mpi::overlap_network const on = study.network(latency_s, bandwidth);
        mpi::iteration_time const time = mpi::time_of_iteration(code, on);
        text << base::one_line(name) << ',' << latency_s << ',' << bandwidth << ',';
        or_none(mpi::normalized_overlap(code, on));
        text << ',' << time.computation_s << ',' << time.messages_s << ',' << time.exposed_s << ','
             << time.collectives_s << ',' << time.normalized() << ',' << time.normalized_overlapped() << ',';
        or_none(mpi::required_bandwidth(code, on));
        text << '\n';
      }
    }
  }
  return text.str();
}

}  // namespace ovlp::tools
