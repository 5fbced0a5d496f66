#pragma once

#include <memory>
#include <span>

#include "lines/connection.hpp"

namespace tieline::lines {

/// Connections in the order of the model.
using Connections = std::span<const std::unique_ptr<Connection>>;

/// The state of the ends of connections at a node, with the tracks that they fill: the form in which a node's
/// connections move between processes.
void save_ends(int node, Connections connections, StateWriter& state);
void restore_ends(int node, Connections connections, const core::TimeGrid& grid, StateReader& state);

/// The state of both ends of all connections, without the tracks of ports, which components keep: the form of
/// snapshots.
void save_all_ends(Connections connections, StateWriter& state);
void restore_all_ends(Connections connections, const core::TimeGrid& grid, StateReader& state);

}  // namespace tieline::lines
