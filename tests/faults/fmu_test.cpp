#include <cmath>

#include "faults/fault_run.hpp"

// FMUs that misbehave, and those that are damaged: a named error in time, nothing left behind, results that can be
// read.

namespace tieline::faults {
namespace fmu_test {

namespace fs = std::filesystem;

fs::path fmu(const std::string& name, int version) {
  return fs::path(TIELINE_TEST_FMUS) / fmt::format("{}_fmi{}.fmu", name, version);
}

constexpr int kDeadline = support::kIsInstrumented ? 20 : 3;  ///< [s]

struct Nasty {
  std::string behaviour = "none";
  std::string call = "get_derivatives";
  double at = 0.01;  ///< [s]
  int version = 3;
  std::string name = "bad";
  std::string logging = "false";
  std::string mode = "model_exchange";

  [[nodiscard]] std::string text() const {
    const std::string file = version == 1 && mode == "co_simulation" ? "nasty_cs" : "nasty";
    return fmt::format(R"(<CompositeModel name="fault">
  <Components>
    <Component name="{0}" kind="fmu" file="{1}" {2}="1e-3">
      <Fmu mode="{3}" logging="{4}"/>
      <Start variable="behaviour" value="{5}"/> <Start variable="call" value="{6}"/> <Start variable="at" value="{7}"/>
    </Component>
    <Component name="wall" kind="network"><Network><Mass name="body" mass="1" velocity="1"/></Network></Component>
  </Components>
  <Simulation stop="0.02" write_interval="1e-3">
    <Processes start_deadline="{8}" silence_deadline="{8}" stall_deadline="{8}" shutdown_deadline="1"/>
  </Simulation>
</CompositeModel>
)",
                       name, fmu(file, version).string(), mode == "co_simulation" ? "step" : "largest_step", mode,
                       logging, behaviour, call, at, kDeadline);
  }
};

void expect_failure(const Nasty& nasty, const std::vector<std::string>& words) {
  SCOPED_TRACE(fmt::format("{} at {}, FMI {}", nasty.behaviour, nasty.call, nasty.version));
  const FaultRun run;
  run.work().write("model.xml", nasty.text());
  run.expect_failed(run.run(), words);
}

TEST(FmuFault, ThatEndsItsProcess) {
  for (const int version : {1, 2, 3}) {
    expect_failure({.behaviour = "crash", .version = version}, {"component 'bad'", "signal 11"});
    expect_failure({.behaviour = "exit", .version = version}, {"component 'bad'", "exit code 3"});
  }
  expect_failure({.behaviour = "abort"}, {"component 'bad'", "signal 6"});
  // Of the C library's heap; sanitizers have another.
  if (!support::kIsInstrumented) expect_failure({.behaviour = "corrupt"}, {"component 'bad'", "signal 6"});
  expect_failure({.behaviour = "crash", .call = "enter_initialization", .at = 0.0}, {"component 'bad'", "signal 11"});
  expect_failure({.name = "crash_at_once"}, {"component 'crash_at_once'", "signal 11"});
}

TEST(FmuFault, ThatNeverComesBack) {
  for (const char* call : {"get_derivatives", "set_time"}) {
    expect_failure({.behaviour = "loop", .call = call, .version = 2}, {"stall deadline", "'bad' computes"});
  }
  expect_failure({.behaviour = "loop", .call = "exit_initialization", .at = 0.0},
                 {"'bad'", fmt::format("{} s", kDeadline)});
}

TEST(FmuFault, ThatAnswersWithAnError) {
  for (const char* answer : {"error", "fatal"}) {
    expect_failure({.behaviour = answer, .version = 2},
                   {"component 'bad', t = 0.01", "fmi2GetDerivatives answered", answer, "'as it was told'"});
    expect_failure({.behaviour = answer},
                   {"component 'bad', t = 0.01", "fmi3GetContinuousStateDerivatives answered", answer});
  }
  expect_failure({.behaviour = "error", .version = 1},
                 {"component 'bad', t = 0.01", "fmiGetDerivatives answered 'error'", "'as it was told'"});
  // Reading a value initializes an FMU of FMI 1.0.
  expect_failure({.behaviour = "error", .call = "enter_initialization", .at = 0.0, .version = 1},
                 {"component 'bad'", "fmiInitialize answered 'error'", "'as it was told'"});
  expect_failure({.behaviour = "discard"}, {"component 'bad', t = 0.0"});
  expect_failure({.behaviour = "status", .version = 2}, {"component 'bad'", "42"});
  expect_failure({.behaviour = "nan"}, {"component 'bad', t = 0.0", "not finite"});
  expect_failure({.behaviour = "error", .call = "set_time"}, {"component 'bad'", "fmi3SetTime answered 'error'"});
  expect_failure({.behaviour = "error", .call = "exit_initialization", .at = 0.0},
                 {"component 'bad'", "fmi3ExitInitializationMode answered 'error'"});
}

TEST(FmuFault, WhoseNumbersAreNone) {
  for (const int version : {1, 2, 3}) {
    expect_failure({.behaviour = "nan_indicator", .version = version},
                   {"component 'bad'", "the FMU reports nan for event indicator 1 of 1"});
    expect_failure({.behaviour = "nan_nominal", .at = 0.0, .version = version},
                   {"component 'bad'", "the FMU reports nan for the nominal value of state 1 of 1"});
  }
}

TEST(FmuFault, ThatChangesItsProcessIsReported) {
  for (const char* isolate : {"true", "false"}) {
    const FaultRun run;
    std::string text = Nasty{.behaviour = "folder", .call = "enter_initialization", .at = 0.0}.text();
    const std::string place = R"(kind="fmu")";
    run.work().write("model.xml",
                     text.replace(text.find(place), place.size(), place + fmt::format(R"( isolate="{}")", isolate)));
    const Outcome outcome = run.run();
    run.expect_done(outcome);
    FaultRun::expect_said(outcome, {"bad", "the FMU has changed the working folder of the process that computes it"});
  }
}

// Starting, and starting again, never calls a function that many exporters get wrong; and there is always a folder of
// resources, also where the FMU has none.
TEST(FmuFault, ThatCannotBeResetRuns) {
  for (const int version : {1, 2, 3}) {
    for (const char* mode : {"model_exchange", "co_simulation"}) {
      for (const auto& [behaviour, call] :
           {std::pair{"crash", "reset"}, std::pair{"resources", "enter_initialization"}}) {
        SCOPED_TRACE(fmt::format("{}, FMI {}, {}", behaviour, version, mode));
        const FaultRun run;
        run.work().write(
            "model.xml",
            Nasty{.behaviour = behaviour, .call = call, .at = 0.0, .version = version, .mode = mode}.text());
        run.expect_done(run.run());
      }
    }
  }
}

// Its own folder, whatever its name contains: a URI in FMI 1.0 and 2.0, a path in FMI 3.0.
TEST(FmuFault, FindsItsResourcesInAnyFolder) {
  for (const int version : {1, 2, 3}) {
    for (const char* mode : {"model_exchange", "co_simulation"}) {
      SCOPED_TRACE(fmt::format("FMI {}, {}", version, mode));
      const FaultRun run;
      const bool is_own = version == 1 && std::string_view(mode) == "co_simulation";
      const std::string name = fmt::format("nasty{}_fmi{}", is_own ? "_cs" : "", version);
      const auto folder = run.work().path("a b%20c#d?\xC3\xBC");
      std::filesystem::create_directories(folder);
      std::filesystem::copy(std::filesystem::path(TIELINE_TEST_FMUS) / name, folder / name,
                            std::filesystem::copy_options::recursive);
      std::filesystem::create_directories(folder / name / "resources");
      std::string text =
          Nasty{.behaviour = "resources", .call = "enter_initialization", .at = 0.0, .version = version, .mode = mode}
              .text();
      const std::string packed = (std::filesystem::path(TIELINE_TEST_FMUS) / (name + ".fmu")).string();
      const auto place = text.find(packed);
      ASSERT_NE(place, text.npos) << text;
      text.replace(place, packed.size(), (folder / name).string());
      run.work().write("model.xml", text);
      run.expect_done(run.run());
    }
  }
}

TEST(FmuFault, InAStepOfItsOwn) {
  const auto expect = [](const std::string& behaviour, int version, const std::vector<std::string>& words) {
    expect_failure({.behaviour = behaviour, .call = "step", .version = version, .mode = "co_simulation"}, words);
  };
  for (const int version : {1, 2, 3}) {
    expect("crash", version, {"component 'bad'", "signal 11"});
    expect("exit", version, {"component 'bad'", "exit code 3"});
    expect("error", version, {"component 'bad', t = 0.0", "DoStep answered 'error'", "'as it was told'"});
    expect("fatal", version, {"component 'bad', t = 0.0", "DoStep answered 'fatal'"});
  }
  expect("loop", 3, {"stall deadline", "'bad' computes"});
  expect("status", 2, {"component 'bad'", "42"});
  expect("wrong_time", 3, {"component 'bad'"});
  expect("nan", 3, {"component 'bad'"});
  for (const int version : {1, 2}) expect("pending_forever", version, {"'bad'"});
}

TEST(FmuFault, ThatStepsInAThreadOfItsOwnIsNone) {
  for (const int version : {1, 2}) {
    const FaultRun run;
    run.work().write("model.xml",
                     Nasty{.behaviour = "pending", .call = "step", .version = version, .mode = "co_simulation"}.text());
    run.expect_done(run.run());
  }
}

TEST(FmuFault, ThatRefusesToBeMade) {
  for (const int version : {1, 2, 3}) {
    expect_failure({.version = version, .name = "refused"},
                   {"component 'refused'", "the FMU refuses to make an instance", "cannot be made"});
  }
}

// What goes wrong after the end costs no results.
TEST(FmuFault, AfterTheRunIsAWarning) {
  for (const auto& [behaviour, call, word] :
       {std::array{"crash", "free", "signal 11"}, std::array{"exit", "terminate", "exit code 3"},
        std::array{"loop", "terminate", "was killed"}}) {
    const FaultRun run;
    run.work().write("model.xml", Nasty{.behaviour = behaviour, .call = call, .at = 0.0}.text());
    const Outcome outcome = run.run();
    run.expect_done(outcome);
    FaultRun::expect_said(outcome, {"warning: component 'bad'", word});
  }
}

TEST(FmuFault, ThatFloodsItsLogIsHeardInPart) {
  const FaultRun run;
  const double at = support::kIsInstrumented ? 0.018 : 0.0;
  run.work().write("model.xml", Nasty{.behaviour = "chatter", .at = at, .logging = "true"}.text());
  const Outcome outcome = run.run();
  run.expect_done(outcome);
  // Ten thousand lines at each of some hundred calls.
  EXPECT_LE(outcome.err.size(), std::size_t{4} << 20);
  FaultRun::expect_said(outcome, {"bad: ", "message 0"});
}

TEST(FmuFault, WithoutTextInItsMessagesRuns) {
  const FaultRun run;
  run.work().write("model.xml", Nasty{.behaviour = "null_log", .logging = "true"}.text());
  run.expect_done(run.run());
}

// --- what an FMU unpacks

/// Folders for temporary files, and those that a run has left in one.
class Temporary {
 public:
  explicit Temporary(const FaultRun& run) : path_(run.work().path("tmp")) { fs::create_directory(path_); }
  [[nodiscard]] std::function<void()> prepare() const {
    return [this] { ::setenv("TMPDIR", path_.c_str(), 1); };
  }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

TEST(FmuFolder, IsRemovedAfterACrashAndAfterAHang) {
  for (const char* behaviour : {"none", "crash", "loop"}) {
    const FaultRun run;
    const Temporary temporary(run);
    run.work().write("model.xml", Nasty{.behaviour = behaviour}.text());
    (void)run.run({}, temporary.prepare());
    EXPECT_EQ(temporary.count(), 0U) << behaviour;
  }
}

TEST(FmuFolder, IsRemovedWhereItsRunnerIsKilled) {
  const FaultRun run;
  const Temporary temporary(run);
  run.work().write("model.xml", Nasty{.behaviour = "loop"}.text());
  const auto process = run.start({}, temporary.prepare());
  ASSERT_TRUE(process->wait_until([&] { return temporary.count() > 0 && !run.participants("bad").empty(); }));
  for (const pid_t id : run.participants("bad")) ::kill(id, SIGKILL);
  ASSERT_TRUE(process->wait());
  EXPECT_EQ(temporary.count(), 0U);
}

TEST(FmuFolder, OfAKilledMasterIsRemovedByTheNextRun) {
  const FaultRun run;
  const Temporary temporary(run);
  run.work().write("model.xml", Nasty{.behaviour = "loop"}.text());
  const auto process = run.start({}, temporary.prepare());
  ASSERT_TRUE(process->wait_until([&] { return temporary.count() > 0 && !run.participants("bad").empty(); }));
  process->send(SIGKILL);
  ASSERT_TRUE(process->wait());
  ASSERT_TRUE(run.all_end());
  // A run that unpacks nothing itself.
  run.work().write("model.xml", cli::pair_model());
  EXPECT_EQ(run.run({}, temporary.prepare()).exit_code, 0);
  EXPECT_EQ(temporary.count(), 0U);
}

// --- sound ones, in place of a model

TEST(SingleFmu, IsRunAndChecked) {
  const FaultRun run;
  const cli::Workplace& work = run.work();
  fs::copy(fmu("mass", 3), work.path("mass.fmu"));
  const Outcome checked = work.tieline({"check", "mass.fmu", "--set", "m=2"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out;
  EXPECT_NE(checked.out.find("mass.fmu: no errors, no warnings"), std::string::npos) << checked.out;
  for (const char* mode : {"model_exchange", "co_simulation"}) {
    const Outcome outcome = work.tieline({"run", "mass.fmu", "--set", "m=2", "--mode", mode, "--stop", "0.1"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto reader = results::ResultReader::open(work.path("mass-results"));
    ASSERT_TRUE(reader);
    const auto position = reader->read("mass.x.value");
    ASSERT_TRUE(position) << position.error().describe();
    // 2 kg on 100 N/m with 0.5 N s/m.
    const double decay = 0.125, omega = std::sqrt(50.0 - decay * decay), t = 0.1;
    const double exact = 0.1 * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
    EXPECT_NEAR(position->values.back(), exact, 1e-7) << mode;
  }
}

TEST(SingleFmu, ReportsMistakesOfTheCommandLine) {
  const FaultRun run;
  const cli::Workplace& work = run.work();
  const std::string file = fmu("mass", 2).string();
  const Outcome name = work.tieline({"run", file, "--set", "weight=2", "--set", "k=stiff"});
  EXPECT_EQ(name.exit_code, 1);
  FaultRun::expect_said(name, {"--set mass.weight=2", "the FMU has no variable 'weight'"});
  EXPECT_EQ(work.tieline({"run", file, "--mode", "both"}).exit_code, 3);
  work.write("model.xml", Nasty{}.text());
  const Outcome mode = work.tieline({"run", "model.xml", "--mode", "co_simulation"});
  EXPECT_EQ(mode.exit_code, 3);
  FaultRun::expect_said(mode, {"--mode is for a single FMU", "COMPONENT.Fmu.mode=co_simulation"});
}

// --- damaged ones

/// `tieline run damaged.fmu`, a copy of the unpacked FMU that something was done to.
class Damaged {
 public:
  explicit Damaged(const std::string& name = "mass", int version = 3) : folder_(run_.work().path("damaged")) {
    fs::copy(fmu(name, version).replace_extension(), folder_, fs::copy_options::recursive);
  }
  [[nodiscard]] const fs::path& folder() const { return folder_; }
  [[nodiscard]] fs::path binaries() const { return fs::directory_iterator(folder_ / "binaries")->path(); }
  [[nodiscard]] const FaultRun& run() const { return run_; }

  void replace(const std::string& old, const std::string& text) const {
    std::string description = cli::text_of(folder_ / "modelDescription.xml");
    const auto at = description.find(old);
    ASSERT_NE(at, std::string::npos) << old;
    description.replace(at, old.size(), text);
    std::ofstream(folder_ / "modelDescription.xml", std::ios::binary) << description;
  }
  [[nodiscard]] Outcome outcome() const {
    return run_.work().tieline({"run", "damaged", "--mode", "model_exchange", "--out", "results"});
  }
  /// That `check` says what `run` says, and loads nothing.
  void expect_checked(const std::vector<std::string>& words) const {
    const Outcome checked = run_.work().tieline({"check", "damaged", "--mode", "model_exchange"});
    EXPECT_EQ(checked.exit_code, 1) << checked.out;
    for (const std::string& word : words) EXPECT_NE(checked.out.find(word), std::string::npos) << checked.out;
    expect(1, words);
  }
  void expect(int code, const std::vector<std::string>& words) const {
    const Outcome result = outcome();
    EXPECT_EQ(result.exit_code, code) << result.err;
    FaultRun::expect_said(result, words);
    run_.expect_nothing_left();
  }

 private:
  FaultRun run_;
  fs::path folder_;
};

TEST(DamagedFmu, CutShort) {
  const FaultRun run;
  const std::string whole = cli::text_of(fmu("mass", 3));
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, whole.size() / 2, whole.size() - 1}) {
    run.work().write("cut.fmu", whole.substr(0, size));
    for (const char* command : {"run", "check"}) {
      const Outcome outcome = run.work().tieline({command, "cut.fmu"});
      EXPECT_EQ(outcome.exit_code, 1) << size << outcome.err;
      EXPECT_NE((outcome.out + outcome.err).find("cut.fmu"), std::string::npos) << outcome.err;
    }
  }
}

TEST(DamagedFmu, ThatIsNotThere) {
  const FaultRun run;
  const Outcome outcome = run.work().tieline({"run", "nowhere.fmu"});
  EXPECT_EQ(outcome.exit_code, 1);
  FaultRun::expect_said(outcome, {"nowhere.fmu"});
}

TEST(DamagedFmu, WithoutItsBinary) {
  const Damaged fmu;
  fs::rename(fmu.binaries() / "mass.so", fmu.binaries() / "other.so");
  fmu.expect_checked({"damaged", "the FMU has no 'mass.so'", "there is 'other.so'"});
}

TEST(DamagedFmu, ForOtherPlatforms) {
  const Damaged fmu;
  std::ofstream(fmu.binaries() / "mass.so") << "MZ: of another machine";
  fs::rename(fmu.binaries(), fmu.folder() / "binaries" / "x86_64-windows");
  fmu.expect_checked({"damaged", "no machine code for this machine", "x86_64-windows"});
}

TEST(DamagedFmu, WithItsBinaryInTheWrongFolder) {
  const Damaged fmu;
  fs::rename(fmu.binaries(), fmu.folder() / "binaries" / "Linux_x64");
  fmu.expect(0, {"the library for this machine is in 'binaries/Linux_x64'"});
}

TEST(DamagedFmu, ThatNeedsWhatIsNotThere) {
  const Damaged fmu("own_symbols");
  fs::remove(fmu.folder() / "resources" / "libown_resource.so");
  fmu.expect_checked(
      {"'own_symbols.so' needs the library 'libown_resource.so', which is not on this machine", "LD_LIBRARY_PATH"});
}

TEST(DamagedFmu, WhoseBinaryIsNone) {
  const Damaged fmu;
  std::ofstream(fmu.binaries() / "mass.so") << "MZ: of another machine";
  fmu.expect_checked({"damaged", "'mass.so' is a library for Windows"});
}

TEST(DamagedFmu, WithTheBinaryOfAnotherVersion) {
  const Damaged fmu;
  fs::remove(fmu.binaries() / "mass.so");
  fs::copy(fs::directory_iterator(fmu_test::fmu("mass", 2).replace_extension() / "binaries")->path() / "mass.so",
           fmu.binaries() / "mass.so");
  fmu.expect_checked({"damaged", "fmi3InstantiateModelExchange"});
}

TEST(DamagedFmu, WithAnotherToken) {
  const Damaged fmu;
  fmu.replace("7c6c43a4", "00000000");
  fmu.expect(2, {"component 'mass'", "the FMU refuses to make an instance (a token that is not its own"});
}

TEST(DamagedFmu, OfAnUnknownVersion) {
  const Damaged fmu;
  fmu.replace("fmiVersion=\"3.0\"", "fmiVersion=\"4.0\"");
  fmu.expect(1, {"modelDescription.xml", "4.0"});
}

TEST(DamagedFmu, OfVersion1) {
  const Damaged fmu;
  fmu.replace("fmiVersion=\"3.0\"", "fmiVersion=\"1.0\"");
  fmu.expect(1, {"modelDescription.xml", "FMI 1.0"});
}

TEST(DamagedFmu, ThatOffersNoModelExchange) {
  const Damaged fmu;
  fmu.replace("<ModelExchange modelIdentifier=\"mass\"", "<ScheduledExecution modelIdentifier=\"mass\"");
  fmu.expect(1, {"co-simulation only"});
}

}  // namespace fmu_test
}  // namespace tieline::faults
