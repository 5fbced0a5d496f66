#include "assembly/connection_figures.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "assembly/relations.hpp"
#include "core/signal_members.hpp"
#include "engine/glued_group.hpp"
#include "engine/group.hpp"
#include "lines/line.hpp"
#include "lines/spatial_line.hpp"

namespace tieline::assembly {

model::InterfacePart part_at(const CheckedModel& checked, const model::Endpoint& end) {
  if (end.component < 0) return {};
  const auto& blueprint = checked.blueprints[static_cast<std::size_t>(end.component)];
  return blueprint ? model::find_interface(blueprint->interfaces, end.interface) : model::InterfacePart{};
}

std::span<core::Port> ports_at(const CheckedModel& checked, const model::Endpoint& end, core::Component& component) {
  const auto part = part_at(checked, end);
  const auto all = component.ports();
  const std::string first = core::member_name(part.interface->name, part.interface->size, part.first);
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const core::Port& candidate) { return candidate.name == first; });
  // The numbers of a signal stand one after the other.
  return all.subspan(static_cast<std::size_t>(found - all.begin()), static_cast<std::size_t>(part.size));
}

std::vector<core::SpatialInterface*> interfaces_at(const CheckedModel& checked, const model::Endpoint& end,
                                                   core::Component& component) {
  const model::InterfacePart part = part_at(checked, end);
  std::vector<core::SpatialInterface*> result;
  for (int k = part.first; k < part.first + part.size; ++k) {
    const std::string name = core::member_name(part.interface->name, part.interface->size, k);
    for (core::SpatialInterface* candidate : component.spatial_interfaces()) {
      if (candidate->name() == name) result.push_back(candidate);
    }
  }
  return result;
}

core::Pose start_pose(const CheckedModel& checked, const model::Endpoint& end) {
  return core::compose(checked.model.components[static_cast<std::size_t>(end.component)].placement,
                       part_at(checked, end).interface->pose);
}

StartLoad start_load(const CheckedModel& checked, const model::Connection& connection) {
  const auto& line = connection.line;
  const Eigen::Quaterniond from = start_pose(checked, connection.from).orientation;
  const Eigen::Quaterniond to = start_pose(checked, connection.to).orientation;
  const Eigen::Quaterniond common =
      core::common_frame({.orientation = from}, {.orientation = to}, line.free_rotation).orientation;
  const Eigen::Vector3d force = from * Eigen::Vector3d(line.initial_force_in_space.data());
  const Eigen::Vector3d torque = common.conjugate() * (from * Eigen::Vector3d(line.initial_torque.data()));
  return {{force.x(), force.y(), force.z()}, {torque.x(), torque.y(), torque.z()}};
}

std::vector<core::Column> connection_columns(const CheckedModel& checked, const model::Connection& connection) {
  const core::Domain domain = domain_of(checked, connection);
  if (connection.coupling == model::Coupling::glue) return engine::GluedGroup::columns_of(domain);
  if (domain == core::Domain::mechanical3d && connection.coupling == model::Coupling::line)
    return lines::spatial_line_columns();
  return connection.coupling == model::Coupling::line ? lines::line_columns(domain)
                                                      : engine::Group::link_columns(domain);
}

core::Domain domain_of(const CheckedModel& checked, const model::Connection& connection) {
  const auto part = part_at(checked, connection.from);
  return part ? part.interface->domain : core::Domain::translation;
}

namespace {

coupling::LineParameters parameters_of(const model::Connection& connection) {
  const model::LineNumbers& n = connection.line;
  return {.delay = connection.delay,
          .stiffness = n.stiffness,
          .impedance = n.impedance,
          .youngs_modulus = n.youngs_modulus,
          .area = n.area,
          .length = n.length,
          .sound_speed = n.sound_speed,
          .damping = n.damping,
          .bulk_modulus = n.bulk_modulus,
          .density = n.density,
          .inductance = n.inductance,
          .capacitance = n.capacitance,
          .heat_capacity = n.heat_capacity,
          .resistance = n.resistance};
}

}  // namespace

std::optional<coupling::LineFigures> line_figures(const CheckedModel& checked, const model::Connection& connection,
                                                  std::string& problem) {
  return coupling::derive(parameters_of(connection), domain_of(checked, connection), problem);
}

std::optional<coupling::SpatialFigures> spatial_figures(const model::Connection& connection, std::string& problem) {
  const model::LineNumbers& n = connection.line;
  return coupling::derive({.translation = parameters_of(connection),
                           .stiffness_rotation = n.stiffness_rotation,
                           .impedance_rotation = n.impedance_rotation,
                           .damping_rotation = n.damping_rotation,
                           .free_rotation = n.free_rotation},
                          problem);
}

namespace {

std::string describe_line(const coupling::LineFigures& figures, core::Domain domain) {
  const coupling::LineNames& names = coupling::line_names_of(domain);
  return fmt::format("T = {:g} s, Z = {:g} {}, {} = {:g} {}, {} {:g} {}, first frequency {:g} Hz, damping {:g}",
                     figures.law.delay, figures.impedance, names.impedance_unit, names.static_name,
                     coupling::static_figure(figures, domain), names.static_unit, names.parasitic_name,
                     figures.parasitic_mass, names.parasitic_unit, figures.first_frequency, figures.law.damping);
}

std::string describe_spatial_line(const ConnectionFigures& of_connection) {
  const auto& figures = of_connection.spatial;
  if (!figures) return "line in space: " + of_connection.problem;
  std::string text = "line in space: " + describe_line(figures->translation, core::Domain::translation);
  if (figures->carries_torque()) text += "; rotation: " + describe_line(figures->rotation, core::Domain::rotation);
  constexpr std::array<const char*, 3> kAxes{"rx", "ry", "rz"};
  std::string free;
  for (std::size_t i = 0; i < kAxes.size(); ++i) {
    if (figures->free_rotation[i]) free += (free.empty() ? "" : ", ") + std::string(kAxes[i]);
  }
  return free.empty() ? text : text + "; free: " + free;
}

std::string describe_glue(const CheckedModel& checked, const model::Connection& connection) {
  std::string text = "glued";
  const int from = part_at(checked, connection.from).size, to = part_at(checked, connection.to).size;
  if (from > 1 || to > 1) text += fmt::format(", {} points to {}", from, to);
  const auto [joint, axis] = connection.glue;
  if (joint == core::GlueJoint::spherical) text += ", spherical";
  if (joint != core::GlueJoint::fixed && joint != core::GlueJoint::spherical)
    text += fmt::format(", {} {} {}", core::name_of(joint), joint == core::GlueJoint::prismatic ? "along" : "about",
                        "xyz"[axis]);
  const model::Gluing* gluing = checked.model.find_gluing(connection.level);
  static const core::GluingSettings kDefaults;
  const core::GluingSettings& settings = gluing == nullptr ? kDefaults : gluing->settings;
  text += fmt::format(": compatibility {}, forces {}, update {}", core::name_of(settings.compatibility),
                      core::name_of(settings.forces), core::name_of(settings.update));
  if (settings.step_tolerance)
    text += fmt::format(", step by tolerance {:g}", *settings.step_tolerance);
  else if (settings.step)
    text += fmt::format(", step {:g} s", *settings.step);
  return text;
}

/// Which end of a connection steps first, where one always does.
std::string describe_order(const CheckedModel& checked, const model::Connection& connection) {
  if (connection.sampled.schedule != core::Schedule::gauss_seidel || checked.nodes.empty()) return "";
  const std::vector<int>& members = checked.node_of(connection.from.component).components;
  const auto place = [&](int component) { return std::find(members.begin(), members.end(), component); };
  const bool is_from = place(connection.from.component) < place(connection.to.component);
  const int first = is_from ? connection.from.component : connection.to.component;
  return fmt::format(", '{}' first", checked.model.components[static_cast<std::size_t>(first)].name);
}

}  // namespace

std::string describe_connection(const CheckedModel& checked, std::size_t index) {
  const model::Connection& connection = checked.model.connections[index];
  switch (connection.coupling) {
    case model::Coupling::line: {
      if (connection.from.component < 0) return "line";
      const core::Domain domain = domain_of(checked, connection);
      if (domain == core::Domain::mechanical3d) return describe_spatial_line(checked.figures[index]);
      const auto& [line, spatial, problem] = checked.figures[index];
      return "line: " + (line ? describe_line(*line, domain) : problem) + describe_relations(checked.relations[index]);
    }
    case model::Coupling::sampled: {
      const std::string step = connection.sampled.step ? fmt::format(", step {:g} s", *connection.sampled.step) : "";
      return fmt::format("sampled: {}, {}{}{}{}", core::name_of(connection.sampled.schedule),
                         core::name_of(connection.sampled.extrapolation), step, describe_order(checked, connection),
                         describe_relations(checked.relations[index]));
    }
    case model::Coupling::glue:
      return describe_glue(checked, connection) + describe_relations(checked.relations[index]);
    case model::Coupling::signal: {
      const int size = part_at(checked, connection.from).size;
      return (size > 1 ? fmt::format("signal of size {}, ", size) : "signal, ") +
             (connection.delay.value_or(0.0) > 0.0 ? fmt::format("delayed by {:g} s", *connection.delay)
                                                   : "undelayed") +
             describe_relations(checked.relations[index]);
    }
  }
  return "";
}

}  // namespace tieline::assembly
