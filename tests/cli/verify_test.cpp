#include <gtest/gtest.h>

#include "program.hpp"
#include "support/fmu_model.hpp"

// `tieline info MODEL.fmu --verify`.

namespace tieline::cli {
namespace verify_test {

/// Whether a line of the table has a check with this result, in any mode.
bool has_row(const std::string& table, const std::string& mode, const std::string& check, const std::string& result) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(mode) && line.find(check) == 16 && line.find(result, 40) == 42) return true;
  }
  return false;
}

Outcome verify(const Workplace& place, const std::string& fmu, int version, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"info", support::fmu_file(fmu, version).string(), "--verify"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return place.tieline(arguments);
}

TEST(Verify, AGoodFmuPassesAllThatItClaims) {
  const Workplace place;
  for (const int version : {2, 3}) {
    const Outcome outcome = verify(place, "mass", version);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    EXPECT_TRUE(has_row(outcome.out, " ", "description", "pass")) << outcome.out;
    for (const char* mode : {"model exchange", "co-simulation"}) {
      for (const char* check :
           {"binary", "instance", "step", "second instance", "save and restore", "state as bytes"}) {
        EXPECT_TRUE(has_row(outcome.out, mode, check, "pass")) << mode << ", " << check << "\n" << outcome.out;
      }
    }
    EXPECT_TRUE(has_row(outcome.out, "model exchange", "directional derivatives", "pass")) << outcome.out;
  }
}

TEST(Verify, EachUntrueClaimIsARow) {
  const Workplace place;
  for (const int version : {2, 3}) {
    const Outcome outcome = verify(place, "liar", version);
    EXPECT_EQ(outcome.exit_code, 1);
    for (const char* check : {"second instance", "save and restore", "state as bytes", "directional derivatives"}) {
      EXPECT_TRUE(has_row(outcome.out, "model exchange", check, "FAIL")) << check << "\n" << outcome.out;
    }
    EXPECT_TRUE(has_row(outcome.out, "co-simulation", "step", "pass")) << outcome.out;
    EXPECT_TRUE(has_row(outcome.out, "co-simulation", "directional derivatives", "skip")) << outcome.out;
    EXPECT_NE(outcome.out.find("that of 'der(x)' by 'x' is 1; differences give -1"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.err.find("checks of this FMU failed"), std::string::npos) << outcome.err;
  }
}

TEST(Verify, AnFmuThatCrashesOrHangsIsARow) {
  const Workplace place;
  for (const int version : {2, 3}) {
    const Outcome crash = verify(place, "liar_crash", version);
    EXPECT_EQ(crash.exit_code, 1);
    for (const char* mode : {"model exchange", "co-simulation"}) {
      EXPECT_TRUE(has_row(crash.out, mode, "instance", "pass")) << crash.out;
      EXPECT_TRUE(has_row(crash.out, mode, "step", "FAIL")) << crash.out;
    }
    EXPECT_NE(crash.out.find("the FMU's process was ended by signal 6"), std::string::npos) << crash.out;
    const Outcome hang = verify(place, "liar_hang", version, {"--deadline", "0.5"});
    EXPECT_EQ(hang.exit_code, 1);
    EXPECT_TRUE(has_row(hang.out, "co-simulation", "step", "FAIL")) << hang.out;
    EXPECT_NE(hang.out.find("the FMU has not answered within 0.5 s"), std::string::npos) << hang.out;
  }
}

TEST(Verify, EachRuleThatTheDescriptionBreaksIsARow) {
  const Workplace place;
  for (const int version : {1, 2, 3}) {
    // A folder, in which the description can be changed.
    const std::string name = "mass_fmi" + std::to_string(version);
    const auto folder = place.path(name);
    std::filesystem::copy(std::filesystem::path(TIELINE_TEST_FMUS) / name, folder,
                          std::filesystem::copy_options::recursive);
    const Outcome good = place.tieline({"info", name, "--verify"});
    EXPECT_EQ(good.exit_code, 0) << good.out << good.err;
    EXPECT_TRUE(has_row(good.out, " ", "schema", "pass")) << good.out;
    std::string text = text_of(folder / "modelDescription.xml");
    text.replace(text.find("modelName="), 0, "speciality=\"1\" ");
    place.write(name + "/modelDescription.xml", text);
    const Outcome odd = place.tieline({"info", name, "--verify"});
    EXPECT_EQ(odd.exit_code, 0) << odd.out << odd.err;
    EXPECT_TRUE(has_row(odd.out, " ", "schema", "warn")) << odd.out;
    EXPECT_NE(odd.out.find("<fmiModelDescription> has no attribute 'speciality' in this version of FMI"),
              std::string::npos);
    text.replace(text.find("name=\"x\""), 8, "name=\"v\"");
    place.write(name + "/modelDescription.xml", text);
    const Outcome bad = place.tieline({"info", name, "--verify"});
    EXPECT_EQ(bad.exit_code, 1) << bad.out << bad.err;
    EXPECT_TRUE(has_row(bad.out, " ", "schema", "FAIL")) << bad.out;
    EXPECT_NE(bad.out.find("the name 'v' is that of line "), std::string::npos) << bad.out;
    // It is run all the same.
    EXPECT_EQ(place.tieline({"run", name, "--out", "r" + name, "--quiet"}).exit_code, 0);
  }
}

TEST(Verify, IsForFmus) {
  const Workplace place;
  place.write("model.xml", "<CompositeModel name=\"m\"/>");
  const Outcome outcome = place.tieline({"info", "model.xml", "--verify"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("is not an FMU"), std::string::npos) << outcome.err;
}

}  // namespace verify_test
}  // namespace tieline::cli
