#include "results/row_checks.hpp"

#include <algorithm>
#include <cstring>

namespace tieline::results {
namespace {

// Numbers in a line: the place is only in files with shared rows.
constexpr hsize_t kOwnWidth = 3, kSharedWidth = 4;
static_assert(sizeof(RowCheck) == kSharedWidth * sizeof(std::uint64_t), "checks are read and written as they are");

// With few tables, small enough that a short run gives a small file.
constexpr hsize_t kChunkRows = 256, kSharedChunkRows = 16384;
/// Lines read at a time.
constexpr std::size_t kBlockRows = 1 << 16;

core::Error damaged() {
  return {.code = core::ErrorCode::bad_input, .message = "the checksums of its rows are damaged"};
}

/// As many numbers of each line in memory as the file has.
Hdf5Handle lines_in_memory(std::size_t lines, hsize_t width) {
  const hsize_t all[2] = {lines, kSharedWidth};
  const hsize_t start[2] = {0, 0};
  const hsize_t count[2] = {lines, width};
  Hdf5Handle space(H5Screate_simple(2, all, nullptr), H5Sclose);
  H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr);
  return space;
}

}  // namespace

bool RowCheckWriter::create(hid_t file, bool is_shared) {
  width_ = is_shared ? kSharedWidth : kOwnWidth;
  const hsize_t initial[2] = {0, width_};
  const hsize_t most[2] = {H5S_UNLIMITED, width_};
  const hsize_t chunk[2] = {is_shared ? kSharedChunkRows : kChunkRows, width_};
  const Hdf5Handle space(H5Screate_simple(2, initial, most), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation.id(), 2, chunk);
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  dataset_ = Hdf5Handle(
      H5Dcreate2(file, kChecksName, H5T_NATIVE_UINT64, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Dclose);
  return dataset_.is_valid();
}

bool RowCheckWriter::write() {
  if (waiting_.empty()) return true;
  const hsize_t start[2] = {count_, 0};
  const hsize_t count[2] = {waiting_.size(), width_};
  const hsize_t extent[2] = {start[0] + count[0], width_};
  if (H5Dset_extent(dataset_.id(), extent) < 0) return false;
  const Hdf5Handle there(H5Dget_space(dataset_.id()), H5Sclose);
  const Hdf5Handle here = lines_in_memory(waiting_.size(), width_);
  const bool is_good =
      H5Sselect_hyperslab(there.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) >= 0 &&
      H5Dwrite(dataset_.id(), H5T_NATIVE_UINT64, here.id(), there.id(), H5P_DEFAULT, waiting_.data()) >= 0;
  count_ = extent[0];
  waiting_.clear();
  return is_good;
}

core::Result<void> RowCheckReader::open(hid_t file, std::size_t tables, bool is_shared) {
  width_ = is_shared ? kSharedWidth : kOwnWidth;
  blocks_.resize(tables);
  dataset_ = Hdf5Handle(H5Dopen2(file, kChecksName, H5P_DEFAULT), H5Dclose);
  if (!dataset_.is_valid()) return damaged();
  return refresh();
}

core::Result<void> RowCheckReader::refresh() {
  if (H5Drefresh(dataset_.id()) < 0) return damaged();
  const Hdf5Handle there(H5Dget_space(dataset_.id()), H5Sclose);
  hsize_t extent[2] = {0, 0};
  if (H5Sget_simple_extent_ndims(there.id()) != 2 || H5Sget_simple_extent_dims(there.id(), extent, nullptr) < 0 ||
      extent[1] != width_ || extent[0] < read_)
    return damaged();
  std::vector<RowCheck> checks;
  while (read_ < extent[0]) {
    checks.resize(std::min<std::size_t>(kBlockRows, extent[0] - read_));
    const hsize_t start[2] = {read_, 0};
    const hsize_t count[2] = {checks.size(), width_};
    const Hdf5Handle here = lines_in_memory(checks.size(), width_);
    if (H5Sselect_hyperslab(there.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) < 0 ||
        H5Dread(dataset_.id(), H5T_NATIVE_UINT64, here.id(), there.id(), H5P_DEFAULT, checks.data()) < 0)
      return damaged();
    for (const RowCheck& check : checks) {
      if (check.table >= blocks_.size()) return damaged();
      std::vector<Block>& blocks = blocks_[check.table];
      const std::size_t begin = blocks.empty() ? 0 : blocks.back().end;
      if (check.end <= begin) return damaged();
      blocks.push_back({.begin = begin, .end = check.end, .checksum = check.checksum, .place = check.place});
    }
    read_ += checks.size();
  }
  return {};
}

std::string RowCheckReader::verified() const {
  std::string bytes;
  for (const std::vector<Block>& blocks : blocks_) {
    const auto next =
        std::find_if_not(blocks.begin(), blocks.end(), [](const Block& each) { return each.is_verified; });
    const auto count = static_cast<std::uint64_t>(next - blocks.begin());
    bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
  }
  return bytes;
}

void RowCheckReader::set_verified(std::string_view bytes) {
  for (std::size_t i = 0; i < blocks_.size() && (i + 1) * sizeof(std::uint64_t) <= bytes.size(); ++i) {
    std::uint64_t count = 0;
    std::memcpy(&count, bytes.data() + i * sizeof count, sizeof count);
    for (Block& block : std::span(blocks_[i]).first(std::min<std::size_t>(count, blocks_[i].size())))
      block.is_verified = true;
  }
}

}  // namespace tieline::results
