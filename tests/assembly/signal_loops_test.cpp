#include "assembly/signal_loops.hpp"

#include <gtest/gtest.h>

#include "assembly/checked_model.hpp"
#include "support/model_run.hpp"

namespace tieline::assembly {
namespace signal_loops_test {

using support::ModelFiles;

std::string gain(const std::string& name) {
  return fmt::format(
      "<Component name=\"{}\" kind=\"blocks\"><Blocks><Input name=\"x\"/><Gain name=\"g\" input=\"x\" "
      "gain=\"0.5\"/><Output name=\"o\" of=\"g\"/></Blocks></Component>",
      name);
}
std::string integrator(const std::string& name) {
  return fmt::format(
      "<Component name=\"{}\" kind=\"blocks\"><Blocks><Input name=\"x\"/><Integrator name=\"i\" "
      "input=\"x\"/><Output name=\"o\" of=\"i\"/></Blocks></Component>",
      name);
}
std::string program(const std::string& name) {
  return fmt::format(
      "<Component name=\"{}\" kind=\"process\" command=\"nothing\"><Interface name=\"x\" "
      "domain=\"signal\" causality=\"input\"/><Interface name=\"o\" domain=\"signal\" "
      "causality=\"output\"/></Component>",
      name);
}
std::string link(const std::string& from, const std::string& to) {
  return fmt::format("<Connection from=\"{}.o\" to=\"{}.x\"/>", from, to);
}

struct Found {
  std::optional<CheckedModel> checked{};
  document::Diagnostics diagnostics{};
};

Found check(const std::string& components, const std::string& connections) {
  const ModelFiles files("<CompositeModel name=\"m\"><Components>" + components + "</Components><Connections>" +
                         connections + "</Connections><Simulation stop=\"1\"/></CompositeModel>");
  Found found;
  found.checked = check_model(files.path(), {}, found.diagnostics);
  return found;
}

TEST(SignalLoops, ComponentsOfALoopAreOneMember) {
  const Found found = check(gain("a") + gain("b") + gain("c") + integrator("d"),
                            link("a", "b") + link("b", "c") + "<Connection from=\"c.o\" to=\"a.x\"/>" + link("b", "d"));
  ASSERT_TRUE(found.checked && !found.diagnostics.has_errors()) << found.diagnostics.describe();
  ASSERT_EQ(found.checked->nodes.size(), 1U);
  const GroupTree& tree = found.checked->nodes[0].tree;
  EXPECT_EQ(tree.kind, GroupTree::Kind::sampled);
  ASSERT_EQ(tree.members.size(), 2U);
  EXPECT_EQ(tree.members[0].kind, GroupTree::Kind::joined);
  EXPECT_EQ(tree.members[0].members.size(), 3U);
  EXPECT_EQ(tree.members[0].links.size(), 3U);
  EXPECT_EQ(tree.links.size(), 1U);
}

TEST(SignalLoops, AStateInTheCircleBreaksIt) {
  const Found found = check(gain("a") + integrator("b"), link("a", "b") + link("b", "a"));
  ASSERT_TRUE(found.checked) << found.diagnostics.describe();
  EXPECT_EQ(found.checked->nodes[0].tree.kind, GroupTree::Kind::sampled);
  const Found whole = check(gain("a") + gain("b"), link("a", "b") + link("b", "a"));
  EXPECT_EQ(whole.checked->nodes[0].tree.kind, GroupTree::Kind::joined);
}

TEST(SignalLoops, ProgramsAreWarnedOfByName) {
  const Found found = check(gain("a") + program("tool"), link("a", "tool") + link("tool", "a"));
  const std::string text = found.diagnostics.describe();
  EXPECT_NE(text.find("a.o -> tool.x, tool.o -> a.x may depend on one another"), std::string::npos) << text;
  EXPECT_NE(text.find("'tool' cannot be evaluated repeatedly"), std::string::npos) << text;
  // Where the rest of the circle has a state there is nothing to warn of.
  const Found state = check(integrator("a") + program("tool"), link("a", "tool") + link("tool", "a"));
  EXPECT_EQ(state.diagnostics.describe().find("loop"), std::string::npos) << state.diagnostics.describe();
}

}  // namespace signal_loops_test
}  // namespace tieline::assembly
