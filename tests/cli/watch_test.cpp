#include <gtest/gtest.h>

#include "program.hpp"
#include "results/progress_file.hpp"

// Looking at runs from outside: while they run, stall, end well or badly, or vanish.

namespace tieline::cli {
namespace watch_test {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

void expect_words(const std::string& text, const Words& words) {
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "': " << text;
}

class Watch : public ::testing::Test {
 protected:
  void SetUp() override { work_.write("pair.xml", pair_model()); }

  [[nodiscard]] Process endless_run() const {
    return Process(Workplace::command({"run", "pair.xml", "--out", "results", "--stop", "1e9", "--quiet"}),
                   work_.folder());
  }
  [[nodiscard]] Outcome once(const Words& more = {}) const {
    Words arguments{"watch", "results", "--once"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return work_.tieline(arguments);
  }
  [[nodiscard]] bool is_running() const {
    const auto progress = results::read_progress(work_.path("results/progress.json"));
    return progress && progress->phase == results::RunPhase::running && progress->reached > 0.0;
  }

  Workplace work_;
};

TEST_F(Watch, ReportsFinishedRuns) {
  ASSERT_EQ(work_.tieline({"run", "pair.xml", "--out", "results", "--quiet"}).exit_code, 0);
  const Outcome outcome = work_.tieline({"watch", "results", "--variables", "left.body.*", "*.damper.force"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_words(outcome.out, {"pair: 100.0 %", "t = 0.02 s of 0.02 s", "finished", "left.body.position", "0.02",
                             "right.damper.force", "N"});
  const Outcome unknown = once({"--variables", "left.body.positon"});
  EXPECT_EQ(unknown.exit_code, 1);
  expect_words(unknown.err, {"left.body.position"});
}

TEST_F(Watch, ReportsFailedRuns) {
  work_.write("pole.xml", pair_model("{1e3*step(t-0.01)/(0.01-t)}"));
  ASSERT_EQ(work_.tieline({"run", "pole.xml", "--out", "results", "--quiet"}).exit_code, 2);
  const Outcome outcome = work_.tieline({"watch", "results"});
  EXPECT_EQ(outcome.exit_code, 2);
  expect_words(outcome.out, {"failed: component 'left', t = 0.01 s"});
}

TEST_F(Watch, SeesARunProgressStallAndStop) {
  Process run = endless_run();
  ASSERT_TRUE(run.wait_until([&] { return is_running(); }));
  const Outcome going = once({"--variables", "left.body.position"});
  EXPECT_EQ(going.exit_code, 0) << going.err;
  expect_words(going.out, {"running", "s/s", "left", "furthest behind: "});
  run.send(SIGSTOP);
  Outcome paused = once();
  ASSERT_TRUE(run.wait_until([&] {
    paused = once();
    return paused.out.find("paused") != std::string::npos;
  }));
  EXPECT_EQ(paused.exit_code, 0);
  expect_words(paused.out, {"no progress since "});
  Process watching(Workplace::command({"watch", "results", "--interval", "0.1"}), work_.folder());
  run.send(SIGCONT);
  run.send(SIGINT);
  ASSERT_TRUE(run.wait());
  const auto outcome = watching.wait();
  ASSERT_TRUE(outcome) << "the watch goes on though the run has ended";
  EXPECT_EQ(outcome->exit_code, 2);
  expect_words(outcome->out, {"stopped on request"});
}

TEST_F(Watch, NoticesThatARunWasKilled) {
  Process run = endless_run();
  ASSERT_TRUE(run.wait_until([&] { return is_running(); }));
  Process watching(Workplace::command({"watch", "results"}), work_.folder());
  run.send(SIGKILL);
  ASSERT_TRUE(run.wait());
  const auto outcome = watching.wait();
  ASSERT_TRUE(outcome) << "the watch waits for a run that is gone";
  EXPECT_EQ(outcome->exit_code, 2);
  expect_words(outcome->out, {"killed? process", "no longer exists"});
}

TEST_F(Watch, WaitsForARunOnlyWhereAsked) {
  const Outcome none = once();
  EXPECT_EQ(none.exit_code, 1);
  expect_words(none.err, {"there is no folder 'results'", "--wait"});
  fs::create_directory(work_.path("results"));
  const Outcome empty = once();
  EXPECT_EQ(empty.exit_code, 1);
  expect_words(empty.err, {"contains no run", "progress.json"});
  work_.write("results/progress.json", "{");
  expect_words(once().err, {"does not contain the progress"});
  fs::remove_all(work_.path("results"));
  Process watching(Workplace::command({"watch", "results", "--wait", "100"}), work_.folder());
  ASSERT_EQ(work_.tieline({"run", "pair.xml", "--out", "results", "--quiet"}).exit_code, 0);
  const auto outcome = watching.wait();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit_code, 0) << outcome->err;
  expect_words(outcome->out, {"finished"});
}

}  // namespace watch_test
}  // namespace tieline::cli
