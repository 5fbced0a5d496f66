#pragma once

#include <cmath>
#include <limits>

namespace tieline::core {

/// Energy out of nothing, as a multiple of all energy that was there or came in, from which on a run has failed.
inline constexpr double kExplosion = 1e3;
/// Energies below this are rounding at rest, whatever there is to compare with [J].
inline constexpr double kRestEnergy = 1e-15;

/// Whether a run has exploded that has made so much energy out of nothing, where so much was there or came in [J].
[[nodiscard]] inline bool is_explosion(double created, double entered) {
  return !(created <= kExplosion * entered) && !(created <= kRestEnergy);
}

/// Follows the energy that something makes out of nothing, and remembers since when it has been more than there was.
/// Trivially copyable.
class EnergyWatch {
 public:
  /// Whether this much is worth a look: energies are asked for when it has doubled, and not at every window.
  [[nodiscard]] bool is_news(double created) const { return !(created <= 2.0 * created_); }
  /// Energies made out of nothing, and there at the start or come in since, at time t [J]. True: the run has exploded.
  [[nodiscard]] bool note(double created, double entered, double t) {
    created_ = created;
    if (created <= entered) {
      since_ = std::numeric_limits<double>::quiet_NaN();
    } else if (std::isnan(since_)) {
      since_ = t;
    }
    return is_explosion(created, entered);
  }
  /// When it began; `otherwise` where it did not [s].
  [[nodiscard]] double since(double otherwise) const { return std::isnan(since_) ? otherwise : since_; }

 private:
  double since_ = std::numeric_limits<double>::quiet_NaN();
  double created_ = 0.0;
};

}  // namespace tieline::core
