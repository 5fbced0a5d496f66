// What a run adds to a co-simulation FMU that is at work for about a millisecond in each step (FMI 3.0), half of it in
// the step and half when its outputs are read, as FMUs are that evaluate their equations then.
//
//   bare       a loop over the same calls of FMI and nothing else: per step one step, and one reading of all outputs
//   run        the FMU through Simulation, in this process, with its outputs recorded at every step
//   isolated   the same with the FMU in a runner process, as is the default
// Reported per step. The values and the number of calls must agree, or the program fails.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

#include "tieline/simulation.hpp"

#include "fmi/fmi3.h"
#include "fmi/library.hpp"
#include "row.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kStep = 1e-3;  // [s]
constexpr int kSteps = 400;
constexpr int kRepeats = 5;
constexpr double kWork = 40'000.0;  // rounds, in a step and when outputs are read
constexpr const char* kToken = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0023}";
// Of the FMU `meter`: y, gets, sets, steps, saves; work, output_work.
constexpr std::array<std::uint32_t, 5> kOutputs{2, 3, 4, 5, 6};
constexpr std::array<std::uint32_t, 2> kWorks{7, 8};

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "FAILED: {}\n", why);
  std::_Exit(1);
}

void check(int status) {
  if (status != fmi3OK) give_up("a bare call was answered by an error");
}

void ignore_log(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String) {}

double time_bare(const tieline::fmi::Functions3& f) {
  void* const meter = f.fmi3InstantiateCoSimulation("m", kToken, "", false, false, false, false, nullptr, 0, nullptr,
                                                    ignore_log, nullptr);
  if (meter == nullptr) give_up("no instance of the FMU");
  const std::array<double, 2> works{kWork, kWork};
  check(f.fmi3SetFloat64(meter, kWorks.data(), 2, works.data(), 2));
  check(f.fmi3EnterInitializationMode(meter, false, 0.0, 0.0, false, 0.0));
  check(f.fmi3ExitInitializationMode(meter));
  std::array<double, 5> outputs{};
  bool event = false, end = false, early = false;
  double reached = 0.0;
  const auto begin = Clock::now();
  for (int k = 0; k < kSteps; ++k) {
    check(f.fmi3DoStep(meter, k * kStep, kStep, false, &event, &end, &early, &reached));
    check(f.fmi3GetFloat64(meter, kOutputs.data(), 5, outputs.data(), 5));
  }
  const double seconds = seconds_since(begin);
  f.fmi3FreeInstance(meter);
  return seconds;
}

double time_run(const char* isolate) {
  const auto folder = std::filesystem::temp_directory_path() / "tieline-fmu-heavy";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto file = std::filesystem::path(TIELINE_TEST_FMUS) / "meter_fmi3.fmu";
  std::ofstream(folder / "model.xml") << fmt::format(
      "<CompositeModel name=\"heavy\"><Components><Component name=\"m\" kind=\"fmu\" file=\"{}\" isolate=\"{}\" "
      "step=\"{}\"><Fmu mode=\"co_simulation\"/><Start variable=\"work\" value=\"{}\"/><Start variable=\"output_work\" "
      "value=\"{}\"/></Component></Components><Connections/><Simulation start=\"0\" stop=\"{:.17g}\" "
      "write_interval=\"{}\"/></CompositeModel>",
      file.string(), isolate, kStep, kWork, kWork, 1.1 * kSteps * kStep, kStep);
  auto simulation = tieline::Simulation::load(folder / "model.xml");
  simulation.record_to(folder / "results");
  simulation.start();
  simulation.advance_to(0.1 * kSteps * kStep, {.threads = 1});
  const auto begin = Clock::now();
  simulation.advance_to(1.1 * kSteps * kStep, {.threads = 1});
  const double seconds = seconds_since(begin);
  const double steps = simulation.get("m.steps.value"), gets = simulation.get("m.gets.value");
  simulation.finish();
  std::filesystem::remove_all(folder);
  if (std::llround(steps) != std::llround(1.1 * kSteps) || gets > steps + 20.0) {
    give_up(fmt::format("{} steps and {} readings", steps, gets));
  }
  return seconds;
}

}  // namespace

int main() {
  const auto folder = std::filesystem::path(TIELINE_TEST_FMUS) / "meter_fmi3" / "binaries";
  const auto library = tieline::fmi::Library::open({std::filesystem::directory_iterator(folder)->path(), "meter", 3});
  if (!library) give_up(library.error().describe());
  setenv("TIELINE_RUNNER", TIELINE_PROGRAM, 0);
  std::vector<double> bare, run, isolated;
  for (int i = 0; i < kRepeats; ++i) {
    bare.push_back(time_bare(*(*library)->fmi3()));
    run.push_back(time_run("false"));
    isolated.push_back(time_run("true"));
  }
  std::sort(bare.begin(), bare.end());
  const auto report = [&](const char* name, std::vector<double>& times) {
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    fmt::print(
        "{:<9} {:9.1f} us least {:9.1f} us median, per step; {:.3f} of the bare loop by the least, {:.3f} by the "
        "median\n",
        name, 1e6 * times.front() / kSteps, 1e6 * median / kSteps, times.front() / bare.front(),
        median / bare[bare.size() / 2]);
  };
  report("bare", bare);
  report("run", run);
  report("isolated", isolated);
  const auto per_step = [](const std::vector<double>& seconds) {
    return tieline::bench::times_of(seconds, 1e9 / kSteps);
  };
  tieline::bench::add_row("step of a heavy FMU, to bare calls", per_step(run), per_step(bare));
  tieline::bench::add_row("step of a heavy FMU in its own process, to bare calls", per_step(isolated), per_step(bare));
  return 0;
}
