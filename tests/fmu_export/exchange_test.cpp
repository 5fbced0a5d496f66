// FMUs for model exchange, imported again beside the native components that they were made of.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "tieline/simulation.hpp"

#include "fmu_export/exporter.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::fmu_export {
namespace exchange_test {

namespace fs = std::filesystem;

/// A component, exported, and put in its own place in a model.
class ModelExchangeFmu : public testing::Test {
 protected:
  /// A model with this component and others.
  [[nodiscard]] static std::string model(const std::string& component, const std::string& rest,
                                         const std::string& simulation) {
    return "<CompositeModel name=\"m\"><Parameters><Parameter name=\"m\" value=\"2\"/></Parameters><Components>" +
           component + rest + "<Simulation tolerance=\"1e-9\" " + simulation + "/></CompositeModel>";
  }
  [[nodiscard]] static std::string fmu(const std::string& name, const std::string& content) {
    return "<Component name=\"" + name +
           "\" kind=\"fmu\" file=\"out.fmu\" isolate=\"false\"><Fmu mode=\"model_exchange\"/>" + content +
           "</Component>";
  }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
    return (folder_.path() / name).string();
  }
  /// Errors, one per line.
  std::string try_export(Request request) {
    request.library = TIELINE_FMU_FOLDER;
    request.out = folder_.path() / "out.fmu";
    request.is_exchange = true;
    document::Diagnostics diagnostics;
    fs::remove(request.out);
    manifest_ = fmu_export::export_fmu(request, diagnostics).value_or(Manifest{});
    std::string text;
    for (const auto& entry : diagnostics.all()) {
      if (entry.severity == document::Severity::error) text += entry.message + "\n";
    }
    return text;
  }
  /// Values at the end of a run.
  std::vector<double> outcome(const std::string& text, const std::vector<std::string>& variables,
                              const std::vector<Setting>& settings = {}) {
    Simulation run = Simulation::load(write("run.xml", text));
    run.set(settings);
    run.advance_to(run.stop_time());
    std::vector<double> values;
    for (const std::string& variable : variables) values.push_back(run.get(variable));
    return values;
  }
  /// The component exported and in its own place gives the same values at the end, to a share of the largest.
  void expect_same(int version, const std::string& name, const std::string& component, const std::string& interfaces,
                   const std::string& rest, const std::string& simulation, const std::vector<std::string>& variables,
                   double tolerance) {
    const std::string native = model(component, rest, simulation);
    const auto expected = outcome(native, variables);
    ASSERT_EQ(try_export({.model = write("model.xml", native), .component = name, .fmi_version = version}), "");
    const auto got = outcome(model(fmu(name, interfaces), rest, simulation), variables);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double size = std::max(std::abs(expected[i]), 1e-3);
      EXPECT_NEAR(got[i], expected[i], tolerance * size) << variables[i] << ", FMI " << version;
    }
  }

  support::TemporaryFolder folder_;
  Manifest manifest_;
};

constexpr const char* kMassOnSpring = R"(
    <Component name="a" kind="network"><Network>
      <Ground name="ground"/> <Mass name="body" mass="{m}"/>
      <Spring name="spring" from="ground" to="body" stiffness="2e5"/> <Interface name="end" node="body"/>
    </Network></Component>)";
constexpr const char* kPartner = R"(
    <Component name="b" kind="network"><Network>
      <Mass name="body" mass="3"/> <Load name="load" node="body" force="{100*sin(200*t)}"/>
      <Interface name="end" node="body"/>
    </Network></Component></Components>
    <Connections> <Connection name="rod" from="a.end" to="b.end" coupling="line" stiffness="1e6" delay="2e-4"/>
    </Connections>)";
constexpr const char* kEnd = "<Interface name=\"end\" domain=\"translation\"/>";

TEST_F(ModelExchangeFmu, OnALineAgreesToTheToleranceOfSolvers) {
  // Some 200 windows, in each of which a solver errs by 1e-9.
  expect_same(2, "a", kMassOnSpring, kEnd, kPartner, "stop=\"0.04\"",
              {"a.end.position", "a.end.velocity", "b.end.position", "b.end.velocity"}, 1e-6);
  std::vector<std::string> states;
  for (const ExportedVariable& variable : manifest_.variables) {
    if (variable.role == Role::state) states.push_back(variable.name);
  }
  EXPECT_EQ(states, (std::vector<std::string>{"body.position", "body.velocity"}));
  EXPECT_TRUE(manifest_.has_derivatives);
}

TEST_F(ModelExchangeFmu, PassesEventsOfContacts) {
  // A mass falls onto a stop, and bounces several times.
  const std::string ball = R"(<Component name="a" kind="network"><Network>
      <Ground name="ground"/> <Mass name="ball" mass="1" position="0.02"/>
      <Load name="weight" node="ball" force="-9.81"/>
      <BumpStop name="stop" from="ground" to="ball" stiffness="1e5" damping="20" lower="0" upper="1"/>
      <Interface name="end" node="ball"/>
    </Network></Component>)";
  const std::string rest = "</Components>";
  // Each bounce multiplies an error of the time of contact: 0.06 s fall, 0.3 s run.
  expect_same(2, "a", ball, kEnd, rest, "stop=\"0.3\"", {"a.end.position", "a.end.velocity"}, 1e-5);
  EXPECT_GT(manifest_.indicator_count, 0u);
}

TEST_F(ModelExchangeFmu, PassesSamplesAndLimits) {
  const std::string controller = R"(<Component name="a" kind="blocks"><Blocks>
      <Input name="u"/> <SampleHold name="held" input="u" period="0.01"/>
      <Gain name="more" input="held" gain="3"/> <Limiter name="limit" input="more" lower="-1" upper="1"/>
      <Integrator name="sum" input="limit"/> <Output name="y" of="sum"/> <Output name="z" of="held"/>
    </Blocks></Component>)";
  const std::string rest = R"(<Component name="b" kind="blocks"><Blocks>
      <Source name="wave" value="{sin(20*t)}"/> <Output name="u" of="wave"/> </Blocks></Component></Components>
    <Connections><Connection from="b.u" to="a.u"/></Connections>)";
  expect_same(3, "a", controller, "", rest, "stop=\"0.5\"", {"a.y.value", "a.z.value"}, 1e-7);
}

TEST_F(ModelExchangeFmu, TakesParametersAndContinuesFromItsStateWithTheSameBits) {
  const std::string native = model(kMassOnSpring, kPartner, "stop=\"0.04\"");
  ASSERT_EQ(try_export({.model = write("model.xml", native), .component = "a", .fmi_version = 3}), "");
  const std::string start = "<Start variable=\"m\" value=\"5\"/>";
  Simulation run =
      Simulation::load(write("run.xml", model(fmu("a", start + kEnd), kPartner, "stop=\"0.04\" solver=\"dopri5\"")));
  run.advance_to(0.013);
  const std::string state = run.save();
  run.advance_to(0.03);
  const double position = run.get("a.end.position"), velocity = run.get("b.end.velocity");
  run.restore(state);
  run.advance_to(0.03);
  EXPECT_EQ(run.get("a.end.position"), position);
  EXPECT_EQ(run.get("b.end.velocity"), velocity);
  Simulation heavy = Simulation::load(write("native.xml", native));
  heavy.set({{"m", "5"}});
  heavy.advance_to(0.03);
  EXPECT_NEAR(position, heavy.get("a.end.position"), 1e-6 * std::abs(position));
}

TEST_F(ModelExchangeFmu, IsRefusedWithTheReason) {
  const std::string file = write("model.xml", model(kMassOnSpring, kPartner, "stop=\"0.02\""));
  EXPECT_NE(try_export({.model = file}).find("name the component"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_.path() / "out.fmu"));
}

}  // namespace exchange_test
}  // namespace tieline::fmu_export
