#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/domain.hpp"
#include "document/diagnostics.hpp"
#include "model/composite_model.hpp"

namespace tieline::model {

/// What a connection needs to know of an interface.
struct InterfaceInfo {
  std::string name{};
  core::Domain domain = core::Domain::translation;
  core::Causality causality = core::Causality::takes_force;
  core::Pose pose{};              ///< in the component
  int size = 1;                   ///< of a signal
  std::string part{};             ///< what it is at in the component: interfaces at one part move alike
  std::string motion_obstacle{};  ///< why an open end cannot give it a motion; empty: it can
};

/// Interfaces of the component with this index; empty also where the component could not be read (then the reason has
/// been reported elsewhere, and `is_known` is false, so that its connections are not reported on top).
struct ComponentInterfaces {
  bool is_known = true;
  std::vector<InterfaceInfo> interfaces{};
};
using InterfaceSource = std::function<ComponentInterfaces(int component)>;

/// Whether a model is run by itself, or is a part of one, without a <Simulation> of its own.
enum class Extent { whole, part };

/// Reports every problem of a model that was read: names, connections, numbers, files. Unconnected interfaces are
/// notes.
void validate(const CompositeModel& model, const InterfaceSource& interfaces_of, document::Diagnostics& diagnostics,
              Extent extent = Extent::whole);

/// Reports where the choices of an alternative differ in the names, domains or causalities of their interfaces. One
/// list for each choice; `is_known` is false where it could not be read.
void compare_choices(const Alternative& alternative, std::span<const ComponentInterfaces> interfaces,
                     document::Diagnostics& diagnostics);

}  // namespace tieline::model
