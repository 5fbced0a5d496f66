#include "results/table_file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

#include "results/table_list.hpp"

namespace tieline::results {
namespace {

/// A chunk is allocated in the file as soon as its first row is written: with thousands of tables, chunks are small so
/// that short runs give small files; with few, they are large so that long runs have a small index.
constexpr std::size_t kChunkBytesOfAllTables = std::size_t{8} << 20;
constexpr std::size_t kSmallestChunk = 4096;
constexpr std::size_t kLargestChunk = 65536;

/// Shared datasets are few, and grow by many rows at a time.
constexpr std::size_t kLargestSharedChunk = std::size_t{1} << 20;

/// The time of a flush grows with the square of what has changed: tens of thousands of tables are flushed in parts.
constexpr std::size_t kMostAppended = 1000;

}  // namespace

core::Result<void> TableFile::outcome(bool is_good, std::string_view what) const {
  const std::string text = fmt::format("results file '{}': {}", path_.string(), what);
  // The operating system's error first: that of HDF5 afterwards only confuses.
  if (!trouble_.reason.empty())
    return core::Error{.code = core::ErrorCode::input_output, .message = text + ": " + trouble_.reason};
  if (!is_good) return hdf5_error(text);
  return {};
}

core::Result<std::unique_ptr<TableFile>> TableFile::create(const std::filesystem::path& path,
                                                           std::span<const TableDeclaration> tables) {
  const Hdf5Turn turn;
  std::unique_ptr<TableFile> file(new TableFile(path));
  if (auto created = file->create_all(tables); !created) return created.error();
  return file;
}

core::Result<void> TableFile::create_all(std::span<const TableDeclaration> tables) {
  // A new file, not an overwritten one: who still reads the older one keeps it.
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  const Hdf5Handle access = access_by_own_driver(trouble_);
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  // Rows go straight to their place in the file: a chunk cache costs memory per table, and writes whole chunks. (Said
  // for the file, since concurrent writing opens all tables again with the file's settings.)
  H5Pset_cache(access.id(), 0, 0, 0, 1.0);
  file_ = Hdf5Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  if (auto created = outcome(file_.is_valid(), "cannot be created"); !created) return created;
  const bool is_shared = tables.size() > kMostOwnDatasets;
  const std::string format = is_shared ? kSharedFormatName : kFormatName;
  if (auto written = outcome(write_texts(file_.id(), kFormatAttribute, {format}), "cannot be written"); !written)
    return written;

  tables_.reserve(tables.size());
  if (auto created = is_shared ? create_shared(tables) : create_own(tables); !created) return created;
  if (auto created = outcome(checks_.create(file_.id(), is_shared), "checksums cannot be created"); !created)
    return created;
  number_tables();
  return outcome(H5Fstart_swmr_write(file_.id()) >= 0, "cannot be opened for concurrent readers");
}

void TableFile::number_tables() {
  std::vector<std::size_t> by_name(tables_.size());
  std::iota(by_name.begin(), by_name.end(), std::size_t{0});
  std::sort(by_name.begin(), by_name.end(),
            [&](std::size_t a, std::size_t b) { return tables_[a].owner < tables_[b].owner; });
  for (std::size_t i = 0; i < by_name.size(); ++i) tables_[by_name[i]].place = i;
}

core::Result<void> TableFile::create_own(std::span<const TableDeclaration> tables) {
  const std::size_t share = kChunkBytesOfAllTables / std::max<std::size_t>(1, tables.size());
  const std::size_t chunk_bytes = std::clamp(share, kSmallestChunk, kLargestChunk);
  for (const auto& table : tables)
    if (auto created = create_table(table, chunk_bytes); !created) return created;
  return {};
}

core::Result<void> TableFile::create_shared(std::span<const TableDeclaration> tables) {
  std::vector<TableInfo> list;
  list.reserve(tables.size());
  for (const auto& declaration : tables) {
    const std::size_t width = declaration.columns.size() + 1;
    SharedRowsWriter& shared = shared_.try_emplace(width, width).first->second;
    tables_.push_back({.owner = declaration.owner, .width = width, .shared = &shared});
    list.push_back({declaration.owner, declaration.columns});
  }
  const auto owner_is_before = [](const TableInfo& a, const TableInfo& b) { return a.owner < b.owner; };
  std::sort(list.begin(), list.end(), owner_is_before);
  const auto twice = std::adjacent_find(list.begin(), list.end(),
                                        [](const TableInfo& a, const TableInfo& b) { return a.owner == b.owner; });
  if (twice != list.end())
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("results file '{}': table '{}' is there twice", path_.string(),
                                              twice->owner)};
  const std::size_t share = kChunkBytesOfAllTables / std::max<std::size_t>(1, shared_.size());
  bool is_good = write_table_list(file_.id(), list);
  for (auto& [width, shared] : shared_)
    is_good = is_good && shared.create(file_.id(), std::clamp(share, kSmallestChunk, kLargestSharedChunk));
  return outcome(is_good, "tables cannot be created");
}

core::Result<void> TableFile::create_table(const TableDeclaration& declaration, std::size_t chunk_bytes) {
  Table table;
  table.width = declaration.columns.size() + 1;
  const hsize_t initial[2] = {0, table.width};
  const hsize_t most[2] = {H5S_UNLIMITED, table.width};
  const hsize_t chunk[2] = {std::max<hsize_t>(1, chunk_bytes / (table.width * sizeof(double))), table.width};
  const Hdf5Handle space(H5Screate_simple(2, initial, most), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation.id(), 2, chunk);
  // Rows are written before anybody can see them; filling chunks first would write everything twice.
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  table.owner = declaration.owner;
  const Hdf5Handle dataset(H5Dcreate2(file_.id(), declaration.owner.c_str(), H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT,
                                      creation.id(), H5P_DEFAULT),
                           H5Dclose);
  if (!dataset.is_valid()) return outcome(false, fmt::format("table '{}' cannot be created", declaration.owner));

  std::vector<std::string> names{"time"}, units{"s"};
  for (const auto& column : declaration.columns) {
    names.push_back(column.name);
    units.push_back(column.unit);
  }
  const bool is_good =
      write_texts(dataset.id(), kColumnsAttribute, names) && write_texts(dataset.id(), kUnitsAttribute, units);
  tables_.push_back(std::move(table));
  return outcome(is_good, fmt::format("names of table '{}' cannot be written", declaration.owner));
}

core::Result<void> TableFile::append(std::size_t index, std::span<const double> rows) {
  const Hdf5Turn turn;
  Table& table = tables_[index];
  if (table.shared != nullptr) return append_shared(table, rows);
  Hdf5Handle dataset(H5Dopen2(file_.id(), table.owner.c_str(), H5P_DEFAULT), H5Dclose);
  const hsize_t start[2] = {table.rows, 0};
  const hsize_t count[2] = {rows.size() / table.width, table.width};
  const hsize_t extent[2] = {start[0] + count[0], table.width};
  if (!dataset.is_valid() || H5Dset_extent(dataset.id(), extent) < 0) return outcome(false, "a table cannot grow");
  const Hdf5Handle there(H5Dget_space(dataset.id()), H5Sclose);
  const Hdf5Handle here(H5Screate_simple(2, count, nullptr), H5Sclose);
  bool is_good = H5Sselect_hyperslab(there.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) >= 0 &&
                 H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, here.id(), there.id(), H5P_DEFAULT, rows.data()) >= 0;
  is_good = dataset.close() && is_good;
  table.rows = extent[0];
  checks_.note({.table = table.place, .end = extent[0], .checksum = checksum_of(rows)});
  if (is_good && ++appended_ >= kMostAppended) return flush();
  return outcome(is_good, "rows cannot be written");
}

core::Result<void> TableFile::append_shared(Table& table, std::span<const double> rows) {
  table.rows += rows.size() / table.width;
  RowCheck check{.table = table.place, .end = table.rows, .place = table.shared->add(rows)};
  check.checksum = checksum_of(rows, check);
  checks_.note(check);
  return table.shared->is_full() ? outcome(table.shared->write(), "rows cannot be written") : core::Result<void>{};
}

bool TableFile::write_waiting() {
  bool is_good = true;
  // Rows before their checksums, without which no reader looks at them.
  for (auto& [width, shared] : shared_) is_good = shared.write() && is_good;
  return checks_.write() && is_good;
}

core::Result<void> TableFile::flush() {
  const Hdf5Turn turn;
  appended_ = 0;
  // All at once: H5Dflush of one table walks through the metadata of all.
  return outcome(write_waiting() && H5Fflush(file_.id(), H5F_SCOPE_LOCAL) >= 0, "rows cannot be written");
}

core::Result<void> TableFile::close() {
  const Hdf5Turn turn;
  bool is_good = write_waiting();
  for (auto& [width, shared] : shared_) is_good = shared.close() && is_good;
  is_good = checks_.close() && is_good;
  is_good = file_.close() && is_good;
  return outcome(is_good, "cannot be closed");
}

}  // namespace tieline::results
