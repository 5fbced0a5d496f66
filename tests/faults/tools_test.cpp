#include "faults/fault_run.hpp"

// Tools that die, fall silent, or break the rules of the plug-in: the run ends by itself, and names them.

namespace tieline::faults {
namespace tools_test {

void expect_failure(const std::string& fault, const std::vector<std::string>& words) {
  const FaultRun run;
  const Outcome outcome = run.run(scene_of(fault));
  run.expect_failed(outcome, words);
}

TEST(Tool, ThatIsGoodRuns) {
  const FaultRun run;
  run.expect_done(run.run(scene_of("good")));
}

// Ends of programs.

TEST(Tool, KilledBeforeItJoins) {
  expect_failure("killed_first", {"component 'tool'", "was ended by signal 9 (Killed) before it joined"});
}
TEST(Tool, KilledInTheMiddle) {
  expect_failure("killed", {"component 'tool'", "was ended by signal 9 (Killed) before the run was over"});
}
TEST(Tool, KilledAtTheEnd) {
  expect_failure("killed_last", {"component 'tool'", "was ended by signal 9 (Killed) before the run was over"});
}
TEST(Tool, LeavesBeforeItJoins) {
  expect_failure("leaves_first", {"component 'tool'", "ended with exit code 0 before it joined"});
}
TEST(Tool, LeavesAfterJoining) {
  expect_failure("leaves_after_joining", {"component 'tool'", "ended with exit code 0 before the run was over"});
}
TEST(Tool, LeavesInTheMiddle) {
  expect_failure("leaves", {"component 'tool'", "ended with exit code 0 before the run was over"});
}
TEST(Tool, ClosesInTheMiddle) {
  expect_failure("closes", {"component 'tool'", "it closed its session before the run was over"});
}
TEST(Tool, SaysThatItCannotContinue) { expect_failure("fails", {"component 'tool'", "the bearing has no film left"}); }
TEST(Tool, ShowsTheEndOfItsLog) {
  expect_failure("says 'no licence for 27 bearings'",
                 {"component 'tool'", "ended with exit code 3 before it joined", "no licence for 27 bearings"});
}

// A program that does not end with the run is ended, and the run is good all the same.
TEST(Tool, LingersAfterTheRun) {
  const FaultRun run;
  const Outcome outcome = run.run(scene_of("lingers"));
  run.expect_done(outcome);
  FaultRun::expect_said(outcome, {"component 'tool': its program had not ended 1 s after the run, and was killed"});
}

// Silence.

TEST(Tool, NeverJoins) {
  expect_failure("never_joins", {"component 'tool'", "has not joined within 3 s (the start deadline)"});
}
TEST(Tool, NeverRegisters) {
  expect_failure("never_registers",
                 {"component 'tool'", "has not registered its interfaces within 3 s (the start deadline)"});
}
TEST(Tool, IsStopped) { expect_failure("stopped", {"component 'tool'", "no message for 2 s (the silence deadline)"}); }
TEST(Tool, ComputesForEver) {
  expect_failure("computes_for_ever", {"3 s (the stall deadline)", "'wall' waits for 'tool'"});
}

// The door.

TEST(Tool, HasAWrongToken) {
  expect_failure("wrong_token", {"component 'tool'", "ended with exit code 1 before it joined", "the token is wrong"});
}
TEST(Tool, HasAWrongName) {
  expect_failure("wrong_name", {"component 'tool'", "this run has no participant 'tol'; did you mean 'tool'?"});
}

// Interfaces.

TEST(Tool, MisspellsAnInterface) {
  expect_failure("misspells", {"component 'tool'", "the model declares interface 'axle'", "'axel' is"});
}
TEST(Tool, LacksAnInterface) {
  expect_failure("registers_nothing", {"component 'tool'", "the model declares interface 'axle'", "not registered"});
}
TEST(Tool, HasAnotherDomain) {
  expect_failure("wrong_domain", {"component 'tool'", "'axle'", "rotation", "the model declares translation"});
}
TEST(Tool, HasAnotherCausality) {
  expect_failure("wrong_causality", {"component 'tool'", "'axle'", "registered as translation, motion",
                                     "the model declares translation, force"});
}

Scene with_command(const std::string& fault) {
  Scene scene = scene_of(fault);
  scene.more = R"(<Interface name="command" domain="signal" causality="input" size="2"/>)";
  return scene;
}

TEST(Tool, HasAnotherSize) {
  const FaultRun run;
  run.expect_failed(run.run(with_command("wrong_size")),
                    {"component 'tool'", "'command'", "of 3 numbers", "of 2 numbers"});
}
TEST(Tool, GetsAllMistakesAtOnce) {
  const FaultRun run;
  run.expect_failed(run.run(with_command("all_wrong")),
                    {"component 'tool'", "'axle'", "registered as rotation", "'command'", "('comand' is)"});
}

// Steps.

TEST(Tool, ReportsNotANumber) {
  expect_failure("not_a_number", {"component 'tool'", "interface 'axle': the position is NaN"});
}
TEST(Tool, GoesBackInTime) {
  expect_failure("backwards", {"component 'tool'", "interface 'axle' is set at", "not after the last step's end"});
}
TEST(Tool, StepsTooFar) {
  expect_failure("too_far", {"component 'tool'", "a step from", "may end at", "at the latest (tieline_step_limit)"});
}
TEST(Tool, AsksBeyondTheHorizon) {
  expect_failure("beyond_horizon", {"component 'tool'", "interface 'axle' is read at", "its input is known up to"});
}
TEST(Tool, CallsInTheWrongOrder) {
  expect_failure("wrong_order", {"component 'tool'", "interface 'axle' was not set at", "before tieline_sync"});
}
TEST(Tool, CallsBeforeItsStart) {
  expect_failure("wrong_order_first", {"component 'tool'", "tieline_step_limit comes after tieline_start"});
}

}  // namespace tools_test
}  // namespace tieline::faults
