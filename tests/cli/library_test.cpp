// Component types on the command line: found, shown, added, exported, and used in a run.

#include <cstdlib>
#include <gtest/gtest.h>

#include "program.hpp"

namespace tieline::cli {
namespace {

constexpr const char* kSprings = R"(<Library name="springs" version="1.2">
  <Description>Springs of ours.</Description>
  <Type name="Soft" extends="mechanics.Support" file="soft.xml">
    <Description>A soft support.</Description>
    <Parameters> <Parameter name="stiffness" value="1e3" unit="N/m"/> </Parameters>
  </Type>
</Library>
)";
constexpr const char* kSoft = R"(<Network>
  <Ground name="ground"/>
  <Mass name="foot" mass="{mass}"/>
  <Spring name="spring" from="ground" to="foot" stiffness="{stiffness}"/>
  <Interface name="top" node="foot"/>
</Network>
)";
constexpr const char* kModel = R"(<CompositeModel name="m">
  <Components>
    <Component name="foot" type="springs.Soft"> <Parameter name="mass" value="2"/> </Component>
    <Component name="body" type="mechanics.Body"> <Parameter name="force" value="10"/> </Component>
  </Components>
  <Connections>
    <Connection from="foot.top" to="body.left" coupling="line" delay="1e-4" stiffness="1e6"/>
  </Connections>
  <Simulation stop="0.01"/>
</CompositeModel>
)";

class LibraryCommand : public ::testing::Test {
 protected:
  LibraryCommand() {
    place.write("springs.xml", kSprings);
    place.write("soft.xml", kSoft);
  }
  /// With a user's folder of its own.
  Outcome tieline(const std::vector<std::string>& arguments) const {
    const std::string home = place.path("home").string();
    return place.tieline(arguments, [home] {
      ::setenv("XDG_DATA_HOME", home.c_str(), 1);
      ::unsetenv("TIELINE_LIBRARY");
    });
  }
  static bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

  Workplace place;
};

TEST_F(LibraryCommand, ListsAndShowsTypes) {
  auto outcome = tieline({"library", "list", "--model", "model.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* name : {"springs 1.2  Springs of ours.", "springs.Soft", "mechanics.HardSupport", "control.Pid"}) {
    EXPECT_TRUE(holds(outcome.out, name)) << name << outcome.out;
  }
  outcome = tieline({"library", "show", "springs.Soft", "--model", "model.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* part : {"A soft support.", "network", "extends      Support", "soft.xml", "stiffness", "1e3", "mass",
                           "top              translation force"}) {
    EXPECT_TRUE(holds(outcome.out, part)) << part << outcome.out;
  }
}

TEST_F(LibraryCommand, NamesTheNearest) {
  auto outcome = tieline({"library", "show", "mechanics.Suport"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "did you mean 'mechanics.Support'?")) << outcome.err;
  outcome = tieline({"library", "show", "mechanic.Support"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "there is no library 'mechanic' (did you mean 'mechanics'?)")) << outcome.err;
}

TEST_F(LibraryCommand, AddedTypesAreFoundFromAnywhere) {
  ASSERT_EQ(tieline({"library", "add", "springs.xml"}).exit_code, 0);
  EXPECT_EQ(text_of(place.path("home/tieline/library/springs.xml")), kSprings);
  EXPECT_EQ(text_of(place.path("home/tieline/library/soft.xml")), kSoft);
  EXPECT_TRUE(holds(tieline({"library", "add", "springs.xml"}).err, "--replace replaces it"));
  EXPECT_EQ(tieline({"library", "add", "springs.xml", "--replace"}).exit_code, 0);
  std::filesystem::remove(place.path("springs.xml"));
  std::filesystem::remove(place.path("soft.xml"));
  place.write("model.xml", kModel);
  const auto outcome = tieline({"check", "model.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "reads " + place.path("home/tieline/library/soft.xml").string())) << outcome.out;
  EXPECT_EQ(tieline({"run", "model.xml", "--set", "foot.stiffness=2e3", "--quiet"}).exit_code, 0);
}

TEST_F(LibraryCommand, ABadLibraryIsNotAdded) {
  place.write("bad.xml", "<Library name=\"bad\">\n<Type name=\"A\" kind=\"netwrok\"/>\n</Library>");
  const auto outcome = tieline({"library", "add", "bad.xml"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "bad.xml:2:16: error: kind=\"netwrok\" is not known (did you mean 'network'?)"))
      << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(place.path("home/tieline/library/bad.xml")));
}

TEST_F(LibraryCommand, AnExportedLibraryStandsAlone) {
  const auto outcome = tieline({"library", "export", "springs.Soft", "-o", "alone.xml", "--model", "model.xml"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "alone.xml: 2 types")) << outcome.out;
  std::filesystem::remove(place.path("springs.xml"));
  std::filesystem::remove(place.path("soft.xml"));
  std::string model = kModel;
  model.replace(model.find("springs.Soft"), 12, "alone.Soft");
  place.write("model.xml", model);
  const auto checked = tieline({"check", "model.xml"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
}

TEST_F(LibraryCommand, AProcessIsCheckedButNotRun) {
  place.write("model.xml", R"(<CompositeModel name="m">
  <Components>
    <Component name="tool" kind="process" command="start-tool car.cmd">
      <Interface name="end" domain="translation" causality="force"/>
    </Component>
    <Component name="body" type="mechanics.Body"/>
  </Components>
  <Connections> <Connection from="tool.end" to="body.left" coupling="line" delay="1e-4" stiffness="1e6"/> </Connections>
  <Simulation stop="0.01"/>
</CompositeModel>
)");
  auto outcome = tieline({"check", "model.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "starts tool: start-tool car.cmd")) << outcome.out;
  outcome = tieline({"run", "model.xml", "--quiet"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(holds(outcome.err, "component 'tool' is of kind 'process'")) << outcome.err;
}

}  // namespace
}  // namespace tieline::cli
