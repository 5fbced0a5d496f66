#include "results/run_report.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/temporary_folder.hpp"

namespace tieline::results {
namespace run_report_test {

RunReport sample() {
  RunReport report{
      .model = "two-bodies",
      .outcome = Outcome::failed,
      .error = core::Error{
          .code = core::ErrorCode::not_finite, .message = "NaN", .component = "left", .port = "end", .time = 0.125}};
  report.start = 0.0;
  report.stop = 0.2;
  report.reached = 0.125;
  report.threads = 2;
  report.wall_seconds = 1.5;
  report.speed = 0.125 / 1.5;
  report.peak_memory = 123456789;
  // Figures of the middle column of Table 2 in [Fritzson2007].
  report.components.push_back({.name = "brg",
                               .window = 5e-6,
                               .statistics = {.solver = "cvode-bdf",
                                              .windows = 40000,
                                              .steps = 72436,
                                              .rhs_calls = 88479,
                                              .jacobian_calls = 1270,
                                              .failed_convergence = 7,
                                              .failed_error_tests = 3175,
                                              .events = 3,
                                              .breaks = 4,
                                              .order_sum = 3.17 * 72436,
                                              .seconds_total = 98.25,
                                              .seconds_rhs = 50.6,
                                              .seconds_jacobian = 3.64,
                                              .seconds_writing = 43.8,
                                              .seconds_waiting = 1.75}});
  report.connections.push_back({.name = "rod",
                                .from = "left.end",
                                .to = "right.end",
                                .kind = "line",
                                .domain = core::Domain::rotation,
                                .line = LineReport{1e5, 1e10, 1e-5, 0.1, 1.0, 25000.0},
                                .exchanges = 80000,
                                .bytes = 3200000,
                                .energy = 0.5,
                                .energy_residual = 1e-9,
                                .energy_residual_relative = 2e-9,
                                .drift = 1e-12,
                                .drift_relative = std::nan(""),
                                .warnings = {"the window is long"},
                                .judgement = {Verdict::doubt, 0.03, "too heavy"}});
  report.verdict = Verdict::wrong;
  report.error_estimate = std::numeric_limits<double>::infinity();
  report.reasons = {"the run failed", "connection 'rod': too heavy"};
  report.connections.push_back({.name = "u", .kind = "signal", .domain = core::Domain::signal, .exchanges = 3});
  report.warnings = {"slow"};
  report.versions = library_versions();
  report.resolved_model = "<CompositeModel name=\"two-bodies\">\n</CompositeModel>\n";
  return report;
}

TEST(RunReport, SurvivesJson) {
  const RunReport before = sample();
  const auto after = report_from_json(to_json(before));
  ASSERT_TRUE(after) << after.error().describe();
  EXPECT_EQ(to_json(*after), to_json(before));
  EXPECT_EQ(after->outcome, Outcome::failed);
  EXPECT_EQ(after->error->code, core::ErrorCode::not_finite);
  EXPECT_EQ(after->error->time, 0.125);
  EXPECT_EQ(after->components[0].statistics.failed_error_tests, 3175u);
  EXPECT_EQ(after->components[0].window, 5e-6);
  EXPECT_EQ(after->connections[0].line->frequency, 25000.0);
  EXPECT_EQ(after->connections[0].domain, core::Domain::rotation);
  EXPECT_TRUE(std::isnan(after->connections[0].drift_relative));
  EXPECT_FALSE(after->connections[1].line);
  EXPECT_EQ(after->resolved_model, before.resolved_model);
  EXPECT_EQ(after->versions.count("HDF5"), 1u);
  EXPECT_EQ(after->verdict, Verdict::wrong);
  EXPECT_GT(after->error_estimate, 1e100);
  EXPECT_EQ(after->reasons, before.reasons);
  EXPECT_EQ(after->connections[0].judgement.verdict, Verdict::doubt);
  EXPECT_EQ(after->connections[0].judgement.error_estimate, 0.03);
  EXPECT_EQ(after->connections[0].judgement.reason, "too heavy");
  EXPECT_EQ(after->components[0].judgement.verdict, Verdict::trust);
}

TEST(RunReport, IsLaidOutAsOneValueWouldBe) {
  RunReport report = sample();
  report.components.push_back(report.components.front());
  report.components.back().name = "two\nlines \xff";
  report.gluings.emplace_back().notes = {"a note"};
  const std::string text = to_json(report);
  EXPECT_EQ(nlohmann::ordered_json::parse(text).dump(1) + "\n", text);
  report.components.clear(), report.connections.clear();
  const std::string empty = to_json(report);
  EXPECT_EQ(nlohmann::ordered_json::parse(empty).dump(1) + "\n", empty);
}

TEST(RunReport, LongTextsAreWrittenInPiecesThatSplitNoCharacter) {
  RunReport report;
  // Every alignment of two-, three- and four-byte characters with the ends of pieces, and bytes that are none.
  for (const char* filler : {"", "a", "ab", "abc"}) {
    report.resolved_model = filler;
    while (report.resolved_model.size() < 400'000) report.resolved_model += "é€𝄞\"\n";
    EXPECT_EQ(report_from_json(to_json(report))->resolved_model, report.resolved_model);
    report.resolved_model += std::string(200'000, '\x80') + "\xe2\x82";
    const std::string text = to_json(report);
    EXPECT_EQ(nlohmann::ordered_json::parse(text).dump(1) + "\n", text);
  }
}

TEST(RunReport, VerdictHasItsReasonsBelow) {
  EXPECT_EQ(verdict_text(sample()), "Verdict: wrong\n  the run failed\n  connection 'rod': too heavy\n");
  EXPECT_EQ(verdict_text({.error_estimate = 4e-4}), "Verdict: trust (estimated error of the coupling: 0.0004)\n");
}

TEST(RunReport, BriefHasTheAuditInOneLine) {
  const auto line = [](const RunReport& report, const std::string& start) {
    const std::string text = brief_text(report);
    const auto from = text.find(start);
    return from == std::string::npos ? text : text.substr(from, text.find('\n', from) - from);
  };
  EXPECT_EQ(line(sample(), "Audit"), "Audit: wrong: the run failed");  // whose error is shown beside it
  RunReport doubtful{.verdict = Verdict::doubt, .reasons = {"rod: too heavy", "bar: too slow", "shaft: too long"}};
  EXPECT_EQ(line(doubtful, "Audit"), "Audit: doubt: rod: too heavy (and 2 reasons more)");
  doubtful.reasons.resize(1);
  EXPECT_EQ(line(doubtful, "Audit"), "Audit: doubt: rod: too heavy");
  EXPECT_EQ(line({.error_estimate = 4e-4}, "Audit"), "Audit: OK (estimated error of the coupling: 0.0004)");
  EXPECT_EQ(line({.outcome = Outcome::not_started}, "Audit"), "Audit: none, the run has not started");
  const RunReport stopped{.outcome = Outcome::cancelled, .error_estimate = 4e-4, .stop = 2.0, .reached = 0.5};
  EXPECT_EQ(line(stopped, "Audit"),
            "Audit: the run was stopped at t = 0.5 s; until then OK (estimated error of the coupling: 0.0004)");
  EXPECT_EQ(line({.outcome = Outcome::cancelled}, "Audit"), "Audit: none, the run was stopped before its first step");
}

TEST(RunReport, BriefCountsStepsOfASystemOnce) {
  RunReport report{.components = {{.name = "a", .system = "a+b"}, {.name = "b", .system = "a+b"}, {.name = "c"}},
                   .systems = {{.name = "a+b", .components = {"a", "b"}}},
                   .connections = {{.kind = "signal"}, {.kind = "line"}, {.kind = "line"}},
                   .gluings = {{.corrections = 9}}};
  report.components[0].statistics.steps = 40;
  report.systems[0].statistics.steps = 70;
  report.components[2].statistics.steps = 5;
  report.components[2].statistics.failed_error_tests = 3;
  report.components[2].statistics.failed_convergence = 1;
  const std::string text = brief_text(report);
  EXPECT_NE(text.find("\nSteps: 75, 4 repeated; 9 corrections of glued forces\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nModel: 3 components, 3 connections (2 line, 1 signal)\n"), std::string::npos) << text;
}

TEST(RunReport, FileIsReplacedWhole) {
  const support::TemporaryFolder folder;
  const auto file = folder.path() / kReportFileName;
  ASSERT_TRUE(write_report(sample(), file));
  RunReport changed = sample();
  changed.model = "other";
  ASSERT_TRUE(write_report(changed, file));
  EXPECT_EQ(read_report(file)->model, "other");
  EXPECT_FALSE(write_report(changed, folder.path() / "none" / kReportFileName));
  EXPECT_FALSE(read_report(folder.path() / "none.json"));
}

TEST(RunReport, GarbageIsAnError) {
  EXPECT_FALSE(report_from_json("{"));
  EXPECT_FALSE(report_from_json("[]"));
  EXPECT_FALSE(report_from_json("{\"outcome\": 3}"));
}

TEST(RunReport, StatisticsTableHasThePapersRows) {
  const std::string table = statistics_table(sample());
  const auto has = [&](const std::string& text) { return table.find(text) != std::string::npos; };
  EXPECT_TRUE(has("Number of steps                         72436\n")) << table;
  EXPECT_TRUE(has("Jacobian calls/step %                    1.75\n")) << table;
  EXPECT_TRUE(has("Time in writing (with extra RHS) %       43.8\n")) << table;
  EXPECT_TRUE(has("Time in waiting %                        1.75\n")) << table;
  EXPECT_TRUE(has("Mean solver order                        3.17\n")) << table;
}

TEST(RunReport, ManyComponentsShowTheSlowestAndTheSum) {
  RunReport report;
  for (int i = 0; i < 10; ++i) {
    ComponentReport component{.name = std::string("c").append(std::to_string(i))};
    component.statistics.steps = 7;
    component.statistics.seconds_total = i;
    report.components.push_back(component);
  }
  const std::string table = statistics_table(report);
  EXPECT_NE(table.find("c9"), std::string::npos);
  EXPECT_NE(table.find("c4"), std::string::npos);
  EXPECT_EQ(table.find("c3"), std::string::npos);
  EXPECT_NE(table.find("all 10"), std::string::npos);
  EXPECT_NE(table.find(" 70\n"), std::string::npos) << table;
}

TEST(RunReport, ConnectionsTableShowsTroubleFirst) {
  RunReport report = sample();
  for (int i = 0; i < 30; ++i)
    report.connections.push_back({.name = std::string("n").append(std::to_string(i)), .kind = "line"});
  report.connections.back().momentum_residual_relative = 0.5;
  const std::string table = connections_table(report, 2);
  EXPECT_NE(table.find("rod"), std::string::npos);
  EXPECT_NE(table.find("n29"), std::string::npos);
  EXPECT_NE(table.find("... and 30 more"), std::string::npos) << table;
  EXPECT_EQ(connections_table(RunReport{}), "");
}

TEST(RunReport, PeakMemoryIsPlausible) {
  EXPECT_GT(peak_resident_memory(), 1u << 20);
  EXPECT_LT(peak_resident_memory(), std::uint64_t{1} << 40);
}

}  // namespace run_report_test
}  // namespace tieline::results
