#include <sys/stat.h>

#include "faults/fault_run.hpp"

// Programs that cannot be started.

namespace tieline::faults {
namespace start_test {

Scene started_by(const std::string& attributes) { return {.tool = attributes}; }

TEST(Start, OfAProgramThatDoesNotExist) {
  const FaultRun run;
  run.expect_failed(run.run(started_by(R"(command="./nowhere --fast")")),
                    {"component 'tool'", "cannot start", "there is no program", "/nowhere'"});
}

TEST(Start, OfAProgramThatIsNotInThePath) {
  const FaultRun run;
  run.expect_failed(run.run(started_by(R"(command="no-such-simulator")")),
                    {"component 'tool'", "cannot start 'no-such-simulator'", "no such program in PATH"});
}

TEST(Start, OfAFileThatIsNotExecutable) {
  const FaultRun run;
  run.work().write("plain.sh", "#!/bin/sh\n");
  run.expect_failed(run.run(started_by(R"(command="./plain.sh")")),
                    {"component 'tool'", "plain.sh' is not executable (chmod +x makes it so)"});
}

TEST(Start, InAFolderThatDoesNotExist) {
  const FaultRun run;
  const Outcome outcome = run.run(started_by(fmt::format(R"(command="{} good" folder="work")", TIELINE_BAD_TOOL)));
  EXPECT_EQ(outcome.exit_code, 1);
  FaultRun::expect_said(outcome, {"model.xml:3:", "there is no folder 'work'"});
  run.expect_nothing_left();
}

TEST(Start, OfAScriptWithoutInterpreter) {
  const FaultRun run;
  ::chmod(run.work().write("start.sh", "#!/usr/bin/no-such-shell\n").c_str(), 0755);
  run.expect_failed(run.run(started_by(R"(command="./start.sh")")),
                    {"component 'tool'", "the interpreter that", "start.sh' names in its first line does not exist"});
}

TEST(Start, OfAnUnknownToolIsAMistakeOfTheModel) {
  const FaultRun run;
  run.work().write("site.xml", R"(<Site><Tool name="beast" command="beast"/></Site>)");
  const Outcome outcome = run.run(started_by(R"(tool="beats")"), {"--site", "site.xml"});
  EXPECT_EQ(outcome.exit_code, 1);
  FaultRun::expect_said(outcome, {"model.xml:3:", "tool 'beats' of component 'tool'", "did you mean 'beast'?"});
  run.expect_nothing_left();
}

TEST(Start, OfRunnersThatDoNotExist) {
  const FaultRun run;
  run.write(scene_of("good"));
  const Outcome outcome = run.run({"--isolate"}, [] { ::setenv("TIELINE_RUNNER", "/nowhere/tieline", 1); });
  run.expect_failed(outcome, {"component 'wall'", "cannot start '/nowhere/tieline'", "there is no program"});
}

// One program that cannot be started ends those that were.
TEST(Start, EndsWhatHasStartedAlready) {
  const FaultRun run;
  Scene scene = scene_of("never_joins");
  scene.components = R"(<Component name="second" kind="process" command="./nowhere">
    <Interface name="axle" domain="translation"/></Component>)";
  run.expect_failed(run.run(scene), {"component 'second'", "cannot start"});
}

}  // namespace start_test
}  // namespace tieline::faults
