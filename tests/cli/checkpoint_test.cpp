#include <gtest/gtest.h>

#include "program.hpp"
#include "results/reader.hpp"
#include "results/run_report.hpp"

// Checkpoints and resuming through the program: killed runs, disks that are full, and the messages to the user.

namespace tieline::cli {
namespace checkpoint_test {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class Checkpoints : public ::testing::Test {
 protected:
  void SetUp() override { work_.write("pair.xml", pair_model()); }

  [[nodiscard]] Outcome run(Words arguments) const {
    arguments.insert(arguments.begin(), "run");
    return work_.tieline(arguments);
  }
  [[nodiscard]] fs::path checkpoint(const std::string& folder) const { return work_.path(folder) / "checkpoint.bin"; }

  /// Same tables, same rows, same bits.
  void expect_same_results(const std::string& a, const std::string& b) const {
    const auto one = results::ResultReader::open(work_.path(a)), two = results::ResultReader::open(work_.path(b));
    ASSERT_TRUE(one && two);
    ASSERT_EQ(one->tables().size(), two->tables().size());
    for (std::size_t i = 0; i < one->tables().size(); ++i) {
      const auto rows = one->rows(i), others = two->rows(i);
      ASSERT_TRUE(rows && others);
      EXPECT_EQ(*rows, *others) << one->tables()[i].owner;
      const auto x = one->read_rows(i, {0, *rows}), y = two->read_rows(i, {0, *others});
      ASSERT_TRUE(x && y);
      EXPECT_EQ(*x, *y) << one->tables()[i].owner;
    }
  }

  Workplace work_;
};

void expect_words(const std::string& text, const Words& words) {
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "': " << text;
}

TEST_F(Checkpoints, AKilledRunContinuesAsIfNothingHadHappened) {
  const Words endless{"run",   "pair.xml", "--set",        "F=200", "--stop", "400",
                      "--out", "killed",   "--checkpoint", "0.5",   "--quiet"};
  {
    Process first(Workplace::command(endless), work_.folder());
    ASSERT_TRUE(first.wait_until([&] { return fs::exists(checkpoint("killed")); }));
    first.send(SIGKILL);
    ASSERT_TRUE(first.wait());
  }
  EXPECT_FALSE(fs::exists(work_.path("killed/report.json")));
  // Killed again, at once or after it has replaced the results: there is always something to continue from.
  for (int i = 0; i < 3; ++i) {
    const auto before = fs::last_write_time(checkpoint("killed"));
    Process again(Workplace::command({"run", "--resume", "killed", "--quiet"}), work_.folder());
    const auto is_due = [&] { return i == 0 || fs::last_write_time(checkpoint("killed")) != before; };
    ASSERT_TRUE(again.wait_until(is_due));
    again.send(SIGKILL);
    ASSERT_TRUE(again.wait());
  }
  // The model's windows do not depend on the stop, so that the run may end where this test wants.
  const auto info = work_.tieline({"watch", "killed", "--once"});
  EXPECT_EQ(info.exit_code, 2);
  expect_words(info.out, {"killed?", "checkpoint at t = "});
  const double reached = std::stod(info.out.substr(info.out.find("checkpoint at t = ") + 18));
  const std::string stop = std::to_string(reached + 1.0);
  const Outcome last = run({"--resume", "killed", "--stop", stop});
  ASSERT_EQ(last.exit_code, 0) << last.err;
  expect_words(last.out, {"Resumed from t = ", "Results: killed"});
  ASSERT_EQ(run({"pair.xml", "--set", "F=200", "--stop", stop, "--out", "whole", "--checkpoint", "0.5"}).exit_code, 0);
  expect_same_results("whole", "killed");
  const Outcome compared = work_.tieline({"compare", "whole", "killed"});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  expect_words(work_.tieline({"info", "killed"}).out, {"Resumed from t = "});
}

TEST_F(Checkpoints, AnInterruptedRunSaysHowToContinue) {
  Process first(Workplace::command({"run", "pair.xml", "--stop", "1e9", "--out", "results", "--checkpoint", "0.5"}),
                work_.folder());
  ASSERT_TRUE(first.wait_until([&] { return fs::exists(checkpoint("results")); }));
  const Outcome meanwhile = run({"--resume", "results"});
  EXPECT_EQ(meanwhile.exit_code, 1);
  expect_words(meanwhile.err, {"still running", "process"});
  first.send(SIGINT);
  const auto outcome = first.wait();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit_code, 2);
  expect_words(outcome->err, {"`tieline run --resume results` continues from t = "});
}

TEST_F(Checkpoints, MismatchesAreReported) {
  ASSERT_EQ(run({"pair.xml", "--out", "results", "--checkpoint", "0.005", "--quiet"}).exit_code, 0);
  const auto expect_refused = [&](Words arguments, const Words& words, int code = 1) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    expect_words(outcome.err, words);
  };
  expect_refused({"--resume", "results", "--set", "F=50"}, {"cannot be resumed at t = 0.02 s", "\"F\"", "50", "100"});
  expect_refused({"--resume", "results", "--set", "G=50"}, {"G"});
  expect_refused({"--resume", "results", "--stop", "0.01"}, {"0.01 s", "before"});
  expect_refused({"--resume", "nowhere"}, {"no result folder 'nowhere'"});
  expect_refused({"--resume", "results", "no-model.xml"}, {"no-model.xml"});
  expect_refused({"pair.xml", "--checkpoint", "0"}, {"greater than 0"}, 3);
  expect_refused({"pair.xml", "--checkpoint", "1", "--no-results"}, {"--no-results"}, 3);
  std::string stated = pair_model();
  stated.replace(stated.find("stop=\"0.02\""), 11, "stop=\"0.02\" save_interval=\"2e-3\"");
  work_.write("stated.xml", stated);
  expect_refused({"stated.xml", "--checkpoint", "0.005"}, {"save_interval", "0.004 s or 0.006 s"});
  expect_refused({"stated.xml", "--checkpoint", "0.001"}, {"expected 0.002 s"});
  EXPECT_EQ(run({"stated.xml", "--checkpoint", "0.006"}).exit_code, 0);
  const Outcome late = run({"pair.xml", "--checkpoint", "5"});
  EXPECT_EQ(late.exit_code, 0);
  expect_words(late.err, {"ends before its first checkpoint"});
  // Whatever was tried, the run itself is as it was.
  EXPECT_EQ(run({"--resume", "results", "--quiet"}).exit_code, 0);
}

TEST_F(Checkpoints, AMovedModelIsFound) {
  ASSERT_EQ(run({"pair.xml", "--out", "results", "--checkpoint", "0.005", "--stop", "0.01", "--quiet"}).exit_code, 0);
  fs::create_directory(work_.path("elsewhere"));
  fs::rename(work_.path("pair.xml"), work_.path("elsewhere/pair.xml"));
  expect_words(run({"--resume", "results"}).err, {"pair.xml"});
  const Outcome outcome = run({"elsewhere/pair.xml", "--resume", "results", "--stop", "0.02", "--out", "more"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_EQ(run({"elsewhere/pair.xml", "--out", "whole", "--checkpoint", "0.005", "--quiet"}).exit_code, 0);
  expect_same_results("whole", "more");
}

// The run ends with the disk's word; what it had saved before can be resumed when there is room again.
TEST_F(Checkpoints, AFullDiskKeepsTheLastOne) {
  const Words limited{"run", "pair.xml", "--stop", "400", "--out", "full", "--checkpoint", "0.05", "--quiet"};
  const Outcome outcome = work_.tieline(limited, [] {
    const rlimit limit{1'000'000, 1'000'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  });
  EXPECT_EQ(outcome.exit_code, 2);
  expect_words(outcome.err, {"File too large"});
  ASSERT_TRUE(fs::exists(checkpoint("full")));
  const auto report = results::read_report(work_.path("full/report.json"));
  ASSERT_TRUE(report);
  const std::string stop = std::to_string(report->reached + 0.2);
  const Outcome resumed = run({"--resume", "full", "--stop", stop, "--quiet"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  ASSERT_EQ(run({"pair.xml", "--stop", stop, "--out", "whole", "--checkpoint", "0.05", "--quiet"}).exit_code, 0);
  expect_same_results("whole", "full");
}

}  // namespace checkpoint_test
}  // namespace tieline::cli
