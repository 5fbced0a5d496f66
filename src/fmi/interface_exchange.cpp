#include "fmi/interface_exchange.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

#include "fmi/instance.hpp"

namespace tieline::fmi {
namespace {

using core::Domain;
using core::Error;
using core::ErrorCode;
using core::InterfaceState;
using core::Result;
using Eigen::Matrix3d;
using Eigen::Vector3d;

// Laws hold to this share of what they are about.
constexpr double kExchangeLoopTolerance = 1e-12;
constexpr int kExchangeMostCorrections = 20;
// A fresh derivative is taken where a correction leaves more than this share of the defect.
constexpr double kExchangeSlow = 0.1;
// By how much inputs are changed to see what follows, as a share of their size.
constexpr double kTrial = 1e-3;
constexpr double kExchangeDifference = 1e-7;

Vector3d three(std::span<const double> numbers, std::size_t at) { return Vector3d(numbers.data() + at); }

Eigen::Quaterniond turn_from(OrientationForm form, std::span<const double> n) {
  switch (form) {
    case OrientationForm::none:
      return Eigen::Quaterniond::Identity();
    case OrientationForm::matrix:
    case OrientationForm::transposed: {
      const Matrix3d rows = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(n.data());
      return Eigen::Quaterniond(form == OrientationForm::matrix ? rows : Matrix3d(rows.transpose())).normalized();
    }
    case OrientationForm::quaternion:
      return Eigen::Quaterniond(n[0], n[1], n[2], n[3]).normalized();
    case OrientationForm::angles:
      return core::rotation_from_angles({n[0], n[1], n[2]});
  }
  return Eigen::Quaterniond::Identity();
}

/// Writes a rotation as the FMU has it; returns the place behind it.
double* put_turn(OrientationForm form, const Eigen::Quaterniond& q, double* to) {
  const Matrix3d R = q.toRotationMatrix();
  const auto put_rows = [&](const Matrix3d& m) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) *to++ = m(i, j);
    }
  };
  switch (form) {
    case OrientationForm::none:
      break;
    case OrientationForm::matrix:
      put_rows(R);
      break;
    case OrientationForm::transposed:
      put_rows(R.transpose());
      break;
    case OrientationForm::quaternion:
      for (const double part : {q.w(), q.x(), q.y(), q.z()}) *to++ = part;
      break;
    case OrientationForm::angles: {
      const Vector3d angles = core::angles_of(q);
      to = std::copy_n(angles.data(), 3, to);
      break;
    }
  }
  return to;
}

template <class T>
std::vector<T> chosen(std::span<const T> from, std::span<const std::size_t> places) {
  std::vector<T> result;
  for (const std::size_t place : places) result.push_back(from[place]);
  return result;
}

double number_at(const Values& values, std::size_t element) {
  return std::visit(
      [&](const auto& list) -> double {
        using List = std::decay_t<decltype(list)>;
        if constexpr (std::is_same_v<List, std::monostate> || std::is_same_v<List, std::vector<std::string>>) {
          return 0.0;
        } else {
          return list.empty() ? 0.0 : static_cast<double>(list[std::min(element, list.size() - 1)]);
        }
      },
      values);
}

/// What a number starts with: as the model states, or the FMU.
double start_number(const FmuSpec& spec, const Scalar& scalar) {
  for (const StartValue& start : spec.starts) {
    if (start.variable == scalar.variable) return number_at(start.values, scalar.element);
  }
  return number_at(spec.description->variables[scalar.variable].start, scalar.element);
}

std::vector<core::InterfaceShape> shapes_of(std::span<const InterfaceMap> maps) {
  std::vector<core::InterfaceShape> shapes;
  for (const InterfaceMap& map : maps) shapes.push_back(map.shape);
  return shapes;
}

/// Whether one of these depends on one of the inputs at once; nothing if the description leaves it open.
std::optional<bool> declared_dependence(const Description& description, std::span<const Scalar> motion,
                                        std::span<const Scalar> inputs) {
  std::set<std::uint32_t> states, fed;
  for (const Unknown& unknown : description.structure.derivatives) {
    if (unknown.variable != kNone) states.insert(description.variables[unknown.variable].derivative_of);
  }
  for (const Scalar& input : inputs) fed.insert(input.variable);
  bool is_open = false;
  for (const Scalar& scalar : motion) {
    if (states.contains(scalar.variable)) continue;
    const auto& outputs = description.structure.outputs;
    const auto declared = std::find_if(outputs.begin(), outputs.end(),
                                       [&](const Unknown& unknown) { return unknown.variable == scalar.variable; });
    if (declared == outputs.end() || !declared->dependencies) {
      is_open = true;
      continue;
    }
    for (const Dependency& dependency : *declared->dependencies) {
      if (fed.contains(dependency.variable)) return true;
    }
  }
  return is_open ? std::nullopt : std::optional(false);
}

}  // namespace

std::vector<double> stated_starts(const FmuSpec& spec, const InterfaceMap& map) {
  std::vector<double> starts;
  if (map.shape.causality != core::Causality::input) return starts;
  for (const Scalar& scalar : map.values) {
    starts.push_back(std::numeric_limits<double>::quiet_NaN());
    for (const StartValue& start : spec.starts) {
      if (start.variable == scalar.variable) starts.back() = number_at(start.values, scalar.element);
    }
  }
  return starts;
}

InterfaceExchange::Layout InterfaceExchange::layout_of(const FmuSpec& spec) {
  Layout layout;
  const auto append = [](std::vector<Scalar>& to, const std::vector<Scalar>& more) {
    const std::size_t at = to.size();
    to.insert(to.end(), more.begin(), more.end());
    return at;
  };
  const auto relate = [](const InterfaceMap& map, std::span<const Scalar> scalars, std::vector<core::Relation>& to) {
    for (std::size_t k = to.size(); k < scalars.size(); ++k) to.push_back(map.relation_of(scalars[k]));
  };
  for (const InterfaceMap& map : spec.interfaces) {
    if (!layout.places.empty()) {
      relate(spec.interfaces[layout.places.size() - 1], layout.motion, layout.motion_relations);
      relate(spec.interfaces[layout.places.size() - 1], layout.inputs, layout.input_relations);
    }
    Places places;
    const bool takes_motion = map.shape.causality == core::Causality::takes_motion;
    if (map.shape.domain == Domain::signal) {
      const bool is_input = map.shape.causality == core::Causality::input;
      (is_input ? places.input : places.signal) = append(is_input ? layout.inputs : layout.signals, map.values);
      layout.places.push_back(places);
      continue;
    }
    if (takes_motion && map.shape.domain == Domain::mechanical3d) {
      places.effort = append(layout.motion, map.effort);
      places.torque = append(layout.motion, map.torque);
      places.input = layout.inputs.size();
      for (const std::vector<Scalar>* part : {&map.position, &map.orientation, &map.flow, &map.angular_velocity,
                                              &map.flow_rate, &map.angular_acceleration}) {
        append(layout.inputs, *part);
      }
      places.input_count = layout.inputs.size() - places.input;
      layout.places.push_back(places);
      continue;
    }
    places.position = append(layout.motion, map.position);
    places.orientation = append(layout.motion, map.orientation);
    if (!takes_motion) places.flow = append(layout.motion, map.flow);
    places.angular_velocity = append(layout.motion, map.angular_velocity);
    places.flow_rate = append(layout.motion, map.flow_rate);
    places.angular_acceleration = append(layout.motion, map.angular_acceleration);
    if (takes_motion) places.effort = append(layout.motion, map.effort);
    places.input = layout.inputs.size();
    if (map.takes_wave()) {
      append(layout.inputs, map.wave);
      append(layout.inputs, map.impedance);
    } else {
      append(layout.inputs, takes_motion ? map.flow : map.effort);
      append(layout.inputs, map.torque);
      for (std::size_t k = places.input; k < layout.inputs.size(); ++k) layout.loop.push_back(k);
    }
    places.input_count = layout.inputs.size() - places.input;
    layout.places.push_back(places);
  }
  if (!spec.interfaces.empty()) {
    relate(spec.interfaces.back(), layout.motion, layout.motion_relations);
    relate(spec.interfaces.back(), layout.inputs, layout.input_relations);
  }
  for (std::size_t k = 0; k < layout.inputs.size(); ++k) {
    const Variable& variable = spec.description->variables[layout.inputs[k].variable];
    if (is_float(variable.type) && variable.variability == Variability::continuous) layout.continuous.push_back(k);
  }
  return layout;
}

InterfaceExchange::InterfaceExchange(const FmuSpec& spec, const core::Pose& placement)
    : InterfaceExchange(spec, placement, std::make_unique<core::InterfaceSet>(shapes_of(spec.interfaces)), nullptr, 0,
                        layout_of(spec)) {}

InterfaceExchange::InterfaceExchange(const FmuSpec& spec, const core::Pose& placement, core::InterfaceSet& set,
                                     std::size_t first)
    : InterfaceExchange(spec, placement, nullptr, &set, first, layout_of(spec)) {}

InterfaceExchange::InterfaceExchange(const FmuSpec& spec, const core::Pose& placement,
                                     std::unique_ptr<core::InterfaceSet> own, core::InterfaceSet* set,
                                     std::size_t first, Layout layout)
    : maps_(spec.interfaces),
      own_set_(std::move(own)),
      set_(own_set_ ? own_set_.get() : set),
      first_(first),
      placement_(placement),
      turn_(placement.orientation.toRotationMatrix()),
      states_(maps_.size()),
      places_(std::move(layout.places)),
      motion_scalars_(std::move(layout.motion)),
      loop_(std::move(layout.loop)),
      motion_(*spec.description, motion_scalars_, layout.motion_relations),
      signals_(*spec.description, layout.signals),
      writer_(*spec.description, layout.inputs, layout.input_relations),
      continuous_writer_(*spec.description, chosen<Scalar>(layout.inputs, layout.continuous),
                         chosen<core::Relation>(layout.input_relations, layout.continuous)),
      continuous_(std::move(layout.continuous)),
      motion_numbers_(motion_scalars_.size()),
      signal_numbers_(layout.signals.size()),
      inputs_(layout.inputs.size()),
      lawful_(layout.inputs.size()),
      motion_relations_(std::move(layout.motion_relations)),
      input_relations_(std::move(layout.input_relations)),
      own_rates_(layout.inputs.size()),
      last_turns_(maps_.size(), Eigen::Quaterniond::Identity()),
      declared_feedthrough_(loop_.empty() ? std::optional(false)
                                          : declared_dependence(*spec.description, motion_scalars_, layout.inputs)) {
  for (std::size_t k = 0; k < layout.inputs.size(); ++k)
    rest_.push_back(input_relations_[k].value(start_number(spec, layout.inputs[k])));
  is_given_.assign(rest_.size(), false);
  const auto add_each_once = [](std::span<const Scalar> scalars, std::vector<std::uint32_t>& variables) {
    for (const Scalar& scalar : scalars) {
      if (std::find(variables.begin(), variables.end(), scalar.variable) == variables.end()) {
        variables.push_back(scalar.variable);
      }
    }
  };
  add_each_once(layout.inputs, input_variables_);
  add_each_once(motion_scalars_, motion_variables_);
  const auto is_plain = [&](const Scalar& scalar) {
    const Variable& variable = spec.description->variables[scalar.variable];
    return variable.type == Type::float64 && variable.dimensions.empty();
  };
  if (std::all_of(layout.inputs.begin(), layout.inputs.end(), is_plain)) {
    input_references_.emplace();
    for (const Scalar& scalar : layout.inputs) {
      input_references_->push_back(spec.description->variables[scalar.variable].reference);
    }
  }
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    if (maps_[i].shape.domain == Domain::signal) {
      states_[i].values.assign(maps_[i].values.size(), 0.0);
      states_[i].rates.assign(maps_[i].values.size(), 0.0);
    }
    states_[i].pose = maps_[i].pose;
    const bool is_led =
        maps_[i].shape.domain == Domain::mechanical3d && maps_[i].shape.causality == core::Causality::takes_motion;
    has_led_ = has_feedthrough_ = has_led_ || is_led;
  }
}

void InterfaceExchange::take_space(std::size_t i, std::span<const double> numbers, InterfaceState& state) {
  const InterfaceMap& map = maps_[i];
  const Places& places = places_[i];
  // What the FMU does not report of its own frame stays as it is; that of another one is counted anew.
  if (map.arm) {
    state.pose.position = map.pose.position;
    state.motion.velocity.setZero(), state.motion.acceleration.setZero();
  }
  if (!map.position.empty()) state.pose.position = placement_.position + turn_ * three(numbers, places.position);
  Eigen::Quaterniond own = turn_from(map.orientation_form, numbers.subspan(places.orientation, map.orientation.size()));
  Eigen::Quaterniond turned = (placement_.orientation * own).normalized();
  // Of two equal quaternions the one that is near the last: the published rotation must not jump.
  if (turned.dot(last_turns_[i]) < 0.0) turned.coeffs() *= -1.0;
  last_turns_[i] = turned;
  state.pose.orientation = turned;
  const Matrix3d about = map.turns_in_body_axes ? Matrix3d(turned.toRotationMatrix()) : turn_;
  core::SpatialMotion& motion = state.motion;
  if (!map.flow.empty()) motion.velocity = turn_ * three(numbers, places.flow);
  if (!map.angular_velocity.empty()) motion.angular_velocity = about * three(numbers, places.angular_velocity);
  if (!map.flow_rate.empty()) motion.acceleration = turn_ * three(numbers, places.flow_rate);
  if (!map.angular_acceleration.empty()) {
    motion.angular_acceleration = about * three(numbers, places.angular_acceleration);
  }
  if (!map.arm) return;
  const core::SpaceState carried = map.arm->out({state.pose, motion});
  state.pose = carried.pose, state.motion = carried.motion;
}

Eigen::Quaterniond InterfaceExchange::own_turn(std::size_t i, const InterfaceState& state) const {
  return maps_[i].arm ? maps_[i].arm->own_turn(state.pose.orientation) : state.pose.orientation;
}

void InterfaceExchange::take_load(std::size_t i, std::span<const double> numbers, InterfaceState& state) const {
  const InterfaceMap& map = maps_[i];
  const Eigen::Quaterniond own = own_turn(i, state);
  const Matrix3d about = map.turns_in_body_axes ? Matrix3d(own.toRotationMatrix()) : turn_;
  if (map.arm) state.load.torque.setZero();
  state.load.force = turn_ * three(numbers, places_[i].effort);
  if (!map.torque.empty()) state.load.torque = about * three(numbers, places_[i].torque);
  if (map.arm) state.load = map.arm->load_out(state.load, own);
}

void InterfaceExchange::fill_motion(std::size_t i, const core::SpaceState& given, std::span<double> inputs) {
  const InterfaceMap& map = maps_[i];
  const core::SpaceState state = map.arm ? map.arm->back(given) : given;
  const Matrix3d back = turn_.transpose();
  const Matrix3d about =
      map.turns_in_body_axes ? Matrix3d(state.pose.orientation.toRotationMatrix().transpose()) : back;
  double* to = inputs.data() + places_[i].input;
  const auto put = [&](const std::vector<Scalar>& wanted, const Vector3d& v) {
    if (!wanted.empty()) to = std::copy_n(v.data(), 3, to);
  };
  put(map.position, back * (state.pose.position - placement_.position));
  Eigen::Quaterniond own = placement_.orientation.conjugate() * state.pose.orientation;
  // Of two equal quaternions the one that is near the last.
  if (own.dot(last_turns_[i]) < 0.0) own.coeffs() *= -1.0;
  last_turns_[i] = own;
  to = put_turn(map.orientation_form, own, to);
  put(map.flow, back * state.motion.velocity);
  put(map.angular_velocity, about * state.motion.angular_velocity);
  put(map.flow_rate, back * state.motion.acceleration);
  put(map.angular_acceleration, about * state.motion.angular_acceleration);
}

void InterfaceExchange::take_motion(std::span<const double> numbers, std::span<InterfaceState> states) {
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    const InterfaceMap& map = maps_[i];
    const Places& places = places_[i];
    if (map.shape.domain == Domain::signal) continue;
    if (map.shape.domain == Domain::mechanical3d) {
      const bool is_led = map.shape.causality == core::Causality::takes_motion;
      is_led ? take_load(i, numbers, states[i]) : take_space(i, numbers, states[i]);
      continue;
    }
    if (!map.position.empty()) states[i].position = numbers[places.position];
    if (map.shape.causality == core::Causality::takes_motion) {
      states[i].effort = numbers[places.effort];
    } else {
      states[i].flow = numbers[places.flow];
      if (!map.flow_rate.empty()) states[i].flow_rate = numbers[places.flow_rate];
    }
  }
}

void InterfaceExchange::take_rates(std::span<const double> rates, std::span<InterfaceState> states) const {
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    const InterfaceMap& map = maps_[i];
    const Places& places = places_[i];
    if (map.shape.domain == Domain::signal || map.shape.causality == core::Causality::takes_motion) continue;
    if (map.shape.domain != Domain::mechanical3d) {
      if (map.flow_rate.empty()) states[i].flow_rate = rates[places.flow];
      continue;
    }
    core::SpatialMotion& motion = states[i].motion;
    const Matrix3d about = map.turns_in_body_axes ? Matrix3d(own_turn(i, states[i]).toRotationMatrix()) : turn_;
    core::SpaceState own{states[i].pose, motion};
    if (map.arm) own = map.arm->back(own);
    if (map.flow_rate.empty() && !map.flow.empty()) own.motion.acceleration = turn_ * three(rates, places.flow);
    if (map.angular_acceleration.empty() && !map.angular_velocity.empty()) {
      own.motion.angular_acceleration = about * three(rates, places.angular_velocity);
    }
    motion = map.arm ? map.arm->out(own).motion : own.motion;
  }
}

Result<void> InterfaceExchange::read_motion(Instance& instance) {
  if (auto read = motion_.read(instance, motion_numbers_); !read) return read;
  take_motion(motion_numbers_, states_);
  return {};
}

Result<void> InterfaceExchange::read_signals(Instance& instance) {
  if (auto read = signals_.read(instance, signal_numbers_); !read) return read;
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    if (maps_[i].shape.causality != core::Causality::output) continue;
    for (std::size_t k = 0; k < maps_[i].values.size(); ++k) {
      states_[i].values[k] = signal_numbers_[places_[i].signal + k];
    }
  }
  return {};
}

void InterfaceExchange::fill_wrench(std::size_t i, const core::Wrench& wrench, std::span<double> inputs) const {
  const InterfaceMap& map = maps_[i];
  double* const to = inputs.data() + places_[i].input;
  const Eigen::Quaterniond own = own_turn(i, states_[i]);
  const Matrix3d about = map.turns_in_body_axes ? Matrix3d(own.toRotationMatrix()) : turn_;
  const core::Wrench load = map.arm ? map.arm->load_back(wrench, own) : wrench;
  const Vector3d force = turn_.transpose() * load.force, torque = about.transpose() * load.torque;
  std::copy_n(force.data(), 3, to);
  if (!map.torque.empty()) std::copy_n(torque.data(), 3, to + 3);
}

void InterfaceExchange::fill_space(std::size_t i, double t, wave::Side side, std::span<double> inputs) {
  const InterfaceMap& map = maps_[i];
  core::SpatialInterface& space = *set_->spatial(first_ + i);
  InterfaceState& state = states_[i];
  double* to = inputs.data() + places_[i].input;
  const auto put = [&](const Vector3d& v) { to = std::copy_n(v.data(), 3, to); };
  const Matrix3d about = map.turns_in_body_axes ? Matrix3d(state.pose.orientation.toRotationMatrix()) : turn_;
  if (!map.takes_wave()) return fill_wrench(i, space.wrench(t, side, state.pose, state.motion), inputs);
  // The force at rest is the wave: torques are those that act on what does not turn.
  core::SpatialMotion rest = state.motion;
  rest.velocity.setZero();
  const double impedance = space.axis(0).law.impedance, turning = space.axis(3).law.impedance;
  const core::Wrench wave = space.wrench(t, side, state.pose, rest);
  put(turn_.transpose() * wave.force);
  if (map.wave.size() == 6) put(about.transpose() * (wave.torque + turning * rest.angular_velocity));
  *to++ = impedance;
  if (map.impedance.size() == 2) *to++ = turning;
}

void InterfaceExchange::fill_inputs(double t, wave::Side side, std::span<double> inputs) {
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    const InterfaceMap& map = maps_[i];
    const std::size_t at = places_[i].input;
    const std::span<core::Port> ports = ports_of(i);
    if (map.shape.domain == Domain::signal) {
      if (map.shape.causality != core::Causality::input) continue;
      for (std::size_t k = 0; k < ports.size(); ++k) {
        const bool is_fed = is_live(ports[k]) && !is_given_[at + k];
        inputs[at + k] = is_fed ? ports[k].w(t, side).value : rest_[at + k];
      }
    } else if (std::none_of(ports.begin(), ports.end(), is_live)) {
      for (std::size_t k = at; k < at + places_[i].input_count; ++k) inputs[k] = rest_[k];
    } else if (map.shape.domain == Domain::mechanical3d && map.shape.causality == core::Causality::takes_motion) {
      set_->settle_motion(first_ + i, t, side, states_[i]);
      fill_motion(i, {states_[i].pose, states_[i].motion}, inputs);
    } else if (map.shape.domain == Domain::mechanical3d) {
      fill_space(i, t, side, inputs);
    } else if (map.takes_wave()) {
      inputs[at] = ports[0].w(t, side).value;
      inputs[at + 1] = ports[0].law.impedance;
    } else if (map.shape.causality == core::Causality::takes_motion) {
      set_->settle_motion(first_ + i, t, side, states_[i]);
      inputs[at] = states_[i].flow;
    } else {
      inputs[at] = ports[0].effort_for(states_[i].flow, ports[0].w(t, side).value);
    }
  }
}

void InterfaceExchange::give(std::size_t interface, std::size_t member, double value) {
  const std::size_t at = places_[interface].input + member;
  rest_[at] = value;
  is_given_[at] = true;
}

Result<void> InterfaceExchange::write_inputs(Instance& instance, std::span<const double> inputs) {
  if (instance.phase() != Phase::continuous || continuous_.size() == inputs.size()) {
    return writer_.write(instance, inputs);
  }
  continuous_inputs_.resize(continuous_.size());
  for (std::size_t k = 0; k < continuous_.size(); ++k) continuous_inputs_[k] = inputs[continuous_[k]];
  return continuous_writer_.write(instance, continuous_inputs_);
}

void InterfaceExchange::to_own_changes(std::span<double> inputs) const {
  for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k] /= input_relations_[k].factor;
}

Result<void> InterfaceExchange::write_input_rates(Instance& instance, std::span<const std::int32_t> orders,
                                                  std::span<const double> rates) {
  std::copy(rates.begin(), rates.end(), own_rates_.begin());
  to_own_changes(own_rates_);
  return instance.set_input_derivatives(*input_references_, orders, own_rates_);
}

Result<void> InterfaceExchange::write_inputs(Instance& instance, double t, wave::Side side) {
  fill_inputs(t, side, inputs_);
  return write_inputs(instance, inputs_);
}

Result<void> InterfaceExchange::pass_through(Instance& instance, double t, wave::Side side) {
  if (auto written = write_inputs(instance, t, side); !written) return written;
  return read_motion(instance);
}

Result<void> InterfaceExchange::check_laws() const {
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    core::SpatialInterface* const space = set_->spatial(first_ + i);
    if (space == nullptr || !maps_[i].takes_wave()) continue;
    const auto are_equal = [&](std::size_t from) {
      const double first = space->axis(from).law.impedance;
      return space->axis(from + 1).law.impedance == first && space->axis(from + 2).law.impedance == first;
    };
    const bool has_torques = maps_[i].wave.size() == 6;
    if (are_equal(0) && are_equal(3) && (has_torques || space->axis(3).law.impedance == 0.0)) continue;
    return Error{.code = ErrorCode::bad_input,
                 .message =
                     "an FMU that takes the wave in space has one impedance along all axes and one about all of "
                     "them; its connection has different ones (free_axes, or rotations where it takes three numbers)",
                 .port = maps_[i].shape.name};
  }
  return {};
}

Result<bool> InterfaceExchange::find_feedthrough(Instance& instance, double t) {
  if (loop_.empty()) return false;
  const auto look = [&](double change) -> Result<std::vector<double>> {
    std::vector<double> inputs = inputs_;
    for (const std::size_t k : loop_) inputs[k] += change * std::max(1.0, std::abs(inputs[k]));
    if (auto written = write_inputs(instance, inputs); !written) return written.error();
    std::vector<double> numbers(motion_scalars_.size());
    if (auto read = motion_.read(instance, numbers); !read) return read.error();
    return numbers;
  };
  if (auto read = read_motion(instance); !read) return read.error();
  fill_inputs(t, wave::Side::right, inputs_);
  auto before = look(0.0);
  if (!before) return before.error();
  auto after = look(kTrial);
  if (!after) return after.error();
  if (auto written = write_inputs(instance, inputs_); !written) return written.error();
  return *before != *after;
}

Result<void> InterfaceExchange::settle(Instance& instance, double t, wave::Side side) {
  if (has_feedthrough_) return solve_loop(instance, t, side);
  if (auto read = read_motion(instance); !read) return read;
  return write_inputs(instance, t, side);
}

Result<void> InterfaceExchange::find_defect(Instance& instance, double t, wave::Side side, Eigen::VectorXd& defect) {
  if (auto written = write_inputs(instance, inputs_); !written) return written;
  if (auto read = read_motion(instance); !read) return read;
  fill_inputs(t, side, lawful_);
  for (std::size_t k = 0; k < loop_.size(); ++k) {
    defect[static_cast<Eigen::Index>(k)] = inputs_[loop_[k]] - lawful_[loop_[k]];
  }
  return {};
}

Result<void> InterfaceExchange::solve_loop(Instance& instance, double t, wave::Side side) {
  const auto n = static_cast<Eigen::Index>(loop_.size());
  const std::vector<double> last = inputs_;
  fill_inputs(t, side, inputs_);  // signals
  for (const std::size_t k : loop_) inputs_[k] = last[k];
  Eigen::VectorXd defect(n), moved(n);
  double before = std::numeric_limits<double>::infinity();
  bool is_fresh = false;
  for (int round = 0; round < kExchangeMostCorrections; ++round) {
    if (auto found = find_defect(instance, t, side, defect); !found) return found;
    double size = 0.0;
    for (const std::size_t k : loop_) size = std::max({size, std::abs(inputs_[k]), std::abs(lawful_[k])});
    const double worst = defect.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(worst)) break;
    if (worst <= kExchangeLoopTolerance * size || worst == 0.0) return {};
    if (loop_matrix_.size() == 0 || (!is_fresh && worst > kExchangeSlow * before)) {
      Eigen::MatrixXd derivative(n, n);
      for (Eigen::Index j = 0; j < n; ++j) {
        double& input = inputs_[loop_[static_cast<std::size_t>(j)]];
        const double kept = input, step = kExchangeDifference * std::max(size, 1e-6);
        input += step;
        if (auto found = find_defect(instance, t, side, moved); !found) return found;
        derivative.col(j) = (moved - defect) / step;
        input = kept;
      }
      loop_matrix_ = derivative.inverse();
      is_fresh = true;
    } else {
      is_fresh = false;
    }
    before = worst;
    const Eigen::VectorXd change = loop_matrix_ * defect;
    if (!change.allFinite()) break;
    for (Eigen::Index j = 0; j < n; ++j) inputs_[loop_[static_cast<std::size_t>(j)]] -= change[j];
  }
  loop_matrix_.resize(0, 0);
  return Error{
      .code = ErrorCode::step_failed,
      .message =
          "its motion depends directly on the forces on it, and no forces were found that are consistent with it",
      .time = t};
}

void InterfaceExchange::observe(double t, wave::Side side, std::span<core::PortOutput> outputs) {
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    set_->observe(first_ + i, t, side, states_[i], outputs);
    if (maps_[i].shape.causality != core::Causality::input) continue;
    // What it was given, wherever that came from.
    const std::size_t port = set_->first_port(first_ + i);
    for (std::size_t k = 0; k < maps_[i].values.size(); ++k) outputs[port + k].flow = inputs_[places_[i].input + k];
  }
}

void InterfaceExchange::hold_still() {
  for (core::InterfaceState& state : states_) {
    state.flow_rate = 0.0;
    state.motion.acceleration.setZero(), state.motion.angular_acceleration.setZero();
    std::fill(state.rates.begin(), state.rates.end(), 0.0);
  }
}

void InterfaceExchange::show_resting_inputs(std::span<core::PortOutput> outputs) const {
  for (std::size_t i = 0; i < maps_.size(); ++i) {
    if (maps_[i].shape.causality != core::Causality::input) continue;
    const std::size_t port = set_->first_port(first_ + i);
    for (std::size_t k = 0; k < maps_[i].values.size(); ++k) {
      if (!is_live(set_->ports()[port + k])) outputs[port + k].flow = rest_[places_[i].input + k];
    }
  }
}

std::vector<core::Column> columns_of(const FmuSpec& spec, const core::InterfaceSet& set) {
  std::vector<core::Column> columns = set.columns();
  set_signal_units(spec, columns);
  add_recorded_columns(spec, columns);
  return columns;
}

void set_signal_units(const FmuSpec& spec, std::span<core::Column> columns) {
  std::size_t at = 0;
  for (const InterfaceMap& map : spec.interfaces) {
    for (std::size_t k = 0; k < map.values.size(); ++k) {
      columns[at + k].unit = spec.description->variables[map.values[k].variable].unit;
    }
    at += core::InterfaceSet({map.shape}).columns().size();
  }
}

void add_recorded_columns(const FmuSpec& spec, std::vector<core::Column>& columns) {
  for (const Scalar& scalar : spec.recorded) {
    const Variable& variable = spec.description->variables[scalar.variable];
    const std::string element = variable.dimensions.empty() ? "" : fmt::format("[{}]", scalar.element + 1);
    columns.push_back({variable.name + element, variable.unit});
  }
}

void InterfaceExchange::save(core::ArchiveWriter& archive) const {
  for (const Eigen::Quaterniond& turn : last_turns_) {
    for (const double number : turn.coeffs()) archive.put(number);
  }
  archive.put_span<double>(inputs_);
}

void InterfaceExchange::restore(core::ArchiveReader& archive) {
  for (Eigen::Quaterniond& turn : last_turns_) {
    for (double& number : turn.coeffs()) archive.get(number);
  }
  archive.get_span<double>(inputs_);
}

}  // namespace tieline::fmi
