#include <cmath>
#include <gtest/gtest.h>

#include "tieline/results.hpp"

#include "api/pair.hpp"

namespace tieline::api {
namespace run_report_test {

TEST(RunReport, HoldsOutcomeAndFigures) {
  const PairFolder work;
  const auto report = read_report(work.run("out"));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->model, "pair");
  EXPECT_EQ(report->outcome, RunOutcome::done);
  EXPECT_EQ(name_of(report->outcome), "done");
  EXPECT_EQ(report->reached, 0.02);
  ASSERT_EQ(report->components.size(), 2U);
  EXPECT_EQ(report->components[0].name, "left");
  EXPECT_GT(report->components[0].windows, 0U);
  ASSERT_EQ(report->connections.size(), 1U);
  EXPECT_EQ(report->connections[0].kind, "line");
  EXPECT_LT(report->connections[0].energy_residual_relative, 1e-6);
  EXPECT_LT(std::abs(report->energy_balance_relative), 1e-6);
  EXPECT_EQ(report->verdict, Verdict::trust);
  EXPECT_EQ(name_of(report->verdict), "trust");
  EXPECT_GT(report->error_estimate, 0.0);
  EXPECT_EQ(report->error_estimate, report->connections[0].error_estimate);
  EXPECT_TRUE(report->reasons.empty());
  EXPECT_NE(report->tables.find("Verdict: trust"), std::string::npos);
  EXPECT_NE(report->json.find("\"pair\""), std::string::npos);
  EXPECT_NE(report->tables.find("left"), std::string::npos);
}

TEST(RunReport, IsAbsentOrDamaged) {
  const PairFolder work;
  std::filesystem::create_directory(work.path("empty"));
  EXPECT_FALSE(read_report(work.path("empty")));
  work.write("empty/report.json", "{");
  EXPECT_NE(thrown<FileError>([&] { (void)read_report(work.path("empty")); }), "");
}

TEST(RunStatus, FollowsARun) {
  const PairFolder work;
  EXPECT_FALSE(read_status(work.path("out")));
  auto simulation = Simulation::load(work.model());
  simulation.record_to(work.path("out"));
  simulation.advance_to(0.01);
  const auto running = read_status(work.path("out"));
  ASSERT_TRUE(running);
  EXPECT_FALSE(running->has_ended());
  EXPECT_EQ(running->process_state, ProcessState::running);
  EXPECT_EQ(state_of(running->process), ProcessState::running);
  EXPECT_EQ(running->stop, 0.02);
  simulation.advance_to(0.02);
  simulation.finish();
  const auto ended = read_status(work.path("out"));
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->has_ended());
  EXPECT_EQ(name_of(ended->phase), "finished");
  EXPECT_EQ(ended->reached, 0.02);
}

}  // namespace run_report_test
}  // namespace tieline::api
