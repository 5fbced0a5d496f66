#include <gtest/gtest.h>

#include "program.hpp"
#include "results/reader.hpp"
#include "results/run_report.hpp"

// Whole runs through the program: what settings do, and how runs end that do not reach their end.

namespace tieline::cli {
namespace run_test {

using results::ResultReader;

ResultReader results_in(const std::filesystem::path& folder) {
  auto reader = ResultReader::open(folder);
  if (!reader) throw std::runtime_error(reader.error().describe());
  return std::move(*reader);
}

results::RunReport report_in(const std::filesystem::path& folder) {
  auto report = results::read_report(folder / results::kReportFileName);
  if (!report) throw std::runtime_error(report.error().describe());
  return std::move(*report);
}

double last_value(const std::filesystem::path& folder, std::string_view variable) {
  const auto series = results_in(folder).read(variable);
  if (!series) throw std::runtime_error(series.error().describe());
  return series->values.back();
}

/// Last time that a run which may still be running has on file; none before the first rows.
std::optional<double> time_on_file(const std::filesystem::path& folder) {
  const auto reader = ResultReader::open(folder);
  if (!reader) return std::nullopt;
  const auto series = reader->read("left.body.position");
  if (!series || series->times.empty()) return std::nullopt;
  return series->times.back();
}

class Run : public ::testing::Test {
 protected:
  void SetUp() override { work_.write("pair.xml", pair_model()); }

  /// A run that continues until it is stopped.
  [[nodiscard]] Process endless_run() const {
    return Process(Workplace::command({"run", "pair.xml", "--out", "results", "--stop", "1e9"}), work_.folder());
  }

  Workplace work_;
};

TEST_F(Run, LeavesResultsAndReport) {
  const Outcome outcome = work_.tieline({"run", "pair.xml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Results: pair-results"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(report_in(work_.path("pair-results")).outcome, results::Outcome::done);
  EXPECT_EQ(time_on_file(work_.path("pair-results")), 0.02);
}

TEST_F(Run, EndsWithAShortSummary) {
  const Outcome outcome = work_.tieline({"run", "pair.xml", "--out", "my results"});
  const results::RunReport report = report_in(work_.path("my results"));
  std::uint64_t steps = 0;
  for (const auto& component : report.components) steps += component.statistics.steps;
  for (const std::string& part :
       {std::string("Run of 'pair': done, t = 0.02 s of 0.02 s, "),
        std::string("\nModel: 2 components, 1 connection (1 line)\n"), "\nSteps: " + std::to_string(steps) + ", ",
        std::string("\nAudit: OK (estimated error of the coupling: "), std::string("\nResults: my results\n"),
        std::string("\nNext: tieline info 'my results' "),
        std::string(" tieline plot 'my results' left.body.position ")}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " is not in\n" << outcome.out;
  }
  EXPECT_LE(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 10) << outcome.out;
  EXPECT_EQ(outcome.out.find("Number of RHS calls"), std::string::npos) << outcome.out;
}

TEST_F(Run, ShowsTablesWhereAskedAndInInfo) {
  const Outcome verbose = work_.tieline({"run", "pair.xml", "--out", "results", "--verbose"});
  const Outcome info = work_.tieline({"info", "results"});
  for (const std::string part : {"Number of RHS calls", "Energies [J]", "Connection  kind", "Verdict: trust",
                                 "Audit: OK (estimated error of the coupling: "}) {
    EXPECT_NE(verbose.out.find(part), std::string::npos) << part << " is not in\n" << verbose.out;
    EXPECT_NE(info.out.find(part), std::string::npos) << part << " is not in\n" << info.out;
  }
  const Outcome both = work_.tieline({"run", "pair.xml", "--quiet", "--verbose"});
  EXPECT_EQ(both.exit_code, 3);
  EXPECT_NE(both.err.find("--quiet"), std::string::npos) << both.err;
}

// The bar weighs 0.4 of the 2 kg that it joins: nothing to be silent about.
TEST_F(Run, SummaryAndInfoSayWhatToDoubt) {
  const Outcome outcome = work_.tieline({"run", "pair.xml", "--out", "results", "--set", "T=6e-4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const results::RunReport report = report_in(work_.path("results"));
  ASSERT_NE(report.verdict, results::Verdict::trust);
  ASSERT_FALSE(report.reasons.empty());
  const std::string line = "\nAudit: " + std::string(results::name_of(report.verdict)) + ": " + report.reasons.front();
  EXPECT_NE(outcome.out.find(line), std::string::npos) << outcome.out;
  const Outcome info = work_.tieline({"info", "results"});
  EXPECT_NE(info.out.find(line), std::string::npos) << info.out;
  for (const std::string& reason : report.reasons) EXPECT_NE(info.out.find("\n  " + reason), std::string::npos);
}

TEST_F(Run, SaysOnceThatAWarningIsOne) {
  // The line's own mass is as much as that of the lighter body.
  const Outcome outcome = work_.tieline({"run", "pair.xml", "--out", "heavy", "--set", "T=1e-3"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Outcome shown = work_.tieline({"info", "heavy"});
  for (const std::string& said : {outcome.err, shown.out}) {
    const auto at = said.find("warning: pair.xml:");
    ASSERT_NE(at, std::string::npos) << said;
    const std::string line = said.substr(at, said.find('\n', at) - at);
    EXPECT_EQ(line.rfind("warning: "), 0U) << line;
    EXPECT_NE(line.find(": connection 'rod': the line's own mass"), std::string::npos) << line;
  }
}

TEST_F(Run, IsQuietWhereAsked) {
  const Outcome outcome = work_.tieline({"run", "pair.xml", "--quiet", "--out", "deep/er/folder"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_TRUE(std::filesystem::exists(work_.path("deep/er/folder/results.h5")));
}

TEST_F(Run, RecordsNothingWhereAsked) {
  EXPECT_EQ(work_.tieline({"run", "pair.xml", "--no-results"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(work_.path("pair-results")));
}

TEST_F(Run, TakesParametersOfTheModelItsComponentsAndNestedModels) {
  work_.write("nest.xml", R"(<CompositeModel name="nest">
  <Components>
    <Component name="sub" kind="composite" file="pair.xml"/>
  </Components>
  <Simulation start="0" stop="0.02" write_interval="1e-3"/>
</CompositeModel>)");
  const auto run = [&](const std::string& model, const std::vector<std::string>& settings, const std::string& out) {
    std::vector<std::string> arguments{"run", model, "--quiet", "--out", out};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    const Outcome outcome = work_.tieline(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  };
  run("pair.xml", {}, "plain");
  run("pair.xml", {"F={100*2}"}, "double");
  run("pair.xml", {"F=200", "left.m=4", "right.c=20"}, "all");
  run("nest.xml", {"sub.F=200", "sub.left.m=4", "sub.right.c=20"}, "nested");
  const double plain = last_value(work_.path("plain"), "left.body.position");
  EXPECT_NEAR(last_value(work_.path("double"), "left.body.position"), 2.0 * plain, 1e-6 * std::abs(plain));
  const double all = last_value(work_.path("all"), "left.body.position");
  EXPECT_GT(std::abs(all - plain), 1e-3 * std::abs(plain));
  EXPECT_EQ(last_value(work_.path("nested"), "sub.left.body.position"), all);
}

TEST_F(Run, GivesTheSameBitsWithAnyNumberOfThreads) {
  for (const std::string threads : {"1", "2"}) {
    ASSERT_EQ(
        work_.tieline({"run", example("chain/chain.xml"), "--quiet", "--out", threads, "--threads", threads}).exit_code,
        0);
  }
  const auto one = results_in(work_.path("1")), two = results_in(work_.path("2"));
  ASSERT_EQ(one.tables().size(), two.tables().size());
  for (std::size_t i = 0; i < one.tables().size(); ++i) {
    ASSERT_EQ(one.tables()[i].owner, two.tables()[i].owner);
    const auto rows = one.rows(i);
    ASSERT_TRUE(rows);
    const auto a = one.read_rows(i, {0, *rows}), b = two.read_rows(i, {0, *rows + 1});
    ASSERT_TRUE(a && b);
    EXPECT_EQ(*a, *b) << one.tables()[i].owner;
  }
}

TEST_F(Run, FailureNamesComponentAndTime) {
  work_.write("pole.xml", pair_model("{1e3*step(t-0.01)/(0.01-t)}"));
  const Outcome outcome = work_.tieline({"run", "pole.xml", "--out", "results"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("component 'left', t = 0.01 s"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("not finite"), std::string::npos) << outcome.err;
  EXPECT_EQ(report_in(work_.path("results")).outcome, results::Outcome::failed);
  EXPECT_GT(time_on_file(work_.path("results")), 0.009);
  const Outcome info = work_.tieline({"info", "results"});
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_NE(info.out.find("component 'left', t = 0.01 s"), std::string::npos) << info.out;
}

TEST_F(Run, InterruptedStopsAtOnceAndKeepsWhatItHas) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Process run = endless_run();
    ASSERT_TRUE(run.wait_until([&] { return time_on_file(work_.path("results")).has_value(); }));
    run.send(signal);
    const auto outcome = run.wait();
    ASSERT_TRUE(outcome) << "the run goes on after signal " << signal;
    EXPECT_EQ(outcome->exit_code, 2);
    EXPECT_NE(outcome->err.find("stopped on request at t = "), std::string::npos) << outcome->err;
    const results::RunReport report = report_in(work_.path("results"));
    EXPECT_EQ(report.outcome, results::Outcome::cancelled);
    EXPECT_GT(report.reached, 0.0);
    // All of it is on file, but for what does not make a whole row.
    EXPECT_NEAR(*time_on_file(work_.path("results")), report.reached, 2e-4);
    // What was not computed was not audited.
    const Outcome info = work_.tieline({"info", "results"});
    EXPECT_EQ(info.exit_code, 0);
    for (const std::string& said : {outcome->out, info.out}) {
      EXPECT_NE(said.find("\nAudit: the run was stopped at t = "), std::string::npos) << said;
      EXPECT_NE(said.find(" s; until then "), std::string::npos) << said;
      EXPECT_EQ(said.find("Audit: OK"), std::string::npos) << said;
    }
    const std::string verdict = "\nVerdict: " + std::string(results::name_of(report.verdict)) + " until t = ";
    EXPECT_NE(info.out.find(verdict), std::string::npos) << info.out;
    std::filesystem::remove_all(work_.path("results"));
  }
}

TEST_F(Run, HasItsFolderForItself) {
  Process first = endless_run();
  ASSERT_TRUE(first.wait_until([&] { return time_on_file(work_.path("results")).has_value(); }));
  const Outcome second = work_.tieline({"run", "pair.xml", "--out", "results", "--stop", "0.001"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_NE(second.err.find("the result folder 'results' is in use by another run, process "), std::string::npos)
      << second.err;
  EXPECT_NE(second.err.find("choose another folder"), std::string::npos) << second.err;
  first.send(SIGKILL);
  ASSERT_TRUE(first.wait());
  EXPECT_EQ(work_.tieline({"run", "pair.xml", "--out", "results", "--stop", "0.001"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(work_.path("results/run.lock")));
}

TEST_F(Run, WithoutANamedFolderTakesOneOfItsOwn) {
  Process first(Workplace::command({"run", "pair.xml", "--stop", "1e6", "--quiet"}), work_.folder());
  ASSERT_TRUE(first.wait_until([&] { return time_on_file(work_.path("pair-results")).has_value(); }));
  const Outcome second = work_.tieline({"run", "pair.xml", "--stop", "0.001"});
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_NE(second.out.find("Results: pair-results-2\n"), std::string::npos) << second.out;
  EXPECT_EQ(report_in(work_.path("pair-results-2")).outcome, results::Outcome::done);
}

TEST_F(Run, KilledLeavesReadableResults) {
  ASSERT_EQ(work_.tieline({"run", "pair.xml", "--out", "results", "--quiet"}).exit_code, 0);  // an earlier run
  double seen = 0.0;
  {
    Process run = endless_run();
    // Rows reach the file again and again during the run, so that only the latest can be lost.
    for (int times_grown = 0; times_grown < 3; ++times_grown) {
      ASSERT_TRUE(run.wait_until([&] {
        const double now = time_on_file(work_.path("results")).value_or(0.0);
        const bool has_grown = now > std::max(seen, 0.02);
        if (has_grown) seen = now;
        return has_grown;
      }));
    }
    run.send(SIGKILL);
    const auto outcome = run.wait();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->signal, SIGKILL);
  }
  EXPECT_GE(*time_on_file(work_.path("results")), seen);

  const Outcome info = work_.tieline({"info", "results"});
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_NE(info.out.find("killed"), std::string::npos) << "the report of the earlier run speaks for this one";
  EXPECT_NE(info.out.find("left.body.position"), std::string::npos);
  const Outcome exported =
      work_.tieline({"export", "results", "--csv", "left.csv", "--variables", "left.body.position", "--step", "1"});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_NE(text_of(work_.path("left.csv")).find("time,left.body.position\n0,0\n"), std::string::npos);
  const Outcome plotted = work_.tieline({"plot", "results", "left.body.position", "-o", "left.svg"});
  EXPECT_EQ(plotted.exit_code, 0) << plotted.err;
}

TEST_F(Run, NeedsAFolderThatCanBeWritten) {
  work_.write("file", "");
  for (const std::string folder : {"file", "file/below", "/proc/nowhere"}) {
    const Outcome outcome = work_.tieline({"run", "pair.xml", "--out", folder});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find(folder), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("folder"), std::string::npos) << outcome.err;
  }
}

}  // namespace run_test
}  // namespace tieline::cli
