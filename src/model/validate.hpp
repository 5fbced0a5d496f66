#pragma once

#include <span>

#include "document/diagnostics.hpp"
#include "model/composite_model.hpp"
#include "model/interfaces.hpp"

namespace tieline::model {

/// Whether a model is run by itself, or is a part of one, without a <Simulation> of its own.
enum class Extent { whole, part };

/// Reports every problem of a model that was read: names, connections, numbers, files. Unconnected interfaces are
/// notes.
void validate(const CompositeModel& model, const InterfaceSource& interfaces_of, document::Diagnostics& diagnostics,
              Extent extent = Extent::whole);

/// Reports where the choices of an alternative differ in the names, domains, causalities or sizes of their interfaces.
/// One list for each choice; `is_known` is false if it could not be read.
void compare_choices(const Alternative& alternative, std::span<const ComponentInterfaces> interfaces,
                     document::Diagnostics& diagnostics);

}  // namespace tieline::model
