// Models whose native components become FMUs, for tools that know nothing else.

#include "fmu_export/native_fmus.hpp"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

#include "tieline/simulation.hpp"

#include "support/temporary_folder.hpp"

namespace tieline::fmu_export {
namespace native_fmus_test {

/// Two masses on a soft bar, the second one pushed.
constexpr const char* kPair = R"(<CompositeModel name="pair"><Components>
    <Component name="a" kind="network"><Network> <Ground name="ground"/> <Mass name="body" mass="2"/>
      <Spring name="spring" from="ground" to="body" stiffness="2e4"/> <Interface name="end" node="body"/>
    </Network></Component>
    <Component name="b" kind="network"><Network> <Mass name="body" mass="3"/>
      <Load name="load" node="body" force="100"/> <Interface name="end" node="body"/> </Network></Component>
    </Components><Connections>
    <Connection name="rod" from="a.end" to="b.end" coupling="line" stiffness="1e5" delay="2e-4"/>
    </Connections><Simulation stop="0.02"/></CompositeModel>)";

class NativeFmusTest : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    const auto file = folder_.path() / "model.xml";
    std::ofstream(file) << text;
    return file.string();
  }
  support::TemporaryFolder folder_;
};

TEST_F(NativeFmusTest, SampledWavesConvergeToTheLine) {
  const std::string file = write(kPair);
  document::Diagnostics diagnostics;
  const auto shown = with_native_fmus(file, TIELINE_FMU_FOLDER, diagnostics);
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->step, std::optional(2e-4));
  EXPECT_EQ(shown->model.model.components.size(), 2u);
  EXPECT_EQ(shown->model.model.connections.size(), 2u) << "what leaves one end comes in at the other, both ways";
  EXPECT_FALSE(diagnostics.all().empty()) << "a note says what sampling costs";
  Simulation native = Simulation::load(file);
  native.advance_to(native.stop_time());
  // As a master without anything of ours: signals from step to step.
  std::ifstream stream(shown->folder.path() / "model.xml");
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t at = text.find("<Simulation ");
  ASSERT_NE(at, text.npos);
  text.insert(at + 12, "step=\"2e-4\" ");
  std::ofstream(shown->folder.path() / "sampled.xml") << text;
  Simulation sampled = Simulation::load(shown->folder.path() / "sampled.xml");
  sampled.advance_to(sampled.stop_time());
  // A mean over a step delays by half a step more: the bar of 1e5 N/m is softer by a third, in series with masses whose
  // period is 0.04 s. The parasitic mass k T^2 is 4 g, of 2 kg.
  for (const char* const name : {"a.end.position", "b.end.position"}) {
    const double expected = native.get(name), got = sampled.get(std::string(name) + ".value");
    EXPECT_NEAR(got, expected, 0.05 * std::abs(expected)) << name;
  }
}

TEST_F(NativeFmusTest, LeavesOutWhatSignalsCannotExpress) {
  std::string text = kPair;
  text.replace(text.find("coupling=\"line\" stiffness=\"1e5\" delay=\"2e-4\""),
               std::string("coupling=\"line\" stiffness=\"1e5\" delay=\"2e-4\"").size(), "coupling=\"glue\"");
  text.insert(text.find("<Simulation"), "<Gluing step=\"1e-3\"/>");
  document::Diagnostics diagnostics;
  const auto shown = with_native_fmus(write(text), TIELINE_FMU_FOLDER, diagnostics);
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->model.model.components.size(), 2u);
  EXPECT_TRUE(shown->model.model.connections.empty());
  bool is_named = false;
  for (const auto& entry : diagnostics.all()) is_named = is_named || entry.message.find("'rod'") != std::string::npos;
  EXPECT_TRUE(is_named);
  EXPECT_EQ(shown->left_out, std::vector<std::string>{"rod"});
}

TEST_F(NativeFmusTest, OrderOfStepsDoesNotMatterWhereNothingIsJoined) {
  const std::string text = R"(<CompositeModel name="pair"><Components>
    <Component name="a" kind="network"><Network> <Mass name="body" mass="2"/> <Interface name="end" node="body"/>
    </Network></Component>
    <Component name="b" kind="network"><Network> <Mass name="body" mass="3"/> <Node name="tip"/>
      <Load name="load" node="body" force="100"/> <Spring name="bar" from="body" to="tip" stiffness="1e4"/>
      <Interface name="end" node="tip"/> </Network></Component></Components>
    <Connections><Connection name="rod" from="a.end" to="b.end" coupling="sampled"/></Connections>
    <Layers schedule="layers" step="1e-3"/><Simulation stop="0.02"/></CompositeModel>)";
  document::Diagnostics diagnostics;
  const auto shown = with_native_fmus(write(text), TIELINE_FMU_FOLDER, diagnostics);
  ASSERT_TRUE(shown) << diagnostics.all().front().message;
  EXPECT_EQ(shown->left_out, std::vector<std::string>{"rod"});
}

}  // namespace native_fmus_test
}  // namespace tieline::fmu_export
