#pragma once

#include <string>
#include <vector>

namespace tieline::core {

/// A vibration that a component performs by itself, without damping and with its interfaces free.
struct NaturalMode {
  double frequency = 0.0;   ///< [Hz]; 0: it moves as a rigid body
  std::string place{};      ///< where it moves most
  std::string direction{};  ///< in which direction it does: x, y, z, or rx, ry, rz where it only turns
};

/// A component that can report how it vibrates. Call it at any time.
class Vibrating {
 public:
  virtual ~Vibrating() = default;
  /// The lowest ones, ascending; fewer where there are not so many.
  [[nodiscard]] virtual std::vector<NaturalMode> natural_modes(int count) = 0;
};

}  // namespace tieline::core
