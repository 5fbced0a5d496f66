#include "wave/track_bundle.hpp"

#include <memory>

namespace tieline::wave {
namespace {

/// Knots at one time, lane by lane.
[[gnu::always_inline]] inline KnotOf<Lanes> gather(double t, const std::array<const Knot*, Lanes::kCount>& knots) {
  const auto lanes = [&](double Knot::*number) -> Lanes {
    return {Lanes::Pair{knots[0]->*number, knots[1]->*number}, Lanes::Pair{knots[2]->*number, knots[3]->*number}};
  };
  return {t, lanes(&Knot::integral), lanes(&Knot::value), lanes(&Knot::rate)};
}

}  // namespace

[[gnu::flatten]] bool TrackBundle::draw(double t, Side side) {
  static constexpr Knot kNothing{};
  std::array<const Knot*, Lanes::kCount> from, to;
  const Track* first = nullptr;
  std::size_t behind = 0;  // knots from that at the start of the piece on
  double begin = 0.0, end = 0.0;
  for (std::size_t lane = 0; lane < Lanes::kCount; ++lane) {
    from[lane] = to[lane] = &kNothing;
    const Track* const track = tracks_[lane];
    if (track == nullptr || track->empty()) continue;
    const std::size_t size = track->size();
    if (size < 2) return false;
    std::size_t i = size - behind;
    if (first == nullptr) {
      first = track;
      i = track->find_piece(t, side);
      behind = size - i;
      begin = track->knot(i).t, end = track->knot(i + 1).t;
      if (!is_within(t, side, begin, end)) return false;
    } else if (size < behind || track->knot(i).t != begin || track->knot(i + 1).t != end) {
      // Tracks of one interface mostly have as many knots ahead as the first of them.
      i = track->find_piece(t, side);
      if (track->knot(i).t != begin || track->knot(i + 1).t != end) return false;
    }
    if (track->interpolation() != first->interpolation()) return false;
    from[lane] = &track->knot(i), to[lane] = &track->knot(i + 1);
  }
  if (first == nullptr) return false;
  const KnotOf<Lanes> from_knot = gather(begin, from), to_knot = gather(end, to);
  std::construct_at(&piece_, first->interpolation(), from_knot, to_knot);
  start_ = {from_knot.value, has_rates(first->interpolation()) ? from_knot.rate : Lanes{}, from_knot.integral};
  end_ = end;
  return true;
}

TrackValueOf<Lanes> TrackBundle::one_by_one(double t, Side side) const {
  TrackValueOf<Lanes> result;
  for (std::size_t lane = 0; lane < tracks_.size(); ++lane) {
    if (tracks_[lane] == nullptr) continue;
    const TrackValue value = tracks_[lane]->at(t, side);
    result.value.set(lane, value.value), result.rate.set(lane, value.rate), result.integral.set(lane, value.integral);
  }
  return result;
}

}  // namespace tieline::wave
