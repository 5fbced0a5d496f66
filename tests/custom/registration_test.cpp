#include <algorithm>
#include <fmt/format.h>

#include "custom/test_kinds.hpp"
#include "kinds/registry.hpp"
#include "support/model_run.hpp"

namespace tieline::custom {
namespace registration_test {

std::string problem_of(const std::string& component, const std::string& parameter = "", double value = 0.0) {
  register_test_kinds();
  const support::ModelFiles files(fmt::format(R"(<CompositeModel name="m"><Components>
{}
</Components><Simulation stop="1"/></CompositeModel>)",
                                              component));
  try {
    Simulation simulation = Simulation::load(files.path());
    if (!parameter.empty()) simulation.set(parameter, value);
    simulation.advance_to(0.1);
    return "";
  } catch (const ModelError& error) {
    return error.what();
  } catch (const RunError& error) {
    return error.what();
  }
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(RegisterKind, RefusesNamesThatAreTaken) {
  register_test_kinds();
  const EquationsFactory factory = [](const KindParameters&) { return nullptr; };
  EXPECT_THROW(register_kind("oscillator", factory), std::invalid_argument);
  EXPECT_THROW(register_kind("network", factory), std::invalid_argument);
  EXPECT_THROW(register_kind("composite", factory), std::invalid_argument);
  EXPECT_THROW(register_kind("two words", factory), std::invalid_argument);
  EXPECT_THROW(register_kind({.name = "taken", .element = "Oscillator"}, factory), std::invalid_argument);
  EXPECT_THROW(register_kind({.name = "taken", .element = "Connection"}, factory), std::invalid_argument);
  EXPECT_THROW(register_kind({.name = "wrong", .parameters = {{.name = "a b"}}}, factory), std::invalid_argument);
  EXPECT_THROW(register_kind({.name = "twice", .parameters = {{.name = "a"}, {.name = "a"}}}, factory),
               std::invalid_argument);
  EXPECT_THROW(register_kind("empty", EquationsFactory{}), std::invalid_argument);
}

TEST(RegisterKind, KindsAreListedByNameBehindTheNativeOnes) {
  register_test_kinds();
  std::vector<std::string> names;
  for (const kinds::Kind* kind : kinds::all_kinds()) names.push_back(kind->description.name);
  const auto first = std::find(names.begin(), names.end(), "adder");
  ASSERT_NE(first, names.end());
  EXPECT_TRUE(std::is_sorted(first, names.end()));
  EXPECT_EQ(names.front(), "network");
}

TEST(RegisterKind, ParametersAreCheckedAgainstTheDeclaration) {
  EXPECT_EQ(problem_of(R"(<Component name="a" kind="oscillator"><Oscillator mass="1"/></Component>)"), "");
  EXPECT_EQ(problem_of(R"(<Component name="a" kind="oscillator"><Parameter name="mass" value="1"/></Component>)"), "");
  const std::string misspelt =
      problem_of(R"(<Component name="a" kind="oscillator"><Oscillator mass="1" stifness="3"/></Component>)");
  EXPECT_TRUE(contains(misspelt, "model.xml:2:") && contains(misspelt, "stiffness")) << misspelt;
  const std::string given = problem_of(
      R"(<Component name="a" kind="oscillator"><Parameter name="mass" value="1"/><Parameter name="dampin" value="1"/></Component>)");
  EXPECT_TRUE(contains(given, "kind 'oscillator' has no parameter 'dampin' (did you mean 'damping'?)")) << given;
  const std::string missing = problem_of(R"(<Component name="a" kind="oscillator"/>)");
  EXPECT_TRUE(contains(missing, "the parameter 'mass' [kg] is missing")) << missing;
  const std::string range = problem_of(R"(<Component name="a" kind="oscillator"><Oscillator mass="-1"/></Component>)");
  EXPECT_TRUE(contains(range, "mass = -1 kg is not valid: it must be at least 1e-06 kg")) << range;
  const std::string unknown = problem_of(R"(<Component name="a" kind="oscilator"/>)");
  EXPECT_TRUE(contains(unknown, "'oscillator'")) << unknown;
}

TEST(RegisterKind, TheCommandLineMayGiveParameters) {
  EXPECT_EQ(problem_of(R"(<Component name="a" kind="ball"/>)", "a.height", 2.0), "");
  const std::string range = problem_of(R"(<Component name="a" kind="ball"/>)", "a.restitution", 2.0);
  EXPECT_TRUE(contains(range, "restitution = 2 is not valid: it must be between 0 and 1")) << range;
  const std::string unknown = problem_of(R"(<Component name="a" kind="ball"/>)", "a.hight", 2.0);
  EXPECT_TRUE(contains(unknown, "a.height")) << unknown;
}

/// Throws on request.
class Faulty : public Oscillator {
 public:
  explicit Faulty(const KindParameters& given) : Oscillator(given), fault_(given.text("fault")) {
    if (fault_ == "factory") throw std::runtime_error("there is no bearing of this size");
  }
  void motion(double t, std::span<const double> x, Interfaces& at) override {
    if (fault_ == "silent") return;
    if (fault_ == "motion" && t > 0.05) throw std::runtime_error("the table ends here");
    if (fault_ == "kind") at.set_force(0, 0.0, 0.0);
    Oscillator::motion(t, x, at);
  }

 private:
  std::string fault_;
};

TEST(RegisterKind, WhatAComponentThrowsIsReportedWithItsPlace) {
  static const bool once = [] {
    std::vector<ParameterDeclaration> parameters = kOscillatorParameters;
    parameters.push_back({.name = "fault", .is_text = true, .text = ""});
    register_kind({.name = "faulty", .parameters = parameters},
                  [](const KindParameters& given) { return std::make_unique<Faulty>(given); });
    return true;
  }();
  EXPECT_TRUE(once);
  const auto with = [](const std::string& fault) {
    return problem_of(
        fmt::format(R"(<Component name="a" kind="faulty"><Faulty mass="1" fault="{}"/></Component>)", fault));
  };
  EXPECT_EQ(with("none"), "");
  const std::string factory = with("factory");
  EXPECT_TRUE(contains(factory, "model.xml:2:1: error: component 'a': there is no bearing of this size")) << factory;
  const std::string silent = with("silent");
  EXPECT_TRUE(contains(silent, "'end'") && contains(silent, "does not set this interface")) << silent;
  const std::string kind = with("kind");
  EXPECT_TRUE(contains(kind, "set_force is for an interface with motion in; 'end' is an interface with force in"))
      << kind;
  const std::string motion = with("motion");
  EXPECT_TRUE(contains(motion, "component 'a', t = ") && contains(motion, "the table ends here")) << motion;
}

TEST(RegisterKind, IsolationIsRefused) {
  const std::string problem = problem_of(R"(<Component name="a" kind="ball" isolate="true"/>)");
  EXPECT_TRUE(contains(problem, "component 'a' cannot be computed by another process")) << problem;
}

}  // namespace registration_test
}  // namespace tieline::custom
