#include "coupling/sampled.hpp"

#include <array>

namespace tieline::coupling {
bool can_sample(core::Causality a, core::Causality b) {
  using core::Causality;
  if (a == Causality::output) return b == Causality::input;
  if (a == Causality::input || b == Causality::input || b == Causality::output) return false;
  return a == Causality::takes_motion || b == Causality::takes_motion;
}

void prepare_receiver(core::Port& receiver, core::Extrapolation extrapolation) {
  wave::Track& track = receiver.incoming;
  track.clear();
  track.allow_extrapolation(true);
  const bool takes_motion = receiver.causality == core::Causality::takes_motion;
  track.keep_integrals(takes_motion);
  switch (extrapolation) {
    case core::Extrapolation::hold:
      track.set_interpolation(wave::Interpolation::hold);
      break;
    case core::Extrapolation::linear:
      track.set_interpolation(wave::Interpolation::linear);
      break;
    case core::Extrapolation::hermite:
      track.set_interpolation(takes_motion ? wave::Interpolation::motion : wave::Interpolation::cubic);
      break;
    case core::Extrapolation::quintic:
      track.set_interpolation(takes_motion ? wave::Interpolation::quintic : wave::Interpolation::cubic);
      break;
  }
  receiver.law = takes_motion ? core::PortLaw{0.0, 1.0} : core::PortLaw{1.0, 0.0};
}

wave::Knot knot_of(const core::Port& receiver, const core::Port& sender, const wave::Sample& sample,
                   const core::Relation& relation) {
  wave::Knot knot{sample.t, 0.0, 0.0, 0.0};
  if (sender.domain == core::Domain::signal) {
    knot.value = relation.value(sample.flow);
    knot.rate = relation.rate(sample.flow_rate);
  } else if (receiver.causality == core::Causality::takes_motion) {
    knot.integral = relation.value(sample.position);
    knot.value = relation.rate(sample.flow);
    knot.rate = relation.rate(sample.flow_rate);
  } else {
    knot.value = -sample.effort / relation.factor;
    knot.rate = -sample.effort_rate / relation.factor;
  }
  if (std::isnan(knot.rate)) knot.rate = 0.0;
  return knot;
}

void deliver(core::Port& receiver, const core::Port& sender, const wave::Sample& sample,
             const core::Relation& relation) {
  receiver.incoming.push(knot_of(receiver, sender, sample, relation));
}

void prepare_receiver(core::SpatialInterface& receiver, core::Extrapolation extrapolation) {
  receiver.couple_in_world_axes();
  for (std::size_t i = 0; i < core::SpatialInterface::kAxes; ++i) prepare_receiver(receiver.axis(i), extrapolation);
  if (!receiver.takes_motion()) return;
  for (std::size_t i = 0; i < 3; ++i) {
    // Angular velocities have no integral; orientations have.
    wave::Track& about = receiver.axis(3 + i).incoming;
    about.keep_integrals(false);
    if (wave::has_integrals(about.interpolation())) about.set_interpolation(wave::Interpolation::cubic);
  }
  for (std::size_t i = 0; i + core::SpatialInterface::kAxes < core::SpatialInterface::kPorts; ++i) {
    wave::Track& part = receiver.turn(i).incoming;
    part.clear();
    part.allow_extrapolation(true);
    part.keep_integrals(true);
    part.set_interpolation(receiver.axis(0).incoming.interpolation());
  }
}

void deliver(core::SpatialInterface& receiver, core::SpatialInterface& sender, std::size_t number) {
  for (std::size_t i = 0; i < core::SpatialInterface::kAxes; ++i) {
    const wave::Track& track = receiver.axis(i).incoming;
    wave::Sample sample = sender.axis(i).outbox[number];
    // Of a rate that is not known, the last two values say as much as there is to be known.
    if (std::isnan(sample.effort_rate) && !track.empty() && track.back().t < sample.t) {
      sample.effort_rate = (sample.effort + track.back().value) / (sample.t - track.back().t);
    }
    deliver(receiver.axis(i), sender.axis(i), sample);
  }
  if (!receiver.takes_motion()) return;
  for (std::size_t i = 0; i + core::SpatialInterface::kAxes < core::SpatialInterface::kPorts; ++i) {
    const wave::Sample& sample = sender.turn(i).outbox[number];
    receiver.turn(i).incoming.push({sample.t, sample.position, sample.flow, 0.0});
  }
}

void push_motion(core::SpatialInterface& receiver, double t, const core::SpaceState& state) {
  const core::SpatialMotion& motion = state.motion;
  const Eigen::Quaterniond& q = state.pose.orientation;
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    receiver.axis(k).incoming.push({t, state.pose.position[i], motion.velocity[i], motion.acceleration[i]});
    receiver.axis(k + 3).incoming.push({t, 0.0, motion.angular_velocity[i], motion.angular_acceleration[i]});
  }
  const std::array<double, 4> parts{q.w(), q.x(), q.y(), q.z()};
  for (std::size_t i = 0; i < parts.size(); ++i) receiver.turn(i).incoming.push({t, parts[i], 0.0, 0.0});
}

}  // namespace tieline::coupling
