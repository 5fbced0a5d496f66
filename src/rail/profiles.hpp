#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"

/// Profiles of wheel and rail, and where they touch.
///
/// Both are heights z [m] over the lateral coordinate o [m], which counts from the point where they touch when the
/// wheelset is centred, away from the middle of the track: the wheel's flange is at negative o, and the wheel's radius
/// there is larger, z being lower.
namespace tieline::rail {

/// A curve z(o), at even distances.
struct ProfileCurve {
  double first = 0.0, step = 1e-4;  ///< [m]
  std::vector<double> z{};

  [[nodiscard]] double last() const { return first + step * static_cast<double>(z.size() - 1); }
  [[nodiscard]] double at(double o) const;
};

/// A smooth curve through points that ascend in o (natural cubic spline).
[[nodiscard]] core::Result<ProfileCurve> curve_through(std::span<const double> o, std::span<const double> z,
                                                       const std::string& what);

/// A wheel and a rail of arcs: tread and rail head touch under the contact angle, and the tread is as hollow as the
/// equivalent conicity asks for; a fillet leads to a straight flange.
struct ConeAndFlange {
  double radius = 0.43;            ///< of the wheel in the middle of the tread [m]
  double half_span = 0.7465;       ///< from the middle of the track to the point of contact [m]
  double conicity = 0.1;           ///< equivalent, of small displacements
  double contact_angle = 0.05;     ///< in the middle [rad]; equal to the conicity: a cone
  double rail_radius = 0.3;        ///< of the rail head [m]
  double flange_angle = 1.2;       ///< [rad]
  double flange_clearance = 8e-3;  ///< displacement of the wheelset at which the flange takes over [m]
};

struct ProfilePairCurves {
  ProfileCurve wheel{}, rail{};
};
[[nodiscard]] core::Result<ProfilePairCurves> cone_and_flange(const ConeAndFlange& shape);

/// Where a wheel touches a rail.
struct ContactPlace {
  double overlap = 0.0;   ///< vertical, of a wheel whose centre is at its radius above the rail's datum [m]
  double angle = 0.0;     ///< of the surface against the horizontal, in the axes of the rail [rad]
  double on_wheel = 0.0;  ///< o of the point on the wheel [m]
  double drop = 0.0;      ///< z of the wheel there: its rolling radius is r0 - drop [m]
  double along = 0.0;     ///< half axis of the ellipse in the direction of rolling, per N^(1/3) [m/N^(1/3)]
  double across = 0.0;    ///< the same across it
  double hertz = 0.0;     ///< N = hertz * approach^1.5 [N/m^1.5]
};

/// Points of contact over the lateral displacement of the wheel against the rail and its roll angle, found once and
/// looked up [Wang1984]. Where several points are about equally near, as at the start of a flange contact, the place is
/// their mean, weighted by how near they are, so that it does not jump [Arnold1998].
class ContactTable {
 public:
  /// Fails where the profiles do not close: where the wheel touches the edge of a profile within `needed` [m] of the
  /// middle.
  [[nodiscard]] static core::Result<std::shared_ptr<const ContactTable>> make(const ProfilePairCurves& curves,
                                                                              double radius, double needed = 3e-3);

  /// `shift` outwards [m], `roll` with the outer side up [rad]; beyond the table as at its ends, the overlap by its
  /// slope.
  [[nodiscard]] ContactPlace at(double shift, double roll) const;
  [[nodiscard]] double radius() const { return radius_; }
  [[nodiscard]] double least_shift() const { return first_shift_; }
  [[nodiscard]] double most_shift() const { return first_shift_ + kShiftStep * static_cast<double>(shifts_ - 1); }

  static constexpr double kShiftStep = 1e-4;  ///< [m]
  static constexpr double kRollStep = 2e-3;   ///< [rad]
  static constexpr int kRolls = 11;           ///< from -10 to 10 mrad

 private:
  static constexpr std::size_t kValues = 7;
  using Entry = std::array<double, kValues>;
  ContactTable() = default;
  [[nodiscard]] const Entry& entry(int shift, int roll) const;

  double radius_ = 0.0;
  double first_shift_ = 0.0;
  int shifts_ = 0;
  std::vector<Entry> entries_{};  ///< roll by roll
};

}  // namespace tieline::rail
