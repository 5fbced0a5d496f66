// Irregularities of tracks from published spectra.
//
// symbol there   name here     what it is
// Omega          wavenumber    [rad/m]
// S(Omega)       density       one-sided spectrum [m^2/(rad/m)]
// A_v, A_a, A_g  levels        roughness of profile, alignment, gauge
// Omega_c, _r, _s  kCut, kLong, ...  cut-off wavenumbers [rad/m]
//
// The Chinese spectra are stated over frequencies f = Omega/2pi [1/m], in mm^2 m: S(Omega) = S(f)/2pi.

#include "rail/irregularity.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <numbers>
#include <random>

namespace tieline::rail {
namespace {

using std::numbers::pi;

/// Half the distance of the rolling circles, as the German spectra have it [m].
constexpr double kHalfBase = 0.75;

/// German spectra of high-speed lines [Claus1998].
struct GermanLevels {
  double profile, alignment, gauge;  // [m rad]
};

double german(const GermanLevels& levels, Deviation deviation, double wavenumber) {
  constexpr double kLong = 0.0206, kCut = 0.8246, kCrossCut = 0.4380;  // [rad/m]
  const double w2 = wavenumber * wavenumber, c2 = kCut * kCut;
  const double common = c2 / ((w2 + kLong * kLong) * (w2 + c2));
  const double cross = common * w2 / (w2 + kCrossCut * kCrossCut);
  switch (deviation) {
    case Deviation::profile:
      return levels.profile * common;
    case Deviation::alignment:
      return levels.alignment * common;
    // Stated as an angle, whose height is that over both halves of the base.
    case Deviation::cross_level: {
      const double angle = levels.profile / (kHalfBase * kHalfBase) * cross;
      return 4.0 * kHalfBase * kHalfBase * angle;
    }
    case Deviation::gauge:
      break;
  }
  return levels.gauge * cross;
}

/// Spectra of the Federal Railroad Administration [Hamid1983].
struct AmericanLevels {
  double profile, alignment;  // [cm^2 rad/m]
  double cross_cut;           // [rad/m]
};

double american(const AmericanLevels& levels, Deviation deviation, double wavenumber) {
  constexpr double kCut = 0.8245, kShare = 0.25, kSquareMetres = 1e-4;
  const double w2 = wavenumber * wavenumber, c2 = kCut * kCut;
  const double alone = kShare * c2 / (w2 * (w2 + c2)) * kSquareMetres;
  switch (deviation) {
    case Deviation::profile:
      return levels.profile * alone;
    case Deviation::alignment:
      return levels.alignment * alone;
    case Deviation::cross_level:
    case Deviation::gauge:
      break;
  }
  return 4.0 * kShare * levels.profile * c2 / ((w2 + c2) * (w2 + levels.cross_cut * levels.cross_cut)) * kSquareMetres;
}

/// S(f) = A/f^n up to a frequency [1/m].
struct PowerLaw {
  double level;  // [mm^2 m^(1-n)]
  double exponent;
  double highest;
};

/// Mean spectra of ballastless tracks of Chinese high-speed lines [TBT3352].
std::span<const PowerLaw> chinese_laws(Deviation deviation) {
  static constexpr std::array<PowerLaw, 4> kProfile{{{1.0544e-5, 3.3891, 0.0187},
                                                     {3.5588e-3, 1.9271, 0.0474},
                                                     {1.9784e-2, 1.3643, 0.1533},
                                                     {3.9488e-4, 3.4516, 1e9}}};
  static constexpr std::array<PowerLaw, 3> kAlignment{
      {{3.9513e-3, 1.8670, 0.0450}, {1.1047e-2, 1.5354, 0.1234}, {7.5633e-4, 2.8171, 1e9}}};
  static constexpr std::array<PowerLaw, 3> kCrossLevel{
      {{3.6148e-3, 1.7278, 0.0258}, {4.3685e-2, 1.0461, 0.1163}, {4.5867e-3, 2.0939, 1e9}}};
  static constexpr std::array<PowerLaw, 3> kGauge{
      {{5.4978e-2, 0.8282, 0.1090}, {5.0701e-3, 1.9037, 0.2938}, {1.8778e-4, 4.5948, 1e9}}};
  switch (deviation) {
    case Deviation::profile:
      return kProfile;
    case Deviation::alignment:
      return kAlignment;
    case Deviation::cross_level:
      return kCrossLevel;
    case Deviation::gauge:
      break;
  }
  return kGauge;
}

double chinese(Deviation deviation, double wavenumber) {
  const double f = wavenumber / (2.0 * pi);
  constexpr double kSquareMetres = 1e-6;
  const auto laws = chinese_laws(deviation);
  const auto law = std::find_if(laws.begin(), laws.end(), [&](const PowerLaw& l) { return f <= l.highest; });
  return law->level / std::pow(f, law->exponent) * kSquareMetres / (2.0 * pi);
}

constexpr std::array<TrackSpectrum, 6> kSpectra{{
    {"german_low", "German high-speed lines, low disturbance", 3.0, 100.0,
     [](Deviation d, double w) {
       return german({4.032e-7, 2.119e-7, 5.32e-8}, d, w);
     }},
    {"german_high", "German main lines, high disturbance", 3.0, 100.0,
     [](Deviation d, double w) {
       return german({1.080e-6, 6.125e-7, 1.032e-7}, d, w);
     }},
    {"us_class_4", "lines of the USA, class 4", 1.5, 300.0,
     [](Deviation d, double w) {
       return american({0.5376, 0.3027, 1.1312}, d, w);
     }},
    {"us_class_5", "lines of the USA, class 5", 1.5, 300.0,
     [](Deviation d, double w) {
       return american({0.2095, 0.0762, 0.8209}, d, w);
     }},
    {"us_class_6", "lines of the USA, class 6", 1.5, 300.0,
     [](Deviation d, double w) {
       return american({0.0339, 0.0339, 0.4380}, d, w);
     }},
    {"chinese_ballastless", "Chinese high-speed lines without ballast, mean level", 2.0, 200.0, chinese},
}};

/// Integral of a density over a band, in logarithmic pieces by Gauss's rule with three points.
double power_in(const TrackSpectrum& spectrum, Deviation deviation, double from, double to) {
  constexpr std::array<double, 3> kPlaces{-0.7745966692414834, 0.0, 0.7745966692414834};
  constexpr std::array<double, 3> kWeights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  const double octaves = std::log2(to / from);
  const int pieces = std::max(1, static_cast<int>(std::ceil(8.0 * octaves)));
  const double ratio = std::pow(to / from, 1.0 / pieces);
  double sum = 0.0;
  for (int i = 0; i < pieces; ++i) {
    const double a = from * std::pow(ratio, i), width = a * (ratio - 1.0);
    for (std::size_t k = 0; k < 3; ++k) {
      sum += kWeights[k] * width * spectrum.density(deviation, a + 0.5 * width * (1.0 + kPlaces[k]));
    }
  }
  return sum;
}

/// From 0 to less than 1, the same on every machine.
double unit_random(std::mt19937_64& generator) { return static_cast<double>(generator() >> 11) * 0x1p-53; }

// More waves than this take too long at each point.
constexpr double kMostWaves = 1e6;

}  // namespace

std::span<const TrackSpectrum> track_spectra() { return kSpectra; }

const TrackSpectrum* find_track_spectrum(std::string_view name) {
  const auto found = std::find_if(kSpectra.begin(), kSpectra.end(), [&](const auto& s) { return s.name == name; });
  return found == kSpectra.end() ? nullptr : &*found;
}

std::string Irregularity::problem_with(const IrregularitySettings& s) {
  const auto is_length = [](double value) { return std::isfinite(value) && value > 0.0; };
  if (!is_length(s.length)) return fmt::format("the length must be greater than 0 m, got {:g} m", s.length);
  if (!is_length(s.shortest) || !is_length(s.longest) || !(s.shortest < s.longest)) {
    return fmt::format("wavelengths must be greater than 0 m, the shortest below the longest, got {:g} and {:g} m",
                       s.shortest, s.longest);
  }
  if (!std::isfinite(s.scale)) return fmt::format("the scale must be a number, got {:g}", s.scale);
  if (!(s.fade_in >= 0.0) || !std::isfinite(s.fade_in)) {
    return fmt::format("the length of the fade-in must be 0 m or greater, got {:g} m", s.fade_in);
  }
  if (std::max(s.length, s.longest) / s.shortest > kMostWaves) {
    return fmt::format("wavelengths from {:g} m over {:g} m of track need more than {:g} waves: choose a longer one",
                       s.shortest, s.length, kMostWaves);
  }
  return {};
}

Irregularity::Irregularity(const TrackSpectrum& spectrum, Deviation deviation, const IrregularitySettings& settings)
    : fade_in_(settings.fade_in) {
  const double lowest = 2.0 * pi / settings.longest, highest = 2.0 * pi / settings.shortest;
  // Sines at equal distances repeat after 2 pi over the distance, which is to be beyond the track; the longest waves
  // need some lines of their own in any case.
  constexpr double kFewest = 64.0;
  const double count = std::max(std::ceil((highest - lowest) * settings.length / (2.0 * pi)), kFewest);
  const double spacing = (highest - lowest) / count;
  std::seed_seq seeds{static_cast<std::uint32_t>(settings.seed), static_cast<std::uint32_t>(settings.seed >> 32),
                      static_cast<std::uint32_t>(deviation)};
  std::mt19937_64 generator(seeds);
  waves_.reserve(static_cast<std::size_t>(count));
  for (double k = 0.0; k < count; k += 1.0) {
    const double from = lowest + k * spacing;
    const double power = power_in(spectrum, deviation, from, from + spacing);
    waves_.push_back(
        {from + 0.5 * spacing, settings.scale * std::sqrt(2.0 * power), 2.0 * pi * unit_random(generator)});
  }
}

TrackPoint Irregularity::at(double distance) const {
  TrackPoint sum;
  for (const Wave& wave : waves_) {
    const double angle = wave.wavenumber * distance + wave.phase;
    const double c = wave.amplitude * std::cos(angle), s = wave.amplitude * std::sin(angle);
    sum.value += c;
    sum.slope -= wave.wavenumber * s;
    sum.curvature -= wave.wavenumber * wave.wavenumber * c;
  }
  if (distance >= fade_in_) return sum;
  if (distance <= 0.0) return {};
  // A polynomial with no slope and no curvature at both ends.
  const double x = distance / fade_in_;
  const double f = x * x * x * (10.0 + x * (6.0 * x - 15.0)), f1 = 30.0 * x * x * (1.0 + x * (x - 2.0)) / fade_in_;
  const double f2 = 60.0 * x * (1.0 + x * (2.0 * x - 3.0)) / (fade_in_ * fade_in_);
  return {f * sum.value, f * sum.slope + f1 * sum.value, f * sum.curvature + 2.0 * f1 * sum.slope + f2 * sum.value};
}

double Irregularity::variance() const {
  double sum = 0.0;
  for (const Wave& wave : waves_) sum += 0.5 * wave.amplitude * wave.amplitude;
  return sum;
}

RailPlaces rail_places(double profile, double alignment, double cross_level, double gauge) {
  return {profile - 0.5 * cross_level, profile + 0.5 * cross_level, alignment + 0.5 * gauge, alignment - 0.5 * gauge};
}

}  // namespace tieline::rail
