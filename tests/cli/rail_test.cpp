#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace tieline::cli {
namespace rail_test {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A mass that is shaken at 5 Hz, and two forces.
constexpr const char* kModel = R"(<CompositeModel name="m">
  <Components>
    <Component name="car" kind="network">
      <Network>
        <Mass name="floor" mass="100" velocity="{-0.5/(2*pi*5)}"/>
        <Load name="shaker" node="floor" force="{50*sin(2*pi*5*t)}"/>
        <Ground name="ground"/>
        <Spring name="side" from="ground" to="floor" stiffness="1e-3"/>
      </Network>
    </Component>
  </Components>
  <Simulation stop="20" write_interval="2e-3"/>
</CompositeModel>
)";

class RailCommands : public ::testing::Test {
 protected:
  Workplace work_;
};

TEST_F(RailCommands, RideIsThatOfItsSine) {
  work_.write("m.xml", kModel);
  ASSERT_EQ(work_.tieline({"run", "m.xml", "--out", "results", "--quiet"}).exit_code, 0);
  const Outcome outcome = work_.tieline({"ride", "results", "--vertical", "car.floor.velocity", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto axis = nlohmann::json::parse(outcome.out)["axes"][0];
  // 0.5 m/s^2 at 5 Hz; W_k is 1.039 there, and F(f) is 0.325*25. The filter starts at rest.
  EXPECT_NEAR(axis["rms"].get<double>(), 1.039 * 0.5 / std::sqrt(2.0), 5e-3);
  EXPECT_NEAR(axis["sperling"].get<double>(), 3.57 * std::pow(0.125 * 0.325 * 25.0 / 5.0, 0.1), 1e-4);
  EXPECT_EQ(axis["segments"], 4);
  const Outcome table = work_.tieline({"ride", "results", "--lateral", "car.floor.velocity", "--wheel",
                                       "w=car.side.force,car.side.force", "--flange-angle", "70", "--friction", "0.3"});
  EXPECT_TRUE(says(table.out, "W_d")) << table.out << table.err;
  EXPECT_TRUE(says(table.out, "Nadal's limit of Y/Q: 1.342"));
}

TEST_F(RailCommands, WhatIsWrongIsNamed) {
  work_.write("m.xml", kModel);
  ASSERT_EQ(work_.tieline({"run", "m.xml", "--out", "results", "--stop", "0.1", "--quiet"}).exit_code, 0);
  const auto fails = [&](std::vector<std::string> arguments, const std::string& part) {
    arguments.insert(arguments.begin(), {"ride", "results"});
    const Outcome outcome = work_.tieline(arguments);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(says(outcome.err, part)) << outcome.err;
  };
  fails({}, "there is nothing to judge");
  fails({"--vertical", "car.floor.position"}, "is in [m]: a ride is judged by an acceleration [m/s^2] or a velocity");
  fails({"--vertical", "car.flor.velocity"}, "car.floor.velocity");
  fails({"--wheel", "w=car.side.force"}, "expected NAME=LATERAL,VERTICAL");
  fails({"--wheel", "w=car.floor.velocity,car.side.force"}, "forces on wheels are in [N]");
  // A tenth of a second has no line below 40 Hz but three.
  EXPECT_EQ(work_.tieline({"ride", "results", "--vertical", "car.floor.velocity"}).exit_code, 0);
}

TEST_F(RailCommands, IrregularitiesAreTablesThatModelsRead) {
  const Outcome made = work_.tieline({"irregularity", "german_low", "--length", "300", "--speed", "50", "--seed", "4",
                                      "-o", "rail.csv", "--plot", "rail.svg"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_TRUE(says(text_of(work_.path("rail.csv")), "time [s],profile [m],"));
  EXPECT_TRUE(says(text_of(work_.path("rail.svg")), "cross_level [m]"));
  // The velocity that the table states leads to the height that it states.
  work_.write("m.xml", R"(<CompositeModel name="m">
    <Components> <Component name="wheel" kind="network"> <Network>
      <Mass name="body" mass="1"/> <Interface name="rail" node="body"/>
    </Network> </Component> </Components>
    <Connections>
      <Open interface="wheel.rail" as="motion" file="rail.csv" variable="left_height_rate" join="cubic"/>
    </Connections>
    <Simulation stop="6" write_interval="0.005"/>
  </CompositeModel>)");
  const Outcome run = work_.tieline({"run", "m.xml", "--out", "results", "--quiet"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  ASSERT_EQ(work_.tieline({"export", "results", "--csv", "out.csv", "--variables", "wheel.body.position"}).exit_code,
            0);
  std::istringstream rail(text_of(work_.path("rail.csv"))), out(text_of(work_.path("out.csv")));
  std::string a, b, last;
  double height = 0.0;
  std::getline(rail, a);
  while (std::getline(rail, a)) last = a;
  std::istringstream fields(last);
  for (int i = 0; i < 6; ++i) std::getline(fields, b, ',');
  height = std::stod(b);
  while (std::getline(out, a)) last = a;
  // Cubic pieces through velocities every 5 ms, with waves of 60 ms at least: their errors do not add up.
  EXPECT_NEAR(std::stod(last.substr(last.find(',') + 1)), height, 2e-6);
}

TEST_F(RailCommands, BadTracksAreNamedWithAllThatIsWrong) {
  const Outcome outcome =
      work_.tieline({"irregularity", "german_lo", "--shortest", "9", "--longest", "3", "--step", "2e-6"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(says(outcome.err, "did you mean 'german_low'?")) << outcome.err;
  EXPECT_TRUE(says(outcome.err, "the shortest below the longest, got 9 and 3 m"));
  EXPECT_TRUE(says(outcome.err, "may have 1e+07 points at most"));
  EXPECT_EQ(work_.tieline({"irregularity", "german_low", "--length", "nan"}).exit_code, 3);
  EXPECT_TRUE(says(work_.tieline({"irregularity", "--list"}).out, "chinese_ballastless"));
}

}  // namespace rail_test
}  // namespace tieline::cli
