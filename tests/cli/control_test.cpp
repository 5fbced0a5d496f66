#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "results/progress_file.hpp"

// Pausing, continuing and stopping runs from another terminal.

namespace tieline::cli {
namespace control_test {

namespace fs = std::filesystem;

/// Two oscillators in layers, of which one is in a process of its own if `isolated`.
std::string model(bool isolated) {
  return fmt::format(R"(<CompositeModel name="pair"><Components>
    <Component name="a" kind="network" solver="rk4" step="1e-3"><Network><Ground name="g"/>
      <Mass name="m" mass="1" velocity="1"/><Spring name="k" from="g" to="m" stiffness="100"/>
      <Interface name="end" node="m"/></Network></Component>
    <Component name="b" kind="network" solver="rk4" step="3e-3" isolate="{}"><Network><{} name="n"/>
      <Mass name="m" mass="0.5"/><Spring name="k" from="n" to="m" stiffness="50"/>
      <Interface name="end" node="{}"/></Network></Component></Components>
    <Connections><Connection name="joint" from="a.end" to="b.end" {}/></Connections>{}
    <Simulation stop="1e5" write_interval="0.1"/></CompositeModel>)",
                     isolated ? "true" : "false", isolated ? "Ground" : "Node", isolated ? "m" : "n",
                     isolated ? R"(coupling="line" stiffness="1e4" delay="1e-3")" : R"(coupling="sampled")",
                     isolated ? "" : "<Layers/>");
}

class Control : public ::testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] std::optional<results::RunProgressFile> progress() const {
    auto found = results::read_progress(work_.path("results/progress.json"));
    return found ? std::optional(*found) : std::nullopt;
  }
  [[nodiscard]] Process start() const {
    fs::remove_all(work_.path("results"));
    return Process(Workplace::command({"run", "model.xml", "--out", "results", "--quiet"}), work_.folder());
  }
  [[nodiscard]] bool has_passed(double t) const {
    const auto now = progress();
    return now && now->phase == results::RunPhase::running && now->reached > t;
  }
  [[nodiscard]] Outcome control(const std::string& request) const {
    return work_.tieline({"control", "results", request});
  }
  /// The rows of the first two seconds.
  [[nodiscard]] std::string rows() const {
    EXPECT_EQ(work_.tieline({"export", "results", "--csv", "rows.csv", "--variables", "*.position"}).exit_code, 0);
    const std::string text = text_of(work_.path("rows.csv"));
    return text.substr(0, text.find("\n2,") + 1);
  }

  Workplace work_;
};

TEST_P(Control, PausesContinuesAndStopsARunThatLeavesWhatAnUnbrokenRunLeaves) {
  work_.write("model.xml", model(GetParam()));
  Process run = start();
  ASSERT_TRUE(run.wait_until([&] { return has_passed(0.0); }));
  const Outcome paused = control("pause");
  EXPECT_EQ(paused.exit_code, 0) << paused.err;
  EXPECT_NE(paused.out.find("pair: paused at t = "), std::string::npos) << paused.out;
  const double reached = progress()->reached;
  // Asked again it has not moved, however long this took.
  EXPECT_EQ(control("pause").exit_code, 0);
  EXPECT_EQ(progress()->reached, reached);
  const Outcome going = control("continue");
  EXPECT_NE(going.out.find("pair: running at t = "), std::string::npos) << going.out << going.err;
  ASSERT_TRUE(run.wait_until([&] { return has_passed(reached + 2.0); }));
  const Outcome stopped = control("stop");
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
  const auto outcome = run.wait();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit_code, 2);
  EXPECT_NE(outcome->err.find("stopped"), std::string::npos) << outcome->err;
  const Outcome late = control("pause");
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_NE(late.err.find("has ended at t = "), std::string::npos) << late.err;

  const std::string interrupted = rows();
  EXPECT_GT(interrupted.size(), 500U);
  Process unbroken = start();
  ASSERT_TRUE(unbroken.wait_until([&] { return has_passed(2.0); }));
  EXPECT_EQ(control("stop").exit_code, 0);
  ASSERT_TRUE(unbroken.wait());
  EXPECT_EQ(rows(), interrupted);
}

INSTANTIATE_TEST_SUITE_P(Runs, Control, testing::Bool(),
                         [](const auto& each) { return each.param ? "InTwoProcesses" : "InLayers"; });

TEST_F(Control, NamesAFolderWithoutARun) {
  const Outcome outcome = control("stop");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("contains no run to control"), std::string::npos) << outcome.err;
}

}  // namespace control_test
}  // namespace tieline::cli
