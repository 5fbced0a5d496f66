#pragma once

#include "interchange/conversion_report.hpp"
#include "interchange/ssp_structure.hpp"

namespace tieline::interchange::ssp {

/// What of a structure has a meaning in our format, and what has none.
[[nodiscard]] ConversionReport report_of(const Structure& structure);

}  // namespace tieline::interchange::ssp
