#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"

namespace tieline::report {

/// The page that plays an animation, script and style included, without its data: those go in the place of
/// kAnimationDataMark. A file beside the program, which `make page` makes from web/; an error that says so where it is
/// missing.
[[nodiscard]] core::Result<std::string> animation_page();

inline constexpr std::string_view kAnimationDataMark = "<!-- data -->";

}  // namespace tieline::report
