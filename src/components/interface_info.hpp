#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/domain.hpp"
#include "core/port.hpp"

namespace tieline::components {

/// What the outside may know of an interface before the component is built.
struct InterfaceInfo {
  std::string name{};
  core::Domain domain = core::Domain::translation;
  core::Causality causality = core::Causality::takes_force;
  int size = 1;                   ///< of a signal: how many numbers
  std::string part{};             ///< what it is at: interfaces at one part move alike
  std::string motion_obstacle{};  ///< why nothing can give it a motion; empty: something can
  /// Of a signal input, by member: what it is until a delayed signal has arrived. NaN or absent: what the sender has at
  /// the start.
  std::vector<double> starts{};
};

/// Adds a signal. Members of one signal (`u[1]`, `u[2]`, ...) stand one after the other, and make one interface.
void add_signal(std::vector<InterfaceInfo>& interfaces, const std::string& name, core::Causality causality,
                std::optional<double> stated_start = std::nullopt);

/// The ports of these interfaces in their order: one for each member.
[[nodiscard]] std::vector<core::Port> ports_of(std::span<const InterfaceInfo> interfaces);

}  // namespace tieline::components
