#pragma once

#include <complex>
#include <optional>
#include <vector>

namespace tieline::core {

/// What a component is like near its start, for advice on its couplings.
struct LinearFacts {
  /// Of the equations as they are solved, with the laws of the ports [1/s]; empty if they are not known.
  std::vector<std::complex<double>> eigenvalues{};
  /// Effort per rate of flow at each port: the mass [kg] or inertia there. 0: it moves at once; infinity: nothing moves
  /// it; NaN: not known, or a signal.
  std::vector<double> port_inertia{};
  /// The mass that a line there joins, in the same units: as `port_inertia`, but at an interface in space that of the
  /// heaviest direction in which it can move (of a free body its mass, wherever it is joined), and of a body with a
  /// fine mesh that of its lowest modes, which does not depend on the mesh. Empty: as `port_inertia`.
  std::vector<double> joined_inertia{};
  /// The same of the lightest direction: across a lever to the centre of its body a point is lighter than the body.
  /// Empty: as `joined_inertia`.
  std::vector<double> lightest_inertia{};
  /// Effort per displacement of each port beyond what the component moves as a whole [N/m], [N m/rad]: the stiffness
  /// between the port and the rest, at rest; at an interface in space that of the softest direction. Infinity: rigid;
  /// NaN, or empty: not known.
  std::vector<double> elastic_stiffness{};
};

/// Eigenvalues of a dense matrix take n^3: beyond so many states advice does without them, and runs much earlier.
inline constexpr int kMostStatesForAdvice = 600;
inline constexpr int kMostStatesForRuns = 80;

/// A component that has its equations at hand and can report this. Call it after its start and before its first step.
class Linearisable {
 public:
  virtual ~Linearisable() = default;
  /// Eigenvalues are left out where there are more states than `most_states`.
  [[nodiscard]] virtual std::optional<LinearFacts> linear_facts(int most_states = kMostStatesForAdvice) = 0;
};

}  // namespace tieline::core
