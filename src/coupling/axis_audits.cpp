#include "coupling/axis_audits.hpp"

#include <algorithm>

namespace tieline::coupling {

using wave::AxisNumbers;
using wave::Four;

namespace {

/// As Carried::note.
[[gnu::always_inline]] inline void note_axes(AxisAudits::CarriedNumbers& carried, double t, const AxisNumbers& values) {
  const bool is_first = carried.notes++ == 0, is_later = !is_first && t > carried.t;
  const double length = t - carried.t, half = 0.5 * length;
  if (is_later) carried.duration += length;
  for (const std::size_t i : {AxisNumbers::kAlong, AxisNumbers::kAbout}) {
    const Four value = Four::of(values, i), before = Four::of(carried.value, i);
    Four least = Four::of(carried.least, i), largest = Four::of(carried.largest, i);
    Four turned = Four::of(carried.turned, i);
    if (is_first) {
      least = largest = turned = value;
    } else if (is_later) {
      const Four integral = Four::of(carried.integral, i) + half * (before + value);
      integral.put(carried.integral, i);
      (Four::of(carried.size, i) + half * (abs(before) + abs(value))).put(carried.size, i);
      min(Four::of(carried.least_integral, i), integral).put(carried.least_integral, i);
      max(Four::of(carried.largest_integral, i), integral).put(carried.largest_integral, i);
    }
    least = min(least, value), largest = max(largest, value);
    const Four change = abs(value - turned), ripple = Carried::kRipple * (largest - least);
    const Four::Mask has_turned = change.v > ripple.v;
    const Four variation = Four::of(carried.variation, i);
    Four::choose(has_turned, variation + change, variation).put(carried.variation, i);
    Four::choose(has_turned, value, turned).put(carried.turned, i);
    least.put(carried.least, i), largest.put(carried.largest, i), value.put(carried.value, i);
  }
  carried.t = t;
}

/// By registers as wide as those that will read it: a load must not span two stores that are still on their way.
TIELINE_IN_FOURS void copy_axes(const AxisAccounts& from, AxisAccounts& to) {
  to.tick = from.tick, to.t = from.t;
  for (const std::size_t i : {AxisNumbers::kAlong, AxisNumbers::kAbout}) {
    Four::of(from.displacement, i).put(to.displacement, i), Four::of(from.work, i).put(to.work, i);
    Four::of(from.force, i).put(to.force, i);
    Four::of(from.emitted_integral, i).put(to.emitted_integral, i);
    Four::of(from.emitted_energy, i).put(to.emitted_energy, i);
    Four::of(from.arrived_integral, i).put(to.arrived_integral, i);
    Four::of(from.arrived_energy, i).put(to.arrived_energy, i);
    Four::of(from.passed_energy, i).put(to.passed_energy, i);
    Four::of(from.recent_integral, i).put(to.recent_integral, i);
  }
}

/// As LineAudit::balance, and what it does with the result.
TIELINE_IN_FOURS void balance_axes(AxisAudits::Numbers& numbers, const AxisAccounts& from, const AxisAccounts& to) {
  const bool is_noted = numbers.notes++ > 0;
  numbers.t = to.t;
  for (const std::size_t i : {AxisNumbers::kAlong, AxisNumbers::kAbout}) {
    const auto of = [i](const AxisNumbers& of_axes) __attribute__((always_inline)) { return Four::of(of_axes, i); };
    const Four initial = of(numbers.initial_energy);
    const Four energy =
        initial + (of(from.emitted_energy) - of(to.arrived_energy)) + (of(to.emitted_energy) - of(from.arrived_energy));
    const Four dissipated =
        (of(from.arrived_energy) - of(from.passed_energy)) + (of(to.arrived_energy) - of(to.passed_energy));
    const Four work_from = of(from.work), work_to = of(to.work);
    const Four work = work_from + work_to;
    const Four residual = Four(-(work.v)) - (energy - initial) - dissipated;
    const Four towards_to = of(numbers.initial_to_to) + of(from.emitted_integral) - of(to.arrived_integral);
    const Four towards_from = of(numbers.initial_to_from) + of(to.emitted_integral) - of(from.arrived_integral);
    const Four filtered = of(numbers.filter_share) * (of(from.recent_integral) - of(to.recent_integral));
    const Four implied = of(numbers.half_admittance) * (towards_to - towards_from - filtered);
    const Four drift = implied - of(numbers.initial_elongation) - (of(from.displacement) - of(to.displacement));
    const Four momentum = 0.5 * (towards_to + towards_from);
    energy.put(numbers.energy, i), dissipated.put(numbers.dissipated, i), residual.put(numbers.residual, i),
        drift.put(numbers.drift, i);
    max(of(numbers.largest_residual), abs(residual)).put(numbers.largest_residual, i);
    max(max(max(of(numbers.largest_energy), energy), abs(work_from)), abs(work_to)).put(numbers.largest_energy, i);
    max(of(numbers.largest_drift), abs(drift)).put(numbers.largest_drift, i);
    const Four variation = of(numbers.momentum_variation);
    if (is_noted) (variation + abs(momentum - of(numbers.noted_momentum))).put(numbers.momentum_variation, i);
    momentum.put(numbers.noted_momentum, i), momentum.put(numbers.momentum, i);
    const Four stretch = 0.5 * abs(of(from.force) - of(to.force)) * of(numbers.compliance);
    max(max(max(of(numbers.largest_displacement), abs(of(from.displacement))), abs(of(to.displacement))), stretch)
        .put(numbers.largest_displacement, i);
  }
  note_axes(numbers.carried_from, from.t, from.force);
  note_axes(numbers.carried_to, to.t, to.force);
}

}  // namespace

wave::EndAccount AxisAccounts::of(std::size_t axis) const {
  return {.tick = tick,
          .t = t,
          .displacement = displacement[axis],
          .work = work[axis],
          .force = force[axis],
          .emitted_integral = emitted_integral[axis],
          .emitted_energy = emitted_energy[axis],
          .arrived_integral = arrived_integral[axis],
          .arrived_energy = arrived_energy[axis],
          .passed_energy = passed_energy[axis],
          .recent_integral = recent_integral[axis]};
}

void AxisAccounts::set(std::size_t axis, const wave::EndAccount& account) {
  tick = account.tick, t = account.t;
  displacement[axis] = account.displacement, work[axis] = account.work, force[axis] = account.force;
  emitted_integral[axis] = account.emitted_integral, emitted_energy[axis] = account.emitted_energy;
  arrived_integral[axis] = account.arrived_integral, arrived_energy[axis] = account.arrived_energy;
  passed_energy[axis] = account.passed_energy, recent_integral[axis] = account.recent_integral;
}

/// Every number of an audit's state with its place here, in one direction or the other.
struct AxisAuditState {
  template <class Audits, class Audit, class Copy>
  static void visit(Audits& all, std::size_t axis, Audit& one, Copy&& copy) {
    copy(all.initial_energy[axis], one.initial_energy_), copy(all.initial_to_to[axis], one.initial_to_to_);
    copy(all.initial_to_from[axis], one.initial_to_from_);
    copy(all.initial_elongation[axis], one.initial_elongation_);
    copy(all.t, one.last_.t), copy(all.energy[axis], one.last_.energy);
    copy(all.dissipated[axis], one.last_.dissipated), copy(all.residual[axis], one.last_.energy_residual);
    copy(all.drift[axis], one.last_.drift), copy(all.momentum[axis], one.last_.momentum);
    copy(all.largest_residual[axis], one.largest_residual_), copy(all.largest_energy[axis], one.largest_energy_);
    copy(all.largest_drift[axis], one.largest_drift_);
    copy(all.largest_displacement[axis], one.largest_displacement_);
    auto& defects = one.defects_;
    copy(all.noted_momentum[axis], defects.momentum_);
    copy(all.momentum_variation[axis], defects.momentum_variation_);
    copy(all.notes, defects.notes_);
    visit_carried(all.carried_from, axis, defects.from_, copy);
    visit_carried(all.carried_to, axis, defects.to_, copy);
  }
  template <class All, class One, class Copy>
  static void visit_carried(All& all, std::size_t axis, One& one, Copy&& copy) {
    copy(all.t, one.t_), copy(all.duration, one.duration_), copy(all.notes, one.notes_);
    copy(all.value[axis], one.value_), copy(all.variation[axis], one.variation_), copy(all.size[axis], one.size_);
    copy(all.least[axis], one.least_), copy(all.largest[axis], one.largest_), copy(all.turned[axis], one.turned_);
    copy(all.integral[axis], one.integral_), copy(all.least_integral[axis], one.least_integral_);
    copy(all.largest_integral[axis], one.largest_integral_);
  }
};

void AxisAudits::take(std::size_t axis, LineAudit& audit) {
  numbers_.half_admittance[axis] = audit.half_admittance_, numbers_.filter_share[axis] = audit.filter_share_;
  numbers_.compliance[axis] = audit.compliance_;
  AxisAuditState::visit(numbers_, axis, audit, [](auto& here, auto& there) { here = there; });
  const auto take_waiting = [&](wave::Ring<AxisAccounts>& all, const wave::Ring<wave::EndAccount>& of_one) {
    for (std::size_t i = 0; i < of_one.size(); ++i) {
      if (i == all.size()) all.append() = {};
      all[i].set(axis, of_one[i]);
    }
  };
  take_waiting(from_, audit.from_), take_waiting(to_, audit.to_);
}

void AxisAudits::put(std::size_t axis, LineAudit& audit) const {
  AxisAuditState::visit(numbers_, axis, audit, [](auto& here, auto& there) { there = here; });
  const auto put_waiting = [&](const wave::Ring<AxisAccounts>& all, wave::Ring<wave::EndAccount>& of_one) {
    of_one.clear();
    for (std::size_t i = 0; i < all.size(); ++i) of_one.append() = all[i].of(axis);
  };
  put_waiting(from_, audit.from_), put_waiting(to_, audit.to_);
}

std::array<LineBalance, AxisAudits::kAxes> AxisAudits::last() const {
  std::array<LineBalance, kAxes> balances;
  for (std::size_t i = 0; i < kAxes; ++i) {
    balances[i] = {numbers_.t,           numbers_.energy[i], numbers_.dissipated[i],
                   numbers_.residual[i], numbers_.drift[i],  numbers_.momentum[i]};
  }
  return balances;
}

void AxisAudits::add_from(const AxisAccounts& account) { copy_axes(account, from_.append()); }

bool AxisAudits::next() {
  while (!from_.empty() && !to_.empty()) {
    if (is_earlier(from_.front().tick, from_.front().t, to_.front().tick, to_.front().t)) {
      from_.pop_front();
      continue;
    }
    if (is_earlier(to_.front().tick, to_.front().t, from_.front().tick, from_.front().t)) {
      to_.pop_front();
      continue;
    }
    balance_axes(numbers_, from_.front(), to_.front());
    from_.pop_front();
    to_.pop_front();
    return true;
  }
  return false;
}

}  // namespace tieline::coupling
