#pragma once

#include <string_view>

namespace tieline::report {

/// The page that plays an animation, script and style included, without its data: those go in the place of
/// kAnimationDataMark. Made from web/ when the program is built.
[[nodiscard]] std::string_view animation_page();

inline constexpr std::string_view kAnimationDataMark = "<!-- data -->";

}  // namespace tieline::report
