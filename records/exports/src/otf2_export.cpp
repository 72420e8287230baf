// SPDX-License-Identifier: BSD-3-Clause
// An archive of OTF2: OUTPUT/traces.otf2 and what belongs to it.
#include <otf2/otf2.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/otf2_messages.hpp>

#include "timeline.hpp"
#include "writers.hpp"

namespace ovlp::exports {
namespace {

constexpr OTF2_ParameterRef iteration_parameter = 0, node_parameter = 1;
constexpr OTF2_CommRef all_threads = 0;

class otf2_archive {
 public:
  otf2_archive(timeline const& run, std::string const& folder) : run_(run), folder_(folder) {
    base::make_folder(folder);
    // Files of another archive would be taken for this one's.
    if (std::filesystem::exists(folder + "/traces") || std::filesystem::exists(folder + "/traces.otf2"))
      throw io_error("'" + folder + "': an archive is there already: expected a new folder, or an empty one");
    // Each thread's files get a chunk of zeros at least, however little is in them.
    archive_ = ::OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                                   OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive_ == nullptr) fail();
  }
  otf2_archive(otf2_archive const&) = delete;
  otf2_archive& operator=(otf2_archive const&) = delete;
  ~otf2_archive() {
    if (archive_ != nullptr) ::OTF2_Archive_Close(archive_);
  }

  void write() {
    static constexpr OTF2_FlushCallbacks always{
        [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType { return OTF2_FLUSH; }, nullptr};
    check(::OTF2_Archive_SetFlushCallbacks(archive_, &always, nullptr));
    check(::OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    check(::OTF2_Archive_SetCreator(archive_, "ovlp export"));
    find_homes();
    write_events();
    write_definitions();
    check(::OTF2_Archive_Close(std::exchange(archive_, nullptr)));
  }

 private:
  [[noreturn]] void fail() const { throw io_error("'" + folder_ + "': cannot be written: " + said_.first()); }
  void check(OTF2_ErrorCode code) const {
    if (code != OTF2_SUCCESS) fail();
  }

  static OTF2_TimeStamp time(std::int64_t time_ns) { return static_cast<OTF2_TimeStamp>(time_ns); }

  /// A location belongs to one node: that on which the thread first did something.
  void find_homes() {
    home_.resize(run_.threads.size());
    for (auto r = run_.residences.rbegin(); r != run_.residences.rend(); ++r) home_[r->thread] = r->node;
    std::vector<std::int64_t> first_ns(run_.threads.size(), std::numeric_limits<std::int64_t>::max());
    auto const does = [&](std::uint32_t residence, std::int64_t at_ns) {
      std::uint32_t const thread = run_.thread_of(residence);
      if (at_ns >= first_ns[thread]) return;
      first_ns[thread] = at_ns;
      home_[thread] = run_.node_of(residence);
    };
    for (timeline::message const& m : run_.messages) {
      does(m.from, m.sent_ns);
      does(m.to, m.arrived_ns);
    }
    for (timeline::step const& s : run_.steps) does(s.residence, s.begin_ns);
  }

  struct location {
    OTF2_EvtWriter* writer;
    std::optional<std::uint32_t> node;  ///< of what was written last
  };
  /// A message as one of its threads sees it.
  struct message_end {
    std::uint32_t thread;
    std::int64_t at_ns;
    bool sent;
    timeline::message const* is;
  };

  void write_events() {
    std::vector<message_end> all;
    if (run_.of_mpi()) {
      find_places();
    } else {
      for (timeline::message const& m : run_.messages) {
        all.push_back({run_.thread_of(m.from), m.sent_ns, true, &m});
        all.push_back({run_.thread_of(m.to), m.arrived_ns, false, &m});
      }
    }
    std::stable_sort(all.begin(), all.end(), [](message_end const& a, message_end const& b) {
      return std::tuple(a.thread, a.at_ns) < std::tuple(b.thread, b.at_ns);
    });
    check(::OTF2_Archive_OpenEvtFiles(archive_));
    auto next = all.cbegin();
    auto next_step = run_.mpi_steps.cbegin();
    for (std::uint32_t thread = 0; thread < run_.threads.size(); ++thread) {
      OTF2_EvtWriter* const to = ::OTF2_Archive_GetEvtWriter(archive_, thread);
      if (to == nullptr) fail();
      location at{to, {}};
      auto const messages_until = [&](std::int64_t until_ns) {
        for (; next != all.cend() && next->thread == thread && next->at_ns <= until_ns; ++next)
          write_message(at, *next);
        for (; next_step != run_.mpi_steps.cend() && next_step->rank == thread && next_step->at_ns <= until_ns;
             ++next_step)
          write_mpi_step(at, *next_step);
      };
      write_thread(at, thread, messages_until);
      messages_until(run_.end_ns);
      check(::OTF2_EvtWriter_GetNumberOfEvents(to, &events_.emplace_back()));
      check(::OTF2_Archive_CloseEvtWriter(archive_, to));
    }
    check(::OTF2_Archive_CloseEvtFiles(archive_));
  }
  /// What a thread does now, it does there.
  void write_node(location& at, std::int64_t at_ns, std::uint32_t residence) const {
    std::uint32_t const node = run_.node_of(residence);
    if (std::exchange(at.node, node) == node) return;
    check(::OTF2_EvtWriter_ParameterUnsignedInt(at.writer, nullptr, time(at_ns), node_parameter, node));
  }
  void write_message(location& at, message_end const& one) const {
    timeline::message const& m = *one.is;
    write_node(at, one.at_ns, one.sent ? m.from : m.to);
    std::uint32_t const partner = run_.thread_of(one.sent ? m.to : m.from);
    check((one.sent ? ::OTF2_EvtWriter_MpiSend : ::OTF2_EvtWriter_MpiRecv)(at.writer, nullptr, time(one.at_ns), partner,
                                                                           all_threads, 0, m.bytes));
  }
  void find_places() {
    for (auto const& members : run_.communicators) {
      auto& its = places_.emplace_back();
      for (std::uint32_t place = 0; place < members.size(); ++place) its.emplace(members[place], place);
    }
  }
  std::uint32_t place_of(std::uint32_t rank, std::uint32_t in) const {
    auto const found = places_[in].find(rank);
    if (found == places_[in].end()) throw io_error("a record of a message outside its communicator");
    return found->second;
  }
  void write_mpi_step(location& at, timeline::mpi_step const& s) const {
    using event = timeline::mpi_event;
    std::uint32_t const partner = place_of(s.partner, s.communicator);
    OTF2_EvtWriter* const to = at.writer;
    switch (s.is) {
      case event::send:
        return check(::OTF2_EvtWriter_MpiSend(to, nullptr, time(s.at_ns), partner, s.communicator, s.tag, s.bytes));
      case event::receive:
        return check(::OTF2_EvtWriter_MpiRecv(to, nullptr, time(s.at_ns), partner, s.communicator, s.tag, s.bytes));
      case event::send_begins:
        return check(
            ::OTF2_EvtWriter_MpiIsend(to, nullptr, time(s.at_ns), partner, s.communicator, s.tag, s.bytes, s.request));
      case event::send_ends: return check(::OTF2_EvtWriter_MpiIsendComplete(to, nullptr, time(s.at_ns), s.request));
      case event::receive_begins: return check(::OTF2_EvtWriter_MpiIrecvRequest(to, nullptr, time(s.at_ns), s.request));
      case event::receive_ends:
        return check(
            ::OTF2_EvtWriter_MpiIrecv(to, nullptr, time(s.at_ns), partner, s.communicator, s.tag, s.bytes, s.request));
    }
  }
  template <class MessagesUntil>
  void write_thread(location& at, std::uint32_t thread, MessagesUntil const& messages_until) const {
    auto const enter = [&](std::int64_t at_ns, OTF2_RegionRef region) {
      messages_until(at_ns);
      check(::OTF2_EvtWriter_Enter(at.writer, nullptr, time(at_ns), region));
    };
    auto const leave = [&](std::int64_t at_ns, OTF2_RegionRef region) {
      messages_until(at_ns);
      check(::OTF2_EvtWriter_Leave(at.writer, nullptr, time(at_ns), region));
    };
    run_.walk(
        thread,
        [&](timeline::wait const& w) {
          enter(w.begin_ns, run_.activity(w));
          leave(w.end_ns, run_.activity(w));
        },
        [&](timeline::step const& s, auto kernels) {
          enter(s.begin_ns, run_.activity(s));
          write_node(at, s.begin_ns, s.residence);
          if (s.iteration != 0) {
            check(
                ::OTF2_EvtWriter_ParameterInt(at.writer, nullptr, time(s.begin_ns), iteration_parameter, s.iteration));
          }
          for (timeline::kernel const& k : kernels) {
            enter(k.begin_ns, run_.activity(k));
            leave(k.end_ns, run_.activity(k));
          }
          leave(s.end_ns, run_.activity(s));
        });
  }

  void write_definitions() {
    check(::OTF2_Archive_OpenDefFiles(archive_));
    for (std::uint32_t thread = 0; thread < run_.threads.size(); ++thread) {
      OTF2_DefWriter* const local = ::OTF2_Archive_GetDefWriter(archive_, thread);
      if (local == nullptr) fail();
      check(::OTF2_Archive_CloseDefWriter(archive_, local));
    }
    check(::OTF2_Archive_CloseDefFiles(archive_));
    to_ = ::OTF2_Archive_GetGlobalDefWriter(archive_);
    if (to_ == nullptr) fail();
    constexpr std::uint64_t ticks_per_second = 1'000'000'000;
    check(::OTF2_GlobalDefWriter_WriteClockProperties(to_, ticks_per_second, 0, time(run_.end_ns),
                                                      OTF2_UNDEFINED_TIMESTAMP));
    define_machine();
    define_regions();
    define_parameters();
    define_communicators();
  }

  /// Defined when it is first asked for.
  OTF2_StringRef text(std::string const& of) {
    auto const [found, is_new] = texts_.try_emplace(of, static_cast<OTF2_StringRef>(texts_.size()));
    if (is_new) check(::OTF2_GlobalDefWriter_WriteString(to_, found->second, of.c_str()));
    return found->second;
  }

  void define_machine() {
    constexpr OTF2_SystemTreeNodeRef machine = 0;
    check(::OTF2_GlobalDefWriter_WriteSystemTreeNode(to_, machine, text(run_.title()), text("machine"),
                                                     OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (std::uint32_t node = 0; node < run_.nodes; ++node) {
      OTF2_StringRef const name = text(name_of_node(node));
      check(::OTF2_GlobalDefWriter_WriteSystemTreeNode(to_, 1 + node, name, text("node"), machine));
      check(::OTF2_GlobalDefWriter_WriteLocationGroup(to_, node, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1 + node,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (std::uint32_t thread = 0; thread < run_.threads.size(); ++thread) {
      check(::OTF2_GlobalDefWriter_WriteLocation(to_, thread, text(run_.threads[thread].name),
                                                 OTF2_LOCATION_TYPE_CPU_THREAD, events_[thread], home_[thread]));
    }
  }

  /// By the numbers of activities.
  void define_regions() {
    OTF2_RegionRef next = 0;
    auto const define = [&](std::string const& name, std::string const& full_name, std::string const& description,
                            OTF2_RegionRole role, bool of_mpi) {
      check(::OTF2_GlobalDefWriter_WriteRegion(to_, next++, text(name), text(full_name), text(description), role,
                                               of_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE,
                                               OTF2_UNDEFINED_STRING, 0, 0));
    };
    for (timeline::operation const& is : run_.operations)
      define(is.name, is.graph + ": " + is.name, is.kind, OTF2_REGION_ROLE_TASK, is.of_mpi);
    for (timeline::kernel_name const& is : run_.kernel_names)
      define(is.name, is.sizes.empty() ? is.name : is.name + ' ' + is.sizes, "kernel", OTF2_REGION_ROLE_FUNCTION,
             false);
    for (std::string_view const cause : wait_cause_names) {
      std::string const name = "wait for " + std::string(cause);
      define(name, name, "wait", OTF2_REGION_ROLE_TASK_WAIT, run_.of_mpi());
    }
  }

  void define_parameters() {
    check(
        ::OTF2_GlobalDefWriter_WriteParameter(to_, iteration_parameter, text("iteration"), OTF2_PARAMETER_TYPE_INT64));
    check(::OTF2_GlobalDefWriter_WriteParameter(to_, node_parameter, text("node"), OTF2_PARAMETER_TYPE_UINT64));
  }

  /// Tools know messages as those of MPI. Where there is no MPI each thread is a rank.
  void define_communicators() {
    check(::OTF2_GlobalDefWriter_WriteParadigm(to_, OTF2_PARADIGM_MPI, text("MPI"), OTF2_PARADIGM_CLASS_PROCESS));
    std::vector<std::uint64_t> all(run_.of_mpi() ? run_.ranks() : run_.threads.size());
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    OTF2_GroupRef groups = 0;
    auto const define_group = [&](std::string const& name, OTF2_GroupType type,
                                  std::vector<std::uint64_t> const& members) {
      check(::OTF2_GlobalDefWriter_WriteGroup(to_, groups, text(name), type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                              static_cast<std::uint32_t>(members.size()), members.data()));
      return groups++;
    };
    auto const define = [&](OTF2_CommRef number, std::string const& name, std::vector<std::uint64_t> const& members) {
      OTF2_GroupRef const group = define_group(name, OTF2_GROUP_TYPE_COMM_GROUP, members);
      check(::OTF2_GlobalDefWriter_WriteComm(to_, number, text(name), group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    };
    define_group(run_.of_mpi() ? "ranks" : "threads", OTF2_GROUP_TYPE_COMM_LOCATIONS, all);
    if (!run_.of_mpi()) return define(all_threads, "all threads", all);
    for (std::uint32_t c = 0; c < run_.communicators.size(); ++c) {
      auto const& members = run_.communicators[c];
      define(c, c == 0 ? "all ranks" : "communicator " + std::to_string(c), {members.begin(), members.end()});
    }
  }

  timeline const& run_;
  std::string const folder_;
  base::otf2_messages const said_;
  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* to_ = nullptr;
  std::map<std::string, OTF2_StringRef> texts_;
  std::vector<std::uint32_t> home_;                                       ///< node of a thread
  std::vector<std::uint64_t> events_;                                     ///< how many of a thread
  std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> places_;  ///< of ranks in communicators
};

}  // namespace

void write_otf2(timeline const& run, std::string const& output, export_note const& note) {
  constexpr std::size_t many = 4096;
  if (run.threads.size() > many)
    note("an archive of OTF2 has two files for each thread: here " + std::to_string(2 * run.threads.size()));
  otf2_archive(run, output).write();
}

}  // namespace ovlp::exports
