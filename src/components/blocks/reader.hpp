#pragma once

#include "components/blocks/spec.hpp"
#include "document/diagnostics.hpp"
#include "document/scope.hpp"
#include "document/xml.hpp"

namespace tieline::components {

/// Reads <Blocks>. `scope` is the component's own (names that it defines override the content's <Parameters>).
///
/// Problems that the grammar does not see go to `diagnostics` with their place: unknown inputs (nearest name), names
/// taken twice, limits in the wrong order, improper transfer functions, algebraic loops (named block by block). The
/// result can be run only if there were no errors.
[[nodiscard]] BlocksSpec read_blocks(const document::Element& content, const document::Scope& scope,
                                     document::Diagnostics& diagnostics);

}  // namespace tieline::components
