#pragma once

#include <Eigen/Core>
#include <vector>

#include "components/multibody/spec.hpp"

namespace tieline::components {

using Matrix3X = Eigen::Matrix<double, 3, Eigen::Dynamic>;

/// How a beam deforms, in its own frame: origin at its root, x along it. A displacement field that is linear in the
/// coordinates q, with the inertia and stiffness that go with it.
///
/// The mass lies on the axis, at the points of a quadrature that is exact for the polynomials at hand; beside it the
/// sections have inertia about the axis. Constant after construction.
class FlexibleShape {
 public:
  explicit FlexibleShape(const BeamSpec& spec);

  /// A point of the quadrature. Its displacement is N q(first .. first+count), its twist `twist` q(...).
  struct Station {
    double x = 0.0;             ///< along the beam [m]
    double mass = 0.0;          ///< [kg]
    double axis_inertia = 0.0;  ///< about x [kg m^2]
    Eigen::Index first = 0, count = 0;
    Matrix3X N{};
    Eigen::RowVectorXd twist{};
  };

  [[nodiscard]] int modes() const { return modes_; }
  [[nodiscard]] const std::vector<Station>& stations() const { return stations_; }
  [[nodiscard]] const Eigen::MatrixXd& stiffness() const { return stiffness_; }
  [[nodiscard]] const Eigen::MatrixXd& damping() const { return damping_; }
  /// Displacement and rotation of the section at x, by all coordinates.
  void section(double x, Matrix3X& displacement, Matrix3X& rotation) const;
  /// Names and units of the coordinates: `node2.displacement.y`, `mode1`.
  struct Coordinate {
    std::string name{};
    std::string unit{};
  };
  [[nodiscard]] const std::vector<Coordinate>& coordinates() const { return coordinates_; }

 private:
  void build_elements();
  void build_sines();
  void add_stations(double from, double to, int points);

  BeamSpec spec_;
  int modes_ = 0;
  std::vector<Station> stations_;
  Eigen::MatrixXd stiffness_, damping_;
  std::vector<Coordinate> coordinates_;
};

/// A rotation vector's exponential and how it changes: angular velocity = rate_map * d(phi)/dt, and its derivative is
/// rate_map * d2(phi)/dt2 + bias.
struct SmallRotation {
  Eigen::Quaterniond turn;
  Eigen::Matrix3d rate_map;
  Eigen::Vector3d bias;
  SmallRotation(const Eigen::Vector3d& phi, const Eigen::Vector3d& phi_rate);
};

}  // namespace tieline::components
