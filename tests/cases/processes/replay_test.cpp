// A component that is computed again alone, from what came to it, gives the bits that it gave in its run.

#include "studies/replay.hpp"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

#include "tieline/simulation.hpp"

#include "results/reader.hpp"
#include "support/model_run.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::support {
namespace processes_replay_test {

namespace fs = std::filesystem;

const fs::path kExamples = fs::path(TIELINE_SOURCE_DIR) / "examples";

/// Runs a model in a folder of its own, and keeps what comes to some components.
class Recorded {
 public:
  Recorded(const fs::path& model, double stop, ProcessOptions options) {
    auto simulation = Simulation::load(model);
    simulation.set_stop(stop);
    simulation.use_processes(options);
    simulation.record_to(path());
    simulation.advance_to(stop);
    simulation.finish();
  }
  [[nodiscard]] fs::path path() const { return folder_.path() / "run"; }
  [[nodiscard]] fs::path tracks(const std::string& node) const { return path() / "tracks" / (node + ".tracks"); }
  [[nodiscard]] core::Result<studies::ReplayOutcome> replay(const std::string& component) const {
    document::Diagnostics diagnostics;
    auto outcome = studies::replay({.folder = path(), .component = component}, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
    return outcome;
  }

 private:
  TemporaryFolder folder_;
};

std::size_t table_width(const results::ResultReader& reader, std::size_t table) {
  return reader.tables()[table].columns.size() + 1;
}

/// Rows of all tables of the replay, against the first ones of the run; how many there were.
std::size_t expect_same_rows(const fs::path& run, const studies::ReplayOutcome& outcome, bool is_whole) {
  auto before = results::ResultReader::open(run);
  auto now = results::ResultReader::open(outcome.out);
  if (!before || !now) {
    ADD_FAILURE() << "results cannot be read";
    return 0;
  }
  std::size_t compared = 0;
  for (std::size_t i = 0; i < now->tables().size(); ++i) {
    const std::string& owner = now->tables()[i].owner;
    for (std::size_t k = 0; k < before->tables().size(); ++k) {
      if (before->tables()[k].owner != owner) continue;
      const std::size_t count = now->rows(i).value(), all = before->rows(k).value(), width = table_width(*now, i);
      const auto mine = now->read_rows(i, {0, count}).value(), run_rows = before->read_rows(k, {0, all}).value();
      if (count == 0) continue;
      // The master has written what connections were at the start.
      const std::size_t skipped = run_rows[0] < mine[0] ? 1 : 0;
      if (is_whole) {
        EXPECT_EQ(skipped + count, all) << owner;
      }
      if (skipped + count > all) {
        ADD_FAILURE() << owner << " has " << count << " rows, but " << all << " in the run";
        continue;
      }
      EXPECT_EQ(std::memcmp(run_rows.data() + skipped * width, mine.data(), mine.size() * sizeof(double)), 0) << owner;
      compared += count;
    }
  }
  return compared;
}

void expect_same_alone(const fs::path& model, double stop, const std::string& component, ProcessOptions options) {
  options.record_tracks = {component};
  const Recorded run(model, stop, options);
  const auto outcome = run.replay(component);
  ASSERT_TRUE(outcome) << outcome.error().describe();
  EXPECT_FALSE(outcome->failure) << outcome->failure->describe();
  EXPECT_TRUE(outcome->is_whole);
  EXPECT_TRUE(outcome->has_same_values);
  EXPECT_GT(expect_same_rows(run.path(), *outcome, true), 0U);
}

TEST(Replay, ARecordedComponentIsIsolatedAndGivesTheSameBitsAlone) {
  expect_same_alone(kExamples / "two-bodies/two-bodies.xml", 5e-3, "body2", {});
}
TEST(Replay, FromSeveralPartnersOverTcp) {
  expect_same_alone(kExamples / "triple-pendulum/lines.xml", 0.05, "arm1", {.isolate = true, .transport = "tcp"});
}
TEST(Replay, OverTcpWhereTheModelSaysSo) {
  std::ifstream file(kExamples / "two-bodies/two-bodies.xml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string settings = "write_interval=\"1e-4\"/>";
  const std::size_t at = text.find(settings);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, settings.size(), "write_interval=\"1e-4\"><Processes transport=\"tcp\"/></Simulation>");
  const ModelFiles model(text);
  expect_same_alone(model.path(), 2e-3, "body1", {});
}
TEST(Replay, AGroup) { expect_same_alone(kExamples / "double-pendulum/glued.xml", 0.1, "one", {.isolate = true}); }
TEST(Replay, RoutedThroughTheMaster) {
  expect_same_alone(kExamples / "torsion-drive/torsion-drive.xml", 0.02, "load",
                    {.isolate = true, .routing = "master"});
}

TEST(Replay, TracksThatBreakOffArePlayedAsFarAsTheyGo) {
  const Recorded run(kExamples / "two-bodies/two-bodies.xml", 5e-3, {.record_tracks = {"body2"}});
  fs::resize_file(run.tracks("body2"), fs::file_size(run.tracks("body2")) / 2);
  const auto outcome = run.replay("body2");
  ASSERT_TRUE(outcome) << outcome.error().describe();
  EXPECT_FALSE(outcome->failure);
  EXPECT_FALSE(outcome->is_whole);
  EXPECT_GT(outcome->end, 1e-3);
  EXPECT_LT(outcome->end, 5e-3);
  EXPECT_GT(expect_same_rows(run.path(), *outcome, false), 10U);
}

TEST(Replay, DamagedTracksAreRefused) {
  const Recorded run(kExamples / "two-bodies/two-bodies.xml", 1e-3, {.record_tracks = {"body2"}});
  const auto overwrite = [&](std::streamoff at, const std::string& bytes) {
    std::fstream file(run.tracks("body2"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at, at < 0 ? std::ios::end : std::ios::beg);
    file << bytes;
  };
  overwrite(-300, std::string(300, '\xff'));
  auto damaged = run.replay("body2");
  EXPECT_TRUE(!damaged || damaged->failure) << "a last window that is not one";
  overwrite(0, "XX");
  damaged = run.replay("body2");
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().describe().find("is not a record"), std::string::npos) << damaged.error().describe();
}

TEST(Replay, UnknownNamesAreReportedWithTheNearest) {
  auto simulation = Simulation::load(kExamples / "two-bodies/two-bodies.xml");
  const TemporaryFolder folder;
  simulation.record_to(folder.path() / "run");
  simulation.use_processes({.record_tracks = {"bdy2"}});
  try {
    simulation.advance_to(1e-3);
    FAIL() << "an unknown component was accepted";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'body2'?"), std::string::npos) << error.what();
  }
  const Recorded run(kExamples / "two-bodies/two-bodies.xml", 1e-3, {.record_tracks = {"body2"}});
  const auto other = run.replay("body1");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().describe().find("has no tracks of 'body1'"), std::string::npos);
}

TEST(Replay, TracksNeedAResultFolder) {
  auto simulation = Simulation::load(kExamples / "two-bodies/two-bodies.xml");
  simulation.use_processes({.record_tracks = {"body2"}});
  EXPECT_THROW(simulation.advance_to(1e-3), ModelError);
}

}  // namespace processes_replay_test
}  // namespace tieline::support
