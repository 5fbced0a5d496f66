#include <gtest/gtest.h>

#include "tieline/studies.hpp"

#include "api/pair.hpp"

namespace tieline::api {
namespace sweep_test {

TEST(Sweep, RunsEveryCombination) {
  const PairFolder work;
  const SweepPlan plan = plan_sweep({"m=1,2,-1"});
  ASSERT_EQ(plan.rows.size(), 3U);
  std::size_t finished = 0;
  // The program that runs the combinations is found beside this one.
  SweepOptions options{.folder = work.path("sweep"), .measures = {"left.body.position"}};
  options.on_progress = [&](const SweepProgress& progress) { finished = progress.finished; };
  const SweepOutcome outcome = run_sweep(work.model(), plan, options);
  EXPECT_EQ(finished, 3U);
  ASSERT_EQ(outcome.runs.size(), 3U);
  EXPECT_EQ(outcome.runs[0].status, SweepStatus::done);
  EXPECT_EQ(outcome.runs[2].status, SweepStatus::refused);
  EXPECT_EQ(name_of(outcome.runs[2].status), "refused");
  ASSERT_EQ(outcome.runs[0].measures.size(), 1U);
  EXPECT_GT(outcome.runs[1].measures[0].final, outcome.runs[0].measures[0].final);
  EXPECT_NE(text_of(outcome.table_file).find("left.body.position"), std::string::npos);
  EXPECT_NE(outcome.table.find("refused"), std::string::npos);
  // It is not run again unless that is asked for.
  EXPECT_NE(thrown<FileError>([&] { (void)run_sweep(work.model(), plan, options); }), "");
  options.resumes = true;
  EXPECT_TRUE(run_sweep(work.model(), plan, options).runs[0].was_finished);
}

TEST(Sweep, RefusesWrongPlansAndModels) {
  const PairFolder work;
  EXPECT_NE(thrown<ModelError>([] { (void)plan_sweep({"m=1:2"}); }), "");
  EXPECT_NE(thrown<ModelError>([&] {
              (void)run_sweep(work.path("none.xml"), plan_sweep({"m=1"}),
                              {.folder = work.path("sweep"), .program = TIELINE_PROGRAM});
            }),
            "");
}

}  // namespace sweep_test
}  // namespace tieline::api
