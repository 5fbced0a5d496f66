#include "rail/ride.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>

#include "signals/spectrum.hpp"

namespace tieline::rail {
namespace {

/// With amplitudes in m/s^2 [GBT5599]; Sperling's own has 0.896 and cm/s^2.
constexpr double kSperling = 3.57;

}  // namespace

Weighting weighting_of(Direction direction) {
  return direction == Direction::vertical ? Weighting::vertical : Weighting::horizontal;
}

signals::Samples derivative_of(const signals::Samples& samples) {
  signals::Samples result = samples;
  const std::vector<double>& v = samples.values;
  const std::size_t n = v.size();
  if (n < 3) {
    result.values.assign(n, n == 2 ? (v[1] - v[0]) / samples.step : 0.0);
    return result;
  }
  for (std::size_t i = 0; i < n; ++i) {
    double difference;  // times the step
    if (i >= 2 && i + 2 < n) {
      difference = (8.0 * (v[i + 1] - v[i - 1]) - (v[i + 2] - v[i - 2])) / 12.0;
    } else if (i >= 1 && i + 1 < n) {
      difference = 0.5 * (v[i + 1] - v[i - 1]);
    } else {
      difference = i == 0 ? -1.5 * v[0] + 2.0 * v[1] - 0.5 * v[2] : 1.5 * v[i] - 2.0 * v[i - 1] + 0.5 * v[i - 2];
    }
    result.values[i] = difference / samples.step;
  }
  return result;
}

Comfort comfort_of(const signals::Samples& accelerations, Weighting weighting) {
  const signals::Samples felt = weighted(accelerations, weighting);
  const std::size_t n = felt.values.size();
  Comfort comfort;
  if (n == 0) return comfort;
  const std::size_t second = std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(1.0 / felt.step)), 1, n);
  double largest = 0.0, fourth = 0.0, largest_sum = 0.0;
  std::size_t at = 0;
  // Sums from the start, whose differences are those of a second.
  std::vector<double> squares(n + 1, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const double a = felt.values[i];
    squares[i + 1] = squares[i] + a * a;
    fourth += a * a * a * a;
    largest = std::max(largest, std::abs(a));
    if (i + 1 >= second && squares[i + 1] - squares[i + 1 - second] > largest_sum) {
      largest_sum = squares[i + 1] - squares[i + 1 - second];
      at = i + 1;
    }
  }
  comfort.rms = std::sqrt(squares[n] / static_cast<double>(n));
  comfort.largest_running_rms = std::sqrt(largest_sum / static_cast<double>(second));
  comfort.running_time = felt.start + static_cast<double>(at) * felt.step;
  comfort.dose = std::pow(fourth * felt.step, 0.25);
  comfort.crest_factor = comfort.rms > 0.0 ? largest / comfort.rms : 0.0;
  return comfort;
}

std::string_view reaction_to(double total) {
  // The ranges of the standard overlap; where two hold, both are named.
  if (total < 0.315) return "not uncomfortable";
  if (total < 0.5) return "a little uncomfortable";
  if (total < 0.63) return "a little to fairly uncomfortable";
  if (total < 0.8) return "fairly uncomfortable";
  if (total < 1.0) return "fairly uncomfortable to uncomfortable";
  if (total < 1.25) return "uncomfortable";
  if (total < 1.6) return "uncomfortable to very uncomfortable";
  if (total < 2.0) return "very uncomfortable";
  return total < 2.5 ? "very to extremely uncomfortable" : "extremely uncomfortable";
}

double sperling_factor(double frequency, Direction direction) {
  if (direction == Direction::vertical) {
    if (frequency < 5.9) return 0.325 * frequency * frequency;
    return frequency <= 20.0 ? 400.0 / (frequency * frequency) : 1.0;
  }
  if (frequency < 5.4) return 0.8 * frequency * frequency;
  return frequency <= 26.0 ? 650.0 / (frequency * frequency) : 1.0;
}

core::Result<SperlingIndex> sperling_index(const signals::Samples& accelerations, Direction direction,
                                           const SperlingSettings& settings) {
  const std::size_t n = accelerations.values.size();
  const auto wanted = static_cast<std::size_t>(std::lround(settings.segment / accelerations.step));
  const std::size_t length = std::min(n, std::max<std::size_t>(wanted, 1));
  SperlingIndex index{.segments = length == 0 ? 0 : n / length,
                      .segment = static_cast<double>(length) * accelerations.step};
  bool has_line = false;
  double sum = 0.0;
  for (std::size_t s = 0; s < index.segments; ++s) {
    signals::Samples part{.start = 0.0, .step = accelerations.step};
    const auto first = accelerations.values.begin() + static_cast<std::ptrdiff_t>(s * length);
    part.values.assign(first, first + static_cast<std::ptrdiff_t>(length));
    const auto spectrum = signals::spectrum_of(part, {.window = signals::Window::rectangular});
    if (!spectrum) return spectrum.error();
    double tenth_power = 0.0, largest_share = 0.0, leading = 0.0;
    for (std::size_t k = 1; k < spectrum->amplitudes.size(); ++k) {
      const double f = static_cast<double>(k) * spectrum->step;
      if (f < settings.lowest || f > settings.highest) continue;
      has_line = true;
      const double share = std::pow(spectrum->amplitudes[k], 3.0) * sperling_factor(f, direction) / f;
      tenth_power += share;
      if (share > largest_share) largest_share = share, leading = f;
    }
    const double value = kSperling * std::pow(tenth_power, 0.1);
    sum += value;
    if (value > index.largest) index.largest = value, index.leading_frequency = leading;
  }
  if (!has_line) {
    return core::bad_input(fmt::format("{:.3g} s of values every {:.3g} s have no line between {:g} and {:g} Hz",
                                       static_cast<double>(n) * accelerations.step, accelerations.step, settings.lowest,
                                       settings.highest));
  }
  index.value = sum / static_cast<double>(index.segments);
  return index;
}

std::string_view grade_of(double index) {
  if (index <= 2.5) return "excellent";
  if (index <= 2.75) return "good";
  return index <= 3.0 ? "satisfactory" : "poor";
}

}  // namespace tieline::rail
