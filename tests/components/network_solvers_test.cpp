// Networks and blocks under the real steppers: contacts, clearances and limits change modes where they should.

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "components/blocks/blocks.hpp"
#include "components/network/network.hpp"
#include "components/network_builder.hpp"
#include "components/ode_component.hpp"

namespace tieline::components {
namespace network_solvers_test {

document::TimeFunction compile(const std::string& text) {
  document::Diagnostics diagnostics;
  auto function = document::TimeFunction::compile(text, {}, document::Scope{}, {}, {}, diagnostics);
  EXPECT_TRUE(function) << diagnostics.describe();
  return function.value_or(document::TimeFunction{});
}

class UnderEveryStepper : public testing::TestWithParam<solvers::Method> {
 protected:
  /// Runs a model over windows of 10 ms and returns the last sample of its first port.
  wave::Sample run(std::unique_ptr<OdeModel> model, double stop, double fixed_step = 1e-5) {
    component = std::make_unique<OdeComponent>(
        "c", std::move(model),
        SolverChoice{.method = GetParam(), .relative_tolerance = 1e-10, .fixed_step = fixed_step});
    core::Port& port = component->ports()[0];
    port.is_connected = true;
    EXPECT_TRUE(component->start(0.0));
    for (int k = 0; 0.01 * k < stop; ++k) {
      const double end = std::min(0.01 * (k + 1), stop);
      const auto advanced = component->advance({.begin = 0.01 * k, .end = end, .horizon = end});
      EXPECT_TRUE(advanced) << advanced.error().describe();
      if (!advanced) break;
    }
    return port.outbox.empty() ? wave::Sample{} : port.outbox.back();
  }

  std::unique_ptr<OdeComponent> component;
};

TEST_P(UnderEveryStepper, DampedHertzImpactReboundsByItsFirstIntegral) {
  const double c = 0.4, speed = 1.5;
  const auto g = [&](double v) { return v / c - std::log1p(c * v) / (c * c); };
  double low = 0.0, high = speed;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (g(-middle) < g(speed) ? low : high) = middle;
  }
  NetworkBuilder b;
  const int floor = b.ground();
  const int ball = b.mass("ball", 0.2, 0.0031, -speed);
  b.hertz(floor, ball, 1e5, c);
  b.interface("port", ball);
  const wave::Sample last = run(std::make_unique<Network>(b.spec), 0.05);
  EXPECT_NEAR(last.flow, low, 2e-6);
  const auto energy = component->energy();
  EXPECT_NEAR(energy->kinetic + energy->potential + energy->dissipated, 0.1 * speed * speed, 1e-6);
}

TEST_P(UnderEveryStepper, MassRattlesInItsClearance) {
  const double m = 1.0, k = 1e4, speed = 0.5, gap = 0.02;
  NetworkBuilder b;
  const int ground = b.ground();
  const int mass = b.mass("m", m, 0.0, speed);
  b.stops(ground, mass, k, 0.0, -0.5 * gap, 0.5 * gap);
  b.interface("port", mass);
  const double half_period = gap / speed + std::numbers::pi * std::sqrt(m / k);
  const wave::Sample last = run(std::make_unique<Network>(b.spec), 5.0 * half_period);
  EXPECT_NEAR(last.position, 0.0, 1e-6);
  EXPECT_NEAR(last.flow, -speed, 1e-6);
}

TEST_P(UnderEveryStepper, StepLoadBeginsAtItsTime) {
  NetworkBuilder b;
  const int mass = b.mass("m", 2.0);
  b.spec.loads.push_back({"push", mass, compile("{6*step(t-0.0371)}")});
  b.interface("port", mass);
  const wave::Sample last = run(std::make_unique<Network>(b.spec), 0.1);
  EXPECT_NEAR(last.flow, 3.0 * (0.1 - 0.0371), 1e-8);
}

TEST_P(UnderEveryStepper, PidSlidesAlongItsLimitAndLeavesIt) {
  BlocksSpec spec;
  spec.blocks.push_back({"in", InputBlock{}, {}});
  spec.blocks.push_back({"e", SourceBlock{compile("{1-t*t/2}")}, {}});
  spec.blocks.push_back({"pid", PidBlock{.kp = 1.0, .ki = 2.0, .upper = 1.5}, {1}});
  spec.outputs.push_back({"u", 2});
  auto model = std::make_unique<Blocks>(spec);
  model->ports()[1].is_connected = true;
  run(std::move(model), 1.5, 1e-3);
  const auto integral = [](double s) { return 2.0 * (s - s * s * s / 6.0); };
  const auto error = [](double s) { return 1.0 - s * s / 2.0; };
  const double expected = error(1.5) + 1.5 - error(1.0) + integral(1.5) - integral(1.0);
  EXPECT_NEAR(component->ports()[1].outbox.back().flow, expected, 1e-6);
  EXPECT_LE(component->statistics().events, 3U);
}

INSTANTIATE_TEST_SUITE_P(Methods, UnderEveryStepper,
                         testing::Values(solvers::Method::dopri5, solvers::Method::radau5, solvers::Method::rk4,
                                         solvers::Method::cvode_bdf, solvers::Method::cvode_adams,
                                         solvers::Method::ida),
                         [](const auto& method) {
                           std::string name(solvers::name_of(method.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace network_solvers_test
}  // namespace tieline::components
