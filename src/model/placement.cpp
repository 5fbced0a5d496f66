#include "model/placement.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "document/expression.hpp"
#include "model/names.hpp"

namespace tieline::model {
namespace {

using core::Pose;
using document::Diagnostics;
using document::Element;
using document::Scope;

core::Causality read_causality(const Element& element, core::Domain domain) {
  for (const auto causality :
       {core::Causality::takes_force, core::Causality::takes_motion, core::Causality::input, core::Causality::output}) {
    if (element.get("causality") == core::name_of(causality)) return causality;
  }
  return domain == core::Domain::signal ? core::Causality::input : core::Causality::takes_force;
}

DeclaredInterface read_interface(const Element& element, const Scope& scope, Diagnostics& diagnostics) {
  DeclaredInterface interface { .declaration = element };
  interface.name = scope.interpolate(element.get("name"), element.place_of("name"), diagnostics).value_or("");
  interface.domain = core::domain_from_name(element.get("domain", "translation")).value_or(interface.domain);
  interface.causality = read_causality(element, interface.domain);
  const bool is_signal = interface.domain == core::Domain::signal;
  const bool is_directed =
      interface.causality == core::Causality::input || interface.causality == core::Causality::output;
  if (is_signal != is_directed) {
    diagnostics.error(element.place_of("causality"),
                      fmt::format("an interface of domain {} cannot have causality=\"{}\"",
                                  core::names_of(interface.domain).domain, core::name_of(interface.causality)));
  }
  if (is_signal || interface.domain == core::Domain::mechanical3d) {
    interface.size = document::read_size(element, scope, diagnostics);
  } else if (element.has("size")) {
    diagnostics.error(element.place_of("size"),
                      "only signals and interfaces in space (domain mechanical3d) have a size");
  }
  interface.pose = read_pose(element, scope, diagnostics);
  return interface;
}

/// Where the `to` end would be, and which rotations are free, so that the joint of a connection is not felt.
struct Fit {
  Pose to{};
  core::FreeAxes free_rotation{};
};

Fit fit_of(const Connection& connection, const Pose& from, const Pose& to) {
  if (connection.coupling != Coupling::glue) return {to, connection.line.free_rotation};
  using core::GlueJoint;
  const GlueJoint joint = connection.glue.joint;
  Fit fit{.to = to};
  if (joint == GlueJoint::spherical) fit.free_rotation = {true, true, true};
  if (joint == GlueJoint::revolute || joint == GlueJoint::cylindrical)
    fit.free_rotation[static_cast<std::size_t>(connection.glue.axis)] = true;
  if (joint == GlueJoint::prismatic || joint == GlueJoint::cylindrical) {
    const Eigen::Vector3d axis = from.orientation * Eigen::Vector3d::Unit(connection.glue.axis);
    fit.to.position -= axis * axis.dot(to.position - from.position);
  }
  return fit;
}

/// Finds the poses of frames, each after those that it depends on.
class Placer {
 public:
  Placer(const CompositeModel& model, const InterfaceSource& interfaces_of, Diagnostics& diagnostics)
      : model_(model), interfaces_of_(interfaces_of), diagnostics_(diagnostics), states_(model.frames.size()) {}

  Pose world_of(int frame) {
    if (frame < 0) return {};
    State& state = states_[static_cast<std::size_t>(frame)];
    if (state.pose) return *state.pose;
    const Frame& placed = model_.frames[static_cast<std::size_t>(frame)];
    if (state.is_open) {
      diagnostics_.error(placed.declaration.place_of("attach"),
                         fmt::format("the place of '{}' depends on itself: follow its attach", placed.name));
      return {};
    }
    state.is_open = true;
    const Pose world = placed.target ? attached(frame, placed) : compose(world_of(placed.parent), placed.pose);
    state.is_open = false;
    state.pose = world;
    return world;
  }

  Pose world_of(const Endpoint& end) { return compose(world_of(component(end).frame), pose_in_component(end)); }

 private:
  struct State {
    std::optional<Pose> pose{};
    bool is_open = false;
  };

  [[nodiscard]] const Component& component(const Endpoint& end) const {
    return model_.components[static_cast<std::size_t>(end.component)];
  }

  [[nodiscard]] Pose pose_in_component(const Endpoint& end) const {
    for (const auto& interface : interfaces_of_(end.component).interfaces) {
      if (interface.name == end.interface) return interface.pose;
    }
    return {};
  }

  /// Such that the frame's own interface has the pose of its target.
  Pose attached(int frame, const Frame& placed) {
    Pose own = pose_in_component(*placed.own);
    for (int inner = component(*placed.own).frame; inner != frame && inner >= 0;) {
      const Frame& between = model_.frames[static_cast<std::size_t>(inner)];
      if (between.target) {
        diagnostics_.error(placed.declaration.place_of("attach"),
                           fmt::format("'{}' cannot be attached by an interface of '{}', which is attached itself",
                                       placed.name, between.name));
      }
      own = compose(between.pose, own);
      inner = between.parent;
    }
    return compose(world_of(*placed.target), inverse(own));
  }

  const CompositeModel& model_;
  const InterfaceSource& interfaces_of_;
  Diagnostics& diagnostics_;
  std::vector<State> states_;
};

}  // namespace

Pose read_pose(const Element& element, const Scope& scope, Diagnostics& diagnostics) {
  const auto position = document::read_vector(element, "position", scope, diagnostics);
  const auto angles = document::read_vector(element, "angles", scope, diagnostics);
  return {Eigen::Vector3d(position.data()), core::rotation_from_angles(Eigen::Vector3d(angles.data()))};
}

std::vector<DeclaredInterface> read_interfaces(const Statements& statements, const Scope& scope,
                                               Diagnostics& diagnostics) {
  std::vector<DeclaredInterface> interfaces;
  for (const auto& statement : statements) {
    const std::size_t nearer = interfaces.size();
    for (const auto& element : statement.element.children("Interface")) {
      auto interface = read_interface(element, scope, diagnostics);
      const auto twin = std::find_if(interfaces.begin(), interfaces.end(),
                                     [&](const auto& other) { return other.name == interface.name; });
      if (twin == interfaces.end()) {
        interfaces.push_back(std::move(interface));
      } else if (twin >= interfaces.begin() + static_cast<std::ptrdiff_t>(nearer)) {
        diagnostics.error(element.place_of("name"), fmt::format("interface '{}' appears twice", interface.name));
      }
    }
  }
  return interfaces;
}

void place_components(CompositeModel& model, const InterfaceSource& interfaces_of, Diagnostics& diagnostics) {
  Placer placer(model, interfaces_of, diagnostics);
  for (auto& component : model.components) component.placement = placer.world_of(component.frame);
}

void check_coincidence(const CompositeModel& model, const InterfaceSource& interfaces_of, Diagnostics& diagnostics) {
  const auto pose_of = [&](const Endpoint& end) -> std::optional<Pose> {
    if (end.component < 0) return std::nullopt;
    for (const auto& interface : interfaces_of(end.component).interfaces) {
      if (interface.name != end.interface || interface.domain != core::Domain::mechanical3d) continue;
      if (interface.size > 1) return std::nullopt;  // its points have places of their own
      return compose(model.components[static_cast<std::size_t>(end.component)].placement, interface.pose);
    }
    return std::nullopt;
  };
  for (const auto& connection : model.connections) {
    const auto from = pose_of(connection.from);
    const auto to = pose_of(connection.to);
    if (!from || !to) continue;
    const Fit fit = fit_of(connection, *from, *to);
    if (const auto mismatch = core::describe_mismatch(*from, fit.to, fit.free_rotation)) {
      diagnostics.error(connection.declaration.place(),
                        fmt::format("connection '{}' of '{}' and '{}': {}", connection.name,
                                    model.describe(connection.from), model.describe(connection.to), *mismatch));
    }
  }
}

}  // namespace tieline::model
