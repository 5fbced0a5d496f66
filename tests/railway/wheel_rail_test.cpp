// Wheels on rails within multibody systems.

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <numbers>

#include "archive/temporary_folder.hpp"
#include "components/multibody_system.hpp"
#include "rail/rail_course.hpp"
#include "railway/reader.hpp"

namespace tieline::railway {
namespace wheel_rail_test {

using components::MultibodyRun;

constexpr double kRadius = 0.43, kHalfSpan = 0.7465, kConicity = 0.1, kSpeed = 5.0;

const std::string kRails = "<Frame name='l' position='0, 0.7465, 0'/> <Frame name='r' position='0, -0.7465, 0'/>";

/// A wheelset on rigid rails: its body, and what its wheels state beside their size.
std::string wheelset(const std::string& body, const std::string& wheels) {
  return fmt::format(
      "<Body name='w' mass='1850' inertia='967, 123, 967' {}/>{}"
      "<WheelRail name='left' side='left' from='l' to='w' radius='0.43' half_span='0.7465' normal='hertz' {}/>"
      "<WheelRail name='right' side='right' from='r' to='w' radius='0.43' half_span='0.7465' normal='hertz' {}/>",
      body, kRails, wheels, wheels);
}

std::string errors_of(const std::string& content) {
  document::Diagnostics diagnostics;
  const auto document = document::Document::parse("<Multibody>\n" + content + "\n</Multibody>", "s.xml", diagnostics);
  if (document) (void)components::read_multibody(document->root(), document::Scope(), diagnostics);
  return diagnostics.describe();
}

TEST(WheelRail, a_free_wheelset_swings_with_klingels_wavelength) {
  MultibodyRun run(wheelset("position='0, 0.001, 0.43'", "speed='5'"), "gravity='0, 0, -9.81'", 1e-8);
  std::vector<double> crossings;
  double last = 0.0, last_y = run.get("w.position.y");
  for (double t = 0.01; t < 6.0; t += 0.01) {
    run.run_to(t);
    const double y = run.get("w.position.y");
    if ((y < 0.0) != (last_y < 0.0)) crossings.push_back(last + (t - last) * last_y / (last_y - y));
    last = t, last_y = y;
  }
  ASSERT_GE(crossings.size(), 4U);
  const double wave = 2.0 * kSpeed * (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
  const double klingel = 2.0 * std::numbers::pi * std::sqrt(kRadius * kHalfSpan / kConicity);
  // The conicity of the arcs is right to 3 %, of which the wave shows half; inertia adds a little at 5 m/s.
  EXPECT_NEAR(wave, klingel, 0.02 * klingel);
}

TEST(WheelRail, axes_that_travel_show_the_motion_that_is_seen_from_the_ground) {
  MultibodyRun travels(wheelset("position='0, 0.001, 0.42998'", "speed='5'"), "gravity='0, 0, -9.81'");
  MultibodyRun stands(
      wheelset("position='0, 0.001, 0.42998' velocity='5, 0, 0' angular_velocity='0, {5/0.43}, 0'", "spin='of_frame'"),
      "gravity='0, 0, -9.81'");
  for (const double t : {0.3, 0.9}) {
    travels.run_to(t), stands.run_to(t);
    // Nearly in balance on the contacts, which have no damping of their own. A wheel that turns is a top, which tilts
    // the wheelset by I w: 123 of 967 kg m^2, which the travelling axes leave out. At 5 m/s its torques are a
    // thousandth of those of creep.
    EXPECT_NEAR(travels.get("w.position.y"), stands.get("w.position.y"), 2e-5);
    EXPECT_NEAR(travels.get("w.position.x") + kSpeed * t, stands.get("w.position.x"), 1e-4);
    EXPECT_NEAR(travels.get("left.distance"), stands.get("left.distance"), 1e-4);
  }
}

TEST(WheelRail, wheels_bear_the_weight) {
  MultibodyRun run(
      wheelset("position='0, 0, 0.42999'", "speed='30'") +
          "<Tie name='damper' from='ground' to='w' stiffness='0, 0, 0, 0, 0, 0' damping='0, 0, 5e5, 0, 0, 0'/>",
      "gravity='0, 0, -9.81'");
  run.run_to(1.0);
  EXPECT_NEAR(run.get("left.vertical") + run.get("right.vertical"), 1850.0 * 9.81, 1e-4 * 1850.0 * 9.81);
}

TEST(WheelRail, the_balance_of_energies_closes) {
  MultibodyRun run(wheelset("position='0, 0.002, 0.42999'", "speed='20'"), "gravity='0, 0, -9.81'");
  run.run_to(1.5);
  const core::Energy energies = run.energies();
  ASSERT_GT(energies.dissipated, 0.0);
  // The place of contact moves while it is pressed: a share of the elastic energy that is left out.
  EXPECT_LT(std::abs(run.imbalance()), 0.02 * (energies.most_supplied + energies.dissipated));
}

TEST(WheelRail, mistakes_are_named_at_their_places) {
  EXPECT_NE(errors_of(wheelset("position='0, 0, 0.43'", "")).find("state speed, or give the body a velocity"),
            std::string::npos);
  EXPECT_NE(errors_of(wheelset("", "speed='5' conicity='0.03' contact_angle='0.05'")).find("do not close"),
            std::string::npos);
  EXPECT_NE(errors_of("<Table name='wheel' x='-0.04, 0, 0.04, 0.05' y='0, 0, 0, 0'/>" +
                      wheelset("", "speed='5' wheel_profile='weel' rail_profile='wheel'"))
                .find("there is no table 'weel' (did you mean 'wheel'?)"),
            std::string::npos);
  EXPECT_NE(errors_of(wheelset("", "speed='5' wheel_profile='wheel'")).find("profiles come in pairs"),
            std::string::npos);
  EXPECT_NE(errors_of(wheelset("", "speed='5' distance='3'")).find("of which there are none"), std::string::npos);
  EXPECT_NE(errors_of("<Body name='w' mass='1' inertia='1, 1, 1'/><WheelRail name='a' from='ground' to='w' radius='1' "
                      "half_span='1' speed='1'/>")
                .find("s.xml:2:"),
            std::string::npos);
  // Equal problems of two wheels are two problems.
  const std::string both = errors_of(wheelset("", "speed='5' friction='0'"));
  EXPECT_NE(both.find("friction"), both.rfind("friction"));
}

TEST(RailCourse, reads_a_file_and_names_its_mistakes) {
  const auto folder = archive::TemporaryFolder::make("course");
  ASSERT_TRUE(folder);
  const auto file = folder->path() / "rail.csv";
  const auto read = [&](const std::string& text) {
    std::ofstream(file) << text;
    return rail::RailCourse::read(file, rail::RailCourse::Side::left);
  };
  const auto course = read("distance [m],left_lateral [m],left_height [m]\n0,0,0\n1,0.002,0.001\n2,0,0.004\n");
  ASSERT_TRUE(course);
  EXPECT_DOUBLE_EQ((*course)->height(1.0).value, 0.001);
  EXPECT_DOUBLE_EQ((*course)->lateral(-5.0).value, 0.0);
  EXPECT_DOUBLE_EQ((*course)->height(7.0).value, 0.004);
  EXPECT_NEAR(((*course)->height(1.3 + 1e-6).value - (*course)->height(1.3 - 1e-6).value) / 2e-6,
              (*course)->height(1.3).slope, 1e-8);
  for (const auto& [text, message] :
       {std::pair{"distance,left_height\n0,0\n1,0\n", "no column 'left_lateral'"},
        {"distance,left_height,left_lateral\n0,0,0\n0,0,0\n", ":3: distances must ascend"},
        {"distance,left_height,left_lateral\n0,0,0\n1,x,0\n", ":3: 'x' is not a number"},
        {"distance,left_height,left_lateral\n0,0,0\n1,0\n", ":3: no number"},
        {"distance,left_height,left_lateral\n0,0,0\n", "fewer than 2 points"}}) {
    const auto bad = read(text);
    ASSERT_FALSE(bad);
    EXPECT_NE(bad.error().message.find(message), std::string::npos) << bad.error().message;
  }
}

TEST(Spring, a_damper_with_a_valve_gives_way) {
  // A frame that is pulled at 0.05 m/s, through a damper of 2.5e5 N s/m up to 2500 N, then 2e4 N s/m.
  for (const char* series : {"", "series_stiffness='1e7'"}) {
    MultibodyRun run(
        fmt::format("<Body name='b' mass='1e9' inertia='1, 1, 1' position='1, 0, 0' velocity='0.05, 0, 0'/>"
                    "<Spring name='s' from='ground' to='b' damping='2.5e5' valve_force='2500' "
                    "open_damping='2e4' {}/>",
                    series));
    run.run_to(0.2);
    EXPECT_NEAR(run.get("s.tension"), 2500.0 + 2e4 * (0.05 - 0.01), 0.5);
    EXPECT_NEAR(run.imbalance(), 0.0, 1e-6 * 1.25e6);
  }
}

std::string track_errors(const std::string& text) {
  document::Diagnostics diagnostics;
  const auto document = document::Document::parse(text, "t.xml", diagnostics);
  if (document) (void)read_track(document->root(), document::Scope(), diagnostics);
  return diagnostics.describe();
}

TEST(TrackReader, mistakes_are_named_at_their_places) {
  EXPECT_EQ(track_errors("<Track speed='97'><Wheel name='w' side='left' position='0, 0.7465, 0'/></Track>"), "");
  EXPECT_NE(track_errors("<Track speed='97'/>").find("t.xml:1:1: error: a track needs at least one <Wheel>"),
            std::string::npos);
  EXPECT_NE(track_errors("<Track speed='97'><Wheel name='w' side='left' position='30, 0.7465, 0'/></Track>")
                .find("whose ends reflect waves"),
            std::string::npos);
  EXPECT_NE(track_errors("<Track speed='97'><Slab length='6'/><Wheel name='w' side='left' position='0, 0, 0'/></Track>")
                .find("must not be longer"),
            std::string::npos);
  EXPECT_NE(track_errors("<Track speed='97' rail_modes='20'><Wheel name='w' side='left' position='0, 0, 0'/></Track>")
                .find("20 modes do not bend a rail"),
            std::string::npos);
  EXPECT_NE(track_errors("<Track speed='-1' slabs='2.5'><Wheel name='w' side='left' position='0, 0, 0'/></Track>")
                .find("must be a whole number"),
            std::string::npos);
}

}  // namespace wheel_rail_test
}  // namespace tieline::railway
