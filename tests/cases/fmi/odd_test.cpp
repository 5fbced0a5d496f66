// FMUs as others make them: they end the run, lose what they were given, write to nobody's log.

#include <gtest/gtest.h>

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace fmi_odd_test {

struct Odd {
  std::string behaviour = "none";
  int version = 3;
  std::string mode = "co_simulation";
  bool is_isolated = false;
  std::string file = "odd";
  std::string attributes{};

  [[nodiscard]] std::string component(const std::string& name = "odd") const {
    return fmt::format(
        "<Component name=\"{}\" kind=\"fmu\" file=\"{}\" isolate=\"{}\" {}><Fmu mode=\"{}\"/>{}</Component>\n", name,
        (mode == "co_simulation" ? cs_fmu_file(file, version) : fmu_file(file, version)).string(), is_isolated,
        attributes, mode, start("behaviour", behaviour));
  }
  [[nodiscard]] std::string shown() const {
    return fmt::format("{}, FMI {}, {}, isolated: {}", behaviour, version, mode, is_isolated);
  }
};

/// All ways to run one, or those of some versions of FMI.
std::vector<Odd> all_ways(const std::string& behaviour, const std::string& file = "odd",
                          const std::vector<int>& versions = {2, 3}) {
  std::vector<Odd> ways;
  for (const int version : versions) {
    for (const char* mode : {"model_exchange", "co_simulation"}) {
      for (const bool is_isolated : {false, true}) ways.push_back({behaviour, version, mode, is_isolated, file});
    }
  }
  return ways;
}

constexpr const char* kRun = "stop=\"1\" write_interval=\"0.0625\"";

double last(const RunRecord& run, const std::string& variable) { return run.values(variable).back(); }

TEST(OddFmu, EndsTheRunWell) {
  for (const char* behaviour : {"end", "end_event"}) {
    for (Odd odd : all_ways(behaviour, "odd", {1, 2, 3})) {
      SCOPED_TRACE(odd.shown());
      // FMI 1.0 can ask for it at events only.
      if (odd.version == 1 && (odd.mode == "co_simulation" || odd.behaviour == "end")) continue;
      odd.attributes = odd.mode == "model_exchange" ? "largest_step=\"0.0371\"" : "";
      const RunRecord run = run_text(composite(odd.component(), "", kRun));
      EXPECT_EQ(run.report.outcome, results::Outcome::done);
      ASSERT_TRUE(run.report.ended_by);
      EXPECT_EQ(run.report.ended_by->component, "odd");
      EXPECT_EQ(run.report.ended_by->reason, "the FMU asks to end the simulation");
      const double end = run.report.ended_by->time;
      // A solver of ours ends at the first step at or after it, unless an event is met.
      const bool is_exact = odd.mode == "co_simulation" || odd.behaviour == "end_event";
      EXPECT_TRUE(!is_exact || std::abs(end - 0.5) <= 1e-12) << end;
      EXPECT_GE(end, 0.5 - 1e-12);
      EXPECT_LT(end, 0.5 + 0.0371);
      EXPECT_EQ(run.report.reached, end);
      EXPECT_EQ(run.times("odd.y.value").back(), end);
      EXPECT_NEAR(last(run, "odd.y.value"), end, 1e-12);
      EXPECT_NEAR(last(run, "odd.x.value"), end, 1e-6);
    }
  }
}

TEST(OddFmu, EndsTheRunForAllOthers) {
  // One that is not joined to it, one that hears of it after a delay, and one in another process.
  const auto text = [](const Odd& odd) {
    Odd listener{.version = odd.version, .mode = odd.mode, .is_isolated = odd.is_isolated};
    return composite(odd.component() + listener.component("listener") +
                         network_component("wall", "<Mass name=\"body\" mass=\"1\" velocity=\"1\"/>"),
                     "<Connection from=\"odd.y\" to=\"listener.u\" delay=\"0.03\"/>", kRun);
  };
  for (const char* mode : {"model_exchange", "co_simulation"}) {
    SCOPED_TRACE(mode);
    const Odd odd{.behaviour = "end_event", .mode = mode};
    Odd elsewhere = odd;
    elsewhere.is_isolated = true;
    const RunRecord alone = run_text(text(odd), {.threads = 1});
    ASSERT_TRUE(alone.report.ended_by);
    EXPECT_NEAR(alone.report.reached, 0.5, 1e-12);
    for (const auto& [name, series] : alone.series) EXPECT_LE(series.times.back(), 0.5 + 1e-9) << name;
    EXPECT_GE(alone.times("wall.body.position").back(), 0.4);
    EXPECT_GE(alone.times("listener.y.value").back(), 0.4);
    for (const RunRecord& other : {run_text(text(odd), {.threads = 4}), run_text(text(elsewhere))}) {
      ASSERT_TRUE(other.report.ended_by);
      EXPECT_EQ(other.report.reached, alone.report.reached);
      for (const char* name : {"odd.y.value", "listener.y.value", "wall.body.position"}) {
        // Who stands where the run ends has a row there, too.
        const auto rows = [&](const RunRecord& run) {
          return static_cast<std::size_t>(
              std::count_if(run.times(name).begin(), run.times(name).end(), [](double t) { return t < 0.499; }));
        };
        ASSERT_EQ(rows(other), rows(alone)) << name;
        for (std::size_t i = 0; i < rows(alone); ++i) {
          EXPECT_EQ(other.values(name)[i], alone.values(name)[i]) << name << ", row " << i;
        }
      }
    }
  }
}

// A program that takes part through the plug-in ends with the run, and with what it has computed.
TEST(OddFmu, EndsTheRunForPrograms) {
  const auto text = [](const Odd& odd) {
    return composite(odd.component() +
                         fmt::format("<Component name=\"weight\" kind=\"process\" command=\"'{}/mass_on_spring'\" "
                                     "largest_step=\"0.001\"><Parameter name=\"mass\" value=\"2\"/><Parameter "
                                     "name=\"velocity\" value=\"1\"/><Parameter name=\"stiffness\" value=\"100\"/>"
                                     "<Interface name=\"mass\" domain=\"translation\"/></Component>",
                                     TIELINE_SIMULATORS) +
                         network_component("load",
                                           "<Mass name=\"body\" mass=\"1\"/><Interface name=\"end\" "
                                           "node=\"body\"/>"),
                     "<Connection from=\"weight.mass\" to=\"load.end\" coupling=\"line\" stiffness=\"1e4\" "
                     "delay=\"0.005\"/>",
                     kRun);
  };
  for (const Odd& odd : all_ways("end_event", "odd", {1, 2, 3})) {
    if (odd.version == 1 && odd.mode == "co_simulation") continue;
    SCOPED_TRACE(odd.shown());
    const RunRecord run = run_text(text(odd));
    EXPECT_EQ(run.report.outcome, results::Outcome::done);
    ASSERT_TRUE(run.report.ended_by);
    EXPECT_EQ(run.report.ended_by->component, "odd");
    EXPECT_NEAR(run.report.reached, 0.5, 1e-12);
    // Both ends of the line have come to less than a window before it, and not beyond.
    for (const char* name : {"load.body.position", "weight.mass.force"}) {
      EXPECT_LE(run.times(name).back(), 0.5 + 1e-9) << name;
      EXPECT_GE(run.times(name).back(), 0.5 - 0.07) << name;
    }
  }
}

TEST(OddFmu, GetsItsOwnToleranceOrTheUsers) {
  for (const int version : {2, 3}) {
    for (const bool is_isolated : {false, true}) {
      Odd odd{.version = version, .is_isolated = is_isolated};
      SCOPED_TRACE(odd.shown());
      EXPECT_EQ(last(run_text(composite(odd.component(), "", kRun)), "odd.tolerance.value"), 0.003);
      odd.attributes = "tolerance=\"1e-5\"";
      EXPECT_EQ(last(run_text(composite(odd.component(), "", kRun)), "odd.tolerance.value"), 1e-5);
      odd = {.version = version, .is_isolated = is_isolated, .file = "odd_stateless"};
      EXPECT_EQ(last(run_text(composite(odd.component(), "", kRun)), "odd.tolerance.value"), -1.0);
    }
  }
}

TEST(OddFmu, IsToldThatNobodyGoesBack) {
  for (const Odd& odd : all_ways("none")) {
    SCOPED_TRACE(odd.shown());
    const RunRecord run = run_text(composite(odd.component(), "", kRun));
    EXPECT_EQ(last(run, "odd.no_set.value"), 1.0);
    EXPECT_EQ(last(run, "odd.has_step_finished.value"), 0.0);
    // Somebody may, once a state was saved.
    const ModelFiles files(composite(odd.component(), "", std::string(kRun) + " save_interval=\"0.25\""));
    const RunRecord kept =
        run_model(files.path(), {}, [](Simulation& simulation) { simulation.checkpoint_every(0.25); });
    EXPECT_EQ(last(kept, "odd.no_set.value"), 0.0);
  }
}

TEST(OddFmu, WritesToNobodysLog) {
  for (const char* behaviour : {"foreign_log", "null_log_environment"}) {
    for (const Odd& odd : all_ways(behaviour)) {
      SCOPED_TRACE(odd.shown());
      std::string notes;
      const ModelFiles files(composite(odd.component(), "", kRun));
      const RunRecord run = run_model(files.path(), {}, [&](Simulation& simulation) {
        simulation.use_processes({.on_note = [&](const std::string& line) { notes += line + "\n"; }});
      });
      EXPECT_NEAR(last(run, "odd.y.value"), 1.0, 1e-12);
      EXPECT_NE(notes.find("somebody writes"), std::string::npos) << notes;
      EXPECT_NE(notes.find("calls back without the environment that it was given"), std::string::npos) << notes;
    }
  }
}

TEST(OddFmu, HasANominalValueOfZero) {
  for (const int version : {1, 2, 3}) {
    for (const bool is_isolated : {false, true}) {
      for (const char* solver : {"dopri5", "cvode-bdf"}) {
        Odd odd{"zero_nominal", version, "model_exchange", is_isolated};
        odd.attributes = fmt::format("solver=\"{}\"", solver);
        SCOPED_TRACE(odd.shown());
        EXPECT_NEAR(last(run_text(composite(odd.component(), "", kRun)), "odd.x.value"), 1.0, 1e-6);
      }
    }
  }
}

TEST(OddFmu, ForgetsItsInputs) {
  for (Odd odd : all_ways("forget", "odd", {1, 2, 3})) {
    SCOPED_TRACE(odd.shown());
    Odd source = odd;
    source.behaviour = "none";
    const RunRecord run = run_text(
        composite(source.component("source") + odd.component(), "<Connection from=\"source.y\" to=\"odd.u\"/>", kRun));
    // What it was given is known, whatever it says.
    EXPECT_NEAR(last(run, "odd.u.value"), 1.0, 1e-12);
  }
}

TEST(OddFmu, WithoutStatesIsEvaluatedOften) {
  for (const int version : {1, 2, 3}) {
    for (const bool is_isolated : {false, true}) {
      const Odd odd{.version = version, .mode = "model_exchange", .is_isolated = is_isolated, .file = "odd_stateless"};
      SCOPED_TRACE(odd.shown());
      std::string notes;
      const ModelFiles files(composite(odd.component(), "", kRun));
      const RunRecord run = run_model(files.path(), {}, [&](Simulation& simulation) {
        simulation.use_processes({.on_note = [&](const std::string& line) { notes += line + "\n"; }});
      });
      EXPECT_GE(last(run, "odd.steps.value"), 990.0);
      EXPECT_NEAR(last(run, "odd.y.value"), 1.0, 1e-12);
      EXPECT_NE(notes.find("the FMU has no states and suggests no step"), std::string::npos) << notes;
    }
  }
}

TEST(OwnSymbols, AreFoundBeforeThoseOfOthers) {
  if (kIsInstrumented) GTEST_SKIP() << "the symbols of sanitizers must come first";
  for (const Odd& way : all_ways("none", "own_symbols")) {
    SCOPED_TRACE(way.shown());
    const std::string component =
        fmt::format("<Component name=\"fmu\" kind=\"fmu\" file=\"{}\" isolate=\"{}\"><Fmu mode=\"{}\"/></Component>\n",
                    fmu_file("own_symbols", way.version).string(), way.is_isolated, way.mode);
    const RunRecord run = run_text(composite(component, "", kRun));
    EXPECT_NEAR(last(run, "fmu.y.value"), 8191.0 + 1.0, 1e-12);
  }
}

// Libraries of an FMU that have the names of libraries of this program, which the dynamic linker would take for them.
TEST(OwnLibraries, AreLoadedBesideThoseOfTheSameName) {
  if (kIsInstrumented) GTEST_SKIP() << "the symbols of sanitizers must come first";
  for (const Odd& way : all_ways("none", "own_library")) {
    SCOPED_TRACE(way.shown());
    const auto component = [&](const char* name) {
      return fmt::format(
          "<Component name=\"{0}\" kind=\"fmu\" file=\"{1}\" isolate=\"{2}\"><Fmu mode=\"{3}\"/></Component>", name,
          fmu_file(name, way.version).string(), way.is_isolated, way.mode);
    };
    EXPECT_NEAR(last(run_text(composite(component("own_library"), "", kRun)), "own_library.y.value"), 171.0 + 1.0,
                1e-12);
    // Two FMUs in one process, each with its own.
    const RunRecord both = run_text(composite(component("own_library") + component("own_library_b"), "", kRun));
    EXPECT_NEAR(last(both, "own_library.y.value"), 171.0 + 1.0, 1e-12);
    EXPECT_NEAR(last(both, "own_library_b.y.value"), 272.0 + 1.0, 1e-12);
  }
}

}  // namespace fmi_odd_test
}  // namespace tieline::support
