#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "core/result.hpp"
#include "rail/weighting.hpp"
#include "signals/resample.hpp"

namespace tieline::rail {

enum class Direction { longitudinal, lateral, vertical };
inline constexpr std::array<std::string_view, 3> kDirectionNames{"longitudinal", "lateral", "vertical"};

/// W_k for what is vertical, W_d for the others.
[[nodiscard]] Weighting weighting_of(Direction direction);

/// Derivatives of samples by differences of five values (of fewer at both ends): velocities as accelerations. The error
/// is (2 pi f h)^4/30 of the value, with the step h.
[[nodiscard]] signals::Samples derivative_of(const signals::Samples& samples);

/// Vibration along one axis as people feel it [ISO2631-1].
struct Comfort {
  double rms = 0.0;                  ///< of the weighted acceleration [m/s^2]
  double largest_running_rms = 0.0;  ///< over one second (MTVV) [m/s^2]
  double running_time = 0.0;         ///< the end of that second [s]
  double dose = 0.0;                 ///< vibration dose value [m/s^1.75]
  double crest_factor = 0.0;         ///< largest weighted acceleration over `rms`
};
[[nodiscard]] Comfort comfort_of(const signals::Samples& accelerations, Weighting weighting);

/// What [ISO2631-1], annex C, expects people in public transport to say of a total value [m/s^2].
[[nodiscard]] std::string_view reaction_to(double total);

/// Sperling's index, as an average over segments.
struct SperlingIndex {
  double value = 0.0;
  double largest = 0.0;  ///< of a segment
  std::size_t segments = 0;
  double segment = 0.0;            ///< their length [s]
  double leading_frequency = 0.0;  ///< line with the largest share in the first of the largest segments [Hz]
};

struct SperlingSettings {
  double segment = 5.0;  ///< [s]; a shorter record is one segment
  double lowest = 0.5;   ///< band of frequencies [Hz]
  double highest = 40.0;
};

/// W = (sum W_i^10)^(1/10), W_i = 3.57 (A_i^3 F(f_i)/f_i)^(1/10), with amplitudes A_i [m/s^2] of the lines of each
/// segment [GBT5599]. An error where no line is in the band.
[[nodiscard]] core::Result<SperlingIndex> sperling_index(const signals::Samples& accelerations, Direction direction,
                                                         const SperlingSettings& settings = {});
/// The factor F(f) of the direction; what is longitudinal counts as lateral.
[[nodiscard]] double sperling_factor(double frequency, Direction direction);
/// "excellent" up to 2.5, "good" to 2.75, "satisfactory" to 3, "poor" above.
[[nodiscard]] std::string_view grade_of(double index);

}  // namespace tieline::rail
