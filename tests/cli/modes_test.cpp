#include <gtest/gtest.h>

#include "program.hpp"

namespace tieline::cli {
namespace modes_test {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string model(const std::string& support, const std::string& step = "step='1e-4'") {
  return "<CompositeModel name='m'><Parameters><Parameter name='L' value='1'/></Parameters><Components>"
         "<Component name='frame' kind='structure' " +
         step +
         "><Structure><Material name='steel' youngs_modulus='210e9' density='7800'/>"
         "<Section name='flat' width='0.04' height='0.02'/><Node name='a' position='0, 0, 0'/><Node name='b' "
         "position='{L}, 0, 0'/><Beam name='ab' from='a' to='b' section='flat' material='steel' elements='10'/>" +
         support +
         "</Structure></Component><Component name='box' kind='multibody'><Multibody><Body name='m' mass='1' "
         "inertia='1, 1, 1'/></Multibody></Component></Components><Simulation stop='1'/></CompositeModel>";
}

// A cantilever of 1 m, 20 mm thick: 3.5160 / (2 pi) sqrt(E I / (rho A)) = 16.761 Hz, twice that the other way.
TEST(Modes, ListsFrequenciesAndPlacesOfModes) {
  const Workplace place;
  place.write("m.xml", model("<Support node='a'/>"));
  const Outcome outcome = place.tieline({"modes", "m.xml", "--count", "2"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "16.76")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "33.52")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "box: components of kind 'multibody' do not report modes")) << outcome.out;
  const Outcome longer = place.tieline({"modes", "m.xml", "--component", "frame", "--set", "L=2"});
  EXPECT_TRUE(has(longer.out, "4.190")) << longer.out;
  EXPECT_FALSE(has(longer.out, "box")) << longer.out;
}

TEST(Modes, RigidMotionsAreOfZeroHertz) {
  const Workplace place;
  place.write("m.xml", model(""));
  const Outcome outcome = place.tieline({"modes", "m.xml", "--component", "frame", "--count", "7"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  int zeros = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::string mode, frequency;
    cells >> mode >> frequency;
    zeros += frequency == "0" ? 1 : 0;
  }
  EXPECT_EQ(zeros, 6) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "106.6")) << outcome.out;
}

TEST(Modes, SaysWhatIsWrong) {
  const Workplace place;
  place.write("m.xml", model("<Support node='a'/>"));
  const Outcome unknown = place.tieline({"modes", "m.xml", "--component", "fram"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_TRUE(has(unknown.err, "there is no component 'fram' (did you mean 'frame'?)")) << unknown.err;
  place.write("stepless.xml", model("<Support node='a'/>", ""));
  const Outcome stepless = place.tieline({"check", "stepless.xml"});
  EXPECT_EQ(stepless.exit_code, 1);
  EXPECT_TRUE(has(stepless.out + stepless.err, "component 'frame' is a dynamic structure, which needs a step"))
      << stepless.out << stepless.err;
}

}  // namespace modes_test
}  // namespace tieline::cli
