#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tieline/export.hpp"
#include "tieline/results.hpp"

/// Railways: how a vehicle rides, and irregularities of tracks.
namespace tieline {

/// The forces on a wheel at its contact with the rail, by the names of recorded variables.
struct RideWheel {
  std::string name{};
  std::string lateral{};   ///< Y [N]
  std::string vertical{};  ///< Q [N]
};

struct RideOptions {
  /// Accelerations [m/s^2] of a place in the vehicle, or velocities [m/s], by the names of variables; empty: none.
  std::string longitudinal{};
  std::string lateral{};
  std::string vertical{};
  std::vector<RideWheel> wheels{};
  std::optional<double> from{};          ///< [s]; none: from the start
  std::optional<double> to{};            ///< [s]; none: to the end
  double segment = 5.0;                  ///< of Sperling's index [s]
  std::optional<double> speed{};         ///< [m/s]; Y/Q is averaged over `averaging_length` of track where it is known
  double averaging_length = 2.0;         ///< [m]
  std::optional<double> static_load{};   ///< of each wheel [N]; none: the mean of its record
  std::optional<double> flange_angle{};  ///< [rad]; with `friction`: Nadal's limit of Y/Q
  std::optional<double> friction{};
};

/// Vibration in one direction.
struct RideAxis {
  std::string direction{};  ///< longitudinal, lateral or vertical
  std::string variable{};
  std::string weighting{};           ///< of ISO 2631-1: W_k or W_d
  double rms = 0.0;                  ///< weighted [m/s^2]
  double largest_running_rms = 0.0;  ///< over one second [m/s^2]
  double running_time = 0.0;         ///< the end of that second [s]
  double dose = 0.0;                 ///< vibration dose value [m/s^1.75]
  double crest_factor = 0.0;
  double sperling = 0.0;  ///< Sperling's index, averaged over segments
  double largest_sperling = 0.0;
  double leading_frequency = 0.0;  ///< with the largest share in the largest index [Hz]
  std::size_t segments = 0;
  double segment = 0.0;  ///< length [s]
  std::string grade{};   ///< excellent, good, satisfactory or poor
};

/// How safely a wheel runs.
struct RideWheelSafety {
  std::string name{};
  double static_load = 0.0;        ///< [N]
  double largest_quotient = 0.0;   ///< |Y|/Q; infinite without load
  double quotient_time = 0.0;      ///< [s]
  double averaging_time = 0.0;     ///< of the quotient [s]; 0: not averaged
  double least_load = 0.0;         ///< [N]
  double load_time = 0.0;          ///< of the least load [s]
  double largest_load = 0.0;       ///< [N]
  double largest_unloading = 0.0;  ///< share of the static load
  double largest_lateral = 0.0;    ///< |Y| [N]
  double time_without_load = 0.0;  ///< [s]
};

struct RideReport {
  std::vector<RideAxis> axes{};
  double total = 0.0;      ///< of the weighted accelerations of all axes [m/s^2]
  std::string reaction{};  ///< what people are expected to say of it; empty: there are no axes
  std::vector<RideWheelSafety> wheels{};
  std::optional<double> nadal_limit{};
};

/// Ride comfort by ISO 2631-1 and Sperling's index, derailment quotients and wheel unloading. Throws FileError, and
/// std::out_of_range if a name matches nothing or an option does not fit.
[[nodiscard]] TIELINE_PUBLIC RideReport ride(const Results& results, const RideOptions& options);
[[nodiscard]] TIELINE_PUBLIC std::string ride_json(const RideReport& report);

/// A published spectrum of irregularities.
struct TrackSpectrumInfo {
  std::string name{};
  std::string description{};
  double shortest = 0.0;  ///< wavelengths [m]
  double longest = 0.0;
};
[[nodiscard]] TIELINE_PUBLIC std::vector<TrackSpectrumInfo> track_spectra();

struct TrackOptions {
  std::string spectrum{};  ///< by name
  double length = 0.0;     ///< [m]
  double step = 0.25;      ///< between points [m]
  std::uint64_t seed = 1;
  double scale = 1.0;
  std::optional<double> shortest{};  ///< wavelengths [m]; none: those of the spectrum
  std::optional<double> longest{};
  double fade_in = 20.0;  ///< [m]
};

/// A realisation: deviations of the track, and of its rails, at equal distances.
struct TrackIrregularity {
  std::vector<double> distance{};     ///< [m]
  std::vector<double> profile{};      ///< mean height of both rails [m]
  std::vector<double> alignment{};    ///< mean lateral position, to the left [m]
  std::vector<double> cross_level{};  ///< height of the right rail above the left one [m]
  std::vector<double> gauge{};        ///< [m]
  std::vector<double> left_height{}, right_height{}, left_lateral{}, right_lateral{};  ///< [m]
  /// Derivatives of these by distance [m/m]; times the speed they are velocities.
  std::vector<double> left_height_slope{}, right_height_slope{}, left_lateral_slope{}, right_lateral_slope{};
};

/// Throws std::out_of_range, with every problem, if an option does not fit.
[[nodiscard]] TIELINE_PUBLIC TrackIrregularity make_irregularity(const TrackOptions& options);
/// Writes it as a table: over distance, or over time at a speed [m/s], with velocities in place of slopes. Throws
/// FileError.
TIELINE_PUBLIC void write_irregularity(const TrackIrregularity& track, std::optional<double> speed,
                                       const std::filesystem::path& file);
/// Plots all of it (.svg, .png or .html). Throws FileError.
TIELINE_PUBLIC void plot_irregularity(const TrackIrregularity& track, const std::string& title,
                                      const std::filesystem::path& file);

}  // namespace tieline
