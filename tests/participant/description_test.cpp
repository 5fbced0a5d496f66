#include "participant/description.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "support/temporary_folder.hpp"

namespace tieline::participant {
namespace description_test {

Description bearing() {
  Description description{
      .name = "car.bearing",
      .kind = "process",
      .model_file = "/models/corner.in",
      .input_files = {"/models/a.txt", "/models/b c.txt"},
      .start = 0.0,
      .stop = 0.1,
      .largest_step = 1e-5,
      .exact_step = true,
      .parameters = {{"k", 1.0 / 3.0, "N/m"}, {"K", -2.0, ""}, {"steel", std::string("100Cr6"), ""}},
      .run_folder = "/runs/bearing"};
  description.placement.position = {1.0, 0.1, -2.0};
  description.interfaces = {
      {.name = "inner", .domain = core::Domain::mechanical3d},
      {.name = "y", .domain = core::Domain::signal, .causality = core::Causality::output, .size = 3}};
  return description;
}

TEST(Description, TheEnvironmentContainsEverything) {
  const Environment variables = environment_of(bearing());
  EXPECT_EQ(variables.at("TIELINE_COMPONENT"), "car.bearing");
  EXPECT_EQ(variables.at("TIELINE_KIND"), "process");
  EXPECT_EQ(variables.at("TIELINE_MODEL_FILE"), "/models/corner.in");
  EXPECT_EQ(variables.at("TIELINE_INPUT_FILES"), "/models/a.txt\n/models/b c.txt");
  EXPECT_EQ(variables.at("TIELINE_START_TIME"), "0");
  EXPECT_EQ(variables.at("TIELINE_STOP_TIME"), "0.10000000000000001");
  EXPECT_EQ(std::strtod(variables.at("TIELINE_LARGEST_STEP").c_str(), nullptr), 1e-5);
  EXPECT_EQ(variables.at("TIELINE_EXACT_STEP"), "1");
  EXPECT_EQ(variables.at("TIELINE_PLACEMENT_POSITION"), "1 0.10000000000000001 -2");
  EXPECT_EQ(variables.at("TIELINE_PLACEMENT_QUATERNION"), "1 0 0 0");
  EXPECT_EQ(variables.at("TIELINE_INTERFACES"), "inner mechanical3d force 1\ny signal output 3");
  EXPECT_EQ(variables.at("TIELINE_RUN_FOLDER"), "/runs/bearing");
  EXPECT_EQ(variables.at("TIELINE_PARAMETER_FILE"), "/runs/bearing/parameters.txt");
  // Names that differ by their case alone stay apart.
  EXPECT_EQ(std::strtod(variables.at("TIELINE_PARAMETER_k").c_str(), nullptr), 1.0 / 3.0);
  EXPECT_EQ(variables.at("TIELINE_PARAMETER_K"), "-2");
  EXPECT_EQ(variables.at("TIELINE_PARAMETER_steel"), "100Cr6");
}

TEST(Description, WhatThereIsNoneOfIsLeftOut) {
  const Environment variables = environment_of({.name = "a", .kind = "process"});
  for (const char* name : {"TIELINE_MODEL_FILE", "TIELINE_INPUT_FILES", "TIELINE_LARGEST_STEP", "TIELINE_INTERFACES",
                           "TIELINE_RUN_FOLDER", "TIELINE_PARAMETER_FILE"}) {
    EXPECT_FALSE(variables.contains(name)) << name;
  }
}

TEST(Description, ParametersStandOnALineEach) {
  Description description = bearing();
  description.parameters.push_back({"note", std::string("two\nlines"), ""});
  EXPECT_EQ(parameter_file_text(description),
            "# parameters of car.bearing\n"
            "k = 0.33333333333333331  # N/m\n"
            "K = -2\n"
            "steel = 100Cr6\n"
            "note = two lines\n");
}

TEST(Description, TheParameterFileIsWrittenIntoTheRunFolder) {
  const support::TemporaryFolder folder;
  Description description = bearing();
  description.run_folder = folder.path() / "participants" / "bearing";
  const auto written = write_parameter_file(description);
  ASSERT_TRUE(written.has_value());
  std::ostringstream text;
  text << std::ifstream(description.run_folder / kParameterFileName).rdbuf();
  EXPECT_EQ(text.str(), parameter_file_text(description));
  description.run_folder = "/dev/null/here";
  const auto refused = write_parameter_file(description);
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().message.starts_with("cannot write '/dev/null/here/parameters.txt'"));
}

TEST(Environment, AdditionsCount) {
  ::setenv("TIELINE_TEST_VARIABLE", "before", 1);
  int found = 0;
  for (const std::string& entry : environment_with({{"TIELINE_TEST_VARIABLE", "after"}})) {
    if (!entry.starts_with("TIELINE_TEST_VARIABLE=")) continue;
    ++found;
    EXPECT_EQ(entry, "TIELINE_TEST_VARIABLE=after");
  }
  EXPECT_EQ(found, 1);
  ::unsetenv("TIELINE_TEST_VARIABLE");
}

}  // namespace description_test
}  // namespace tieline::participant
