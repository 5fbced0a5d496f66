// Two free bodies on a line in space: the frequency of a bar, not of a massless spring, and momentum in the bar.

#include <gtest/gtest.h>

#include "support/frequency.hpp"
#include "support/model_run.hpp"

namespace tieline::support {
namespace multibody_pair_test {

std::string pair(const std::string& velocity1, const std::string& velocity2, double stop, double write_interval) {
  return fmt::format(R"(<CompositeModel name="pair"><Components>
    <Component name="one" kind="multibody"><Multibody><Body name="b" mass="1" inertia="1, 1, 1" velocity="{}"/>
      <Interface name="end" frame="b"/></Multibody></Component>
    <Component name="two" kind="multibody"><Multibody><Body name="b" mass="1" inertia="1, 1, 1" velocity="{}"/>
      <Interface name="end" frame="b"/></Multibody></Component>
  </Components><Connections>
    <Connection name="line" from="one.end" to="two.end" coupling="line" delay="1e-5" stiffness="1e10" stiffness_rotation="1e6"/>
  </Connections><Simulation stop="{}" tolerance="1e-9" write_interval="{}"/></CompositeModel>)",
                     velocity1, velocity2, stop, write_interval);
}

// x tan x = 1/2 with x = pi f T.
TEST(SpatialPair, SwingsLikeMassesOnABar) {
  const double stop = 5e-3;
  const ModelFiles files(pair("0, -0.01, 0", "0, 0.01, 0", stop, 2e-6));
  const RunRecord run = run_model(files.path());
  results::Series distance = run.of("two.b.position.y");
  for (std::size_t i = 0; i < distance.values.size(); ++i) distance.values[i] -= run.values("one.b.position.y")[i];
  EXPECT_NEAR(frequency_near(distance, 20794.27, 1e-4, stop), 20794.27, 0.5);
  EXPECT_LT(std::abs(run.report.energy_balance_relative), 1e-6);
}

// One mass is thrown, and with it the half of the bar, of 1 kg, that moves with it at the start. In the mean all three
// move with the speed of their common centre.
TEST(SpatialPair, BarTakesItsShareOfMomentum) {
  const ModelFiles files(pair("0.03, 0, 0", "0, 0, 0", 5e-3, 1e-6));
  const RunRecord run = run_model(files.path());
  const auto mean_speed = [&](const std::string& body) {
    const auto& at = run.values(body + ".b.position.x");
    return (at.back() - at.front()) / 5e-3;
  };
  EXPECT_NEAR(mean_speed("one"), 0.045 / 3.0, 2e-4);
  EXPECT_NEAR(mean_speed("two"), 0.045 / 3.0, 2e-4);
}

}  // namespace multibody_pair_test
}  // namespace tieline::support
