// Start values of all types, from the model and from outside; and an FMU in place of a model.

#include <gtest/gtest.h>

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace fmi_starts_test {

std::string feedthrough(int version, const std::string& starts) {
  return composite(fmu_component("f", fmu_file("feedthrough", version), starts), "", "stop=\"1\"");
}

void expect_complaint(const std::string& text, const std::vector<std::string>& words) {
  const std::string complaint = complaint_of(text);
  for (const std::string& word : words) {
    EXPECT_NE(complaint.find(word), std::string::npos) << "missing '" << word << "' in:\n" << complaint;
  }
}

TEST(FmuStarts, ReachVariablesOfAllTypes) {
  const RunRecord run = run_text(feedthrough(
      3, start("gain", "2") + start("float64_in", "1.5") + start("float32_in", "0.25") + start("int8_in", "-128") +
             start("uint8_in", "255") + start("int16_in", "-32768") + start("uint16_in", "65535") +
             start("int32_in", "-2147483648") + start("uint32_in", "4294967295") +
             start("int64_in", "9007199254740992") + start("uint64_in", "{2^40}") + start("boolean_in", "true") +
             start("string_in", "of no number") + start("binary_in", "00ff10") + start("choice_in", "second") +
             start("vector_in", "1, 2 3") + start("vector_in[2]", "20") + start("words_in", "a b")));
  const std::map<std::string, double> expected{
      {"float64_out", 3.0},         {"float32_out", 0.5},         {"int8_out", -128.0},
      {"uint8_out", 255.0},         {"int16_out", -32768.0},      {"uint16_out", 65535.0},
      {"int32_out", -2147483648.0}, {"uint32_out", 4294967295.0}, {"int64_out", 9007199254740992.0},
      {"uint64_out", 0x1p40},       {"boolean_out", 1.0},         {"choice_out", 2.0},
      {"vector_out[1]", 2.0},       {"vector_out[2]", 40.0},      {"vector_out[3]", 6.0}};
  for (const auto& [name, value] : expected) {
    const auto found = run.series.find(fmt::format("f.{}.value", name));
    const auto indexed = run.series.find(fmt::format("f.{}", name));
    const auto& series = found != run.series.end() ? found->second : indexed->second;
    ASSERT_TRUE(found != run.series.end() || indexed != run.series.end()) << name;
    EXPECT_EQ(series.values.back(), value) << name;
  }
}

TEST(FmuStarts, OfVersions1And2) {
  for (const int version : {1, 2}) {
    SCOPED_TRACE(version);
    const RunRecord run = run_text(feedthrough(version, start("float64_in", "{3/2}") + start("int32_in", "-7") +
                                                            start("boolean_in", "1") + start("string_in", "text") +
                                                            start("choice_in", "second")));
    EXPECT_EQ(run.values("f.float64_out.value").back(), 1.5);
    EXPECT_EQ(run.values("f.int32_out.value").back(), -7.0);
    EXPECT_EQ(run.values("f.boolean_out.value").back(), 1.0);
    EXPECT_EQ(run.values("f.choice_out.value").back(), 2.0);
    if (version == 2) continue;
    EXPECT_EQ(run.values("f.float64_opposite.value").back(), -1.5);
    EXPECT_EQ(run.values("f.int32_opposite.value").back(), 7.0);
    EXPECT_EQ(run.values("f.boolean_opposite.value").back(), 0.0);
    EXPECT_EQ(run.values("f.float64_same.value").back(), 1.5);
  }
}

// A structural parameter changes how many numbers a signal has.
TEST(FmuStarts, MaySizeArrays) {
  const RunRecord run = run_text(feedthrough(3, start("list_in", "1 2 3 4") + start("size", "4")));
  EXPECT_EQ(run.values("f.list_out[4].value").back(), 4.0);
}

TEST(FmuStarts, ThatMakeNoSenseAreAllNamed) {
  expect_complaint(
      feedthrough(3, start("gian", "2") + "\n" + start("float64_in", "much") + "\n" + start("int8_in", "128") + "\n" +
                         start("uint8_in", "-1") + "\n" + start("int32_in", "1.5") + "\n" +
                         start("boolean_in", "maybe") + "\n" + start("binary_in", "xyz") + "\n" +
                         start("choice_in", "nothing") + "\n" + start("vector_in", "1 2") + "\n" +
                         start("float64_out", "1")),
      {"model.xml:2:",  "the FMU has no variable 'gian' (did you mean 'gain'?)",
       "model.xml:3:",  "variable 'float64_in' is of type Float64; 'much' is not a valid value; expected a number",
       "model.xml:4:",  "'128' is not a valid value; expected a whole number from -128 to 127",
       "model.xml:5:",  "expected a whole number from 0 to 255",
       "model.xml:6:",  "'1.5' is not a valid value",
       "model.xml:7:",  "expected true or false",
       "model.xml:8:",  "expected hexadecimal digits",
       "model.xml:9:",  "expected one of",
       "model.xml:10:", "variable 'vector_in' has 3 values, 2 are stated",
       "model.xml:11:", "variable 'float64_out' cannot be given a start value"});
}

TEST(FmuStarts, BeyondBoundsAreWarnedOf) {
  const RunRecord run = run_text(feedthrough(3, start("size", "2")));
  EXPECT_TRUE(run.report.warnings.empty());
  const ModelFiles files(feedthrough(3, start("size", "9")));
  Simulation simulation = Simulation::load(files.path());
  ASSERT_EQ(simulation.warnings().size(), 1U);
  EXPECT_NE(simulation.warnings().front().find("9 is outside the bounds of variable 'size': 1 to 8"),
            std::string::npos);
}

TEST(FmuStarts, FromOutsideCountMore) {
  const ModelFiles files(feedthrough(3, start("float64_in", "1") + start("gain", "3")));
  const RunRecord run = run_model(files.path(), {}, [](Simulation& simulation) {
    simulation.set("f.float64_in", 5.0);
    simulation.set("f.vector_in", "1 2 3");
  });
  EXPECT_EQ(run.values("f.float64_out.value").back(), 15.0);
  Simulation simulation = Simulation::load(files.path());
  try {
    simulation.set("f.flaot64_in", 1.0);
    ADD_FAILURE() << "a name that is not there was taken";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("--set f.flaot64_in=1"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("did you mean 'float64_in'?"), std::string::npos) << error.what();
  }
}

TEST(FmuInterfaces, ThatCannotBeFoundAreAllNamed) {
  expect_complaint(
      composite(
          fmu_component("a", fmu_file("mass", 3),
                        "<Interface name=\"end\" domain=\"translation\"><Map position=\"x\" velocity=\"w\" "
                        "force=\"m\"/></Interface>\n<Interface name=\"side\" domain=\"translation\"/>\n<Interface "
                        "name=\"turn\" domain=\"rotation\"><Map position=\"x\"/></Interface>"),
          "", "stop=\"1\""),
      {"interface 'end': the FMU has no variable 'w' for velocity", "interface 'side'", "name one in <Map",
       "interface 'turn': 'position' is not a quantity of domain rotation"});
}

// --- an FMU in place of a model

TEST(SingleFmu, RunsAsItsDefaultExperimentSays) {
  for (const auto& file : {fmu_file("vanderpol", 3), fmu_file("vanderpol", 2).replace_extension()}) {
    Simulation simulation = Simulation::load(file);
    EXPECT_EQ(simulation.start_time(), 0.0);
    EXPECT_EQ(simulation.stop_time(), 20.0);
    simulation.set("mu", 0.0);
    simulation.set_stop(1.0);
    simulation.advance_to(1.0);
    EXPECT_NEAR(simulation.get("vanderpol.x0.value"), 2.0 * std::cos(1.0), 1e-6);
  }
}

TEST(SingleFmu, TakesNamesOfVariablesWithAndWithoutItsOwn) {
  const RunRecord run = run_model(fmu_file("feedthrough", 3), {}, [](Simulation& simulation) {
    simulation.set("gain", 2.0);
    simulation.set("feedthrough.float64_in", 4.0);
    simulation.set("vector_in[3]", 1.0);
  });
  EXPECT_EQ(run.values("feedthrough.float64_out.value").back(), 8.0);
  Simulation simulation = Simulation::load(fmu_file("mass", 2));
  EXPECT_THROW(simulation.set("mas", 1.0), ModelError);
  EXPECT_THROW(simulation.set("Fmu.mode", "hybrid"), ModelError);
  simulation.set("Fmu.mode", "model_exchange");
}

TEST(SingleFmu, ContinuesFromACheckpointWithTheSameBits) {
  const auto run_to = [](const std::filesystem::path& folder, double until) {
    Simulation simulation = Simulation::load(fmu_file("bouncing_ball", 2));
    simulation.set("e", 0.8);
    simulation.checkpoint_every(0.5);
    simulation.record_to(folder);
    simulation.advance_to(until);
    simulation.finish();
  };
  const TemporaryFolder unbroken, broken;
  run_to(unbroken.path(), 3.0);
  run_to(broken.path(), 1.11);
  Simulation resumed = Simulation::resume(broken.path());
  resumed.advance_to(3.0);
  resumed.finish();
  EXPECT_TRUE(have_same_bits(read_run(unbroken.path()), read_run(broken.path())));
}

}  // namespace fmi_starts_test
}  // namespace tieline::support
