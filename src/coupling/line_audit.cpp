#include "coupling/line_audit.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::coupling {
namespace {

// Times of one tick that differ by more than this share are two: windows were cut between it and the next tick.
constexpr double kSameTime = 1e-13;

bool is_before(const wave::EndAccount& a, const wave::EndAccount& b) { return is_earlier(a.tick, a.t, b.tick, b.t); }

}  // namespace

bool is_earlier(std::int64_t tick, double t, std::int64_t other_tick, double other_t) {
  if (tick != other_tick) return tick < other_tick;
  return t < other_t - kSameTime * std::abs(other_t);
}

LineAudit::LineAudit(const wave::LineLaw& law)
    : half_admittance_(0.5 / law.impedance),
      filter_share_(law.damping / (1.0 - law.damping)),
      compliance_(law.delay / ((1.0 - law.damping) * law.impedance)) {}

void LineAudit::start(const wave::LineReceiver& at_from, const wave::LineReceiver& at_to, double from_ratio) {
  from_.clear();
  to_.clear();
  initial_to_from_ = at_from.initial_integral() / from_ratio;
  initial_to_to_ = at_to.initial_integral();
  initial_energy_ = at_from.initial_energy() + at_to.initial_energy();
  initial_elongation_ = 0.0;
  largest_residual_ = largest_drift_ = largest_displacement_ = 0.0;
  largest_energy_ = initial_energy_;
  defects_ = {};
  // With all integrals at zero, what `balance` calls the implied elongation is the elongation at the start.
  wave::EndAccount from, to;
  from.recent_integral = at_from.recent_integral() / from_ratio;
  to.recent_integral = at_to.recent_integral();
  balance(from, to);
  initial_elongation_ = last_.drift;
  last_ = {};
}

void LineAudit::balance(const wave::EndAccount& from, const wave::EndAccount& to) {
  last_.t = to.t;
  last_.energy =
      initial_energy_ + (from.emitted_energy - to.arrived_energy) + (to.emitted_energy - from.arrived_energy);
  last_.dissipated = (from.arrived_energy - from.passed_energy) + (to.arrived_energy - to.passed_energy);
  last_.energy_residual = -(from.work + to.work) - (last_.energy - initial_energy_) - last_.dissipated;

  const double towards_to = initial_to_to_ + from.emitted_integral - to.arrived_integral;
  const double towards_from = initial_to_from_ + to.emitted_integral - from.arrived_integral;
  const double filtered = filter_share_ * (from.recent_integral - to.recent_integral);
  const double implied = half_admittance_ * (towards_to - towards_from - filtered);
  last_.drift = implied - initial_elongation_ - (from.displacement - to.displacement);
  last_.momentum = 0.5 * (towards_to + towards_from);
}

bool LineAudit::next() {
  while (!from_.empty() && !to_.empty()) {
    if (is_before(from_.front(), to_.front())) {
      from_.pop_front();
      continue;
    }
    if (is_before(to_.front(), from_.front())) {
      to_.pop_front();
      continue;
    }
    const wave::EndAccount &from = from_.front(), &to = to_.front();
    balance(from, to);
    largest_residual_ = std::max(largest_residual_, std::abs(last_.energy_residual));
    largest_energy_ = std::max({largest_energy_, last_.energy, std::abs(from.work), std::abs(to.work)});
    largest_drift_ = std::max(largest_drift_, std::abs(last_.drift));
    defects_.note(from, to, last_.momentum);
    // A preloaded line at rest is stretched, though its ends do not move.
    const double stretch = 0.5 * std::abs(from.force - to.force) * compliance_;
    largest_displacement_ =
        std::max({largest_displacement_, std::abs(from.displacement), std::abs(to.displacement), stretch});
    from_.pop_front();
    to_.pop_front();
    return true;
  }
  return false;
}

}  // namespace tieline::coupling
