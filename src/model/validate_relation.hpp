#pragma once

#include "core/domain.hpp"
#include "document/diagnostics.hpp"
#include "model/composite_model.hpp"

namespace tieline::model {

/// Reports what a connection states about its relation (scale, offset, units) and cannot have, whatever it joins.
void validate_relation(const Connection& connection, document::Diagnostics& diagnostics);

/// Reports a ratio of motions between physical interfaces of a domain that has none: in space, and of heat.
void refuse_ratio(const Connection& connection, core::Domain domain, document::Diagnostics& diagnostics);

}  // namespace tieline::model
