#pragma once

#include <complex>
#include <optional>
#include <vector>

namespace tieline::core {

/// What a component is like near its start, for advice on its couplings.
struct LinearFacts {
  /// Of the equations as they are solved, with the laws of the ports [1/s]; empty where they are not known.
  std::vector<std::complex<double>> eigenvalues{};
  /// Effort per rate of flow at each port: the mass [kg] or inertia there. 0: it moves at once; infinity: nothing moves
  /// it; NaN: not known, or a signal.
  std::vector<double> port_inertia{};
};

/// A component that has its equations at hand and can tell this. Ask after its start and before its first step.
class Linearisable {
 public:
  virtual ~Linearisable() = default;
  [[nodiscard]] virtual std::optional<LinearFacts> linear_facts() = 0;
};

}  // namespace tieline::core
