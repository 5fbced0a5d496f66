#include "faults/endless_run.hpp"

// How programs are ended: they are asked first, and nothing that they have started survives.

namespace tieline::faults {
namespace others_test {

std::string log_of(const FaultRun& run) { return cli::text_of(run.results() / "processes" / "tool" / "output.log"); }

TEST(Ending, AsksByASignalBeforeItKills) {
  const FaultRun run;
  const Outcome outcome = run.run(scene_of("tidies"));
  run.expect_done(outcome);
  EXPECT_NE(log_of(run).find("asked to stop"), std::string::npos) << log_of(run);
}

TEST(Ending, AsksProgramsThatHaveNotJoined) {
  const FaultRun run;
  run.expect_failed(run.run(scene_of("tidies_first")), {"component 'tool'", "has not joined within 3 s"});
  EXPECT_NE(log_of(run).find("asked to stop"), std::string::npos) << log_of(run);
}

// kill(-group) would not find it, and it ignores requests.
TEST(Ending, ReachesAProgramThatHasLeftItsGroup) {
  const FaultRun run;
  const Outcome outcome = run.run(scene_of("regroups"));
  run.expect_done(outcome);
  FaultRun::expect_said(outcome, {"component 'tool': its program had not ended 1 s after the run, and was killed"});
}

TEST(Ending, ReachesWhatHasEscaped) {
  const FaultRun run;
  run.expect_done(run.run(scene_of("escapee")));
  const Endless endless(scene_of("escapee"), {"--isolate"});
  ASSERT_TRUE(endless.is_running());
  endless.expect_stops();
}

TEST(Ending, ReachesWhatHasEscapedFromAKilledMaster) {
  for (const char* tool : {"escapee", "regroups"}) {
    const Endless endless(scene_of(tool), {"--isolate"});
    ASSERT_TRUE(endless.is_running());
    ASSERT_TRUE(endless.process->wait_until([&] { return endless.run.processes().size() >= 4; }));
    endless.process->send(SIGKILL);
    ASSERT_TRUE(endless.process->wait());
    EXPECT_TRUE(endless.run.all_end()) << tool;
  }
}

// The keyboard's signal goes to the group of the master, which asks the others itself.
TEST(Ending, IsNotDisturbedByTheKeyboard) {
  const Endless endless(scene_of("good"), {"--isolate"});
  ASSERT_TRUE(endless.is_running());
  endless.process->send_to_group(SIGINT);
  const auto outcome = endless.process->wait();
  ASSERT_TRUE(outcome);
  FaultRun::expect_said(*outcome, {"stopped on request at t = "});
  endless.run.expect_nothing_left();
}

}  // namespace others_test
}  // namespace tieline::faults
