// Several balls at once, with the widest registers of the processor. The compiler makes one function for each set of
// instructions, and the program chooses when it starts. Flags of this file: cmake/rooms.cmake.

#include "bearings/contact_lanes.hpp"

#include <algorithm>
#include <array>
#include <numbers>

namespace tieline::bearings {
namespace {

constexpr std::size_t kStates = 9;

using Row = RowOfContacts;

template <class N>
TIELINE_INLINE double& lane(N& numbers, std::size_t i) {
  return reinterpret_cast<double*>(&numbers)[i];
}

/// Balls from `first` on; lanes beyond the last ball repeat it.
template <class N>
TIELINE_INLINE void load_some(const Row& row, std::size_t first, std::span<ContactLoad> loads) {
  constexpr std::size_t kCount = formulas::kLanes<N>;
  const std::size_t last = loads.size() - 1;
  formulas::Balls<N> balls{};
  std::array<N, kStates> states{};
  for (std::size_t i = 0; i < kCount; ++i) {
    const double* y = row.balls.data() + kStates * std::min(first + i, last);
    for (std::size_t k = 0; k < kStates; ++k) lane(states[k], i) = y[k];
  }
  balls.place = {states[0], states[1], states[2]};
  balls.velocity = {states[3], states[4], states[5]};
  balls.spin = {states[6], states[7], states[8]};
  for (std::size_t i = 0; i < kCount && !(row.spots.empty() && row.groove.defects.empty()); ++i) {
    const std::size_t ball = std::min(first + i, last);
    const GrooveDip dip = dip_at(row.groove, row.ring, {lane(states[0], i), lane(states[1], i), lane(states[2], i)});
    const BallSpot spot = row.spots.empty() ? BallSpot{} : row.spots[ball];
    lane(balls.dip, i) = dip.depth + spot.depth;
    lane(balls.tilt, i) = dip.tilt;
    lane(balls.spot_rate, i) = spot.rate;
  }
  N approach = formulas::approach_of<N>(row.groove, row.ring, balls.place) - balls.dip;
  bool is_any_near = false;
  for (std::size_t i = 0; i < kCount; ++i) is_any_near = is_any_near || lane(approach, i) > 0.0;
  const std::size_t end = std::min(loads.size(), first + kCount);
  if (!is_any_near) {
    std::fill(loads.begin() + static_cast<std::ptrdiff_t>(first), loads.begin() + static_cast<std::ptrdiff_t>(end),
              ContactLoad{});
    return;
  }
  formulas::Loads<N> result = formulas::loads_on<N>(row.groove, row.traction, row.slices, row.ring, balls);
  for (std::size_t i = first; i < end; ++i) {
    const std::size_t at = i - first;
    loads[i].force = {lane(result.force.x, at), lane(result.force.y, at), lane(result.force.z, at)};
    loads[i].moment = {lane(result.moment.x, at), lane(result.moment.y, at), lane(result.moment.z, at)};
    loads[i].elastic = lane(result.elastic, at);
    loads[i].lost = lane(result.lost, at);
  }
}

template <std::size_t count>
TIELINE_INLINE void load_all(const Row& row, std::span<ContactLoad> loads) {
  for (std::size_t first = 0; first < loads.size(); first += count) {
    load_some<typename formulas::VectorOf<count>::Number>(row, first, loads);
  }
}

void load_by_1(const Row& row, std::span<ContactLoad> loads) { load_all<1>(row, loads); }
void load_by_2(const Row& row, std::span<ContactLoad> loads) { load_all<2>(row, loads); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] void load_by_4(const Row& row, std::span<ContactLoad> loads) { load_all<4>(row, loads); }
[[gnu::target("avx512f,avx512dq,avx512vl")]] void load_by_8(const Row& row, std::span<ContactLoad> loads) {
  load_all<8>(row, loads);
}
#endif

}  // namespace

std::size_t widest_lanes() {
#if defined(__x86_64__)
  static const std::size_t widest =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") ? 8
      : __builtin_cpu_supports("avx2")                                                                              ? 4
                                                                                                                    : 2;
  return widest;
#else
  return 2;
#endif
}

void load_row(const RowOfContacts& row, std::span<ContactLoad> loads, std::size_t lanes) {
#if defined(__x86_64__)
  if (lanes >= 8) return load_by_8(row, loads);
  if (lanes >= 4) return load_by_4(row, loads);
#endif
  if (lanes >= 2) return load_by_2(row, loads);
  load_by_1(row, loads);
}

GrooveDip dip_at(const Groove& groove, const RingMotion& ring, const Vector3& place) {
  GrooveDip dip;
  if (groove.defects.empty()) return dip;
  const Vector3 q = place - ring.centre, radial = q - q.dot(ring.x) * ring.x;
  for (const GrooveDefect& defect : groove.defects) {
    const double turned = std::atan2(radial.dot(ring.z), radial.dot(ring.y)) - defect.angle;
    const double wrapped = std::remainder(turned, 2.0 * std::numbers::pi);
    const double scale = 2.0 * groove.circle / defect.length, at = wrapped * scale;
    dip.depth += defect.depth * spot_shape(at);
    dip.tilt -= defect.depth * spot_slope(at) * scale / radial.norm();
  }
  return dip;
}

}  // namespace tieline::bearings
