// Elements of Euler and Bernoulli in space: linear along and about the axis, cubic across it.

#include "components/beam_element.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace tieline::components {
namespace {

constexpr double kPi = std::numbers::pi;
// Exact for products of cubics.
constexpr int kMassPoints = 4;

/// Cubics of Hermite on [0, h] at the share s: values by (v1, slope1, v2, slope2), their first derivatives.
struct Cubics {
  std::array<double, 4> value, slope;
  Cubics(double s, double h)
      : value{1 - 3 * s * s + 2 * s * s * s, h * (s - 2 * s * s + s * s * s), 3 * s * s - 2 * s * s * s,
              h * (s * s * s - s * s)},
        slope{(6 * s * s - 6 * s) / h, 1 - 4 * s + 3 * s * s, (6 * s - 6 * s * s) / h, 3 * s * s - 2 * s} {}
};

}  // namespace

SectionProperties round_section(double outer_radius, double inner_radius) {
  const double outer2 = outer_radius * outer_radius, inner2 = inner_radius * inner_radius;
  const double inertia = kPi / 4.0 * (outer2 * outer2 - inner2 * inner2);
  return {
      .area = kPi * (outer2 - inner2), .inertia_y = inertia, .inertia_z = inertia, .torsion_constant = 2.0 * inertia};
}

SectionProperties rectangular_section(double width, double height) {
  const double a = std::max(width, height), b = std::min(width, height);
  const double share = b / a;
  return {.area = width * height,
          .inertia_y = width * height * height * height / 12.0,
          .inertia_z = height * width * width * width / 12.0,
          .torsion_constant = a * b * b * b * (1.0 / 3.0 - 0.21 * share * (1.0 - std::pow(share, 4) / 12.0))};
}

ElementProperties properties_of(const SectionProperties& section, double density, double youngs_modulus,
                                double shear_modulus) {
  return {.mass_per_length = density * section.area,
          .axis_inertia_per_length = density * (section.inertia_y + section.inertia_z),
          .axial_stiffness = youngs_modulus * section.area,
          .bending_stiffness_y = youngs_modulus * section.inertia_y,
          .bending_stiffness_z = youngs_modulus * section.inertia_z,
          .torsion_stiffness = shear_modulus * section.torsion_constant};
}

std::vector<std::pair<double, double>> gauss_points(int count) {
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

void element_fields(double s, double h, Matrix3x12& displacement, Matrix3x12& rotation) {
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

Matrix12 element_stiffness(const ElementProperties& beam, double h) {
  Matrix12 K = Matrix12::Zero();
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

Matrix12 element_mass(const ElementProperties& beam, double h) {
  Matrix12 M = Matrix12::Zero();
  Matrix3x12 displacement, rotation;
  for (const auto& [place, weight] : gauss_points(kMassPoints)) {
    element_fields(0.5 * (1.0 + place), h, displacement, rotation);
    const double length = 0.5 * h * weight;
    M += length * beam.mass_per_length * displacement.transpose() * displacement;
    M += length * beam.axis_inertia_per_length * rotation.row(0).transpose() * rotation.row(0);
  }
  return M;
}

}  // namespace tieline::components
