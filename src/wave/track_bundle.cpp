#include "wave/track_bundle.hpp"

namespace tieline::wave {

bool TrackBundle::draw(double t, Side side) {
  const Track* first = nullptr;
  std::size_t behind = 0;  // knots from that at the start of the piece on
  KnotOf<Lanes> from, to;
  for (std::size_t lane = 0; lane < tracks_.size(); ++lane) {
    const Track* const track = tracks_[lane];
    if (track == nullptr || track->empty()) continue;
    if (track->size() < 2) return false;
    // Tracks of one interface mostly have as many knots ahead as the first of them.
    std::size_t i = track->size() - behind;
    if (first == nullptr || track->size() < behind || track->knot(i).t != from.t || track->knot(i + 1).t != to.t) {
      i = track->find_piece(t, side);
    }
    const Knot &begin = track->knot(i), &end = track->knot(i + 1);
    if (first == nullptr) {
      first = track;
      behind = track->size() - i;
      from.t = begin.t, to.t = end.t;
      if (!is_within(t, side, from.t, to.t)) return false;
    }
    if (begin.t != from.t || end.t != to.t || track->interpolation() != first->interpolation()) return false;
    from.integral.set(lane, begin.integral), from.value.set(lane, begin.value), from.rate.set(lane, begin.rate);
    to.integral.set(lane, end.integral), to.value.set(lane, end.value), to.rate.set(lane, end.rate);
  }
  if (first == nullptr) return false;
  piece_ = {first->interpolation(), from, to};
  start_ = {from.value, has_rates(first->interpolation()) ? from.rate : Lanes{}, from.integral};
  end_ = to.t;
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
