#include "lines/driven_inputs.hpp"

#include <cmath>

#include "lines/state.hpp"

namespace tieline::lines {
namespace {

/// Plain numbers, so that words hold them.
struct Coupling {
  std::uint64_t flags = 0;  ///< bit 0: the `to` end; 1: in world axes; 2 to 4: free rotations
  double delay = 0.0;       ///< [s]
};

template <class Archive>
void visit_port(core::Port& port, Archive& archive) {
  std::uint64_t extrapolates = port.incoming.extrapolates() ? 1 : 0;
  archive(port.law), archive(extrapolates), archive(port.incoming);
  if constexpr (Archive::is_reading) port.incoming.allow_extrapolation(extrapolates != 0);
}

template <class Archive>
void visit_coupling(core::SpatialInterface& interface, Archive& archive) {
  const core::SpatialCoupling& now = interface.coupling();
  Coupling coupling{(now.is_to ? 1U : 0U) | (now.is_in_world_axes ? 2U : 0U), now.delay};
  for (std::size_t i = 0; i < 3; ++i) coupling.flags |= std::uint64_t{now.free[i] ? 4U : 0U} << i;
  archive(coupling);
  if constexpr (Archive::is_reading) {
    interface.couple((coupling.flags & 1) != 0, coupling.delay,
                     {(coupling.flags & 4) != 0, (coupling.flags & 8) != 0, (coupling.flags & 16) != 0});
    if ((coupling.flags & 2) != 0) interface.couple_in_world_axes();
  }
}

template <class Archive>
void visit_inputs(std::size_t count, core::InterfaceSet& interfaces, Archive& archive) {
  for (std::size_t i = 0; i < count; ++i) {
    for (core::Port& port : interfaces.ports_of(i)) visit_port(port, archive);
    if (core::SpatialInterface* const space = interfaces.spatial(i)) visit_coupling(*space, archive);
  }
}

}  // namespace

std::vector<std::uint64_t> driven_inputs(core::InterfaceSet& interfaces) {
  StateWriter writer;
  writer(std::uint64_t{interfaces.size()});
  visit_inputs(interfaces.size(), interfaces, writer);
  return writer.words();
}

bool take_driven_inputs(std::span<const std::uint64_t> words, core::InterfaceSet& interfaces) {
  StateReader reader(words);
  std::uint64_t count = 0;
  reader(count);
  if (reader.failed() || count > interfaces.size()) return false;
  visit_inputs(static_cast<std::size_t>(count), interfaces, reader);
  return !reader.failed() && reader.is_used_up();
}

}  // namespace tieline::lines
