#include "coupling/line_audit.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::coupling {

void LineAudit::start(const wave::LineReceiver& at_from, const wave::LineReceiver& at_to) {
  from_.clear();
  to_.clear();
  initial_to_from_ = at_from.initial_integral();
  initial_to_to_ = at_to.initial_integral();
  initial_energy_ = at_from.initial_energy() + at_to.initial_energy();
  initial_elongation_ = 0.0;
  last_ = {};
  largest_residual_ = largest_drift_ = largest_displacement_ = 0.0;
  largest_energy_ = initial_energy_;
  // With all integrals at zero, what `balance` calls the implied elongation is the elongation at the start.
  wave::EndAccount from, to;
  from.recent_integral = at_from.recent_integral();
  to.recent_integral = at_to.recent_integral();
  initial_elongation_ = balance(from, to).drift;
}

LineBalance LineAudit::balance(const wave::EndAccount& from, const wave::EndAccount& to) const {
  const double Z = law_.impedance, alpha = law_.damping;
  LineBalance result;
  result.t = to.t;
  result.energy =
      initial_energy_ + (from.emitted_energy - to.arrived_energy) + (to.emitted_energy - from.arrived_energy);
  result.dissipated = (from.arrived_energy - from.passed_energy) + (to.arrived_energy - to.passed_energy);
  result.energy_residual = -(from.work + to.work) - (result.energy - initial_energy_) - result.dissipated;

  const double towards_to = initial_to_to_ + from.emitted_integral - to.arrived_integral;
  const double towards_from = initial_to_from_ + to.emitted_integral - from.arrived_integral;
  const double filtered = alpha / (1.0 - alpha) * (from.recent_integral - to.recent_integral);
  const double implied = (towards_to - towards_from - filtered) / (2.0 * Z);
  result.drift = implied - initial_elongation_ - (from.displacement - to.displacement);
  result.momentum = 0.5 * (towards_to + towards_from);
  return result;
}

bool LineAudit::next(LineBalance& result) {
  while (!from_.empty() && !to_.empty()) {
    if (from_.front().tick < to_.front().tick) {
      from_.pop_front();
      continue;
    }
    if (to_.front().tick < from_.front().tick) {
      to_.pop_front();
      continue;
    }
    const wave::EndAccount from = from_.front(), to = to_.front();
    from_.pop_front();
    to_.pop_front();
    result = last_ = balance(from, to);
    largest_residual_ = std::max(largest_residual_, std::abs(result.energy_residual));
    largest_energy_ = std::max({largest_energy_, result.energy, std::abs(from.work), std::abs(to.work)});
    largest_drift_ = std::max(largest_drift_, std::abs(result.drift));
    // A preloaded line at rest is stretched, though its ends do not move.
    const double stretch = std::abs(from.force - to.force) * law_.delay / (2.0 * (1.0 - law_.damping) * law_.impedance);
    largest_displacement_ =
        std::max({largest_displacement_, std::abs(from.displacement), std::abs(to.displacement), stretch});
    return true;
  }
  return false;
}

}  // namespace tieline::coupling
