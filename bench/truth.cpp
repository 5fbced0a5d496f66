// What the audit and the control of efforts cost.
//
// The control of efforts: the time of a run over that of the same run with error_control="states".
//
// The audit: the time of its measurements beside the run that they are part of.
// The audit cannot be switched off, so its parts are timed by themselves, as often as the run has called them: the
// defects of sampled links at every exchange, those of lines at every window, the check of fixed steps at every step.
// "ratio" is the time of the run over that time less the audit's. Fails where a run is not trusted that should be.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

#include "tieline/simulation.hpp"

#include "archive/temporary_folder.hpp"
#include "components/step_check.hpp"
#include "coupling/defect_meter.hpp"
#include "coupling/line_audit.hpp"
#include "results/run_report.hpp"
#include "row.hpp"

namespace {

using namespace tieline;
using Clock = std::chrono::steady_clock;

constexpr int kRepeats = 5;
constexpr int kCalls = 200000;

template <class Call>
double seconds_per_call(const Call& call) {
  double best = 1e9;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto begin = Clock::now();
    for (int k = 0; k < kCalls; ++k) call(k);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count() / kCalls);
  }
  return best;
}

double cost_of_exchange() {
  wave::Track track(wave::Interpolation::cubic);
  track.allow_extrapolation(true);
  coupling::DefectMeter meter;
  coupling::ResponseFit response;
  double t = 0.0;
  const auto deliver = [&](bool is_measured) {
    t += 1e-4;
    const wave::Sample sample{.t = t, .position = t, .flow = 1.0, .effort = std::sin(t)};
    if (is_measured) meter.look(track, t);
    track.push({t, 0.0, sample.effort, std::cos(t)});
    if (is_measured) {
      meter.note(track);
      response.note(sample);
    }
    track.forget_before(t);
  };
  const double with = seconds_per_call([&](int) { deliver(true); });
  const double without = seconds_per_call([&](int) { deliver(false); });
  return std::max(0.0, with - without) + (meter.value_bias() < 0.0 ? 1.0 : 0.0);
}

double cost_of_window() {
  coupling::LineDefects defects;
  double t = 0.0;
  const double cost = seconds_per_call([&](int k) {
    wave::EndAccount from, to;
    from.t = to.t = t += 1e-4;
    from.force = k % 7, to.force = -k % 5;
    defects.note(from, to, 0.1 * k);
  });
  return cost + (defects.impulse() < 0.0 ? 1.0 : 0.0);
}

double cost_of_step(std::size_t states) {
  components::StepCheck check;
  check.start(states, {});
  std::vector<double> y(states, 1.0), f(states, 0.5);
  double t = 0.0;
  return seconds_per_call([&](int) { check.note(t += 1e-3, y, f); }) + (check.errors().estimate < 0.0 ? 1.0 : 0.0);
}

struct Counts {
  std::vector<double> all{};  ///< seconds of all repeats
  double seconds = 0.0, exchanges = 0.0, windows = 0.0, fixed_steps = 0.0, steps = 0.0;
};

Counts run(const std::filesystem::path& file, const std::vector<Setting>& settings) {
  Counts best{.seconds = 1e9};
  std::vector<double> all;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    auto simulation = Simulation::load(file);
    simulation.set(settings);
    simulation.start();
    const auto begin = Clock::now();
    simulation.advance_to(simulation.stop_time(), {.threads = 1});
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    simulation.finish();
    const auto report = results::report_from_json(simulation.report_json());
    if (!report || report->verdict != results::Verdict::trust) {
      fmt::print("FAILED: {} is not trusted\n", file.string());
      std::exit(1);
    }
    all.push_back(seconds);
    Counts counts{.seconds = seconds};
    for (const auto& connection : report->connections) {
      if (connection.kind == "sampled" || connection.kind == "signal")
        counts.exchanges += static_cast<double>(connection.exchanges);
      if (connection.kind == "line") counts.windows += 0.5 * static_cast<double>(connection.exchanges);
    }
    for (const auto& component : report->components) {
      counts.steps += static_cast<double>(component.statistics.steps);
      if (component.statistics.solver == "rk4") counts.fixed_steps += static_cast<double>(component.statistics.steps);
    }
    if (counts.seconds < best.seconds) best = counts;
  }
  best.all = all;
  return best;
}

/// The same model in a folder of its own, with tolerances that apply to states alone.
std::filesystem::path without_effort_control(const std::filesystem::path& file, const std::filesystem::path& folder) {
  std::filesystem::copy(file.parent_path(), folder, std::filesystem::copy_options::recursive);
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string tag = "<Simulation ";
  text.insert(text.find(tag) + tag.size(), "error_control=\"states\" ");
  std::ofstream(folder / file.filename()) << text;
  return folder / file.filename();
}

}  // namespace

int main() {
  const std::filesystem::path root = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples";
  struct Case {
    const char* name;
    std::filesystem::path file;
    std::vector<Setting> settings;
  };
  const std::vector<Case> cases{{"two bodies, line", root / "two-bodies/two-bodies.xml", {}},
                                {"bouncing ball, sampled", root / "bouncing-ball/sampled.xml", {{"tolerance", "1e-8"}}},
                                {"torsion drive, lines", root / "torsion-drive/torsion-drive.xml", {}},
                                {"chain of 100, lines", root / "chain/chain.xml", {{"N", "100"}}},
                                {"triple pendulum, lines in space", root / "triple-pendulum/lines.xml", {}}};
  const double exchange = cost_of_exchange(), window = cost_of_window(), step = cost_of_step(4);
  fmt::print("an exchange {:.0f} ns, a window of a line {:.0f} ns, a fixed step of 4 states {:.0f} ns\n",
             1e9 * exchange, 1e9 * window, 1e9 * step);
  fmt::print("{:<34}{:>10}{:>12}{:>12}{:>10}\n", "audit", "run [s]", "exchanges", "windows", "ratio");
  for (const Case& one : cases) {
    const Counts counts = run(one.file, one.settings);
    const double audit = exchange * counts.exchanges + window * counts.windows + step * counts.fixed_steps;
    fmt::print("{:<34}{:>10.3g}{:>12.0f}{:>12.0f}{:>10.3f}\n", one.name, counts.seconds, counts.exchanges,
               counts.windows, counts.seconds / std::max(counts.seconds - audit, 1e-3 * counts.seconds));
  }
  fmt::print("{:<34}{:>10}{:>12}{:>12}{:>10}\n", "control of efforts", "run [s]", "states [s]", "steps", "ratio");
  for (const Case& one : cases) {
    if (one.file.filename() == "sampled.xml") continue;  // no line in it
    const auto folder = archive::TemporaryFolder::make();
    const Counts with = run(one.file, one.settings),
                 without = run(without_effort_control(one.file, folder->path() / "model"), one.settings);
    fmt::print("{:<34}{:>10.3g}{:>12.3g}{:>12.2f}{:>10.3f}\n", one.name, with.seconds, without.seconds,
               with.steps / without.steps, with.seconds / without.seconds);
    bench::add_row(fmt::format("control of efforts, {}, to that of states", one.name), bench::times_of(with.all, 1e9),
                   bench::times_of(without.all, 1e9));
  }
  return 0;
}
