// [Davis2010] T.A. Davis, E. Palamadai Natarajan, Algorithm 907: KLU, a direct sparse solver for circuit simulation
// problems.
#include "solvers/sparse_lu.hpp"

#include <algorithm>
#include <cstdint>
#include <klu.h>
#include <vector>

namespace tieline::solvers {

struct SparseLu::Factors {
  explicit Factors(Field of) : field(of) { klu_defaults(&common); }
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;
  ~Factors() {
    free_numeric();
    if (symbolic != nullptr) klu_free_symbolic(&symbolic, &common);
  }

  bool analyse(const SparseJacobian& jacobian) {
    free_numeric();
    if (symbolic != nullptr) klu_free_symbolic(&symbolic, &common);
    column_begin.assign(jacobian.column_begin().begin(), jacobian.column_begin().end());
    rows.assign(jacobian.rows().begin(), jacobian.rows().end());
    const std::size_t parts = field == Field::complex ? 2 : 1;
    values.resize(parts * rows.size());
    right_side.resize(parts * static_cast<std::size_t>(jacobian.size()));
    part.resize(static_cast<std::size_t>(jacobian.size()));
    symbolic = klu_analyze(jacobian.size(), column_begin.data(), rows.data(), &common);
    version = jacobian.version();
    return symbolic != nullptr;
  }
  void free_numeric() {
    if (numeric == nullptr) return;
    field == Field::real ? klu_free_numeric(&numeric, &common) : klu_z_free_numeric(&numeric, &common);
  }

  Field field;
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
  std::uint64_t version = 0;  ///< of the pattern analysed
  std::vector<int> column_begin, rows;
  std::vector<double> values, right_side, part;
};

SparseLu::SparseLu(Field field) : factors_(std::make_unique<Factors>(field)) {}
SparseLu::~SparseLu() = default;

bool SparseLu::factorise(const SparseJacobian& jacobian, double shift_re, double shift_im) {
  Factors& f = *factors_;
  if (f.version != jacobian.version() && !f.analyse(jacobian)) return false;
  f.free_numeric();
  const auto constant = jacobian.constant(), by_shift = jacobian.by_shift();
  if (f.field == Field::real) {
    for (std::size_t k = 0; k < constant.size(); ++k) f.values[k] = constant[k] + shift_re * by_shift[k];
    f.numeric = klu_factor(f.column_begin.data(), f.rows.data(), f.values.data(), f.symbolic, &f.common);
  } else {
    for (std::size_t k = 0; k < constant.size(); ++k) {
      f.values[2 * k] = constant[k] + shift_re * by_shift[k];
      f.values[2 * k + 1] = shift_im * by_shift[k];
    }
    f.numeric = klu_z_factor(f.column_begin.data(), f.rows.data(), f.values.data(), f.symbolic, &f.common);
  }
  return f.numeric != nullptr && f.common.status == KLU_OK;
}

void SparseLu::solve(const SparseJacobian& jacobian, std::span<double> b) {
  Factors& f = *factors_;
  jacobian.extend(b, f.right_side);
  klu_solve(f.symbolic, f.numeric, jacobian.size(), 1, f.right_side.data(), &f.common);
  std::copy_n(f.right_side.begin(), b.size(), b.begin());
}

void SparseLu::solve(const SparseJacobian& jacobian, std::span<double> b_re, std::span<double> b_im) {
  Factors& f = *factors_;
  for (const std::size_t part : {0, 1}) {
    jacobian.extend(part == 0 ? b_re : b_im, f.part);
    for (std::size_t i = 0; i < f.part.size(); ++i) f.right_side[2 * i + part] = f.part[i];
  }
  klu_z_solve(f.symbolic, f.numeric, jacobian.size(), 1, f.right_side.data(), &f.common);
  for (std::size_t i = 0; i < b_re.size(); ++i) {
    b_re[i] = f.right_side[2 * i];
    b_im[i] = f.right_side[2 * i + 1];
  }
}

}  // namespace tieline::solvers
