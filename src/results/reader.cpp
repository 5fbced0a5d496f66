#include "results/reader.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "core/nearest_name.hpp"
#include "results/glob.hpp"
#include "results/hdf5.hpp"
#include "results/row_checks.hpp"
#include "results/shared_rows.hpp"
#include "results/table_file.hpp"
#include "results/table_list.hpp"
#include "results/trial_copy.hpp"

namespace tieline::results {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Whole rows are read in blocks of about this size, then the wanted column is picked.
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
/// Of the metadata of a file that is being written. HDF5 waits twice as long before each: 2^23 ns before the last one.
/// Its own number of 100 would never end where a file is damaged.
constexpr unsigned kReadAttempts = 24;
/// Of files up to this size all rows are verified when they are opened [bytes].
constexpr std::uintmax_t kVerifiedAtOnce = std::uintmax_t{64} << 20;
/// Of larger files with shared rows, this much is verified with the first table that is read [bytes].
constexpr std::size_t kVerifiedAhead = std::size_t{16} << 20;
/// A file that was changed so long ago has a time that a further change would move on.
constexpr std::chrono::seconds kSettled{2};

core::Error read_failure(const std::filesystem::path& file, std::string_view what) {
  return hdf5_error(fmt::format("results file '{}': {}", file.string(), what));
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* data) {
  static_cast<std::vector<std::string>*>(data)->emplace_back(name);
  return 0;
}

}  // namespace

class ResultReader::Impl {
 public:
  /// A file may have been forged to crash HDF5: everything is tried in a copy of this process first, all rows of small
  /// files with it.
  core::Result<void> open(const std::filesystem::path& path);
  /// A table that is open, as it is now.
  struct OpenTable {
    Hdf5Handle own{};    ///< where it has a dataset of its own
    hid_t dataset = -1;  ///< its own, or one that it shares
    std::size_t index = 0;
    std::size_t width = 0;  ///< columns, time included
    std::size_t rows = 0;   ///< those that have a checksum
  };
  core::Result<OpenTable> open_table(std::size_t table) const;
  /// The first `width` values of rows of a dataset.
  core::Result<void> read_dataset(hid_t dataset, std::size_t row, std::size_t count, std::size_t width,
                                  double* destination) const;
  /// The first `width` values of rows, as they are in the file.
  core::Result<void> read_block(const OpenTable& table, std::size_t row, std::size_t count, std::size_t width,
                                double* destination) const;
  /// Rows of a table, after a look at their checksums.
  core::Result<void> read_verified(const OpenTable& table, std::size_t row, std::size_t count,
                                   double* destination) const;
  core::Result<void> read_time(const OpenTable& table, std::size_t row, double& time) const;
  core::Result<void> verify(const OpenTable& table, RowRange range) const;
  core::Result<void> verify_all() const;
  /// First row whose time is not before t (or, with `after`, is later than t).
  core::Result<std::size_t> search(const OpenTable& table, double t, bool after) const;
  core::Result<RowRange> rows_between(const OpenTable& table, double first, double last) const;
  [[nodiscard]] core::Error damaged(std::string_view what) const;
  core::Error unknown(std::string_view name, std::string_view what) const;

  std::filesystem::path path_;
  FileTrouble trouble_{};
  Hdf5Handle file_{};
  std::vector<TableInfo> tables_{};
  std::vector<Variable> variables_{};
  std::unordered_map<std::string, std::size_t> by_name_{};
  mutable RowCheckReader checks_{};

 private:
  /// A dataset that tables of one width share.
  struct Shared {
    Hdf5Handle dataset{};
    std::size_t rows = 0;
  };
  /// A block of rows to be verified.
  struct Unverified {
    std::size_t table = 0;
    RowCheckReader::Block* block = nullptr;
  };

  core::Result<void> open_here();
  core::Result<void> open_own_tables();
  core::Result<void> open_shared_tables();
  core::Result<void> read_table_info(const std::string& owner);
  void add_table(TableInfo table);
  [[nodiscard]] std::size_t width_of(std::size_t table) const { return tables_[table].columns.size() + 1; }
  /// Sees what a writer has added in the meantime.
  core::Result<void> refresh() const;
  [[nodiscard]] bool may_have_changed() const;
  core::Result<void> check_block(const OpenTable& table, const RowCheckReader::Block& block) const;
  /// Blocks of any tables with shared rows, in the order of the file.
  core::Result<void> check_shared(std::vector<Unverified> blocks) const;
  core::Result<void> check_shared_run(std::span<const Unverified> run, std::vector<double>& rows) const;
  void add_unverified(std::size_t table, RowRange range, std::size_t rows, std::vector<Unverified>& blocks) const;
  /// Rows of a table with shared rows that are in the file with their checksums.
  [[nodiscard]] std::size_t shared_rows(std::size_t table) const;
  [[nodiscard]] core::Error wrong_checksum(std::size_t table, const RowCheckReader::Block& block) const;
  [[nodiscard]] core::Error trial_failure(const core::Error& error) const;

  bool is_shared_ = false;  ///< tables share datasets
  mutable std::map<std::size_t, Shared> shared_{};  ///< by width
  mutable std::optional<std::filesystem::file_time_type> settled_{};  ///< when the file was changed last, long ago
  bool is_copy_ = false;  ///< in a copy of the process, which makes no further ones
};

core::Result<void> ResultReader::Impl::open(const std::filesystem::path& path) {
  path_ = path;
  std::error_code failure;
  const std::uintmax_t bytes = std::filesystem::file_size(path, failure);
  const bool is_small = !failure && bytes <= kVerifiedAtOnce;
  auto trial = try_in_copy(failure ? 0 : bytes, [&]() -> core::Result<std::string> {
    is_copy_ = true;
    if (auto opened = open_here(); !opened) return opened.error();
    if (!is_small) return std::string();
    if (auto verified = verify_all(); !verified) return verified.error();
    return checks_.verified();
  });
  if (!trial) return trial_failure(trial.error());
  if (auto opened = open_here(); !opened) return opened;
  if (trial->was_made && is_small) checks_.set_verified(trial->answer);
  return {};
}

core::Result<void> ResultReader::Impl::open_here() {
  // Concurrent reading is also what opens the file of a killed writer: its "being written" mark is never cleared. Our
  // own driver has no position in the file that copies of this process would share.
  const Hdf5Handle access = access_by_own_driver(trouble_);
  const std::filesystem::path& path = path_;
  H5Pset_metadata_read_attempts(access.id(), kReadAttempts);
  file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.id()), H5Fclose);
  if (!file_.is_valid()) return read_failure(path, "cannot be opened");
  const auto format = read_texts(file_.id(), kFormatAttribute);
  is_shared_ = format && format->size() == 1 && format->front() == kSharedFormatName;
  if (!format || format->size() != 1 || (!is_shared_ && format->front() != kFormatName))
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("'{}' is not a results file of this version of Tieline ({} or {})",
                                              path.string(), kFormatName, kSharedFormatName)};
  if (auto opened = is_shared_ ? open_shared_tables() : open_own_tables(); !opened) return opened;
  if (auto opened = checks_.open(file_.id(), tables_.size(), is_shared_); !opened)
    return damaged(opened.error().message);
  return {};
}

core::Result<void> ResultReader::Impl::open_own_tables() {
  std::vector<std::string> owners;
  if (H5Literate(file_.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &owners) < 0)
    return read_failure(path_, "cannot be read");
  std::erase(owners, kChecksName);
  for (const auto& owner : owners)
    if (auto read = read_table_info(owner); !read) return read;
  return {};
}

core::Result<void> ResultReader::Impl::open_shared_tables() {
  auto list = read_table_list(file_.id());
  if (!list) return damaged(list.error().message);
  tables_.reserve(list->size());
  by_name_.reserve(list->size());
  for (TableInfo& table : *list) {
    const std::size_t width = table.columns.size() + 1;
    add_table(std::move(table));
    const auto [place, is_new] = shared_.try_emplace(width);
    if (!is_new) continue;
    Shared& shared = place->second;
    const std::string name = shared_rows_name(width);
    shared.dataset = Hdf5Handle(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!shared.dataset.is_valid()) return read_failure(path_, fmt::format("'{}' cannot be opened", name));
    const Hdf5Handle space(H5Dget_space(shared.dataset.id()), H5Sclose);
    hsize_t extent[2] = {0, 0};
    if (H5Sget_simple_extent_ndims(space.id()) != 2 || H5Sget_simple_extent_dims(space.id(), extent, nullptr) < 0 ||
        extent[1] != width)
      return damaged(fmt::format("the columns of '{}' do not fit", name));
    shared.rows = extent[0];
  }
  return {};
}

core::Result<void> ResultReader::Impl::read_table_info(const std::string& owner) {
  const Hdf5Handle dataset(H5Dopen2(file_.id(), owner.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.is_valid()) return read_failure(path_, fmt::format("table '{}' cannot be opened", owner));
  const auto names = read_texts(dataset.id(), kColumnsAttribute);
  const auto units = read_texts(dataset.id(), kUnitsAttribute);
  if (!names || !units) return damaged(fmt::format("table '{}': {}", owner, (names ? units : names).error().message));
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  hsize_t extent[2] = {0, 0};
  if (H5Sget_simple_extent_ndims(space.id()) != 2 || H5Sget_simple_extent_dims(space.id(), extent, nullptr) < 0 ||
      names->empty() || names->size() != units->size() || extent[1] != names->size())
    return damaged(fmt::format("the columns of table '{}' do not fit", owner));
  TableInfo table{.owner = owner};
  for (std::size_t i = 1; i < names->size(); ++i)
    table.columns.push_back({.name = (*names)[i], .unit = (*units)[i]});
  add_table(std::move(table));
  return {};
}

void ResultReader::Impl::add_table(TableInfo table) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const core::Column& column = table.columns[i];
    Variable variable{
        .name = table.owner + "." + column.name, .unit = column.unit, .table = tables_.size(), .column = i};
    by_name_.emplace(variable.name, variables_.size());
    variables_.push_back(std::move(variable));
  }
  tables_.push_back(std::move(table));
}

core::Error ResultReader::Impl::damaged(std::string_view what) const {
  return {.code = core::ErrorCode::bad_input,
          .message = fmt::format("results file '{}' is damaged: {}", path_.string(), what)};
}

core::Result<ResultReader::Impl::OpenTable> ResultReader::Impl::open_table(std::size_t index) const {
  const std::string& owner = tables_.at(index).owner;
  OpenTable table{.index = index, .width = width_of(index)};
  if (is_shared_) {
    if (auto refreshed = refresh(); !refreshed) return refreshed.error();
    table.dataset = shared_.at(table.width).dataset.id();
    table.rows = shared_rows(index);
  } else {
    table.own = Hdf5Handle(H5Dopen2(file_.id(), owner.c_str(), H5P_DEFAULT), H5Dclose);
    table.dataset = table.own.id();
    if (!table.own.is_valid() || H5Drefresh(table.dataset) < 0)
      return read_failure(path_, fmt::format("table '{}' cannot be opened", owner));
    const Hdf5Handle space(H5Dget_space(table.dataset), H5Sclose);
    hsize_t extent[2] = {0, 0};
    if (H5Sget_simple_extent_dims(space.id(), extent, nullptr) < 0) return read_failure(path_, "cannot be read");
    if (auto refreshed = refresh(); !refreshed) return refreshed.error();
    // Rows and their checksums become visible one after the other while a run writes them.
    for (const RowCheckReader::Block& block : checks_.of(index)) {
      if (block.end > extent[0]) break;
      table.rows = block.end;
    }
  }
  std::error_code failure;
  const std::uintmax_t bytes = std::filesystem::file_size(path_, failure);
  if (failure || table.rows > bytes / (table.width * sizeof(double)))
    return damaged(fmt::format("table '{}' has more rows than there is room for", owner));
  return table;
}

std::size_t ResultReader::Impl::shared_rows(std::size_t table) const {
  const std::size_t present = shared_.at(width_of(table)).rows;
  std::size_t rows = 0;
  for (const RowCheckReader::Block& block : checks_.of(table)) {
    if (block.place > present || block.end - block.begin > present - block.place) break;
    rows = block.end;
  }
  return rows;
}

bool ResultReader::Impl::may_have_changed() const {
  // Thousands of tables are looked at one after the other: a file that nobody writes any more is not read again for
  // each. A file's time is coarse, so that a change shortly after another may leave it as it is.
  std::error_code failure;
  const auto changed = std::filesystem::last_write_time(path_, failure);
  if (!failure && settled_ && *settled_ == changed) return false;
  settled_.reset();
  if (!failure && std::filesystem::file_time_type::clock::now() - changed > kSettled) settled_ = changed;
  return true;
}

core::Result<void> ResultReader::Impl::refresh() const {
  if (!may_have_changed()) return {};
  if (auto refreshed = checks_.refresh(); !refreshed) return damaged(refreshed.error().message);
  for (auto& [width, shared] : shared_) {
    const bool is_good = H5Drefresh(shared.dataset.id()) >= 0;
    const Hdf5Handle space(H5Dget_space(shared.dataset.id()), H5Sclose);
    hsize_t extent[2] = {0, 0};
    if (!is_good || H5Sget_simple_extent_dims(space.id(), extent, nullptr) < 0)
      return read_failure(path_, "cannot be read");
    shared.rows = extent[0];
  }
  return {};
}

core::Result<void> ResultReader::Impl::read_dataset(hid_t dataset, std::size_t row, std::size_t count,
                                                    std::size_t width, double* destination) const {
  const hsize_t start[2] = {row, 0};
  const hsize_t size[2] = {count, width};
  const Hdf5Handle there(H5Dget_space(dataset), H5Sclose);
  const Hdf5Handle here(H5Screate_simple(2, size, nullptr), H5Sclose);
  if (H5Sselect_hyperslab(there.id(), H5S_SELECT_SET, start, nullptr, size, nullptr) < 0 ||
      H5Dread(dataset, H5T_NATIVE_DOUBLE, here.id(), there.id(), H5P_DEFAULT, destination) < 0)
    return read_failure(path_, "rows cannot be read");
  return {};
}

core::Result<void> ResultReader::Impl::read_block(const OpenTable& table, std::size_t row, std::size_t count,
                                                  std::size_t width, double* destination) const {
  if (!is_shared_) return read_dataset(table.dataset, row, count, width, destination);
  const std::span<RowCheckReader::Block> blocks = checks_.of(table.index);
  auto block = std::upper_bound(blocks.begin(), blocks.end(), row,
                                [](std::size_t wanted, const auto& each) { return wanted < each.end; });
  for (const std::size_t end = row + count; row < end && block != blocks.end(); ++block) {
    const std::size_t part = std::min(end, block->end) - row;
    auto read = read_dataset(table.dataset, block->place + (row - block->begin), part, width, destination);
    if (!read) return read;
    row += part;
    destination += part * width;
  }
  return {};
}

void ResultReader::Impl::add_unverified(std::size_t table, RowRange range, std::size_t rows,
                                        std::vector<Unverified>& blocks) const {
  for (RowCheckReader::Block& block : checks_.of(table)) {
    if (block.begin >= range.end || block.end > rows) break;
    if (!block.is_verified && block.end > range.begin) blocks.push_back({table, &block});
  }
}

core::Result<void> ResultReader::Impl::verify(const OpenTable& table, RowRange range) const {
  std::vector<Unverified> blocks;
  add_unverified(table.index, range, table.rows, blocks);
  if (blocks.empty()) return {};
  std::size_t bytes = (blocks.back().block->end - blocks.front().block->begin) * table.width * sizeof(double);
  // A copy of the process for each of thousands of small tables would take long: those that follow are likely next.
  for (std::size_t next = table.index + 1; is_shared_ && bytes < kVerifiedAhead && next < tables_.size(); ++next) {
    const std::size_t rows = shared_rows(next);
    add_unverified(next, {0, rows}, rows, blocks);
    bytes += rows * width_of(next) * sizeof(double);
  }
  const auto check_all = [&]() -> core::Result<std::string> {
    if (is_shared_) {
      if (auto checked = check_shared(blocks); !checked) return checked.error();
      return std::string();
    }
    for (const Unverified& each : blocks)
      if (auto checked = check_block(table, *each.block); !checked) return checked.error();
    return std::string();
  };
  const auto trial = is_copy_ ? core::Result<Trial>(Trial{}) : try_in_copy(bytes, check_all);
  if (!trial) return trial_failure(trial.error());
  if (!trial->was_made) {
    if (auto checked = check_all(); !checked) return checked.error();
  }
  for (const Unverified& each : blocks) each.block->is_verified = true;
  return {};
}

core::Error ResultReader::Impl::wrong_checksum(std::size_t table, const RowCheckReader::Block& block) const {
  return damaged(fmt::format("the checksum of rows {} to {} of table '{}' does not fit", block.begin + 1, block.end,
                             tables_[table].owner));
}

core::Result<void> ResultReader::Impl::check_block(const OpenTable& table, const RowCheckReader::Block& block) const {
  std::vector<double> rows((block.end - block.begin) * table.width);
  if (auto read = read_block(table, block.begin, block.end - block.begin, table.width, rows.data()); !read) return read;
  if (checksum_of(rows) == block.checksum) return {};
  return wrong_checksum(table.index, block);
}

core::Result<void> ResultReader::Impl::check_shared(std::vector<Unverified> blocks) const {
  const auto place_of = [&](const Unverified& each) { return std::pair(width_of(each.table), each.block->place); };
  std::sort(blocks.begin(), blocks.end(),
            [&](const Unverified& a, const Unverified& b) { return place_of(a) < place_of(b); });
  std::vector<double> rows;
  // Blocks that lie one behind the other are read at once.
  for (std::size_t begin = 0, end = 0; begin < blocks.size(); begin = end) {
    const std::size_t width = width_of(blocks[begin].table), first = blocks[begin].block->place;
    std::size_t next = first;
    for (end = begin; end < blocks.size(); ++end) {
      const RowCheckReader::Block& block = *blocks[end].block;
      const bool is_next = width_of(blocks[end].table) == width && block.place == next;
      if (end > begin && (!is_next || (next - first) * width * sizeof(double) >= kBlockBytes)) break;
      next += block.end - block.begin;
    }
    auto checked = check_shared_run(std::span(blocks).subspan(begin, end - begin), rows);
    if (!checked) return checked;
  }
  return {};
}

core::Result<void> ResultReader::Impl::check_shared_run(std::span<const Unverified> run,
                                                        std::vector<double>& rows) const {
  const std::size_t width = width_of(run.front().table), first = run.front().block->place;
  const RowCheckReader::Block& last = *run.back().block;
  const std::size_t count = last.place + (last.end - last.begin) - first;
  rows.resize(count * width);
  if (auto read = read_dataset(shared_.at(width).dataset.id(), first, count, width, rows.data()); !read) return read;
  for (const Unverified& each : run) {
    const RowCheckReader::Block& block = *each.block;
    const auto own = std::span(rows).subspan((block.place - first) * width, (block.end - block.begin) * width);
    const RowCheck line{.table = each.table, .end = block.end, .place = block.place};
    if (checksum_of(own, line) != block.checksum) return wrong_checksum(each.table, block);
  }
  return {};
}

core::Result<void> ResultReader::Impl::verify_all() const {
  if (is_shared_ && is_copy_) {
    if (auto refreshed = refresh(); !refreshed) return refreshed.error();
    std::vector<Unverified> blocks;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const std::size_t rows = shared_rows(i);
      add_unverified(i, {0, rows}, rows, blocks);
    }
    if (auto checked = check_shared(blocks); !checked) return checked;
    for (const Unverified& each : blocks) each.block->is_verified = true;
    return {};
  }
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const auto table = open_table(i);
    if (!table) return table.error();
    if (auto verified = verify(*table, {0, table->rows}); !verified) return verified;
  }
  return {};
}

core::Error ResultReader::Impl::trial_failure(const core::Error& error) const {
  return error.code == core::ErrorCode::step_failed ? damaged(error.message) : error;
}

core::Result<void> ResultReader::Impl::read_verified(const OpenTable& table, std::size_t row, std::size_t count,
                                                     double* destination) const {
  if (auto verified = verify(table, {row, row + count}); !verified) return verified;
  return read_block(table, row, count, table.width, destination);
}

core::Result<void> ResultReader::Impl::read_time(const OpenTable& table, std::size_t row, double& time) const {
  if (auto verified = verify(table, {row, row + 1}); !verified) return verified;
  return read_block(table, row, 1, 1, &time);
}

core::Result<std::size_t> ResultReader::Impl::search(const OpenTable& table, double t, bool after) const {
  std::size_t low = 0, high = table.rows;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    double time = 0.0;
    if (auto read = read_time(table, middle, time); !read) return read.error();
    if (time < t || (after && time == t))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

core::Result<RowRange> ResultReader::Impl::rows_between(const OpenTable& table, double first, double last) const {
  if (first == -kInfinity && last == kInfinity) return RowRange{0, table.rows};
  const auto begin = search(table, first, false);
  if (!begin) return begin.error();
  const auto end = search(table, last, true);
  if (!end) return end.error();
  return RowRange{*begin, std::max(*begin, *end)};
}

core::Error ResultReader::Impl::unknown(std::string_view name, std::string_view what) const {
  std::vector<std::string> names;
  names.reserve(variables_.size());
  for (const auto& variable : variables_) names.push_back(variable.name);
  const std::string nearest = core::nearest_name(name, names);
  return {.code = core::ErrorCode::bad_input,
          .message = fmt::format("'{}' has no {} '{}'{}", path_.string(), what, name,
                                 nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest))};
}

ResultReader::ResultReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ResultReader::~ResultReader() {
  const Hdf5Turn turn;
  impl_.reset();
}
ResultReader::ResultReader(ResultReader&&) noexcept = default;
ResultReader& ResultReader::operator=(ResultReader&&) noexcept = default;

core::Result<ResultReader> ResultReader::open(const std::filesystem::path& file_or_folder) {
  const Hdf5Turn turn;
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(file_or_folder, ignored);
  const auto file = is_folder ? file_or_folder / kResultFileName : file_or_folder;
  if (!std::filesystem::exists(file, ignored))
    return core::Error{
        .code = core::ErrorCode::bad_input,
        .message = is_folder ? fmt::format("folder '{}' contains no {}", file_or_folder.string(), kResultFileName)
                             : fmt::format("results file '{}' does not exist", file.string())};
  auto impl = std::make_unique<Impl>();
  if (auto opened = impl->open(file); !opened) return opened.error();
  return ResultReader(std::move(impl));
}

const std::filesystem::path& ResultReader::path() const { return impl_->path_; }
std::span<const TableInfo> ResultReader::tables() const { return impl_->tables_; }
std::span<const Variable> ResultReader::variables() const { return impl_->variables_; }

core::Result<Variable> ResultReader::find(std::string_view name) const {
  const auto found = impl_->by_name_.find(std::string(name));
  if (found == impl_->by_name_.end()) return impl_->unknown(name, "variable");
  return impl_->variables_[found->second];
}

core::Result<std::vector<Variable>> ResultReader::select(std::span<const std::string> patterns) const {
  std::vector<Variable> selected;
  for (const auto& variable : impl_->variables_)
    if (patterns.empty() || matches_any(patterns, variable.name)) selected.push_back(variable);
  for (const auto& pattern : patterns) {
    const bool fits = std::any_of(selected.begin(), selected.end(),
                                  [&](const Variable& variable) { return matches(pattern, variable.name); });
    if (!fits)
      return impl_->unknown(pattern,
                            pattern.find_first_of("*?") == std::string::npos ? "variable" : "variable that matches");
  }
  return selected;
}

core::Result<std::size_t> ResultReader::rows(std::size_t index) const {
  const Hdf5Turn turn;
  const auto table = impl_->open_table(index);
  if (!table) return table.error();
  return table->rows;
}

core::Result<std::optional<TimeSpan>> ResultReader::span(std::size_t index) const {
  const Hdf5Turn turn;
  const auto table = impl_->open_table(index);
  if (!table) return table.error();
  if (table->rows == 0) return std::optional<TimeSpan>{};
  TimeSpan span;
  if (auto read = impl_->read_time(*table, 0, span.first); !read) return read.error();
  if (auto read = impl_->read_time(*table, table->rows - 1, span.last); !read) return read.error();
  return std::optional(span);
}

core::Result<RowRange> ResultReader::rows_between(std::size_t index, double first, double last) const {
  const Hdf5Turn turn;
  const auto table = impl_->open_table(index);
  if (!table) return table.error();
  return impl_->rows_between(*table, first, last);
}

core::Result<std::vector<double>> ResultReader::read_rows(std::size_t index, RowRange range) const {
  const Hdf5Turn turn;
  const auto table = impl_->open_table(index);
  if (!table) return table.error();
  const std::size_t end = std::min(range.end, table->rows);
  std::vector<double> values;
  if (range.begin >= end) return values;
  values.resize((end - range.begin) * table->width);
  if (auto read = impl_->read_verified(*table, range.begin, end - range.begin, values.data()); !read)
    return read.error();
  return values;
}

core::Result<void> ResultReader::verify() const {
  const Hdf5Turn turn;
  return impl_->verify_all();
}

core::Result<Series> ResultReader::read(std::string_view name) const { return read(name, -kInfinity, kInfinity); }

core::Result<Series> ResultReader::read(std::string_view name, double first, double last) const {
  const Hdf5Turn turn;
  const auto variable = find(name);
  if (!variable) return variable.error();
  const auto table = impl_->open_table(variable->table);
  if (!table) return table.error();
  const auto range = impl_->rows_between(*table, first, last);
  if (!range) return range.error();

  Series series{.name = variable->name, .unit = variable->unit};
  series.times.reserve(range->end - range->begin);
  series.values.reserve(range->end - range->begin);
  const std::size_t width = table->width;
  const std::size_t block = std::max<std::size_t>(1, kBlockBytes / (width * sizeof(double)));
  std::vector<double> rows(std::min(block, range->end - range->begin) * width);
  for (std::size_t row = range->begin; row < range->end; row += block) {
    const std::size_t count = std::min(block, range->end - row);
    if (auto read = impl_->read_verified(*table, row, count, rows.data()); !read) return read.error();
    for (std::size_t i = 0; i < count; ++i) {
      series.times.push_back(rows[i * width]);
      series.values.push_back(rows[i * width + variable->column + 1]);
    }
  }
  return series;
}

}  // namespace tieline::results
