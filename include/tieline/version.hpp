#pragma once

#include <string_view>

#include "tieline/export.hpp"
#include "tieline/version.h"

namespace tieline {

/// The version of the library that runs, "1.2.3"; TIELINE_VERSION_TEXT is that of the headers.
[[nodiscard]] TIELINE_PUBLIC std::string_view version();

}  // namespace tieline
