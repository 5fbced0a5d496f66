#include "fmi/step_axes.hpp"

#include <algorithm>
#include <cmath>

#include "wave/line.hpp"

namespace tieline::fmi {
namespace {

using core::InterfaceState;
using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using wave::Side;

// What an FMU may give beyond what its steps exchanged, as a share of all that came by. Motions that the steps resolve
// stay far below, whatever is taken for their mass.
constexpr double kRoughShare = 0.02;

// The first steps, when little has come by, say nothing.
constexpr std::uint64_t kStepsToJudge = 16;

Index at(std::size_t i) { return static_cast<Index>(i); }

}  // namespace

StepAxes::StepAxes(InterfaceExchange& exchange, const Description& description, EffortShape shape)
    : exchange_(exchange),
      description_(description),
      shape_(shape),
      frames_(exchange.set().size(), Matrix3d::Identity()),
      accounts_(exchange.set().ports().size()) {}

bool StepAxes::is_in_space(std::size_t interface) const {
  return exchange_.set().shape(interface).domain == core::Domain::mechanical3d;
}

void StepAxes::collect() {
  axes_.clear(), rows_.clear(), signals_.clear(), led_.clear();
  core::InterfaceSet& set = exchange_.set();
  for (std::size_t i = 0; i < set.size(); ++i) {
    const InterfaceMap& map = exchange_.map(i);
    const std::span<core::Port> ports = set.ports_of(i);
    if (std::none_of(ports.begin(), ports.end(), is_live)) continue;
    if (map.shape.domain == core::Domain::signal) {
      if (map.shape.causality != core::Causality::input) continue;
      for (std::size_t k = 0; k < map.values.size(); ++k) {
        const Variable& variable = description_.variables[map.values[k].variable];
        if (!is_live(ports[k]) || !is_float(variable.type) || variable.variability != Variability::continuous) continue;
        signals_.push_back({set.first_port(i) + k, exchange_.first_input(i) + k});
      }
      continue;
    }
    const bool takes_motion = map.shape.causality == core::Causality::takes_motion;
    const Kind kind = takes_motion       ? (is_in_space(i) ? Kind::led : Kind::motion)
                      : map.takes_wave() ? Kind::wave
                                         : Kind::effort;
    if (kind == Kind::led) led_.push_back(i);
    const int parts = is_in_space(i) ? static_cast<int>(core::SpatialInterface::kAxes) : 1;
    for (int part = 0; part < parts; ++part) {
      axes_.push_back({.kind = kind,
                       .interface = i,
                       .port = set.first_port(i) + static_cast<std::size_t>(part),
                       .part = part,
                       .row = kind == Kind::effort ? at(rows_.size()) : -1});
      if (kind == Kind::effort) rows_.push_back(axes_.size() - 1);
    }
  }
}

void StepAxes::start(double t0) {
  collect();
  const Index n = at(rows_.size());
  law_ = SubstepLaw(n, shape_);
  publishes_means_ = false;
  steps_ = 0;
  mobility_ = Mobility(n);
  waves_ = StepWaves(n);
  to_body_.setIdentity(n, n), turned_.setZero(n, n), half_turned_.setZero(n, n);
  flow_.setZero(n), mean_flow_.setZero(n), end_flow_.setZero(n);
  efforts_.assign(rows_.size(), 0.0), effort_rates_.assign(rows_.size(), 0.0);
  const std::span<const core::Port> ports = exchange_.set().ports();
  Eigen::VectorXd impedances(n);
  for (Index k = 0; k < n; ++k) impedances[k] = ports[port_of(k)].law.impedance;
  law_.set_impedances(impedances);
  last_efforts_.assign(axes_.size(), 0.0);
  std::fill(accounts_.begin(), accounts_.end(), AxisEnergyAccount{});
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Axis& axis = axes_[a];
    const InterfaceState& state = exchange_.states()[axis.interface];
    AxisEnergyAccount& account = accounts_[axis.port];
    if (!is_in_space(axis.interface)) account.start_position = state.position;
    if (is_in_space(axis.interface) && axis.part < 3) account.start_position = state.pose.position[axis.part];
    account.start_integral = ports[axis.port].w(t0, Side::right).integral;
    last_efforts_[a] = state.effort;
    axes_[a].published_time = t0;
  }
  note_published(t0, Side::right, true);
}

void StepAxes::state_mass(double mass) {
  mobility_.state(mass);
  law_.set_mobility(mobility_.matrix());
}

void StepAxes::set_probed(const Eigen::MatrixXd& mobility) {
  mobility_.set_probed(to_body_ * mobility * to_body_.transpose());
  law_.set_mobility(mobility);
}

void StepAxes::find_frames(double t, double end) {
  const double middle = 0.5 * (t + end);
  for (std::size_t i = 0; i < exchange_.set().size(); ++i) {
    core::SpatialInterface* const space = exchange_.set().spatial(i);
    if (space == nullptr) continue;
    const InterfaceState& state = exchange_.states()[i];
    const Vector3d& omega = state.motion.angular_velocity;
    const Eigen::Quaterniond ahead = core::rotation_by(0.5 * (end - t) * omega) * state.pose.orientation;
    frames_[i] = space->frame(middle, Side::left, {ahead, omega}).orientation.toRotationMatrix();
  }
}

void StepAxes::rotate_mobility() {
  bool is_turned = false;
  for (std::size_t k = 0; k < rows_.size(); k += is_in_space(axes_[rows_[k]].interface) ? 6 : 1) {
    const std::size_t i = axes_[rows_[k]].interface;
    if (!is_in_space(i)) continue;
    const Matrix3d body = exchange_.states()[i].pose.orientation.toRotationMatrix().transpose();
    to_body_.block<3, 3>(at(k), at(k)) = body;
    to_body_.block<3, 3>(at(k) + 3, at(k) + 3) = body * frames_[i];
    is_turned = true;
  }
  // A mass that was stated is the same in all axes; what was learnt was learnt in those of the steps.
  if (!is_turned || mobility_.source() != MassSource::probed) return;
  half_turned_.noalias() = mobility_.matrix() * to_body_;
  turned_.noalias() = to_body_.transpose() * half_turned_;
  law_.set_mobility(turned_);
}

double StepAxes::flow_of(const Axis& axis, const InterfaceState& state) const {
  if (!is_in_space(axis.interface)) return state.flow;
  if (axis.part < 3) return state.motion.velocity[axis.part];
  return frames_[axis.interface].col(axis.part - 3).dot(state.motion.angular_velocity);
}

void StepAxes::flows(std::span<const InterfaceState> states, Eigen::VectorXd& flows) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Axis& axis = axes_[rows_[k]];
    flows[at(k)] = flow_of(axis, states[axis.interface]);
  }
}

void StepAxes::mean_flows(std::span<const InterfaceState> from, std::span<const InterfaceState> to,
                          Eigen::VectorXd& flows) const {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    Axis axis = axes_[rows_[k]];
    InterfaceState end = to[axis.interface];
    axis.end_flow = flow_of(axis, end);
    flows[at(k)] = mean_flow_of(axis, from[axis.interface], end);
  }
}

void StepAxes::look_at_waves(double t, double end) {
  const std::span<const core::Port> ports = exchange_.set().ports();
  for (Axis& axis : axes_) {
    const wave::TrackValue first = ports[axis.port].w(t, Side::right), last = ports[axis.port].w(end, Side::left);
    axis.start_wave = first.value, axis.end_wave = last.value;
    axis.mean_wave = (last.integral - first.integral) / (end - t);
    if (axis.row < 0) continue;
    waves_.begin[axis.row] = first.value, waves_.end[axis.row] = last.value, waves_.mean[axis.row] = axis.mean_wave;
  }
}

void StepAxes::begin_step(double t, double end, std::span<double> inputs, std::span<double> rates) {
  t_ = t, end_ = end;
  find_frames(t, end);
  rotate_mobility();
  look_at_waves(t, end);
  const auto states = exchange_.states();
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    Axis& axis = axes_[a];
    axis.flow = flow_of(axis, states[axis.interface]);
    if (axis.kind != Kind::motion) continue;
    const core::PortLaw& law = exchange_.set().ports()[axis.port].law;
    // The effort in the middle of the step, if it continues as it did over the last one.
    const double effort = 1.5 * states[axis.interface].effort - 0.5 * last_efforts_[a];
    axis.prescribed_flow = law.impedance > 0.0 ? (axis.mean_wave - law.a * effort) / law.impedance : 0.0;
  }
  flows(states, flow_);
  law_.begin(end - t, flow_, waves_);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    efforts_[k] = law_.first_effort(at(k));
    effort_rates_[k] = law_.effort_rate()[at(k)];
  }
  exchange_.fill_inputs(t, Side::right, inputs);
  std::fill(rates.begin(), rates.end(), 0.0);
  fill_efforts(inputs, efforts_);
  fill_efforts(rates, effort_rates_);
  fill_others(inputs, rates);
  for (const std::size_t led : led_) fill_led(led, inputs, rates);
}

void StepAxes::fill_efforts(std::span<double> inputs, std::span<const double> efforts) const {
  for (std::size_t k = 0; k < rows_.size();) {
    const Axis& axis = axes_[rows_[k]];
    if (!is_in_space(axis.interface)) {
      inputs[exchange_.first_input(axis.interface)] = efforts[k++];
      continue;
    }
    const core::Wrench wrench{Vector3d(efforts.data() + k), frames_[axis.interface] * Vector3d(efforts.data() + k + 3)};
    exchange_.fill_wrench(axis.interface, wrench, inputs);
    k += core::SpatialInterface::kAxes;
  }
}

void StepAxes::fill_led(std::size_t interface, std::span<double> inputs, std::span<double> rates) {
  if (shape_ == EffortShape::start) return;
  const core::SpatialInterface& space = *exchange_.set().spatial(interface);
  const double length = end_ - t_;
  const core::SpaceState from = space.given(t_, Side::right), to = space.given(end_, Side::left);
  if (shape_ == EffortShape::mean) {
    core::SpaceState mean = space.given(0.5 * (t_ + end_), Side::left);
    mean.motion.velocity = (to.pose.position - from.pose.position) / length;
    mean.motion.angular_velocity =
        core::rotation_vector(to.pose.orientation * from.pose.orientation.conjugate()) / length;
    mean.motion.acceleration = (to.motion.velocity - from.motion.velocity) / length;
    mean.motion.angular_acceleration = (to.motion.angular_velocity - from.motion.angular_velocity) / length;
    exchange_.fill_motion(interface, mean, inputs);
    return;
  }
  led_begin_.assign(inputs.size(), 0.0), led_end_.assign(inputs.size(), 0.0);
  exchange_.fill_motion(interface, from, led_begin_);
  exchange_.fill_motion(interface, to, led_end_);
  const std::size_t first = exchange_.first_input(interface), count = exchange_.count_inputs(interface);
  for (std::size_t k = first; k < first + count; ++k) {
    inputs[k] = led_begin_[k];
    rates[k] = (led_end_[k] - led_begin_[k]) / length;
  }
}

double StepAxes::effort_of(const Axis& axis, const InterfaceState& state) const {
  if (axis.kind != Kind::led) return state.effort;
  return axis.part < 3 ? state.load.force[axis.part] : state.load.torque[axis.part - 3];
}

void StepAxes::fill_others(std::span<double> inputs, std::span<double> rates) const {
  const double length = end_ - t_;
  const bool is_sloped = shape_ == EffortShape::sloped;
  const auto fill = [&](std::size_t place, double mean, double rate) {
    inputs[place] = is_sloped ? mean - 0.5 * length * rate : mean;
    rates[place] = is_sloped ? rate : 0.0;
  };
  for (const Axis& axis : axes_) {
    const std::size_t place = exchange_.first_input(axis.interface);
    if (axis.kind == Kind::motion) inputs[place] = axis.prescribed_flow;
    if (axis.kind == Kind::wave && !is_in_space(axis.interface)) {
      fill(place, axis.mean_wave, (axis.end_wave - axis.start_wave) / length);
    }
  }
  if (shape_ == EffortShape::start) return;
  for (const Input& input : signals_) {
    const wave::Track& track = exchange_.set().ports()[input.port].incoming;
    const wave::TrackValue first = track.at(t_, Side::right), last = track.at(end_, Side::left);
    fill(input.place, (last.integral - first.integral) / length, (last.value - first.value) / length);
  }
}

void StepAxes::fill_trial(Index row, double more, std::span<double> inputs) const {
  std::vector<double> efforts = efforts_;
  efforts[static_cast<std::size_t>(row)] += more;
  fill_efforts(inputs, efforts);
}

void StepAxes::correct_step(std::span<const InterfaceState> from, std::span<double> inputs) {
  mean_flows(from, exchange_.states(), mean_flow_);
  law_.correct(mean_flow_);
  for (std::size_t k = 0; k < rows_.size(); ++k) efforts_[k] = law_.first_effort(at(k));
  std::copy(from.begin(), from.end(), exchange_.states().begin());
  fill_efforts(inputs, efforts_);
}

double StepAxes::mean_flow_of(const Axis& axis, const InterfaceState& from, InterfaceState& to) const {
  const InterfaceMap& map = exchange_.map(axis.interface);
  const double length = end_ - t_;
  if (axis.kind == Kind::led) {
    const Vector3d way = axis.part < 3 ? Vector3d(to.pose.position - from.pose.position)
                                       : core::rotation_vector(to.pose.orientation * from.pose.orientation.conjugate());
    return way[axis.part % 3] / length;
  }
  // Under a held effort the flow runs straight; where the FMU reports no position, that is what there is.
  const double between = axis.kind == Kind::motion ? axis.prescribed_flow : 0.5 * (axis.flow + axis.end_flow);
  if (!is_in_space(axis.interface)) {
    if (!map.position.empty()) return (to.position - from.position) / length;
    to.position = from.position + length * between;
    return between;
  }
  if (axis.part < 3) {
    if (!map.position.empty()) return (to.pose.position[axis.part] - from.pose.position[axis.part]) / length;
    to.pose.position[axis.part] = from.pose.position[axis.part] + length * between;
    return between;
  }
  if (map.orientation_form == OrientationForm::none) return between;
  const Vector3d turn = core::rotation_vector(to.pose.orientation * from.pose.orientation.conjugate());
  return frames_[axis.interface].col(axis.part - 3).dot(turn) / length;
}

/// Work on the FMU where it is not an effort of the law.
double StepAxes::work_of(const Axis& axis, const InterfaceState& from, const InterfaceState& to) const {
  const double length = end_ - t_;
  if (axis.kind == Kind::motion) return length * axis.prescribed_flow * 0.5 * (from.effort + to.effort);
  if (axis.kind == Kind::led) return length * axis.mean_flow * 0.5 * (effort_of(axis, from) + effort_of(axis, to));
  // The FMU took the wave's mean for the wave; its flow is a parabola with these parts.
  const double Z = exchange_.set().ports()[axis.port].law.impedance;
  const double odd = 0.5 * (axis.end_flow - axis.flow), even = 0.5 * (axis.end_flow + axis.flow) - axis.mean_flow;
  const double squared = axis.mean_flow * axis.mean_flow + odd * odd / 3.0 + even * even / 5.0;
  return length * (axis.mean_wave * axis.mean_flow - Z * squared);
}

void StepAxes::note_published(double t, Side side, bool is_space_published) {
  for (Axis& axis : axes_) {
    const core::Port& port = exchange_.set().ports()[axis.port];
    const double Z = port.law.impedance;
    if (port.law.a != 1.0 || !(Z > 0.0) || (!is_space_published && is_in_space(axis.interface))) continue;
    const double wave = 2.0 * Z * flow_of(axis, exchange_.states()[axis.interface]) - port.w(t, side).value;
    const double length = t - axis.published_time;
    if (length > 0.0) {
      // Energy of the wave that leaves, as whoever receives it will see it.
      const wave::Knot from{axis.published_time, 0.0, axis.published_wave, 0.0}, to{t, axis.left, wave, 0.0};
      const double squared = publishes_means_ ? axis.left * axis.left / length
                                              : wave::squared_integral(wave::Interpolation::motion, from, to);
      accounts_[axis.port].injected += axis.kept + 0.25 / Z * squared;
      axis.left = axis.kept = 0.0;
    }
    axis.published_time = t;
    axis.published_wave = wave;
  }
}

void StepAxes::end_step(std::span<const InterfaceState> from, double end) {
  if (end != end_) {
    end_ = end;
    look_at_waves(t_, end);
    law_.cut_short(end - t_, waves_.mean);
  }
  const std::span<InterfaceState> states = exchange_.states();
  const std::span<const core::Port> ports = exchange_.set().ports();
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    Axis& axis = axes_[a];
    InterfaceState& to = states[axis.interface];
    if (axis.kind == Kind::motion) exchange_.set().settle_motion(axis.interface, end, Side::left, to);
    axis.end_flow = flow_of(axis, to);
    axis.mean_flow = mean_flow_of(axis, from[axis.interface], to);
    axis.mean_effort = 0.5 * (effort_of(axis, from[axis.interface]) + effort_of(axis, to));
    last_efforts_[a] = from[axis.interface].effort;
    if (axis.row < 0) continue;
    mean_flow_[axis.row] = axis.mean_flow;
    end_flow_[axis.row] = axis.end_flow;
  }
  ++steps_;
  law_.end(mean_flow_, end_flow_);
  for (Axis& axis : axes_) {
    const core::PortLaw& port_law = ports[axis.port].law;
    AxisEnergyAccount& account = accounts_[axis.port];
    const bool is_effort = axis.row >= 0;
    const double work = is_effort ? law_.work()[axis.row] : work_of(axis, from[axis.interface], states[axis.interface]);
    const double lawful = port_law.a == 0.0 ? axis.mean_effort : axis.mean_wave - port_law.impedance * axis.mean_flow;
    account.work += work;
    account.impulse += (end_ - t_) * lawful;
    if (port_law.a == 1.0 && port_law.impedance > 0.0) {
      const double arrived = 0.25 / port_law.impedance * wave::squared_integral(ports[axis.port].incoming, t_, end_);
      account.arrived += arrived;
      axis.kept += work - arrived;
      axis.left += (end_ - t_) * (2.0 * port_law.impedance * axis.mean_flow - axis.mean_wave);
    }
    account.largest_effort = std::max(account.largest_effort, std::abs(lawful));
    if (is_effort) account.largest_defect = std::max(account.largest_defect, std::abs(law_.defect()[axis.row]));
  }
  if (mobility_.learn(law_.effort(), law_.flow_rise())) law_.set_mobility(mobility_.matrix());
}

std::optional<StepAxes::Means> StepAxes::means(std::size_t port) const {
  for (const Axis& axis : axes_) {
    if (axis.port != port) continue;
    if (exchange_.set().ports()[port].law.a == 0.0) return Means{axis.mean_flow, axis.mean_effort};
    return Means{axis.mean_flow, axis.mean_wave - exchange_.set().ports()[port].law.impedance * axis.mean_flow};
  }
  return std::nullopt;
}

bool StepAxes::is_rough() const {
  if (steps_ < kStepsToJudge) return false;
  double injected = 0.0, passed = 0.0;
  for (const Axis& axis : axes_) {
    if (axis.kind != Kind::effort) continue;
    const AxisEnergyAccount& account = accounts_[axis.port];
    injected += account.injected;
    passed += account.arrived + std::abs(account.work);
  }
  return injected > kRoughShare * passed;
}

void StepAxes::add_smooth(std::size_t port, double length, double effort, double flow) {
  AxisEnergyAccount& account = accounts_[port];
  account.work += length * effort * flow;
  account.impulse += length * effort;
  account.largest_effort = std::max(account.largest_effort, std::abs(effort));
}

double StepAxes::impulse(std::size_t port, double t, wave::Side side, double position) const {
  const core::Port& own = exchange_.set().ports()[port];
  const AxisEnergyAccount& account = accounts_[port];
  // Later knots change what an extrapolated track was when it was read.
  if (own.law.a != 1.0 || !own.has_position || own.incoming.extrapolates()) return account.impulse;
  return own.w(t, side).integral - account.start_integral - own.law.impedance * (position - account.start_position);
}

void StepAxes::save(core::ArchiveWriter& archive) const {
  law_.save(archive);
  mobility_.save(archive);
  archive.put(publishes_means_), archive.put(steps_);
  archive.put_span<double>(last_efforts_);
  archive.put_span<AxisEnergyAccount>(accounts_);
  for (const Axis& axis : axes_) {
    archive.put(axis.published_time), archive.put(axis.published_wave), archive.put(axis.left), archive.put(axis.kept);
  }
}

void StepAxes::restore(core::ArchiveReader& archive) {
  law_.restore(archive);
  mobility_.restore(archive);
  archive.get(publishes_means_), archive.get(steps_);
  archive.get_span<double>(last_efforts_);
  archive.get_span<AxisEnergyAccount>(accounts_);
  for (Axis& axis : axes_) {
    archive.get(axis.published_time), archive.get(axis.published_wave), archive.get(axis.left), archive.get(axis.kept);
  }
}

}  // namespace tieline::fmi
