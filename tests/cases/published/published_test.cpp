// What is published is what is true: schema, reference, examples and the model that the documentation shows.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "assembly/assembly.hpp"
#include "document/diagnostics.hpp"
#include "kinds/registry.hpp"
#include "model/grammar.hpp"
#include "support/model_run.hpp"

namespace tieline::support {
namespace published_published_test {

const std::filesystem::path kRoot = TIELINE_SOURCE_DIR;

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Those with FMUs, which have to be built first, and with kinds of a program have tests of their own.
std::vector<std::filesystem::path> example_models() {
  std::vector<std::filesystem::path> models;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / "examples")) {
    if (entry.path().extension() != ".xml") continue;
    const std::string text = text_of(entry.path());
    const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
    if (has("<CompositeModel") && !has("kind=\"fmu\"") && !has("kind=\"my_bearing\"")) models.push_back(entry.path());
  }
  std::sort(models.begin(), models.end());
  return models;
}

/// Problems that the reader finds, and those that xmllint finds with the published schema.
std::string problems_of(const std::filesystem::path& model) {
  document::Diagnostics diagnostics;
  const auto checked = assembly::check_model(model, {}, diagnostics);
  std::string problems = !checked || diagnostics.has_errors() ? diagnostics.describe() : "";
  const TemporaryFolder folder;
  const auto log = folder.path() / "log";
  const std::string command = fmt::format("xmllint --noout --schema '{}' '{}' >'{}' 2>&1",
                                          (kRoot / "docs/tieline.xsd").string(), model.string(), log.string());
  if (std::system(command.c_str()) != 0) problems += text_of(log);
  return problems;
}

TEST(Published, SchemaIsThatOfTheReader) {
  EXPECT_TRUE(text_of(kRoot / "docs/tieline.xsd") == model::schema(kinds::kind_descriptions()))
      << "docs/tieline.xsd is not what the reader accepts: write it anew with 'tieline schema > docs/tieline.xsd'";
}

TEST(Published, ReferenceIsThatOfTheReader) {
  EXPECT_TRUE(text_of(kRoot / "docs/file-format-reference.md") == model::reference(kinds::kind_descriptions()))
      << "docs/file-format-reference.md is not what the reader accepts: write it anew with 'tieline schema --reference "
         "> docs/file-format-reference.md'";
}

TEST(Published, ExamplesAreCorrect) {
  const auto models = example_models();
  EXPECT_GE(models.size(), 7U);
  for (const auto& model : models) EXPECT_EQ(problems_of(model), "") << model;
}

TEST(Published, ModelInTheFileFormatPageIsCorrectAndRuns) {
  const std::string page = text_of(kRoot / "docs/file-format.md");
  const auto begin = page.find("<CompositeModel");
  const std::string end_tag = "</CompositeModel>";
  ASSERT_NE(begin, std::string::npos);
  const ModelFiles files(page.substr(begin, page.find(end_tag, begin) + end_tag.size() - begin));
  EXPECT_EQ(problems_of(files.path()), "");
  const RunRecord run = run_model(files.path());
  EXPECT_EQ(run.report.outcome, results::Outcome::done);
}

TEST(Published, ExamplesRun) {
  for (const auto& model : example_models()) {
    // A program has to be built first; the example's own test does.
    if (text_of(model).find("kind=\"process\"") != std::string::npos) continue;
    Simulation simulation = Simulation::load(model);
    simulation.set_stop(std::min(simulation.stop_time(), kIsInstrumented ? 0.01 : 0.3));
    simulation.advance_to(simulation.stop_time());
    EXPECT_EQ(simulation.time(), simulation.stop_time()) << model;
    for (const auto& [name, value] : present_values(simulation)) EXPECT_TRUE(std::isfinite(value)) << model << name;
  }
}

// Statics do not depend on how the bodies are joined: the line, and the spring that it stands for.
TEST(Published, TwoBodiesRestWhereTheSpringWouldPutThem) {
  const double stop = 0.2;
  Simulation line = Simulation::load(kRoot / "examples/two-bodies/two-bodies.xml");
  Simulation spring = Simulation::load(kRoot / "examples/two-bodies/two-bodies-spring.xml");
  line.advance_to(stop);
  spring.advance_to(stop);
  EXPECT_NEAR(line.get("body2.body.position"), spring.get("pair.body2.position"),
              0.02 * std::abs(spring.get("pair.body2.position")));
}

}  // namespace published_published_test
}  // namespace tieline::support
