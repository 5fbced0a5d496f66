// Advice on lines at programs: started, tried by steps that they take back, and let go.

#include <gtest/gtest.h>

#include "tieline/studies.hpp"

#include "support/model_run.hpp"

namespace tieline::support {
namespace program_advice_test {

std::string beside(const std::string& program, const std::string& interface, const std::string& partner,
                   const std::string& line) {
  return fmt::format(
      "<CompositeModel name=\"m\"><Components>{}{}</Components><Connections><Connection name=\"j\" from=\"p.end\" "
      "to=\"c.{}\" coupling=\"line\" {}/></Connections><Simulation stop=\"0.01\"/></CompositeModel>",
      partner, program, interface, line);
}

ModelAdvice advice_on(const std::string& text, bool tries_programs) {
  const ModelFiles files(text);
  return advise_on_delays(files.path(), {}, 0.01, tries_programs);
}

const std::string kArm = fmt::format(
    "<Component name=\"c\" kind=\"process\" command=\"'{}/pendulum_arm'\"><Placement position=\"-1, 0, 0\"/><Parameter "
    "name=\"mass\" value=\"9\"/><Parameter name=\"length\" value=\"1\"/><Interface name=\"tip\" "
    "domain=\"mechanical3d\" "
    "position=\"1, 0, 0\"/></Component>",
    TIELINE_SIMULATORS);
const std::string kBody =
    "<Component name=\"p\" kind=\"multibody\"><Multibody><Body name=\"b\" mass=\"4\" inertia=\"1, 1, 1\"/><Interface "
    "name=\"end\" frame=\"b\"/></Multibody></Component>";
constexpr const char* kBall = "stiffness=\"1e5\" delay=\"1e-4\" free_axes=\"rx, ry, rz\"";

/// A bar on a hinge weighs a third of its mass at its tip, where it can move.
TEST(AdviceOnPrograms, FindsTheMassThatTheyShow) {
  const ModelAdvice tried = advice_on(beside(kArm, "tip", kBody, kBall), true);
  ASSERT_EQ(tried.connections.size(), 1U);
  ASSERT_TRUE(tried.connections[0].line.has_value());
  EXPECT_TRUE(tried.notes.empty()) << tried.notes.front();
  EXPECT_NEAR(tried.connections[0].line->mass_to, 3.0, 1e-3);
  EXPECT_NEAR(tried.connections[0].line->mass_from, 4.0, 1e-9);
  EXPECT_TRUE(std::isfinite(tried.connections[0].line->pair_frequency));
}

TEST(AdviceOnPrograms, LeavesThemAloneUnlessAsked) {
  const ModelAdvice untried = advice_on(beside(kArm, "tip", kBody, kBall), false);
  EXPECT_TRUE(std::isnan(untried.connections.at(0).line->mass_to));
}

TEST(AdviceOnPrograms, NamesThoseThatCannotBeTried) {
  const std::string program = fmt::format(
      "<Component name=\"c\" kind=\"process\" command=\"'{}/mass_on_spring'\"><Interface name=\"mass\" "
      "domain=\"translation\"/></Component>",
      TIELINE_SIMULATORS);
  const std::string mass =
      "<Component name=\"p\" kind=\"network\"><Network><Mass name=\"m\" mass=\"1\"/><Interface name=\"end\" "
      "node=\"m\"/>"
      "</Network></Component>";
  const ModelAdvice tried = advice_on(beside(program, "mass", mass, "stiffness=\"1e5\" delay=\"1e-4\""), true);
  ASSERT_EQ(tried.notes.size(), 1U);
  EXPECT_NE(tried.notes[0].find("program 'c' was not tried"), std::string::npos) << tried.notes[0];
  EXPECT_NE(tried.notes[0].find("cannot save and restore its state"), std::string::npos) << tried.notes[0];
}

}  // namespace program_advice_test
}  // namespace tieline::support
