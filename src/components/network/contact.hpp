#pragma once

#include <algorithm>
#include <cmath>

namespace tieline::components {

/// What a one-sided contact does; frozen within a solver's step.
enum class ContactMode : unsigned char {
  open,      ///< no overlap, no force
  pressing,  ///< overlap and a force that presses
  released,  ///< overlap, but the surfaces part faster than the material follows: damping would pull, so no force
};

/// One side of a contact between two nodes at the distance e: overlap p = sign (e - limit).
///
/// Pressing, the normal force is N = N_e(p) + D(p) p', with N_e = k p and D = c for stops, and N_e = k p^n and
/// D = c N_e for Hertz contacts ([Hunt1975]). The elastic energy U(p) counts while there is overlap, also
/// when released; what does not come back as work is dissipated: (N - N_e) p'.
struct Contact {
  int element = -1;
  double sign = 1.0;
  double limit = 0.0;
  double stiffness = 0.0;
  double damping = 0.0;
  double exponent = 1.0;
  bool is_hertz = false;
  ContactMode mode = ContactMode::open;

  [[nodiscard]] double overlap(double distance) const { return sign * (distance - limit); }

  /// N_e. A trial step may pass the end of a contact: stops continue straight, a Hertz contact gives nothing there.
  [[nodiscard]] double elastic_force(double p) const {
    if (!is_hertz) return stiffness * p;
    if (p <= 0.0) return 0.0;
    return stiffness * (exponent == 1.5 ? p * std::sqrt(p) : std::pow(p, exponent));
  }
  /// dN_e/dp.
  [[nodiscard]] double elastic_slope(double p) const {
    if (!is_hertz) return stiffness;
    if (p <= 0.0) return 0.0;
    return stiffness * exponent * (exponent == 1.5 ? std::sqrt(p) : std::pow(p, exponent - 1.0));
  }
  /// D, for an elastic force.
  [[nodiscard]] double damping_at(double elastic) const { return is_hertz ? damping * elastic : damping; }
  /// dN/dp.
  [[nodiscard]] double slope(double p, double rate) const {
    return elastic_slope(p) * (is_hertz ? 1.0 + damping * rate : 1.0);
  }
  /// U.
  [[nodiscard]] double energy(double p) const {
    if (p <= 0.0) return 0.0;
    return is_hertz ? elastic_force(p) * p / (exponent + 1.0) : 0.5 * stiffness * p * p;
  }
  /// Negative where damping would make the contact pull.
  [[nodiscard]] double pressing_margin(double p, double rate) const {
    return is_hertz ? 1.0 + damping * rate : stiffness * p + damping * rate;
  }

  [[nodiscard]] double overlap_guard(double p) const { return mode == ContactMode::open ? -p : p; }
  [[nodiscard]] double force_guard(double p, double rate) const {
    if (mode == ContactMode::open) return 1.0;
    return mode == ContactMode::pressing ? pressing_margin(p, rate) : -pressing_margin(p, rate);
  }
  /// The mode after one of the guards has fired.
  void change(bool by_overlap, double p, double rate) {
    if (mode == ContactMode::open) {
      mode = damping == 0.0 || pressing_margin(p, rate) >= 0.0 ? ContactMode::pressing : ContactMode::released;
    } else if (by_overlap || p <= 0.0) {
      mode = ContactMode::open;
    } else {
      mode = mode == ContactMode::pressing ? ContactMode::released : ContactMode::pressing;
    }
  }
};

}  // namespace tieline::components
