#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

/// Elements of Euler and Bernoulli in space, x along them, and the sections they are made of: what beams of multibody
/// systems and of structures share. Each of the two nodes has six freedoms: displacements along x, y, z, then rotations
/// about them. Sections have inertia about x, and none across it.
namespace tieline::components {

inline constexpr int kNodeFreedoms = 6;

using Matrix12 = Eigen::Matrix<double, 12, 12>;
using Matrix3x12 = Eigen::Matrix<double, 3, 12>;

/// What a section is to bending, stretching and twisting.
struct SectionProperties {
  double area = 0.0;                        ///< [m^2]
  double inertia_y = 0.0, inertia_z = 0.0;  ///< second moments about y and z [m^4]
  double torsion_constant = 0.0;            ///< [m^4]
};

/// A circle, or a ring where the inner radius is above zero [m].
[[nodiscard]] SectionProperties round_section(double outer_radius, double inner_radius);
/// A solid rectangle, `width` along y and `height` along z [m]; its torsion constant by the usual formula, good to half
/// a per cent.
[[nodiscard]] SectionProperties rectangular_section(double width, double height);

/// What an element is made of, for each metre of it.
struct ElementProperties {
  double mass_per_length = 0.0;          ///< [kg/m]
  double axis_inertia_per_length = 0.0;  ///< of sections, about x [kg m]
  double axial_stiffness = 0.0;          ///< E A [N]
  double bending_stiffness_y = 0.0;      ///< E I about y [N m^2]
  double bending_stiffness_z = 0.0;      ///< about z
  double torsion_stiffness = 0.0;        ///< G J [N m^2]
};
[[nodiscard]] ElementProperties properties_of(const SectionProperties& section, double density, double youngs_modulus,
                                              double shear_modulus);

/// Points and weights of Gauss and Legendre on [-1, 1], by Newton's method on the polynomial.
[[nodiscard]] std::vector<std::pair<double, double>> gauss_points(int count);

/// Displacement and rotation at the share s of an element of length h [m] by the twelve freedoms of its two nodes.
void element_fields(double s, double h, Matrix3x12& displacement, Matrix3x12& rotation);

/// Of an element of length h [m]; the mass is the consistent one.
[[nodiscard]] Matrix12 element_stiffness(const ElementProperties& beam, double h);
[[nodiscard]] Matrix12 element_mass(const ElementProperties& beam, double h);

}  // namespace tieline::components
