#include <gtest/gtest.h>

#include "program.hpp"

namespace tieline::cli {
namespace bearing_test {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(BearingCommand, ListsTypes) {
  const Workplace work;
  const Outcome outcome = work.tieline({"bearing", "--list"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* text : {"6214", "7210B", "HBU3", "not that of any maker"}) EXPECT_TRUE(contains(outcome.out, text));
}

TEST(BearingCommand, PrintsTablesAndDraws) {
  const Workplace work;
  const Outcome outcome =
      work.tieline({"bearing", "6214", "--radial", "1286", "--axial", "100", "--speed", "5000", "-o", "loads.svg"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* text : {"inner angle [deg]", "stiffness", "dynamic rating C", "L10rh", "balls over the outer ring",
                           "held parallel", "loads.svg"}) {
    EXPECT_TRUE(contains(outcome.out, text)) << text << "\n" << outcome.out;
  }
  EXPECT_TRUE(contains(text_of(work.path("loads.svg")), "Ball loads of 6214"));
  for (const char* file : {"loads.png", "loads.html"}) {
    EXPECT_EQ(work.tieline({"bearing", "HBU3", "--moment", "500", "-o", file}).exit_code, 0);
    EXPECT_TRUE(std::filesystem::exists(work.path(file)));
  }
}

TEST(BearingCommand, AtRestHasTheFiguresOfTheSpindle) {
  const Workplace work;
  const Outcome outcome = work.tieline({"bearing", "6214", "--radial", "1286", "--axial", "100", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "\"basic_hours\": null"));
  // Stated as 631 N; the first force of the file is that of the ball in the line of the load.
  const std::size_t at = outcome.out.find("\"force\": ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_NEAR(std::stod(outcome.out.substr(at + 9)), 631.0, 6.31);
}

TEST(BearingCommand, SettingsAndFilesChangeBearings) {
  const Workplace work;
  work.write("mine.xml", "<Bearing name=\"mine\" type=\"6214\" balls=\"9\"/>\n");
  work.write(
      "two.xml",
      "<Library name=\"two\"><Bearing name=\"a\" type=\"6214\"/><Bearing name=\"b\" type=\"6205\"/></Library>\n");
  EXPECT_TRUE(
      contains(work.tieline({"bearing", "mine.xml", "--radial", "10"}).out, "mine: deep groove ball bearing, 9"));
  // Types of other libraries are not those of a file's own.
  const Outcome set = work.tieline({"bearing", "6214", "--set", "clearance=0", "--set", "ball_material=ceramic"});
  EXPECT_TRUE(contains(set.out, "diametral clearance 0 um")) << set.out << set.err;
}

TEST(BearingCommand, MistakesAreNamedAllAtOnce) {
  const Workplace work;
  const Outcome unknown = work.tieline({"bearing", "6215"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_TRUE(contains(unknown.err, "6214")) << unknown.err;
  const Outcome wrong = work.tieline({"bearing", "6214", "--set", "bore=0.09", "--set", "clearance=0.01"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_TRUE(contains(wrong.err, "bore must be less") && contains(wrong.err, "clearance must be between"))
      << wrong.err;
  const Outcome name = work.tieline({"bearing", "6214", "--set", "clearence=0"});
  EXPECT_EQ(name.exit_code, 1);
  EXPECT_TRUE(contains(name.err, "'clearance'")) << name.err;
  EXPECT_EQ(work.tieline({"bearing"}).exit_code, 3);
  EXPECT_EQ(work.tieline({"bearing", "6214", "--radial", "much"}).exit_code, 3);
  EXPECT_EQ(work.tieline({"bearing", "nowhere.xml"}).exit_code, 1);
  work.write("flawed.xml", "<Bearing name=\"flawed\"\n balls=\"2\"\n ball_diameter=\"-1\"/>\n");
  const Outcome flawed = work.tieline({"bearing", "flawed.xml"});
  EXPECT_EQ(flawed.exit_code, 1);
  EXPECT_TRUE(contains(flawed.err, "flawed.xml:2:2: error: balls must be") &&
              contains(flawed.err, "flawed.xml:3:2: error: ball_diameter must be"))
      << flawed.err;
}

TEST(BearingCommand, DentsAreNamed) {
  const Workplace work;
  const Outcome gentle = work.tieline({"bearing", "6214", "--radial", "1286"});
  EXPECT_FALSE(contains(gentle.err, "dent")) << gentle.err;
  const Outcome rough = work.tieline({"bearing", "6214", "--radial", "200000"});
  EXPECT_EQ(rough.exit_code, 0) << rough.err;
  EXPECT_TRUE(contains(rough.err, "warning: the rings press on a ball with") && contains(rough.err, "would dent it"))
      << rough.err;
}

TEST(BearingCommand, WhatATypeLacksIsSaidOnce) {
  const Workplace work;
  work.write("empty.xml", "<Bearing name=\"empty\"/>\n");
  const Outcome empty = work.tieline({"bearing", "empty.xml"});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_TRUE(contains(empty.err, "state type, or balls, ball_diameter and pitch_diameter")) << empty.err;
  EXPECT_FALSE(contains(empty.err, "but is 0")) << empty.err;
}

TEST(BearingCommand, TypesOfAUsersLibraryAreFound) {
  const Workplace work;
  work.write("own.xml",
             "<Library name=\"own\"><Bearing name=\"S1\" balls=\"8\" ball_diameter=\"0.01\" "
             "pitch_diameter=\"0.05\"/></Library>\n");
  EXPECT_EQ(work.tieline({"bearing", "own.xml"}).exit_code, 0);
  EXPECT_EQ(work.tieline({"bearing", "own.xml:S1"}).exit_code, 0);
  EXPECT_EQ(work.tieline({"bearing", "own.xml:S2"}).exit_code, 1);
}

}  // namespace bearing_test
}  // namespace tieline::cli
