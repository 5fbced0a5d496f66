// Energy of an isolated pair over long runs. See README.md.

#include <gtest/gtest.h>

#include "support/pair_model.hpp"

namespace tieline::support {
namespace pair_energy_energy_test {

/// Two masses of 1 kg on a soft line, pushed apart by equal and opposite forces: all of the energy is vibration.
PairModel soft_pair(double windows) {
  PairModel model;
  model.line = Line::from_stiffness(1e6, 1e-4);
  model.tolerance = 1e-10;
  model.stop = windows * 0.5 * model.line.delay;
  return model;
}

struct Energies {
  double begin = 0.0;      ///< after the loads [J]
  double deviation = 0.0;  ///< largest, of `begin`
  std::vector<std::string> warnings{};
};

/// Energy of masses and line from `from` to the end, looked at `looks` times.
Energies follow(const std::string& text, double from, int looks) {
  const ModelFiles files(text);
  Simulation simulation = Simulation::load(files.path());
  const auto energy = [&] {
    return simulation.get("body1.energy.kinetic") + simulation.get("body2.energy.kinetic") +
           simulation.get("connections.rod.energy");
  };
  simulation.advance_to(from);
  Energies result;
  result.begin = energy();
  for (int i = 1; i <= looks; ++i) {
    simulation.advance_to(from + (simulation.stop_time() - from) * i / looks);
    result.deviation = std::max(result.deviation, std::abs(energy() / result.begin - 1.0));
  }
  result.warnings = simulation.warnings();
  return result;
}

TEST(PairEnergy, SmoothPulseLeavesItConstantOverAMillionWindows) {
  PairModel model = soft_pair(kIsInstrumented ? 1e4 : 1e6);
  model.pair.load1 = Load::pulse(-1000.0, 0.0, 2e-3);
  model.pair.load2 = Load::pulse(1000.0, 0.0, 2e-3);
  const Energies energies = follow(model.text(), 2e-3, 50);
  EXPECT_GT(energies.begin, 0.1);
  EXPECT_LE(energies.deviation, 1e-4);
}

TEST(PairEnergy, StepForceLeavesItWithinOnePercentOverAHundredThousandWindowsOrTheRunSaysSo) {
  PairModel model = soft_pair(kIsInstrumented ? 2e3 : 1e5);
  std::string text = model.text();
  for (const auto& [body, force] : {std::pair{"body1", "-1000"}, std::pair{"body2", "1000"}}) {
    const std::string mass = fmt::format("<Component name=\"{}\"", body);
    const auto at = text.find("<Interface", text.find(mass));
    text.insert(at, fmt::format("<Load name=\"push\" node=\"body\" force=\"{{{}*pulse(t, 0, 1.05e-3)}}\"/>", force));
  }
  const Energies energies = follow(text, 1.1e-3, 50);
  EXPECT_GT(energies.begin, 0.1);
  const bool says_so = std::any_of(energies.warnings.begin(), energies.warnings.end(),
                                   [](const std::string& w) { return w.find("energy") != std::string::npos; });
  EXPECT_TRUE(energies.deviation <= 0.01 || says_so) << energies.deviation;
}

// What the audit reports is what is really gained or lost: with coarse steps the energy error of the run is large, and
// the report must say so.
TEST(PairEnergy, RunThatGainsOrLosesEnergySaysSo) {
  PairModel model = soft_pair(4e4);
  model.pair.load1 = Load::pulse(-1000.0, 0.0, 2e-3);
  model.pair.load2 = Load::pulse(1000.0, 0.0, 2e-3);
  model.line = Line::from_stiffness(1e8, 1e-4);  // first mode near the line's own, at coarse steps
  model.solver = "rk4";
  model.step = 5e-5;
  const Energies energies = follow(model.text(), 2e-3, 20);
  EXPECT_GT(energies.deviation, 0.01) << "the case no longer strains the solver";
  EXPECT_FALSE(energies.warnings.empty());
}

}  // namespace pair_energy_energy_test
}  // namespace tieline::support
