// [Davis2010] T.A. Davis, E. Palamadai Natarajan, Algorithm 907: KLU, a direct sparse solver for circuit simulation
// problems.
#include "solvers/sparse_lu.hpp"

#include <algorithm>

namespace tieline::solvers {

SparseLu::SparseLu(Field field)
    : field_(field),
      common_(std::make_unique<klu_common>()),
      symbolic_(nullptr, SymbolicDeleter{common_.get()}),
      numeric_(nullptr, NumericDeleter{common_.get(), field}) {
  klu_defaults(common_.get());
}

bool SparseLu::analyse(const SparseJacobian& jacobian) {
  numeric_.reset();
  column_begin_.assign(jacobian.column_begin().begin(), jacobian.column_begin().end());
  rows_.assign(jacobian.rows().begin(), jacobian.rows().end());
  const std::size_t parts = field_ == Field::complex ? 2 : 1;
  values_.resize(parts * rows_.size());
  right_side_.resize(parts * static_cast<std::size_t>(jacobian.size()));
  part_.resize(static_cast<std::size_t>(jacobian.size()));
  symbolic_.reset(klu_analyze(jacobian.size(), column_begin_.data(), rows_.data(), common_.get()));
  version_ = jacobian.version();
  return symbolic_ != nullptr;
}

bool SparseLu::factorise(const SparseJacobian& jacobian, double shift_re, double shift_im) {
  if (version_ != jacobian.version() && !analyse(jacobian)) return false;
  const auto constant = jacobian.constant(), by_shift = jacobian.by_shift();
  if (field_ == Field::real) {
    for (std::size_t k = 0; k < constant.size(); ++k) values_[k] = constant[k] + shift_re * by_shift[k];
    numeric_.reset(klu_factor(column_begin_.data(), rows_.data(), values_.data(), symbolic_.get(), common_.get()));
  } else {
    for (std::size_t k = 0; k < constant.size(); ++k) {
      values_[2 * k] = constant[k] + shift_re * by_shift[k];
      values_[2 * k + 1] = shift_im * by_shift[k];
    }
    numeric_.reset(klu_z_factor(column_begin_.data(), rows_.data(), values_.data(), symbolic_.get(), common_.get()));
  }
  return numeric_ != nullptr && common_->status == KLU_OK;
}

void SparseLu::solve(const SparseJacobian& jacobian, std::span<double> b) {
  jacobian.extend(b, right_side_);
  klu_solve(symbolic_.get(), numeric_.get(), jacobian.size(), 1, right_side_.data(), common_.get());
  std::copy_n(right_side_.begin(), b.size(), b.begin());
}

void SparseLu::solve(const SparseJacobian& jacobian, std::span<double> b_re, std::span<double> b_im) {
  for (const std::size_t part : {0, 1}) {
    jacobian.extend(part == 0 ? b_re : b_im, part_);
    for (std::size_t i = 0; i < part_.size(); ++i) right_side_[2 * i + part] = part_[i];
  }
  klu_z_solve(symbolic_.get(), numeric_.get(), jacobian.size(), 1, right_side_.data(), common_.get());
  for (std::size_t i = 0; i < b_re.size(); ++i) {
    b_re[i] = right_side_[2 * i];
    b_im[i] = right_side_[2 * i + 1];
  }
}

}  // namespace tieline::solvers
