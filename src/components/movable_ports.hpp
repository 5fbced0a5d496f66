#pragma once

#include <span>

#include "core/port.hpp"

namespace tieline::components {

/// Equations whose ports can live elsewhere, so that those of several components make up one row.
class MovablePorts {
 public:
  virtual ~MovablePorts() = default;
  /// Moves the ports there, where they stay: as many as there are. Before the start, and before anything is connected.
  virtual void move_ports(std::span<core::Port> to) = 0;
};

}  // namespace tieline::components
