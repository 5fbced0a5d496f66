#include "solvers/dense_lu.hpp"

#include <cmath>
#include <utility>

namespace tieline::solvers {
namespace {

/// 1 / (re + i im) by scaling with the larger part (no overflow of the square).
std::pair<double, double> reciprocal(double re, double im) {
  if (std::abs(re) >= std::abs(im)) {
    const double q = im / re;
    const double d = 1.0 / (re + im * q);
    return {d, -q * d};
  }
  const double q = re / im;
  const double d = 1.0 / (im + re * q);
  return {q * d, -d};
}

}  // namespace

DenseLu::DenseLu(int size)
    : n_(size), lu_(static_cast<std::size_t>(size) * size, 0.0), pivot_(static_cast<std::size_t>(size), 0) {}

bool DenseLu::factorise(std::span<const double> jacobian, double shift) {
  const int n = n_;
  for (std::size_t k = 0; k < lu_.size(); ++k) lu_[k] = -jacobian[k];
  for (int i = 0; i < n; ++i) lu_[i * (n + 1)] += shift;
  for (int k = 0; k < n; ++k) {
    double* column = &lu_[static_cast<std::size_t>(k) * n];
    int p = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(column[i]) > std::abs(column[p])) p = i;
    }
    pivot_[k] = p;
    if (!(std::abs(column[p]) > 0.0) || !std::isfinite(column[p])) return false;
    std::swap(column[p], column[k]);
    const double inverse = 1.0 / column[k];
    for (int i = k + 1; i < n; ++i) column[i] *= inverse;
    for (int j = k + 1; j < n; ++j) {
      double* other = &lu_[static_cast<std::size_t>(j) * n];
      std::swap(other[p], other[k]);
      const double factor = other[k];
      if (factor == 0.0) continue;  // models of chains are mostly empty
      for (int i = k + 1; i < n; ++i) other[i] -= factor * column[i];
    }
  }
  return true;
}

void DenseLu::solve(std::span<double> b) const {
  const int n = n_;
  for (int k = 0; k < n; ++k) {
    std::swap(b[k], b[pivot_[k]]);
    const double* column = &lu_[static_cast<std::size_t>(k) * n];
    const double factor = b[k];
    for (int i = k + 1; i < n; ++i) b[i] -= factor * column[i];
  }
  for (int k = n - 1; k >= 0; --k) {
    const double* column = &lu_[static_cast<std::size_t>(k) * n];
    const double factor = b[k] /= column[k];
    for (int i = 0; i < k; ++i) b[i] -= factor * column[i];
  }
}

DenseComplexLu::DenseComplexLu(int size)
    : n_(size),
      re_(static_cast<std::size_t>(size) * size, 0.0),
      im_(static_cast<std::size_t>(size) * size, 0.0),
      pivot_(static_cast<std::size_t>(size), 0) {}

bool DenseComplexLu::factorise(std::span<const double> jacobian, double shift_re, double shift_im) {
  const int n = n_;
  for (std::size_t k = 0; k < re_.size(); ++k) {
    re_[k] = -jacobian[k];
    im_[k] = 0.0;
  }
  for (int i = 0; i < n; ++i) {
    re_[i * (n + 1)] += shift_re;
    im_[i * (n + 1)] += shift_im;
  }
  for (int k = 0; k < n; ++k) {
    double* re = &re_[static_cast<std::size_t>(k) * n];
    double* im = &im_[static_cast<std::size_t>(k) * n];
    int p = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(re[i]) + std::abs(im[i]) > std::abs(re[p]) + std::abs(im[p])) p = i;
    }
    pivot_[k] = p;
    const double size = std::abs(re[p]) + std::abs(im[p]);
    if (!(size > 0.0) || !std::isfinite(size)) return false;
    std::swap(re[p], re[k]);
    std::swap(im[p], im[k]);
    const auto [inverse_re, inverse_im] = reciprocal(re[k], im[k]);
    for (int i = k + 1; i < n; ++i) {
      const double a = re[i];
      re[i] = a * inverse_re - im[i] * inverse_im;
      im[i] = a * inverse_im + im[i] * inverse_re;
    }
    for (int j = k + 1; j < n; ++j) {
      double* other_re = &re_[static_cast<std::size_t>(j) * n];
      double* other_im = &im_[static_cast<std::size_t>(j) * n];
      std::swap(other_re[p], other_re[k]);
      std::swap(other_im[p], other_im[k]);
      const double f_re = other_re[k];
      const double f_im = other_im[k];
      if (f_re == 0.0 && f_im == 0.0) continue;
      for (int i = k + 1; i < n; ++i) {
        other_re[i] -= f_re * re[i] - f_im * im[i];
        other_im[i] -= f_re * im[i] + f_im * re[i];
      }
    }
  }
  return true;
}

void DenseComplexLu::solve(std::span<double> b_re, std::span<double> b_im) const {
  const int n = n_;
  const auto eliminate = [&](int k, int first, int last) {
    const double* re = &re_[static_cast<std::size_t>(k) * n];
    const double* im = &im_[static_cast<std::size_t>(k) * n];
    const double f_re = b_re[k];
    const double f_im = b_im[k];
    for (int i = first; i < last; ++i) {
      b_re[i] -= f_re * re[i] - f_im * im[i];
      b_im[i] -= f_re * im[i] + f_im * re[i];
    }
  };
  for (int k = 0; k < n; ++k) {
    std::swap(b_re[k], b_re[pivot_[k]]);
    std::swap(b_im[k], b_im[pivot_[k]]);
    eliminate(k, k + 1, n);
  }
  for (int k = n - 1; k >= 0; --k) {
    const std::size_t diagonal = static_cast<std::size_t>(k) * n + k;
    const auto [inverse_re, inverse_im] = reciprocal(re_[diagonal], im_[diagonal]);
    const double a = b_re[k];
    b_re[k] = a * inverse_re - b_im[k] * inverse_im;
    b_im[k] = a * inverse_im + b_im[k] * inverse_re;
    eliminate(k, 0, k);
  }
}

}  // namespace tieline::solvers
