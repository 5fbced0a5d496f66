#include "solvers/known_part.hpp"

#include <algorithm>

namespace tieline::solvers {

KnownPart::KnownPart(OdeSystem& system)
    : system_(system),
      nodes_(system.known_motions()),
      motions_(nodes_.size()),
      y_(nodes_.empty() ? 0 : static_cast<std::size_t>(system.size()), 0.0) {}

void KnownPart::look(double t, wave::Side side) {
  if (t == at_ && side == side_) return;
  system_.known_part(t0_, t, side, motions_);
  at_ = t;
  side_ = side;
}

void KnownPart::move(double t, wave::Side side, std::span<double> states, double sign) {
  if (is_empty()) return;
  look(t, side);
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    states[static_cast<std::size_t>(nodes_[k].position)] += sign * motions_[k].integral;
    states[static_cast<std::size_t>(nodes_[k].flow)] += sign * motions_[k].value;
  }
}

std::span<const double> KnownPart::with_known(double t, wave::Side side, std::span<const double> z) {
  if (is_empty()) return z;
  std::copy(z.begin(), z.end(), y_.begin());
  move(t, side, y_, 1.0);
  return y_;
}

void KnownPart::rate_change(double t, std::span<double> change) {
  // Counted from t, c has the same acceleration there, and no velocity.
  look(t, wave::Side::left);
  for (std::size_t k = 0; k < nodes_.size(); ++k) change[static_cast<std::size_t>(nodes_[k].position)] = motions_[k].value;
}

bool KnownPart::rhs(double t, wave::Side side, std::span<const double> z, std::span<double> zdot) {
  if (!system_.rhs(t, side, with_known(t, side, z), zdot)) return false;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    zdot[static_cast<std::size_t>(nodes_[k].position)] -= motions_[k].value;
    zdot[static_cast<std::size_t>(nodes_[k].flow)] -= motions_[k].rate;
  }
  return true;
}

Projection KnownPart::project(double t, std::span<double> z) {
  move(t, wave::Side::left, z, 1.0);
  const Projection result = system_.project(t, z);
  move(t, wave::Side::left, z, -1.0);
  return result;
}

}  // namespace tieline::solvers
