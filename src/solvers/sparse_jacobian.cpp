#include "solvers/sparse_jacobian.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace tieline::solvers {

void SparseJacobian::set_pattern(int states, int conditions, std::vector<std::pair<int, int>> entries) {
  states_ = states;
  conditions_ = conditions;
  for (int i = 0; i < size(); ++i) entries.emplace_back(i, i);
  const auto by_column = [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first) < std::pair(b.second, b.first);
  };
  std::sort(entries.begin(), entries.end(), by_column);
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  column_begin_.assign(static_cast<std::size_t>(size()) + 1, 0);
  rows_.clear();
  for (const auto& [row, column] : entries) {
    rows_.push_back(row);
    ++column_begin_[static_cast<std::size_t>(column) + 1];
  }
  for (std::size_t c = 0; c < static_cast<std::size_t>(size()); ++c) column_begin_[c + 1] += column_begin_[c];
  constant_.assign(rows_.size(), 0.0);
  by_shift_.assign(rows_.size(), 0.0);
  ++version_;
}

std::size_t SparseJacobian::slot(int row, int column) const {
  const auto first = rows_.begin() + column_begin_[static_cast<std::size_t>(column)];
  const auto last = rows_.begin() + column_begin_[static_cast<std::size_t>(column) + 1];
  const auto found = std::lower_bound(first, last, row);
  assert(found != last && *found == row);
  return static_cast<std::size_t>(found - rows_.begin());
}

void SparseJacobian::clear() {
  std::fill(constant_.begin(), constant_.end(), 0.0);
  std::fill(by_shift_.begin(), by_shift_.end(), 0.0);
  for (int i = 0; i < states_; ++i) by_shift_[slot(i, i)] = 1.0;
}

void SparseJacobian::switch_off(int condition) {
  const int row = states_ + condition;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (rows_[k] == row) constant_[k] = by_shift_[k] = 0.0;
  }
  constant_[slot(row, row)] = 1.0;
}

void SparseJacobian::extend(std::span<const double> b, std::span<double> extended) const {
  std::copy(b.begin(), b.end(), extended.begin());
  std::fill(extended.begin() + states_, extended.end(), 0.0);
  for (std::size_t c = 0; conditions_ > 0 && c < static_cast<std::size_t>(states_); ++c) {
    // Rows ascend: those of conditions stand at the end of the column.
    for (int k = column_begin_[c + 1] - 1; k >= column_begin_[c]; --k) {
      const auto slot = static_cast<std::size_t>(k);
      if (rows_[slot] < states_) break;
      extended[static_cast<std::size_t>(rows_[slot])] += by_shift_[slot] * b[c];
    }
  }
}

double SparseJacobian::rate_bound() const {
  std::vector<double> sums(static_cast<std::size_t>(states_), 1.0), next(sums.size());
  for (int power = 0; power < 2; ++power) {
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t c = 0; c < sums.size(); ++c) {
      for (auto k = static_cast<std::size_t>(column_begin_[c]); k < static_cast<std::size_t>(column_begin_[c + 1]);
           ++k) {
        if (rows_[k] < states_) next[static_cast<std::size_t>(rows_[k])] += std::abs(constant_[k]) * sums[c];
      }
    }
    sums.swap(next);
  }
  return sums.empty() ? 0.0 : std::sqrt(*std::max_element(sums.begin(), sums.end()));
}

void SparseJacobian::eliminate(std::span<double> columns) const {
  using Eigen::MatrixXd;
  if (conditions_ == 0) {
    // Nothing is to be eliminated, nor allocated.
    std::fill(columns.begin(), columns.end(), 0.0);
    for (int c = 0; c < states_; ++c) {
      double* column = columns.data() + static_cast<std::size_t>(c) * static_cast<std::size_t>(states_);
      for (int k = column_begin_[static_cast<std::size_t>(c)]; k < column_begin_[static_cast<std::size_t>(c) + 1];
           ++k) {
        column[rows_[static_cast<std::size_t>(k)]] = -constant_[static_cast<std::size_t>(k)];
      }
    }
    return;
  }
  MatrixXd constant = MatrixXd::Zero(size(), size()), by_shift = constant;
  for (int c = 0; c < size(); ++c) {
    for (int k = column_begin_[static_cast<std::size_t>(c)]; k < column_begin_[static_cast<std::size_t>(c) + 1]; ++k) {
      constant(rows_[static_cast<std::size_t>(k)], c) = constant_[static_cast<std::size_t>(k)];
      by_shift(rows_[static_cast<std::size_t>(k)], c) = by_shift_[static_cast<std::size_t>(k)];
    }
  }
  const int n = states_, m = conditions_;
  MatrixXd J = -constant.topLeftCorner(n, n);
  const MatrixXd B = -constant.topRightCorner(n, m), D = constant.bottomLeftCorner(m, n);
  const MatrixXd E = by_shift.bottomLeftCorner(m, n);
  // A condition that is switched off has 1 on its diagonal and nothing else.
  const MatrixXd among = E * B + MatrixXd(constant.bottomRightCorner(m, m));
  J -= B * among.partialPivLu().solve(E * J + D);
  Eigen::Map<MatrixXd>(columns.data(), n, n) = J;
}

}  // namespace tieline::solvers
