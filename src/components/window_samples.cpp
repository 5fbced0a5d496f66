// The samples that a component puts into the outboxes of its ports, at steps and between them.

#include <algorithm>
#include <array>
#include <cmath>

#include "components/ode_component.hpp"
#include "components/wave_sampler.hpp"

namespace tieline::components {
namespace {

/// Moves every number by up to a share of itself, no two alike, so that differences of them move too.
void disturb(std::span<double> numbers, double share) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  double phase = 0.0;
  for (double& number : numbers) {
    number *= 1.0 + share * (2.0 * phase - 1.0);
    phase += phase + kGoldenRatio < 1.0 ? kGoldenRatio : kGoldenRatio - 1.0;
  }
}

}  // namespace

void OdeComponent::find_space_ends() {
  const std::span<const core::Port> ports = model_->ports();
  space_ends_.clear(), single_ports_.clear(), open_ports_.clear();
  std::vector<char> is_in_space(ports.size(), 0);
  for (core::SpatialInterface* const interface : model_->spatial_interfaces()) {
    const auto first = static_cast<std::size_t>(&interface->axis(0) - ports.data());
    space_ends_.push_back({interface, first});
    std::fill_n(is_in_space.begin() + static_cast<std::ptrdiff_t>(first), core::SpatialInterface::kPorts, char{1});
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (!is_in_space[i]) single_ports_.push_back(i);
    if (!ports[i].is_connected) open_ports_.push_back(i);
  }
}

void OdeComponent::push_samples(double t, wave::Side side) {
  const std::span<const core::Port> ports = model_->ports();
  for (const SpaceEnd& end : space_ends_) push_space_samples(end, t, side);
  for (const std::size_t i : single_ports_) {
    if (ports[i].causality == core::Causality::input) {
      signal_sizes_[i] = std::max(signal_sizes_[i], std::abs(ports[i].w(t, side).value));
    } else if (ports[i].is_connected) {
      push_sample(i, t, side, outputs_[i]);
    }
  }
  sampler_.note(t, outputs_);
  waves_->note(t, side, outputs_);
}

void OdeComponent::push_space_samples(const SpaceEnd& end, double t, wave::Side side) {
  const std::array<double, 3> arrived = end.interface->arrived(t, side);
  core::Port* const ports = model_->ports().data();
  for (std::size_t k = 0; k < core::SpatialInterface::kPorts; ++k) {
    const std::size_t i = end.first_port + k;
    core::Port& port = ports[i];
    if (!port.is_connected) continue;
    const PortOutput& out = outputs_[i];
    // Where there are positions, the impulse follows from them without a quadrature; not where later knots change what
    // the track was when it was read.
    const bool is_by_law = k < arrived.size() && port.law.a == 1.0 && !port.incoming.extrapolates();
    const double impulse =
        is_by_law ? arrived[k] - start_integral_[i] - port.law.impedance * (out.position - start_position_[i])
                  : impulse_[i];
    port.outbox.push_back(
        {t, origin_[i] + out.position, out.flow, out.flow_rate, out.effort, out.effort_rate, impulse, work_[i]});
  }
}

void OdeComponent::push_sample(std::size_t i, double t, wave::Side side, const PortOutput& out) {
  core::Port& port = model_->ports()[i];
  wave::Sample sample{t,          origin_[i] + out.position, out.flow, out.flow_rate,
                      out.effort, out.effort_rate,           0.0,      work_[i]};
  const bool is_by_law = port.law.a == 1.0 && port.has_position && !port.incoming.extrapolates();
  sample.impulse = is_by_law ? port.w(t, side).integral - start_integral_[i] -
                                   port.law.impedance * (out.position - start_position_[i])
                             : impulse_[i];
  port.outbox.push_back(sample);
}

void OdeComponent::look_between(double t, double disturbance, std::span<PortOutput> outputs) {
  ++extra_rhs_calls_;
  stepper_->interpolate(t, between_);
  if (disturbance > 0.0) disturb(between_, disturbance);
  model_->rhs(t, wave::Side::left, between_, ydot_);
  model_->observe(t, wave::Side::left, between_, ydot_, outputs);
}

void OdeComponent::sample_signals(double t) {
  // What lies before the last step was looked at when that one ended.
  if (!sampler_.has_signals() || sampler_.published_to() < stepper_->step_start() - least_gap_) return;
  sampler_.sample(t, outputs_, model_->ports(),
                  [this](double between, double disturbance, std::span<PortOutput> outputs) {
                    look_between(between, disturbance, outputs);
                  });
}

void OdeComponent::sample_waves(double t) {
  if (!waves_->has_waves() || waves_->published_to() < stepper_->step_start() - least_gap_) return;
  waves_->sample(
      t, outputs_, [this](double between, std::span<PortOutput> outputs) { look_between(between, 0.0, outputs); },
      [this](std::size_t port, double between, const PortOutput& output) {
        push_sample(port, between, wave::Side::left, output);
      });
}

}  // namespace tieline::components
