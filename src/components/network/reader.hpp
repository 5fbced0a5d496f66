#pragma once

#include "components/network/spec.hpp"
#include "document/diagnostics.hpp"
#include "document/scope.hpp"
#include "document/xml.hpp"

namespace tieline::components {

/// Reads <Network>. `scope` is the component's own (names that it defines override the content's <Parameters>).
///
/// Every problem that the grammar does not see goes to `diagnostics` with its place: unknown nodes (nearest name), ends
/// that are the same or of different domains, impossible numbers, names taken twice, massless nodes whose motion
/// nothing determines, loads and motions where they have no effect. The result can be run only if there were no errors.
[[nodiscard]] NetworkSpec read_network(const document::Element& content, const document::Scope& scope,
                                       document::Diagnostics& diagnostics);

}  // namespace tieline::components
