// SPDX-License-Identifier: BSD-3-Clause
#include <ovlp/threads/shared_counters.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include <ovlp/base/error.hpp>
#include <ovlp/base/files.hpp>
#include <ovlp/base/host.hpp>
#include <ovlp/threads/caches.hpp>

namespace ovlp::shared_memory {
namespace {

/// Of all snapshots: what is made of them takes twice as much.
constexpr std::size_t most_marks_bytes = std::size_t{1} << 29;

void check(counting_options const& options) {
  if (!can_be_block(options.block_bytes))
    throw config_error("expected blocks of 64, 128, 256, ... up to 1048576 bytes, got " +
                       std::to_string(options.block_bytes));
  if (std::string const wrong = complaint_about(options.caches); !wrong.empty()) throw config_error("caches: " + wrong);
  for (std::size_t const unit : options.units)
    if (unit >= units_of(options.caches))
      throw config_error("expected units below " + std::to_string(units_of(options.caches)) +
                         " of simulated caches, got " + std::to_string(unit));
}

counters* make_file(std::string const& file) {
  auto const failed = [&](int descriptor) {
    std::string const why = std::generic_category().message(errno);
    if (descriptor >= 0) ::close(descriptor);
    throw io_error(file + ": cannot be made: " + why);
  };
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg)
  int const descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0 || ::ftruncate(descriptor, sizeof(counters)) != 0) failed(descriptor);
  void* const at = ::mmap(nullptr, sizeof(counters), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (at == MAP_FAILED) failed(descriptor);
  ::close(descriptor);
  return static_cast<counters*>(at);
}

}  // namespace

/// Counters at one time, of threads that there were.
struct shared_counters::snapshot {
  std::optional<std::string> name;  ///< of the phase that the program begins here
  double time_s = 0;
  std::vector<thread_counters> of_thread;
  std::vector<std::vector<std::uint64_t>> of_kind;  ///< `threads` rows of `threads` + 1 counters

  std::size_t threads() const { return of_thread.size(); }
  std::uint64_t count(std::size_t kind, std::size_t thread, std::size_t place) const {
    return thread < threads() && place <= threads() ? of_kind[kind][thread * (threads() + 1) + place] : 0;
  }
  thread_counters of(std::size_t thread) const { return thread < threads() ? of_thread[thread] : thread_counters{}; }
  std::int64_t accesses(std::size_t thread, definition how) const {
    std::int64_t all = of(thread).accesses;
    if (how == definition::relaxed)
      for (std::size_t place = 0; place <= threads(); ++place)
        all += static_cast<std::int64_t>(count(0, thread, place));
    return all;
  }
};

shared_counters::shared_counters(std::string const& folder, counting_options const& options)
    : file_(folder + "/counters"), now_(nullptr) {
  check(options);
  now_ = make_file(file_);
  now_->magic = counters::right_magic;
  now_->how = options.how;
  now_->block_bits = static_cast<std::uint32_t>(std::countr_zero(options.block_bytes));
  now_->clear_freed = options.clear_freed ? 1 : 0;
  now_->caches = options.caches;
  for (std::size_t t = 0; t < most_threads; ++t)
    now_->unit_of_thread[t] = static_cast<std::uint16_t>(t < options.units.size() ? options.units[t] : t);
}

shared_counters::~shared_counters() { ::munmap(now_, sizeof(counters)); }

shared_counters::snapshot shared_counters::now() const {
  snapshot made{{}, base::monotonic_s() - now_->started_s, {}, {}};
  std::size_t const threads = now_->threads;
  made.of_thread.assign(now_->of_thread.begin(), now_->of_thread.begin() + static_cast<std::ptrdiff_t>(threads));
  for (std::size_t k = 0; k < kinds_of(now_->how); ++k) {
    auto& rows = made.of_kind.emplace_back();
    for (std::size_t t = 0; t < threads; ++t) {
      counter_row const& row = now_->tables[k][t];
      rows.insert(rows.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(threads) + 1);
    }
  }
  return made;
}

bool shared_counters::mark() {
  if (!started()) return true;
  std::size_t const threads = now_->threads;
  std::size_t const bytes = kinds_of(now_->how) * threads * (threads + 1) * sizeof(std::uint64_t);
  if (marks_bytes_ + bytes > most_marks_bytes) return false;
  marks_bytes_ += bytes;
  marks_.push_back(now());
  return true;
}

std::vector<shared_counters::snapshot> shared_counters::phases_of_program() const {
  std::vector<snapshot> all;
  for (std::uint32_t i = 0; i < now_->phases; ++i) {
    std::string const contents = base::read_file(file_ + ".phase-" + std::to_string(i));
    std::string_view left = contents;
    auto const take = [&](void* to, std::size_t bytes) {
      if (left.size() < bytes) throw config_error("the counters of phase " + std::to_string(i + 1) + " are cut short");
      std::memcpy(to, left.data(), bytes);
      left.remove_prefix(bytes);
    };
    phase_header header{};
    take(&header, sizeof header);
    snapshot& one = all.emplace_back();
    one.name.emplace(header.name_bytes, '\0');
    take(one.name->data(), header.name_bytes);
    one.time_s = header.begin_s;
    one.of_thread.resize(header.threads);
    take(one.of_thread.data(), header.threads * sizeof(thread_counters));
    for (std::size_t k = 0; k < kinds_of(now_->how); ++k) {
      auto& rows = one.of_kind.emplace_back(header.threads * (header.threads + 1));
      take(rows.data(), rows.size() * sizeof(std::uint64_t));
    }
  }
  return all;
}

communication_phase shared_counters::between(snapshot const& before, snapshot const& after, std::size_t threads) const {
  communication_phase phase;
  phase.begin_s = before.time_s;
  phase.end_s = after.time_s;
  for (std::size_t k = 0; k < after.of_kind.size(); ++k) {
    communication_matrix& matrix = phase.of_kind.emplace_back(threads);
    for (std::size_t a = 0; a < threads; ++a)
      for (std::size_t b = 0; b < threads; ++b)
        if (a != b) matrix.add(a, b, static_cast<double>(after.count(k, a, b + 1) - before.count(k, a, b + 1)));
  }
  for (std::size_t t = 0; t < threads; ++t) {
    // Of counters that change while they are copied.
    auto const more = std::max<std::int64_t>(0, after.accesses(t, now_->how) - before.accesses(t, now_->how));
    phase.accesses.push_back(static_cast<double>(more));
    thread_counters const then = before.of(t), now = after.of(t);
    for (std::size_t s = 0; s < line_sources; ++s) phase.found[s] += static_cast<double>(now.found[s] - then.found[s]);
    if (now_->how == definition::accurate)
      phase.private_accesses.push_back(static_cast<double>(now.private_accesses - then.private_accesses));
  }
  return phase;
}

communication shared_counters::read(std::string const& program) {
  if (now_->gave_up != 0) throw config_error("'" + program + "' could not count, as it has said");
  if (!started())
    throw config_error("'" + program +
                       "' has counted nothing: expected a program that was compiled and linked by ovlp-cc, ovlp-cxx or "
                       "ovlp-f90");
  std::vector<snapshot> borders = phases_of_program();
  borders.insert(borders.end(), marks_.begin(), marks_.end());
  borders.push_back(now());
  std::ranges::stable_sort(borders, {}, &snapshot::time_s);

  std::size_t const threads = borders.back().threads();
  communication made{program, now_->how, std::uint64_t{1} << now_->block_bits, now_->caches, {}};
  snapshot const nothing{{}, 0, {}, std::vector<std::vector<std::uint64_t>>(borders.back().of_kind.size())};
  snapshot const* before = &nothing;
  std::string name;
  for (snapshot const& border : borders) {
    made.phases.push_back(between(*before, border, threads));
    made.phases.back().name = name;
    if (border.name) name = *border.name;
    before = &border;
  }
  // Phases that end where they begin are none.
  communication_phase const last = made.phases.back();
  std::erase_if(made.phases, [&](communication_phase const& p) {
    return std::ranges::all_of(p.accesses, [](double n) { return n == 0; });
  });
  if (made.phases.empty()) made.phases.push_back(last);
  return made;
}

}  // namespace ovlp::shared_memory
