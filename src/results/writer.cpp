#include "results/writer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include "results/table_file.hpp"

namespace tieline::results {
namespace {

using Clock = std::chrono::steady_clock;

/// A buffer holds at most this much, however few tables there are: larger blocks write no faster.
constexpr std::size_t kLargestBuffer = std::size_t{1} << 20;
/// Rows that a buffer first has room for: models with thousands of tables rarely have many to write at once.
constexpr std::size_t kFirstRows = 2;
/// How often a waiting `row` looks whether the disk still takes data. A process that was stopped and continues sees one
/// of these pass at once, not the whole stall limit.
constexpr int kLooksPerStallLimit = 10;

/// With thousands of tables a flush takes a good part of a second; it then comes less often, so that the writer thread
/// leaves the cores to the components.
constexpr int kLeastPause = 9;  ///< times the length of the flush before

Clock::duration to_duration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

/// Sinks fill buffers, the writer thread empties them. Locks: each table's own, held for a copy or a swap; `mutex_` for
/// the list of full tables and the requests of `flush` and `close`, taken when a buffer is half full. Neither is held
/// while the file is written.
class ResultWriter::Impl {
 public:
  Impl(std::unique_ptr<TableFile> file, std::vector<TableDeclaration> declarations, const WriterOptions& options);
  ~Impl() { (void)close(); }

  core::Result<void> flush();
  core::Result<void> close();
  core::Result<void> status() const;
  core::RowSink& sink(std::size_t table) { return *sinks_.at(table); }
  core::RowSink* find_sink(std::string_view owner);
  [[nodiscard]] std::size_t width_of(std::string_view owner) const;
  [[nodiscard]] std::vector<TableRows> rows() const;
  [[nodiscard]] std::optional<double> last_time(std::string_view owner) const;

 private:
  struct Sink final : core::RowSink {
    Sink(Impl& writer, std::size_t table, std::size_t row_width, std::size_t capacity)
        : writer_(writer), index(table), width(row_width), limit(capacity) {}
    void row(double t, std::span<const double> values) override;
    bool wait_for_room(std::unique_lock<std::mutex>& lock);

    Impl& writer_;
    const std::size_t index;
    const std::size_t width;  ///< doubles in a row, time included
    const std::size_t limit;  ///< doubles the buffer may hold
    mutable std::mutex mutex{};
    std::condition_variable room{};
    std::vector<double> buffer{};  ///< guarded by mutex
    bool is_queued = false;        ///< guarded by mutex: in the list of full tables
    std::size_t rows = 0;          ///< guarded by mutex: taken so far
    double last_time = 0.0;        ///< guarded by mutex: of the last of them [s]
  };

  void run();
  void write_table(Sink& sink);
  void write_all();
  void enqueue(Sink& sink);
  void fail(core::Error error);
  [[nodiscard]] core::Error stalled() const;

  const WriterOptions options_;
  std::unique_ptr<TableFile> file_;  ///< used by the writer thread only
  std::vector<std::unique_ptr<Sink>> sinks_{};
  std::unordered_map<std::string, std::size_t> by_owner_{};
  std::vector<double> spare_{};  ///< the writer thread's; swapped with a table's buffer

  std::atomic<bool> takes_rows_ = true;      ///< false after a failure or close
  std::atomic<std::uint64_t> progress_ = 0;  ///< blocks written
  mutable std::mutex mutex_{};
  std::condition_variable wake_{};     ///< the writer thread waits here
  std::condition_variable flushed_{};  ///< `flush` waits here
  std::vector<Sink*> full_{};
  std::uint64_t flushes_wanted_ = 0;
  std::uint64_t flushes_done_ = 0;
  bool is_closing_ = false;
  std::optional<core::Error> error_{};
  std::thread thread_{};
};

ResultWriter::Impl::Impl(std::unique_ptr<TableFile> file, std::vector<TableDeclaration> declarations,
                         const WriterOptions& options)
    : options_(options), file_(std::move(file)) {
  const std::size_t share = std::min(kLargestBuffer, options.memory_limit / (declarations.size() + 1)) / sizeof(double);
  for (const auto& declaration : declarations) {
    const std::size_t width = declaration.columns.size() + 1;
    const std::size_t limit = std::max<std::size_t>(1, share / width) * width;
    by_owner_.emplace(declaration.owner, sinks_.size());
    sinks_.push_back(std::make_unique<Sink>(*this, sinks_.size(), width, limit));
  }
  thread_ = std::thread([this] { run(); });
}

core::RowSink* ResultWriter::Impl::find_sink(std::string_view owner) {
  const auto found = by_owner_.find(std::string(owner));
  return found == by_owner_.end() ? nullptr : sinks_[found->second].get();
}

std::size_t ResultWriter::Impl::width_of(std::string_view owner) const {
  const auto found = by_owner_.find(std::string(owner));
  return found == by_owner_.end() ? 0 : sinks_[found->second]->width - 1;
}

std::vector<TableRows> ResultWriter::Impl::rows() const {
  std::vector<TableRows> result(sinks_.size());
  for (const auto& [owner, index] : by_owner_) result[index].owner = owner;
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    const std::scoped_lock lock(sinks_[i]->mutex);
    result[i].rows = sinks_[i]->rows;
  }
  return result;
}

std::optional<double> ResultWriter::Impl::last_time(std::string_view owner) const {
  const auto found = by_owner_.find(std::string(owner));
  if (found == by_owner_.end()) return std::nullopt;
  const Sink& sink = *sinks_[found->second];
  const std::scoped_lock lock(sink.mutex);
  return sink.rows > 0 ? std::optional(sink.last_time) : std::nullopt;
}

void ResultWriter::Impl::Sink::row(double t, std::span<const double> values) {
  if (!writer_.takes_rows_.load(std::memory_order_relaxed)) return;
  std::unique_lock lock(mutex);
  if (buffer.size() + width > limit && !wait_for_room(lock)) return;
  // Grows by doubling, but never beyond its limit: the sum of all limits is what bounds the memory.
  if (buffer.size() + width > buffer.capacity())
    buffer.reserve(std::min(limit, std::max(2 * buffer.capacity(), kFirstRows * width)));
  buffer.push_back(t);
  // A sink never sees a row of another width than it declared; the copy is bounded all the same.
  const std::size_t given = std::min(values.size(), width - 1);
  buffer.insert(buffer.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(given));
  buffer.resize(buffer.size() + (width - 1 - given));
  ++rows;
  last_time = t;
  // From half full on the writer thread is asked for, so that it has time before the buffer is full.
  if (2 * buffer.size() >= limit && !is_queued) {
    is_queued = true;
    lock.unlock();
    writer_.enqueue(*this);
  }
}

/// False if the row must be dropped.
bool ResultWriter::Impl::Sink::wait_for_room(std::unique_lock<std::mutex>& lock) {
  const auto patience = to_duration(writer_.options_.stall_limit / kLooksPerStallLimit);
  std::uint64_t seen = writer_.progress_.load();
  int looks_without_progress = 0;
  const auto may_continue = [&] { return buffer.size() + width <= limit || !writer_.takes_rows_.load(); };
  while (!room.wait_for(lock, patience, may_continue)) {
    const std::uint64_t now = writer_.progress_.load();
    looks_without_progress = now == seen ? looks_without_progress + 1 : 0;
    seen = now;
    if (looks_without_progress < kLooksPerStallLimit) continue;
    lock.unlock();
    writer_.fail(writer_.stalled());
    return false;
  }
  return buffer.size() + width <= limit && writer_.takes_rows_.load();
}

void ResultWriter::Impl::enqueue(Sink& sink) {
  {
    const std::scoped_lock lock(mutex_);
    full_.push_back(&sink);
  }
  wake_.notify_one();
}

void ResultWriter::Impl::run() {
  const auto interval = to_duration(options_.flush_interval);
  auto next_flush = Clock::now() + interval;
  std::vector<Sink*> full;
  bool is_closing = false;
  while (!is_closing) {
    std::uint64_t wanted = 0;
    bool takes_all = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_until(lock, next_flush,
                       [&] { return !full_.empty() || is_closing_ || flushes_wanted_ > flushes_done_; });
      full.swap(full_);
      is_closing = is_closing_;
      wanted = flushes_wanted_;
      takes_all = is_closing || wanted > flushes_done_ || Clock::now() >= next_flush;
    }
    for (Sink* sink : full) write_table(*sink);
    full.clear();
    if (takes_all) {
      const auto begin = Clock::now();
      write_all();
      const auto end = Clock::now();
      next_flush = end + std::max(interval, kLeastPause * (end - begin));
    }
    {
      const std::scoped_lock lock(mutex_);
      flushes_done_ = wanted;
    }
    flushed_.notify_all();
  }
  if (auto closed = file_->close(); !closed) fail(closed.error());
}

void ResultWriter::Impl::write_all() {
  for (auto& sink : sinks_) write_table(*sink);
  if (!status()) return;
  if (auto flushed = file_->flush(); !flushed) fail(flushed.error());
}

void ResultWriter::Impl::write_table(Sink& sink) {
  spare_.clear();
  {
    const std::scoped_lock lock(sink.mutex);
    sink.buffer.swap(spare_);
    sink.is_queued = false;
  }
  sink.room.notify_all();
  if (spare_.empty() || !status()) return;
  if (auto appended = file_->append(sink.index, spare_); !appended) return fail(appended.error());
  progress_.fetch_add(1);
}

void ResultWriter::Impl::fail(core::Error error) {
  {
    const std::scoped_lock lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  takes_rows_ = false;
  // Taking each lock once makes sure that nobody is between looking at takes_rows_ and going to wait.
  for (auto& sink : sinks_) {
    { const std::scoped_lock lock(sink->mutex); }
    sink->room.notify_all();
  }
}

core::Error ResultWriter::Impl::stalled() const {
  return {.code = core::ErrorCode::input_output,
          .message = fmt::format("results file: the disk took no data for {} s", options_.stall_limit)};
}

core::Result<void> ResultWriter::Impl::flush() {
  std::unique_lock lock(mutex_);
  if (!is_closing_) {
    const std::uint64_t ticket = ++flushes_wanted_;
    wake_.notify_one();
    std::uint64_t seen = progress_.load();
    const auto is_done = [&] { return flushes_done_ >= ticket || is_closing_; };
    while (!flushed_.wait_for(lock, to_duration(options_.stall_limit), is_done)) {
      const std::uint64_t now = progress_.load();
      if (now == seen) return stalled();
      seen = now;
    }
  }
  if (error_) return *error_;
  return {};
}

core::Result<void> ResultWriter::Impl::close() {
  {
    const std::scoped_lock lock(mutex_);
    is_closing_ = true;
  }
  wake_.notify_one();
  flushed_.notify_all();
  if (thread_.joinable()) thread_.join();
  takes_rows_ = false;
  return status();
}

core::Result<void> ResultWriter::Impl::status() const {
  const std::scoped_lock lock(mutex_);
  if (error_) return *error_;
  return {};
}

core::Result<std::unique_ptr<ResultWriter>> ResultWriter::create(const std::filesystem::path& file,
                                                                 std::vector<TableDeclaration> tables,
                                                                 const WriterOptions& options) {
  auto table_file = TableFile::create(file, tables);
  if (!table_file) return table_file.error();
  return std::unique_ptr<ResultWriter>(
      new ResultWriter(std::make_unique<Impl>(std::move(*table_file), std::move(tables), options)));
}

ResultWriter::ResultWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ResultWriter::~ResultWriter() = default;
core::RowSink& ResultWriter::sink(std::size_t table) { return impl_->sink(table); }
core::RowSink* ResultWriter::find_sink(std::string_view owner) { return impl_->find_sink(owner); }
std::size_t ResultWriter::width_of(std::string_view owner) const { return impl_->width_of(owner); }
std::vector<TableRows> ResultWriter::rows() const { return impl_->rows(); }
std::optional<double> ResultWriter::last_time(std::string_view owner) const { return impl_->last_time(owner); }
core::Result<void> ResultWriter::flush() { return impl_->flush(); }
core::Result<void> ResultWriter::close() { return impl_->close(); }
core::Result<void> ResultWriter::status() const { return impl_->status(); }

}  // namespace tieline::results
