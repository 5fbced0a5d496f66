#include "wave/track_bundle.hpp"

#include <array>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <span>
#include <utility>

namespace tieline::wave {
namespace track_bundle_test {

using Tracks = std::array<Track, Lanes::kCount>;

TrackBundle bundle_of(const Tracks& tracks) { return TrackBundle({&tracks[0], &tracks[1], &tracks[2], &tracks[3]}); }

double some(double size) { return size * *rc::gen::inRange(-1000, 1001) / 1000.0; }

/// Every lane has the bits of its track, whichever way they are asked.
void expect_the_bits_of_tracks(TrackBundle& bundle, const Tracks& tracks, double t, Side side) {
  const TrackValueOf<Lanes> together = bundle.at(t, side);
  const Lanes value = bundle.value(t, side);
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    const TrackValue alone = tracks[i].at(t, side);
    RC_ASSERT(together.value[i] == alone.value);
    RC_ASSERT(together.rate[i] == alone.rate);
    RC_ASSERT(together.integral[i] == alone.integral);
    RC_ASSERT(value[i] == alone.value);
  }
}

RC_GTEST_PROP(TrackBundle, HasTheBitsOfItsTracks, ()) {
  const auto interpolation = static_cast<Interpolation>(*rc::gen::inRange(0, 5));
  const bool is_mixed = *rc::gen::inRange(0, 4) == 0, has_empty = *rc::gen::arbitrary<bool>();
  Tracks tracks;
  for (Track& track : tracks) track.set_interpolation(interpolation);
  if (is_mixed) tracks[2].set_interpolation(Interpolation::linear);
  std::vector<double> times{0.0};
  for (int k = 0; k < 6; ++k) {
    // Now and then two knots at one time, or one that only one track has.
    const bool is_break = *rc::gen::inRange(0, 4) == 0, is_alone = *rc::gen::inRange(0, 4) == 0;
    times.push_back(is_break ? times.back() : times.back() + 0.1 + std::abs(some(1.0)));
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      if ((has_empty && i == 1) || (is_alone && i != 3)) continue;
      tracks[i].push({times.back(), some(1.0), some(1.0), some(3.0)});
    }
  }
  TrackBundle bundle = bundle_of(tracks);
  for (const Side side : {Side::left, Side::right}) {
    for (const double t : times) expect_the_bits_of_tracks(bundle, tracks, t, side);
    for (int k = 0; k < 20; ++k) {
      expect_the_bits_of_tracks(bundle, tracks, -0.1 + (times.back() + 0.2) * std::abs(some(1.0)), side);
    }
  }
}

TEST(TrackBundle, FollowsChangesOfItsTracks) {
  Tracks tracks;
  for (Track& track : tracks) {
    track.push({0.0, 0.0, 1.0, 0.0});
    track.push({1.0, 0.0, 1.0, 0.0});
  }
  TrackBundle bundle = bundle_of(tracks);
  EXPECT_EQ(bundle.value(0.5, Side::left)[0], 1.0);
  for (Track& track : std::span(tracks).subspan(1)) track.join_revision(tracks[0]);
  std::uint64_t revision = tracks[0].revision();
  const auto has_changed = [&] { return std::exchange(revision, tracks[0].revision()) != tracks[0].revision(); };
  EXPECT_FALSE(has_changed());
  tracks[3].push({2.0, 0.0, 1.0, 0.0});
  EXPECT_TRUE(has_changed());
  tracks[1].forget_before(0.2);
  EXPECT_FALSE(has_changed());
  // A track that another one has replaced is a new one, as often as it was changed before.
  Track other;
  other.push({0.0, 0.0, 5.0, 0.0});
  other.push({1.0, 0.0, 5.0, 0.0});
  tracks[0] = other;
  EXPECT_TRUE(has_changed());
  bundle.forget();
  EXPECT_EQ(bundle.value(0.5, Side::left)[0], 5.0);
  tracks[0].assign(Interpolation::hold, std::vector<Knot>{{0.0, 0.0, 7.0, 0.0}});
  EXPECT_TRUE(has_changed());
  tracks[0].clear();
  EXPECT_TRUE(has_changed());
  tracks[0].set_interpolation(Interpolation::linear);
  EXPECT_TRUE(has_changed());
}

TEST(TrackBundle, LanesWithoutATrackAreZero) {
  Track track;
  track.push({0.0, 0.0, 1.0, 2.0});
  track.push({1.0, 0.0, 3.0, 2.0});
  TrackBundle bundle({&track, nullptr, nullptr, nullptr});
  for (const double t : {-1.0, 0.0, 0.5, 1.0, 2.0}) {
    EXPECT_EQ(bundle.value(t, Side::left)[0], track.at(t, Side::left).value);
    EXPECT_EQ(bundle.at(t, Side::left).integral[2], 0.0);
  }
}

}  // namespace track_bundle_test
}  // namespace tieline::wave
