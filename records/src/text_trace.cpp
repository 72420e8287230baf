// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/records/text_trace.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/records/names.hpp>

namespace ovlp {
namespace {

/// Nanoseconds are what a reader, and a golden file, can compare.
std::string seconds(double s) {
  std::array<char, 64> digits{};
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), s, std::chars_format::fixed, 9).ptr;
  return {digits.data(), end};
}
std::string interval(double start_s, double end_s) { return "from " + seconds(start_s) + " to " + seconds(end_s); }

std::string iteration_name(std::int32_t iteration) {
  return iteration == 0 ? "" : " iteration " + std::to_string(iteration);
}

/// What an operation waits for.
char const* awaited(wait_cause cause) {
  switch (cause) {
    case wait_cause::object: return "an object";
    case wait_cause::window: return "its window";
    case wait_cause::condition: return "its condition";
    case wait_cause::call: return "a call";
    case wait_cause::change: return "a change of a collection";
    case wait_cause::handled: return "what it posted to be handled";
  }
  return "";
}

/// A trace of its own may be replaced.
std::string const& checked(std::string const& file) {
  if (file != "-") base::expect_replaceable(file, text_trace::begins);
  return file;
}

}  // namespace

text_trace::text_trace(std::string const& file, std::function<void(std::string const&)> failed, bool append)
    : name_(checked(file)),
      file_(file == "-" ? stdout : std::fopen(file.c_str(), append ? "a" : "w")),
      failed_(std::move(failed)) {
  if (file_ == nullptr) throw io_error("--trace: '" + file + "': cannot be written: " + std::strerror(errno));
  if (file_ != stdout) std::setvbuf(file_, nullptr, _IOLBF, BUFSIZ);
}

text_trace::~text_trace() {
  if (file_ != stdout) {
    std::fclose(file_);
  } else {
    std::fflush(file_);
  }
}

void text_trace::line(double at_s, std::string const& where, char const* what, std::string const& rest) {
  std::scoped_lock const lock(mutex_);
  int const written = std::fprintf(file_, "%s %s %s%s%s\n", seconds(at_s).c_str(), where.c_str(), what,
                                   rest.empty() ? "" : " ", rest.c_str());
  if (written < 0 && error_ == 0) error_ = errno;
}

std::string text_trace::thread_name(operation_place const& at) const {
  std::uint32_t const collection = names_->graphs[at.graph].operations[at.operation].collection;
  return name_of_node(at.node) + " " + names_->collections[collection] + "[" + std::to_string(at.thread) + "]";
}

std::string text_trace::operation_name(std::uint32_t graph, std::uint32_t operation) const {
  run_definitions::operation const& of = names_->graphs[graph].operations[operation];
  return of.kind + " '" + of.name + "'";
}

void text_trace::begin(run_definitions const& of) {
  names_ = &of;
  std::scoped_lock const lock(mutex_);
  std::fprintf(file_, "%s of %s, %s, %u nodes\n", begins, of.application.c_str(), of.backend.c_str(), of.nodes);
  if (of.backend == "real") std::fprintf(file_, "# node%u\n", of.node);
  for (run_definitions::graph const& graph : of.graphs) std::fprintf(file_, "# graph '%s'\n", graph.name.c_str());
}

void text_trace::step(step_record const& r) {
  line(r.end_s, thread_name(r.at), "step",
       operation_name(r.at.graph, r.at.operation) + iteration_name(r.at.iteration) + " " +
           interval(r.start_s, r.end_s) + " computed " + seconds(r.computed_s) + " work " + seconds(r.work_s));
}

void text_trace::kernel(kernel_record const& r) {
  std::string sizes;
  for (std::int64_t size : r.sizes) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
  line(r.end_s, thread_name(r.at), "kernel",
       std::string(r.name) + "(" + sizes + ") " + interval(r.start_s, r.end_s) + " work " + seconds(r.work_s));
}

void text_trace::wait(wait_record const& r) {
  line(r.end_s, thread_name(r.at), "wait",
       operation_name(r.at.graph, r.at.operation) + " for " + awaited(r.cause) + " " + interval(r.start_s, r.end_s));
}

void text_trace::post(post_record const& r) {
  run_definitions::operation const& to = names_->graphs[r.at.graph].operations[r.object.operation];
  line(r.at_s, thread_name(r.at), "post",
       operation_name(r.at.graph, r.at.operation) + " port " + std::to_string(r.port) + " to " + to.kind + " '" +
           to.name + "' in " + names_->collections[to.collection] + "[" + std::to_string(r.to_thread) + "] on " +
           name_of_node(r.to_node));
}

void text_trace::send(send_record const& r) {
  line(r.at_s, name_of_node(r.source), "send",
       std::string(name_of(r.kind)) + " to " + name_of_node(r.destination) + " bytes " + std::to_string(r.bytes));
}

void text_trace::delivery(delivery_record const& r) {
  line(r.at_s, name_of_node(r.destination), "delivery",
       std::string(name_of(r.kind)) + " from " + name_of_node(r.source));
}

void text_trace::transfer(transfer_record const& r) {
  line(r.crossed_s, name_of_node(r.source), "transfer",
       "to " + name_of_node(r.destination) + " bytes " + std::to_string(r.bytes) + " sent " + seconds(r.sent_s) + " " +
           interval(r.started_s, r.crossed_s));
}

void text_trace::node(node_record const& r) { line(r.at_s, name_of_node(r.node), name_of(r.change).data(), ""); }

void text_trace::mapping(mapping_record const& r) {
  std::string nodes;
  for (std::uint32_t node : r.nodes) nodes += (nodes.empty() ? "" : " ") + name_of_node(node);
  line(r.at_s, "node0", "mapping", names_->collections[r.collection] + " to " + nodes);
}

void text_trace::decision(decision_record const& r) {
  line(r.at_s, "node0", "decision",
       "after iteration " + std::to_string(r.iteration) + " hold " + std::to_string(r.nodes) +
           " nodes: " + std::string(r.reason));
}

void text_trace::call(call_record const& r) {
  line(r.at_s, "node0", "call",
       "'" + names_->graphs[r.graph].name + "' number " + std::to_string(r.call) + (r.begins ? " begins" : " ends"));
}

void text_trace::end(end_record const& r) {
  if (!r.failure.empty()) line(r.at_s, "node0", "failed", std::string(r.failure));
}

void text_trace::flush() {
  std::scoped_lock const lock(mutex_);
  if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
  if (error_ != 0) failed_("--trace: '" + name_ + "': cannot be written: " + std::strerror(error_));
}

}  // namespace ovlp
