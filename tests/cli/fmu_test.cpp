#include <gtest/gtest.h>

#include "program.hpp"
#include "support/zip_bytes.hpp"

namespace tieline::cli {
namespace fmu_test {

std::string description_named(const std::string& name) {
  return text_of(std::string(TIELINE_SOURCE_DIR "/tests/fmi/descriptions/") + name);
}

TEST(Fmu, ListsItsContents) {
  const Workplace place;
  place.write(
      "drive.fmu",
      support::zip_of({{.name = "modelDescription.xml", .content = description_named("dymola_style.xml"), .method = 8},
                       {.name = "binaries/linux64/Machines_Drive.so", .content = "ELF"},
                       {.name = "binaries/win64/Machines_Drive.dll", .content = "MZ"}}));
  const Outcome outcome = place.tieline({"info", "drive.fmu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* words :
       {"FMU 'Machines.Drive' (drive.fmu)", "A drive & its load", "Dymola Version 2023x", "linux64, win64",
        "2 states, 2 event indicators, saves and restores its state", "steps of any size",
        "from 0 s, to 1.5 s, tolerance 1e-06", "Parameters (2)", "Float64, tunable", "2 (on)", "Inputs (1)",
        "Outputs (2)", "Local variables (5)", "--all lists them", "Warnings (2)",
        "drive.fmu/modelDescription.xml:61:7: warning: 'J': the unit 'kg.m2' is not defined"}) {
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  }
  EXPECT_EQ(outcome.out.find("der(w)\n"), std::string::npos);
  const Outcome all = place.tieline({"info", "drive.fmu", "--all"});
  EXPECT_NE(all.out.find("der(phi)"), std::string::npos) << all.out;
}

TEST(Fmu, DescribesAnUnpackedFolder) {
  const Workplace place;
  support::write_file(place.path("ball/modelDescription.xml"), description_named("reference_ball.xml"));
  support::write_file(place.path("ball/terminalsAndIcons/terminalsAndIcons.xml"), description_named("terminals.xml"));
  const Outcome outcome = place.tieline({"info", "ball"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* words : {"FMU 'Ball' (ball)", "3.0.1", "Terminals (1)", "flange (plug, org.modelica.flange)",
                            "flow = v (inflow)", "inner (bus)", "Float64[1]", "scheduled execution"}) {
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  }
}

TEST(Fmu, DescribesFmi1) {
  const Workplace place;
  support::write_file(place.path("axis/modelDescription.xml"), description_named("dymola1_style.xml"));
  support::write_file(place.path("gear/modelDescription.xml"), description_named("silver1_style.xml"));
  const Outcome axis = place.tieline({"info", "axis", "--all"});
  EXPECT_EQ(axis.exit_code, 0) << axis.err;
  for (const char* words : {"FMU 'Machines.Axis' (axis)", "FMI                  1.0",
                            "model exchange       yes: 2 states, 6 event indicators", "to 2.5 s, tolerance 0.0001",
                            "Parameters (2)", "2 (slow)", "Calculated parameters (2)", "Inputs (1)", "Outputs (5)"}) {
    EXPECT_NE(axis.out.find(words), std::string::npos) << words << "\n" << axis.out;
  }
  const Outcome gear = place.tieline({"info", "gear"});
  EXPECT_EQ(gear.exit_code, 0) << gear.err;
  EXPECT_NE(gear.out.find("co-simulation        yes: steps of any size, needs the tool that exported it"),
            std::string::npos)
      << gear.out;
}

TEST(Fmu, IsRefusedWithAllReasons) {
  const Workplace place;
  place.write("old.fmu", support::zip_of(
                             {{.name = "modelDescription.xml", .content = "<fmiModelDescription fmiVersion='0.9'/>"}}));
  const Outcome old = place.tieline({"info", "old.fmu"});
  EXPECT_EQ(old.exit_code, 1);
  EXPECT_NE(old.err.find("it must be 1.0, 2.0 or 3.0"), std::string::npos) << old.err;
  place.write("bad.fmu", support::zip_of({{.name = "../a"}, {.name = "/b"}}));
  const Outcome bad = place.tieline({"info", "bad.fmu"});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_NE(bad.err.find("'../a' points outside"), std::string::npos) << bad.err;
  EXPECT_NE(bad.err.find("'/b' has an absolute name"), std::string::npos) << bad.err;
  place.write("text.fmu", "hello");
  EXPECT_EQ(place.tieline({"info", "text.fmu"}).exit_code, 1);
}

}  // namespace fmu_test
}  // namespace tieline::cli
