// What it costs to step FMUs: two co-simulation FMUs (FMI 3.0) whose outputs follow their inputs at once, joined
// crosswise by a number and a whole number, which makes no loop.
//
//   bare       a loop over the same calls of FMI and nothing else: per step two steps, two readings, two settings
//   run        the model through Simulation, in this process, recording off
//   isolated   the same with both FMUs in one runner process, as is the default
//   apart      each in a runner process of its own, the signals delayed by one step
//   floor      what that cannot go below: the bare loop, and a few numbers into shared memory and back, both sides
//              spinning
// Reported per step of both FMUs. The values must agree, or the program fails.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tieline/simulation.hpp"

#include "fmi/fmi3.h"
#include "fmi/library.hpp"
#include "row.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kStep = 1e-3;  // [s]
constexpr int kSteps = 200'000, kStepsApart = 20'000;
constexpr int kRepeats = 7;
constexpr const char* kToken = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0009}";
// Of the FMU `feedthrough`.
constexpr std::uint32_t kGain = 1, kNumberIn = 2, kNumberOut = 3, kWholeIn = 14, kWholeOut = 15;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::filesystem::path fmu() { return std::filesystem::path(TIELINE_TEST_FMUS) / "feedthrough_fmi3.fmu"; }

/// Where to isolate: "false", or "true".
std::filesystem::path write_model(const char* isolate, double delay, int steps) {
  const auto path = std::filesystem::temp_directory_path() / "tieline-fmu-overhead.xml";
  const std::string delayed = delay > 0.0 ? fmt::format(" delay=\"{}\"", delay) : "";
  const auto component = [&](const char* name, const char* starts) {
    return fmt::format(
        "<Component name=\"{}\" kind=\"fmu\" file=\"{}\" isolate=\"{}\" step=\"{}\"><Fmu mode=\"co_simulation\" "
        "record=\"none\"/>{}</Component>",
        name, fmu().string(), isolate, kStep, starts);
  };
  std::ofstream(path) << fmt::format(
      "<CompositeModel name=\"overhead\"><Components>{}{}</Components><Connections><Connection from=\"a.float64_out\" "
      "to=\"b.float64_in\"{}/><Connection from=\"b.int32_out\" to=\"a.int32_in\"{}/></Connections><Simulation "
      "start=\"0\" stop=\"{:.17g}\"/></CompositeModel>",
      component("a", "<Start variable=\"gain\" value=\"2\"/><Start variable=\"float64_in\" value=\"1.5\"/>"),
      component("b", "<Start variable=\"int32_in\" value=\"7\"/>"), delayed, delayed, steps * kStep);
  return path;
}

struct Measured {
  double seconds = 0.0;
  double number = 0.0, whole = 0.0;  ///< what has arrived
};

Measured time_run(const char* isolate, double delay, int steps) {
  const auto path = write_model(isolate, delay, steps);
  auto simulation = tieline::Simulation::load(path);
  simulation.start();
  const double stop = steps * kStep;
  simulation.advance_to(0.1 * stop, {.threads = 1});
  const auto begin = Clock::now();
  simulation.advance_to(stop, {.threads = 1});
  const double seconds = seconds_since(begin) / 0.9;
  const double number = simulation.get("b.float64_in.value"), whole = simulation.get("a.int32_in.value");
  std::filesystem::remove(path);
  return {seconds, number, whole};
}

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "FAILED: {}\n", why);
  std::_Exit(1);
}

void check(int status) {
  if (status != fmi3OK) give_up("a bare call was answered by an error");
}

void ignore_log(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String) {}

Measured time_bare(const tieline::fmi::Functions3& f) {
  const auto make = [&](const char* name) {
    return f.fmi3InstantiateCoSimulation(name, kToken, "", false, false, false, false, nullptr, 0, nullptr, ignore_log,
                                         nullptr);
  };
  void* const a = make("a");
  void* const b = make("b");
  if (a == nullptr || b == nullptr) give_up("no instance of the FMU");
  const double gain = 2.0, in = 1.5;
  const std::int32_t seven = 7;
  check(f.fmi3SetFloat64(a, &kGain, 1, &gain, 1));
  check(f.fmi3SetFloat64(a, &kNumberIn, 1, &in, 1));
  check(f.fmi3SetInt32(b, &kWholeIn, 1, &seven, 1));
  for (void* each : {a, b}) {
    check(f.fmi3EnterInitializationMode(each, false, 0.0, 0.0, false, 0.0));
    check(f.fmi3ExitInitializationMode(each));
  }
  double number = 0.0, reached = 0.0;
  std::int32_t whole = 0;
  bool event = false, end = false, early = false;
  const auto begin = Clock::now();
  for (int k = 0; k < kSteps; ++k) {
    const double t = k * kStep;
    check(f.fmi3DoStep(a, t, kStep, false, &event, &end, &early, &reached));
    check(f.fmi3GetFloat64(a, &kNumberOut, 1, &number, 1));
    check(f.fmi3SetFloat64(b, &kNumberIn, 1, &number, 1));
    check(f.fmi3DoStep(b, t, kStep, false, &event, &end, &early, &reached));
    check(f.fmi3GetInt32(b, &kWholeOut, 1, &whole, 1));
    check(f.fmi3SetInt32(a, &kWholeIn, 1, &whole, 1));
  }
  const double seconds = seconds_since(begin);
  f.fmi3FreeInstance(a);
  f.fmi3FreeInstance(b);
  return {seconds, number, static_cast<double>(whole)};
}

/// A word of each side, on cache lines of their own.
struct Words {
  alignas(64) std::atomic<std::uint64_t> mine{0};
  alignas(64) std::atomic<std::uint64_t> yours{0};
  alignas(64) double numbers[4] = {};
};

/// Nanoseconds for numbers to another process and back through shared memory.
double time_shared_memory() {
  constexpr std::uint64_t kRounds = 100'000;
  void* const memory = ::mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) give_up("no shared memory");
  auto* const words = new (memory) Words;
  const pid_t child = ::fork();
  if (child < 0) give_up("no process");
  if (child == 0) {
    for (std::uint64_t k = 1; k <= kRounds; ++k) {
      while (words->mine.load(std::memory_order_acquire) != k) {
      }
      words->numbers[0] += 1.0;
      words->yours.store(k, std::memory_order_release);
    }
    ::_exit(0);
  }
  const auto begin = Clock::now();
  for (std::uint64_t k = 1; k <= kRounds; ++k) {
    words->numbers[1] += 1.0;
    words->mine.store(k, std::memory_order_release);
    while (words->yours.load(std::memory_order_acquire) != k) {
    }
  }
  const double seconds = seconds_since(begin);
  ::waitpid(child, nullptr, 0);
  ::munmap(memory, sizeof(Words));
  return 1e9 * seconds / kRounds;
}

}  // namespace

int main() {
  const auto folder = std::filesystem::path(TIELINE_TEST_FMUS) / "feedthrough_fmi3" / "binaries";
  const auto platform = std::filesystem::directory_iterator(folder)->path();
  const auto library = tieline::fmi::Library::open({platform, "feedthrough", 3});
  if (!library) give_up(library.error().describe());
  setenv("TIELINE_RUNNER", TIELINE_PROGRAM, 0);
  std::vector<double> bare, run, isolated, apart, shared;
  const auto note = [](std::vector<double>& times, const Measured& measured, int steps) {
    if (measured.number != 3.0 || measured.whole != 7.0) {
      give_up(fmt::format("{} and {} have arrived instead of 3 and 7", measured.number, measured.whole));
    }
    times.push_back(1e9 * measured.seconds / steps);
  };
  for (int i = 0; i < kRepeats; ++i) {
    note(bare, time_bare(*(*library)->fmi3()), kSteps);
    note(run, time_run("false", 0.0, kSteps), kSteps);
    note(isolated, time_run("true", 0.0, kSteps), kSteps);
    if (i < 3) note(apart, time_run("true", kStep, kStepsApart), kStepsApart);
    if (i < 3) shared.push_back(time_shared_memory());
  }
  std::sort(bare.begin(), bare.end());
  const auto report = [&](const char* name, std::vector<double>& times) {
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    fmt::print(
        "{:<9} {:9.1f} ns least {:9.1f} ns median, per step; {:.2f} of the bare loop by the least, {:.2f} by "
        "the median\n",
        name, times.front(), median, times.front() / bare.front(), median / bare[bare.size() / 2]);
  };
  report("bare", bare);
  report("run", run);
  report("isolated", isolated);
  report("apart", apart);
  const double floor = bare.front() + *std::min_element(shared.begin(), shared.end());
  using tieline::bench::add_row, tieline::bench::times_of, tieline::bench::least_time;
  add_row("step of two FMUs, to bare calls", times_of(run), times_of(bare));
  add_row("step of two FMUs in one process of their own, to bare calls", times_of(isolated), times_of(bare));
  add_row("step of two FMUs in two processes, to bare calls and copies", times_of(apart), least_time(floor));
  fmt::print("{:<9} {:9.1f} ns least; apart takes {:.2f} of it\n", "floor", floor, apart.front() / floor);
  return 0;
}
