#pragma once

#include "assembly/checked_model.hpp"
#include "document/diagnostics.hpp"

namespace tieline::assembly {

/// Rules of whole models that need no component to be built, so that what breaks them is reported together with all
/// other problems of a model: figures of lines, solvers, windows and steps of gluing. Works on models with errors, too,
/// and says nothing that follows from those.
void check_rules(const CheckedModel& checked, document::Diagnostics& diagnostics);

/// Reports an end of a program that a force or motion is prescribed for.
void refuse_live_program(const CheckedModel& checked, const PrescribedEnd& end, document::Diagnostics& diagnostics);

}  // namespace tieline::assembly
