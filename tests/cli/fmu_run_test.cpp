#include <gtest/gtest.h>

#include "program.hpp"

// A single FMU from the command line: its inputs from a file, what is recorded, a picture.

namespace tieline::cli {
namespace fmu_run_test {

std::string inbox(int version) {
  return std::string(TIELINE_TEST_FMUS "/inbox_fmi") + std::to_string(version) + ".fmu";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(FmuRun, IsDrivenRecordedAndPlotted) {
  const Workplace place;
  place.write("measured.csv",
              "\xEF\xBB\xBF\"time [ms]\";\"push [kN]\";\"valve/open\";\"kind.of=one\"\r\n"
              "# measured on a Tuesday\r\n"
              "0;0,001;false;plain\r\n"
              "1000;0,003;true;odd\r\n");
  const Outcome run = place.tieline({"run", inbox(3), "--input", "measured.csv", "--map", "push=u", "--write-interval",
                                     "0.1", "--record", "u", "x", "*open*", "--plot", "--out", "results"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(has(run.out, "Plot: results/plot.svg")) << run.out;
  EXPECT_TRUE(has(text_of(place.path("results/plot.svg")), "<svg"));
  EXPECT_TRUE(has(run.err, "inputs that no column drives") || run.err.empty()) << run.err;
  const Outcome exported = place.tieline({"export", "results", "--csv", "rows.csv"});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  const std::string rows = text_of(place.path("rows.csv"));
  EXPECT_TRUE(has(rows, "inbox.u.value")) << rows;
  EXPECT_TRUE(has(rows, "inbox.valve/open seen.value")) << rows;
  EXPECT_FALSE(has(rows, "inbox.violations")) << rows;
  // What was exported drives the FMU again.
  const Outcome again = place.tieline({"run", inbox(3), "--input", "rows.csv", "--out", "again"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

/// The last value of a variable that was recorded.
double last_value(const Workplace& place, const std::string& results, const std::string& variable) {
  const Outcome exported = place.tieline({"export", results, "--csv", "last.csv", "--variables", variable});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  std::string text = text_of(place.path("last.csv"));
  while (text.ends_with('\n')) text.pop_back();
  return std::stod(text.substr(text.rfind(',') + 1));
}

TEST(FmuRun, MatFilesAndResultsDriveItAsTextDoes) {
  const Workplace place;
  place.write("rows.csv",
              "time,u,valve/open,the count [n],kind.of=one\n0,0,false,1,plain\n0.25,1,true,-3,odd\n0.25,3,true,-3,odd\n"
              "0.5,3,true,4,plain\n1,5,true,4,plain\n");
  constexpr double kStep = 0.01;
  for (const char* mode : {"model_exchange", "co_simulation"}) {
    const auto drive = [&](const std::string& input, const std::string& out) {
      const Outcome run =
          place.tieline({"run", inbox(2), "--mode", mode, "--step", std::to_string(kStep), "--tolerance", "1e-9",
                         "--write-interval", "0", "--input", input, "--record", "all", "--out", out});
      EXPECT_EQ(run.exit_code, 0) << run.err;
    };
    drive("rows.csv", "text");
    const Outcome exported = place.tieline({"export", "text", "--mat", "rows.mat"});
    EXPECT_EQ(exported.exit_code, 0) << exported.err;
    drive("rows.mat", "mat");
    drive("text", "results");
    drive("text/results.h5", "file");
    for (const char* other : {"mat", "results", "file"}) {
      for (const char* variable : {"inbox.the count [n] seen.value", "inbox.kind.of=one+more.value",
                                   "inbox.valve/open seen.value", "inbox.violations.value"}) {
        EXPECT_EQ(last_value(place, other, variable), last_value(place, "text", variable)) << mode << other << variable;
      }
      // What was recorded has one row at the jump of 2, and straight lines around it within a step.
      EXPECT_NEAR(last_value(place, other, "inbox.x"), last_value(place, "text", "inbox.x"), 2.0 * kStep)
          << mode << other;
    }
  }
}

TEST(FmuRun, DamagedInputsAreNamed) {
  const Workplace place;
  place.write("bad.mat", "no such thing");
  place.write("bad.h5", "\x89HDF\r\n\x1a\n and no more");
  const std::vector<std::pair<std::string, std::string>> expected{
      {"bad.mat", "bad.mat' is not a MAT file, or is damaged"},
      {"bad.h5", "bad.h5': cannot be opened"},
      {"nowhere.mat", "nowhere.mat' cannot be read: it does not exist"}};
  for (const auto& [file, reason] : expected) {
    const Outcome outcome = place.tieline({"check", inbox(2), "--input", file});
    EXPECT_EQ(outcome.exit_code, 1) << file;
    EXPECT_TRUE(has(outcome.out + outcome.err, reason)) << outcome.out << outcome.err;
  }
}

TEST(FmuRun, NamesOfAnyKindAreSetPlottedAndCompared) {
  const Workplace place;
  const Outcome run = place.tieline({"run", inbox(2), "--set", "\"kind.of=one\"=odd", "--set", "level, \"set\"=3",
                                     "--set", "the count [n]=-2", "--out", "a"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const Outcome shown = place.tieline({"info", "a"});
  EXPECT_TRUE(has(shown.out, "inbox.kind.of=one+more.value")) << shown.out;
  for (const std::vector<std::string>& variables :
       {std::vector<std::string>{"inbox.kind.of=one+more.value"},
        {"inbox.valve/open seen.value", "inbox.level, \"seen\".value"},
        {"\"inbox.kind.of=one+more.value\"+inbox.the count [n] seen.value"}}) {
    std::vector<std::string> arguments{"plot", "a"};
    arguments.insert(arguments.end(), variables.begin(), variables.end());
    const Outcome plot = place.tieline(arguments);
    EXPECT_EQ(plot.exit_code, 0) << variables.front() << plot.err;
  }
  const Outcome compared = place.tieline(
      {"compare", "a", "a", "--variables", "\"inbox.kind.of=one+more.value\"=\"inbox.kind.of=one.value\""});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
}

TEST(FmuRun, OptionsOfASingleFmuAreRefusedForModels) {
  const Workplace place;
  place.write("pair.xml", pair_model());
  const std::vector<std::pair<std::vector<std::string>, std::string>> expected{
      {{"--input", "x.csv"}, "<Open interface=\"COMPONENT.INPUT\" as=\"signal\" file=\"x.csv\""},
      {{"--step", "1e-3"}, "the attribute step of <Component>"},
      {{"--record", "all"}, "the attribute variables of <Record>"}};
  for (const auto& [options, advice] : expected) {
    std::vector<std::string> arguments{"run", "pair.xml"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = place.tieline(arguments);
    EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
    EXPECT_TRUE(has(outcome.err, advice)) << outcome.err;
  }
}

TEST(FmuRun, ProblemsOfTheInputAreReportedTogether) {
  const Workplace place;
  place.write("bad.csv", "time,u,v\n0,1,2\n1,x,2\n");
  const Outcome outcome = place.tieline({"check", inbox(2), "--input", "bad.csv", "--map", "w=k"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.out + outcome.err, "bad.csv:3:3: error: 'x' is not a number")) << outcome.out << outcome.err;
  EXPECT_TRUE(has(outcome.out + outcome.err, "has no column 'w'")) << outcome.out << outcome.err;
}

}  // namespace fmu_run_test
}  // namespace tieline::cli
