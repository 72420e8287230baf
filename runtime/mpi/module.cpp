// SPDX-License-Identifier: BSD-3-Clause
// A module for each MPI library, compiled with its header.
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <ovlp/base/error.hpp>

#include "mpi.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

namespace ovlp::real {
namespace {

/// Pieces of a small message are put together: a derived datatype costs more than to copy them.
constexpr std::size_t most_copied_bytes = 16 * 1024;

void check(int status, char const* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw network_error(std::string(call) + ": " + text);
}

// Requests end in MPI_Testsome, which the analyzer does not see.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
class library final : public mpi {
 public:
  library() {
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
    if (provided < MPI_THREAD_SERIALIZED)
      throw network_error("MPI: it serves one thread only; expected MPI_THREAD_SERIALIZED");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string version() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    return std::string(text).substr(0, std::string(text).find('\n'));
  }

  bool send(std::span<std::span<std::byte const> const> pieces, int to, tag what, std::uint64_t key) override {
    std::size_t bytes = 0;
    for (auto const& piece : pieces) bytes += piece.size();
    MPI_Request request = MPI_REQUEST_NULL;
    auto const send = [&](void const* from, std::size_t count, MPI_Datatype type) {
      return MPI_Isend(from, static_cast<int>(count), type, to, static_cast<int>(what), MPI_COMM_WORLD, &request);
    };
    int status = MPI_SUCCESS;
    std::vector<std::byte> copy;
    if (pieces.size() < 2) {
      status = send(pieces.empty() ? nullptr : pieces[0].data(), bytes, MPI_BYTE);
    } else if (bytes <= most_copied_bytes) {
      copy.reserve(bytes);
      for (auto const& piece : pieces) copy.insert(copy.end(), piece.begin(), piece.end());
      status = send(copy.data(), bytes, MPI_BYTE);
    } else {
      MPI_Datatype gathered = type_of(pieces);
      status = send(MPI_BOTTOM, 1, gathered);
      MPI_Type_free(&gathered);  // once the message is sent
    }
    check(status, "MPI_Isend");
    return under_way(request, key, std::move(copy));
  }

  void receive(std::span<std::byte> into, int from, tag what, std::uint64_t key) override {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(into.data(), static_cast<int>(into.size()), MPI_BYTE, from, static_cast<int>(what), MPI_COMM_WORLD,
                    &request),
          "MPI_Irecv");
    add(request, key, {});
  }

  void ended(std::vector<std::uint64_t>& keys) override {
    if (requests_.empty()) return;
    done_.resize(requests_.size());
    int count = 0;
    check(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, done_.data(), MPI_STATUSES_IGNORE),
          "MPI_Testsome");
    if (count <= 0) return;
    for (int i = 0; i < count; ++i)
      keys.push_back(kept_[static_cast<std::size_t>(done_[static_cast<std::size_t>(i)])].key);
    std::size_t left = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      if (left != i) {
        requests_[left] = requests_[i];
        kept_[left] = std::move(kept_[i]);
      }
      ++left;
    }
    requests_.resize(left);
    kept_.resize(left);
  }

  std::optional<arrival> probe(tag what) override {
    int there = 0;
    MPI_Status status{};
    check(MPI_Improbe(MPI_ANY_SOURCE, static_cast<int>(what), MPI_COMM_WORLD, &there, &come_, &status), "MPI_Improbe");
    if (there == 0) return std::nullopt;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    return arrival{status.MPI_SOURCE, static_cast<std::size_t>(bytes)};
  }

  bool take(std::span<std::byte> into, std::uint64_t key) override {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Imrecv(into.data(), static_cast<int>(into.size()), MPI_BYTE, &come_, &request), "MPI_Imrecv");
    return under_way(request, key, {});
  }

  void begin_end() override { check(MPI_Ibarrier(MPI_COMM_WORLD, &end_), "MPI_Ibarrier"); }
  bool all_at_end() override {
    int over = 0;
    check(MPI_Test(&end_, &over, MPI_STATUS_IGNORE), "MPI_Test");
    return over != 0;
  }
  void finalize() override { MPI_Finalize(); }
  [[noreturn]] void abort(int status) override {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::abort();
  }

 private:
  /// A request, and what must live until it has ended.
  struct kept {
    std::uint64_t key;
    std::vector<std::byte> copy;
  };

  static MPI_Datatype type_of(std::span<std::span<std::byte const> const> pieces) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    for (auto const& piece : pieces) {
      MPI_Aint place = 0;
      MPI_Get_address(piece.data(), &place);
      places.push_back(place);
      lengths.push_back(static_cast<int>(piece.size()));
    }
    MPI_Datatype made = MPI_DATATYPE_NULL;
    check(MPI_Type_create_hindexed(static_cast<int>(places.size()), lengths.data(), places.data(), MPI_BYTE, &made),
          "MPI_Type_create_hindexed");
    check(MPI_Type_commit(&made), "MPI_Type_commit");
    return made;
  }

  /// Returns whether it has ended already.
  bool under_way(MPI_Request request, std::uint64_t key, std::vector<std::byte> copy) {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return true;
    add(request, key, std::move(copy));
    return false;
  }

  void add(MPI_Request request, std::uint64_t key, std::vector<std::byte> copy) {
    requests_.push_back(request);
    kept_.push_back({key, std::move(copy)});
  }

  int rank_ = 0;
  int size_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<kept> kept_;  ///< of each request
  std::vector<int> done_;
  MPI_Message come_ = MPI_MESSAGE_NULL;
  MPI_Request end_ = MPI_REQUEST_NULL;
};
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

}  // namespace
}  // namespace ovlp::real

extern "C" __attribute__((visibility("default"))) ovlp::real::mpi* ovlp_make_mpi() { return new ovlp::real::library; }
