#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tieline::solvers {

/// df/dy of a right-hand side that keeps conditions by multipliers, as it stands before these are eliminated:
///
///   dydot = A dy + B dmu,   0 = D dy + E dydot.
///
/// A, B, D and E are sparse where their elimination is not. Without multipliers there is A alone. An implicit method
/// solves (s I - J) x = b; with dydot = s x - b that is
///
///   [ s I - A   -B ] [ x ]   [  b  ]
///   [ D + s E    0 ] [ u ] = [ E b ],
///
/// so that each entry is kept as two numbers: `constant` + s `by_shift`. By columns; the pattern stays, the numbers
/// change. A condition that depends on others is switched off: its row says u = 0.
class SparseJacobian {
 public:
  /// Adds entries to the pattern; (row, column) with rows and columns beyond `states` for conditions and multipliers.
  void set_pattern(int states, int conditions, std::vector<std::pair<int, int>> entries);

  [[nodiscard]] int states() const { return states_; }
  [[nodiscard]] int conditions() const { return conditions_; }
  [[nodiscard]] int size() const { return states_ + conditions_; }
  /// Changes with the pattern.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::span<const int> column_begin() const { return column_begin_; }
  [[nodiscard]] std::span<const int> rows() const { return rows_; }
  [[nodiscard]] std::span<const double> constant() const { return constant_; }
  [[nodiscard]] std::span<const double> by_shift() const { return by_shift_; }
  /// Both kinds of numbers, for saving and restoring.
  [[nodiscard]] std::span<double> constant() { return constant_; }
  [[nodiscard]] std::span<double> by_shift() { return by_shift_; }

  /// All numbers to zero, but for s I.
  void clear();
  void add_a(int row, int column, double value) { constant_[slot(row, column)] -= value; }
  void add_b(int row, int condition, double value) { constant_[slot(row, states_ + condition)] -= value; }
  void add_d(int condition, int column, double value) { constant_[slot(states_ + condition, column)] += value; }
  void add_e(int condition, int column, double value) { by_shift_[slot(states_ + condition, column)] += value; }
  void switch_off(int condition);

  /// E b, behind b.
  void extend(std::span<const double> b, std::span<double> extended) const;
  /// A bound of the rates of change [1/s] that A can bring about: the root of the largest row sum of |A|^2.
  [[nodiscard]] double rate_bound() const;
  /// df/dy itself, dense by columns.
  void eliminate(std::span<double> columns) const;

 private:
  [[nodiscard]] std::size_t slot(int row, int column) const;

  int states_ = 0, conditions_ = 0;
  std::uint64_t version_ = 0;
  std::vector<int> column_begin_, rows_;
  std::vector<double> constant_, by_shift_;
};

}  // namespace tieline::solvers
