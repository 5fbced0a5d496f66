#pragma once

#include <memory>
#include <span>

#include "solvers/sparse_jacobian.hpp"

namespace tieline::solvers {

/// LU factors of s I - J for a sparse Jacobian, by KLU [Davis2010].
///
/// The order of elimination is found once for a pattern. Pivots are chosen again in every factorisation, so that the
/// factors follow from the numbers alone and not from those before them: what is restored continues bit by bit.
class SparseLu {
 public:
  enum class Field { real, complex };
  explicit SparseLu(Field field);
  ~SparseLu();

  /// False if singular.
  bool factorise(const SparseJacobian& jacobian, double shift_re, double shift_im = 0.0);
  /// Overwrites b with the solution of (s I - J) x = b.
  void solve(const SparseJacobian& jacobian, std::span<double> b);
  void solve(const SparseJacobian& jacobian, std::span<double> b_re, std::span<double> b_im);

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace tieline::solvers
