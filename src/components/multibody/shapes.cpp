#include "components/multibody/shapes.hpp"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <numbers>

namespace tieline::components {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

/// Inertia of a point of unit mass at `arm`, about the origin.
Matrix3d point_inertia(const Vector3d& arm) { return arm.squaredNorm() * Matrix3d::Identity() - arm * arm.transpose(); }

// Discs are at the bound of the triangle inequality, where rounding decides.
constexpr double kTriangleRounding = 1e-9;

}  // namespace

MassProperties MassProperties::with(const MassProperties& other) const {
  MassProperties sum;
  sum.mass = mass + other.mass;
  if (sum.mass <= 0.0) return sum;
  sum.center = (mass * center + other.mass * other.center) / sum.mass;
  sum.inertia = inertia + mass * point_inertia(center - sum.center) + other.inertia +
                other.mass * point_inertia(other.center - sum.center);
  return sum;
}

MassProperties MassProperties::placed(const core::Pose& pose) const {
  const Matrix3d R = pose.orientation.toRotationMatrix();
  return {mass, pose.position + R * center, R * inertia * R.transpose()};
}

MassProperties box(const Vector3d& size, double density) {
  MassProperties result{.mass = density * size.prod()};
  const Vector3d squares = size.cwiseAbs2();
  result.inertia = (result.mass / 12.0 * Vector3d::Constant(squares.sum()) - result.mass / 12.0 * squares).asDiagonal();
  return result;
}

MassProperties tube(double outer_radius, double inner_radius, double length, double density) {
  const double outer2 = outer_radius * outer_radius, inner2 = inner_radius * inner_radius;
  MassProperties result{.mass = density * std::numbers::pi * (outer2 - inner2) * length};
  const double across = result.mass * ((outer2 + inner2) / 4.0 + length * length / 12.0);
  result.inertia = Vector3d(across, across, 0.5 * result.mass * (outer2 + inner2)).asDiagonal();
  return result;
}

MassProperties sphere(double radius, double density) {
  MassProperties result{.mass = density * 4.0 / 3.0 * std::numbers::pi * radius * radius * radius};
  result.inertia = 0.4 * result.mass * radius * radius * Matrix3d::Identity();
  return result;
}

bool inertia_from_numbers(std::span<const double> numbers, Matrix3d& inertia) {
  if (numbers.size() != 3 && numbers.size() != 6) return false;
  inertia = Vector3d(numbers[0], numbers[1], numbers[2]).asDiagonal();
  if (numbers.size() == 6) {
    inertia(0, 1) = inertia(1, 0) = numbers[3];
    inertia(0, 2) = inertia(2, 0) = numbers[4];
    inertia(1, 2) = inertia(2, 1) = numbers[5];
  }
  return true;
}

std::string inertia_defect(const Matrix3d& inertia) {
  const Vector3d moments = Eigen::SelfAdjointEigenSolver<Matrix3d>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  if (!(moments[0] > 0.0)) {
    return fmt::format("the inertia is not that of a body: its principal moments are {:.6g}, {:.6g} and {:.6g} kg m^2",
                       moments[0], moments[1], moments[2]);
  }
  if (moments[2] > (moments[0] + moments[1]) * (1.0 + kTriangleRounding)) {
    return fmt::format(
        "the inertia is not that of a body: its principal moment {:.6g} kg m^2 is larger than the sum of "
        "the others, {:.6g} and {:.6g}",
        moments[2], moments[0], moments[1]);
  }
  return {};
}

}  // namespace tieline::components
