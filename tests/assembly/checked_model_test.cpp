#include "assembly/checked_model.hpp"

#include <gtest/gtest.h>

#include "assembly/assembly.hpp"
#include "support/model_run.hpp"

namespace tieline::assembly {
namespace checked_model_test {

using support::ModelFiles;

/// A mass on a line and on a prescribed force, and a mass with a spring that are sampled.
constexpr const char* kModel = R"(<CompositeModel name="m"><Components>
<Component name="a" kind="network"><Network><Mass name="m" mass="1"/><Interface name="end" node="m"/><Interface name="open" node="m"/></Network></Component>
<Component name="b" kind="network"><Network><Mass name="m" mass="1"/><Interface name="end" node="m"/><Interface name="other" node="m"/></Network></Component>
<Component name="c" kind="network"><Network><Ground name="wall"/><Node name="tip"/><Spring name="k" from="wall" to="tip" stiffness="1"/><Interface name="end" node="tip" causality="motion"/></Network></Component>
</Components><Connections>
<Connection name="rod" from="a.end" to="b.end" coupling="line" stiffness="1e4" delay="1e-3"/>
<Connection name="pair" from="b.other" to="c.end" coupling="sampled"/>
<Open interface="a.open" as="force" value="{sin(t)}"/>
</Connections><Simulation stop="1"/></CompositeModel>)";

TEST(CheckedModel, HasWhatFollowsFromTheModel) {
  const ModelFiles files(kModel);
  document::Diagnostics diagnostics;
  const auto checked = check_model(files.path(), {}, diagnostics);
  ASSERT_TRUE(checked && !diagnostics.has_errors()) << diagnostics.describe();
  ASSERT_EQ(checked->nodes.size(), 2U);
  EXPECT_EQ(checked->node_of(0).name, "a");
  EXPECT_EQ(checked->node_of(1).name, "b+c");
  EXPECT_EQ(&checked->node_of(1), &checked->node_of(2));
  EXPECT_EQ(checked->node_of(1).components, (std::vector<int>{1, 2}));
  EXPECT_EQ(checked->node_of(1).links, std::vector<int>{1});
  EXPECT_FALSE(checked->nodes[0].is_hosted || checked->nodes[1].is_hosted);
  ASSERT_EQ(checked->figures.size(), 2U);
  ASSERT_TRUE(checked->figures[0].line);
  EXPECT_DOUBLE_EQ(checked->figures[0].line->impedance, 10.0);
  EXPECT_FALSE(checked->figures[0].spatial || checked->figures[1].line);
  ASSERT_EQ(checked->prescribed_ends.size(), 1U);
  EXPECT_TRUE(checked->prescribed_ends[0].sources.at(0).function);
  EXPECT_TRUE(checked->files.contains(files.path().string()));
}

TEST(CheckedModel, DoesNotDependOnTheStopTime) {
  const ModelFiles files(kModel);
  document::Diagnostics diagnostics;
  auto checked = check_model(files.path(), {}, diagnostics);
  ASSERT_TRUE(checked && !diagnostics.has_errors()) << diagnostics.describe();
  checked->model.simulation.stop = 3.0;
  // Two runs of one checked model do not take anything from it.
  for (int i = 0; i < 2; ++i) {
    auto assembly = assemble(*checked, {}, diagnostics);
    ASSERT_TRUE(assembly) << diagnostics.describe();
    ASSERT_TRUE(assembly->engine->start());
    ASSERT_TRUE(assembly->engine->run_to(assembly->engine->windows().grid.stop_tick(), {.threads = 1}));
    EXPECT_DOUBLE_EQ(assembly->engine->time_reached(), 3.0);
    EXPECT_GT(std::abs(values_of(*assembly, 0).at(0)), 0.1);  // pushed for all that time
  }
}

TEST(CheckedModel, WithoutKnownEndsHasNoNodes) {
  std::string text = kModel;
  text.replace(text.find("b.other"), 7, "x.other");
  const ModelFiles files(text);
  document::Diagnostics diagnostics;
  const auto checked = check_model(files.path(), {}, diagnostics);
  ASSERT_TRUE(checked);
  EXPECT_TRUE(diagnostics.has_errors());
  EXPECT_TRUE(checked->nodes.empty());
  EXPECT_EQ(checked->figures.size(), checked->model.connections.size());
}

TEST(CheckedModel, IsCheckedAgainWithoutReadingItsFilesAgain) {
  ModelFiles files(R"(<CompositeModel name="m"><Parameters><Parameter name="k" value="1"/></Parameters><Components>
<Component name="a" kind="network" file="part.xml"><Parameter name="m" value="{k}"/></Component>
<Component name="b" kind="network" file="part.xml"/>
</Components><Simulation stop="1"/></CompositeModel>)");
  const auto part = files.write("part.xml", R"(<Network><Parameters><Parameter name="m" value="1"/></Parameters>
<Mass name="body" mass="{m}"/></Network>)");
  document::DocumentCache documents;
  for (const char* value : {"1", "2", "-3"}) {
    document::Diagnostics diagnostics;
    const std::vector<model::Override> overrides{{"k", value}};
    const auto checked = check_model(files.path(), overrides, diagnostics, &documents);
    ASSERT_TRUE(checked);
    EXPECT_EQ(diagnostics.has_errors(), value[0] == '-') << diagnostics.describe();  // a mass is positive
    EXPECT_EQ(checked->files.size(), 2U);
  }
  EXPECT_EQ(documents.reads(files.path()), 1U);
  EXPECT_EQ(documents.reads(part), 1U);
  // What changed is read again, and nothing else.
  files.write("part.xml", "<Network><Mass name=\"body\" mass=\"2\"/></Network>");
  document::Diagnostics diagnostics;
  ASSERT_TRUE(check_model(files.path(), {}, diagnostics, &documents));
  EXPECT_EQ(documents.reads(files.path()), 1U);
  EXPECT_EQ(documents.reads(part), 2U);
}

}  // namespace checked_model_test
}  // namespace tieline::assembly
