#include "rail/profiles.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "bearings/hertz.hpp"
#include "rail/creep.hpp"

namespace tieline::rail {
namespace {

// Points of contact within about this much of the nearest one take part in their mean [m].
constexpr double kBlend = 2e-6;
// Flatter contacts than of this sum of curvatures across are counted as that [1/m]: Hertz's theory ends there.
constexpr double kLeastCurvature = 0.5;
constexpr double kMostShift = 14e-3;  ///< either way [m]

// Arcs of the gauge corner of the rail and of the fillet of the wheel [m], and how far from the middle the corner is.
constexpr double kCornerRadius = 13e-3;
constexpr double kFilletRadius = 15e-3;
constexpr double kCornerStart = 20e-3;
constexpr double kCornerAngle = 1.5;  ///< at which the side of the rail begins [rad]
constexpr double kOuterEdge = 36e-3;  ///< half the width of a rail head
constexpr double kFlangeDepth = 20e-3;

/// The height of an arc through 0 with the slope angle `angle`, hollow downwards (radius < 0: a straight line).
struct Arc {
  double angle = 0.0, radius = 0.0;
  [[nodiscard]] double sine(double o) const { return std::sin(angle) - (radius > 0.0 ? o / radius : 0.0); }
  [[nodiscard]] double z(double o) const {
    if (radius <= 0.0) return std::tan(angle) * o;
    const double s = sine(o);
    return radius * (std::sqrt(1.0 - s * s) - std::cos(angle));
  }
};

/// An inner part that bends down from `start` (negative) with a radius until the angle `end_angle`, then straight on.
struct InnerPart {
  double start = 0.0, z = 0.0, sine = 0.0, radius = 0.0, end_angle = 0.0;
  [[nodiscard]] double height(double o) const {
    const double end_sine = std::sin(end_angle), end = start - radius * (end_sine - sine);
    const double s = std::min(end_sine, sine + (start - o) / radius);
    const double bent = z - radius * (std::sqrt(1.0 - sine * sine) - std::sqrt(1.0 - s * s));
    return o >= end ? bent : bent - std::tan(end_angle) * (end - o);
  }
};

ProfileCurve sampled(double first, double last, auto&& height) {
  ProfileCurve curve{.first = first};
  const auto count = static_cast<std::size_t>(std::ceil((last - first) / curve.step)) + 1;
  for (std::size_t i = 0; i < count; ++i) curve.z.push_back(height(first + curve.step * static_cast<double>(i)));
  return curve;
}

/// Slopes and curvatures at the points of a curve.
struct Derivatives {
  std::vector<double> slope, curvature;
};
Derivatives derivatives_of(const ProfileCurve& curve) {
  const std::size_t n = curve.z.size();
  Derivatives d{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t k = std::clamp<std::size_t>(i, 1, n - 2);
    d.slope[i] = (curve.z[k + 1] - curve.z[k - 1]) / (2.0 * curve.step);
    const double bend = (curve.z[k + 1] - 2.0 * curve.z[k] + curve.z[k - 1]) / (curve.step * curve.step);
    d.curvature[i] = bend / std::pow(1.0 + d.slope[i] * d.slope[i], 1.5);
  }
  return d;
}
double interpolated(const ProfileCurve& curve, const std::vector<double>& values, double o) {
  const double x = std::clamp((o - curve.first) / curve.step, 0.0, static_cast<double>(values.size() - 1));
  const auto i = std::min(static_cast<std::size_t>(x), values.size() - 2);
  const double share = x - static_cast<double>(i);
  return values[i] + share * (values[i + 1] - values[i]);
}

std::array<double, 4> catmull_rom(double x) {
  const double x2 = x * x, x3 = x2 * x;
  return {0.5 * (-x3 + 2.0 * x2 - x), 0.5 * (3.0 * x3 - 5.0 * x2 + 2.0), 0.5 * (-3.0 * x3 + 4.0 * x2 + x),
          0.5 * (x3 - x2)};
}

/// Finds where a wheel touches a rail.
class ContactSearch {
 public:
  ContactSearch(const ProfilePairCurves& curves, double radius)
      : curves_(curves),
        radius_(radius),
        wheel_(derivatives_of(curves.wheel)),
        rail_(derivatives_of(curves.rail)),
        gaps_(curves.wheel.z.size()) {}

  struct Found {
    ContactPlace place{};
    bool is_at_edge = false;
  };
  Found find(double shift, double roll) {
    const ProfileCurve &wheel = curves_.wheel, &rail = curves_.rail;
    const double c = std::cos(roll), s = std::sin(roll);
    constexpr double kApart = -1.0;
    double most = kApart;
    std::size_t first = wheel.z.size(), last = 0, nearest = 0;
    for (std::size_t i = 0; i < wheel.z.size(); ++i) {
      const double o = wheel.first + wheel.step * static_cast<double>(i);
      const double place = shift + o * c - wheel.z[i] * s;
      gaps_[i] = kApart;
      if (place < rail.first || place > rail.last()) continue;
      first = std::min(first, i), last = i;
      gaps_[i] = rail.at(place) - (o * s + wheel.z[i] * c);
      if (gaps_[i] > most) most = gaps_[i], nearest = i;
    }
    Found found;
    found.is_at_edge = first >= last || nearest <= first + 1 || nearest + 1 >= last;
    if (found.is_at_edge) return found;
    double sum = 0.0, on_wheel = 0.0, on_rail = 0.0, angle = 0.0, drop = 0.0;
    for (std::size_t i = first; i <= last; ++i) {
      const double depth = (gaps_[i] - most) / kBlend;
      if (depth < -30.0) continue;
      const double weight = std::exp(depth), o = wheel.first + wheel.step * static_cast<double>(i);
      sum += weight;
      on_wheel += weight * o;
      on_rail += weight * (shift + o * c - wheel.z[i] * s);
      angle += weight * std::atan(wheel_.slope[i]);
      drop += weight * wheel.z[i];
    }
    ContactPlace& place = found.place;
    place.overlap = most;
    place.angle = angle / sum + roll;
    place.on_wheel = on_wheel / sum;
    place.drop = drop / sum;
    shape(place, on_rail / sum);
    return found;
  }

 private:
  void shape(ContactPlace& place, double on_rail) const {
    // A rail that bulges upwards has a negative second derivative; a hollow wheel has one, too.
    const double rail = -interpolated(curves_.rail, rail_.curvature, on_rail);
    const double wheel = interpolated(curves_.wheel, wheel_.curvature, place.on_wheel);
    const bearings::Curvatures curvatures{std::cos(place.angle) / (radius_ - place.drop),
                                          std::max(kLeastCurvature, rail + wheel)};
    const double youngs = 2.0 * kShearModulus * (1.0 + kPoissonsRatio);
    const bearings::Material steel{youngs, kPoissonsRatio, 7800.0};
    const bearings::PointContact contact =
        bearings::point_contact(curvatures, bearings::effective_modulus(steel, steel));
    const bearings::LoadedContact unit = bearings::under_load(contact, 1.0);
    // The long axis lies in the direction of the smaller curvature.
    const bool is_long = curvatures.along < curvatures.across;
    place.along = is_long ? unit.half_length : unit.half_width;
    place.across = is_long ? unit.half_width : unit.half_length;
    place.hertz = contact.stiffness;
  }

  const ProfilePairCurves& curves_;
  double radius_;
  Derivatives wheel_, rail_;
  std::vector<double> gaps_;
};

}  // namespace

double ProfileCurve::at(double o) const { return interpolated(*this, z, o); }

core::Result<ProfileCurve> curve_through(std::span<const double> o, std::span<const double> z,
                                         const std::string& what) {
  const auto bad = [&](std::string message) {
    return core::Error{.code = core::ErrorCode::bad_input, .message = what + ": " + std::move(message)};
  };
  const std::size_t n = o.size();
  if (n < 4 || z.size() != n) return bad(fmt::format("a profile needs at least 4 points, found {}", n));
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (!(o[i + 1] > o[i])) return bad(fmt::format("points must ascend, but {} follows {}", o[i + 1], o[i]));
  }
  if (!(o.front() < -5e-3 && o.back() > 5e-3)) {
    return bad(
        fmt::format("a profile must reach at least 5 mm to both sides of the point of contact at 0, but it goes "
                    "from {} to {} m (lengths are in metres)",
                    o.front(), o.back()));
  }
  if (o.back() - o.front() > 0.5) return bad("a profile is wider than 0.5 m: lengths are in metres");
  // Second derivatives m of a natural spline, by elimination.
  std::vector<double> m(n, 0.0), factor(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double left = o[i] - o[i - 1], right = o[i + 1] - o[i];
    const double pivot = 2.0 * (left + right) - left * factor[i - 1];
    factor[i] = right / pivot;
    m[i] = (6.0 * ((z[i + 1] - z[i]) / right - (z[i] - z[i - 1]) / left) - left * m[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) m[i] -= factor[i] * m[i + 1];
  std::size_t k = 0;
  return sampled(o.front(), o.back(), [&](double x) {
    x = std::min(x, o.back());
    while (k + 2 < n && x > o[k + 1]) ++k;
    const double h = o[k + 1] - o[k], a = (o[k + 1] - x) / h, b = 1.0 - a;
    return a * z[k] + b * z[k + 1] + ((a * a * a - a) * m[k] + (b * b * b - b) * m[k + 1]) * h * h / 6.0;
  });
}

core::Result<ProfilePairCurves> cone_and_flange(const ConeAndFlange& shape) {
  const double tangent = std::tan(shape.contact_angle);
  // Equivalent conicity of arcs, with what the roll of the wheelset adds [Wickens2003].
  const double geometry = (shape.half_span + shape.rail_radius * tangent) / (shape.half_span - shape.radius * tangent);
  const double ratio = shape.conicity / (tangent * geometry);  // R_w / (R_w - R_r)
  if (!(ratio > 0.9)) {
    return core::Error{
        .code = core::ErrorCode::bad_input,
        .message = fmt::format("a contact angle of {} rad makes a conicity of at least {:.4g}, not {}: the profiles do "
                               "not close; lower contact_angle",
                               shape.contact_angle, tangent * geometry, shape.conicity)};
  }
  const Arc head{shape.contact_angle, shape.rail_radius};
  const Arc tread{shape.contact_angle, ratio > 1.0 ? shape.rail_radius * ratio / (ratio - 1.0) : -1.0};
  const InnerPart corner{-kCornerStart, head.z(-kCornerStart), head.sine(-kCornerStart), kCornerRadius, kCornerAngle};
  // On the rail and on the wheel, the points under the angle of the flange meet when the clearance is used up.
  const double flange_sine = std::sin(shape.flange_angle);
  const double meeting = corner.start - kCornerRadius * (flange_sine - corner.sine) - shape.flange_clearance;
  double start = -kCornerStart;
  for (int i = 0; i < 50; ++i) start = meeting + kFilletRadius * (flange_sine - tread.sine(start));
  if (!(start < -1e-3)) {
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("a flange clearance of {} m leaves no tread: the profiles do not close",
                                              shape.flange_clearance)};
  }
  const InnerPart fillet{start, tread.z(start), tread.sine(start), kFilletRadius, shape.flange_angle};
  const double flange_end = start - kFilletRadius * flange_sine - kFlangeDepth / std::tan(shape.flange_angle);
  ProfilePairCurves curves;
  curves.wheel =
      sampled(flange_end, kOuterEdge + kMostShift, [&](double o) { return o < start ? fillet.height(o) : tread.z(o); });
  curves.rail = sampled(corner.start - kCornerRadius * (std::sin(kCornerAngle) - corner.sine), kOuterEdge,
                        [&](double o) { return o < corner.start ? corner.height(o) : head.z(o); });
  return curves;
}

core::Result<std::shared_ptr<const ContactTable>> ContactTable::make(const ProfilePairCurves& curves, double radius,
                                                                     double needed) {
  std::shared_ptr<ContactTable> table(new ContactTable);
  table->radius_ = radius;
  ContactSearch search(curves, radius);
  constexpr int kMiddle = kRolls / 2;
  using Column = std::array<ContactPlace, kRolls>;  // of one shift
  std::map<int, Column> columns;
  const auto fits = [&](int shift) {
    Column column;
    for (int roll = -kMiddle; roll <= kMiddle; ++roll) {
      const ContactSearch::Found found = search.find(kShiftStep * shift, kRollStep * roll);
      if (found.is_at_edge) return false;
      column[static_cast<std::size_t>(roll + kMiddle)] = found.place;
    }
    columns[shift] = column;
    return true;
  };
  const int most = static_cast<int>(std::lround(kMostShift / kShiftStep));
  int low = 0, high = 0;
  const bool is_closed = fits(0);
  while (is_closed && low > -most && fits(low - 1)) --low;
  while (is_closed && high < most && fits(high + 1)) ++high;
  if (!is_closed || kShiftStep * high < needed || -kShiftStep * low < needed) {
    return core::Error{
        .code = core::ErrorCode::bad_input,
        .message = fmt::format(
            "the profiles do not close: {}",
            !is_closed ? std::string("in the middle the wheel touches the edge of a profile")
                       : fmt::format("displaced by {:.1f} or {:.1f} mm the wheel touches the edge of "
                                     "a profile; they must reach far enough for {:.1f} mm",
                                     1e3 * kShiftStep * (low - 1), 1e3 * kShiftStep * (high + 1), 1e3 * needed))};
  }
  // In the middle the profiles touch and the wheel rolls on its radius, wherever their heights count from.
  const ContactPlace middle = columns.at(0)[kMiddle];
  table->first_shift_ = kShiftStep * low;
  table->shifts_ = high - low + 1;
  for (int roll = -kMiddle; roll <= kMiddle; ++roll) {
    for (int shift = low; shift <= high; ++shift) {
      const ContactPlace& place = columns.at(shift)[static_cast<std::size_t>(roll + kMiddle)];
      table->entries_.push_back({place.overlap - middle.overlap, place.angle, place.on_wheel, place.drop - middle.drop,
                                 place.along, place.across, place.hertz});
    }
  }
  return std::shared_ptr<const ContactTable>(std::move(table));
}

const ContactTable::Entry& ContactTable::entry(int shift, int roll) const {
  const int s = std::clamp(shift, 0, shifts_ - 1), r = std::clamp(roll, 0, kRolls - 1);
  return entries_[static_cast<std::size_t>(r * shifts_ + s)];
}

ContactPlace ContactTable::at(double shift, double roll) const {
  const double s_all = (shift - first_shift_) / kShiftStep;
  const double s = std::clamp(s_all, 0.0, static_cast<double>(shifts_ - 1));
  const double r = std::clamp(roll / kRollStep + 0.5 * (kRolls - 1), 0.0, static_cast<double>(kRolls - 1));
  const int i = std::min(static_cast<int>(s), shifts_ - 2), j = std::min(static_cast<int>(r), kRolls - 2);
  const auto by_shift = catmull_rom(s - i), by_roll = catmull_rom(r - j);
  Entry sum{};
  for (int b = 0; b < 4; ++b) {
    for (int a = 0; a < 4; ++a) {
      const Entry& e = entry(i + a - 1, j + b - 1);
      const double weight = by_shift[static_cast<std::size_t>(a)] * by_roll[static_cast<std::size_t>(b)];
      for (std::size_t k = 0; k < kValues; ++k) sum[k] += weight * e[k];
    }
  }
  ContactPlace place{sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6]};
  place.overlap += std::tan(place.angle - roll) * kShiftStep * (s_all - s);
  return place;
}

}  // namespace tieline::rail
