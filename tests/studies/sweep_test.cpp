#include "studies/sweep.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace tieline::studies {
namespace sweep_test {

namespace fs = std::filesystem;

std::string problems_of(const std::vector<std::string>& vary, const std::optional<fs::path>& list = std::nullopt) {
  document::Diagnostics diagnostics;
  EXPECT_FALSE(make_plan(vary, list, diagnostics));
  return diagnostics.describe();
}

SweepPlan plan_of(const std::vector<std::string>& vary, const std::optional<fs::path>& list = std::nullopt) {
  document::Diagnostics diagnostics;
  const auto plan = make_plan(vary, list, diagnostics);
  EXPECT_TRUE(plan) << diagnostics.describe();
  return plan.value_or(SweepPlan{});
}

TEST(SweepPlan, CombinesAllValues) {
  const SweepPlan plan = plan_of({"k=1e6,2e6", "left.m=0:1:3"});
  EXPECT_EQ(plan.names, (std::vector<std::string>{"k", "left.m"}));
  const std::vector<std::vector<std::string>> rows{{"1e6", "0"}, {"1e6", "0.5"}, {"1e6", "1"},
                                                   {"2e6", "0"}, {"2e6", "0.5"}, {"2e6", "1"}};
  EXPECT_EQ(plan.rows, rows);
  EXPECT_EQ(combination_name(plan, 1), "k=1e6,left.m=0.5");
  EXPECT_EQ(combination_folder(plan, 1), "k=1e6,left.m=0.5");
}

TEST(SweepPlan, TakesRatiosAndExpressions) {
  const SweepPlan plan = plan_of({"T=1e-5:1e-3:3:log", "k={max(1,2)},3"});
  ASSERT_EQ(plan.rows.size(), 6U);
  EXPECT_EQ(plan.rows[2], (std::vector<std::string>{"0.0001", "{max(1,2)}"}));
  // Two names that need other characters in their folders still have folders of their own.
  EXPECT_NE(combination_folder(plan, 0), combination_folder(plan, 2));
  EXPECT_EQ(combination_folder(plan, 0).find_first_of("{}()/ "), std::string::npos);
}

TEST(SweepPlan, ReadsAListAndMultipliesIt) {
  const support::TemporaryFolder folder;
  const fs::path list = folder.path() / "list.csv";
  std::ofstream(list) << "# two springs\nk, c\n1e6, 10\n\n2e6, \"{k/1e5}\"\n";
  const SweepPlan plan = plan_of({"m=1,2"}, list);
  EXPECT_EQ(plan.names, (std::vector<std::string>{"k", "c", "m"}));
  ASSERT_EQ(plan.rows.size(), 4U);
  EXPECT_EQ(plan.rows[3], (std::vector<std::string>{"2e6", "{k/1e5}", "2"}));
}

TEST(SweepPlan, ReportsEveryProblemAtOnce) {
  const support::TemporaryFolder folder;
  const fs::path list = folder.path() / "list.csv";
  std::ofstream(list) << "k,c\n1,2,3\n4,five\n";
  const std::string problems = problems_of({"m=1,,2", "k", "T=1:2:1", "a=1,1"}, list);
  for (const std::string& part :
       {list.string() + ":2:1: error: 3 values, but 2 names", list.string() + ":3:3: error: 'five' is neither",
        std::string("--vary m=1,,2: error: a value is missing"), std::string("--vary k: error: expected name="),
        std::string("the count '1' of a range"), std::string("--vary a=1,1: error: the value 1 is given twice")}) {
    EXPECT_NE(problems.find(part), std::string::npos) << part << "\nis not in\n" << problems;
  }
  EXPECT_NE(problems_of({"k=1,2", "k=3"}).find("'k' is varied twice"), std::string::npos);
  EXPECT_NE(problems_of({"a=1:2:1000", "b=1:2:1000"}).find("more than 100000 combinations"), std::string::npos);
}

/// A sweep of the two bodies whose runs are done by a script instead of the program.
class ScriptedSweep : public ::testing::Test {
 protected:
  std::vector<SweepRun> sweep(const std::string& script, bool resumes = false) {
    const fs::path program = folder_.path() / "program";
    // $4 is the run's folder; each call leaves a mark.
    std::ofstream(program) << "#!/bin/sh\necho \"$4\" >> '" << (folder_.path() / "calls").string() << "'\n"
                           << script << "\n";
    fs::permissions(program, fs::perms::owner_all);
    SweepOptions options;
    options.model = TIELINE_SOURCE_DIR "/examples/two-bodies/two-bodies.xml";
    options.folder = folder_.path() / "sweep";
    options.program = program;
    options.jobs = 2;
    options.resumes = resumes;
    options.documents = &documents_;
    document::Diagnostics diagnostics;
    auto runs = run_sweep(plan_, options, diagnostics);
    EXPECT_TRUE(runs) << runs.error().describe() << diagnostics.describe();
    return runs ? std::move(*runs) : std::vector<SweepRun>(plan_.rows.size());
  }
  [[nodiscard]] int calls() const {
    std::ifstream stream(folder_.path() / "calls");
    int count = 0;
    for (std::string line; std::getline(stream, line);) ++count;
    return count;
  }

  SweepPlan plan_ = plan_of({"m2=1,2,3,-4"});
  document::DocumentCache documents_;
  support::TemporaryFolder folder_;
};

TEST_F(ScriptedSweep, MakesARowOfWhateverHappens) {
  const auto runs = sweep("case \"$4\" in *m2=1) exit 0;; *m2=2) kill -9 $$;; *) echo too heavy; exit 2;; esac");
  EXPECT_EQ(runs[0].status, SweepStatus::done);
  EXPECT_EQ(runs[1].status, SweepStatus::crashed);
  EXPECT_NE(runs[1].message.find("signal 9"), std::string::npos) << runs[1].message;
  EXPECT_EQ(runs[2].status, SweepStatus::failed);
  EXPECT_EQ(runs[2].message, "too heavy");
  // The model itself does not take a negative mass: no process is started for it.
  EXPECT_EQ(runs[3].status, SweepStatus::refused);
  // All four were checked, with one reading of the file.
  EXPECT_EQ(documents_.reads(TIELINE_SOURCE_DIR "/examples/two-bodies/two-bodies.xml"), 1U);
  EXPECT_EQ(calls(), 3);
  const std::string csv = sweep_csv(plan_, runs);
  EXPECT_TRUE(csv.starts_with("m2,status,energy_balance,")) << csv;
  EXPECT_NE(csv.find("\n2,crashed,"), std::string::npos) << csv;
  EXPECT_NE(sweep_table(plan_, runs, 2).find("... and 2 more rows"), std::string::npos);
}

TEST_F(ScriptedSweep, RunsNothingAgainThatHasEnded) {
  sweep("case \"$4\" in *m2=2) kill -9 $$;; esac; exit 0");
  ASSERT_EQ(calls(), 3);
  // As if this process had been killed before it could note the end of one run.
  fs::remove(folder_.path() / "sweep" / "m2=3" / "run.json");
  const auto runs = sweep("exit 0", true);
  EXPECT_EQ(calls(), 4);
  EXPECT_TRUE(runs[0].was_finished);
  EXPECT_EQ(runs[1].status, SweepStatus::crashed);
  EXPECT_FALSE(runs[2].was_finished);
  EXPECT_EQ(runs[2].status, SweepStatus::done);
}

TEST_F(ScriptedSweep, RunsAgainWhatHasADamagedRecord) {
  sweep("exit 0");
  int before = calls();
  for (const char* text : {"", "{", "[1]", R"({"status": 3})", R"({"status": "done"})",
                           R"({"status": "done", "message": {}, "wall_seconds": "x"})"}) {
    std::ofstream(folder_.path() / "sweep" / "m2=3" / "run.json", std::ios::trunc) << text;
    const auto runs = sweep("exit 0", true);
    EXPECT_EQ(calls(), ++before) << text;
    EXPECT_TRUE(runs[0].was_finished);
    EXPECT_EQ(runs[2].status, SweepStatus::done);
  }
}

}  // namespace sweep_test
}  // namespace tieline::studies
