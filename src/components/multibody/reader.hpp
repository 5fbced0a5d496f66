#pragma once

#include "components/multibody/spec.hpp"
#include "document/diagnostics.hpp"
#include "document/scope.hpp"
#include "document/xml.hpp"

namespace tieline::components {

/// Reads <Multibody>, all poses in the component's own coordinate system. `scope` is the component's own.
///
/// Every problem that the grammar does not see goes to `diagnostics` with its place: unknown frames and joints (nearest
/// name), impossible numbers, inertias that no body has, names taken twice. The result can be run only if there were no
/// errors.
[[nodiscard]] MultibodySpec read_multibody(const document::Element& content, const document::Scope& scope,
                                           document::Diagnostics& diagnostics);

/// Warns of what can be run but is doubtful as the system starts: contacts whose surfaces lie in one another.
void check_start(const MultibodySpec& spec, document::Diagnostics& diagnostics);

}  // namespace tieline::components
