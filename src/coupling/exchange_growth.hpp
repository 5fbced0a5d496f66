#pragma once

#include "core/sampling.hpp"

namespace tieline::coupling {

/// Two sides that exchange motion and force at equal steps: a mass that is given the force of a spring and damper,
/// which are given the motion of the mass. Held over each step.
struct ExchangeLoop {
  double inertia = 0.0;    ///< effort per rate of flow of the side that takes the force [kg]
  double stiffness = 0.0;  ///< effort per position of the side that takes the motion [N/m]
  double damping = 0.0;    ///< effort per flow [N s/m]
};

/// By what factor a disturbance grows in one step of h [s] at most, if the force over the step n to n + 1 is
/// extrapolated from those that were computed from the motions at n - lateness and before. 0: both sides are evaluated
/// at the same time. 1: one of them is one step late. 2: both are, as when all step with what the others had at the
/// start (Jacobi). The largest eigenvalue of
///   x+ = x + h v + integral of (t+ - t) F(t)/m,  v+ = v + integral of F(t)/m,
/// where F(t) goes on from f = -(k x + c v) of `lateness` steps ago: held, along the line through the last two, or
/// along the cubic through the last two and their rates.
[[nodiscard]] double growth_of_exchange(const ExchangeLoop& loop, double h, int lateness,
                                        core::Extrapolation extrapolation = core::Extrapolation::hold);

}  // namespace tieline::coupling
