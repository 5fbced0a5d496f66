// What advice says about components in C++: the same as about native ones.

#include <fmt/format.h>
#include <numbers>

#include "custom/test_kinds.hpp"
#include "studies/advise.hpp"
#include "support/model_run.hpp"

namespace tieline::custom {
namespace advice_test {

TEST(Advice, KnowsTheFrequencyAndTheMassOfEquations) {
  register_test_kinds();
  const support::ModelFiles files(R"(<CompositeModel name="m"><Components>
    <Component name="a" kind="oscillator"><Oscillator mass="2" stiffness="800"/></Component>
    <Component name="b" kind="network"><Network><Mass name="body" mass="3"/><Interface name="end" node="body"/></Network>
    </Component></Components>
    <Connections><Connection name="c" from="a.end" to="b.end" coupling="line" stiffness="1e5" delay="1e-4"/></Connections>
    <Simulation stop="1"/></CompositeModel>)");
  document::Diagnostics diagnostics;
  const auto checked = assembly::check_model(files.path(), {}, diagnostics);
  ASSERT_TRUE(checked && !diagnostics.has_errors()) << diagnostics.describe();
  const auto advice = studies::advise(*checked, diagnostics);
  ASSERT_TRUE(advice) << diagnostics.describe();
  ASSERT_EQ(advice->components.at(0).frequencies.size(), 1U);
  EXPECT_NEAR(advice->components[0].frequencies[0], std::sqrt(800.0 / 2.0) / (2.0 * std::numbers::pi), 1e-6);
  EXPECT_TRUE(advice->connections.at(0).line.has_value());
}

}  // namespace advice_test
}  // namespace tieline::custom
