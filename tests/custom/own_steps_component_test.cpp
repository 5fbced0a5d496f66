// Components in C++ with solvers of their own, in whole runs.

#include <array>
#include <fmt/format.h>

#include "custom/test_kinds.hpp"
#include "support/model_run.hpp"

namespace tieline::custom {
namespace own_steps_component_test {

using support::run_text;
using support::RunRecord;

/// A mass on a spring, with the classical Runge-Kutta method and equal steps, shorter ones at limits.
class SteppedMass : public OwnSteps {
 public:
  explicit SteppedMass(const KindParameters& given)
      : mass_(given.number("mass")), stiffness_(given.number("stiffness")), step_(given.number("step")) {}

  [[nodiscard]] std::vector<InterfaceDeclaration> interfaces() const override {
    return {{.name = "end"}, {.name = "state", .domain = Domain::signal, .causality = Causality::output, .size = 2}};
  }
  [[nodiscard]] std::vector<OutputDeclaration> outputs() const override { return {{"momentum", "N s"}}; }
  void start(double) override { x_ = 0.1, v_ = 0.0, force_ = 0.0; }
  [[nodiscard]] double step(double t, double limit, const StageInputs& at) override {
    const double end = std::min(t + step_, limit), h = end - t;
    std::array<double, 4> dx{}, dv{};
    constexpr std::array<double, 4> kNodes{0.0, 0.5, 0.5, 1.0};
    for (std::size_t k = 0; k < 4; ++k) {
      const double c = kNodes[k] * h;
      const double x = k == 0 ? x_ : x_ + c * dx[k - 1], v = k == 0 ? v_ : v_ + c * dv[k - 1];
      dx[k] = v;
      dv[k] = (at.force(0, k == 3 ? end : t + c, v) - stiffness_ * x) / mass_;
    }
    x_ += h / 6.0 * (dx[0] + 2.0 * dx[1] + 2.0 * dx[2] + dx[3]);
    v_ += h / 6.0 * (dv[0] + 2.0 * dv[1] + 2.0 * dv[2] + dv[3]);
    return end;
  }
  void report(double, Interfaces& at) override {
    at.set_motion(0, x_, v_);
    const std::array<double, 2> state{x_, v_};
    at.set_signal(1, state);
  }
  void record(double, std::span<double> outputs) const override { outputs[0] = mass_ * v_; }
  [[nodiscard]] bool can_restore() const override { return true; }
  [[nodiscard]] std::vector<double> save() const override { return {x_, v_}; }
  void restore(double, std::span<const double> saved) override { x_ = saved[0], v_ = saved[1]; }

 private:
  double mass_, stiffness_, step_, x_ = 0.1, v_ = 0.0, force_ = 0.0;
};

/// Steps over its limit.
class Overstepping final : public SteppedMass {
 public:
  using SteppedMass::SteppedMass;
  [[nodiscard]] double step(double t, double limit, const StageInputs& at) override {
    return SteppedMass::step(t, limit, at) + 1.0;
  }
};

class OwnStepsRun : public ::testing::Test {
 protected:
  void SetUp() override {
    static const bool done = [] {
      const std::vector<ParameterDeclaration> parameters{
          {.name = "mass", .value = 2.0}, {.name = "stiffness", .value = 800.0}, {.name = "step", .value = 2e-4}};
      register_kind({.name = "stepped-mass", .parameters = parameters},
                    [](const KindParameters& given) { return std::make_unique<SteppedMass>(given); });
      register_kind({.name = "overstepping", .parameters = parameters},
                    [](const KindParameters& given) { return std::make_unique<Overstepping>(given); });
      return true;
    }();
    EXPECT_TRUE(done);
  }
};

std::string model(const std::string& first, const std::string& connection, const std::string& simulation,
                  const std::string& rest = "") {
  return fmt::format(R"(<CompositeModel name="m"><Components>{}<Component name="b" kind="network"><Network>
      <Node name="root" position="0.1"/><Mass name="body" mass="1" position="0.1"/>
      <Spring name="shank" from="root" to="body" stiffness="2e4"/><Damper name="d" from="root" to="body" damping="5"/>
      <Interface name="end" node="root"/></Network></Component></Components>
      <Connections>{}</Connections>{}<Simulation {}/></CompositeModel>)",
                     first, connection, rest, simulation);
}

const std::string kStepped = R"(<Component name="a" kind="stepped-mass"/>)";
const std::string kNative = R"(<Component name="a" kind="network"><Network><Ground name="ground"/>
    <Mass name="body" mass="2" position="0.1"/>
    <Spring name="spring" from="ground" to="body" stiffness="800" free_length="0"/>
    <Interface name="end" node="body"/></Network></Component>)";
const std::string kLine =
    R"(<Connection name="c" from="a.end" to="b.end" coupling="line" stiffness="2e4" delay="1e-3"/>)";

TEST_F(OwnStepsRun, CouplingsGiveWhatTheNativeNetworkGives) {
  const std::string simulation = "stop=\"0.5\" tolerance=\"1e-10\" write_interval=\"1e-2\"";
  struct Case {
    std::string connection, rest;
    double tolerance;  // each publishes samples at other times, and what lies between them is guessed
  };
  for (const Case& one :
       {Case{kLine, "", 1e-4},
        Case{R"(<Connection name="c" from="a.end" to="b.end" coupling="sampled" schedule="jacobi" step="2e-4"/>)", "",
             1e-3},
        Case{R"(<Connection name="c" from="a.end" to="b.end" coupling="glue"/>)", R"(<Gluing step="1e-3"/>)", 1e-4}}) {
    const RunRecord own = run_text(model(kStepped, one.connection, simulation, one.rest));
    const RunRecord native = run_text(model(kNative, one.connection, simulation, one.rest));
    const double size = support::largest_value(native, "b.body.position");
    EXPECT_GT(size, 0.05);
    EXPECT_LT(largest_difference(own, native, "b.body.position"), one.tolerance * size) << one.connection;
    EXPECT_LT(largest_difference(own, native, "a.end.position"), one.tolerance * size) << one.connection;
  }
}

TEST_F(OwnStepsRun, HalfTheStepHasAnEighthOfTheErrorOrLess) {
  const auto run = [](double step) {
    return run_text(
        model(fmt::format(R"(<Component name="a" kind="stepped-mass"><SteppedMass step="{}"/></Component>)", step),
              kLine, "stop=\"0.3\" tolerance=\"1e-11\" write_interval=\"1e-2\""));
  };
  const RunRecord a = run(5e-4), b = run(2.5e-4), c = run(1.25e-4);
  const double first = largest_difference(a, b, "a.end.position"), second = largest_difference(b, c, "a.end.position");
  EXPECT_GT(first / second, 7.0) << first << " " << second;
}

TEST_F(OwnStepsRun, OutputsAndSignalsAreRecorded) {
  const RunRecord run = run_text(model(kStepped, kLine, "stop=\"0.2\" write_interval=\"0\""));
  const auto& momentum = run.of("a.momentum");
  const auto& velocity = run.of("a.end.velocity");
  ASSERT_EQ(momentum.values.size(), velocity.values.size());
  for (std::size_t i = 0; i < momentum.values.size(); ++i) {
    EXPECT_NEAR(momentum.values[i], 2.0 * velocity.values[i], 1e-12);
  }
  EXPECT_EQ(run.values("a.state[2].value").back(), velocity.values.back());
  EXPECT_LT(run.connection("c").energy_residual_relative, 1e-4);
}

TEST_F(OwnStepsRun, AResumedRunHasTheSameBits) {
  const support::ModelFiles files(model(kStepped, kLine, "stop=\"0.6\" save_interval=\"0.1\" write_interval=\"1e-2\""));
  const support::TemporaryFolder unbroken, broken;
  for (const auto& [folder, until] : {std::pair{unbroken.path(), 0.6}, std::pair{broken.path(), 0.35}}) {
    Simulation simulation = Simulation::load(files.path());
    simulation.record_to(folder);
    simulation.checkpoint_every(0.1);
    simulation.advance_to(until);
    if (until == 0.6) simulation.finish();
  }
  Simulation resumed = Simulation::resume(broken.path());
  resumed.advance_to(resumed.stop_time());
  resumed.finish();
  EXPECT_TRUE(have_same_bits(support::read_run(unbroken.path()), support::read_run(broken.path())));
}

TEST_F(OwnStepsRun, AStepBeyondItsLimitIsReported) {
  const support::ModelFiles files(model(R"(<Component name="a" kind="overstepping"/>)", kLine, "stop=\"0.2\""));
  Simulation simulation = Simulation::load(files.path());
  try {
    simulation.advance_to(0.1);
    FAIL() << "it ran";
  } catch (const RunError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("component 'a'"), std::string::npos) << text;
    EXPECT_NE(text.find("a step from 0 s with the limit"), std::string::npos) << text;
  }
}

}  // namespace own_steps_component_test
}  // namespace tieline::custom
