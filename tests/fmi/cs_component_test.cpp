#include "fmi/cs_component.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <optional>

#include "fmi/cs_runs.hpp"

namespace tieline::fmi {
namespace cs_component_test {

const support::Line kStiffLine = support::Line::from_stiffness(1e10, 1e-5);
const support::Line kSoftLine = support::Line::from_stiffness(1e6, 1e-3);

struct PairRun {
  double change = 0.0;    ///< largest, of the energy, as a share
  double residual = 0.0;  ///< of the line's balance, as a share of the energy
  double injected = 0.0;  ///< as reported, as a share of the energy
  CouplingReport report{};
};

/// The pair of 10 kg and 5 kg on a stiff line, in steps of a tenth of the delay.
PairRun run_pair(const std::string& fmu, int version, StepScheme scheme, int delays,
                 std::optional<double> mass_factor = std::nullopt, bool can_save = true) {
  const auto spec = [&](double mass, double velocity) {
    FmuSpec result = mass_spec(fmu, version, mass, velocity, scheme);
    result.step = 0.1 * kStiffLine.delay;
    if (mass_factor) result.effective_mass = *mass_factor * mass;
    if (!can_save) {
      Description changed = *result.description;
      changed.co_simulation->can_get_and_set_state = false;
      result.description = std::make_shared<const Description>(std::move(changed));
    }
    return result;
  };
  const auto first = make_component(spec(10.0, 1.0)), second = make_component(spec(5.0, 0.0));
  LinedPair pair(*first, *second, kStiffLine);
  const double energy = pair.energy(10.0, 5.0);
  PairRun run;
  for (int k = 0; k < delays; ++k) {
    pair.advance(2);
    run.change = std::max(run.change, std::abs(pair.energy(10.0, 5.0) / energy - 1.0));
  }
  run.report = first->coupling_report();
  run.residual = pair.residual() / energy;
  for (const CsComponent* part : {first.get(), second.get()}) {
    run.injected += part->coupling_report().ports[0].injected_energy / energy;
  }
  return run;
}

TEST(CsComponent, StiffPairKeepsItsEnergy) {
  for (const int version : {2, 3}) {
    const PairRun run = run_pair("mass", version, StepScheme::substeps, 10'000);
    EXPECT_LT(run.change, 1e-3) << version;
    EXPECT_EQ(run.report.ports[0].mass_source, MassSource::probed);
    EXPECT_NEAR(run.report.ports[0].effective_mass.value_or(0.0), 10.0, 1e-5);
  }
}

TEST(CsComponent, StiffPairKeepsItsEnergyWithAMassWrongByTwo) {
  for (const double factor : {0.5, 2.0}) {
    const PairRun run = run_pair("mass", 2, StepScheme::substeps, 10'000, factor);
    EXPECT_LT(run.change, 1e-3) << factor;
    EXPECT_EQ(run.report.ports[0].mass_source, MassSource::stated);
    EXPECT_GT(run.report.ports[0].largest_defect, 0.0);
  }
}

TEST(CsComponent, MassIsLearntWhereTheFmuCannotSaveItsState) {
  for (const int version : {1, 2}) {
    const PairRun run = run_pair("mass", version, StepScheme::substeps, 2000, std::nullopt, false);
    EXPECT_LT(run.change, 1e-3);
    EXPECT_EQ(run.report.ports[0].mass_source, MassSource::learnt);
    EXPECT_NEAR(run.report.ports[0].effective_mass.value_or(0.0), 10.0, 0.02);
    EXPECT_LT(run.report.ports[0].mass_uncertainty, 0.01);
    ASSERT_EQ(run.report.warnings.size(), 1U);
    EXPECT_NE(run.report.warnings[0].find("effective_mass"), std::string::npos) << run.report.warnings[0];
  }
}

TEST(CsComponent, SlopedForceKeepsTheEnergyEvenBetter) {
  // FMUs of FMI 1.0 cannot save their state, from which the mass would be measured.
  for (const int version : {1, 2}) {
    const PairRun run =
        run_pair("mass", version, StepScheme::automatic, 10'000, version == 1 ? std::optional(1.0) : std::nullopt);
    EXPECT_EQ(run.report.scheme, StepScheme::derivatives);
    EXPECT_LT(run.change, 1e-5);
  }
}

TEST(CsComponent, WhatIsFasterThanTheStepsDoesNotFeedTheLine) {
  // The first mass hangs on a spring whose oscillation takes about as long as two steps, or less than one.
  for (const double angle : {3.0, 5.0, 10.0}) {
    const double h = 0.1 * kStiffLine.delay, stiffness = 10.0 * (angle / h) * (angle / h);
    FmuSpec first_spec = mass_spec("mass", 2, 10.0, 1.0, StepScheme::substeps);
    FmuSpec second_spec = mass_spec("mass", 2, 5.0, 0.0, StepScheme::substeps);
    set_start(first_spec, "k", stiffness), set_start(first_spec, "step", 0.01 * h);
    first_spec.step = second_spec.step = h;
    const auto first = make_component(first_spec), second = make_component(second_spec);
    LinedPair pair(*first, *second, kStiffLine);
    const auto energy = [&] {
      return pair.energy(10.0, 5.0) + 0.5 * stiffness * pair.last(0).position * pair.last(0).position;
    };
    const auto injected = [&] {
      return first->coupling_report().ports[0].injected_energy + second->coupling_report().ports[0].injected_energy;
    };
    const double at_start = energy();
    double largest = 0.0;
    for (int k = 0; k < 300; ++k) {
      pair.advance(2);
      largest = std::max(largest, energy() / at_start);
    }
    // By now it has been noticed; from then on the line gets no more than the FMU gives.
    EXPECT_LT(largest, 2.0) << angle;
    ASSERT_FALSE(first->coupling_report().warnings.empty()) << angle;
    const double until_now = injected();
    pair.advance(2000);
    // What swings to and fro in the second mass's account is as in any pair.
    EXPECT_LT(injected(), until_now + 1e-4 * at_start) << angle;
    EXPECT_LT(energy() / at_start, largest) << angle;
    EXPECT_NEAR(injected(), -pair.residual(), 1e-9 * at_start) << angle;
  }
}

TEST(CsComponent, HeldForceFeedsThePair) { EXPECT_GT(run_pair("mass", 2, StepScheme::hold, 1000).change, 0.1); }

TEST(CsComponent, FmuThatCallsBackKeepsTheEnergy) {
  const PairRun run = run_pair("mass_update", 3, StepScheme::automatic, 10'000);
  EXPECT_EQ(run.report.scheme, StepScheme::intermediate);
  EXPECT_LT(run.change, 1e-3);
}

TEST(CsComponent, ReportedEnergyIsTheResidualOfTheLine) {
  for (const double factor : {0.5, 1.0, 2.0}) {
    const PairRun run = run_pair("mass", 2, StepScheme::substeps, 333, factor);
    EXPECT_NEAR(run.injected, -run.residual, 1e-9) << factor;
    EXPECT_NE(run.injected, 0.0);
  }
}

/// Error of the positions after 50 delays with steps of delay / n.
double error_of(const std::string& fmu, int version, StepScheme scheme, int n) {
  const auto spec = [&](double mass, double velocity) {
    FmuSpec result = mass_spec(fmu, version, mass, velocity, scheme);
    result.step = kSoftLine.delay / n;
    set_start(result, "step", kSoftLine.delay / n);
    return result;
  };
  const auto first = make_component(spec(10.0, 1.0)), second = make_component(spec(5.0, 0.0));
  LinedPair pair(*first, *second, kSoftLine);
  pair.advance(100);
  static const auto exact = support::solve_on_line({.mass1 = 10.0, .mass2 = 5.0, .velocity1 = 1.0}, kSoftLine);
  const support::PairState at = exact.at(50 * kSoftLine.delay);
  return std::abs(pair.last(0).position - at.x1) + std::abs(pair.last(1).position - at.x2);
}

TEST(CsComponent, ConvergesToTheLineWithTheOrderOfItsScheme) {
  struct Case {
    const char* fmu;
    int version;
    StepScheme scheme;
    double least_order, most_error;
  };
  for (const Case& each :
       {Case{"mass", 2, StepScheme::hold, 0.9, 1e-2}, Case{"mass", 2, StepScheme::substeps, 1.9, 1e-5},
        Case{"mass", 3, StepScheme::substeps, 1.9, 1e-5}, Case{"mass", 2, StepScheme::derivatives, 3.5, 1e-8},
        Case{"mass_update", 3, StepScheme::intermediate, 2.9, 1e-6}}) {
    const double coarse = error_of(each.fmu, each.version, each.scheme, 8);
    const double fine = error_of(each.fmu, each.version, each.scheme, 16);
    EXPECT_GT(std::log2(coarse / fine), each.least_order)
        << name_of(each.scheme) << " " << each.version << ": " << coarse << ", " << fine;
    EXPECT_LT(coarse, each.most_error) << name_of(each.scheme) << " " << each.version;
  }
}

TEST(CsComponent, ContinuesFromASnapshotWithTheSameBits) {
  for (const core::SnapshotUse use : {core::SnapshotUse::resume, core::SnapshotUse::trial}) {
    const auto component = make_component(mass_spec("mass", 3, 2.0, 1.0, StepScheme::substeps));
    core::Port& port = component->ports()[0];
    port.law = {1.0, 300.0};
    port.is_connected = true;
    port.incoming.push({0.0, 0.0, 100.0, 3000.0});
    port.incoming.push({1.0, 0.0, 200.0, -500.0});
    expect_done(component->start(0.0));
    const auto advance = [&](double begin, double end) {
      expect_done(component->advance({.begin = begin, .end = end, .horizon = end}));
      return port.outbox.back();
    };
    advance(0.0, 0.01);
    core::ArchiveWriter writer(use);
    expect_done(component->save(writer));
    const wave::Sample unbroken = advance(0.01, 0.02);
    core::ArchiveReader reader(writer.bytes(), use);
    expect_done(component->restore(reader));
    EXPECT_TRUE(reader.at_end());
    EXPECT_TRUE(port.outbox.empty());
    const wave::Sample again = advance(0.01, 0.02);
    EXPECT_EQ(again.position, unbroken.position);
    EXPECT_EQ(again.flow, unbroken.flow);
    EXPECT_EQ(again.work, unbroken.work);
    EXPECT_EQ(again.impulse, unbroken.impulse);
  }
}

TEST(CsComponent, RefusesASchemeThatTheFmuDoesNotAllow) {
  const auto component = make_component(mass_spec("mass", 3, 2.0, 1.0, StepScheme::intermediate));
  const auto started = component->start(0.0);
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("scheme 'intermediate' is not possible"), std::string::npos)
      << started.error().message;
}

TEST(CsComponent, StepsEndOnBreaksOfTheInput) {
  const auto component = make_component(mass_spec("mass", 2, 2.0, 0.0, StepScheme::substeps));
  core::Port& port = component->ports()[0];
  port.is_connected = true;
  port.incoming.set_interpolation(wave::Interpolation::linear);
  for (const auto& [t, force] : {std::pair{0.0, 0.0}, {0.013, 0.0}, {0.013, 8.0}, {1.0, 8.0}}) {
    port.incoming.push({t, 0.0, force, 0.0});
  }
  expect_done(component->start(0.0));
  port.outbox.clear();
  expect_done(component->advance({.begin = 0.0, .end = 0.1, .horizon = 0.1}));
  const double since = 0.1 - 0.013;
  EXPECT_NEAR(port.outbox.back().flow, 4.0 * since, 1e-12);
  EXPECT_NEAR(port.outbox.back().position, 2.0 * since * since, 1e-12);
  EXPECT_NEAR(port.outbox.back().work, 8.0 * 2.0 * since * since, 1e-12);
  const auto at_break = std::count_if(port.outbox.begin(), port.outbox.end(),
                                      [](const wave::Sample& sample) { return sample.t == 0.013; });
  EXPECT_EQ(at_break, 2);
  EXPECT_EQ(component->statistics().breaks, 1U);
}

TEST(CsComponent, EqualStepsMustFitTheWindows) {
  FmuSpec spec = mass_spec("mass", 2, 2.0, 0.0, StepScheme::substeps);
  Description changed = *spec.description;
  changed.co_simulation->can_handle_variable_step_size = false;
  spec.description = std::make_shared<const Description>(std::move(changed));
  spec.step = 0.03;
  const auto component = make_component(spec);
  expect_done(component->start(0.0));
  const auto advanced = component->advance({.begin = 0.0, .end = 0.1, .horizon = 0.1});
  ASSERT_FALSE(advanced);
  EXPECT_NE(advanced.error().message.find("0.025 s does"), std::string::npos) << advanced.error().message;
}

TEST(CsComponent, LongStepsForALightMassAreWarnedOf) {
  const auto component = make_component(mass_spec("mass", 2, 1e-3, 1.0, StepScheme::substeps));
  core::Port& port = component->ports()[0];
  port.law = {1.0, 100.0};
  port.is_connected = true;
  expect_done(component->start(0.0));
  expect_done(component->advance({.begin = 0.0, .end = 0.1, .horizon = 0.1}));
  const CouplingReport report = component->coupling_report();
  EXPECT_NEAR(report.largest_ratio, 100.0 * 0.02 / 2e-3, 1e-3);
  ASSERT_FALSE(report.warnings.empty());
  EXPECT_NE(report.warnings[0].find("stable only if"), std::string::npos) << report.warnings[0];
  EXPECT_LT(std::abs(port.outbox.back().flow), 1.0);
}

TEST(CsComponent, EndsWhereItsFmuAsksForIt) {
  for (const int version : {2, 3}) {
    FmuSpec spec = spec_of("odd", version);
    spec.starts.push_back(
        {.variable = spec.description->index_of("behaviour"), .values = std::vector<std::string>{"end"}});
    spec.recorded = spec.description->scalars_of("y");
    const auto component = make_component(spec);
    expect_done(component->start(0.0));
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(component->ending() != nullptr, k > 2) << k;
      expect_done(component->advance({.begin = 0.2 * k, .end = 0.2 * (k + 1), .horizon = 0.2 * (k + 1)}));
    }
    ASSERT_NE(component->ending(), nullptr);
    EXPECT_NEAR(component->ending()->time, 0.5, 1e-12);
    EXPECT_EQ(component->time(), 0.8);
    double y = 0.0;
    component->current_values(std::span(&y, 1));
    EXPECT_NEAR(y, 0.5, 1e-12);
  }
}

}  // namespace cs_component_test
}  // namespace tieline::fmi
