#include "coupling/sampled.hpp"

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
  }
  receiver.law = takes_motion ? core::PortLaw{0.0, 1.0} : core::PortLaw{1.0, 0.0};
}

void deliver(core::Port& receiver, const core::Port& sender, const wave::Sample& sample,
             const core::Relation& relation) {
  wave::Knot knot{sample.t, 0.0, 0.0, 0.0};
  if (sender.domain == core::Domain::signal) {
    knot.value = relation.value(sample.flow);
    knot.rate = relation.rate(sample.flow_rate);
  } else if (receiver.causality == core::Causality::takes_motion) {
    knot.integral = sample.position;
    knot.value = sample.flow;
    knot.rate = sample.flow_rate;
  } else {
    knot.value = -sample.effort;
    knot.rate = -sample.effort_rate;
  }
  if (std::isnan(knot.rate)) knot.rate = 0.0;
  receiver.incoming.push(knot);
}

}  // namespace tieline::coupling
