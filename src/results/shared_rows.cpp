#include "results/shared_rows.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tieline::results {
namespace {

/// What is gathered before it is written [doubles].
constexpr std::size_t kGathered = (std::size_t{1} << 20) / sizeof(double);

}  // namespace

std::string shared_rows_name(std::size_t width) { return fmt::format("#rows{}", width); }

bool SharedRowsWriter::create(hid_t file, std::size_t chunk_bytes) {
  const hsize_t initial[2] = {0, width_};
  const hsize_t most[2] = {H5S_UNLIMITED, width_};
  const hsize_t chunk[2] = {std::max<hsize_t>(1, chunk_bytes / (width_ * sizeof(double))), width_};
  const Hdf5Handle space(H5Screate_simple(2, initial, most), H5Sclose);
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation.id(), 2, chunk);
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  dataset_ = Hdf5Handle(H5Dcreate2(file, shared_rows_name(width_).c_str(), H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT,
                                   creation.id(), H5P_DEFAULT),
                        H5Dclose);
  return dataset_.is_valid();
}

hsize_t SharedRowsWriter::add(std::span<const double> rows) {
  const hsize_t place = written_ + waiting_.size() / width_;
  waiting_.insert(waiting_.end(), rows.begin(), rows.end());
  return place;
}

bool SharedRowsWriter::is_full() const { return waiting_.size() >= kGathered; }

bool SharedRowsWriter::write() {
  if (waiting_.empty()) return true;
  const hsize_t start[2] = {written_, 0};
  const hsize_t count[2] = {waiting_.size() / width_, width_};
  const hsize_t extent[2] = {start[0] + count[0], width_};
  if (H5Dset_extent(dataset_.id(), extent) < 0) return false;
  const Hdf5Handle there(H5Dget_space(dataset_.id()), H5Sclose);
  const Hdf5Handle here(H5Screate_simple(2, count, nullptr), H5Sclose);
  const bool is_good =
      H5Sselect_hyperslab(there.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) >= 0 &&
      H5Dwrite(dataset_.id(), H5T_NATIVE_DOUBLE, here.id(), there.id(), H5P_DEFAULT, waiting_.data()) >= 0;
  written_ = extent[0];
  waiting_.clear();
  return is_good;
}

}  // namespace tieline::results
