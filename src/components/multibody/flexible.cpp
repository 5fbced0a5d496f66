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
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <utility>

namespace tieline::components {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;

constexpr double kPi = std::numbers::pi;
constexpr int kNodeFreedoms = 6;
// The sines' products and their products with x are integrated to rounding by this many points.
constexpr int kSinePoints = 24;

/// Points and weights of Gauss and Legendre on [-1, 1], by Newton's method on the polynomial.
std::vector<std::pair<double, double>> gauss(int count) {
  std::vector<std::pair<double, double>> result;
  for (int i = 0; i < count; ++i) {
    double x = std::cos(kPi * (i + 0.75) / (count + 0.5)), slope = 1.0;
    for (int k = 0; k < 50; ++k) {
      double before = 1.0, value = x;
      for (int n = 2; n <= count; ++n) before = std::exchange(value, ((2 * n - 1) * x * value - (n - 1) * before) / n);
      slope = count * (x * value - before) / (x * x - 1.0);
      const double change = value / slope;
      x -= change;
      if (std::abs(change) < 1e-16) break;
    }
    result.emplace_back(x, 2.0 / ((1.0 - x * x) * slope * slope));
  }
  return result;
}

/// Cubics of Hermite on [0, h] at the share s: values by (v1, slope1, v2, slope2), their first derivatives.
struct Cubics {
  std::array<double, 4> value, slope;
  Cubics(double s, double h)
      : value{1 - 3 * s * s + 2 * s * s * s, h * (s - 2 * s * s + s * s * s), 3 * s * s - 2 * s * s * s,
              h * (s * s * s - s * s)},
        slope{(6 * s * s - 6 * s) / h, 1 - 4 * s + 3 * s * s, (6 * s - 6 * s * s) / h, 3 * s * s - 2 * s} {}
};

/// Displacement and rotation at the share s of an element by the twelve freedoms of its two nodes.
void element_fields(double s, double h, Eigen::Matrix<double, 3, 12>& displacement,
                    Eigen::Matrix<double, 3, 12>& rotation) {
  const Cubics cubic(s, h);
  displacement.setZero();
  rotation.setZero();
  for (int node = 0; node < 2; ++node) {
    const int first = node * kNodeFreedoms;
    const auto at = static_cast<std::size_t>(2 * node);
    const double share = node == 0 ? 1.0 - s : s;
    displacement(0, first) = rotation(0, first + 3) = share;
    // Across: dv/dx is the rotation about z, dw/dx its opposite about y.
    displacement(1, first + 1) = displacement(2, first + 2) = cubic.value[at];
    displacement(1, first + 5) = cubic.value[at + 1];
    displacement(2, first + 4) = -cubic.value[at + 1];
    rotation(2, first + 1) = cubic.slope[at];
    rotation(1, first + 2) = -cubic.slope[at];
    rotation(1, first + 4) = rotation(2, first + 5) = cubic.slope[at + 1];
  }
}

Eigen::Matrix<double, 12, 12> element_stiffness(const BeamSpec& beam, double h) {
  Eigen::Matrix<double, 12, 12> K = Eigen::Matrix<double, 12, 12>::Zero();
  const auto rod = [&](int i, double k) {
    K(i, i) += k, K(i + 6, i + 6) += k;
    K(i, i + 6) -= k, K(i + 6, i) -= k;
  };
  rod(0, beam.axial_stiffness / h);
  rod(3, beam.torsion_stiffness / h);
  const auto bend = [&](int across, int about, double sign, double stiffness) {
    const std::array<int, 4> at{across, about, across + 6, about + 6};
    const double k = stiffness / (h * h * h), a = sign * h;
    const double table[4][4] = {{12, 6 * a, -12, 6 * a},
                                {6 * a, 4 * h * h, -6 * a, 2 * h * h},
                                {-12, -6 * a, 12, -6 * a},
                                {6 * a, 2 * h * h, -6 * a, 4 * h * h}};
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) K(at[i], at[j]) += k * table[i][j];
    }
  };
  bend(1, 5, 1.0, beam.bending_stiffness_z);
  bend(2, 4, -1.0, beam.bending_stiffness_y);
  return K;
}

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
  Eigen::Matrix<double, 3, 12> by_displacement, by_rotation;
  element_fields(x / h - element, h, by_displacement, by_rotation);
  // The root node's six freedoms are those of the frame.
  const int first = (element - 1) * kNodeFreedoms, skipped = element == 0 ? kNodeFreedoms : 0;
  displacement.middleCols(first + skipped, 12 - skipped) = by_displacement.rightCols(12 - skipped);
  rotation.middleCols(first + skipped, 12 - skipped) = by_rotation.rightCols(12 - skipped);
}

void FlexibleShape::add_stations(double from, double to, int points) {
  for (const auto& [place, weight] : gauss(points)) {
    const double x = 0.5 * (from + to) + 0.5 * (to - from) * place, length = 0.5 * (to - from) * weight;
    Matrix3X displacement, rotation;
    section(x, displacement, rotation);
    Station station{
        .x = x, .mass = spec_.mass_per_length * length, .axis_inertia = spec_.axis_inertia_per_length * length};
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
  const auto K = element_stiffness(spec_, h);
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
  Vector3d k(spec_.axial_stiffness * kPi * kPi / (8.0 * l), 0.0, 0.0);
  for (int n = 1; n <= 2; ++n) k[n] = spec_.bending_stiffness_z * std::pow(n * a, 4) * 0.5 * l;
  stiffness_ = k.asDiagonal();
  // Every mode's own mass is half that of the beam.
  const Vector3d c = 2.0 * spec_.damping_ratio * (k * 0.5 * spec_.mass_per_length * l).cwiseSqrt();
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
