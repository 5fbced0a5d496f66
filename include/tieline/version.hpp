#pragma once

#include <string_view>

#include "tieline/export.hpp"
#include "tieline/version.h"

namespace tieline {

/// The version of the linked library, e.g. "1.2.3". The version of the headers is TIELINE_VERSION_TEXT.
[[nodiscard]] TIELINE_PUBLIC std::string_view version();

}  // namespace tieline
