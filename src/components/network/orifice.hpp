#pragma once

#include <cmath>

namespace tieline::components {

/// Turbulent flow through a restriction, q = K dp / (dp^2 + d^2)^(1/4).
///
/// Well above the transition d this is the square-root law q = K sqrt(|dp|) with the sign of dp, K = Cd A sqrt(2 /
/// rho); well below it the flow is laminar, q = K dp / sqrt(d), so the slope stays finite and the law is smooth and
/// odd.
struct Orifice {
  int link = -1;
  double coefficient = 0.0;  ///< K when fully open [m^3/s/Pa^0.5]
  double transition = 0.0;   ///< d [Pa]
  int opening = -1;          ///< function, or -1: always fully open
  bool is_balanced = false;  ///< an end's pressure follows from the balance

  [[nodiscard]] double flow(double drop, double share) const {
    return share * coefficient * drop / std::sqrt(std::sqrt(drop * drop + transition * transition));
  }
  /// d flow / d drop.
  [[nodiscard]] double slope(double drop, double share) const {
    const double sum = drop * drop + transition * transition;
    return share * coefficient * (0.5 * drop * drop + transition * transition) / (sum * std::sqrt(std::sqrt(sum)));
  }
};

}  // namespace tieline::components
