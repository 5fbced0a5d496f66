#include "faults/endless_run.hpp"

// A run that is stopped as a whole (a paused container, a closed lid) continues with its processes.

namespace tieline::faults {
namespace pause_test {

enum class Paused { everybody, master };

void expect_continues(const std::vector<std::string>& arguments, Paused who = Paused::everybody,
                      Scene scene = scene_of("waits")) {
  const FaultRun run;
  scene.deadlines = R"(start_deadline="60" silence_deadline="3" stall_deadline="4" shutdown_deadline="5")";
  run.write(scene);
  const auto process = run.start(arguments);
  const auto is_halfway = [&] {
    const auto progress = results::read_progress(run.results() / results::kProgressFileName);
    return progress && progress->phase == results::RunPhase::running && progress->reached > 0.009;
  };
  ASSERT_TRUE(process->wait_until(is_halfway));
  const auto all = run.processes();
  ASSERT_GE(all.size(), 2U);
  const auto send = [&](int signal) {
    if (who == Paused::master) return process->send(signal);
    for (const pid_t id : all) ::kill(id, signal);
  };
  send(SIGSTOP);
  // Longer than any deadline of the run.
  ::poll(nullptr, 0, 6000);
  send(SIGCONT);
  // Long enough for everybody to look at the clock before anything else happens.
  ::poll(nullptr, 0, 500);
  run.work().write("go", "");
  const auto outcome = process->wait();
  ASSERT_TRUE(outcome);
  run.expect_done(*outcome);
}

TEST(Pause, OfAllProcessesIsNobodysFault) { expect_continues({}); }
TEST(Pause, OfRunnersIsNobodysFault) { expect_continues({"--isolate"}); }
// A tool has a deadline of its own for its partners.
TEST(Pause, OfToolsThatWaitForEachOtherIsNobodysFault) {
  Scene scene = scene_of("good");
  for (const auto& [name, fault] : {std::pair{"left", "waits"}, std::pair{"right", "good"}}) {
    scene.components += fmt::format(R"(
    <Component name="{}" kind="process" command="{} {}"><Interface name="axle" domain="translation"/></Component>)",
                                    name, TIELINE_BAD_TOOL, fault);
  }
  scene.connections = R"(
    <Connection name="other" from="left.axle" to="right.axle" coupling="line" stiffness="1e6" delay="1e-4"/>)";
  expect_continues({}, Paused::everybody, scene);
}
// Ctrl-Z reaches no other process.
TEST(Pause, OfTheMasterIsNobodysFault) { expect_continues({"--isolate"}, Paused::master); }

}  // namespace pause_test
}  // namespace tieline::faults
