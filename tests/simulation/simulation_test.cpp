#include "tieline/simulation.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/pair_model.hpp"

namespace tieline::support {
namespace simulation_test {

PairModel pair_model() {
  PairModel model;
  model.line = Line::from_stiffness(1e6, 1e-4);
  model.pair.load2 = Load::constant(100.0);
  model.stop = 0.02;
  model.write_interval = 1e-4;
  return model;
}

template <class Exception>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Simulation, AdvancesInStages) {
  const ModelFiles files(pair_model().text());
  Simulation simulation = Simulation::load(files.path());
  EXPECT_EQ(simulation.start_time(), 0.0);
  EXPECT_EQ(simulation.stop_time(), 0.02);
  EXPECT_EQ(simulation.time(), 0.0);
  simulation.advance_to(0.01);
  EXPECT_EQ(simulation.time(), 0.01);
  EXPECT_THROW(simulation.advance_to(0.005), RunError);
  EXPECT_EQ(simulation.time(), 0.01);
  simulation.advance_to(0.010001);  // no bound of any window
  EXPECT_EQ(simulation.time(), 0.010001);
  EXPECT_THROW(simulation.advance_to(1e9), RunError);
  simulation.advance_to(0.02);
  EXPECT_EQ(simulation.time(), 0.02);
  simulation.finish();
  EXPECT_EQ(simulation.time(), 0.02);
  EXPECT_NE(message_of<RunError>([&] { simulation.advance_to(0.02); }).find("finished"), std::string::npos);
}

TEST(Simulation, TakesSettingsTogetherWithoutReadingTheFileAgain) {
  const ModelFiles files(pair_model().text());
  Simulation simulation = Simulation::load(files.path());
  // A file that looks unchanged is not opened: what is in it now would not be understood.
  const auto changed = std::filesystem::last_write_time(files.path());
  const std::string nonsense(std::filesystem::file_size(files.path()), 'x');
  std::ofstream(files.path(), std::ios::binary) << nonsense;
  std::filesystem::last_write_time(files.path(), changed);
  const std::string said = message_of<ModelError>([&] {
    simulation.set({{"none", "1"}, {"body1.nothing", "2"}, {"neither", "3"}});
  });
  for (const char* name : {"none", "body1.nothing", "neither"}) {
    EXPECT_NE(said.find(std::string("--set ") + name), std::string::npos) << said;
  }
  simulation.set({});
  simulation.advance_to(0.01);
  EXPECT_EQ(simulation.time(), 0.01);
}

TEST(Simulation, ReturnsValuesByName) {
  const ModelFiles files(pair_model().text());
  Simulation simulation = Simulation::load(files.path());
  simulation.start();
  const auto names = simulation.variables();
  EXPECT_NE(std::find(names.begin(), names.end(), "body2.body.position"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "connections.rod.energy"), names.end());
  EXPECT_EQ(simulation.get("body2.push.force"), 100.0);  // before the first step too
  EXPECT_NE(
      message_of<std::out_of_range>([&] { (void)simulation.get("body2.body.positon"); }).find("body2.body.position"),
      std::string::npos);
}

TEST(Simulation, NothingThatIsAskedStartsIt) {
  const ModelFiles files(pair_model().text());
  const TemporaryFolder folder;
  Simulation simulation = Simulation::load(files.path());
  simulation.record_to(folder.path() / "results");
  const std::string why = "the run has not started: call start() first";
  EXPECT_EQ(message_of<RunError>([&] { (void)simulation.get("body2.body.position"); }), why);
  EXPECT_EQ(message_of<RunError>([&] { (void)simulation.variables(); }), why);
  EXPECT_EQ(message_of<RunError>([&] { (void)simulation.save(); }), why);
  EXPECT_EQ(simulation.summary(), "");
  EXPECT_TRUE(simulation.warnings().empty());
  const auto report = nlohmann::json::parse(simulation.report_json());
  EXPECT_EQ(report.at("outcome"), "not started");
  EXPECT_EQ(report.at("stop"), 0.02);
  EXPECT_FALSE(simulation.has_started());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "results"));

  simulation.start();
  simulation.start();  // once
  EXPECT_TRUE(simulation.has_started());
  EXPECT_EQ(simulation.time(), 0.0);
  EXPECT_EQ(nlohmann::json::parse(simulation.report_json()).at("outcome"), "not started");
  EXPECT_TRUE(results::report_from_json(simulation.report_json()));
  simulation.advance_to(0.02);
  EXPECT_EQ(nlohmann::json::parse(simulation.report_json()).at("outcome"), "done");
}

TEST(Simulation, SettingsComeBeforeTheRun) {
  const ModelFiles files(pair_model().text());
  Simulation simulation = Simulation::load(files.path());
  simulation.set_stop(0.03);
  EXPECT_EQ(simulation.stop_time(), 0.03);
  EXPECT_THROW(simulation.set_stop(0.0), ModelError);
  EXPECT_THROW(simulation.set_stop(std::numeric_limits<double>::infinity()), ModelError);
  simulation.advance_to(0.01);
  EXPECT_THROW(simulation.set("k", 1.0), RunError);
  EXPECT_THROW(simulation.set_stop(0.05), RunError);
  EXPECT_THROW(simulation.record_to(files.path("results")), RunError);
}

TEST(Simulation, ReportsEveryProblemOfAModel) {
  const ModelFiles files(
      "<CompositeModel name=\"bad\"><Components><Component name=\"a\" kind=\"network\"><Network><Mass name=\"m\" "
      "mass=\"-1\"/><Sprng name=\"s\"/></Network></Component></Components>\n<Connections>\n<Connection from=\"a.x\" "
      "to=\"b.y\"/></Connections><Simulation stop=\"1\"/></CompositeModel>");
  const std::string problems = message_of<ModelError>([&] { (void)Simulation::load(files.path()); });
  EXPECT_NE(problems.find("model.xml:1:"), std::string::npos) << problems;
  EXPECT_NE(problems.find("Sprng"), std::string::npos) << problems;
  EXPECT_NE(problems.find("Spring"), std::string::npos) << problems;
  EXPECT_NE(problems.find("model.xml:3:"), std::string::npos) << problems;
  EXPECT_NE(message_of<ModelError>([&] { (void)Simulation::load(files.path("none.xml")); }).find("none.xml"),
            std::string::npos);
}

TEST(Simulation, StopsOnRequestWithResultsKept) {
  PairModel model = pair_model();
  model.stop = 1e4;
  const ModelFiles files(model.text());
  const TemporaryFolder folder;
  for (const int threads : {1, 2}) {
    Simulation simulation = Simulation::load(files.path());
    simulation.record_to(folder.path());
    simulation.advance_to(0.01);
    const std::atomic<bool> cancel{true};
    try {
      simulation.advance_to(model.stop, {.threads = threads, .on_progress = {}, .cancel = &cancel});
      FAIL() << "not stopped";
    } catch (const RunError& error) {
      EXPECT_TRUE(error.is_cancelled());
    }
    simulation.finish();
    const RunRecord run = read_run(folder.path());
    EXPECT_EQ(run.report.outcome, results::Outcome::cancelled);
    EXPECT_GE(run.times("body1.body.position").back(), 0.0099);
  }
}

// A force that becomes infinite: the run ends with the component's name and time, and what came before is readable.
TEST(Simulation, FailureNamesItsPlaceAndKeepsResults) {
  const ModelFiles files(
      "<CompositeModel name=\"bad\"><Components><Component name=\"good\" kind=\"network\"><Network><Mass name=\"m\" "
      "mass=\"1\"/><Interface name=\"end\" node=\"m\"/></Network></Component><Component name=\"burst\" "
      "kind=\"network\"><Network><Mass name=\"m\" mass=\"1\"/><Load name=\"f\" node=\"m\" force=\"{1/sqrt(0.01-t)}\"/>"
      "<Interface name=\"end\" node=\"m\"/></Network></Component></Components><Connections><Connection name=\"rod\" "
      "from=\"good.end\" to=\"burst.end\" coupling=\"line\" stiffness=\"1e6\" "
      "delay=\"1e-4\"/></Connections><Simulation "
      "stop=\"0.05\" write_interval=\"1e-4\"/></CompositeModel>");
  const TemporaryFolder folder;
  Simulation simulation = Simulation::load(files.path());
  simulation.record_to(folder.path());
  const std::string why = message_of<RunError>([&] { simulation.advance_to(0.05); });
  EXPECT_NE(why.find("component 'burst'"), std::string::npos) << why;
  EXPECT_NE(why.find("t = 0.0"), std::string::npos) << why;
  simulation.finish();
  const RunRecord run = read_run(folder.path());
  EXPECT_EQ(run.report.outcome, results::Outcome::failed);
  ASSERT_TRUE(run.report.error.has_value());
  EXPECT_EQ(run.report.error->component, "burst");
  EXPECT_NEAR(run.times("burst.m.position").back(), 0.0099, 2e-4);
}

TEST(Simulation, ReportsTheRun) {
  const ModelFiles files(pair_model().text());
  Simulation simulation = Simulation::load(files.path());
  simulation.advance_to(simulation.stop_time());
  const auto report = nlohmann::json::parse(simulation.report_json());
  EXPECT_EQ(report.at("outcome"), "done");
  const std::string table = simulation.summary();
  for (const char* word : {"body1", "body2", "rod", "Number of steps", "Mean solver order"}) {
    EXPECT_NE(table.find(word), std::string::npos) << word;
  }
}

TEST(Simulation, MovesWithItsRun) {
  const ModelFiles files(pair_model().text());
  Simulation first = Simulation::load(files.path());
  first.advance_to(0.01);
  Simulation second = std::move(first);
  second.advance_to(0.02);
  Simulation whole = Simulation::load(files.path());
  whole.advance_to(0.02);
  EXPECT_EQ(present_values(second), present_values(whole));
}

TEST(Simulation, RecordsWhatTheModelAsksFor) {
  PairModel model = pair_model();
  std::string text = model.text();
  const auto at = text.rfind("/></CompositeModel>");
  text.replace(at, 2,
               "><Record variables=\"body1.*, connections.rod.drift\" interval=\"1e-3\"/><Record "
               "variables=\"body2.body.position\" interval=\"5e-4\"/><Exclude variables=\"*.energy.*\"/></Simulation>");
  const RunRecord run = run_text(text);
  EXPECT_EQ(run.series.count("body2.body.velocity"), 0U);
  EXPECT_EQ(run.series.count("body1.energy.kinetic"), 0U);
  EXPECT_EQ(run.series.count("connections.rod.energy"), 0U);
  EXPECT_NEAR(run.times("body1.body.velocity")[1], 1e-3, 1e-12);
  EXPECT_NEAR(run.times("body2.body.position")[1], 5e-4, 1e-12);
  EXPECT_NEAR(run.times("connections.rod.drift")[1], 1e-3, 1e-4);
}

TEST(Simulation, RecordsEveryStepWhereTheIntervalIsZero) {
  PairModel model = pair_model();
  model.write_interval = 0.0;
  const RunRecord run = run_text(model.text());
  const auto& times = run.times("body2.body.position");
  EXPECT_EQ(times.front(), 0.0);
  EXPECT_EQ(times.back(), model.stop);
  EXPECT_GE(times.size(), 400U);  // two windows per delay at least
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
}

TEST(Simulation, RecordsTheStopTime) {
  for (const double interval : {1e-3, 1e-4, 1e-5}) {
    PairModel model = pair_model();
    model.stop = 0.03;
    model.write_interval = interval;
    const RunRecord run = run_text(model.text());
    EXPECT_NEAR(run.times("body2.body.position").back(), 0.03, 1e-9) << interval;
  }
}

}  // namespace simulation_test
}  // namespace tieline::support
