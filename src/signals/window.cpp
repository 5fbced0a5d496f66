#include "signals/window.hpp"

#include <cmath>
#include <numbers>
#include <span>

namespace tieline::signals {
namespace {

// Sums of cosines a0 - a1 cos + a2 cos 2 - ...
constexpr std::array<double, 2> kHann{0.5, 0.5};
constexpr std::array<double, 2> kHamming{0.54, 0.46};
constexpr std::array<double, 4> kBlackmanHarris{0.35875, 0.48829, 0.14128, 0.01168};
/// HFT70 of [Heinzel2002]: amplitudes between two lines are right to 0.01 dB.
constexpr std::array<double, 4> kFlatTop{1.0, 1.90796, 1.07349, 0.18199};
constexpr std::array<double, 1> kRectangular{1.0};

std::span<const double> terms_of(Window window) {
  switch (window) {
    case Window::hann:
      return kHann;
    case Window::hamming:
      return kHamming;
    case Window::blackman_harris:
      return kBlackmanHarris;
    case Window::flat_top:
      return kFlatTop;
    case Window::rectangular:
      break;
  }
  return kRectangular;
}

}  // namespace

std::vector<double> weights(Window window, std::size_t length) {
  const auto terms = terms_of(window);
  std::vector<double> result(length);
  for (std::size_t i = 0; i < length; ++i) {
    const double phase = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length);
    double sign = 1.0;
    for (std::size_t j = 0; j < terms.size(); ++j, sign = -sign) {
      result[i] += sign * terms[j] * std::cos(static_cast<double>(j) * phase);
    }
  }
  return result;
}

}  // namespace tieline::signals
