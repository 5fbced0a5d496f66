#include "tieline/check.hpp"

#include <gtest/gtest.h>

#include "api/pair.hpp"

namespace tieline::api {
namespace check_test {

TEST(CheckModel, ListsEveryProblemWithItsPlace) {
  const PairFolder work("-1");
  work.write("twice.xml", R"(<CompositeModel name="x">
  <Components> <Component name="a" kind="netwrk"/> </Components>
  <Connections> <Connection from="b.c" to="a.d" coupling="line"/> </Connections>
  <Simulation stop="1"/>
</CompositeModel>)");
  const CheckReport report = check_model(work.path("twice.xml"));
  EXPECT_GE(report.errors, 2U);
  ASSERT_GE(report.problems.size(), 2U);
  const Problem& first = report.problems.front();
  EXPECT_EQ(first.file, work.path("twice.xml"));
  EXPECT_EQ(first.line, 2);
  EXPECT_GT(first.column, 0);
  EXPECT_EQ(first.severity, Severity::error);
  EXPECT_NE(first.advice.find("network"), std::string::npos);
  EXPECT_EQ(first.describe().find(work.path("twice.xml").string() + ":2:"), 0U) << first.describe();
}

TEST(CheckModel, TakesSettingsAndListsFiles) {
  const PairFolder work;
  const CheckReport sound = check_model(work.model());
  EXPECT_EQ(sound.errors, 0U);
  ASSERT_EQ(sound.files.size(), 1U);
  EXPECT_EQ(check_model(work.model(), {.settings = {{"m", "-1"}}}).errors, 1U);
  EXPECT_GE(check_model(work.path("none.xml")).errors, 1U);
}

TEST(CheckModel, SaysWhatWouldBeStarted) {
  const CheckReport report = check_model(example("process-pair/process-pair.xml"));
  ASSERT_FALSE(report.launches.empty());
  EXPECT_NE(report.launches.front().command.find("mass_on_spring"), std::string::npos);
}

TEST(DescribeModel, ListsComponentsAndConnections) {
  const PairFolder work;
  const ModelInfo model = describe_model(work.model());
  EXPECT_EQ(model.name, "pair");
  EXPECT_EQ(model.description, "Two masses on a rod.");
  ASSERT_EQ(model.parameters.size(), 2U);
  EXPECT_EQ(model.parameters[0].unit, "kg");
  EXPECT_EQ(model.parameters[0].value, 2.0);
  ASSERT_EQ(model.components.size(), 2U);
  ASSERT_EQ(model.components[0].interfaces.size(), 1U);
  EXPECT_EQ(model.components[0].interfaces[0].domain, "translation");
  ASSERT_EQ(model.connections.size(), 1U);
  EXPECT_EQ(model.connections[0].from, "left.end");
  EXPECT_EQ(model.connections[0].coupling, "line");
  EXPECT_NE(model.connections[0].figures.find("N/m"), std::string::npos);
  EXPECT_EQ(model.stop, 0.02);
  EXPECT_NE(thrown<ModelError>([&] { (void)describe_model(work.path("none.xml")); }), "");
}

TEST(ModelError, CarriesItsProblems) {
  const PairFolder work;
  try {
    (void)describe_model(work.path("none.xml"));
    FAIL();
  } catch (const ModelError& error) {
    ASSERT_EQ(error.problems().size(), 1U);
    EXPECT_EQ(error.problems().front().describe() + "\n", error.what());
  }
}

TEST(Schema, DescribesModels) {
  EXPECT_NE(model_schema().find("CompositeModel"), std::string::npos);
  EXPECT_NE(model_reference().find("CompositeModel"), std::string::npos);
}

TEST(AskProgram, ListsWhatItOffers) {
  const PairFolder work;
  std::filesystem::copy(example("process-pair/process-pair.xml"), work.path("pair.xml"),
                        std::filesystem::copy_options::overwrite_existing);
  std::filesystem::copy(TIELINE_MASS_PROGRAM, work.path("mass_on_spring"));
  const ModelInfo model = describe_model(work.model());
  const auto program = std::find_if(model.components.begin(), model.components.end(),
                                    [](const ComponentInfo& component) { return component.kind == "process"; });
  ASSERT_NE(program, model.components.end());
  const InquiryOutcome outcome = ask_program(work.model(), program->name);
  ASSERT_FALSE(outcome.interfaces.empty());
  EXPECT_TRUE(outcome.interfaces.front().is_declared);
  EXPECT_EQ(outcome.interfaces.front().position_unit, "m");
  EXPECT_EQ(outcome.interfaces.front().declaration.find("<Interface"), 0U);
  EXPECT_NE(thrown<std::out_of_range>([&] { (void)ask_program(work.model(), "nobody"); }), "");
}

}  // namespace check_test
}  // namespace tieline::api
