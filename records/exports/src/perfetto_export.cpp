// SPDX-License-Identifier: BSD-3-Clause
// Perfetto's TrackEvents, with libprotozero. The fields are those of protos/perfetto/trace there.
#include <protozero/pbf_builder.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "output_file.hpp"
#include "timeline.hpp"
#include "writers.hpp"

namespace ovlp::exports {
namespace {

enum class trace : protozero::pbf_tag_type { packet = 1 };
enum class packet : protozero::pbf_tag_type {
  timestamp = 8,
  sequence_id = 10,
  track_event = 11,
  interned_data = 12,
  sequence_flags = 13,
  track_descriptor = 60,
};
enum class interned_data : protozero::pbf_tag_type { categories = 1, event_names = 2, annotation_names = 3 };
enum class interned : protozero::pbf_tag_type { number = 1, text = 2 };
enum class track_descriptor : protozero::pbf_tag_type {
  uuid = 1,
  name = 2,
  process = 3,
  thread = 4,
  parent_uuid = 5,
  counter = 8,
};
enum class process_descriptor : protozero::pbf_tag_type { pid = 1, name = 6 };
enum class thread_descriptor : protozero::pbf_tag_type { pid = 1, tid = 2, name = 5 };
enum class counter_descriptor : protozero::pbf_tag_type { unit = 3 };
enum class track_event : protozero::pbf_tag_type {
  categories = 3,
  annotation = 4,
  type = 9,
  name = 10,
  track_uuid = 11,
  counter_value = 30,
  flows = 47,
  ending_flows = 48,
};
enum class annotation : protozero::pbf_tag_type { name = 1, integer = 4, text = 6 };

enum class event_type : std::int32_t { slice_begin = 1, slice_end = 2, instant = 3, counter = 4 };
enum class sequence_flag : std::uint32_t { begins = 1, needs_what_was_interned = 2 };
enum class unit : std::int32_t { count = 2, bytes = 3 };

// What is interned, by number.
constexpr std::array<std::string_view, 5> categories{"", "step", "kernel", "wait", "post"};
enum class category : std::uint64_t { step = 1, kernel, wait, post };
constexpr std::array<std::string_view, 3> annotations{"", "iteration", "sizes"};
enum class annotated : std::uint64_t { iteration = 1, sizes };

/// Of each node.
constexpr std::array<std::tuple<std::string_view, unit>, 5> counters{{
    {"steps running", unit::count},
    {"transfers out", unit::count},
    {"transfers in", unit::count},
    {"bytes out", unit::bytes},
    {"bytes in", unit::bytes},
}};
enum class counter : std::uint32_t { steps, transfers_out, transfers_in, bytes_out, bytes_in };

class perfetto_file {
 public:
  perfetto_file(timeline const& run, std::string const& output)
      : run_(run), file_(output, std::string_view("\n\0", 2)) {}

  void write() {
    intern_names();
    describe_tracks();
    // Before the steps: of what is at one instant the reader sees a flow's begin first.
    write_posts();
    for (std::uint32_t thread = 0; thread < run_.threads.size(); ++thread) {
      run_.walk(
          thread, [&](timeline::wait const& wait) { write_wait(wait); },
          [&](timeline::step const& step, auto kernels) { write_step(step, kernels); });
    }
    write_uses();
    write_bytes();
    file_.write(bytes_);
    file_.close();
  }

 private:
  using packet_builder = protozero::pbf_builder<packet>;
  using event_builder = protozero::pbf_builder<track_event>;

  // Numbers of names: of activities, and "post".
  std::uint64_t name_of(auto const& activity) const { return 1 + std::uint64_t{run_.activity(activity)}; }
  std::uint64_t name_of_post() const { return 1 + run_.activities(); }

  // Numbers of tracks: nodes, threads on nodes, counters of nodes.
  std::uint64_t track_of_node(std::uint32_t node) const { return 1 + std::uint64_t{node}; }
  std::uint64_t track_of_residence(std::uint32_t residence) const { return 1 + std::uint64_t{run_.nodes} + residence; }
  std::uint64_t track_of_counter(std::uint32_t node, counter which) const {
    return 1 + run_.nodes + run_.residences.size() + std::uint64_t{node} * counters.size() +
           static_cast<std::uint64_t>(which);
  }
  // From 1, for 0 is the kernel's; threads after processes, for a process's number is that of its main thread.
  static std::int32_t pid_of(std::uint32_t node) { return static_cast<std::int32_t>(node + 1); }
  std::int32_t tid_of(std::uint32_t residence) const { return static_cast<std::int32_t>(run_.nodes + 1 + residence); }

  template <class Fill>
  void add_packet(sequence_flag flag, Fill const& fill) {
    {
      protozero::pbf_builder<trace> to(bytes_);
      packet_builder made(to, trace::packet);
      fill(made);
      made.add_uint32(packet::sequence_id, 1);
      made.add_uint32(packet::sequence_flags, static_cast<std::uint32_t>(flag));
    }
    constexpr std::size_t enough = 1 << 20;
    if (bytes_.size() < enough) return;
    file_.write(bytes_);
    bytes_.clear();
  }
  template <class Fill>
  void add_event(std::int64_t at_ns, event_type type, std::uint64_t track, Fill const& fill) {
    add_packet(sequence_flag::needs_what_was_interned, [&](packet_builder& to) {
      to.add_uint64(packet::timestamp, static_cast<std::uint64_t>(at_ns));
      event_builder event(to, packet::track_event);
      event.add_enum(track_event::type, static_cast<std::int32_t>(type));
      event.add_uint64(track_event::track_uuid, track);
      fill(event);
    });
  }
  static void name(event_builder& event, category of, std::uint64_t number) {
    event.add_uint64(track_event::categories, static_cast<std::uint64_t>(of));
    event.add_uint64(track_event::name, number);
  }

  void intern_names() {
    add_packet(sequence_flag::begins, [&](packet_builder& to) {
      protozero::pbf_builder<interned_data> data(to, packet::interned_data);
      auto const intern = [&](interned_data kind, std::uint64_t number, std::string_view text) {
        protozero::pbf_builder<interned> entry(data, kind);
        entry.add_uint64(interned::number, number);
        entry.add_string(interned::text, text.data(), text.size());
      };
      for (std::size_t i = 1; i < categories.size(); ++i) intern(interned_data::categories, i, categories[i]);
      for (std::size_t i = 1; i < annotations.size(); ++i) intern(interned_data::annotation_names, i, annotations[i]);
      std::uint64_t next = 1;
      for (timeline::operation const& is : run_.operations) intern(interned_data::event_names, next++, is.name);
      for (timeline::kernel_name const& is : run_.kernel_names) intern(interned_data::event_names, next++, is.name);
      for (std::string_view cause : wait_cause_names)
        intern(interned_data::event_names, next++, "wait for " + std::string(cause));
      intern(interned_data::event_names, next, "post");
    });
  }

  template <class Fill>
  void describe_track(std::uint64_t uuid, Fill const& fill) {
    add_packet(sequence_flag::needs_what_was_interned, [&](packet_builder& to) {
      protozero::pbf_builder<track_descriptor> track(to, packet::track_descriptor);
      track.add_uint64(track_descriptor::uuid, uuid);
      fill(track);
    });
  }
  void describe_tracks() {
    using track_builder = protozero::pbf_builder<track_descriptor>;
    for (std::uint32_t node = 0; node < run_.nodes; ++node) {
      describe_track(track_of_node(node), [&](track_builder& track) {
        protozero::pbf_builder<process_descriptor> process(track, track_descriptor::process);
        process.add_int32(process_descriptor::pid, pid_of(node));
        // It knows no name of a whole trace.
        bool const tells = node == 0 && !run_.reservation.empty();
        process.add_string(process_descriptor::name,
                           name_of_node(node) + (tells ? " (" + run_.reservation + ")" : std::string()));
      });
      for (std::uint32_t c = 0; c < counters.size(); ++c) {
        describe_track(track_of_counter(node, static_cast<counter>(c)), [&](track_builder& track) {
          auto const& [text, unit] = counters[c];
          track.add_uint64(track_descriptor::parent_uuid, track_of_node(node));
          track.add_string(track_descriptor::name, text.data(), text.size());
          protozero::pbf_builder<counter_descriptor> is(track, track_descriptor::counter);
          is.add_enum(counter_descriptor::unit, static_cast<std::int32_t>(unit));
        });
      }
    }
    for (std::uint32_t r = 0; r < run_.residences.size(); ++r) {
      describe_track(track_of_residence(r), [&](track_builder& track) {
        track.add_uint64(track_descriptor::parent_uuid, track_of_node(run_.node_of(r)));
        protozero::pbf_builder<thread_descriptor> thread(track, track_descriptor::thread);
        thread.add_int32(thread_descriptor::pid, pid_of(run_.node_of(r)));
        thread.add_int32(thread_descriptor::tid, tid_of(r));
        thread.add_string(thread_descriptor::name, run_.threads[run_.thread_of(r)].name);
      });
    }
  }

  /// Those whose object a step has taken: where an arrow begins.
  void write_posts() {
    std::vector<bool> taken(run_.posts.size());
    for (timeline::step const& s : run_.steps)
      if (s.taken != timeline::no_post) taken[s.taken] = true;
    for (std::uint32_t p = 0; p < run_.posts.size(); ++p) {
      if (!taken[p]) continue;
      timeline::post const& post = run_.posts[p];
      add_event(post.at_ns, event_type::instant, track_of_residence(post.residence), [&](event_builder& event) {
        name(event, category::post, name_of_post());
        event.add_fixed64(track_event::flows, flow_of(p));
      });
    }
  }
  static std::uint64_t flow_of(std::uint32_t post) { return 1 + std::uint64_t{post}; }

  void write_step(timeline::step const& s, std::span<timeline::kernel const> kernels) {
    std::uint64_t const track = track_of_residence(s.residence);
    add_event(s.begin_ns, event_type::slice_begin, track, [&](event_builder& event) {
      name(event, category::step, name_of(s));
      if (s.iteration != 0) {
        protozero::pbf_builder<annotation> note(event, track_event::annotation);
        note.add_uint64(annotation::name, static_cast<std::uint64_t>(annotated::iteration));
        note.add_int64(annotation::integer, s.iteration);
      }
      if (s.taken != timeline::no_post) event.add_fixed64(track_event::ending_flows, flow_of(s.taken));
    });
    for (timeline::kernel const& k : kernels) {
      add_event(k.begin_ns, event_type::slice_begin, track, [&](event_builder& event) {
        name(event, category::kernel, name_of(k));
        if (std::string const& sizes = run_.kernel_names[k.name].sizes; !sizes.empty()) {
          protozero::pbf_builder<annotation> note(event, track_event::annotation);
          note.add_uint64(annotation::name, static_cast<std::uint64_t>(annotated::sizes));
          note.add_string(annotation::text, sizes);
        }
      });
      end_slice(k.end_ns, track);
    }
    end_slice(s.end_ns, track);
  }
  void write_wait(timeline::wait const& wait) {
    std::uint64_t const track = track_of_residence(wait.residence);
    add_event(wait.begin_ns, event_type::slice_begin, track,
              [&](event_builder& event) { name(event, category::wait, name_of(wait)); });
    end_slice(wait.end_ns, track);
  }
  void end_slice(std::int64_t at_ns, std::uint64_t track) {
    add_event(at_ns, event_type::slice_end, track, [](event_builder&) {});
  }

  void write_value(std::int64_t at_ns, std::uint64_t track, std::int64_t value) {
    add_event(at_ns, event_type::counter, track,
              [&](event_builder& event) { event.add_int64(track_event::counter_value, value); });
  }

  struct change {
    std::int64_t at_ns;
    std::uint32_t node;
    std::int32_t by;
  };
  /// How many there are at once: a value for each instant at which it changes. add_all is given a function that adds
  /// one.
  template <class AddAll>
  void write_use(counter which, AddAll const& add_all) {
    std::vector<change> changes;
    add_all([&](std::uint32_t residence, std::int64_t begin_ns, std::int64_t end_ns) {
      changes.push_back({begin_ns, run_.node_of(residence), 1});
      changes.push_back({end_ns, run_.node_of(residence), -1});
    });
    std::sort(changes.begin(), changes.end(), [](change const& a, change const& b) {
      return std::tuple(a.node, a.at_ns) < std::tuple(b.node, b.at_ns);
    });
    std::int64_t value = 0, written = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      change const& c = changes[i];
      value += c.by;
      bool const last = i + 1 == changes.size() || changes[i + 1].node != c.node;
      if (value != written && (last || changes[i + 1].at_ns != c.at_ns)) {
        write_value(c.at_ns, track_of_counter(c.node, which), value);
        written = value;
      }
      if (last) value = written = 0;
    }
  }
  /// Those of MPI may stay on a node.
  bool is_between_nodes(timeline::message const& m) const { return run_.node_of(m.from) != run_.node_of(m.to); }
  void write_uses() {
    write_use(counter::steps, [&](auto const& add) {
      for (timeline::step const& s : run_.steps) add(s.residence, s.begin_ns, s.end_ns);
    });
    write_use(counter::transfers_out, [&](auto const& add) {
      for (timeline::message const& m : run_.messages)
        if (is_between_nodes(m)) add(m.from, m.started_ns, m.arrived_ns);
    });
    write_use(counter::transfers_in, [&](auto const& add) {
      for (timeline::message const& m : run_.messages)
        if (is_between_nodes(m)) add(m.to, m.started_ns, m.arrived_ns);
    });
  }

  /// Bytes that have gone since the begin: a value for each message.
  void write_bytes() {
    std::vector<std::int64_t> out(run_.nodes), in(run_.nodes);
    std::vector<timeline::message const*> order;
    for (timeline::message const& m : run_.messages)
      if (is_between_nodes(m)) order.push_back(&m);
    std::stable_sort(order.begin(), order.end(),
                     [](auto const* a, auto const* b) { return a->arrived_ns < b->arrived_ns; });
    for (timeline::message const* m : order) {
      auto const add = [&](std::uint32_t node, counter which, std::vector<std::int64_t>& sums) {
        sums[node] += static_cast<std::int64_t>(m->bytes);
        write_value(m->arrived_ns, track_of_counter(node, which), sums[node]);
      };
      add(run_.node_of(m->from), counter::bytes_out, out);
      add(run_.node_of(m->to), counter::bytes_in, in);
    }
  }

  timeline const& run_;
  output_file file_;
  std::string bytes_;
};

}  // namespace

void write_perfetto(timeline const& run, std::string const& output, export_note const&) {
  perfetto_file(run, output).write();
}

}  // namespace ovlp::exports
