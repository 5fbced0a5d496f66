// Two kinds of beams in a floating frame at their root.
//
// Finite elements of Euler and Bernoulli: linear along and about the axis, cubic across it, each node with three
// displacements and three rotations; the root node is the frame. Consistent mass: the quadrature of four points is
// exact for products of cubics.
//
// A plane beam with assumed modes, after example 3 of [Wang2003]: along it sin(pi x / 2 l) q1, across it, in the plane
// x-y, sin(pi x / l) q2 + sin(2 pi x / l) q3.

#include "components/multibody/flexible.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "components/beam_element.hpp"

namespace tieline::components {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;

constexpr double kPi = std::numbers::pi;
// The sines' products and their products with x are integrated to rounding by this many points.
constexpr int kSinePoints = 24;

}  // namespace

FlexibleShape::FlexibleShape(const BeamSpec& spec) : spec_(spec) {
  spec_.kind == BeamSpec::Kind::finite_elements ? build_elements() : build_sines();
}

void FlexibleShape::section(double x, Matrix3X& displacement, Matrix3X& rotation) const {
  displacement.setZero(3, modes_);
  rotation.setZero(3, modes_);
  if (spec_.kind == BeamSpec::Kind::assumed_modes) {
    const double a = kPi / spec_.length;
    displacement(0, 0) = std::sin(0.5 * a * x);
    for (int k = 1; k <= 2; ++k) {
      displacement(1, k) = std::sin(k * a * x);
      rotation(2, k) = k * a * std::cos(k * a * x);
    }
    return;
  }
  const double h = spec_.length / spec_.elements;
  const int element = std::clamp(static_cast<int>(x / h), 0, spec_.elements - 1);
  Matrix3x12 by_displacement, by_rotation;
  element_fields(x / h - element, h, by_displacement, by_rotation);
  // The root node's six freedoms are those of the frame.
  const int first = (element - 1) * kNodeFreedoms, skipped = element == 0 ? kNodeFreedoms : 0;
  displacement.middleCols(first + skipped, 12 - skipped) = by_displacement.rightCols(12 - skipped);
  rotation.middleCols(first + skipped, 12 - skipped) = by_rotation.rightCols(12 - skipped);
}

void FlexibleShape::add_stations(double from, double to, int points) {
  for (const auto& [place, weight] : gauss_points(points)) {
    const double x = 0.5 * (from + to) + 0.5 * (to - from) * place, length = 0.5 * (to - from) * weight;
    Matrix3X displacement, rotation;
    section(x, displacement, rotation);
    Station station{.x = x,
                    .mass = spec_.properties.mass_per_length * length,
                    .axis_inertia = spec_.properties.axis_inertia_per_length * length};
    // Only the coordinates that move this point.
    Eigen::Index first = modes_, last = 0;
    for (Eigen::Index c = 0; c < modes_; ++c) {
      if (displacement.col(c).isZero(0.0) && rotation(0, c) == 0.0) continue;
      first = std::min(first, c);
      last = c + 1;
    }
    station.first = first;
    station.count = std::max<Eigen::Index>(0, last - first);
    station.N = displacement.middleCols(station.first, station.count);
    station.twist = rotation.row(0).segment(station.first, station.count);
    stations_.push_back(std::move(station));
  }
}

void FlexibleShape::build_elements() {
  const int nodes = spec_.elements;  // beside the root
  const double h = spec_.length / spec_.elements;
  modes_ = nodes * kNodeFreedoms;
  for (int e = 0; e < spec_.elements; ++e) add_stations(e * h, (e + 1) * h, 4);
  MatrixXd all = MatrixXd::Zero(modes_ + kNodeFreedoms, modes_ + kNodeFreedoms);
  const Matrix12 K = element_stiffness(spec_.properties, h);
  for (int e = 0; e < spec_.elements; ++e) all.block<12, 12>(e * kNodeFreedoms, e * kNodeFreedoms) += K;
  stiffness_ = all.bottomRightCorner(modes_, modes_);
  MatrixXd mass = MatrixXd::Zero(modes_, modes_);
  for (const Station& station : stations_) {
    mass.block(station.first, station.first, station.count, station.count) +=
        station.mass * station.N.transpose() * station.N +
        station.axis_inertia * station.twist.transpose() * station.twist;
  }
  damping_ = spec_.mass_damping * mass + spec_.stiffness_damping * stiffness_;
  for (int node = 1; node <= nodes; ++node) {
    for (const char* part : {"displacement", "rotation"}) {
      for (const char* axis : {"x", "y", "z"}) {
        coordinates_.push_back({fmt::format("node{}.{}.{}", node, part, axis), part[0] == 'd' ? "m" : "rad"});
      }
    }
  }
}

void FlexibleShape::build_sines() {
  modes_ = 3;
  add_stations(0.0, spec_.length, kSinePoints);
  const double l = spec_.length, a = kPi / l;
  Vector3d k(spec_.properties.axial_stiffness * kPi * kPi / (8.0 * l), 0.0, 0.0);
  for (int n = 1; n <= 2; ++n) k[n] = spec_.properties.bending_stiffness_z * std::pow(n * a, 4) * 0.5 * l;
  stiffness_ = k.asDiagonal();
  // Every mode's own mass is half that of the beam.
  const Vector3d ratios(spec_.damping_ratios.data());
  const Vector3d c = 2.0 * ratios.cwiseProduct((k * 0.5 * spec_.properties.mass_per_length * l).cwiseSqrt());
  damping_ = c.asDiagonal();
  for (int n = 1; n <= 3; ++n) coordinates_.push_back({fmt::format("mode{}", n), "m"});
}

SmallRotation::SmallRotation(const Vector3d& phi, const Vector3d& phi_rate) : turn(core::rotation_by(phi)) {
  // T = I + a [phi] + b [phi]^2 with a = (1 - cos) / angle^2, b = (angle - sin) / angle^3; series below a small angle.
  const double angle2 = phi.squaredNorm(), angle = std::sqrt(angle2);
  constexpr double kSmall = 1e-2;
  double a, b, a_slope, b_slope;  // slopes by the angle, over the angle
  if (angle < kSmall) {
    a = 0.5 - angle2 / 24.0 + angle2 * angle2 / 720.0;
    b = 1.0 / 6.0 - angle2 / 120.0 + angle2 * angle2 / 5040.0;
    a_slope = -1.0 / 12.0 + angle2 / 180.0 - angle2 * angle2 / 6720.0;
    b_slope = -1.0 / 60.0 + angle2 / 1260.0 - angle2 * angle2 / 60480.0;
  } else {
    const double s = std::sin(angle), c = std::cos(angle);
    a = (1.0 - c) / angle2;
    b = (angle - s) / (angle2 * angle);
    a_slope = (s / angle2 - 2.0 * a / angle) / angle;
    b_slope = ((1.0 - c) / (angle2 * angle) - 3.0 * b / angle) / angle;
  }
  const Eigen::Matrix3d cross = core::cross_matrix(phi);
  rate_map = Eigen::Matrix3d::Identity() + a * cross + b * cross * cross;
  const double growth = phi.dot(phi_rate);  // angle times its rate
  const Vector3d across = phi.cross(phi_rate);
  bias = a_slope * growth * across + b_slope * growth * phi.cross(across) + b * phi_rate.cross(across);
}

}  // namespace tieline::components
