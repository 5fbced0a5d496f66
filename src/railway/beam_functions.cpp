#include "railway/beam_functions.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace tieline::railway {

double BeamFunctions::root(int n) {
  double x = (n + 0.5) * std::numbers::pi;
  // Newton's method for cos(x) = 1 / cosh(x).
  for (int i = 0; i < 20; ++i) {
    const double value = std::cos(x) - 1.0 / std::cosh(x);
    x -= value / (-std::sin(x) + std::sinh(x) / (std::cosh(x) * std::cosh(x)));
  }
  return x;
}

double BeamFunctions::at(int i, double x, int derivative) const {
  const double norm = 1.0 / std::sqrt(length_);
  if (i == 0) return derivative == 0 ? norm : 0.0;
  if (i == 1) {
    const double slope = 2.0 * std::numbers::sqrt3 / length_;
    return norm * (derivative == 0 ? slope * (x - 0.5 * length_) : derivative == 1 ? slope : 0.0);
  }
  const double k = root(i - 1), b = k / length_, z = b * x;
  // cosh z - sigma sinh z, without the difference of large numbers: sigma is 1 up to e^-k.
  const double sigma = (std::cosh(k) - std::cos(k)) / (std::sinh(k) - std::sin(k));
  const double rest = (std::exp(-k) + std::sin(k) - std::cos(k)) / (std::sinh(k) - std::sin(k));  // sigma - 1
  const double grows = -0.5 * rest * std::exp(z), falls = 0.5 * (1.0 + sigma) * std::exp(-z);
  const double c = std::cos(z), s = std::sin(z);
  switch (derivative) {
    case 0:
      return norm * (grows + falls + c - sigma * s);
    case 1:
      return norm * b * (grows - falls - s - sigma * c);
    default:
      return norm * b * b * (grows + falls - c + sigma * s);
  }
}

Eigen::MatrixXd BeamFunctions::products(int a, const BeamFunctions& others, int b, double from, double to,
                                        double shift) const {
  // Gauss's rule of five points on each of many panels: exact to rounding for the few functions in use.
  constexpr std::array<double, 5> kPlaces{-0.906179845938664, -0.538469310105683, 0.0, 0.538469310105683,
                                          0.906179845938664};
  constexpr std::array<double, 5> kWeights{0.236926885056189, 0.478628670499366, 0.568888888888889, 0.478628670499366,
                                           0.236926885056189};
  constexpr int kPanels = 40;
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(count_, others.count_);
  const double h = (to - from) / kPanels;
  for (int panel = 0; panel < kPanels; ++panel) {
    for (std::size_t k = 0; k < kPlaces.size(); ++k) {
      const double x = from + h * (panel + 0.5 + 0.5 * kPlaces[k]);
      for (int i = 0; i < count_; ++i) {
        const double own = 0.5 * h * kWeights[k] * at(i, x, a);
        for (int j = 0; j < others.count_; ++j) result(i, j) += own * others.at(j, x + shift, b);
      }
    }
  }
  return result;
}

}  // namespace tieline::railway
