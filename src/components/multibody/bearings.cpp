// Ball bearings within a system: what they do to its bodies, and their part of the Jacobian.

#include <Eigen/Geometry>
#include <algorithm>

#include "components/multibody/body_coordinates.hpp"
#include "components/multibody/multibody.hpp"

namespace tieline::components {

using Eigen::Vector3d;
using Ring = BallBearing::Ring;

namespace {

constexpr std::array<Ring, 2> kRings{BallBearing::kOuter, BallBearing::kInner};

/// A rotation of frame axes that is small, from before to after.
Vector3d turn_between(const Eigen::Matrix3d& before, const Eigen::Matrix3d& after) {
  const Eigen::Matrix3d turn = after * before.transpose();
  return 0.5 * Vector3d(turn(2, 1) - turn(1, 2), turn(0, 2) - turn(2, 0), turn(1, 0) - turn(0, 1));
}

}  // namespace

void Multibody::add_bearings(std::size_t& next) {
  bearings_.reserve(spec_.ball_bearings.size());
  for (const BallBearingSpec& spec : spec_.ball_bearings) {
    BearingPart& part = bearings_.emplace_back(BearingPart{BallBearing(spec, spec_.gravity), next});
    part.columns = part.bearing.columns().size();
    next += part.bearing.state_count();
  }
}

bool Multibody::is_velocity_state(std::size_t state) const {
  if (state < formulation_->state_count()) return formulation_->is_velocity(state);
  for (const BearingPart& part : bearings_) {
    if (state >= part.first && state < part.first + part.bearing.state_count()) {
      return part.bearing.is_velocity(state - part.first);
    }
  }
  return false;
}

void Multibody::start_bearings(std::span<double> y) const {
  for (const BearingPart& part : bearings_) {
    const auto own = y.subspan(part.first, part.bearing.state_count());
    part.bearing.initial_state(kinematics_.frame(part.bearing.frame(BallBearing::kOuter)),
                               kinematics_.frame(part.bearing.frame(BallBearing::kInner)), own);
    if (!rest_) continue;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!part.bearing.is_velocity(i)) own[i] = (*rest_)[part.first + i];
    }
  }
}

void Multibody::evaluate_bearings(std::span<const double> y) const {
  for (BearingPart& part : bearings_) {
    part.bearing.evaluate(kinematics_.frame(part.bearing.frame(BallBearing::kOuter)),
                          kinematics_.frame(part.bearing.frame(BallBearing::kInner)), bearing_states(part, y));
  }
}

void Multibody::apply_bearings() const {
  for (const BearingPart& part : bearings_) {
    for (const Ring ring : kRings)
      act(part.bearing.frame(ring), part.bearing.load(ring).force, part.bearing.load(ring).torque);
  }
}

void Multibody::scale_bearings(double length, double velocity, std::span<double> scales) const {
  const std::array<double, 4> of_kind{length, 1.0, velocity, velocity / length};
  for (const BearingPart& part : bearings_) {
    for (std::size_t i = 0; i < part.bearing.state_count(); ++i) {
      scales[part.first + i] = of_kind[static_cast<std::size_t>(part.bearing.kind_of(i))];
    }
  }
}

void Multibody::find_bearing_neighbours() {
  for (std::size_t i = 0; i < bearings_.size(); ++i) {
    BearingPart& part = bearings_[i];
    for (const Ring ring : kRings) {
      const int body = kinematics_.body_of(part.bearing.frame(ring));
      if (body == kWorld) continue;
      auto& list = neighbours_[static_cast<std::size_t>(body)].bearings;
      if (list.empty() || list.back() != static_cast<int>(i)) list.push_back(static_cast<int>(i));
      part.around.bodies.push_back(body);
    }
  }
}

void Multibody::differentiate_bearings(std::span<const double> y) {
  for (BearingPart& part : bearings_) {
    for (const Ring ring : kRings) part.frames[ring] = kinematics_.frame(part.bearing.frame(ring));
    part.bearing.differentiate(part.frames[BallBearing::kOuter], part.frames[BallBearing::kInner],
                               bearing_states(part, y));
  }
}

void Multibody::probe_bearing(BearingPart& part, std::size_t body, Probe& probe) {
  const auto rates = std::span(probe.rates).subspan(part.first, part.bearing.state_count());
  std::fill(rates.begin(), rates.end(), 0.0);
  for (const Ring ring : kRings) {
    const int frame = part.bearing.frame(ring);
    if (kinematics_.body_of(frame) != static_cast<int>(body)) continue;
    const FrameMotion &before = part.frames[ring], &now = kinematics_.frame(frame);
    BallBearing::FrameChange change;
    change << now.x - before.x, turn_between(before.A, now.A), now.v - before.v, now.omega - before.omega;
    const BallBearing::Vector6 more = part.bearing.load_by(ring, change);
    act(frame, part.bearing.load(ring).force + more.head<3>(), part.bearing.load(ring).torque + more.tail<3>());
    part.bearing.add_rates_by(ring, change, rates);
  }
}

void Multibody::add_bearing_columns(BearingPart& part) {
  const auto state = [&](std::size_t own) { return static_cast<int>(part.first + own); };
  part.bearing.for_entries(
      [&](std::size_t row, std::size_t column, double value) { jacobian_.add_a(state(row), state(column), value); });
  for (std::size_t k = 0; k < part.bearing.state_count(); ++k) {
    if (!part.bearing.acts_on_rings(k)) continue;
    const auto change = part.bearing.loads_by(k);
    for (const Ring ring : kRings) {
      const int body = kinematics_.body_of(part.bearing.frame(ring));
      if (body == kWorld || change[ring].isZero(0.0)) continue;
      const auto b = static_cast<std::size_t>(body);
      efforts_[b].set_zero();
      act(part.bearing.frame(ring), change[ring].head<3>(), change[ring].tail<3>());
      inertias_[b].accelerate(efforts_[b], efforts_[b]);
      bodies_->for_rates(b, efforts_[b], [&](int row, double value) { jacobian_.add_a(row, state(k), value); });
    }
  }
}

}  // namespace tieline::components
