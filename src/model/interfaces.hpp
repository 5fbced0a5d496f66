#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/domain.hpp"
#include "core/spatial.hpp"

namespace tieline::model {

/// What is known of one number of a signal, beside its value.
struct SignalNumber {
  std::string name{};     ///< of its own, such as "k[1,2]"; empty: that of the member
  bool is_held = false;   ///< it changes in steps only: whole numbers, Booleans, enumerations, discrete reals
  bool is_whole = false;  ///< it is a whole number,
  double least = -std::numeric_limits<double>::infinity();  ///< within the range of its type
  double most = std::numeric_limits<double>::infinity();
  std::string unit{};                                   ///< empty: none is known
  std::vector<std::pair<std::string, double>> words{};  ///< of an enumeration: its items, and no other values
};

/// What a connection needs to know of an interface.
struct InterfaceInfo {
  std::string name{};
  core::Domain domain = core::Domain::translation;
  core::Causality causality = core::Causality::takes_force;
  core::Pose pose{};              ///< in the component
  int size = 1;                   ///< of a signal: how many numbers; in space: how many points
  std::string part{};             ///< what it is at in the component: interfaces at one part move alike
  std::string motion_obstacle{};  ///< why an open end cannot give it a motion; empty: it can
  bool can_be_led = false;        ///< in space: its component can be built with a motion given there
  bool is_undeclared = false;     ///< the component offers it without being asked
  /// Of a signal input, by member: what it is until a delayed signal has arrived. NaN or absent: what the sender has at
  /// the start.
  std::vector<double> starts{};
  /// Of a signal, by member; empty: nothing is known of its numbers.
  std::vector<SignalNumber> numbers{};
};

/// Interfaces of the component with this index; empty also where the component could not be read (then the reason has
/// been reported elsewhere, and `is_known` is false, so that its connections are not reported on top).
struct ComponentInterfaces {
  bool is_known = true;
  std::vector<InterfaceInfo> interfaces{};
};
using InterfaceSource = std::function<ComponentInterfaces(int component)>;

/// What stands at an end of a connection: a whole interface, or one member of a signal or of a set of points.
struct InterfacePart {
  const InterfaceInfo* interface = nullptr;  ///< null: there is none of that name
  int first = 1;                             ///< its members, counted from 1
  int size = 0;

  [[nodiscard]] explicit operator bool() const { return interface != nullptr; }
};

/// The interface of that name, or its member `name[k]`.
[[nodiscard]] InterfacePart find_interface(std::span<const InterfaceInfo> among, std::string_view name);
/// Whether two parts have a member in common.
[[nodiscard]] bool overlap(const InterfacePart& a, const InterfacePart& b);
/// Why there is nothing of that name, as a sentence about the component.
[[nodiscard]] std::string describe_missing(std::span<const InterfaceInfo> among, std::string_view name,
                                           std::string_view component);

}  // namespace tieline::model
