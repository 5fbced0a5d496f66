#include "solvers/known_part.hpp"

#include <algorithm>

namespace tieline::solvers {

KnownPart::KnownPart(OdeSystem& system)
    : system_(system),
      states_(system.known_states()),
      values_(states_.size(), 0.0),
      rates_(states_.size(), 0.0),
      last_rates_(states_.size(), 0.0),
      y_(states_.empty() ? 0 : static_cast<std::size_t>(system.size()), 0.0) {}

void KnownPart::start() { is_active_ = was_active_ = false; }

bool KnownPart::begin(double t, double t_end, std::span<double> change) {
  t0_ = t;
  is_active_ = !states_.empty() && system_.has_known_part(t, t_end);
  if (!is_active_ && !was_active_) return false;
  if (is_active_) system_.known_part(t, t, wave::Side::left, values_, rates_);
  for (std::size_t k = 0; k < states_.size(); ++k) {
    change[static_cast<std::size_t>(states_[k])] =
        (was_active_ ? last_rates_[k] : 0.0) - (is_active_ ? rates_[k] : 0.0);
  }
  was_active_ = false;
  return true;
}

void KnownPart::end(double t, std::span<double> z) {
  move(t, wave::Side::left, z, 1.0);
  was_active_ = is_active_;
  // Now, since what lies before t may be forgotten by the next step.
  if (is_active_) last_rates_ = rates_;
}

void KnownPart::move(double t, wave::Side side, std::span<double> states, double sign) {
  if (!is_active_) return;
  system_.known_part(t0_, t, side, values_, rates_);
  for (std::size_t k = 0; k < states_.size(); ++k) states[static_cast<std::size_t>(states_[k])] += sign * values_[k];
}

std::span<const double> KnownPart::with_known(double t, wave::Side side, std::span<const double> z) {
  if (!is_active_) return z;
  std::copy(z.begin(), z.end(), y_.begin());
  move(t, side, y_, 1.0);
  return y_;
}

bool KnownPart::rhs(double t, wave::Side side, std::span<const double> z, std::span<double> zdot) {
  if (!system_.rhs(t, side, with_known(t, side, z), zdot)) return false;
  if (!is_active_) return true;
  for (std::size_t k = 0; k < states_.size(); ++k) zdot[static_cast<std::size_t>(states_[k])] -= rates_[k];
  return true;
}

Projection KnownPart::project(double t, std::span<double> z) {
  move(t, wave::Side::left, z, 1.0);
  const Projection result = system_.project(t, z);
  move(t, wave::Side::left, z, -1.0);
  return result;
}

void KnownPart::save(core::ArchiveWriter& archive) const {
  archive.put(t0_), archive.put(is_active_), archive.put(was_active_);
  archive.put_span(std::span<const double>(last_rates_));
}

void KnownPart::restore(core::ArchiveReader& archive) {
  archive.get(t0_), archive.get(is_active_), archive.get(was_active_);
  archive.get_span(std::span<double>(last_rates_));
}

}  // namespace tieline::solvers
