// SPDX-License-Identifier: BSD-3-Clause
// Archives of OTF2: what the ranks of MPI computed and sent.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>
#include <ovlp/base/otf2_messages.hpp>
#include <ovlp/mpi/describe.hpp>

#include "formats.hpp"

namespace ovlp::mpi {
namespace {

/// By their numbers in OTF2.
constexpr std::array otf2_operations{operation::barrier,        operation::broadcast,      operation::gather,
                                     operation::gather,         operation::scatter,        operation::scatter,
                                     operation::all_gather,     operation::all_gather,     operation::all_to_all,
                                     operation::all_to_all,     operation::all_to_all,     operation::all_reduce,
                                     operation::reduce,         operation::reduce_scatter, operation::scan,
                                     operation::exclusive_scan, operation::reduce_scatter};

/// The records of a rank, while its events come. A burst is the time between calls of MPI; where an archive does not
/// tell of these, between messages.
class rank_events {
 public:
  void region_begins(std::uint64_t at, bool of_mpi) {
    begin_clock(at);
    if (of_mpi && depth_++ == 0) burst_until(at);
  }
  void region_ends(std::uint64_t at, bool of_mpi) {
    begin_clock(at);
    last_ = at;
    if (of_mpi && depth_ > 0 && --depth_ == 0) since_ = at;
  }
  void call(std::uint64_t at, record const& what) {
    begin_clock(at);
    if (depth_ == 0) burst_until(at);
    last_ = at;
    records_.push_back(what);
  }
  /// Its number from now on.
  index begin_request(std::uint64_t id) { return requests_[id] = next_request_++; }
  void end_request(std::uint64_t at, std::uint64_t id) {
    auto const found = requests_.extract(id);
    if (!found.empty()) call(at, wait{found.mapped()});
  }
  /// The message of a non-blocking receive is known when it is there.
  void begin_receive(std::uint64_t at, std::uint64_t id) {
    call(at, receive{0, 0, 0, 0, begin_request(id)});
    open_receives_[id] = records_.size() - 1;
  }
  void end_receive(std::uint64_t at, std::uint64_t id, receive what) {
    auto const place = open_receives_.extract(id);
    if (place.empty()) return call(at, what);
    auto& begun = std::get<receive>(records_[place.mapped()]);
    what.request = begun.request;
    begun = what;
    end_request(at, id);
  }
  /// One that never got a message is left out.
  void cancel(std::uint64_t id) {
    if (open_receives_.contains(id)) requests_.erase(id);
  }

  /// `tick_s`: of the archive's clock.
  std::vector<record> take(double tick_s) {
    if (depth_ == 0 && begun_) burst_until(last_);
    std::set<std::size_t, std::greater<>> left_out;
    for (auto const& [id, place] : open_receives_) left_out.insert(place);
    for (std::size_t const place : left_out) records_.erase(records_.begin() + static_cast<std::ptrdiff_t>(place));
    for (record& r : records_)
      if (auto* const c = std::get_if<compute>(&r)) c->duration_s *= tick_s;
    return std::move(records_);
  }

 private:
  void begin_clock(std::uint64_t at) {
    if (!std::exchange(begun_, true)) since_ = at;
    last_ = at;
  }
  void burst_until(std::uint64_t at) {
    if (at > since_) records_.push_back(compute{static_cast<double>(at - since_)});  // in ticks, for now
    since_ = at;
  }

  std::vector<record> records_;
  bool begun_ = false;
  std::size_t depth_ = 0;  ///< of regions of MPI
  std::uint64_t since_ = 0, last_ = 0;
  index next_request_ = 0;
  std::unordered_map<std::uint64_t, index> requests_;
  std::map<std::uint64_t, std::size_t> open_receives_;
};

class archive {
 public:
  explicit archive(trace_source const& from) : file_(from.file), reader_(::OTF2_Reader_Open(from.file.c_str())) {
    if (reader_ == nullptr) fail();
    check(::OTF2_Reader_SetSerialCollectiveCallbacks(reader_));
  }
  archive(archive const&) = delete;
  archive& operator=(archive const&) = delete;
  ~archive() {
    if (reader_ != nullptr) ::OTF2_Reader_Close(reader_);
  }

  trace read() {
    read_definitions();
    if (ranks_.empty()) throw config_error(file_ + ": expected an archive of an MPI program, found no ranks");
    trace made;
    made.name = name_of_file(file_);
    make_communicators(made);
    read_events();
    for (auto const& [name, by_rank] : left_out_) {
      left_out_calls& sum = made.left_out.emplace_back(left_out_calls{name, 0, by_rank.size()});
      for (auto const& [rank, calls] : by_rank) sum.calls += calls;
    }
    for (OTF2_LocationRef const location : ranks_)
      made.ranks.emplace_back().records = events_[location].take(1 / static_cast<double>(ticks_a_second_));
    return made;
  }

 private:
  [[noreturn]] void fail() const {
    throw config_error(file_ + ": cannot be read as an archive of OTF2: " + said_.first());
  }
  void check(OTF2_ErrorCode code) const {
    if (!wrong_.empty()) throw config_error(file_ + ": " + wrong_);
    if (code != OTF2_SUCCESS) fail();
  }

  // Definitions

  struct group {
    OTF2_GroupType type;
    std::vector<std::uint64_t> members;
  };

  void read_definitions() {
    OTF2_GlobalDefReaderCallbacks* const callbacks = ::OTF2_GlobalDefReaderCallbacks_New();
    ::OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
        callbacks, [](void* me, std::uint64_t resolution, std::uint64_t, std::uint64_t, std::uint64_t) {
          self(me).ticks_a_second_ = resolution;
          return OTF2_CALLBACK_SUCCESS;
        });
    ::OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
        callbacks, [](void* me, OTF2_RegionRef region, OTF2_StringRef, OTF2_StringRef, OTF2_StringRef, OTF2_RegionRole,
                      OTF2_Paradigm paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t, std::uint32_t) {
          self(me).of_mpi_[region] = paradigm == OTF2_PARADIGM_MPI;
          return OTF2_CALLBACK_SUCCESS;
        });
    ::OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
        callbacks, [](void* me, OTF2_GroupRef number, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                      OTF2_GroupFlag, std::uint32_t count, std::uint64_t const* members) {
          if (paradigm != OTF2_PARADIGM_MPI) return OTF2_CALLBACK_SUCCESS;
          group& made = self(me).groups_[number] = {type, {members, members + count}};
          if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) self(me).ranks_ = made.members;
          return OTF2_CALLBACK_SUCCESS;
        });
    ::OTF2_GlobalDefReaderCallbacks_SetCommCallback(
        callbacks, [](void* me, OTF2_CommRef number, OTF2_StringRef, OTF2_GroupRef of, OTF2_CommRef, OTF2_CommFlag) {
          self(me).group_of_[number] = of;
          return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReader* const definitions = ::OTF2_Reader_GetGlobalDefReader(reader_);
    if (definitions == nullptr) fail();
    check(::OTF2_Reader_RegisterGlobalDefCallbacks(reader_, definitions, callbacks, this));
    ::OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    std::uint64_t count = 0;
    check(::OTF2_Reader_ReadAllGlobalDefinitions(reader_, definitions, &count));
    if (ticks_a_second_ == 0) throw config_error(file_ + ": expected the resolution of its clock");
  }

  void make_communicators(trace& made) {
    made.communicators.push_back(all_ranks(ranks_.size()));
    bool is_first = true;  // of all ranks: later ones are copies, whose messages are others
    for (auto const& [number, of] : group_of_) {
      auto const found = groups_.find(of);
      // Each rank's own has no message to another rank.
      if (found == groups_.end() || found->second.type != OTF2_GROUP_TYPE_COMM_GROUP) continue;
      std::vector<rank_id> members;
      for (std::uint64_t const m : found->second.members) members.push_back(static_cast<rank_id>(m));
      if (members.empty()) continue;
      bool const is_world = members == made.communicators.front() && std::exchange(is_first, false);
      auto const is = static_cast<index>(is_world ? 0 : made.communicators.size());
      communicators_[number] = {is, members};
      if (is != 0) made.communicators.push_back(std::move(members));
    }
  }

  // Events

  void read_events() {
    for (OTF2_LocationRef const location : ranks_) check(::OTF2_Reader_SelectLocation(reader_, location));
    bool const local_definitions = ::OTF2_Reader_OpenDefFiles(reader_) == OTF2_SUCCESS;
    check(::OTF2_Reader_OpenEvtFiles(reader_));
    for (OTF2_LocationRef const location : ranks_) {
      std::uint64_t count = 0;
      if (OTF2_DefReader* const own = local_definitions ? ::OTF2_Reader_GetDefReader(reader_, location) : nullptr) {
        check(::OTF2_Reader_ReadAllLocalDefinitions(reader_, own, &count));
        check(::OTF2_Reader_CloseDefReader(reader_, own));
      }
      if (::OTF2_Reader_GetEvtReader(reader_, location) == nullptr) fail();
    }
    if (local_definitions) check(::OTF2_Reader_CloseDefFiles(reader_));
    OTF2_GlobalEvtReader* const events = ::OTF2_Reader_GetGlobalEvtReader(reader_);
    if (events == nullptr) fail();
    OTF2_GlobalEvtReaderCallbacks* const callbacks = event_callbacks();
    check(::OTF2_Reader_RegisterGlobalEvtCallbacks(reader_, events, callbacks, this));
    ::OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
    std::uint64_t count = 0;
    check(::OTF2_Reader_ReadAllGlobalEvents(reader_, events, &count));
    check(::OTF2_Reader_CloseGlobalEvtReader(reader_, events));
    check(::OTF2_Reader_CloseEvtFiles(reader_));
  }

  /// What OTF2 calls for an event: a member, with its rank, its time and its fields. Nothing is thrown through OTF2.
  template <auto Member>
  struct event;
  template <class... Fields, void (archive::*Member)(rank_events&, OTF2_TimeStamp, Fields...)>
  struct event<Member> {
    static OTF2_CallbackCode call(OTF2_LocationRef location, OTF2_TimeStamp at, void* me, OTF2_AttributeList*,
                                  Fields... fields) {
      (self(me).*Member)(self(me).events_[location], at, fields...);
      return self(me).wrong_.empty() ? OTF2_CALLBACK_SUCCESS : OTF2_CALLBACK_INTERRUPT;
    }
  };
  /// For events that no record tells, whatever their fields.
  template <char const* Name, class... Fields>
  static OTF2_CallbackCode leave_out(OTF2_LocationRef at, OTF2_TimeStamp, void* me, OTF2_AttributeList*, Fields...) {
    ++self(me).left_out_[Name][at];
    return OTF2_CALLBACK_SUCCESS;
  }
  static constexpr char one_sided_put[] = "one-sided put", one_sided_get[] = "one-sided get",
                        one_sided_atomic[] = "one-sided atomic operation", of_file[] = "operation on a file";

  static OTF2_GlobalEvtReaderCallbacks* event_callbacks() {
    OTF2_GlobalEvtReaderCallbacks* const made = ::OTF2_GlobalEvtReaderCallbacks_New();
    ::OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(made, event<&archive::enter>::call);
    ::OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(made, event<&archive::leave>::call);
    ::OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(made, event<&archive::send_now>::call);
    ::OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(made, event<&archive::send_later>::call);
    ::OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCompleteCallback(made, event<&archive::send_ends>::call);
    ::OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvRequestCallback(made, event<&archive::receive_begins>::call);
    ::OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(made, event<&archive::receive_now>::call);
    ::OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(made, event<&archive::receive_ends>::call);
    ::OTF2_GlobalEvtReaderCallbacks_SetMpiRequestCancelledCallback(made, event<&archive::cancel>::call);
    ::OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(made, event<&archive::collective_ends>::call);
    ::OTF2_GlobalEvtReaderCallbacks_SetRmaPutCallback(made, leave_out<one_sided_put>);
    ::OTF2_GlobalEvtReaderCallbacks_SetRmaGetCallback(made, leave_out<one_sided_get>);
    ::OTF2_GlobalEvtReaderCallbacks_SetRmaAtomicCallback(made, leave_out<one_sided_atomic>);
    ::OTF2_GlobalEvtReaderCallbacks_SetIoOperationBeginCallback(made, leave_out<of_file>);
    return made;
  }

  void enter(rank_events& rank, OTF2_TimeStamp at, OTF2_RegionRef region) { rank.region_begins(at, of_mpi_[region]); }
  void leave(rank_events& rank, OTF2_TimeStamp at, OTF2_RegionRef region) { rank.region_ends(at, of_mpi_[region]); }
  void send_now(rank_events& rank, OTF2_TimeStamp at, std::uint32_t to, OTF2_CommRef in, std::uint32_t tag,
                std::uint64_t bytes) {
    if (auto const its = member(in, to)) rank.call(at, send{its->rank, tag_of(tag), bytes, its->communicator});
  }
  void send_later(rank_events& rank, OTF2_TimeStamp at, std::uint32_t to, OTF2_CommRef in, std::uint32_t tag,
                  std::uint64_t bytes, std::uint64_t id) {
    if (auto const its = member(in, to))
      rank.call(at, send{its->rank, tag_of(tag), bytes, its->communicator, rank.begin_request(id)});
  }
  void send_ends(rank_events& rank, OTF2_TimeStamp at, std::uint64_t id) { rank.end_request(at, id); }
  void receive_now(rank_events& rank, OTF2_TimeStamp at, std::uint32_t from, OTF2_CommRef in, std::uint32_t tag,
                   std::uint64_t bytes) {
    if (auto const its = member(in, from)) rank.call(at, receive{its->rank, tag_of(tag), bytes, its->communicator});
  }
  void receive_begins(rank_events& rank, OTF2_TimeStamp at, std::uint64_t id) { rank.begin_receive(at, id); }
  void receive_ends(rank_events& rank, OTF2_TimeStamp at, std::uint32_t from, OTF2_CommRef in, std::uint32_t tag,
                    std::uint64_t bytes, std::uint64_t id) {
    if (auto const its = member(in, from))
      rank.end_receive(at, id, receive{its->rank, tag_of(tag), bytes, its->communicator});
  }
  void cancel(rank_events& rank, OTF2_TimeStamp, std::uint64_t id) { rank.cancel(id); }
  void collective_ends(rank_events& rank, OTF2_TimeStamp at, OTF2_CollectiveOp what, OTF2_CommRef in,
                       std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
    if (what >= otf2_operations.size()) return;  // handles, which cost no time here
    operation const is = otf2_operations[what];
    if (auto const its = member(in, root == OTF2_UNDEFINED_UINT32 ? 0 : root))
      rank.call(at, collective{is, its->communicator, has_root(is) ? its->rank : 0, sent, received});
  }
  static std::int32_t tag_of(std::uint32_t tag) { return static_cast<std::int32_t>(tag); }

  static archive& self(void* me) { return *static_cast<archive*>(me); }
  struct known_member {
    index communicator;
    rank_id rank;
  };
  /// By place. None: it is a rank's own communicator, or there is no such member, which is an error.
  std::optional<known_member> member(OTF2_CommRef communicator, std::uint32_t place) {
    auto const found = communicators_.find(communicator);
    if (found == communicators_.end()) return std::nullopt;
    auto const& [number, members] = found->second;
    if (place < members.size()) return known_member{number, members[place]};
    wrong_ =
        "an event names member " + std::to_string(place) + " of a communicator of " + std::to_string(members.size());
    return std::nullopt;
  }

  std::string const& file_;
  base::otf2_messages const said_;
  OTF2_Reader* reader_;
  std::string wrong_;
  std::uint64_t ticks_a_second_ = 0;
  std::vector<OTF2_LocationRef> ranks_;  ///< their locations
  std::unordered_map<OTF2_RegionRef, bool> of_mpi_;
  std::map<OTF2_GroupRef, group> groups_;
  std::map<OTF2_CommRef, OTF2_GroupRef> group_of_;
  std::unordered_map<OTF2_CommRef, std::pair<index, std::vector<rank_id>>> communicators_;
  std::unordered_map<OTF2_LocationRef, rank_events> events_;
  std::map<std::string, std::map<OTF2_LocationRef, std::uint64_t>> left_out_;  ///< how many, of which ranks
};

}  // namespace

trace read_otf2(trace_source const& from) { return archive(from).read(); }

}  // namespace ovlp::mpi
