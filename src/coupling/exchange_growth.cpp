#include "coupling/exchange_growth.hpp"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

namespace tieline::coupling {

double growth_of_exchange(const ExchangeLoop& loop, double h, int lateness) {
  // States: x / h and v now, and those of earlier steps.
  const int n = 2 * (lateness + 1);
  const double stiff = loop.stiffness * h * h / loop.inertia, damped = loop.damping * h / loop.inertia;
  Eigen::MatrixXd next = Eigen::MatrixXd::Zero(n, n);
  next(0, 0) = next(0, 1) = next(1, 1) = 1.0;
  const int late = 2 * lateness;
  next(0, late) -= 0.5 * stiff, next(0, late + 1) -= 0.5 * damped;
  next(1, late) -= stiff, next(1, late + 1) -= damped;
  for (int i = 2; i < n; ++i) next(i, i - 2) = 1.0;
  return next.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace tieline::coupling
