#pragma once

namespace tieline::coupling {

/// Two sides that exchange motion and force at equal steps: a mass that is given the force of a spring and damper,
/// which are given the motion of the mass. Held over each step.
struct ExchangeLoop {
  double inertia = 0.0;    ///< effort per rate of flow of the side that takes the force [kg]
  double stiffness = 0.0;  ///< effort per position of the side that takes the motion [N/m]
  double damping = 0.0;    ///< effort per flow [N s/m]
};

/// By what factor a disturbance grows in one step of h [s] at most, if the force that is held over the step n to n + 1
/// was computed from the motion at n - lateness. 0: both sides are evaluated at the same time. 1: one of them is one
/// step late. 2: both are, as when all step with what the others had at the start (Jacobi). The largest eigenvalue of
///   x+ = x + h v + h^2/2 f/m,  v+ = v + h f/m,  f = -(k x + c v) of `lateness` steps ago.
[[nodiscard]] double growth_of_exchange(const ExchangeLoop& loop, double h, int lateness);

}  // namespace tieline::coupling
