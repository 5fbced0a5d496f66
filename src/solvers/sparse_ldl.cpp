#include "solvers/sparse_ldl.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cassert>
#include <limits>

namespace tieline::solvers {
namespace {

// A pivot smaller than this share of its diagonal entry is rounding.
constexpr double kPivotShare = 1e-12;

}  // namespace

void SparseLdl::analyse(int size, std::span<const std::pair<int, int>> entries) {
  size_ = size;
  const auto n = static_cast<std::size_t>(size);
  std::vector<Eigen::Triplet<double>> triplets;
  for (const auto& [i, j] : entries) {
    triplets.emplace_back(i, j, 1.0);
    triplets.emplace_back(j, i, 1.0);
  }
  for (int i = 0; i < size; ++i) triplets.emplace_back(i, i, 1.0);
  Eigen::SparseMatrix<double> pattern(size, size);
  pattern.setFromTriplets(triplets.begin(), triplets.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order(size);
  if (size > 0) Eigen::AMDOrdering<int>()(pattern, order);
  row_.resize(n), place_.resize(n);
  for (int k = 0; k < size; ++k) row_[static_cast<std::size_t>(k)] = order.indices()[k];
  for (int k = 0; k < size; ++k) place_[static_cast<std::size_t>(row_[static_cast<std::size_t>(k)])] = k;

  std::vector<std::vector<int>> columns(n);
  for (int j = 0; j < size; ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(pattern, j); it; ++it) {
      const int a = place_[static_cast<std::size_t>(it.row())], b = place_[static_cast<std::size_t>(j)];
      if (a <= b) columns[static_cast<std::size_t>(b)].push_back(a);
    }
  }
  column_begin_.assign(n + 1, 0);
  row_index_.clear();
  for (std::size_t k = 0; k < n; ++k) {
    std::sort(columns[k].begin(), columns[k].end());
    row_index_.insert(row_index_.end(), columns[k].begin(), columns[k].end());
    column_begin_[k + 1] = static_cast<int>(row_index_.size());
  }
  values_.assign(row_index_.size(), 0.0);

  // The tree of elimination, and how many entries each column of L gets.
  parent_.assign(n, -1);
  flag_.assign(n, -1);
  std::vector<int> counts(n, 0);
  for (int k = 0; k < size; ++k) {
    flag_[static_cast<std::size_t>(k)] = k;
    for (int p = column_begin_[static_cast<std::size_t>(k)]; p < column_begin_[static_cast<std::size_t>(k) + 1]; ++p) {
      for (auto i = static_cast<std::size_t>(row_index_[static_cast<std::size_t>(p)]); flag_[i] != k;
           i = static_cast<std::size_t>(parent_[i])) {
        if (parent_[i] == -1) parent_[i] = k;
        ++counts[i];
        flag_[i] = k;
      }
    }
  }
  l_begin_.assign(n + 1, 0);
  for (std::size_t k = 0; k < n; ++k) l_begin_[k + 1] = l_begin_[k] + counts[k];
  l_row_.assign(static_cast<std::size_t>(l_begin_[n]), 0);
  l_value_.assign(static_cast<std::size_t>(l_begin_[n]), 0.0);
  l_count_.assign(n, 0);
  diagonal_.assign(n, 0.0);
  work_.assign(n, 0.0);
  stack_.assign(n, 0);
  path_.assign(n, 0);
}

void SparseLdl::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

int SparseLdl::slot(int row, int column) const {
  const int a = std::min(place_[static_cast<std::size_t>(row)], place_[static_cast<std::size_t>(column)]);
  const auto b = static_cast<std::size_t>(
      std::max(place_[static_cast<std::size_t>(row)], place_[static_cast<std::size_t>(column)]));
  const auto begin = row_index_.begin() + column_begin_[b], end = row_index_.begin() + column_begin_[b + 1];
  const auto found = std::lower_bound(begin, end, a);
  return found != end && *found == a ? static_cast<int>(found - row_index_.begin()) : -1;
}

void SparseLdl::factorise(std::span<const double> floors) {
  const auto n = static_cast<std::size_t>(size_);
  dependent_rows_ = 0;
  std::fill(flag_.begin(), flag_.end(), -1);
  for (std::size_t k = 0; k < n; ++k) {
    // The rows of L that column k of the matrix reaches, in an order in which each follows those it depends on.
    std::size_t top = n;
    flag_[k] = static_cast<int>(k);
    double pivot = 0.0, entry = 0.0;
    for (int p = column_begin_[k]; p < column_begin_[k + 1]; ++p) {
      auto i = static_cast<std::size_t>(row_index_[static_cast<std::size_t>(p)]);
      const double value = values_[static_cast<std::size_t>(p)];
      if (i == k) {
        pivot = entry = value;
        continue;
      }
      work_[i] += value;
      std::size_t length = 0;
      for (; flag_[i] != static_cast<int>(k); i = static_cast<std::size_t>(parent_[i])) {
        path_[length++] = static_cast<int>(i);
        flag_[i] = static_cast<int>(k);
      }
      while (length > 0) stack_[--top] = path_[--length];
    }
    for (; top < n; ++top) {
      const auto i = static_cast<std::size_t>(stack_[top]);
      const double y = work_[i];
      work_[i] = 0.0;
      const int end = l_begin_[i] + l_count_[i];
      for (int p = l_begin_[i]; p < end; ++p) {
        work_[static_cast<std::size_t>(l_row_[static_cast<std::size_t>(p)])] -=
            l_value_[static_cast<std::size_t>(p)] * y;
      }
      const double factor = y / diagonal_[i];
      pivot -= factor * y;
      l_row_[static_cast<std::size_t>(end)] = static_cast<int>(k);
      l_value_[static_cast<std::size_t>(end)] = factor;
      ++l_count_[i];
    }
    const double floor = floors.empty() ? 0.0 : floors[static_cast<std::size_t>(row_[k])];
    const bool is_dependent = !(pivot > std::max(kPivotShare * entry, floor));
    if (is_dependent) ++dependent_rows_;
    diagonal_[k] = is_dependent ? std::numeric_limits<double>::infinity() : pivot;
  }
  std::fill(l_count_.begin(), l_count_.end(), 0);
}

void SparseLdl::solve(std::span<double> x) {
  const auto n = static_cast<std::size_t>(size_);
  assert(x.size() == n);
  for (std::size_t k = 0; k < n; ++k) work_[k] = x[static_cast<std::size_t>(row_[k])];
  for (std::size_t k = 0; k < n; ++k) {
    for (int p = l_begin_[k]; p < l_begin_[k + 1]; ++p) {
      work_[static_cast<std::size_t>(l_row_[static_cast<std::size_t>(p)])] -=
          l_value_[static_cast<std::size_t>(p)] * work_[k];
    }
  }
  for (std::size_t k = 0; k < n; ++k) work_[k] /= diagonal_[k];
  for (std::size_t k = n; k-- > 0;) {
    for (int p = l_begin_[k]; p < l_begin_[k + 1]; ++p) {
      work_[k] -=
          l_value_[static_cast<std::size_t>(p)] * work_[static_cast<std::size_t>(l_row_[static_cast<std::size_t>(p)])];
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    x[static_cast<std::size_t>(row_[k])] = work_[k];
    work_[k] = 0.0;
  }
}

bool SparseLdl::is_dependent(int row) const {
  return diagonal_[static_cast<std::size_t>(place_[static_cast<std::size_t>(row)])] ==
         std::numeric_limits<double>::infinity();
}

}  // namespace tieline::solvers
