#pragma once

#include <cstdint>
#include <klu.h>
#include <memory>
#include <span>
#include <vector>

#include "solvers/sparse_jacobian.hpp"

namespace tieline::solvers {

/// LU factors of s I - J for a sparse Jacobian, by KLU [Davis2010].
///
/// The order of elimination is found once for a pattern. Pivots are chosen anew in every factorisation, so that the
/// factors follow from the numbers alone and not from those before them: what is restored goes on bit by bit.
class SparseLu {
 public:
  enum class Field { real, complex };
  explicit SparseLu(Field field);

  /// False if singular.
  bool factorise(const SparseJacobian& jacobian, double shift_re, double shift_im = 0.0);
  /// Overwrites b with the solution of (s I - J) x = b.
  void solve(const SparseJacobian& jacobian, std::span<double> b);
  void solve(const SparseJacobian& jacobian, std::span<double> b_re, std::span<double> b_im);

 private:
  struct SymbolicDeleter {
    klu_common* common;
    void operator()(klu_symbolic* symbolic) const { klu_free_symbolic(&symbolic, common); }
  };
  struct NumericDeleter {
    klu_common* common;
    Field field;
    void operator()(klu_numeric* numeric) const {
      if (field == Field::real) klu_free_numeric(&numeric, common);
      if (field == Field::complex) klu_z_free_numeric(&numeric, common);
    }
  };
  bool analyse(const SparseJacobian& jacobian);

  Field field_;
  std::unique_ptr<klu_common> common_;
  std::unique_ptr<klu_symbolic, SymbolicDeleter> symbolic_;
  std::unique_ptr<klu_numeric, NumericDeleter> numeric_;
  std::uint64_t version_ = 0;  ///< of the pattern analysed
  std::vector<int> column_begin_, rows_;
  std::vector<double> values_, right_side_, part_;
};

}  // namespace tieline::solvers
