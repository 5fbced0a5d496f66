#pragma once

#include <array>
#include <optional>
#include <string>

#include "assembly/checked_model.hpp"
#include "core/component.hpp"
#include "core/spatial.hpp"

namespace tieline::assembly {

/// What stands at an end of a model without errors.
[[nodiscard]] model::InterfacePart part_at(const CheckedModel& checked, const model::Endpoint& end);
/// The ports of that end's component that belong to it: one, or one for each number of a signal.
[[nodiscard]] std::span<core::Port> ports_at(const CheckedModel& checked, const model::Endpoint& end,
                                             core::Component& component);
/// The interfaces in space at that end; several where it is a set.
[[nodiscard]] std::vector<core::SpatialInterface*> interfaces_at(const CheckedModel& checked,
                                                                 const model::Endpoint& end,
                                                                 core::Component& component);
/// Where an end in space is at the start, as the model places it.
[[nodiscard]] core::Pose start_pose(const CheckedModel& checked, const model::Endpoint& end);
/// What a line in space does to the component at its `to` end at the start, as stated.
struct StartLoad {
  std::array<double, 3> force{};   ///< in world axes [N]
  std::array<double, 3> torque{};  ///< in the axes of the ends' common frame [N m]
};
[[nodiscard]] StartLoad start_load(const CheckedModel& checked, const model::Connection& connection);
/// What is recorded of a connection that is no signal.
[[nodiscard]] std::vector<core::Column> connection_columns(const CheckedModel& checked,
                                                           const model::Connection& connection);
/// What the connection's ends carry.
[[nodiscard]] core::Domain domain_of(const CheckedModel& checked, const model::Connection& connection);
/// Impedance, stiffness, delay and what follows from them; nothing, and the reason, where the numbers do not fit.
/// `CheckedModel::figures` has those of all connections.
[[nodiscard]] std::optional<coupling::LineFigures> line_figures(const CheckedModel& checked,
                                                                const model::Connection& connection,
                                                                std::string& problem);
/// The same for a line between interfaces in space.
[[nodiscard]] std::optional<coupling::SpatialFigures> spatial_figures(const model::Connection& connection,
                                                                      std::string& problem);
/// One line for people: the coupling and its figures.
[[nodiscard]] std::string describe_connection(const CheckedModel& checked, std::size_t connection);

}  // namespace tieline::assembly
