// A run that is broken and resumed leaves the results of one that was never broken: the same rows with the same bits.

#include "checkpoints/checkpoint.hpp"

#include <gtest/gtest.h>
#include <map>

#include "core/atomic_file.hpp"
#include "results/progress_file.hpp"
#include "support/domains_model.hpp"
#include "support/mixed_model.hpp"
#include "support/pair_model.hpp"

namespace tieline::support {
namespace checkpoint_checkpoint_test {

namespace fs = std::filesystem;

const fs::path kExamples = fs::path(TIELINE_SOURCE_DIR) / "examples";

PairModel pushed_pair(const std::string& solver = "dopri5") {
  PairModel model;
  model.line = Line::from_stiffness(1e6, 1e-4);
  model.pair.mass1 = 2.0;
  model.pair.load2 = Load::constant(100.0);
  model.solver = solver;
  if (solver == "rk4") model.step = 2e-5;
  model.stop = 0.03;
  model.write_interval = 1e-4;
  return model;
}

/// Parameters, stop time and the like of a run.
using Preparation = std::function<void(Simulation&)>;

struct Break {
  double every = 0.0;       ///< between checkpoints [s]
  double broken_at = 0.0;   ///< how far the run comes before it is given up [s]
  double checkpoint = 0.0;  ///< what it is resumed from [s]
};

/// Runs until it is given up, without an end.
void break_off(const fs::path& model, const fs::path& folder, const Break& plan, const Preparation& prepare = {}) {
  Simulation simulation = Simulation::load(model);
  if (prepare) prepare(simulation);
  simulation.record_to(folder);
  simulation.checkpoint_every(plan.every);
  simulation.advance_to(plan.broken_at);
}

RunRecord resume_run(const fs::path& folder, const Break& plan) {
  Simulation simulation = Simulation::resume(folder);
  EXPECT_EQ(simulation.time(), plan.checkpoint);
  simulation.advance_to(simulation.stop_time());
  simulation.finish();
  return read_run(folder);
}

RunRecord unbroken(const fs::path& model, double every, const Preparation& prepare = {}) {
  return run_model(model, {}, [&](Simulation& simulation) {
    if (prepare) prepare(simulation);
    simulation.checkpoint_every(every);
  });
}

void expect_unbroken_results(const fs::path& model, const Break& plan, const std::string& what,
                             const Preparation& prepare = {}) {
  const TemporaryFolder folder;
  break_off(model, folder.path(), plan, prepare);
  const RunRecord resumed = resume_run(folder.path(), plan);
  const RunRecord whole = unbroken(model, plan.every, prepare);
  EXPECT_TRUE(have_same_bits(whole, resumed)) << what;
  EXPECT_EQ(resumed.report.resumed_from, std::vector<double>{plan.checkpoint}) << what;
  EXPECT_EQ(resumed.report.outcome, results::Outcome::done) << what;
  EXPECT_EQ(resumed.report.reached, whole.report.reached) << what;
  for (std::size_t i = 0; i < whole.report.connections.size(); ++i) {
    EXPECT_EQ(whole.report.connections[i].energy_residual, resumed.report.connections[i].energy_residual) << what;
    EXPECT_EQ(whole.report.connections[i].drift, resumed.report.connections[i].drift) << what;
  }
  EXPECT_FALSE(fs::exists(folder.path() / "resuming")) << what;
}

TEST(Checkpoint, EverySolverContinuesWithTheSameBits) {
  for (const char* solver : {"dopri5", "radau5", "rk4", "cvode-bdf", "cvode-adams", "ida"}) {
    const ModelFiles files(pushed_pair(solver).text());
    expect_unbroken_results(files.path(), {5e-3, 0.0134, 0.01}, solver);
  }
}

TEST(Checkpoint, EveryStepIsRecordedOnce) {
  for (const char* solver : {"dopri5", "cvode-bdf"}) {
    PairModel model = pushed_pair(solver);
    model.write_interval = 0.0;
    const ModelFiles files(model.text());
    expect_unbroken_results(files.path(), {5e-3, 0.0134, 0.01}, solver);
  }
}

// Save points that cut windows in two.
TEST(Checkpoint, SavePointsNeedNotBeEndsOfWindows) {
  for (const char* solver : {"dopri5", "cvode-bdf", "cvode-adams", "ida"}) {
    const ModelFiles files(pushed_pair(solver).text());
    const TemporaryFolder folder;
    Simulation simulation = Simulation::load(files.path());
    simulation.record_to(folder.path());
    simulation.checkpoint_every(3.33e-3);
    simulation.advance_to(0.0134);
    ASSERT_TRUE(simulation.last_checkpoint());
    const Break plan{3.33e-3, 0.0134, *simulation.last_checkpoint()};
    EXPECT_NEAR(plan.checkpoint, 4 * 3.33e-3, 1e-12);
    expect_unbroken_results(files.path(), plan, solver);
    // Halts change the result no more than its tolerance.
    const RunRecord halting = unbroken(files.path(), 3.33e-3), free = run_model(files.path());
    EXPECT_LT(largest_difference(halting, free, "body2.body.position"), 1e-6) << solver;
  }
}

// Signals delayed and undelayed, a sampled group, contacts, every solver; and all domains, with prescribed ends.
TEST(Checkpoint, MixedModelsContinue) {
  const ModelFiles mixed(MixedModel{}.text()), domains(DomainsModel{}.text());
  expect_unbroken_results(mixed.path(), {2e-3, 5.1e-3, 4e-3}, "mixed");
  expect_unbroken_results(mixed.path(), {4e-3, 0.0199, 0.016}, "mixed, late");
  expect_unbroken_results(domains.path(), {2e-3, 7.3e-3, 6e-3}, "domains");
}

TEST(Checkpoint, ModelsInSpaceContinue) {
  const auto stop = [](double time) { return [time](Simulation& simulation) { simulation.set_stop(time); }; };
  expect_unbroken_results(kExamples / "triple-pendulum/lines.xml", {0.02, 0.05, 0.04}, "lines in space", stop(0.1));
  expect_unbroken_results(kExamples / "rotor/rotor.xml", {5e-3, 0.013, 0.01}, "rotor", stop(0.02));
}

TEST(Checkpoint, GluedAndSampledModelsContinue) {
  const auto stop = [](double time) { return [time](Simulation& simulation) { simulation.set_stop(time); }; };
  expect_unbroken_results(kExamples / "double-pendulum/glued.xml", {0.1, 0.25, 0.2}, "glued", stop(0.4));
  expect_unbroken_results(kExamples / "ladder-frame/layers.xml", {2e-3, 5e-3, 4e-3}, "layers", stop(8e-3));
  expect_unbroken_results(kExamples / "bouncing-ball/sampled.xml", {0.2, 0.77, 0.6}, "sampled", stop(1.2));
}

// A component that nobody holds back runs ahead as far as it likes, but not across a save point.
TEST(Checkpoint, SingleComponentsContinue) {
  for (const char* solver : {"dopri5", "radau5", "cvode-bdf", "cvode-adams", "ida"}) {
    const ModelFiles files(fmt::format(
        R"(<CompositeModel name="alone"><Components><Component name="a" kind="network" solver="{}"><Network>
<Mass name="m" mass="1" position="1"/><Ground name="g"/><Spring name="s" from="g" to="m" stiffness="100" free_length="0"/>
</Network></Component></Components><Simulation stop="4" write_interval="1e-2"/></CompositeModel>)",
        solver));
    expect_unbroken_results(files.path(), {0.3, 1.4, 1.2}, solver);
    const RunRecord run = unbroken(files.path(), 0.3);
    EXPECT_LT(largest_deviation(run, "a.m.position", [](double t) { return std::cos(10.0 * t); }), 1e-3) << solver;
  }
}

TEST(Checkpoint, FilesChangeNothing) {
  PairModel model = pushed_pair("cvode-bdf");
  const ModelFiles plain(model.text());
  model.simulation_settings = "save_interval=\"5e-3\"";
  const ModelFiles stated(model.text());
  EXPECT_TRUE(have_same_bits(run_model(stated.path()), unbroken(plain.path(), 5e-3)));
  EXPECT_TRUE(have_same_bits(run_model(stated.path()), unbroken(stated.path(), 1e-2)));
  RunSettings two;
  two.threads = 2;
  EXPECT_TRUE(have_same_bits(run_model(stated.path()), run_model(stated.path(), two, [](Simulation& simulation) {
                               simulation.checkpoint_every(5e-3);
                             })));
}

TEST(Checkpoint, ARunIsResumedAgainAndAgain) {
  const ModelFiles files(pushed_pair("cvode-adams").text());
  const TemporaryFolder folder;
  break_off(files.path(), folder.path(), {5e-3, 0.0134, 0.01});
  {
    Simulation second = Simulation::resume(folder.path());
    second.advance_to(0.022);
    EXPECT_EQ(second.last_checkpoint(), 0.02);
  }
  const RunRecord third = resume_run(folder.path(), {.checkpoint = 0.02});
  EXPECT_EQ(third.report.resumed_from, (std::vector<double>{0.01, 0.02}));
  const RunRecord whole = unbroken(files.path(), 5e-3);
  EXPECT_TRUE(have_same_bits(whole, third));
  // 600 ticks are not 0.03 s to the last bit, and yet there is one at the stop.
  EXPECT_TRUE(have_same_bits(whole, resume_run(folder.path(), {.checkpoint = 0.03})));
}

TEST(Checkpoint, AtTheVeryEndLeavesNothingToDo) {
  const ModelFiles files(pushed_pair("cvode-bdf").text());
  const TemporaryFolder folder;
  const Preparation shorter = [](Simulation& simulation) { simulation.set_stop(0.02); };
  break_off(files.path(), folder.path(), {.every = 5e-3, .broken_at = 0.02}, shorter);
  EXPECT_TRUE(have_same_bits(unbroken(files.path(), 5e-3, shorter), resume_run(folder.path(), {.checkpoint = 0.02})));
}

TEST(Checkpoint, ALaterStopContinuesWhereTheWindowsStay) {
  const ModelFiles files(pushed_pair("cvode-bdf").text());
  // The last checkpoint is at the stop, before it, and where the stop is that of a tick but for rounding.
  const double beside = std::nextafter(0.01, 1.0);
  for (const auto& [stop, checkpoint] : {std::pair{0.01, 0.01}, {0.012, 0.01}, {beside, beside}}) {
    const TemporaryFolder folder;
    break_off(files.path(), folder.path(), {.every = 5e-3, .broken_at = stop},
              [stop = stop](Simulation& simulation) { simulation.set_stop(stop); });
    Simulation longer = Simulation::resume(folder.path());
    EXPECT_EQ(longer.time(), checkpoint);
    longer.set_stop(0.03);
    longer.advance_to(0.03);
    longer.finish();
    EXPECT_TRUE(have_same_bits(unbroken(files.path(), 5e-3), read_run(folder.path()))) << stop;
  }
}

// A multiple of the window is not the decimal number that a model states, such as 60000 times 5e-6 and 0.3.
TEST(Checkpoint, TheLastOneIsNotLostToRounding) {
  struct Case {
    double delay, every, stop;  ///< [s]
  };
  for (const auto& [delay, every, stop] :
       {Case{1e-4, 0.05, 0.35}, {3e-4, 0.05, 0.05}, {3e-4, 0.05, 0.1}, {2e-4, 0.01, 0.07}, {7e-4, 0.07, 0.21}}) {
    PairModel model = pushed_pair();
    model.line = Line::from_stiffness(1e6, delay);
    model.stop = 2.0 * stop;
    model.write_interval = 1e-3;
    const ModelFiles files(model.text());
    const TemporaryFolder folder;
    Simulation shorter = Simulation::load(files.path());
    shorter.set_stop(stop);
    shorter.record_to(folder.path());
    shorter.checkpoint_every(every);
    shorter.advance_to(stop);
    EXPECT_EQ(shorter.time(), stop);
    shorter.finish();
    EXPECT_EQ(must(results::read_report(folder.path() / results::kReportFileName)).reached, stop);
    Simulation longer = Simulation::resume(folder.path());
    EXPECT_EQ(longer.time(), stop) << delay;
    longer.set_stop(2.0 * stop);
    longer.advance_to(2.0 * stop);
    longer.finish();
    EXPECT_TRUE(have_same_bits(unbroken(files.path(), every), read_run(folder.path()))) << delay << ", " << stop;
  }
}

// The state at the stop is a row of the shorter run alone.
TEST(Checkpoint, TheFinalRowOfAShorterRunIsNotOneOfALonger) {
  PairModel model = pushed_pair();
  model.write_interval = 7e-4;
  const ModelFiles files(model.text());
  const TemporaryFolder folder;
  Simulation shorter = Simulation::load(files.path());
  shorter.set_stop(0.01);
  shorter.record_to(folder.path());
  shorter.checkpoint_every(5e-3);
  shorter.advance_to(0.01);
  shorter.finish();
  EXPECT_EQ(read_run(folder.path()).times("body1.body.position").back(), 0.01);
  Simulation longer = Simulation::resume(folder.path());
  EXPECT_EQ(longer.time(), 0.01);
  longer.set_stop(0.03);
  longer.advance_to(0.03);
  longer.finish();
  EXPECT_TRUE(have_same_bits(unbroken(files.path(), 5e-3), read_run(folder.path())));
}

TEST(Checkpoint, AnotherFolderGetsTheWholeRun) {
  const ModelFiles files(pushed_pair().text());
  const TemporaryFolder folder, other;
  break_off(files.path(), folder.path(), {5e-3, 0.0134, 0.01});
  const auto before = must(core::read_whole(folder.path() / results::kResultFileName));
  Simulation simulation = Simulation::resume(folder.path());
  simulation.record_to(other.path());
  simulation.advance_to(0.012);
  // It can be resumed from there at once.
  EXPECT_EQ(must(checkpoints::read_checkpoint(other.path())).time, 0.01);
  simulation.advance_to(0.03);
  simulation.finish();
  EXPECT_TRUE(have_same_bits(unbroken(files.path(), 5e-3), read_run(other.path())));
  EXPECT_EQ(must(core::read_whole(folder.path() / results::kResultFileName)), before);
}

// ---- what does not fit

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const ModelError& error) {
    return error.what();
  } catch (const RunError& error) {
    return error.what();
  }
  return "nothing was refused";
}

/// All files below a folder with their content.
std::map<fs::path, std::string> files_in(const fs::path& folder) {
  std::map<fs::path, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    files[entry.path()] = entry.is_regular_file() ? must(core::read_whole(entry.path())) : "";
  return files;
}

/// A run that was broken, to be resumed wrongly; whatever is tried, it can still be resumed rightly.
class Refusals : public ::testing::Test {
 protected:
  void SetUp() override { break_off(files_.path(), folder_.path(), {5e-3, 0.0134, 0.01}); }
  void TearDown() override {
    EXPECT_TRUE(have_same_bits(unbroken(files_.path(), 5e-3), resume_run(folder_.path(), {.checkpoint = 0.01})));
  }
  /// What is refused leaves every file of the folder as it was.
  [[nodiscard]] std::string refused(const Preparation& prepare, const fs::path& model = {}) const {
    const auto before = files_in(folder_.path());
    std::string why = refusal([&] {
      Simulation simulation = Simulation::resume(folder_.path(), model);
      prepare(simulation);
      simulation.advance_to(0.03);
    });
    EXPECT_EQ(files_in(folder_.path()), before);
    return why;
  }
  static void expect_words(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << ": " << text;
  }

  ModelFiles files_{pushed_pair().text()};
  TemporaryFolder folder_;
};

TEST_F(Refusals, OtherParametersAreNamed) {
  PairModel model = pushed_pair();
  model.pair.mass1 = 3.0;
  ModelFiles other(model.text());
  expect_words(refused([](Simulation&) {}, other.path()), {"cannot be resumed at t = 0.01 s", "the model has changed"});
}

TEST_F(Refusals, OtherSchedules) {
  expect_words(refused([](Simulation& simulation) { simulation.set_stop(0.005); }), {"0.005 s", "before it"});
  expect_words(refused([](Simulation& simulation) { simulation.checkpoint_every(7e-3); }),
               {"0.007 s", "save points", "0.005 s or 0.01 s"});
}

TEST_F(Refusals, DamagedCheckpointsAreReported) {
  const fs::path file = folder_.path() / checkpoints::kCheckpointFileName;
  const std::string good = must(core::read_whole(file));
  const auto refusal_of = [&](const std::string& bytes) {
    EXPECT_TRUE(core::replace_file(file, bytes));
    return refusal([&] { (void)Simulation::resume(folder_.path()); });
  };
  expect_words(refusal_of(good.substr(0, good.size() / 2)), {"checkpoint.bin", "truncated"});
  expect_words(refusal_of(good.substr(0, 25)), {"truncated"});
  expect_words(refusal_of(""), {"not a checkpoint"});
  expect_words(refusal_of("something else"), {"not a checkpoint"});
  for (const std::size_t place : {std::size_t{60}, good.size() / 2, good.size() - 1}) {
    std::string damaged = good;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    expect_words(refusal_of(damaged), {"damaged"});
  }
  std::string future = good;
  future[19] = 9;
  expect_words(refusal_of(future), {"format 9"});
  EXPECT_TRUE(core::replace_file(file, good));
}

TEST_F(Refusals, MissingResultsAreReported) {
  const fs::path file = folder_.path() / results::kResultFileName;
  fs::rename(file, folder_.path() / "kept");
  expect_words(refused([](Simulation&) {}), {"results.h5", "does not exist"});
  {
    Simulation other = Simulation::load(files_.path());
    const TemporaryFolder short_run;
    other.record_to(short_run.path());
    other.set_stop(0.005);
    other.advance_to(0.005);
    other.finish();
    fs::copy(short_run.path() / results::kResultFileName, file);
  }
  expect_words(refused([](Simulation&) {}), {"table", "rows", "before the checkpoint"});
  fs::rename(folder_.path() / "kept", file);
}

// What fails at the very last, after everything else is ready.
TEST_F(Refusals, ATraceThatCannotBeWritten) {
  expect_words(refused([&](Simulation& simulation) { simulation.trace_to(folder_.path() / "none" / "trace.json"); }),
               {"trace.json"});
}

TEST_F(Refusals, FoldersThatWereMadeForTheRunAreRemoved) {
  const TemporaryFolder other;
  expect_words(refused([&](Simulation& simulation) {
                 simulation.record_to(other.path() / "new");
                 simulation.trace_to(other.path() / "none" / "trace.json");
               }),
               {"trace.json"});
  EXPECT_FALSE(fs::exists(other.path() / "new"));
}

TEST(Checkpoint, ChangedFilesAreReported) {
  ModelFiles files;
  files.write("part.xml", R"(<Network><Mass name="m" mass="1" position="1"/><Ground name="g"/>
<Spring name="s" from="g" to="m" stiffness="100"/></Network>)");
  const auto model = files.write(
      "model.xml", R"(<CompositeModel name="m"><Components><Component name="a" kind="network" file="part.xml"/>
</Components><Simulation stop="1" write_interval="1e-2"/></CompositeModel>)");
  const TemporaryFolder folder;
  break_off(model, folder.path(), {0.2, 0.5, 0.4});
  files.write("part.xml", R"(<Network><Mass name="m" mass="1" position="1"/><Ground name="g"/>
<Spring name="s" from="g" to="m" stiffness="200"/></Network>)");
  const std::string why = refusal([&] {
    Simulation simulation = Simulation::resume(folder.path());
    simulation.advance_to(1.0);
  });
  EXPECT_NE(why.find("'part.xml' has changed since"), std::string::npos) << why;
}

// Windows of a component without delays are shares of the run's length.
TEST(Checkpoint, AStopThatChangesTheWindowsIsRefused) {
  const ModelFiles files(
      R"(<CompositeModel name="m"><Components><Component name="a" kind="network"><Network><Mass name="m" mass="1"/>
</Network></Component></Components><Simulation stop="1" write_interval="1e-2"/></CompositeModel>)");
  const TemporaryFolder folder;
  break_off(files.path(), folder.path(), {0.2, 0.5, 0.4});
  const std::string why = refusal([&] {
    Simulation simulation = Simulation::resume(folder.path());
    simulation.set_stop(2.0);
    simulation.advance_to(2.0);
  });
  EXPECT_NE(why.find("a stop time of 2 s instead of 1 s"), std::string::npos) << why;
  EXPECT_FALSE(fs::exists(folder.path() / "resuming"));
}

TEST(Checkpoint, FoldersWithoutACheckpointAreReported) {
  const TemporaryFolder folder;
  EXPECT_NE(refusal([&] { (void)Simulation::resume(folder.path()); }).find("contains no checkpoint.bin"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)Simulation::resume(folder.path() / "none"); }).find("no result folder"),
            std::string::npos);
}

TEST(Checkpoint, NeedsAFolderAndAPositiveInterval) {
  const ModelFiles files(pushed_pair().text());
  Simulation simulation = Simulation::load(files.path());
  EXPECT_THROW(simulation.checkpoint_every(0.0), ModelError);
  EXPECT_THROW(simulation.checkpoint_every(std::numeric_limits<double>::quiet_NaN()), ModelError);
  simulation.checkpoint_every(5e-3);
  EXPECT_NE(refusal([&] { simulation.advance_to(0.01); }).find("result folder"), std::string::npos);
}

// An earlier run's checkpoint must not be taken for one of the run that comes after it.
TEST(Checkpoint, OfAnEarlierRunGoesWithItsResults) {
  const ModelFiles files(pushed_pair().text());
  const TemporaryFolder folder;
  break_off(files.path(), folder.path(), {5e-3, 0.0134, 0.01});
  Simulation simulation = Simulation::load(files.path());
  simulation.record_to(folder.path());
  simulation.advance_to(0.001);
  EXPECT_NE(refusal([&] { (void)Simulation::resume(folder.path()); }).find("contains no"), std::string::npos);
}

TEST(Checkpoint, RunsReportTheirProgress) {
  const ModelFiles files(pushed_pair().text());
  const TemporaryFolder folder;
  const fs::path file = folder.path() / results::kProgressFileName;
  {
    Simulation simulation = Simulation::load(files.path());
    simulation.record_to(folder.path());
    simulation.advance_to(0.001);
    const auto progress = must(results::read_progress(file));
    EXPECT_EQ(progress.model, "pair");
    EXPECT_EQ(progress.stop, 0.03);
    EXPECT_EQ(progress.process.id, ::getpid());
    EXPECT_EQ(results::state_of(progress.process), results::ProcessState::running);
  }
  EXPECT_EQ(must(results::read_progress(file)).phase, results::RunPhase::stopped);
  (void)run_model(files.path());
  Simulation simulation = Simulation::load(files.path());
  simulation.record_to(folder.path());
  simulation.advance_to(0.03);
  simulation.finish();
  const auto progress = must(results::read_progress(file));
  EXPECT_EQ(progress.phase, results::RunPhase::finished);
  EXPECT_EQ(progress.reached, 0.03);
}

}  // namespace checkpoint_checkpoint_test
}  // namespace tieline::support
