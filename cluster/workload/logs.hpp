// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "workload/workload.hpp"

namespace ovlp::cluster {

// Logs of clusters, as text. A processor, or a node of sacct's, is a node of ours; jobs are rigid.
// What is left out is said in notes. Errors: config_error "FILE:LINE: ..." for what is no such log.

/// The Standard Workload Format.
workload read_swf(std::string const& text, std::string const& file);
/// The output of `sacct --parsable2 --format JobID,User,Submit,Start,End,NNodes,Timelimit,State`, and others.
workload read_sacct(std::string const& text, std::string const& file);

// What they have in common.

/// With a note, if it is not.
void sort_by_arrival(workload& of);
/// A note of each reason, with the number of jobs. Errors: config_error if none is left.
void note_left_out(workload& of, std::map<std::string, std::size_t> const& left_out, std::string const& file);

}  // namespace ovlp::cluster
