// The example with a mass that is a program: it is asked for its interfaces, runs, and is computed again alone.

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "processes/inquiry.hpp"
#include "studies/replay.hpp"
#include "support/model_run.hpp"

namespace tieline::support {
namespace processes_example_program_test {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The example in a folder of its own, with its program beside it.
class ProcessPair {
 public:
  ProcessPair() {
    files_.write("model.xml", read_text(fs::path(TIELINE_SOURCE_DIR) / "examples/process-pair/process-pair.xml"));
    fs::create_symlink(fs::path(TIELINE_SIMULATORS) / "mass_on_spring", files_.path("mass_on_spring"));
  }
  [[nodiscard]] fs::path model() const { return files_.path(); }
  [[nodiscard]] fs::path results() const { return files_.path("results"); }
  void replace(const std::string& what, const std::string& with) {
    std::string text = read_text(model());
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    files_.write("model.xml", text.replace(at, what.size(), with));
  }
  /// Without the interface of the program and what is joined to it.
  void forget_interface() {
    replace("<Interface name=\"mass\" domain=\"translation\"/>", "");
    replace(
        "<Connection name=\"rod\" from=\"anchor.end\" to=\"weight.mass\" coupling=\"line\" stiffness=\"{k}\" "
        "delay=\"{T}\"/>",
        "");
  }
  core::Result<processes::InquiryOutcome> ask(const std::string& component, bool writes = false) const {
    document::Diagnostics diagnostics;
    auto outcome = processes::inquire({.model = model(), .component = component, .writes = writes}, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
    return outcome;
  }

 private:
  ModelFiles files_;
};

TEST(ExampleProgram, IsReplayedWithTheSameValues) {
  const ProcessPair pair;
  auto simulation = Simulation::load(pair.model());
  simulation.use_processes({.record_tracks = {"weight"}});
  simulation.record_to(pair.results());
  simulation.set_stop(5e-3);
  simulation.advance_to(5e-3);
  simulation.finish();
  document::Diagnostics diagnostics;
  const auto outcome = studies::replay({.folder = pair.results(), .component = "weight"}, diagnostics);
  ASSERT_TRUE(outcome) << outcome.error().describe();
  EXPECT_FALSE(outcome->failure) << outcome->failure->describe();
  EXPECT_TRUE(outcome->is_whole);
  EXPECT_TRUE(outcome->has_same_values);
  EXPECT_GE(outcome->comparison.differences.size(), 3U);
}

TEST(ExampleProgram, ReportsItsInterfaces) {
  const ProcessPair pair;
  const auto outcome = pair.ask("weight");
  ASSERT_TRUE(outcome) << outcome.error().describe();
  ASSERT_EQ(outcome->interfaces.size(), 1U);
  const processes::OfferedInterface& mass = outcome->interfaces.front();
  EXPECT_TRUE(mass.is_declared);
  EXPECT_EQ(mass.difference, "");
  EXPECT_EQ(processes::interface_tag(mass.registered.interface),
            "<Interface name=\"mass\" domain=\"translation\" causality=\"force\"/>");
  EXPECT_TRUE(outcome->not_offered.empty());
}

TEST(ExampleProgram, InterfacesThatTheModelLacksAreWrittenIntoIt) {
  ProcessPair pair;
  pair.forget_interface();
  const std::string before = read_text(pair.model());
  const auto description = pair.ask("weight");
  ASSERT_TRUE(description) << description.error().describe();
  EXPECT_FALSE(description->interfaces.at(0).is_declared);
  EXPECT_EQ(read_text(pair.model()), before) << "asking changes nothing";
  const auto written = pair.ask("weight", true);
  ASSERT_TRUE(written) << written.error().describe();
  EXPECT_EQ(written->written, 1U);
  EXPECT_NE(read_text(pair.model()).find("<Interface name=\"mass\" domain=\"translation\" causality=\"force\"/>"),
            std::string::npos);
  const auto again = pair.ask("weight", true);
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_TRUE(again->interfaces.at(0).is_declared);
  EXPECT_EQ(again->written, 0U);
}

TEST(ExampleProgram, WhoHasNoProgramIsRefused) {
  const ProcessPair pair;
  const auto native = pair.ask("anchor");
  ASSERT_FALSE(native);
  EXPECT_NE(native.error().describe().find("of kind 'network'"), std::string::npos) << native.error().describe();
  const auto unknown = pair.ask("wait");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().describe().find("'wait'"), std::string::npos) << unknown.error().describe();
}

TEST(ExampleProgram, OneThatEndsBeforeItJoinsIsNamed) {
  ProcessPair pair;
  pair.replace("./mass_on_spring", "false");
  const auto outcome = pair.ask("weight");
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().describe().find("'weight'"), std::string::npos) << outcome.error().describe();
}

}  // namespace processes_example_program_test
}  // namespace tieline::support
