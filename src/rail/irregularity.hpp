#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace tieline::rail {

/// How a track deviates from its design: the mean height of both rails, the mean lateral position, the height of the
/// right rail above the left one, the distance of the rails.
enum class Deviation { profile, alignment, cross_level, gauge };
inline constexpr std::array<std::string_view, 4> kDeviationNames{"profile", "alignment", "cross_level", "gauge"};

/// A published spectrum of irregularities.
struct TrackSpectrum {
  std::string_view name;
  std::string_view description;
  double shortest;  ///< wavelengths for which it was published [m]
  double longest;
  /// One-sided, over wavenumbers [rad/m]: its integral is the variance [m^2/(rad/m)].
  double (*density)(Deviation deviation, double wavenumber);
};
[[nodiscard]] std::span<const TrackSpectrum> track_spectra();
/// Null if there is none of this name.
[[nodiscard]] const TrackSpectrum* find_track_spectrum(std::string_view name);

struct IrregularitySettings {
  double length = 0.0;    ///< of track, without repetition [m]
  double shortest = 0.0;  ///< wavelengths [m]
  double longest = 0.0;   ///< [m]
  double scale = 1.0;     ///< of all deviations
  double fade_in = 0.0;   ///< length over which it grows from zero, two times differentiable [m]
  std::uint64_t seed = 1;
};

/// The value of a deviation and its derivatives by distance.
struct TrackPoint {
  double value = 0.0;      ///< [m]
  double slope = 0.0;      ///< [m/m]
  double curvature = 0.0;  ///< [1/m]
};

/// One deviation along a track: a sum of sines with random phases, whose amplitudes have the power of the spectrum in
/// their bands [Shinozuka1991]. The phases follow from the seed and the deviation alone, on every machine.
class Irregularity {
 public:
  /// `settings` are those that `problem_with` accepts.
  Irregularity(const TrackSpectrum& spectrum, Deviation deviation, const IrregularitySettings& settings);

  [[nodiscard]] TrackPoint at(double distance) const;
  /// Of the sum, without the fade-in [m^2].
  [[nodiscard]] double variance() const;
  [[nodiscard]] std::size_t size() const { return waves_.size(); }

  /// What is wrong with settings; empty: nothing.
  [[nodiscard]] static std::string problem_with(const IrregularitySettings& settings);

 private:
  struct Wave {
    double wavenumber;  // [rad/m]
    double amplitude;   // [m]
    double phase;       // [rad]
  };
  std::vector<Wave> waves_{};
  double fade_in_ = 0.0;
};

/// Deviations of the rails themselves: heights up, lateral positions to the left [m].
struct RailPlaces {
  double left_height = 0.0, right_height = 0.0;
  double left_lateral = 0.0, right_lateral = 0.0;
};
[[nodiscard]] RailPlaces rail_places(double profile, double alignment, double cross_level, double gauge);

}  // namespace tieline::rail
