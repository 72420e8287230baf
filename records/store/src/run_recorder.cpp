// SPDX-License-Identifier: BSD-3-Clause
#include "run_recorder.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <ovlp/base/database.hpp>
#include <ovlp/base/error.hpp>
#include <ovlp/records/kernel_table.hpp>
#include <ovlp/store/open_run.hpp>

#include "number_list.hpp"
#include "packed_column.hpp"
#include "schema.hpp"
#include "stored_totals.hpp"
#include "tables.hpp"

namespace ovlp {
namespace {

using base::database;
using base::statement;

/// What is there is replaced, if it is one.
void expect_record_or_none(std::string const& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error) || std::filesystem::file_size(file, error) == 0) return;
  if (!is_record(file))
    throw config_error("'" + file + "': expected no file, or a record, got another, which would be lost");
}

/// The file, for the thread that writes it.
class record_file {
 public:
  explicit record_file(std::string const& file)
      : database_(prepared(file)),
        add_block_(database_.prepare("INSERT INTO block(kind, rows, first_s, last_s) VALUES(?, ?, ?, ?)")),
        add_column_(database_.prepare("INSERT INTO packed VALUES(?, ?, ?)")) {}

  database& tables() { return database_; }

  /// Rows go to the columns of a block, and the block to the file when it is full.
  template <class Row>
  void add(std::vector<Row> const& rows) {
    using of = store::table<Row>;
    block<Row>& to = std::get<block<Row>>(blocks_);
    for (Row const& row : rows) {
      to.first_s = std::min(to.first_s, row.*of::first);
      to.last_s = std::max(to.last_s, row.*of::last);
    }
    auto values = to.columns.begin();
    store::for_each_column<Row>([&](auto const& column) {
      using value = std::remove_cvref_t<decltype(column.in(rows.front()))>;
      std::vector<std::byte>& all = *values++;
      std::size_t const before = all.size();
      all.resize(before + rows.size() * sizeof(value));
      std::byte* at = all.data() + before;
      for (Row const& row : rows) {
        value const v = column.in(row);
        std::memcpy(at, &v, sizeof(value));
        at += sizeof(value);
      }
    });
    to.rows += rows.size();
    if (to.rows >= store::block_rows) write(to);
  }
  /// Also blocks that are not full.
  void write_all() {
    std::apply([this](auto&... of) { (write(of), ...); }, blocks_);
  }

 private:
  static database prepared(std::string const& file) {
    expect_record_or_none(file);
    database made(file, database::mode::create);
    // A kill of this process loses nothing that was handed to the system; that of the machine may.
    made.run("PRAGMA synchronous = OFF; PRAGMA page_size = 16384; PRAGMA application_id = " +
             std::to_string(store::application_id) + "; PRAGMA user_version = " +
             std::to_string(store::format_version) + "; BEGIN;" + store::schema + "COMMIT");
    return made;
  }

  template <class Row>
  struct block {
    std::size_t rows = 0;
    double first_s = std::numeric_limits<double>::infinity(), last_s = -first_s;
    std::array<std::vector<std::byte>, store::most_columns> columns{};
  };

  template <class Row>
  void write(block<Row>& full) {
    if (full.rows == 0) return;
    database_.run("BEGIN");
    add_block_.with(store::table<Row>::name, std::uint64_t{full.rows}, full.first_s, full.last_s).run();
    std::int64_t number = ++block_ * store::most_columns;
    auto values = full.columns.begin();
    store::for_each_column<Row>([&](auto const& column) {
      using value = std::remove_cvref_t<decltype(column.in(std::declval<Row const&>()))>;
      add_column_.with(number++, column.name, packer_.pack(*values, sizeof(value))).run();
      (values++)->clear();
    });
    database_.run("COMMIT");
    full.rows = 0;
    full.first_s = std::numeric_limits<double>::infinity();
    full.last_s = -full.first_s;
  }

  database database_;
  statement add_block_, add_column_;
  store::column_packer packer_;
  store::of_each_kind<block> blocks_;
  std::int64_t block_ = 0;
};

/// So many rows are handed to the thread that writes at once: few enough to stay in a core's cache.
constexpr std::size_t batch_rows = 512;
static_assert(store::block_rows % batch_rows == 0);
/// Batches on their way to it. Whoever brings one when so many wait already, waits.
constexpr std::size_t most_waiting = 1024;
/// To wake it costs several microseconds: it is woken for so many, or looks by itself after so long.
constexpr std::size_t worth_waking = 32;
constexpr std::chrono::milliseconds nap{50};

class recorder final : public run_recorder {
 public:
  recorder(std::string const& file, run_facts about, emitters who, std::function<void(std::string const&)> failed)
      : several_(who == emitters::several_threads), failed_(std::move(failed)), path_(file), file_(file) {
    sums_only_ = about.contains("only");
    writer_ = std::thread([this] { write(); });
    for (auto const& [fact, value] : about) set(fact, value);
  }
  ~recorder() override {
    {
      std::scoped_lock const lock(queue_mutex_);
      over_ = true;
    }
    changed_.notify_all();
    writer_.join();
  }

  void begin(run_definitions const& names) override {
    if (names.node == 0) remove_old_parts();
    if (sums_only_) totals_ = run_totals(names);
    put([&names](record_file& to) {
      database& tables = to.tables();
      tables.run("BEGIN");  // who reads meanwhile sees all of it, or nothing
      auto const set = [&tables](std::string const& fact, std::string const& value) {
        tables.prepare("INSERT OR REPLACE INTO fact VALUES(?, ?)").with(fact, value).run();
      };
      set("application", names.application);
      set("backend", names.backend);
      set("nodes", std::to_string(names.nodes));
      set("node", std::to_string(names.node));
      set("capacities", store::to_words(names.capacities));
      if (!names.communicators.empty()) set("communicators", store::to_lines(names.communicators));
      if (names.node == 0)  // until it says how it ended
        tables.prepare("INSERT OR IGNORE INTO fact VALUES(?, ?)").with(store::outcome_fact, store::running).run();
      statement collection = tables.prepare("INSERT INTO collection VALUES(?, ?)");
      for (std::uint32_t c = 0; c < names.collections.size(); ++c) collection.with(c, names.collections[c]).run();
      statement graph = tables.prepare("INSERT INTO graph VALUES(?, ?)");
      statement operation = tables.prepare("INSERT INTO operation VALUES(?, ?, ?, ?, ?)");
      for (std::uint32_t g = 0; g < names.graphs.size(); ++g) {
        graph.with(g, names.graphs[g].name).run();
        for (std::uint32_t o = 0; o < names.graphs[g].operations.size(); ++o) {
          run_definitions::operation const& is = names.graphs[g].operations[o];
          operation.with(g, o, is.kind, is.name, is.collection).run();
        }
      }
      tables.run("COMMIT");
    });
  }

  void step(step_record const& r) override { keep(r); }
  void wait(wait_record const& r) override { keep(r); }
  void post(post_record const& r) override { keep(r); }
  void send(send_record const& r) override { keep(r); }
  void delivery(delivery_record const& r) override { keep(r); }
  void transfer(transfer_record const& r) override { keep(r); }
  void mpi_call(mpi_call_record const& r) override { keep(r); }
  void add(run_totals const& more) override { totals_.add(more); }
  void kernel(kernel_record const& r) override {
    if (sums_only_) return;
    auto const lock = alone();
    add(store::kernel_row{r.at, number_of(r), r.start_s, r.end_s, r.work_s});
  }
  void node(node_record const& r) override {
    insert_alone("node(node, change, at_s) VALUES(?, ?, ?)", r.node, static_cast<std::uint32_t>(r.change), r.at_s);
  }
  void mapping(mapping_record const& r) override {
    insert_alone("mapping(collection, at_s, nodes) VALUES(?, ?, ?)", r.collection, r.at_s, store::to_words(r.nodes));
  }
  void decision(decision_record const& r) override {
    insert_alone("decision(iteration, nodes, reason, at_s) VALUES(?, ?, ?, ?)", r.iteration, std::uint64_t{r.nodes},
                 std::string(r.reason), r.at_s);
  }
  void call(call_record const& r) override {
    insert_alone("call(call, graph, begins, at_s) VALUES(?, ?, ?, ?)", r.call, r.graph, r.begins ? 1 : 0, r.at_s);
  }
  void end(end_record const& r) override {
    auto const lock = alone();
    go_on();
    set(store::outcome_fact, r.failure.empty() ? store::finished : store::failed);
    if (!r.failure.empty()) set(store::failure_fact, std::string(r.failure));
    auto const set_number = [&](char const* fact, double value) { set(fact, store::to_words(std::vector{value})); };
    set_number(store::end_fact, r.at_s);
    if (r.processors.cpu_s == 0) return;
    set_number(store::cpu_fact, r.processors.cpu_s);
    set_number(store::waited_fact, r.processors.waited_s);
  }
  void flush() override {
    {
      auto const lock = alone();
      std::apply(
          [this](auto const&... rows) { (hand_over<typename std::remove_cvref_t<decltype(rows)>::value_type>(), ...); },
          open_);
      put([](record_file& to) { to.write_all(); });
      if (sums_only_) put([sums = totals_](record_file& to) { store::write_totals(sums, to.tables()); });
      set("complete", "yes");
      complete_ = true;
    }
    wait_until_written();
  }

 private:
  using task = std::function<void(record_file&)>;

  // Whoever emits.

  std::unique_lock<std::mutex> alone() { return several_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>(); }
  /// Within alone().
  template <class Row>
  void add(Row const& row) {
    go_on();
    auto& rows = std::get<std::vector<Row>>(open_);
    if (rows.capacity() == 0) rows.reserve(batch_rows);
    rows.push_back(row);
    if (rows.size() == batch_rows) hand_over<Row>();
  }
  template <class Row>
  void hand_over() {
    auto& rows = std::get<std::vector<Row>>(open_);
    if (rows.empty()) return;
    put([this, full = std::make_shared<std::vector<Row>>(std::move(rows))](record_file& to) {
      to.add(*full);
      full->clear();
      std::scoped_lock const lock(spare_mutex_);
      std::get<spares<Row>>(spare_).push_back(std::move(*full));
    });
    rows = {};
    std::scoped_lock const lock(spare_mutex_);
    auto& again = std::get<spares<Row>>(spare_);
    if (again.empty()) return;
    rows = std::move(again.back());
    again.pop_back();
  }
  void put(task what) {
    std::unique_lock lock(queue_mutex_);
    changed_.wait(lock, [this] { return tasks_.size() < most_waiting; });
    tasks_.push_back(std::move(what));
    bool const wake = tasks_.size() == worth_waking;
    lock.unlock();
    if (wake) changed_.notify_all();
  }
  template <class... Values>
  void insert(std::string sql, Values... values) {
    put([sql = std::move(sql), values...](record_file& to) { to.tables().prepare(sql).with(values...).run(); });
  }
  template <class... Values>
  void insert_alone(char const* into, Values... values) {
    auto const lock = alone();
    go_on();
    insert(std::string("INSERT INTO ") + into, values...);
  }
  /// Within alone(). More comes, perhaps after a flush: before it does, the file says so.
  void go_on() {
    if (!complete_) return;
    complete_ = false;
    insert("DELETE FROM fact WHERE name = 'complete'");
    wait_until_written();
  }
  void wait_until_written() {
    std::unique_lock lock(queue_mutex_);
    in_haste_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return tasks_.empty() && !busy_; });
    in_haste_ = false;
  }
  void set(std::string const& fact, std::string const& value) {
    insert("INSERT OR REPLACE INTO fact VALUES(?, ?)", fact, value);
  }
  /// Of a kernel's name and sizes.
  std::uint32_t number_of(kernel_record const& r) {
    std::optional<std::uint32_t>& number = kernels_(r.name, r.sizes);
    if (!number) {
      number = next_kernel_++;
      insert("INSERT INTO kernel_name VALUES(?, ?, ?)", *number, std::string(r.name), store::to_words(r.sizes));
    }
    return *number;
  }
  /// Those of an earlier run of this name; others write theirs later.
  void remove_old_parts() const {
    std::error_code error;
    for (auto const& part : parts_of(path_)) std::filesystem::remove(part, error);
  }

  // The thread that writes.

  void write() {
    std::unique_lock lock(queue_mutex_);
    do {
      changed_.wait_for(lock, nap, [this] { return over_ || tasks_.size() >= (in_haste_ ? 1 : worth_waking); });
      while (!tasks_.empty()) {
        task const next = std::move(tasks_.front());
        tasks_.pop_front();
        busy_ = true;
        lock.unlock();
        changed_.notify_all();
        run(next);
        lock.lock();
        busy_ = false;
      }
      changed_.notify_all();
    } while (!over_);
  }
  void run(task const& what) {
    if (broken_) return;
    try {
      what(file_);
    } catch (std::exception const& wrong) {
      broken_ = true;
      failed_(std::string("--record: ") + wrong.what() + "; what the run did from then on is missing there");
    }
  }

  template <class Record>
  void keep(Record const& r) {
    auto const lock = alone();
    if (!sums_only_) return add(r);
    go_on();
    if constexpr (requires(run_totals & sums) { sums.add(r); }) totals_.add(r);
  }

  bool const several_;
  std::function<void(std::string const&)> const failed_;
  std::mutex mutex_;  ///< of those who emit
  template <class Row>
  using batch = std::vector<Row>;
  template <class Row>
  using spares = std::vector<batch<Row>>;
  store::of_each_kind<batch> open_;
  std::mutex spare_mutex_;
  store::of_each_kind<spares> spare_;  ///< memory of batches that have been taken
  bool sums_only_ = false;
  run_totals totals_;  ///< in the place of records, if only these are asked for
  kernel_table<std::optional<std::uint32_t>> kernels_;
  std::uint32_t next_kernel_ = 0;
  bool complete_ = false;  ///< as far as one knows

  std::mutex queue_mutex_;
  std::condition_variable changed_;
  std::deque<task> tasks_;
  bool busy_ = false;
  bool in_haste_ = false;  ///< somebody waits until all is written
  bool over_ = false;

  std::string const path_;
  record_file file_;
  bool broken_ = false;
  std::thread writer_;
};

}  // namespace

std::unique_ptr<run_recorder> make_recorder(std::string const& file, run_facts about, emitters who,
                                            std::function<void(std::string const&)> failed) {
  return std::make_unique<recorder>(file, std::move(about), who, std::move(failed));
}

}  // namespace ovlp
