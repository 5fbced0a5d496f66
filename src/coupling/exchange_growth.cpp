#include "coupling/exchange_growth.hpp"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <array>

namespace tieline::coupling {
namespace {

using Row = Eigen::RowVectorXd;

/// Coefficients of a polynomial in the steps since the last sample, from that sample's value and rate and those of the
/// one before.
std::array<Row, 4> extended(core::Extrapolation extrapolation, const Row& f0, const Row& g0, const Row& f1,
                            const Row& g1) {
  const Row none = Row::Zero(f0.size()), change = f0 - f1;
  switch (extrapolation) {
    case core::Extrapolation::hold:
      return {f0, none, none, none};
    case core::Extrapolation::linear:
      return {f0, change, none, none};
    case core::Extrapolation::hermite:
    case core::Extrapolation::quintic:
      break;
  }
  return {f0, g0, 2.0 * g0 + g1 - 3.0 * change, g0 + g1 - 2.0 * change};
}

}  // namespace

double growth_of_exchange(const ExchangeLoop& loop, double h, int lateness, core::Extrapolation extrapolation) {
  const double stiff = loop.stiffness * h * h / loop.inertia, damped = loop.damping * h / loop.inertia;
  // States: x / h, v and h a now; then h f/m and its change in a step at earlier times.
  const int n = 3 + 2 * (lateness + 1);
  const auto state = [&](int i) -> Row { return Row::Unit(n, i); };
  const Row f = -stiff * state(0) - damped * state(1), g = -stiff * state(1) - damped * state(2);
  const auto value = [&](int steps_ago) { return steps_ago == 0 ? f : state(1 + 2 * steps_ago); };
  const auto rate = [&](int steps_ago) { return steps_ago == 0 ? g : state(2 + 2 * steps_ago); };
  const auto force = extended(extrapolation, value(lateness), rate(lateness), value(lateness + 1), rate(lateness + 1));
  const auto at = [&](double share) -> Row {
    const double s = share + lateness;
    return force[0] + s * (force[1] + s * (force[2] + s * force[3]));
  };
  // Gauss: exact for what is integrated.
  constexpr std::array<std::pair<double, double>, 3> kPoints{
      {{0.11270166537925831, 5.0 / 18.0}, {0.5, 8.0 / 18.0}, {0.88729833462074169, 5.0 / 18.0}}};
  Eigen::MatrixXd next = Eigen::MatrixXd::Zero(n, n);
  next(0, 0) = next(0, 1) = next(1, 1) = 1.0;
  for (const auto& [share, weight] : kPoints) {
    next.row(0) += weight * (1.0 - share) * at(share);
    next.row(1) += weight * at(share);
  }
  next.row(2) = at(1.0);
  next.row(3) = f, next.row(4) = g;
  for (int i = 5; i < n; ++i) next(i, i - 2) = 1.0;
  return next.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace tieline::coupling
