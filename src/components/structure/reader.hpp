#pragma once

#include "components/structure/spec.hpp"
#include "document/diagnostics.hpp"
#include "document/scope.hpp"
#include "document/xml.hpp"

namespace tieline::components {

/// Reads <Structure>. `scope` is the component's own.
///
/// Every problem that the grammar does not see goes to `diagnostics` with its place: unknown nodes, sections and
/// materials (nearest name), impossible numbers, beams without length, nodes without mass, names taken twice. The
/// result can be run only if there were no errors.
[[nodiscard]] StructureSpec read_structure(const document::Element& content, const document::Scope& scope,
                                           document::Diagnostics& diagnostics);

}  // namespace tieline::components
