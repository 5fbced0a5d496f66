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

// A script that has started its program, and ends once that has joined.
TEST(Ending, OfAStartScriptLeavesItsProgramInTheRun) {
  Scene scene{.tool = R"(command="./start.sh")"};
  scene.stop = "1e9";
  const FaultRun run;
  ::chmod(run.work()
              .write("start.sh", fmt::format("#!/bin/sh\n{} good &\nwhile ! [ -e joined ]; do sleep 0.02; done\n",
                                             TIELINE_BAD_TOOL))
              .c_str(),
          0755);
  run.write(scene);
  const auto process = run.start();
  const auto reached = [&] {
    const auto progress = results::read_progress(run.results() / results::kProgressFileName);
    return progress && progress->phase == results::RunPhase::running ? progress->reached : 0.0;
  };
  ASSERT_TRUE(process->wait_until([&] { return reached() > 0.0; }));
  EXPECT_GE(run.participants("tool").size(), 2U);
  run.work().write("joined", "");
  ASSERT_TRUE(process->wait_until([&] { return run.participants("tool").size() == 1; }));
  const double then = reached();
  ASSERT_TRUE(process->wait_until([&] { return reached() > then; }));
  process->send(SIGINT);
  const auto outcome = process->wait();
  ASSERT_TRUE(outcome);
  FaultRun::expect_said(*outcome, {"stopped on request at t = "});
  run.expect_nothing_left();
}

// A program that has become another user's cannot be killed. (Only by TCP could it join at all.)
TEST(Ending, ThatIsImpossibleIsReported) {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() != 0) GTEST_SKIP() << "needs another user's rights";
  const FaultRun run;
  const auto become_nobody = [] {
    if (::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(99);
  };
  std::filesystem::permissions(run.work().folder(), std::filesystem::perms::all);
  if (run.work().tieline({"--version"}, become_nobody).exit_code != 0) GTEST_SKIP() << "others cannot enter the folder";
  std::filesystem::copy_file("/usr/bin/setpriv", run.work().path("setpriv"));
  ::chmod(run.work().path("setpriv").c_str(), 04755);
  run.write({.tool = fmt::format(R"(command="./setpriv --reuid=0 {} lingers")", TIELINE_BAD_TOOL)});
  const Outcome outcome = run.run({"--transport", "tcp"}, become_nobody);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  FaultRun::expect_said(outcome, {"component 'tool': its program could not be ended, and still runs"});
  EXPECT_EQ(outcome.err.find("was killed"), std::string::npos);
  EXPECT_FALSE(run.participants("tool").empty());
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
