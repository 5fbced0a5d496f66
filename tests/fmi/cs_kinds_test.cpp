// Co-simulation FMUs of all kinds: in space, with signals, events, the law inside, and such as go wrong.

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "fmi/cs_runs.hpp"

namespace tieline::fmi {
namespace cs_kinds_test {

InterfaceMap signal_of(const FmuSpec& spec, const std::string& variable, core::Causality causality) {
  InterfaceMap map;
  map.shape = {.name = variable, .domain = core::Domain::signal, .causality = causality};
  map.values = spec.description->scalars_of(variable);
  return map;
}

core::Port& port_named(CsComponent& component, const std::string& name) {
  const auto ports = component.ports();
  const auto found =
      std::find_if(ports.begin(), ports.end(), [&](const core::Port& port) { return port.name == name; });
  if (found == ports.end()) throw std::runtime_error("no port " + name);
  return *found;
}

TEST(CsKinds, EventsOfTheFmuArePublishedFromBothSides) {
  FmuSpec spec = spec_of("bouncing_ball", 3);
  for (const char* name : {"h", "v", "bounces"}) {
    spec.interfaces.push_back(signal_of(spec, name, core::Causality::output));
  }
  const auto component = make_component(spec);
  for (core::Port& port : component->ports()) port.is_connected = true;
  expect_done(component->start(0.0));
  for (core::Port& port : component->ports()) port.outbox.clear();
  expect_done(component->advance({.begin = 0.0, .end = 0.6, .horizon = 0.6}));
  const double g = 9.81, bounce = std::sqrt(2.0 / g), left = 0.6 - bounce, up = 0.7 * g * bounce;
  EXPECT_NEAR(port_named(*component, "h").outbox.back().flow, up * left - 0.5 * g * left * left, 1e-9);
  const auto& samples = port_named(*component, "v").outbox;
  const auto jump = std::adjacent_find(samples.begin(), samples.end(),
                                       [](const wave::Sample& a, const wave::Sample& b) { return a.t == b.t; });
  ASSERT_NE(jump, samples.end());
  EXPECT_NEAR(jump->t, bounce, 1e-9);
  EXPECT_NEAR(jump[0].flow, -g * bounce, 1e-8);
  EXPECT_NEAR(jump[1].flow, up, 1e-8);
  // What is discrete changes at once: no sample between the times of a jump has anything but whole numbers.
  for (const wave::Sample& sample : port_named(*component, "bounces").outbox) {
    EXPECT_EQ(sample.flow, sample.t < bounce ? 0.0 : std::round(sample.flow));
  }
  EXPECT_EQ(port_named(*component, "bounces").outbox.back().flow, 1.0);
  EXPECT_EQ(component->statistics().events, 1U);
}

TEST(CsKinds, ContinuousSignalsComeInAsTheirMeans) {
  // x' = u with u = t: the mean over each step makes x exact at its end.
  FmuSpec spec = spec_of("nasty", 2);
  spec.interfaces.push_back(signal_of(spec, "u", core::Causality::input));
  spec.interfaces.push_back(signal_of(spec, "x", core::Causality::output));
  spec.step = 0.1;
  const auto component = make_component(spec);
  for (core::Port& port : component->ports()) port.is_connected = true;
  core::Port& input = port_named(*component, "u");
  input.incoming.set_interpolation(wave::Interpolation::linear);
  input.incoming.push({0.0, 0.0, 0.0, 0.0});
  input.incoming.push({1.0, 0.0, 1.0, 0.0});
  expect_done(component->start(0.0));
  expect_done(component->advance({.begin = 0.0, .end = 1.0, .horizon = 1.0}));
  EXPECT_EQ(component->statistics().steps, 10U);
  EXPECT_NEAR(port_named(*component, "x").outbox.back().flow, 0.5, 1e-12);
}

/// What share of its energy a stiff pair of FMUs with the law inside loses in 1000 delays, with n steps in a delay.
double loss_with_law_inside(int n) {
  const support::Line line = support::Line::from_stiffness(1e10, 1e-5);
  const auto spec_for = [&](double mass, double velocity) {
    FmuSpec spec = spec_of("wave_mass", 2);
    InterfaceMap map;
    map.shape = {.name = "flange", .domain = core::Domain::translation};
    map.position = spec.description->scalars_of("x");
    map.flow = spec.description->scalars_of("v");
    map.wave = spec.description->scalars_of("wave");
    map.impedance = spec.description->scalars_of("impedance");
    spec.interfaces.push_back(std::move(map));
    set_start(spec, "m", mass), set_start(spec, "x", 0.0), set_start(spec, "v", velocity);
    spec.step = line.delay / n;
    return spec;
  };
  const auto first = make_component(spec_for(10.0, 1.0)), second = make_component(spec_for(5.0, 0.0));
  LinedPair pair(*first, *second, line);
  const double energy = pair.energy(10.0, 5.0);
  pair.advance(2000);
  const double injected =
      first->coupling_report().ports[0].injected_energy + second->coupling_report().ports[0].injected_energy;
  EXPECT_NEAR(injected, -pair.residual(), 1e-9 * energy);
  return 1.0 - pair.energy(10.0, 5.0) / energy;
}

TEST(CsKinds, FmuWithTheLawInsideLosesWithTheSquareOfTheStep) {
  // It takes the wave's mean for the wave: what that misses within a step damps, by Z h^2 v'^2 / 12.
  const double coarse = loss_with_law_inside(10), fine = loss_with_law_inside(20);
  EXPECT_GT(fine, 0.0);
  EXPECT_LT(coarse, 0.02);
  EXPECT_NEAR(coarse / fine, 4.0, 0.3);
}

/// The bar `arm` without weight, held at its end `a` by a line without echo; how it moves after 0.1 s.
class HeldArm {
 public:
  explicit HeldArm(double step) {
    FmuSpec spec = spec_of("arm", 3);
    const Description& description = *spec.description;
    InterfaceMap map;
    map.shape = {.name = "a", .domain = core::Domain::mechanical3d};
    map.position = description.scalars_of("a.position");
    map.orientation = description.scalars_of("a.quaternion");
    map.orientation_form = OrientationForm::quaternion;
    map.flow = description.scalars_of("a.velocity");
    map.angular_velocity = description.scalars_of("a.angular_velocity");
    map.effort = description.scalars_of("a.force");
    map.torque = description.scalars_of("a.torque");
    spec.interfaces.push_back(std::move(map));
    set_start(spec, "gravity", 0.0);
    spec.starts.push_back(
        {.variable = description.index_of("velocity"), .values = std::vector<double>{0.3, -0.2, 0.5}});
    spec.starts.push_back(
        {.variable = description.index_of("angular_velocity"), .values = std::vector<double>{1.0, 2.0, -3.0}});
    spec.step = step;
    component_ = make_component(spec);
    for (std::size_t k = 0; k < 6; ++k) {
      component_->ports()[k].is_connected = true;
      component_->ports()[k].law = {1.0, k < 3 ? 8.0 : 0.3};
    }
    expect_done(component_->start(0.0));
    for (int k = 0; k < 5; ++k) {
      const double begin = 0.02 * k, end = k == 4 ? 0.1 : 0.02 * (k + 1);
      expect_done(component_->advance({.begin = begin, .end = end, .horizon = end}));
    }
  }
  [[nodiscard]] std::array<double, 6> flows() const {
    std::array<double, 6> result{};
    for (std::size_t k = 0; k < 6; ++k) result[k] = component_->ports()[k].outbox.back().flow;
    return result;
  }
  [[nodiscard]] CsComponent& component() { return *component_; }

 private:
  std::unique_ptr<CsComponent> component_;
};

double distance(const std::array<double, 6>& a, const std::array<double, 6>& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < 6; ++k) sum += std::abs(a[k] - b[k]);
  return sum;
}

TEST(CsKinds, BodyInSpaceConvergesWithOrderTwo) {
  const auto finest = HeldArm(0.1 / 1280).flows();
  const double coarse = distance(HeldArm(0.1 / 40).flows(), finest);
  const double fine = distance(HeldArm(0.1 / 80).flows(), finest);
  EXPECT_GT(std::log2(coarse / fine), 1.8) << coarse << ", " << fine;
  EXPECT_LT(coarse, 1e-2);
}

TEST(CsKinds, MassesOfABodyInSpaceAreProbed) {
  HeldArm arm(0.1 / 400);
  const CouplingReport report = arm.component().coupling_report();
  // A push across the bar at its end also turns it: 1/m + (l/2)^2/I.
  std::vector<double> masses;
  for (std::size_t k = 0; k < 3; ++k) masses.push_back(report.ports[k].effective_mass.value_or(0.0));
  std::sort(masses.begin(), masses.end());
  EXPECT_NEAR(masses[0], 0.5, 0.01);
  EXPECT_NEAR(masses[1], 0.5, 0.01);
  EXPECT_NEAR(masses[2], 2.0, 0.01);
}

FmuSpec nasty_spec(int version, const std::string& behaviour) {
  FmuSpec spec = spec_of("nasty", version);
  spec.interfaces.push_back(signal_of(spec, "x", core::Causality::output));
  spec.starts.push_back(
      {.variable = spec.description->index_of("behaviour"), .values = std::vector<std::string>{behaviour}});
  set_start(spec, "at", 0.25);
  spec.step = 0.1;
  return spec;
}

TEST(CsKinds, FailuresAreReported) {
  for (const int version : {1, 2, 3}) {
    for (const auto& [behaviour, code, text] : {std::tuple{"discard", core::ErrorCode::step_failed, "(discard)"},
                                                std::tuple{"nan", core::ErrorCode::not_finite, "not finite"},
                                                std::tuple{"error", core::ErrorCode::step_failed, "DoStep"}}) {
      const auto component = make_component(nasty_spec(version, behaviour));
      expect_done(component->start(0.0));
      const auto advanced = component->advance({.begin = 0.0, .end = 1.0, .horizon = 1.0});
      ASSERT_FALSE(advanced) << behaviour;
      EXPECT_EQ(advanced.error().code, code) << behaviour << ": " << advanced.error().message;
      EXPECT_NE(advanced.error().message.find(text), std::string::npos) << advanced.error().message;
      EXPECT_EQ(advanced.error().component, "fmu");
      EXPECT_GT(advanced.error().time, 0.15) << behaviour;
    }
  }
}

TEST(CsKinds, FmuThatCannotSaveItsStateSaysSo) {
  FmuSpec spec = mass_spec("mass", 2, 1.0, 0.0, StepScheme::substeps);
  Description changed = *spec.description;
  changed.co_simulation->can_get_and_set_state = false;
  spec.description = std::make_shared<const Description>(std::move(changed));
  const auto component = make_component(spec);
  const core::Capabilities capabilities = component->capabilities();
  EXPECT_FALSE(capabilities.can_snapshot);
  EXPECT_FALSE(capabilities.can_save_at_save_points);
  EXPECT_NE(capabilities.snapshot_obstacle.find("canGetAndSetFMUState"), std::string::npos);
}

}  // namespace cs_kinds_test
}  // namespace tieline::fmi
