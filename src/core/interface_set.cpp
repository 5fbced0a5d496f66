#include "core/interface_set.hpp"

#include <algorithm>
#include <cmath>

#include "core/signal_members.hpp"
#include "core/spatial_columns.hpp"

namespace tieline::core {
namespace {

constexpr std::size_t kAxisNumbers = 2, kSpaceNumbers = 13, kSpaceRates = 6, kLoadNumbers = 6;

bool is_led_shape(const InterfaceShape& shape) {
  return shape.domain == Domain::mechanical3d && shape.causality == Causality::takes_motion;
}

bool is_axis(const InterfaceShape& shape) {
  return shape.domain != Domain::mechanical3d && shape.domain != Domain::signal;
}

}  // namespace

std::optional<std::string> problem_with(const InterfaceShape& shape) {
  const bool is_signal = shape.domain == Domain::signal;
  if (shape.name.empty()) return "it has no name";
  if (is_signal != (shape.causality == Causality::input || shape.causality == Causality::output)) {
    return is_signal ? "a signal is an input or an output" : "only a signal is an input or an output";
  }
  if (!is_signal && shape.size != 1) return "only a signal has several numbers";
  if (shape.size < 1 || shape.size > kLargestSignal)
    return "a signal has 1 to " + std::to_string(kLargestSignal) + " numbers";
  return std::nullopt;
}

std::vector<double> numbers_of(const InterfaceShape& shape, const InterfaceState& state) {
  std::vector<double> numbers;
  if (is_led_shape(shape)) {
    numbers.resize(kLoadNumbers);
    RowWriter row(numbers);
    row.put(state.load.force), row.put(state.load.torque);
  } else if (shape.domain == Domain::mechanical3d) {
    numbers.resize(kSpaceNumbers + (shape.reports_rates ? kSpaceRates : 0));
    RowWriter row(numbers);
    row.put(state.pose.position), row.put(state.pose.orientation);
    row.put(state.motion.velocity), row.put(state.motion.angular_velocity);
    if (shape.reports_rates) row.put(state.motion.acceleration), row.put(state.motion.angular_acceleration);
  } else if (is_axis(shape)) {
    numbers = {state.position, shape.causality == Causality::takes_motion ? state.effort : state.flow, state.flow_rate};
    if (!shape.reports_rates) numbers.pop_back();
  } else if (shape.causality == Causality::output) {
    numbers = state.values;
    numbers.resize(static_cast<std::size_t>(shape.size), 0.0);
    if (shape.reports_rates) numbers.insert(numbers.end(), state.rates.begin(), state.rates.end());
  }
  return numbers;
}

std::optional<NumberedState> state_from(const InterfaceShape& shape, std::span<const double> numbers) {
  if (!std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); })) return std::nullopt;
  NumberedState result;
  InterfaceState& state = result.state;
  const std::size_t count = numbers.size();
  const auto vector = [&](std::size_t k) { return Eigen::Vector3d(numbers[k], numbers[k + 1], numbers[k + 2]); };
  if (is_led_shape(shape)) {
    if (count != kLoadNumbers) return std::nullopt;
    state.load = {vector(0), vector(3)};
  } else if (shape.domain == Domain::mechanical3d) {
    if (count != kSpaceNumbers && count != kSpaceNumbers + kSpaceRates) return std::nullopt;
    state.pose.position = vector(0);
    const Eigen::Quaterniond q(numbers[3], numbers[4], numbers[5], numbers[6]);
    if (!(q.norm() > 0.5 && q.norm() < 2.0)) return std::nullopt;
    state.pose.orientation = q.normalized();
    state.motion.velocity = vector(7), state.motion.angular_velocity = vector(10);
    result.reports_rates = count > kSpaceNumbers;
    if (result.reports_rates) state.motion.acceleration = vector(13), state.motion.angular_acceleration = vector(16);
  } else if (is_axis(shape)) {
    if (count != kAxisNumbers && count != kAxisNumbers + 1) return std::nullopt;
    state.position = numbers[0];
    (shape.causality == Causality::takes_motion ? state.effort : state.flow) = numbers[1];
    result.reports_rates = count > kAxisNumbers;
    if (result.reports_rates) state.flow_rate = numbers[2];
  } else if (shape.causality == Causality::output) {
    const auto size = static_cast<std::size_t>(shape.size);
    if (count != size && count != 2 * size) return std::nullopt;
    result.reports_rates = count > size;
    state.values.assign(numbers.begin(), numbers.begin() + shape.size);
    state.rates.assign(numbers.begin() + (result.reports_rates ? shape.size : 0),
                       numbers.begin() + static_cast<std::ptrdiff_t>(count));
    if (!result.reports_rates) state.rates.assign(size, 0.0);
  } else if (count != 0) {
    return std::nullopt;
  }
  return result;
}

InterfaceSet::InterfaceSet(std::vector<InterfaceShape> shapes) : shapes_(std::move(shapes)) {
  for (const InterfaceShape& shape : shapes_) {
    first_port_.push_back(ports_.size());
    add_columns(shape);
    if (shape.domain == Domain::mechanical3d) {
      for (Port& port : SpatialInterface::make_ports(shape.name, shape.causality)) ports_.push_back(std::move(port));
      continue;
    }
    for (int member = 1; member <= shape.size; ++member) {
      Port port;
      port.name = member_name(shape.name, shape.size, member);
      port.domain = shape.domain;
      port.causality = shape.causality;
      port.is_bundled = shape.size > 1;
      port.follows_wave = shape.causality == Causality::takes_motion;
      ports_.push_back(std::move(port));
    }
  }
  first_port_.push_back(ports_.size());
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    set_reports_rates(i, shapes_[i].reports_rates);
    spatial_.push_back(nullptr);
    if (shapes_[i].domain != Domain::mechanical3d) continue;
    spatial_[i] = std::make_unique<SpatialInterface>(
        shapes_[i].name, std::span<Port, SpatialInterface::kPorts>(ports_of(i).data(), SpatialInterface::kPorts));
  }
}

void InterfaceSet::set_reports_rates(std::size_t i, bool reports) {
  shapes_[i].reports_rates = reports;
  // Without rates, positions tie the samples between the steps; where there are none, quadratures do.
  for (Port& port : ports_of(i)) {
    port.preferred = !reports            ? wave::Interpolation::motion
                     : port.has_position ? wave::Interpolation::quintic
                                         : wave::Interpolation::cubic;
  }
}

std::vector<SpatialInterface*> InterfaceSet::spatial_interfaces() {
  std::vector<SpatialInterface*> result;
  for (const auto& each : spatial_) {
    if (each != nullptr) result.push_back(each.get());
  }
  return result;
}

void InterfaceSet::add_columns(const InterfaceShape& shape) {
  if (shape.domain == Domain::mechanical3d) {
    add_motion(columns_, shape.name);
    add_vector(columns_, shape.name + ".force", "N");
    add_vector(columns_, shape.name + ".torque", "N m");
  } else if (is_axis(shape)) {
    const DomainNames& names = names_of(shape.domain);
    const auto add = [&](std::string_view quantity, std::string_view unit) {
      columns_.push_back({shape.name + "." + std::string(quantity), std::string(unit)});
    };
    if (!names.position.empty()) add(names.position, names.position_unit);
    add(names.flow, names.flow_unit);
    add(names.effort, names.effort_unit);
  } else {
    for (int member = 1; member <= shape.size; ++member) {
      columns_.push_back({member_name(shape.name, shape.size, member) + ".value", ""});
    }
  }
}

void InterfaceSet::settle_motion(std::size_t i, double t, wave::Side side, InterfaceState& state) const {
  if (is_led(i)) {
    const SpaceState given = spatial_[i]->given(t, side);
    state.pose = given.pose, state.motion = given.motion;
    return;
  }
  const Port& port = ports_[first_port_[i]];
  // Where nothing is joined, or only a force is prescribed, what takes motion stands still.
  state.flow =
      port.law.impedance > 0.0 ? (port.w(t, side).value - port.law.a * state.effort) / port.law.impedance : 0.0;
}

void InterfaceSet::observe(std::size_t i, double t, wave::Side side, const InterfaceState& state,
                           std::span<PortOutput> outputs) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const InterfaceShape& shape = shapes_[i];
  const std::size_t first = first_port_[i];
  if (is_led(i)) {
    const Wrench rate{Eigen::Vector3d::Constant(kUnknown), Eigen::Vector3d::Constant(kUnknown)};
    spatial_[i]->observe_given(
        {state.pose, state.motion}, state.load, rate,
        std::span<PortOutput, SpatialInterface::kPorts>(outputs.data() + first, SpatialInterface::kPorts));
    return;
  }
  if (SpatialInterface* const space = spatial_[i].get()) {
    space->observe(t, side, state.pose, state.motion,
                   std::span<PortOutput, SpatialInterface::kPorts>(outputs.data() + first, SpatialInterface::kPorts));
    if (shape.reports_rates) return;
    // The orientations' second derivatives stay: they are joined by quintic pieces in any case.
    for (std::size_t k = 0; k < SpatialInterface::kAxes; ++k) {
      outputs[first + k].flow_rate = outputs[first + k].effort_rate = kUnknown;
    }
    return;
  }
  if (shape.domain == Domain::signal) {
    for (int k = 0; k < shape.size; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const bool is_input = shape.causality == Causality::input;
      outputs[first + at] = {};
      outputs[first + at].flow = is_input ? ports_[first + at].w(t, side).value : state.values[at];
      outputs[first + at].flow_rate = shape.reports_rates ? state.rates[at] : kUnknown;
    }
    return;
  }
  const Port& port = ports_[first];
  const wave::TrackValue w = port.w(t, side);
  const bool is_by_law = port.law.a == 1.0 && (port.law.impedance > 0.0 || shape.causality == Causality::takes_force);
  outputs[first] = {
      .position = state.position,
      .flow = state.flow,
      .flow_rate = shape.reports_rates ? state.flow_rate : kUnknown,
      .effort = is_by_law ? port.effort_for(state.flow, w.value) : state.effort,
      .effort_rate = shape.reports_rates && is_by_law ? w.rate - port.law.impedance * state.flow_rate : kUnknown};
}

void InterfaceSet::observe_loads(std::size_t i, double t, wave::Side side, const InterfaceState& state,
                                 std::span<PortOutput> outputs) {
  SpatialInterface* const space = spatial_[i].get();
  if (space == nullptr || is_led(i)) return observe(i, t, side, state, outputs);
  (void)space->wrench(t, side, state.pose, state.motion);
  const AxisLoads& loads = space->last_loads();
  for (std::size_t k = 0; k < SpatialInterface::kAxes; ++k) {
    outputs[first_port_[i] + k].flow = loads.flow[k];
    outputs[first_port_[i] + k].effort = loads.effort[k];
  }
}

void InterfaceSet::fill_columns(std::span<const InterfaceState> states, std::span<const PortOutput> outputs, double t,
                                wave::Side side, std::span<double> values) {
  RowWriter row(values);
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const InterfaceState& state = states[i];
    const PortOutput* const out = outputs.data() + first_port_[i];
    if (SpatialInterface* const space = spatial_[i].get()) {
      row.put(state.pose.position), row.put(state.pose.orientation);
      row.put(state.motion.velocity), row.put(state.motion.angular_velocity);
      const Wrench wrench = is_led(i) ? state.load : space->wrench(t, side, state.pose, state.motion);
      row.put(wrench.force), row.put(wrench.torque);
    } else if (is_axis(shapes_[i])) {
      if (!names_of(shapes_[i].domain).position.empty()) row.put(out->position);
      row.put(out->flow), row.put(out->effort);
    } else {
      for (int k = 0; k < shapes_[i].size; ++k) row.put(out[k].flow);
    }
  }
}

}  // namespace tieline::core
