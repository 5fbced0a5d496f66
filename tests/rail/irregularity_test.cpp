#include "rail/irregularity.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "signals/spectrum.hpp"

namespace tieline::rail {
namespace irregularity_test {

using std::numbers::pi;

constexpr Deviation kAll[]{Deviation::profile, Deviation::alignment, Deviation::cross_level, Deviation::gauge};

IrregularitySettings settings_for(const TrackSpectrum& spectrum, double length) {
  return {.length = length, .shortest = spectrum.shortest, .longest = spectrum.longest};
}

TEST(TrackSpectra, HaveTheirPublishedValues) {
  const TrackSpectrum& low = *find_track_spectrum("german_low");
  // A_v c^2/((w^2 + r^2)(w^2 + c^2)) at w = c = 0.8246 rad/m and r = 0.0206 rad/m.
  EXPECT_NEAR(low.density(Deviation::profile, 0.8246), 4.032e-7 / (2.0 * (0.8246 * 0.8246 + 0.0206 * 0.0206)), 1e-18);
  EXPECT_NEAR(low.density(Deviation::alignment, 0.3) / low.density(Deviation::profile, 0.3), 2.119 / 4.032, 1e-12);
  const TrackSpectrum& us = *find_track_spectrum("us_class_6");
  // k A_v c^2/(w^2 (w^2 + c^2)) cm^2 at w = c.
  EXPECT_NEAR(us.density(Deviation::profile, 0.8245), 0.25 * 0.0339e-4 / (2.0 * 0.8245 * 0.8245), 1e-16);
  const TrackSpectrum& chinese = *find_track_spectrum("chinese_ballastless");
  // At 0.1 1/m: 0.019784/0.1^1.3643 mm^2 m.
  EXPECT_NEAR(chinese.density(Deviation::profile, 0.2 * pi), 1.9784e-2 * std::pow(10.0, 1.3643) * 1e-6 / (2.0 * pi),
              1e-15);
  EXPECT_EQ(find_track_spectrum("german"), nullptr);
}

TEST(TrackSpectra, ChinesePiecesMeet) {
  const TrackSpectrum& spectrum = *find_track_spectrum("chinese_ballastless");
  const std::pair<Deviation, std::vector<double>> joints[]{{Deviation::profile, {0.0187, 0.0474, 0.1533}},
                                                           {Deviation::alignment, {0.0450, 0.1234}},
                                                           {Deviation::cross_level, {0.0258, 0.1163}},
                                                           {Deviation::gauge, {0.1090, 0.2938}}};
  for (const auto& [deviation, frequencies] : joints) {
    for (const double f : frequencies) {
      const double below = spectrum.density(deviation, 2.0 * pi * f * (1.0 - 1e-9));
      const double above = spectrum.density(deviation, 2.0 * pi * f * (1.0 + 1e-9));
      // Frequencies are published with three digits.
      EXPECT_NEAR(below / above, 1.0, 0.01) << f << " 1/m";
    }
  }
}

TEST(Irregularity, HasThePowerOfItsSpectrum) {
  for (const TrackSpectrum& spectrum : track_spectra()) {
    for (const Deviation deviation : kAll) {
      const Irregularity irregularity(spectrum, deviation, settings_for(spectrum, 500.0));
      // The midpoint rule over logarithms, fine enough for every cut-off.
      const double from = std::log(2.0 * pi / spectrum.longest), to = std::log(2.0 * pi / spectrum.shortest);
      constexpr int kPieces = 20000;
      double power = 0.0;
      for (int i = 0; i < kPieces; ++i) {
        const double w = std::exp(from + (i + 0.5) / kPieces * (to - from));
        power += spectrum.density(deviation, w) * w * (to - from) / kPieces;
      }
      EXPECT_NEAR(irregularity.variance(), power, 2e-4 * power) << spectrum.name;
    }
  }
}

TEST(Irregularity, OfALongTrackHasItsSpectrum) {
  const TrackSpectrum& spectrum = *find_track_spectrum("german_high");
  const IrregularitySettings settings{.length = 3000.0, .shortest = 3.0, .longest = 100.0};
  const Irregularity irregularity(spectrum, Deviation::alignment, settings);
  signals::Samples samples{.start = 0.0, .step = 0.5};
  for (int i = 0; i < 6000; ++i) samples.values.push_back(irregularity.at(0.5 * i).value);
  const auto found = signals::spectrum_of(samples, {.segment = 600});
  // Bands of a third of an octave hold many lines; their mean is right to the share of one line in them.
  for (double f = 0.03; f < 0.25; f *= 1.26) {
    double power = 0.0, expected = 0.0;
    for (std::size_t k = 1; k < found->densities.size(); ++k) {
      const double line = static_cast<double>(k) * found->step;
      if (line < f || line >= 1.26 * f) continue;
      power += found->densities[k];
      expected += spectrum.density(Deviation::alignment, 2.0 * pi * line) * 2.0 * pi;
    }
    EXPECT_NEAR(power / expected, 1.0, 0.35) << f << " 1/m";
  }
}

TEST(Irregularity, DerivativesAreThoseOfItsValues) {
  const TrackSpectrum& spectrum = *find_track_spectrum("chinese_ballastless");
  IrregularitySettings settings = settings_for(spectrum, 300.0);
  settings.fade_in = 20.0;
  const Irregularity irregularity(spectrum, Deviation::profile, settings);
  constexpr double h = 1e-3;
  for (const double x : {0.5, 3.0, 11.0, 19.7, 20.4, 87.0, 299.0}) {
    const TrackPoint before = irregularity.at(x - h), here = irregularity.at(x), after = irregularity.at(x + h);
    EXPECT_NEAR(here.slope, (after.value - before.value) / (2.0 * h), 1e-9) << x;
    EXPECT_NEAR(here.curvature, (after.slope - before.slope) / (2.0 * h), 1e-8) << x;
  }
  // Two times differentiable at both ends of the fade-in.
  for (const double x : {0.0, 20.0}) {
    const TrackPoint before = irregularity.at(x - 1e-9), after = irregularity.at(x + 1e-9);
    EXPECT_NEAR(before.value, after.value, 1e-12);
    EXPECT_NEAR(before.slope, after.slope, 1e-11);
    EXPECT_NEAR(before.curvature, after.curvature, 1e-9);
  }
  EXPECT_EQ(irregularity.at(-5.0).value, 0.0);
}

TEST(Irregularity, FollowsFromItsSeed) {
  const TrackSpectrum& spectrum = *find_track_spectrum("german_low");
  IrregularitySettings settings = settings_for(spectrum, 200.0);
  settings.seed = 7;
  const Irregularity one(spectrum, Deviation::profile, settings), same(spectrum, Deviation::profile, settings);
  const Irregularity other_kind(spectrum, Deviation::cross_level, settings);
  settings.seed = 8;
  const Irregularity other(spectrum, Deviation::profile, settings);
  EXPECT_EQ(one.at(100.0).value, same.at(100.0).value);
  EXPECT_NE(one.at(100.0).value, other.at(100.0).value);
  EXPECT_NE(one.at(100.0).value, other_kind.at(100.0).value);
}

TEST(Irregularity, DoesNotRepeatWithinItsTrack) {
  const TrackSpectrum& spectrum = *find_track_spectrum("german_low");
  const Irregularity irregularity(spectrum, Deviation::profile, settings_for(spectrum, 1000.0));
  // The correlation with itself, shifted by half of the track and more.
  for (double shift = 500.0; shift <= 990.0; shift += 10.0) {
    double sum = 0.0;
    for (double x = 0.0; x < 300.0; x += 1.0) sum += irregularity.at(x).value * irregularity.at(x + shift).value;
    EXPECT_LT(std::abs(sum) / 300.0, 0.7 * irregularity.variance()) << shift;
  }
}

TEST(Irregularity, BadSettingsAreNamed) {
  const auto says = [](IrregularitySettings settings, const char* part) {
    return Irregularity::problem_with(settings).find(part) != std::string::npos;
  };
  const IrregularitySettings good{.length = 100.0, .shortest = 1.0, .longest = 50.0};
  EXPECT_TRUE(Irregularity::problem_with(good).empty());
  IrregularitySettings bad = good;
  bad.length = -1.0;
  EXPECT_TRUE(says(bad, "the length must be greater than 0 m, got -1 m"));
  bad = good, bad.shortest = 60.0;
  EXPECT_TRUE(says(bad, "the shortest below the longest, got 60 and 50 m"));
  bad = good, bad.fade_in = NAN;
  EXPECT_TRUE(says(bad, "the length of the fade-in must be 0 m or greater, got nan m"));
  bad = good, bad.shortest = 1e-6;
  EXPECT_TRUE(says(bad, "need more than 1e+06 waves"));
}

TEST(RailPlaces, HaveTheDeviationsThatTheyCameFrom) {
  const RailPlaces p = rail_places(1.0, 2.0, 0.5, 0.1);
  EXPECT_DOUBLE_EQ(0.5 * (p.left_height + p.right_height), 1.0);
  EXPECT_DOUBLE_EQ(p.right_height - p.left_height, 0.5);
  EXPECT_DOUBLE_EQ(0.5 * (p.left_lateral + p.right_lateral), 2.0);
  EXPECT_NEAR(p.left_lateral - p.right_lateral, 0.1, 1e-15);
}

}  // namespace irregularity_test
}  // namespace tieline::rail
