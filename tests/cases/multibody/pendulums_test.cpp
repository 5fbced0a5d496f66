// Arms that lines join, against the same arms in one component.

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace multibody_pendulums_test {

const std::filesystem::path kCases = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples/omtlm-cases";

RunRecord run_until(const std::string& file, double stop) {
  return run_model(kCases / file, {}, [&](Simulation& simulation) { simulation.set_stop(stop); });
}

/// Largest distance of a coordinate from the same one in another run, at the times of this one that the other has too.
double distance(const RunRecord& run, const std::string& variable, const RunRecord& other, const std::string& same) {
  const results::Series &a = run.of(variable), &b = other.of(same);
  double largest = 0.0;
  std::size_t met = 0;
  for (std::size_t i = 0, j = 0; i < a.times.size(); ++i) {
    while (j < b.times.size() && b.times[j] < a.times[i] - 1e-9) ++j;
    if (j == b.times.size() || b.times[j] > a.times[i] + 1e-9) continue;
    largest = std::max(largest, std::abs(a.values[i] - b.values[j]));
    ++met;
  }
  EXPECT_GT(met, 50U) << variable;
  return largest;
}

// The lines' masses are in the monolithic model as weightless bodies.
TEST(Pendulums, LinesAreBarsBetweenArms) {
  const double stop = kIsInstrumented ? 0.2 : 1.0;
  const RunRecord whole = run_until("pendulums-monolithic.xml", stop);
  const RunRecord stiff = run_until("stiff-pendulum.xml", stop);
  const RunRecord triple = run_until("triple-pendulum.xml", stop);
  for (const char* axis : {"x", "y"}) {
    EXPECT_LT(
        distance(stiff, fmt::format("Arm2.arm.position.{}", axis), whole, fmt::format("stiff.arm2.position.{}", axis)),
        6e-5);
    for (const int arm : {2, 3}) {
      EXPECT_LT(distance(triple, fmt::format("Arm{}.arm.position.{}", arm, axis), whole,
                         fmt::format("triple.arm{}.position.{}", arm, axis)),
                2e-4);
    }
  }
  // The elastic rotation of the stiff line is a millionth of a radian, of which its drift is a notable share.
  EXPECT_LT(std::abs(stiff.report.energy_balance_relative), 1e-4);
  for (const RunRecord* run : {&whole, &triple}) {
    EXPECT_EQ(warnings_but_of_mass(run->report), std::vector<std::string>{});
    EXPECT_LT(std::abs(run->report.energy_balance_relative), 1e-5);
  }
}

}  // namespace multibody_pendulums_test
}  // namespace tieline::support
