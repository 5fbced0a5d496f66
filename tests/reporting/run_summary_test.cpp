#include "reporting/run_summary.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/model_run.hpp"

namespace tieline::support {
namespace run_summary_test {

// A spring, a heated body, and a pendulum on a beam in gravity: every energy that there is.
const std::string kEnergies = R"(
<CompositeModel name="energies"><Components>
  <Component name="spring" kind="network"><Network><Ground name="g"/><Mass name="m" mass="2" velocity="1"/>
    <Spring name="k" from="g" to="m" stiffness="100"/></Network></Component>
  <Component name="heated" kind="network"><Network><HeatCapacity name="body" heat_capacity="50" temperature="300"/>
    <HeatSource name="heater" node="body" heat_flow="20"/></Network></Component>
  <Component name="arm" kind="multibody"><Multibody gravity="0, -9.81, 0"><PlanarBeam name="beam" length="1" radius="0.01"
    youngs_modulus="1e9" density="1000" damping_ratio="0.01"/><Joint name="j" from="ground" to="beam"/></Multibody></Component>
  </Components><Simulation stop="0.5" write_interval="0.1"/></CompositeModel>)";

// The same number has the same name in the table, in report.json and in the results.
TEST(RunSummary, EnergiesAreNamedAlike) {
  const RunRecord run = run_text(kEnergies);
  const auto json = nlohmann::json::parse(results::to_json(run.report));
  const std::string table = results::energies_table(run.report);
  std::size_t compared = 0;
  for (const auto& component : json.at("components")) {
    const std::string owner = component.at("name").get<std::string>() + ".energy.";
    double stored = 0.0, recorded = 0.0;
    for (const char* name : {"kinetic", "potential", "elastic", "heat"}) {
      const double reported = component.at("energy").at(name).get<double>();
      EXPECT_NE(table.find(name), std::string::npos) << table;
      stored += reported;
      const auto found = run.series.find(owner + name);
      if (found == run.series.end()) {
        EXPECT_EQ(reported, 0.0) << owner << name;
        continue;
      }
      ++compared;
      recorded += found->second.values.back();
      EXPECT_NEAR(found->second.values.back(), reported, 1e-9 * (1.0 + std::abs(reported))) << owner << name;
    }
    EXPECT_NEAR(stored, recorded, 1e-9 * (1.0 + std::abs(stored))) << owner;
  }
  EXPECT_EQ(compared, 2U + 3U + 3U);
  EXPECT_NEAR(run.values("heated.energy.heat").back(), 20.0 * 0.5, 1e-6);
  const auto& spring = run.report.components[0].energy;
  EXPECT_NEAR(spring->kinetic + spring->elastic, 1.0, 1e-6);
}

TEST(RunSummary, ATableWithoutHeatHasNoColumnForIt) {
  RunRecord run = run_text(kEnergies);
  run.report.components.erase(run.report.components.begin() + 1);
  EXPECT_EQ(results::energies_table(run.report).find("heat"), std::string::npos);
}

}  // namespace run_summary_test
}  // namespace tieline::support
