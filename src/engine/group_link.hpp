#pragma once

#include <string>

#include "core/component.hpp"
#include "core/relation.hpp"
#include "core/sampling.hpp"
#include "core/spatial.hpp"
#include "coupling/layer_plan.hpp"

namespace tieline::engine {

/// One undelayed connection between two members of a group: physical (both directions) or a signal (a to b).
struct GroupLink {
  std::string name{};
  int member_a = 0;
  int member_b = 0;
  core::Port* port_a = nullptr;
  core::Port* port_b = nullptr;
  core::Extrapolation extrapolation = core::Extrapolation::hermite;
  core::RecordPlan recording{};                  ///< of the columns that Group::link_columns names
  core::Relation relation{};                     ///< from a to b: of a signal, or of positions along an axis
  std::size_t delivered_a = 0, delivered_b = 0;  ///< samples of the outboxes that the partner has
  /// In space; `port_a` and `port_b` are then the first of their ports, which lie one behind the other.
  core::SpatialInterface *space_a = nullptr, *space_b = nullptr;

  coupling::LayerEdge::Order order = coupling::LayerEdge::Order::unstated;  ///< where members step in layers

  core::Relation relation_back{};  ///< from b to a

  [[nodiscard]] const core::Relation& relation_from(bool is_from_a) const {
    return is_from_a ? relation : relation_back;
  }
  [[nodiscard]] bool is_signal() const { return port_a->domain == core::Domain::signal; }
  [[nodiscard]] bool is_in_space() const { return space_a != nullptr; }
  /// Those along which efforts and flows are exchanged; and all ports.
  [[nodiscard]] std::size_t axes() const { return is_in_space() ? core::SpatialInterface::kAxes : 1; }
  [[nodiscard]] std::size_t ports() const { return is_in_space() ? core::SpatialInterface::kPorts : 1; }
};

}  // namespace tieline::engine
