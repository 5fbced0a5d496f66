#pragma once

#include <span>

#include "document/diagnostics.hpp"
#include "model/composite_model.hpp"
#include "model/interfaces.hpp"

namespace tieline::model {

/// Reports what is wrong with the settings of gluing, and with glued connections beyond what all connections must keep
/// to: joints that have no meaning where they stand, and connections that say again what others say. `interfaces` are
/// those of the components; ends that are unknown have been reported, and pass.
void validate_gluing(const CompositeModel& model, std::span<const ComponentInterfaces> interfaces,
                     document::Diagnostics& diagnostics);

/// "'name' of line 8", as seen from another connection: with the file where that differs.
[[nodiscard]] std::string whereabouts(const Connection& connection, const Connection& seen_from);

}  // namespace tieline::model
