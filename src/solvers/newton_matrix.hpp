#pragma once

#include <memory>
#include <span>

#include "core/archive.hpp"
#include "solvers/error_scale.hpp"
#include "solvers/stepper.hpp"

namespace tieline::solvers {

/// s I - J for the Newton iterations of an implicit method: with one real and, where wanted, one complex shift s.
///
/// `evaluate` J, then `factorise` for shifts and `solve`, again and again. Dense, or sparse where the system gives its
/// Jacobian so. For one stepper, which owns it.
class NewtonMatrix {
 public:
  virtual ~NewtonMatrix() = default;
  /// `f` is rhs(t, side, y). False if f cannot be evaluated.
  virtual bool evaluate(double t, wave::Side side, std::span<const double> y, std::span<const double> f,
                        const ErrorScale& scale) = 0;
  /// False if singular.
  virtual bool factorise(double shift) = 0;
  virtual bool factorise(double shift_re, double shift_im) = 0;
  /// Overwrite right sides with solutions.
  virtual void solve(std::span<double> b) = 0;
  virtual void solve(std::span<double> b_re, std::span<double> b_im) = 0;

  /// J, from which factors follow bit by bit.
  virtual void save(core::ArchiveWriter& archive) const = 0;
  virtual void restore(core::ArchiveReader& archive) = 0;
};

[[nodiscard]] std::unique_ptr<NewtonMatrix> make_newton_matrix(OdeSystem& system, core::Statistics& statistics);

}  // namespace tieline::solvers
