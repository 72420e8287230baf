// SPDX-License-Identifier: BSD-3-Clause
#include "wire.hpp"

#include <bit>
#include <cstdio>

#include <boost/container/small_vector.hpp>

#include <ovlp/base/error.hpp>
#include <ovlp/base/version.hpp>
#include <ovlp/flowgraph/layout.hpp>

namespace ovlp::real {
namespace {

void write_envelope(writer& to, envelope const& object) {
  to.write(object.graph);
  to.write(object.operation);
  to.write(object.thread);
  to.write(object.iteration);
  to.write(object.epoch);
  to.write(static_cast<std::uint32_t>(object.depth));
  for (frame const& f : object.frames()) to.write(f);
  object.type->write(to, const_cast<envelope&>(object).object());
}

template <class T>
T read_value(reader& from) {
  T value{};
  from.read(value);
  return value;
}

void require(bool good, char const* what) {
  if (!good) throw decode_error(what);
}

object_type const& type_for(std::uint32_t graph, std::uint32_t operation, program const& known) {
  if (operation == state_operation) {
    require(graph < known.collections() && known.collection(graph).state.type != nullptr, "no such collection");
    return *known.collection(graph).state.type;
  }
  require(graph < known.graphs(), "no such graph");
  graph_definition const& definition = *known.graph(graph).definition;
  if (operation == result_operation) return definition.result_type();
  require(operation < definition.operations.size(), "no such operation");
  return *definition.operations[operation].input;
}

envelope_ptr read_envelope(reader& from, program const& known) {
  auto const graph = read_value<std::uint32_t>(from);
  auto const operation = read_value<std::uint32_t>(from);
  auto const thread = read_value<std::uint32_t>(from);
  auto const iteration = read_value<std::int32_t>(from);
  auto const epoch = read_value<std::uint32_t>(from);
  auto const depth = read_value<std::uint32_t>(from);
  require(depth > 0, "no group");
  require(depth <= envelope::most_frames, "too many groups");
  boost::container::small_vector<frame, 4> groups;
  for (std::uint32_t i = 0; i < depth; ++i) groups.push_back(read_value<frame>(from));
  envelope_ptr made = envelope::read(type_for(graph, operation, known), from, {groups.data(), groups.size()});
  require(operation == state_operation || depth == 1 || groups.back().port < known.graph(graph).ports.size(),
          "no such port");
  made->graph = graph;
  made->operation = operation;
  made->thread = thread;
  made->iteration = iteration;
  made->epoch = epoch;
  return made;
}

}  // namespace

std::string protocol() {
  char messages[17];
  std::snprintf(
      messages, sizeof messages, "%016llx",
      static_cast<unsigned long long>(detail::digest_of(layout<service>() + layout<control>() + layout<frame>())));
  return "ovlp " + std::string(version()) + (std::endian::native == std::endian::little ? ", little" : ", big") +
         " endian, " + std::to_string(sizeof(void*)) + "-byte pointers, messages " + messages;
}

void check(frame_header const& header, frame_limits limits) {
  require(header.magic == frame_magic, "not a frame of ovlp");
  require(header.kind >= frame_kind::object && header.kind <= frame_kind::process, "a frame of unknown kind");
  require(header.inline_bytes <= limits.inline_bytes && header.bulk_bytes <= limits.bulk_bytes,
          "a frame that is too large");
}

outgoing::outgoing(envelope_ptr object) : message_(std::move(object)) {
  write_envelope(body_, *std::get<envelope_ptr>(message_));
  finish(frame_kind::object);
}
outgoing::outgoing(control message) : message_(std::move(message)) {
  body_.write(std::get<control>(message_));
  finish(frame_kind::control);
}
outgoing::outgoing(service message) : message_(std::move(message)) {
  body_.write(std::get<service>(message_));
  finish(frame_kind::process);
}

void outgoing::finish(frame_kind kind) {
  header_ = {frame_magic, kind, body_.inline_bytes(), body_.bulk_bytes()};
  auto const parts = body_.segments();
  segments_.reserve(parts.size() + 1);
  segments_.push_back(std::as_bytes(std::span(&header_, 1)));
  segments_.insert(segments_.end(), parts.begin(), parts.end());
}

void outgoing::add_to(std::vector<std::span<std::byte const>>& list, std::size_t skip) const {
  for (auto part : segments_) {
    if (skip >= part.size()) {
      skip -= part.size();
      continue;
    }
    list.push_back(part.subspan(skip));
    skip = 0;
  }
}

incoming decode(frame_header const& header, std::span<std::byte const> inline_part, program const& known) {
  incoming read;
  reader from(inline_part, header.bulk_bytes);
  switch (header.kind) {
    case frame_kind::object: read.message = read_envelope(from, known); break;
    case frame_kind::control: read.message = read_value<control>(from); break;
    case frame_kind::process: read.message = read_value<service>(from); break;
  }
  from.finish();
  read.bulk.assign(from.bulk().begin(), from.bulk().end());
  return read;
}

}  // namespace ovlp::real
