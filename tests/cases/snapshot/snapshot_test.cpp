// A run that continues from a snapshot gives the same bits as the run that the snapshot was taken from.

#include <gtest/gtest.h>

#include "support/domains_model.hpp"
#include "support/mixed_model.hpp"
#include "support/pair_model.hpp"

namespace tieline::support {
namespace snapshot_snapshot_test {

PairModel pushed_pair(const std::string& solver) {
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

using Values = std::map<std::string, double>;

/// All values at some later times.
std::vector<Values> continue_run(Simulation& simulation, const std::vector<double>& times) {
  std::vector<Values> result;
  for (const double t : times) {
    simulation.advance_to(t);
    result.push_back(present_values(simulation));
  }
  return result;
}

void expect_same(const std::vector<Values>& expected, const std::vector<Values>& found, const std::string& what) {
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (const auto& [name, value] : expected[i]) {
      const double other = found[i].at(name);
      ASSERT_EQ(std::memcmp(&value, &other, sizeof value), 0)
          << what << ": " << name << " is " << fmt::format("{:.17g}", other) << " instead of "
          << fmt::format("{:.17g}", value) << " at stop " << i;
    }
  }
}

/// Continues from `save_time` in the run that saved, in a fresh one, and in the one that saved after going back.
void expect_snapshot_restores(const std::filesystem::path& model, double save_time, const std::vector<double>& times,
                              const std::string& what) {
  Simulation first = Simulation::load(model);
  first.advance_to(save_time);
  EXPECT_EQ(first.time(), save_time) << what;
  const Values at_save = present_values(first);
  const std::string state = first.save();
  EXPECT_EQ(present_values(first), at_save) << what << ": saving changed the state";
  const std::vector<Values> expected = continue_run(first, times);

  Simulation fresh = Simulation::load(model);
  fresh.restore(std::string_view(state));
  EXPECT_EQ(fresh.time(), save_time) << what;
  expect_same({at_save}, {present_values(fresh)}, what + ", at the save point");
  expect_same(expected, continue_run(fresh, times), what + ", in a fresh run");

  first.restore(std::string_view(state));
  EXPECT_EQ(first.time(), save_time) << what;
  expect_same(expected, continue_run(first, times), what + ", in the same run");

  Simulation never_saved = Simulation::load(model);
  expect_same(expected, continue_run(never_saved, times), what + ", in a run that never saved");
}

TEST(Snapshot, OneStepSolversCanBeSavedAtAnyBoundOfWindows) {
  for (const char* solver : {"dopri5", "radau5", "rk4"}) {
    const ModelFiles files(pushed_pair(solver).text());
    for (const double t : {0.0, 5e-5, 0.01, 0.01235}) {
      expect_snapshot_restores(files.path(), t, {0.0134, 0.02, 0.03}, fmt::format("{}, t = {}", solver, t));
    }
  }
}

TEST(Snapshot, EverySolverCanBeSavedAtSavePoints) {
  for (const char* solver : {"dopri5", "radau5", "rk4", "cvode-bdf", "cvode-adams", "ida"}) {
    PairModel model = pushed_pair(solver);
    model.simulation_settings = "save_interval=\"5e-3\"";
    const ModelFiles files(model.text());
    expect_snapshot_restores(files.path(), 0.01, {0.0134, 0.015, 0.02, 0.03}, solver);
  }
}

TEST(Snapshot, DampedLinesKeepTheirMemory) {
  PairModel model = pushed_pair("dopri5");
  model.damping = 0.4;
  const ModelFiles files(model.text());
  expect_snapshot_restores(files.path(), 0.01235, {0.0134, 0.02, 0.03}, "damped");
}

// The loop's signals, delayed and undelayed, a sampled group, contacts and every solver.
TEST(Snapshot, MixedModelCanBeSavedAtSavePoints) {
  MixedModel model;
  model.simulation_settings = "save_interval=\"2e-3\"";
  const ModelFiles files(model.text());
  expect_snapshot_restores(files.path(), 4e-3, {4.7e-3, 6e-3, 0.0123, 0.02}, "mixed");
  expect_snapshot_restores(files.path(), 0.01, {0.0101, 0.011, 0.02}, "mixed");
}

TEST(Snapshot, TorsionDriveCanBeSavedAtAnyBoundOfWindows) {
  const auto model = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples/torsion-drive/torsion-drive.xml";
  expect_snapshot_restores(model, 0.05, {0.0503, 0.1, 0.2}, "torsion-drive");
}

TEST(Snapshot, NetworksOfAllDomainsCanBeSaved) {
  const auto examples = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples";
  expect_snapshot_restores(examples / "hydraulic-servo/hydraulic-servo.xml", 0.12, {0.1203, 0.15, 0.2},
                           "hydraulic-servo");
  expect_snapshot_restores(examples / "electric-drive/electric-drive.xml", 0.02, {0.0203, 0.04, 0.05},
                           "electric-drive");
  const ModelFiles files(DomainsModel{.simulation_settings = "save_interval=\"2e-3\""}.text());
  for (const double t : {0.0, 2e-3, 6e-3, 0.012}) {
    expect_snapshot_restores(files.path(), t, {0.0131, 0.015, 0.02}, fmt::format("all domains, t = {}", t));
  }
}

TEST(Snapshot, BodiesInSpaceCanBeSaved) {
  const auto examples = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples";
  expect_snapshot_restores(examples / "omtlm-cases/triple-pendulum.xml", 0.02, {0.0203, 0.03, 0.05}, "pendulum");
}

TEST(Snapshot, RecordedRowsContinueAsWell) {
  PairModel model = pushed_pair("dopri5");
  model.simulation_settings = "save_interval=\"5e-3\"";
  const ModelFiles files(model.text());
  const RunRecord whole = run_model(files.path());

  Simulation first = Simulation::load(files.path());
  first.advance_to(0.01);
  const std::string state = first.save();
  const TemporaryFolder folder;
  Simulation second = Simulation::load(files.path());
  second.record_to(folder.path());
  second.restore(std::string_view(state));
  second.advance_to(second.stop_time());
  second.finish();
  const RunRecord rest = read_run(folder.path());
  const results::Series& expected = whole.of("body2.body.position");
  const results::Series& found = rest.of("body2.body.position");
  ASSERT_FALSE(found.times.empty());
  EXPECT_NEAR(expected.times.back(), 0.03, 1e-9);
  ASSERT_LT(found.times.size(), expected.times.size());
  EXPECT_GT(found.times.front(), 0.0099);
  const auto offset = static_cast<std::ptrdiff_t>(expected.times.size() - found.times.size());
  EXPECT_TRUE(has_same_bits(found.times, {expected.times.begin() + offset, expected.times.end()}));
  EXPECT_TRUE(has_same_bits(found.values, {expected.values.begin() + offset, expected.values.end()}));
}

TEST(Snapshot, GoesThroughAFile) {
  const ModelFiles files(pushed_pair("dopri5").text());
  const TemporaryFolder folder;
  Simulation first = Simulation::load(files.path());
  first.advance_to(0.01);
  first.save_to(folder.path() / "state");
  Simulation second = Simulation::load(files.path());
  second.restore_from(folder.path() / "state");
  first.advance_to(0.03);
  second.advance_to(0.03);
  EXPECT_EQ(present_values(first), present_values(second));
  EXPECT_THROW(second.restore_from(folder.path() / "no-such-file"), RunError);
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

TEST(Snapshot, IsRefusedByNameWhereTheSolverCannotBeCopied) {
  for (const char* solver : {"cvode-bdf", "cvode-adams", "ida"}) {
    PairModel model = pushed_pair("dopri5");
    model.body2_settings = fmt::format("solver=\"{}\"", solver);
    const ModelFiles files(model.text());
    Simulation simulation = Simulation::load(files.path());
    simulation.advance_to(0.01);
    const std::string why = refusal([&] { (void)simulation.save(); });
    EXPECT_NE(why.find("component 'body2'"), std::string::npos) << why;
    EXPECT_NE(why.find(solver), std::string::npos) << why;
  }
}

TEST(Snapshot, OfAnotherModelOrDamagedIsRefused) {
  const ModelFiles files(pushed_pair("dopri5").text());
  Simulation simulation = Simulation::load(files.path());
  simulation.advance_to(0.01);
  const std::string state = simulation.save();

  EXPECT_FALSE(refusal([&] { simulation.restore(std::string_view("nonsense")); }).empty());
  EXPECT_FALSE(refusal([&] { simulation.restore(std::string_view(state).substr(0, state.size() / 2)); }).empty());
  const ModelFiles others(pushed_pair("radau5").text());
  Simulation other = Simulation::load(others.path());
  EXPECT_FALSE(refusal([&] { other.restore(std::string_view(state)); }).empty());
}

}  // namespace snapshot_snapshot_test
}  // namespace tieline::support
