#pragma once

#include <functional>
#include <vector>

#include "core/spatial.hpp"
#include "document/diagnostics.hpp"
#include "document/scope.hpp"
#include "model/composite_model.hpp"
#include "model/validate.hpp"

/// The placement of components in the world. Poses are p_WB, R_WB of the component B in the world W.
namespace tieline::model {

/// `position` and `angles` of an element; zero where absent.
[[nodiscard]] core::Pose read_pose(const document::Element& element, const document::Scope& scope,
                                   document::Diagnostics& diagnostics);

/// The <Interface> elements of all that describe a component; of one name the nearest counts.
[[nodiscard]] std::vector<DeclaredInterface> read_interfaces(const Statements& statements, const document::Scope& scope,
                                                             document::Diagnostics& diagnostics);

/// Gives every component its place in the world, those that are attached included, and reports attachments that lead
/// to themselves.
void place_components(CompositeModel& model, const InterfaceSource& interfaces_of, document::Diagnostics& diagnostics);

/// Reports 3-D connections whose ends do not coincide, with their distance and angle. Components must be placed.
void check_coincidence(const CompositeModel& model, const InterfaceSource& interfaces_of,
                       document::Diagnostics& diagnostics);

}  // namespace tieline::model
