// The vehicle of the examples: what it weighs, how it swings, and when it runs straight, by the eigenvalues of its
// linearised equations.

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <iterator>
#include <numbers>

#include "components/multibody/multibody.hpp"
#include "components/multibody/reader.hpp"
#include "document/xml.hpp"

namespace tieline::railway {
namespace vehicle_test {

struct Mode {
  double frequency = 0.0;  ///< [Hz]
  double damping = 0.0;    ///< ratio
};

void replace(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

/// The vehicle on rigid rails, in the middle of the track.
components::MultibodySpec vehicle(double speed, double conicity, double yaw_damping) {
  const std::string file = TIELINE_SOURCE_DIR "/examples/train-crosswind/rigid.xml";
  std::ifstream stream(file);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  const std::string end = "</Multibody>";
  text = text.substr(text.find("<Multibody"), text.find(end) - text.find("<Multibody") + end.size());
  replace(text, "position=\"0, 0.002, 0\"", "position=\"0, 0, 0\"");
  replace(text, "{yaw_damping}", std::to_string(yaw_damping));
  replace(text, "speed=\"{350/3.6}\" conicity=\"0.1\"",
          "speed=\"" + std::to_string(speed) + "\" conicity=\"" + std::to_string(conicity) + "\"");
  document::Diagnostics diagnostics;
  const auto document = document::Document::parse(text, file, diagnostics);
  components::MultibodySpec spec = components::read_multibody(document->root(), document::Scope(), diagnostics);
  EXPECT_EQ(diagnostics.describe(), "");
  return spec;
}

std::vector<Mode> modes_of(const components::MultibodySpec& spec) {
  components::Multibody system(spec);
  const auto y = system.begin(0.0);
  EXPECT_TRUE(y);
  const auto n = static_cast<std::size_t>(system.size());
  std::vector<double> columns(n * n);
  EXPECT_TRUE(system.jacobian(0.0, *y, columns));
  const Eigen::Map<const Eigen::MatrixXd> J(columns.data(), system.size(), system.size());
  const Eigen::VectorXcd roots = Eigen::EigenSolver<Eigen::MatrixXd>(J, false).eigenvalues();
  std::vector<Mode> modes;
  for (const std::complex<double>& root : roots) {
    if (root.imag() > 1.0) modes.push_back({root.imag() / (2.0 * std::numbers::pi), -root.real() / std::abs(root)});
  }
  std::sort(modes.begin(), modes.end(), [](const Mode& a, const Mode& b) { return a.damping < b.damping; });
  if (std::getenv("TIELINE_SHOW_VALUES") != nullptr) {
    for (const Mode& mode : modes) std::cout << mode.frequency << " Hz, damping " << mode.damping << '\n';
  }
  return modes;
}

TEST(Vehicle, has_the_weight_and_bodies_of_a_high_speed_car) {
  const components::MultibodySpec spec = vehicle(350.0 / 3.6, 0.1, 2.5e5);
  double mass = 0.0;
  for (const auto& body : spec.bodies) mass += body.mass;
  EXPECT_EQ(spec.bodies.size(), 15U + 1U);
  EXPECT_NEAR(mass, 42400.0 + 2.0 * 2400.0 + 4.0 * 1850.0 + 8.0 * 70.0 + 1.0, 1.0);
}

TEST(Vehicle, bounces_and_pitches_on_its_springs) {
  const auto modes = modes_of(vehicle(350.0 / 3.6, 0.1, 2.5e5));
  const auto has = [&](double frequency, double tolerance) {
    return std::any_of(modes.begin(), modes.end(), [&](const Mode& mode) {
      // Of the undamped system.
      const double undamped = mode.frequency / std::sqrt(1.0 - mode.damping * mode.damping);
      return std::abs(undamped - frequency) < tolerance * frequency;
    });
  };
  // Two masses on springs: car on secondary, frames on both.
  EXPECT_TRUE(has(0.72, 0.03)) << "car bounce";
  EXPECT_TRUE(has(0.99, 0.05)) << "car pitch";
  EXPECT_TRUE(has(7.40, 0.05)) << "bogie bounce";
}

TEST(Vehicle, runs_straight_with_anti_yaw_dampers_and_hunts_without) {
  const double speed = 350.0 / 3.6;
  EXPECT_GT(modes_of(vehicle(speed, 0.1, 2.5e5)).front().damping, 0.0);
  const Mode hunting = modes_of(vehicle(speed, 0.1, 1.0)).front();
  EXPECT_LT(hunting.damping, 0.0);
  // Between the kinematic frequency of a free wheelset, 8.6 Hz, and the sway of the car below 1 Hz.
  EXPECT_GT(hunting.frequency, 2.0);
  EXPECT_LT(hunting.frequency, speed / 11.26);
}

}  // namespace vehicle_test
}  // namespace tieline::railway
