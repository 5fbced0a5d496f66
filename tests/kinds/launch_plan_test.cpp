#include "kinds/launch_plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kinds/process_files.hpp"

namespace tieline::kinds {
namespace launch_plan_test {

using model::CompositeModel;
using model::Site;
using Words = std::vector<std::string>;

class LaunchOfProgram : public test::ProcessTest {
 protected:
  Site site(const std::string& content) {
    return model::read_site(folder.write("site/site.xml", "<Site>\n" + content + "\n</Site>"), diagnostics);
  }

  /// The plan for the first component of a model.
  std::optional<LaunchPlan> plan(const CompositeModel& model, const Site& site) {
    return launch_plan(model.simulation, model.components.front(), site, folder.path("run"), diagnostics);
  }

  std::string refusal(const std::string& component, const std::string& tools) {
    const auto model = read(component);
    diagnostics = {};  // a program without interfaces is worth a warning
    const Site of_tools = site(tools);
    EXPECT_FALSE(plan(model, of_tools).has_value());
    return folder.shown(diagnostics);
  }
};

TEST_F(LaunchOfProgram, AToolIsStartedAsTheSiteSays) {
  folder.write("a b.in", "");
  const auto model = read(R"(<Component name="rotor" kind="process" tool="beast" file="a b.in" largest_step="1e-6">
<Environment name="B" value="{component}"/><Parameter name="n" value="{k/2}"/></Component>)");
  const Site of_tools = site(
      "<Tool name=\"beast\" command=\"bin/beast --in={model_file} '{component} {{x}}' {n} {2*n+k} {start_time} "
      "{stop_time} {largest_step} {run_folder}\" folder=\"work/{component}\">"
      "<Environment name=\"A\" value=\"{n}\"/><Environment name=\"B\" value=\"tool\"/></Tool>");
  const auto planned = plan(model, of_tools);
  ASSERT_TRUE(planned.has_value()) << diagnostics.describe();
  // A blank in what a word stands for does not make two arguments.
  EXPECT_EQ(planned->command,
            (Words{folder.path("site/bin/beast").string(), "--in=" + folder.path("a b.in").string(), "rotor {x}", "1.5",
                   "6", "0.5", "2", fmt::format("{:.17g}", 1e-6), folder.path("run").string()}));
  EXPECT_EQ(planned->folder, folder.path("site/work/rotor"));
  EXPECT_EQ(planned->environment, (std::map<std::string, std::string>{{"A", "1.5"}, {"B", "rotor"}}));
  EXPECT_FALSE(planned->is_awaited());
}

TEST_F(LaunchOfProgram, TheComponentsOwnWordsCountFirst) {
  folder.write("here/x", "");
  const auto model =
      read("<Component name=\"a\" kind=\"process\" tool=\"beast\" command=\"./start.sh 1\" folder=\"here\"/>");
  const Site of_tools =
      site("<Tool name=\"beast\" command=\"beast\" folder=\"work\"><Environment name=\"A\" value=\"1\"/></Tool>");
  const auto planned = plan(model, of_tools);
  ASSERT_TRUE(planned.has_value()) << diagnostics.describe();
  EXPECT_EQ(planned->command, (Words{folder.path("start.sh").string(), "1"}));
  EXPECT_EQ(planned->folder, folder.path("here"));
  EXPECT_EQ(planned->environment.at("A"), "1");
}

TEST_F(LaunchOfProgram, ProgramsRunInTheFolderOfTheModelByDefault) {
  const auto model = read("<Component name=\"a\" kind=\"process\" command=\"start-adams car.cmd\"/>");
  const auto planned = plan(model, {});
  ASSERT_TRUE(planned.has_value()) << diagnostics.describe();
  EXPECT_EQ(planned->command, (Words{"start-adams", "car.cmd"}));
  EXPECT_EQ(planned->folder, folder.path("model.xml").parent_path());
}

TEST_F(LaunchOfProgram, WithoutACommandAProgramIsAwaited) {
  const auto nobody = read("<Component name=\"a\" kind=\"process\"/>");
  const auto planned = plan(nobody, {});
  ASSERT_TRUE(planned.has_value()) << diagnostics.describe();
  EXPECT_TRUE(planned->is_awaited());
  const auto by_hand = read("<Component name=\"a\" kind=\"process\" tool=\"beast\"/>");
  const auto of_tool = plan(by_hand, site("<Tool name=\"beast\"/>"));
  ASSERT_TRUE(of_tool.has_value()) << diagnostics.describe();
  EXPECT_TRUE(of_tool->is_awaited());
}

TEST_F(LaunchOfProgram, UnknownToolsAreReported) {
  EXPECT_EQ(refusal("<Component name=\"a\" kind=\"process\" tool=\"baest\"/>", "<Tool name=\"beast\"/>"),
            "model.xml:4:36: error: no command is known for tool 'baest' of component 'a': site/site.xml does not "
            "describe it (did you mean 'beast'?); describe the tool in a site file, or give the component a command\n");
  const auto model = read("<Component name=\"a\" kind=\"process\" tool=\"beast\"/>");
  EXPECT_FALSE(plan(model, {}).has_value());
  EXPECT_TRUE(holds(diagnostics.describe(), "no site file was found")) << diagnostics.describe();
}

TEST_F(LaunchOfProgram, WhatIsWrongWithAToolIsReportedThere) {
  const std::string component = "<Component name=\"a\" kind=\"process\" tool=\"beast\"/>";
  EXPECT_TRUE(holds(refusal(component, "<Tool name=\"beast\" command=\"x | y\"/>"),
                    "site/site.xml:2:20: error: no shell runs this command, so '|' is not valid in it"));
  EXPECT_TRUE(holds(refusal(component, "<Tool name=\"beast\" command=\"x {speed}\"/>"),
                    "site/site.xml:2:20: error: component 'a' has no parameter 'speed'"));
  EXPECT_TRUE(holds(refusal(component, "<Tool name=\"beast\" command=\"'' x\"/>"), "the command names no program"));
  EXPECT_TRUE(
      holds(refusal(component, "<Tool name=\"beast\" command=\"x\"><Environment name=\"A\" value=\"}\"/></Tool>"),
            "'}' is not matched in '}'"));
}

}  // namespace launch_plan_test
}  // namespace tieline::kinds
