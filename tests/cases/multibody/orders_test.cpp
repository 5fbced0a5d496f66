// How the error of lines between bodies vanishes with their delay: with its square where the stiffness is kept and the
// same elastic hinges in one piece are the measure, with the delay itself where the impedance is kept and exact hinges
// are. The parasitic mass is k T^2 in the first case; mass Z T and give T / Z in the second.

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace multibody_orders_test {

const std::filesystem::path kExample = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples/triple-pendulum";
constexpr double kStiffness = 1e5;   // [N/m]
constexpr double kImpedance = 50.0;  // [N s/m]
constexpr double kStop = 0.25;       // [s]

RunRecord in_one_piece(const std::string& hinges) {
  return run_model(kExample / "monolithic.xml", {}, [&](Simulation& simulation) {
    simulation.set("pendulum", hinges);
    simulation.set_stop(kStop);
  });
}

/// Largest distance of the last arm's end from where it is in one piece.
double error_of(double delay, double stiffness, const RunRecord& whole) {
  const RunRecord run = run_model(kExample / "lines.xml", {}, [&](Simulation& simulation) {
    simulation.set("T", delay);
    simulation.set("k", stiffness);
    simulation.set_stop(kStop);
  });
  EXPECT_EQ(warnings_but_of_mass(run.report), std::vector<std::string>{});
  EXPECT_LT(std::abs(run.report.energy_balance_relative), 1e-6);
  const auto &x = run.values("arm3.end.position.x"), &y = run.values("arm3.end.position.y");
  const auto &whole_x = whole.values("pendulum.end.position.x"), &whole_y = whole.values("pendulum.end.position.y");
  EXPECT_EQ(run.times("arm3.end.position.x"), whole.times("pendulum.end.position.x"));
  double largest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::hypot(x[i] - whole_x[i], y[i] - whole_y[i]));
  }
  return largest;
}

TEST(Orders, LinesOfOneStiffnessAreOfOrderTwo) {
  const RunRecord whole = in_one_piece("elastic");
  const double coarse = error_of(4e-4, kStiffness, whole), fine = error_of(1e-4, kStiffness, whole);
  EXPECT_NEAR(0.5 * std::log2(coarse / fine), 2.0, 0.2);
}

TEST(Orders, LinesOfOneImpedanceAreOfOrderOne) {
  const RunRecord whole = in_one_piece("rigid");
  const double coarse = error_of(4e-4, kImpedance / 4e-4, whole), fine = error_of(1e-4, kImpedance / 1e-4, whole);
  EXPECT_NEAR(0.5 * std::log2(coarse / fine), 1.0, 0.2);
}

// Joints as stiff springs are near the exact ones, by their give: forces of some 30 N on 1e9 N/m.
TEST(Orders, StiffSpringsAreNearExactHinges) {
  const RunRecord exact = in_one_piece("rigid"), stiff = in_one_piece("stiff");
  EXPECT_LT(largest_difference(exact, stiff, "pendulum.end.position.x"), 1e-6);
  EXPECT_LT(largest_difference(exact, stiff, "pendulum.end.position.y"), 1e-6);
}

}  // namespace multibody_orders_test
}  // namespace tieline::support
