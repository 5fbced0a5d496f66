#include "solvers/known_part.hpp"

#include <algorithm>

namespace tieline::solvers {

KnownPart::KnownPart(OdeSystem& system)
    : system_(system),
      states_(system.known_states()),
      values_(states_.size(), 0.0),
      rates_(states_.size(), 0.0),
      y_(states_.empty() ? 0 : static_cast<std::size_t>(system.size()), 0.0) {}

void KnownPart::move(double t, wave::Side side, std::span<double> states, double sign) {
  if (is_empty()) return;
  system_.known_part(t0_, t, side, values_, rates_);
  for (std::size_t k = 0; k < states_.size(); ++k) states[static_cast<std::size_t>(states_[k])] += sign * values_[k];
}

std::span<const double> KnownPart::with_known(double t, wave::Side side, std::span<const double> z) {
  if (is_empty()) return z;
  std::copy(z.begin(), z.end(), y_.begin());
  move(t, side, y_, 1.0);
  return y_;
}

void KnownPart::rate_change(double t, std::span<double> change) {
  system_.known_part(t0_, t, wave::Side::left, values_, rates_);
  for (std::size_t k = 0; k < states_.size(); ++k) change[static_cast<std::size_t>(states_[k])] = rates_[k];
  system_.known_part(t, t, wave::Side::left, values_, rates_);
  for (std::size_t k = 0; k < states_.size(); ++k) change[static_cast<std::size_t>(states_[k])] -= rates_[k];
}

bool KnownPart::rhs(double t, wave::Side side, std::span<const double> z, std::span<double> zdot) {
  if (!system_.rhs(t, side, with_known(t, side, z), zdot)) return false;
  for (std::size_t k = 0; k < states_.size(); ++k) zdot[static_cast<std::size_t>(states_[k])] -= rates_[k];
  return true;
}

Projection KnownPart::project(double t, std::span<double> z) {
  move(t, wave::Side::left, z, 1.0);
  const Projection result = system_.project(t, z);
  move(t, wave::Side::left, z, -1.0);
  return result;
}

}  // namespace tieline::solvers
