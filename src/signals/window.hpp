#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace tieline::signals {

/// Weights over a segment [Harris1978, Heinzel2002].
enum class Window { hann, hamming, blackman_harris, flat_top, rectangular };
inline constexpr std::array<std::string_view, 5> kWindowNames{"hann", "hamming", "blackman_harris", "flat_top",
                                                              "rectangular"};

/// Periodic, as Fourier sums need them: the value after the last would be the first.
[[nodiscard]] std::vector<double> weights(Window window, std::size_t length);

}  // namespace tieline::signals
