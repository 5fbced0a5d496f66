// Lines beside what they join: masses by hand, on an axis and in space.

#include "assembly/line_advice.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::assembly {
namespace line_advice_test {

using support::ModelFiles;

struct Checked {
  CheckedModel model{};
  std::vector<std::string> warnings{};
};

Checked check(const std::string& components, const std::string& connections) {
  const ModelFiles files(fmt::format(
      R"(<CompositeModel name="m"><Components>{}</Components><Connections>{}</Connections><Simulation stop="1"/></CompositeModel>)",
      components, connections));
  document::Diagnostics diagnostics;
  auto checked = check_model(files.path(), {}, diagnostics);
  if (!checked || diagnostics.has_errors()) throw std::runtime_error(diagnostics.describe());
  document::Diagnostics found;
  warn_of_lines(*checked, found);
  Checked result{.model = std::move(*checked)};
  for (const auto& entry : found.all()) {
    EXPECT_GT(entry.place.line, 0) << entry.message;
    result.warnings.push_back(entry.message);
  }
  return result;
}

std::string mass(const std::string& name, double kg) {
  return fmt::format(
      R"(<Component name="{}" kind="network"><Network><Mass name="m" mass="{}"/><Interface name="end" node="m"/></Network></Component>)",
      name, kg);
}

/// A body of 2 kg and 0.02 kg m^2 about each axis, joined at a point 0.1 m beside its centre.
std::string body(const std::string& name) {
  return fmt::format(
      R"(<Component name="{}" kind="multibody"><Multibody><Body name="m" mass="2" inertia="0.02, 0.02, 0.02"><Frame name="e" position="0.1, 0, 0"/></Body><Interface name="e" frame="m.e"/></Multibody></Component>)",
      name);
}

TEST(LineAdvice, WarnsAboveOnePercentOnAnAxis) {
  const std::string masses = mass("a", 3) + mass("b", 1);
  const auto line = [](double delay) {
    return fmt::format(R"(<Connection name="rod" from="a.end" to="b.end" coupling="line" stiffness="1e6" delay="{}"/>)",
                       delay);
  };
  EXPECT_TRUE(check(masses, line(1e-4)).warnings.empty());
  const auto heavy = check(masses, line(2e-4)).warnings;
  ASSERT_EQ(heavy.size(), 1U);
  EXPECT_NE(heavy[0].find("connection 'rod': the line's own mass is 4 %"), std::string::npos) << heavy[0];
  EXPECT_NE(heavy[0].find("shorten the delay to 0.0001 s"), std::string::npos) << heavy[0];
}

TEST(LineAdvice, KnowsTheMassesInSpace) {
  const Checked checked = check(body("a") + body("b"), R"(<Connection name="bar" from="a.e" to="b.e" coupling="line"
      stiffness="1e6" stiffness_rotation="1e4" delay="1e-4"/>)");
  const auto lines = lines_in_place(checked.model, 0, free_facts(checked.model, Asker::run));
  ASSERT_EQ(lines.size(), 2U);
  // Along x, through its centre, the point weighs what the body weighs; across, where the body turns as well, half of
  // it.
  EXPECT_NEAR(lines[0].masses.from, 2.0, 1e-9);
  EXPECT_NEAR(lines[0].mass_ratio(), 0.005, 1e-9);
  EXPECT_NEAR(lines[1].masses.to, 0.02, 1e-9);
  EXPECT_NEAR(lines[1].mass_ratio(), 1e-4 / 0.02, 1e-9);
  EXPECT_TRUE(checked.warnings.empty()) << checked.warnings[0];
}

TEST(LineAdvice, MassInSpaceDoesNotDependOnHowTheBodyLies) {
  const std::string turned = R"(<Placement angles="0.3, -0.7, 1.1"/>)";
  std::string a = body("a"), b = body("b");
  a.insert(a.find("<Multibody>"), turned), b.insert(b.find("<Multibody>"), turned);
  const Checked checked = check(a + b, R"(<Connection name="bar" from="a.e" to="b.e" coupling="line"
      stiffness="1e6" stiffness_rotation="1e4" delay="1e-4"/>)");
  const auto lines = lines_in_place(checked.model, 0, free_facts(checked.model, Asker::run));
  EXPECT_NEAR(lines.at(0).masses.from, 2.0, 1e-9);
}

TEST(LineAdvice, WarnsInSpaceOfTranslationAndRotation) {
  const auto warnings = check(body("a") + body("b"), R"(<Connection name="bar" from="a.e" to="b.e" coupling="line"
      stiffness="8e6" stiffness_rotation="1e5" delay="1e-4"/>)")
                            .warnings;
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[0].find("'bar': in translation, the line's own mass is 4 %"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[1].find("'bar': in rotation, the line's own inertia is 5 %"), std::string::npos) << warnings[1];
}

TEST(LineAdvice, RotationsThatAreFreeHaveNoInertia) {
  const auto warnings = check(body("a") + body("b"), R"(<Connection name="ball" from="a.e" to="b.e" coupling="line"
      stiffness="1e6" delay="1e-4" free_axes="rx, ry, rz"/>)")
                            .warnings;
  EXPECT_TRUE(warnings.empty()) << warnings[0];
}

TEST(LineAdvice, LeavesAloneWhatIsMeantOrNotKnown) {
  // A steel bar is stated by its material: its mass is its own.
  EXPECT_TRUE(check(mass("a", 3) + mass("b", 1), R"(<Connection name="rod" from="a.end" to="b.end" coupling="line"
      youngs_modulus="2e11" area="1e-4" length="1" sound_speed="5000"/>)")
                  .warnings.empty());
  // A light flange that is sampled with something heavier is not all that moves there.
  const std::string flange = R"(<Component name="f" kind="network"><Network><Mass name="m" mass="0.01"/>
      <Interface name="end" node="m"/><Interface name="back" node="m"/></Network></Component>
      <Component name="s" kind="network"><Network><Mass name="m" mass="9"/><Node name="n"/>
      <Spring name="k" from="m" to="n" stiffness="1e5"/><Interface name="end" node="n" causality="motion"/></Network></Component>)";
  EXPECT_TRUE(check(flange + mass("b", 1), R"(<Connection name="rod" from="f.end" to="b.end" coupling="line"
      stiffness="1e6" delay="1e-4"/><Connection name="pair" from="f.back" to="s.end" coupling="sampled"/>)")
                  .warnings.empty());
}

TEST(LineAdvice, AFineMeshIsNoLightBody) {
  // The last node of a fine mesh weighs little; the beam does not. Along its axis, where it is heaviest, its first mode
  // has half of its mass at the tip.
  const auto beam = [](int elements) {
    return fmt::format(R"(<Component name="s" kind="structure" step="1e-4"><Structure>
      <Material name="steel" youngs_modulus="210e9" density="7800"/><Section name="rod" radius="0.02"/>
      <Node name="foot" position="0, 0, 0"/><Node name="tip" position="1, 0, 0"/>
      <Beam name="b" from="foot" to="tip" section="rod" material="steel" elements="{}"/>
      <Support node="foot"/><Interface name="e" node="tip"/></Structure></Component>)",
                       elements);
  };
  const std::string other =
      R"(<Component name="a" kind="multibody"><Multibody><Body name="m" position="1, 0, 0" mass="20"
      inertia="1, 1, 1"/><Interface name="e" frame="m"/></Multibody></Component>)";
  const std::string line = R"(<Connection name="bar" from="s.e" to="a.e" coupling="line" stiffness="1e6"
      free_axes="rx, ry, rz" delay="1e-4"/>)";
  double before = 0.0;
  for (const int elements : {4, 32}) {
    const Checked checked = check(beam(elements) + other, line);
    const auto lines = lines_in_place(checked.model, 0, free_facts(checked.model, Asker::run));
    ASSERT_EQ(lines.size(), 1U);
    const double tip = lines[0].masses.from;
    EXPECT_NEAR(tip, 7800.0 * M_PI * 0.0004 / 2.0, 0.05 * tip);
    if (before > 0.0) {
      EXPECT_NEAR(tip, before, 0.05 * tip);
    }
    before = tip;
    EXPECT_TRUE(checked.warnings.empty()) << checked.warnings[0];
  }
}

TEST(LineAdvice, CountsLinesAfterTheFirstOnes) {
  std::string masses, lines;
  for (int i = 0; i < 8; ++i) {
    masses += fmt::format(
        R"(<Component name="m{}" kind="network"><Network><Mass name="m" mass="1"/><Interface name="l" node="m"/><Interface name="r" node="m"/></Network></Component>)",
        i);
    if (i > 0)
      lines += fmt::format(
          R"(<Connection name="c{0}" from="m{1}.r" to="m{0}.l" coupling="line" stiffness="1e6" delay="1e-3"/>)", i,
          i - 1);
  }
  const ModelFiles files(fmt::format(
      R"(<CompositeModel name="m"><Components>{}</Components><Connections>{}</Connections><Simulation stop="1"/></CompositeModel>)",
      masses, lines));
  document::Diagnostics diagnostics, found;
  const auto checked = check_model(files.path(), {}, diagnostics);
  ASSERT_TRUE(checked && !diagnostics.has_errors()) << diagnostics.describe();
  warn_of_lines(*checked, found);
  ASSERT_EQ(found.warning_count(), 4U) << found.describe();
  EXPECT_NE(found.all().back().message.find("4 more lines"), std::string::npos) << found.describe();
}

double stiffness_from(const std::string& component, const std::string& end, std::size_t part = 0,
                      bool is_in_space = false) {
  const std::string partner =
      is_in_space
          ? R"(<Component name="z" kind="multibody" attach="a.e" attach_at="e"><Multibody><Body name="m" mass="2"
      inertia="1,1,1"/><Interface name="e" frame="m"/></Multibody></Component>)"
          : mass("z", 1e3);
  const std::string line =
      is_in_space ? R"(stiffness="1e6" stiffness_rotation="1e4" delay="1e-5")" : R"(stiffness="1e6" delay="1e-5")";
  const Checked checked =
      check(component + partner, fmt::format(R"(<Connection name="l" from="a.{}" to="z.{}" coupling="line" {}/>)", end,
                                             is_in_space ? "e" : "end", line));
  const auto lines = lines_in_place(checked.model, 0, free_facts(checked.model, Asker::study));
  // The partner is rigid, so that the line is in series with this component alone.
  EXPECT_TRUE(std::isinf(lines.at(part).stiffness.to));
  const double own = lines.at(part).stiffness.from, line_stiffness = lines.at(part).figures.stiffness;
  EXPECT_NEAR(lines.at(part).advice().series_stiffness / (1.0 / (1.0 / own + 1.0 / line_stiffness)), 1.0, 1e-12);
  return own;
}

TEST(LineAdvice, KnowsTheStiffnessInSeriesOnAnAxis) {
  // Two masses on a spring that move as a whole: the spring, as the mass behind it leaves it to the end.
  const double pair = stiffness_from(R"(<Component name="a" kind="network"><Network><Mass name="m" mass="3"/>
      <Mass name="n" mass="1" position="1"/><Spring name="s" from="m" to="n" stiffness="5e5"/>
      <Interface name="end" node="n"/></Network></Component>)",
                                     "end");
  EXPECT_NEAR(pair, 5e5 * 16.0 / 9.0, 5e5 * 1e-4);
  const double held = stiffness_from(R"(<Component name="a" kind="network"><Network><Ground name="w"/>
      <Mass name="n" mass="1" position="1"/><Spring name="s" from="w" to="n" stiffness="5e5"/>
      <Interface name="end" node="n"/></Network></Component>)",
                                     "end");
  EXPECT_NEAR(held, 5e5, 5e5 * 1e-4);
  EXPECT_TRUE(std::isinf(stiffness_from(mass("a", 3), "end")));
}

TEST(LineAdvice, KnowsTheStiffnessInSeriesInSpace) {
  const std::string held = R"(<Component name="a" kind="multibody"><Placement angles="0.3, -0.7, 1.1"/><Multibody>
      <Body name="m" mass="2" inertia="0.02, 0.03, 0.04"/><Tie name="t" from="ground" to="m" stiffness="4e5, 3e3"/>
      <Interface name="e" frame="m"/></Multibody></Component>)";
  EXPECT_NEAR(stiffness_from(held, "e", 0, true), 4e5, 4e5 * 1e-4);
  EXPECT_NEAR(stiffness_from(held, "e", 1, true), 3e3, 3e3 * 1e-4);
  EXPECT_TRUE(std::isinf(stiffness_from(body("a"), "e", 0, true)));
  // A cantilever: softest across, 3 E I / l^3; about its axis, softer than in bending, G J / l.
  const std::string beam = R"(<Component name="a" kind="structure" step="1e-4"><Structure>
      <Material name="steel" youngs_modulus="210e9" density="7800"/><Section name="rod" radius="0.02"/>
      <Node name="foot" position="0, 0, 0"/><Node name="tip" position="1, 0, 0"/>
      <Beam name="b" from="foot" to="tip" section="rod" material="steel" elements="4"/>
      <Support node="foot"/><Interface name="e" node="tip"/></Structure></Component>)";
  const double I = M_PI / 4.0 * std::pow(0.02, 4), G = 210e9 / 2.6;
  EXPECT_NEAR(stiffness_from(beam, "e", 0, true) / (3.0 * 210e9 * I), 1.0, 2e-3);
  EXPECT_NEAR(stiffness_from(beam, "e", 1, true) / std::min(210e9 * I, 2.0 * I * G), 1.0, 2e-3);
}

}  // namespace line_advice_test
}  // namespace tieline::assembly
