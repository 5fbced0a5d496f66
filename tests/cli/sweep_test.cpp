#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "tieline/simulation.hpp"

#include "program.hpp"

namespace tieline::cli {
namespace sweep_test {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Cells of a table without quotes.
std::vector<std::vector<std::string>> cells_of(const fs::path& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream stream(text_of(csv));
  for (std::string line; std::getline(stream, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

TEST(Sweep, MeasuresWhatSingleRunsGive) {
  const Workplace place;
  place.write("pair.xml", pair_model());
  const Outcome outcome =
      place.tieline({"sweep", "pair.xml", "--vary", "F=100,300", "--vary", "left.m=1,3", "--measure",
                     "right.body.position", "--plot", "right.body.position", "--jobs", "2"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "4 of 4 combinations done"));
  EXPECT_TRUE(has(outcome.err, "[4/4]"));
  EXPECT_TRUE(has(text_of(place.path("pair-sweep/plot.svg")), "F=300,left.m=3"));

  const auto table = cells_of(place.path("pair-sweep/table.csv"));
  ASSERT_EQ(table.size(), 5U);
  std::map<std::string, std::size_t> column;
  for (std::size_t i = 0; i < table[0].size(); ++i) column[table[0][i]] = i;
  for (std::size_t row = 1; row < table.size(); ++row) {
    EXPECT_EQ(table[row][column.at("status")], "done");
    auto simulation = Simulation::load(place.path("pair.xml"));
    simulation.set("F", table[row][0]);
    simulation.set("left.m", table[row][1]);
    simulation.advance_to(simulation.stop_time());
    EXPECT_EQ(std::stod(table[row][column.at("right.body.position.final")]), simulation.get("right.body.position"));
  }
}

TEST(Sweep, ListsErrorsAndTheirOrder) {
  const Workplace place;
  place.write("pair.xml", pair_model());
  ASSERT_EQ(place.tieline({"run", "pair.xml", "--quiet", "--out", "still", "--set", "F=0"}).exit_code, 0);
  // The pair is linear: what a force does is proportional to it.
  const Outcome outcome = place.tieline({"sweep", "pair.xml", "--vary", "F=100,300", "--reference", "still", "--error",
                                         "right.body.position", "--error", "left.body.position=right.body.position"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "error of right.body.position  order")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "1.00")) << outcome.out;
  const auto table = cells_of(place.path("pair-sweep/table.csv"));
  const auto column = static_cast<std::size_t>(
      std::find(table[0].begin(), table[0].end(), "right.body.position.error") - table[0].begin());
  ASSERT_LT(column, table[0].size());
  EXPECT_NEAR(std::stod(table[2][column]) / std::stod(table[1][column]), 3.0, 1e-4);

  const Outcome plot = place.tieline({"plot", "pair-sweep", "*.error", "--log", "xy", "--slope", "1", "-o", "x.svg"});
  EXPECT_EQ(plot.exit_code, 0) << plot.err;
  EXPECT_TRUE(has(text_of(place.path("x.svg")), ">slope 1<"));
  EXPECT_EQ(place.tieline({"plot", "pair-sweep"}).exit_code, 3);
  const Outcome misspelled = place.tieline({"plot", "pair-sweep", "right.body.position.eror"});
  EXPECT_EQ(misspelled.exit_code, 1);
  EXPECT_TRUE(has(misspelled.err, "'right.body.position.error'")) << misspelled.err;
  EXPECT_EQ(place.tieline({"plot", "still", "right.body.position", "--over", "F"}).exit_code, 3);
  EXPECT_EQ(place.tieline({"plot", "still", "*.position", "--log", "z"}).exit_code, 3);
}

TEST(Sweep, ReportsVariablesMissingInTheReferenceBeforeTheStart) {
  const Workplace place;
  place.write("pair.xml", pair_model());
  ASSERT_EQ(place.tieline({"run", "pair.xml", "--quiet", "--out", "still"}).exit_code, 0);
  const Outcome both = place.tieline({"sweep", "pair.xml", "--vary", "F=1,2", "--reference", "still", "--error",
                                      "right.body.positon", "--error", "left.body.position=left.bdy.position"});
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_TRUE(has(both.err, "the model has no such variable")) << both.err;
  EXPECT_TRUE(has(both.err, "the reference has no such variable")) << both.err;
  const Outcome folder = place.tieline(
      {"sweep", "pair.xml", "--vary", "F=1,2", "--reference", "nowhere", "--error", "right.body.position"});
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_TRUE(has(folder.err, "nowhere")) << folder.err;
  EXPECT_EQ(place.tieline({"sweep", "pair.xml", "--vary", "F=1", "--error", "right.body.position"}).exit_code, 3);
  EXPECT_FALSE(fs::exists(place.path("pair-sweep")));
}

TEST(Sweep, KeepsGoingPastBadCombinations) {
  const Workplace place;
  place.write("pair.xml", pair_model("{1e3*step(t-F)/(F-t)}"));
  place.write("cases.csv", "F,left.m\n1,1\n0.01,1\n1,-1\n");
  const Outcome outcome = place.tieline({"sweep", "pair.xml", "--list", "cases.csv", "--quiet"});
  const auto table = cells_of(place.path("pair-sweep/table.csv"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_EQ(table.size(), 4U) << outcome.err;
  EXPECT_EQ(table[1][2], "done");
  EXPECT_EQ(table[2][2], "failed");
  EXPECT_EQ(table[3][2], "refused");
  EXPECT_TRUE(has(outcome.err, "F=1,left.m=-1: refused:")) << outcome.err;
}

TEST(Sweep, ReportsProblemsBeforeTheStart) {
  const Workplace place;
  place.write("pair.xml", pair_model());
  const Outcome name = place.tieline({"sweep", "pair.xml", "--vary", "left.mm=1,2"});
  EXPECT_EQ(name.exit_code, 1);
  EXPECT_TRUE(has(name.err, "the model has no parameter 'left.mm'")) << name.err;
  const Outcome variable = place.tieline({"sweep", "pair.xml", "--vary", "F=1,2", "--measure", "right.body.positon"});
  EXPECT_EQ(variable.exit_code, 1);
  EXPECT_TRUE(has(variable.err, "right.body.position")) << variable.err;
  EXPECT_EQ(place.tieline({"sweep", "pair.xml"}).exit_code, 3);
  EXPECT_FALSE(fs::exists(place.path("pair-sweep")));
}

TEST(Sweep, RefusesToMixRunsOfDifferentModels) {
  const Workplace place;
  place.write("pair.xml", pair_model());
  const std::vector<std::string> command{"sweep", "pair.xml", "--vary", "F=1,2", "--stop", "0.002", "--quiet"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return place.tieline(more);
  };
  ASSERT_EQ(with({}).exit_code, 0);
  const Outcome again = with({});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_TRUE(has(again.err, "--resume continues it")) << again.err;
  EXPECT_EQ(with({"--resume"}).exit_code, 0);
  const Outcome settings = with({"--resume", "--set", "T=2e-4"});
  EXPECT_EQ(settings.exit_code, 1);
  EXPECT_TRUE(has(settings.err, "its settings are")) << settings.err;

  place.write("pair.xml", pair_model("{2*F}"));
  const Outcome changed = with({"--resume"});
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_TRUE(has(changed.err, "pair.xml' has changed")) << changed.err;
  EXPECT_EQ(with({"--fresh"}).exit_code, 0);
}

std::map<std::string, fs::file_time_type> finished_runs(const fs::path& folder) {
  std::map<std::string, fs::file_time_type> times;
  if (!fs::exists(folder)) return times;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "run.json")) {
      times[entry.path().filename().string()] = fs::last_write_time(entry.path() / "results.h5");
    }
  }
  return times;
}

/// A sweep of six runs of a while each; ended by a signal once the first run has finished.
void interrupt_and_resume(int signal) {
  const Workplace place;
  place.write("pair.xml", pair_model());
  const fs::path folder = place.path("pair-sweep");
  std::vector<std::string> command{"sweep", "pair.xml", "--vary", "F=1:6:6", "--stop", "0.5", "--jobs", "1"};
  Process sweep(Workplace::command(command), place.folder());
  ASSERT_TRUE(sweep.wait_until([&] { return !finished_runs(folder).empty(); }));
  sweep.send(signal);
  const auto ended = sweep.wait();
  ASSERT_TRUE(ended);
  if (signal == SIGKILL) {
    EXPECT_EQ(ended->signal, SIGKILL);
  } else {
    EXPECT_EQ(ended->exit_code, 2);
    EXPECT_TRUE(has(ended->err, "--resume continues")) << ended->err;
  }
  const auto before = finished_runs(folder);
  ASSERT_LT(before.size(), 6U);

  command.push_back("--resume");
  const Outcome resumed = place.tieline(command);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_TRUE(has(resumed.out, "6 of 6 combinations done")) << resumed.out;
  const auto after = finished_runs(folder);
  EXPECT_EQ(after.size(), 6U);
  for (const auto& [name, time] : before) EXPECT_EQ(after.at(name), time) << name << " was computed again";
}

TEST(Sweep, ContinuesAfterItWasKilled) { interrupt_and_resume(SIGKILL); }
TEST(Sweep, ContinuesAfterCtrlC) { interrupt_and_resume(SIGINT); }

TEST(Trace, ShowsEveryWindowAndWait) {
  const Workplace place;
  place.write("pair.xml", pair_model());
  for (const char* threads : {"1", "2"}) {
    const Outcome outcome =
        place.tieline({"run", "pair.xml", "--no-results", "--threads", threads, "--trace", "trace.json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "Trace: trace.json"));
    const auto events = nlohmann::json::parse(text_of(place.path("trace.json")));
    int windows = 0;
    double reached = 0.0;
    for (const auto& event : events) {
      if (event.value("cat", "") == "wait") {
        EXPECT_TRUE(event.at("name").get<std::string>().starts_with("waits for "));
        EXPECT_GE(event.at("dur").get<double>(), 0.0);
      }
      if (event.value("cat", "") != "window") continue;
      ++windows;
      reached = std::max(reached, event.at("args").at("to").get<double>());
      EXPECT_GE(event.at("dur").get<double>(), 0.0);
    }
    // 0.02 s in windows of half a delay of 1e-4 s, at both ends.
    EXPECT_EQ(windows, 800);
    EXPECT_DOUBLE_EQ(reached, 0.02);
  }
}

TEST(Trace, SaysWhatItDoesNotSee) {
  const Workplace place;
  place.write("pair.xml", pair_model());
  const Outcome outcome = place.tieline({"run", "pair.xml", "--no-results", "--isolate", "--trace", "trace.json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out + outcome.err, "the trace does not cover what other processes compute: "))
      << outcome.out << outcome.err;
}

TEST(Trace, SaysWhereItCannotBeWritten) {
  const Workplace place;
  place.write("pair.xml", pair_model());
  const Outcome outcome = place.tieline({"run", "pair.xml", "--no-results", "--trace", "nowhere/trace.json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "there is no folder 'nowhere'")) << outcome.err;
}

TEST(Advise, DescribesTheLineInWords) {
  const Workplace place;
  place.write("pair.xml", pair_model());
  const Outcome outcome = place.tieline({"advise", "pair.xml"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "bodies at its ends: 2 kg and 1 kg")) << outcome.out;
  // k T^2 = 0.01 kg; ten times the delay makes it 1 kg, as much as the lighter body.
  EXPECT_TRUE(has(outcome.out, "100 %")) << outcome.out;
  EXPECT_FALSE(has(outcome.out, "warning")) << outcome.out;
  const Outcome heavy = place.tieline({"advise", "pair.xml", "--set", "T=1e-3"});
  EXPECT_TRUE(has(heavy.out, "warning: the line's own mass is 100 % of the lighter body")) << heavy.out;
  EXPECT_EQ(place.tieline({"advise", "pair.xml", "--set", "T=0"}).exit_code, 1);
}

// Programs are not run for advice, nor are FMUs in processes of their own: what is not known is said to be so.
TEST(Advise, SaysWhatIsNotKnownOfPrograms) {
  const Workplace place;
  place.write("tool.xml", R"(<CompositeModel name="m"><Components>
    <Component name="a" kind="network"><Network><Mass name="m" mass="2"/><Interface name="end" node="m"/></Network></Component>
    <Component name="b" kind="process" command="true"><Interface name="end" domain="translation"/></Component></Components>
    <Connections><Connection name="rod" from="a.end" to="b.end" coupling="line" stiffness="1e6" delay="1e-4"/></Connections>
    <Simulation stop="1"/></CompositeModel>)");
  const Outcome outcome = place.tieline({"advise", "tool.xml"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "bodies at its ends: 2 kg and unknown")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "stiffness of the components themselves: rigid and unknown")) << outcome.out;
}

}  // namespace sweep_test
}  // namespace tieline::cli
