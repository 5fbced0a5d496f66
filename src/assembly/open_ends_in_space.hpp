#pragma once

#include <string>

#include "assembly/open_ends.hpp"
#include "assembly/recorded_rows.hpp"
#include "document/diagnostics.hpp"
#include "model/composite_model.hpp"

namespace tieline::assembly {

/// Reads what an open end gives an interface in space: force and torque, or a motion; false, with a report, where it
/// cannot be used. `name`: of the interface, for messages.
[[nodiscard]] bool read_in_space(const model::OpenEnd& open, const std::string& name, RecordReader& records,
                                 document::Diagnostics& diagnostics, PrescribedEnd& end);

}  // namespace tieline::assembly
