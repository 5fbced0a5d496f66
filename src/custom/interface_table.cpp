#include "custom/interface_table.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <fmt/format.h>

namespace tieline::custom {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// How far a matrix may be from a rotation: components integrate them.
constexpr double kRotationTolerance = 1e-6;

Vector3d eigen(const Vector& v) { return {v[0], v[1], v[2]}; }
Vector plain(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }

core::Domain domain_of(Domain domain) {
  switch (domain) {
    case Domain::translation:
      return core::Domain::translation;
    case Domain::rotation:
      return core::Domain::rotation;
    case Domain::hydraulic:
      return core::Domain::hydraulic;
    case Domain::electrical:
      return core::Domain::electrical;
    case Domain::thermal:
      return core::Domain::thermal;
    case Domain::mechanical3d:
      return core::Domain::mechanical3d;
    case Domain::signal:
      return core::Domain::signal;
  }
  return core::Domain::signal;
}

core::Causality causality_of(Causality causality) {
  switch (causality) {
    case Causality::force_in:
      return core::Causality::takes_force;
    case Causality::motion_in:
      return core::Causality::takes_motion;
    case Causality::input:
      return core::Causality::input;
    case Causality::output:
      return core::Causality::output;
  }
  return core::Causality::output;
}

const char* name_of(Causality causality) {
  switch (causality) {
    case Causality::force_in:
      return "an interface with force in";
    case Causality::motion_in:
      return "an interface with motion in";
    case Causality::input:
      return "a signal input";
    case Causality::output:
      return "a signal output";
  }
  return "?";
}

}  // namespace

std::vector<core::InterfaceShape> shapes_of(const std::vector<InterfaceDeclaration>& declared) {
  std::vector<core::InterfaceShape> shapes;
  for (const InterfaceDeclaration& one : declared) {
    shapes.push_back({.name = one.name,
                      .domain = domain_of(one.domain),
                      .causality = causality_of(one.causality),
                      .size = one.size,
                      .reports_rates = true});
    if (const auto problem = core::problem_with(shapes.back())) {
      throw std::invalid_argument(fmt::format("interface '{}': {}", one.name, *problem));
    }
    const core::InterfaceShape& shape = shapes.back();
    if (shape.domain == core::Domain::mechanical3d && shape.causality == core::Causality::takes_motion) {
      throw std::invalid_argument(fmt::format(
          "interface '{}': in space an interface takes force: only those of one axis may take motion", one.name));
    }
    const std::size_t starts = one.start.size();
    if (starts > 1 && starts != static_cast<std::size_t>(one.size)) {
      throw std::invalid_argument(
          fmt::format("interface '{}' has {} numbers, but {} start values", one.name, one.size, starts));
    }
    for (std::size_t k = 0; k + 1 < shapes.size(); ++k) {
      if (shapes[k].name == one.name) {
        throw std::invalid_argument(fmt::format("two interfaces have the name '{}'", one.name));
      }
    }
  }
  return shapes;
}

std::vector<core::Column> interface_columns(const std::vector<InterfaceDeclaration>& declared,
                                            const core::InterfaceSet& set) {
  std::vector<core::Column> columns = set.columns();
  std::size_t at = 0;
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const std::size_t count = core::InterfaceSet({set.shape(i)}).columns().size();
    if (declared[i].domain == Domain::signal) {
      for (std::size_t k = at; k < at + count; ++k) columns[k].unit = declared[i].unit;
    }
    at += count;
  }
  return columns;
}

InterfaceTable::InterfaceTable(std::vector<InterfaceDeclaration> declared, const core::Pose& placement)
    : declared_(std::move(declared)),
      placement_(placement),
      turn_(placement.orientation.toRotationMatrix()),
      set_(shapes_of(declared_)),
      states_(declared_.size()),
      arrived_(declared_.size()),
      has_rate_(declared_.size(), false),
      is_reported_(declared_.size(), false),
      effort_rates_(declared_.size(), 0.0),
      last_turns_(declared_.size(), placement.orientation) {
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    const InterfaceDeclaration& one = declared_[i];
    states_[i].pose = placement;
    if (one.causality == Causality::motion_in) motion_in_.push_back(i);
    has_outputs_ = has_outputs_ || one.causality == Causality::output;
    if (one.domain != Domain::signal) continue;
    const auto count = static_cast<std::size_t>(one.size);
    states_[i].values.assign(count, 0.0);
    states_[i].rates.assign(count, 0.0);
    arrived_[i].values.assign(count, one.start.empty() ? 0.0 : one.start.front());
    if (one.start.size() > 1) arrived_[i].values = one.start;
  }
}

void InterfaceTable::begin(double t, wave::Side side) {
  t_ = t, side_ = side;
  std::fill(has_rate_.begin(), has_rate_.end(), false);
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    if (declared_[i].causality != Causality::input) continue;
    const std::span<core::Port> ports = set_.ports_of(i);
    for (std::size_t k = 0; k < ports.size(); ++k) {
      if (!ports[k].incoming.empty()) arrived_[i].values[k] = ports[k].w(t, side).value;
    }
  }
}

void InterfaceTable::find_forces() {
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    if (declared_[i].causality != Causality::force_in) continue;
    if (core::SpatialInterface* const space = set_.spatial(i)) {
      arrived_[i].load = load_in_component(space->wrench(t_, side_, states_[i].pose, states_[i].motion));
    } else {
      const core::Port& port = set_.ports_of(i)[0];
      arrived_[i].force = port.effort_for(states_[i].flow, port.w(t_, side_).value);
    }
  }
}

bool InterfaceTable::knows_all_rates() const {
  if (!motion_in_.empty() || has_outputs_) return false;
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    if (declared_[i].causality == Causality::force_in && !has_rate_[i]) return false;
  }
  return true;
}

std::string InterfaceTable::unreported() const {
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    if (declared_[i].causality != Causality::input && !is_reported_[i]) return declared_[i].name;
  }
  return {};
}

void InterfaceTable::collect(std::vector<double>& numbers) const {
  numbers.clear();
  const auto put = [&](const Vector3d& v) { numbers.insert(numbers.end(), v.data(), v.data() + 3); };
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    const core::InterfaceState& state = states_[i];
    if (declared_[i].domain == Domain::mechanical3d) {
      put(state.motion.velocity), put(state.motion.angular_velocity);
    } else if (declared_[i].causality == Causality::output) {
      numbers.insert(numbers.end(), state.values.begin(), state.values.end());
    } else if (declared_[i].domain != Domain::signal) {
      numbers.push_back(state.flow), numbers.push_back(state.effort);
    }
  }
}

void InterfaceTable::take_rates(std::span<const double> rates) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    core::InterfaceState& state = states_[i];
    if (declared_[i].domain == Domain::mechanical3d) {
      if (!has_rate_[i]) {
        state.motion.acceleration = Vector3d(rates.data() + at);
        state.motion.angular_acceleration = Vector3d(rates.data() + at + 3);
      }
      at += 6;
    } else if (declared_[i].causality == Causality::output) {
      std::copy_n(rates.begin() + static_cast<std::ptrdiff_t>(at), state.rates.size(), state.rates.begin());
      at += state.rates.size();
    } else if (declared_[i].domain != Domain::signal) {
      if (!has_rate_[i]) state.flow_rate = rates[at];
      effort_rates_[i] = rates[at + 1];
      at += 2;
    }
  }
}

void InterfaceTable::keep_accelerations(Accelerations& kept) const {
  kept.states = states_;
  kept.is_set = has_rate_;
}

void InterfaceTable::put_accelerations(const Accelerations& kept) {
  has_rate_ = kept.is_set;
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    if (!has_rate_[i]) continue;
    states_[i].flow_rate = kept.states[i].flow_rate;
    states_[i].motion.acceleration = kept.states[i].motion.acceleration;
    states_[i].motion.angular_acceleration = kept.states[i].motion.angular_acceleration;
  }
}

void InterfaceTable::observe(double t, wave::Side side, std::span<core::PortOutput> outputs) {
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    set_.observe(i, t, side, states_[i], outputs);
    const std::size_t first = set_.first_port(i);
    if (declared_[i].causality == Causality::input) {
      for (std::size_t k = 0; k < arrived_[i].values.size(); ++k) outputs[first + k].flow = arrived_[i].values[k];
    } else if (declared_[i].causality == Causality::motion_in && std::isnan(outputs[first].effort_rate)) {
      outputs[first].effort_rate = effort_rates_[i];
    }
  }
}

void InterfaceTable::save(core::ArchiveWriter& archive) const {
  for (const Eigen::Quaterniond& turn : last_turns_) {
    for (const double number : turn.coeffs()) archive.put(number);
  }
}

void InterfaceTable::restore(core::ArchiveReader& archive) {
  for (Eigen::Quaterniond& turn : last_turns_) {
    for (double& number : turn.coeffs()) archive.get(number);
  }
}

core::Pose InterfaceTable::pose_in_world(int interface, const Motion3d& motion) const {
  const Matrix3d own = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(motion.orientation.data());
  const double off = (own * own.transpose() - Matrix3d::Identity()).cwiseAbs().maxCoeff();
  if (!(off <= kRotationTolerance) || !(own.determinant() > 0.0)) {
    throw std::logic_error(
        fmt::format("the orientation of interface '{}' is not a rotation: its rows must be orthogonal unit vectors; "
                    "the error is {:.3g}",
                    declared_[static_cast<std::size_t>(interface)].name, off));
  }
  return core::compose(placement_, {eigen(motion.position), Eigen::Quaterniond(own).normalized()});
}

core::SpatialMotion InterfaceTable::motion_in_world(const Motion3d& motion) const {
  core::SpatialMotion result;
  result.velocity = turn_ * eigen(motion.velocity);
  result.angular_velocity = turn_ * eigen(motion.angular_velocity);
  return result;
}

Load3d InterfaceTable::load_in_component(const core::Wrench& wrench) const {
  return {plain(turn_.transpose() * wrench.force), plain(turn_.transpose() * wrench.torque)};
}

std::size_t InterfaceTable::expect(int interface, Causality causality, bool is_in_space, const char* call) const {
  if (interface < 0 || static_cast<std::size_t>(interface) >= declared_.size()) {
    throw std::logic_error(
        fmt::format("{}: there is no interface {}; the component declares {}", call, interface, declared_.size()));
  }
  const auto i = static_cast<std::size_t>(interface);
  const bool fits = declared_[i].causality == causality &&
                    (causality != Causality::force_in || (declared_[i].domain == Domain::mechanical3d) == is_in_space);
  if (!fits) {
    throw std::logic_error(fmt::format("{} is for {}{}; '{}' is {}", call, name_of(causality),
                                       causality != Causality::force_in ? ""
                                       : is_in_space                    ? " in space"
                                                                        : " along one axis",
                                       declared_[i].name, name_of(declared_[i].causality)));
  }
  return i;
}

double InterfaceTable::force(int interface) const {
  return arrived_[expect(interface, Causality::force_in, false, "force")].force;
}
Load3d InterfaceTable::load(int interface) const {
  return arrived_[expect(interface, Causality::force_in, true, "load")].load;
}
double InterfaceTable::velocity(int interface) const {
  return states_[expect(interface, Causality::motion_in, false, "velocity")].flow;
}
std::span<const double> InterfaceTable::signal(int interface) const {
  return arrived_[expect(interface, Causality::input, false, "signal")].values;
}

bool InterfaceTable::is_connected(int interface) const {
  const auto i = static_cast<std::size_t>(interface);
  if (interface < 0 || i >= declared_.size()) {
    throw std::logic_error(fmt::format("is_connected: there is no interface {}", interface));
  }
  const std::span<const core::Port> ports = set_.ports().subspan(set_.first_port(i), 1);
  return ports[0].is_connected || !ports[0].incoming.empty();
}

void InterfaceTable::set_motion(int interface, double position, double velocity) {
  const std::size_t i = expect(interface, Causality::force_in, false, "set_motion");
  states_[i].position = position;
  states_[i].flow = velocity;
  is_reported_[i] = true;
}

void InterfaceTable::set_motion(int interface, const Motion3d& motion) {
  const std::size_t i = expect(interface, Causality::force_in, true, "set_motion");
  core::Pose pose = pose_in_world(interface, motion);
  // Of two equal quaternions the one that is near the last: the published rotation must not jump.
  if (pose.orientation.dot(last_turns_[i]) < 0.0) pose.orientation.coeffs() *= -1.0;
  last_turns_[i] = pose.orientation;
  states_[i].pose = pose;
  const core::SpatialMotion moved = motion_in_world(motion);
  states_[i].motion.velocity = moved.velocity;
  states_[i].motion.angular_velocity = moved.angular_velocity;
  is_reported_[i] = true;
}

void InterfaceTable::set_acceleration(int interface, double acceleration) {
  const std::size_t i = expect(interface, Causality::force_in, false, "set_acceleration");
  states_[i].flow_rate = acceleration;
  has_rate_[i] = true;
}

void InterfaceTable::set_acceleration(int interface, const Vector& acceleration, const Vector& angular_acceleration) {
  const std::size_t i = expect(interface, Causality::force_in, true, "set_acceleration");
  states_[i].motion.acceleration = turn_ * eigen(acceleration);
  states_[i].motion.angular_acceleration = turn_ * eigen(angular_acceleration);
  has_rate_[i] = true;
}

void InterfaceTable::set_force(int interface, double position, double force) {
  const std::size_t i = expect(interface, Causality::motion_in, false, "set_force");
  states_[i].position = position;
  states_[i].effort = force;
  if (follows_laws_) set_.settle_motion(i, t_, side_, states_[i]);
  is_reported_[i] = true;
}

void InterfaceTable::set_signal(int interface, std::span<const double> values) {
  const std::size_t i = expect(interface, Causality::output, false, "set_signal");
  if (values.size() != states_[i].values.size()) {
    throw std::logic_error(fmt::format("the signal '{}' has {} numbers, but {} are set", declared_[i].name,
                                       states_[i].values.size(), values.size()));
  }
  std::copy(values.begin(), values.end(), states_[i].values.begin());
  is_reported_[i] = true;
}

}  // namespace tieline::custom
