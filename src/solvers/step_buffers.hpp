#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/archive.hpp"

namespace tieline::solvers {

/// The states of a one-step method (begin of the last accepted step, present, end of the trial) and its stages, in one
/// piece of memory; roles change by exchanging pointers.
class StepBuffers {
 public:
  StepBuffers(int size, int stage_count)
      : size_(static_cast<std::size_t>(size)), memory_((stage_count + 3) * static_cast<std::size_t>(size), 0.0) {
    for (int row = 0; row < stage_count + 3; ++row) rows_.push_back(memory_.data() + row * size_);
  }
  // Rows point into the memory.
  StepBuffers(const StepBuffers&) = delete;
  StepBuffers& operator=(const StepBuffers&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] double* begin() const { return rows_[0]; }
  [[nodiscard]] double* present() const { return rows_[1]; }
  [[nodiscard]] double* trial() const { return rows_[2]; }
  [[nodiscard]] double* stage(int i) const { return rows_[3 + i]; }
  [[nodiscard]] std::span<double> span(double* row) const { return {row, size_}; }

  void set_present(std::span<const double> y) { std::copy(y.begin(), y.end(), rows_[1]); }
  /// The trial becomes the present state, and the present one that at the start.
  void accept() {
    std::swap(rows_[0], rows_[1]);
    std::swap(rows_[1], rows_[2]);
  }
  void swap_stages(int i, int j) { std::swap(rows_[3 + i], rows_[3 + j]); }

  void save(core::ArchiveWriter& archive) const {
    for (const double* row : rows_) archive.put_span(std::span<const double>(row, size_));
  }
  void restore(core::ArchiveReader& archive) {
    for (double* row : rows_) archive.get_span(std::span<double>(row, size_));
  }

 private:
  std::size_t size_;
  std::vector<double> memory_;
  std::vector<double*> rows_;
};

}  // namespace tieline::solvers
