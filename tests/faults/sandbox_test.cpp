#include "participant/sandbox.hpp"

#include <map>

#include "faults/fault_run.hpp"

// Third-party code that does what it should not: an FMU that tries, and programs.

namespace tieline::faults {
namespace sandbox_test {

namespace fs = std::filesystem;

bool is_possible(core::SandboxLevel level) { return participant::missing_for(level).empty(); }

/// A run of the FMU that tries all of it.
class Attempt {
 public:
  explicit Attempt(int version = 3) : version_(version) {
    fs::create_directory(outside());
    for (const char* name : {"old", "doomed"}) std::ofstream(outside() / name) << "precious";
  }
  [[nodiscard]] fs::path outside() const { return run_.work().path("outside"); }
  [[nodiscard]] const FaultRun& run() const { return run_; }

  [[nodiscard]] Outcome outcome(const std::string& attributes, const std::vector<std::string>& arguments = {}) const {
    const fs::path file = fs::path(TIELINE_TEST_FMUS) / fmt::format("prisoner_fmi{}.fmu", version_);
    run_.work().write("model.xml", fmt::format(R"(<CompositeModel name="attempt">
  <Components>
    <Component name="prisoner" kind="fmu" file="{}" step="1e-2" {}>
      <Start variable="outside" value="{}"/>
    </Component>
  </Components>
  <Simulation stop="0.02"/>
</CompositeModel>
)",
                                               file.string(), attributes, outside().string()));
    return run_.run(arguments);
  }
  /// What was possible.
  [[nodiscard]] std::map<std::string, int> done(const std::string& attributes,
                                                const std::vector<std::string>& arguments = {}) const {
    const Outcome ended = outcome(attributes, arguments);
    run_.expect_done(ended);
    std::map<std::string, int> done;
    const auto reader = results::ResultReader::open(run_.results());
    EXPECT_TRUE(reader);
    if (!reader) return done;
    for (const char* name : {"reads", "writes_beside", "writes_outside", "removes_outside", "changes_mode",
                             "opens_socket", "opens_local_socket", "executes", "traces", "reads_parent",
                             "signals_parent", "has_thread", "finds_token", "finds_token_in_proc"}) {
      const auto series = reader->read(fmt::format("prisoner.{}.value", name));
      EXPECT_TRUE(series) << name;
      if (series) done[name] = static_cast<int>(series->values.back());
    }
    return done;
  }

 private:
  FaultRun run_;
  int version_;
};

/// What an honest FMU may need, and nobody forbids by default.
void expect_free(std::map<std::string, int>& done) {
  for (const char* name : {"reads", "writes_beside", "writes_outside", "removes_outside", "changes_mode",
                           "opens_socket", "opens_local_socket", "executes", "signals_parent", "has_thread"}) {
    EXPECT_EQ(done[name], 1) << name;
  }
}

void expect_no_token(std::map<std::string, int>& done) {
  EXPECT_EQ(done["finds_token"], 0);
  EXPECT_EQ(done["finds_token_in_proc"], 0);
}

TEST(Sandbox, OfAnFmuIsStandardByDefault) {
  if (!is_possible(core::SandboxLevel::standard)) GTEST_SKIP() << "this machine lacks what it needs";
  for (const int version : {2, 3}) {
    for (const char* attributes : {"", R"(sandbox="standard")"}) {
      SCOPED_TRACE(fmt::format("FMI {} {}", version, attributes));
      auto done = Attempt(version).done(attributes);
      expect_free(done);
      expect_no_token(done);
      EXPECT_TRUE(support::kIsInstrumented || done["traces"] == 0);
      EXPECT_EQ(done["reads_parent"], 0);
    }
  }
}

TEST(Sandbox, ThatIsStrictLeavesAnFmuItsOwnFolder) {
  if (!is_possible(core::SandboxLevel::strict)) GTEST_SKIP() << "this machine lacks what it needs";
  for (const int version : {2, 3}) {
    const Attempt attempt(version);
    auto done = attempt.done(R"(sandbox="strict")");
    EXPECT_EQ(done["reads"], 1);
    EXPECT_EQ(done["writes_beside"], 1);
    EXPECT_EQ(done["has_thread"], 1);
    for (const char* name : {"writes_outside", "removes_outside", "changes_mode", "opens_socket", "opens_local_socket",
                             "executes", "reads_parent", "signals_parent"}) {
      EXPECT_EQ(done[name], 0) << name;
    }
    EXPECT_TRUE(support::kIsInstrumented || done["traces"] == 0);
    expect_no_token(done);
    EXPECT_FALSE(fs::exists(attempt.outside() / "fresh"));
    EXPECT_EQ(cli::text_of(attempt.outside() / "doomed"), "precious");
  }
}

TEST(Sandbox, IsNoneOnRequest) {
  auto done = Attempt().done(R"(sandbox="no")");
  expect_free(done);
  expect_no_token(done);
  EXPECT_EQ(done["reads_parent"], 1);
}

// Whoever runs a model has the last word, whatever its author has written into it.
TEST(Sandbox, OfTheCommandLineIsTheLeast) {
  if (!is_possible(core::SandboxLevel::strict)) GTEST_SKIP() << "this machine lacks what it needs";
  EXPECT_EQ(Attempt().done(R"(sandbox="no")", {"--sandbox", "strict"})["writes_outside"], 0);
  EXPECT_EQ(Attempt().done(R"(sandbox="strict")", {"--sandbox", "standard"})["writes_outside"], 0);
}

TEST(Sandbox, ThatIsStrictRecordsTracks) {
  if (!is_possible(core::SandboxLevel::strict)) GTEST_SKIP() << "this machine lacks what it needs";
  const Attempt attempt;
  EXPECT_EQ(attempt.done(R"(sandbox="strict")", {"--record-tracks", "prisoner"})["writes_outside"], 0);
  EXPECT_GT(fs::file_size(attempt.run().results() / "tracks" / "prisoner.tracks"), 0U);
}

TEST(Sandbox, OfAnFmuInTheMainProgramIsRefused) {
  for (const char* level : {"strict", "standard"}) {
    const Attempt attempt;
    const Outcome outcome = attempt.outcome(fmt::format(R"(isolate="false" sandbox="{}")", level));
    EXPECT_EQ(outcome.exit_code, 1);
    FaultRun::expect_said(outcome, {"model.xml:3:", fmt::format("the FMU 'prisoner' cannot have sandbox=\"{}\"", level),
                                    "isolate=\"false\" runs it in the main program"});
  }
  const Attempt demanded;
  const Outcome outcome = demanded.outcome(R"(isolate="false")", {"--sandbox", "strict"});
  EXPECT_EQ(outcome.exit_code, 1);
  FaultRun::expect_said(outcome, {"the FMU 'prisoner' cannot have sandbox=\"strict\""});
  auto done = Attempt().done(R"(isolate="false")");
  EXPECT_EQ(done["writes_outside"], 1);
}

// A folder with the content of an FMU is its own folder.
TEST(Sandbox, OfAnFmuThatIsAFolder) {
  if (!is_possible(core::SandboxLevel::strict)) GTEST_SKIP() << "this machine lacks what it needs";
  const FaultRun run;
  const fs::path folder = run.work().path("prisoner");
  fs::copy(fs::path(TIELINE_TEST_FMUS) / "prisoner_fmi3", folder, fs::copy_options::recursive);
  fs::create_directory(run.work().path("outside"));
  const std::vector<std::string> words{
      "run",       "prisoner", "--stop", "0.1",
      "--sandbox", "strict",   "--set",  "outside=" + run.work().path("outside").string(),
      "--out",     "results"};
  const Outcome outcome = run.work().tieline(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_FALSE(fs::exists(run.work().path("outside") / "fresh"));
  bool has_written = false;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    has_written = has_written || entry.path().filename() == "prisoner.so.notes";
  }
  EXPECT_TRUE(has_written);
  // One that needs its tool could not run so.
  std::string description = cli::text_of(folder / "modelDescription.xml");
  const std::string word = "<CoSimulation ";
  description.replace(description.find(word), word.size(), "<CoSimulation needsExecutionTool=\"true\" ");
  std::ofstream(folder / "modelDescription.xml", std::ios::binary) << description;
  const Outcome refused = run.work().tieline(words);
  EXPECT_EQ(refused.exit_code, 1);
  FaultRun::expect_said(refused, {"starts the tool that exported it (needsExecutionTool)",
                                  "sandbox=\"strict\" does not allow; choose sandbox=\"standard\""});
}

TEST(Sandbox, OfANestedModelIsThatOfItsFmus) {
  const FaultRun run;
  run.work().write("model.xml", fmt::format(R"(<CompositeModel name="outer">
  <Components>
    <Component name="sub" kind="composite" sandbox="strict">
      <CompositeModel name="inner">
        <Components>
          <Component name="prisoner" kind="fmu" file="{}/prisoner_fmi2.fmu" step="1e-2" isolate="false"/>
        </Components>
      </CompositeModel>
    </Component>
  </Components>
  <Simulation stop="0.02"/>
</CompositeModel>
)",
                                            TIELINE_TEST_FMUS));
  const Outcome outcome = run.run();
  EXPECT_EQ(outcome.exit_code, 1);
  FaultRun::expect_said(outcome, {"the FMU 'sub.prisoner' cannot have sandbox=\"strict\""});
}

TEST(Sandbox, ThatIsStrictNeedsSharedMemory) {
  const Attempt attempt;
  const Outcome outcome = attempt.outcome(R"(sandbox="strict")", {"--transport", "tcp"});
  EXPECT_EQ(outcome.exit_code, 1);
  FaultRun::expect_said(outcome, {"'prisoner' has sandbox=\"strict\", which allows no network",
                                  "'prisoner' uses the transport 'tcp'", "use shared_memory"});
}

/// A tool behind a script that tries to write; it takes part all the same.
Scene scripted(const FaultRun& run, const std::string& attributes) {
  const fs::path script = run.work().write("start.sh", fmt::format(R"(#!/bin/sh
echo x > "{0}/outside" 2>/dev/null && echo wrote outside
echo x > "$TIELINE_RUN_FOLDER/inside" && echo wrote inside
exec "{1}" good
)",
                                                                   run.work().folder().string(), TIELINE_BAD_TOOL));
  fs::permissions(script, fs::perms::owner_all);
  return {.tool = fmt::format(R"(command="./start.sh" {})", attributes)};
}

TEST(Sandbox, OfAProgramIsOnRequest) {
  if (!is_possible(core::SandboxLevel::strict)) GTEST_SKIP() << "this machine lacks what it needs";
  for (const std::string level : {"", "standard", "strict"}) {
    SCOPED_TRACE(level);
    const FaultRun run;
    const Scene scene = scripted(run, level.empty() ? "" : fmt::format("sandbox=\"{}\"", level));
    run.expect_done(run.run(scene));
    const std::string log = cli::text_of(run.results() / "processes" / "tool" / "output.log");
    EXPECT_NE(log.find("wrote inside"), std::string::npos) << log;
    EXPECT_EQ(log.find("wrote outside") == std::string::npos, level == "strict") << log;
    EXPECT_EQ(fs::exists(run.work().path("outside")), level != "strict");
  }
}

TEST(Sandbox, OfAProgramThatItsOwnerStartsIsRefused) {
  const FaultRun run;
  const Outcome outcome = run.run(Scene{.tool = R"(sandbox="strict")"});
  EXPECT_EQ(outcome.exit_code, 1);
  FaultRun::expect_said(outcome, {"model.xml:3:", "component 'tool' cannot have sandbox=\"strict\"",
                                  "its program is started by its owner"});
}

TEST(Sandbox, IsShownByInfo) {
  const FaultRun run;
  const std::string file = (fs::path(TIELINE_TEST_FMUS) / "prisoner_fmi3.fmu").string();
  const Outcome outcome = run.work().tieline({"info", file});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("sandbox"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("standard: it may read and write files"), std::string::npos) << outcome.out;
}

}  // namespace sandbox_test
}  // namespace tieline::faults
