// What a ball bearing with moving balls costs: the bearing of a grinding spindle, 14 bodies (two rings, a cage, eleven
// balls), loaded and at full speed.
//
// First right-hand sides and Jacobians per second, on one thread and on two that each compute a bearing of their own.
// The floor is the same without contacts: the balls lie between the rings without touching either. Then simulated
// seconds per second of wall time of the whole spindle (examples/grinding-spindle): in one piece, and as two components
// on two lines, on one and two threads. Fails if the most loaded ball does not carry what quasi-static theory says.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <thread>
#include <vector>

#include "tieline/simulation.hpp"

#include "bearings/equilibrium.hpp"
#include "components/multibody/multibody.hpp"
#include "components/multibody/reader.hpp"
#include "document/xml.hpp"
#include "row.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using namespace tieline;

constexpr int kRepeats = 7;
constexpr int kCalls = 2000;
constexpr double kSpindleSeconds = 0.004;

components::MultibodySpec read(const std::string& text) {
  document::Diagnostics diagnostics;
  const auto document = document::Document::parse(text, "bearing.xml", diagnostics);
  auto spec = components::read_multibody(document->root(), document::Scope(), diagnostics);
  if (diagnostics.error_count() > 0) throw std::runtime_error(diagnostics.describe());
  return spec;
}

std::string bearing(const std::string& clearance, const std::string& start) {
  return "<Multibody gravity='0, 0, -9.81'><BallBearing name='b' balls='11' ball_diameter='0.016669' "
         "pitch_diameter='0.0975' inner_conformity='0.515' outer_conformity='0.515' bore='0.07' "
         "outside_diameter='0.125' width='0.024' clearance='" +
         clearance + "' " + start + "/></Multibody>";
}

struct Costs {
  std::vector<double> rhs{}, jacobian{};  ///< of one call [s]
};

/// Times of calls at the start, by `threads` that each have a bearing of their own; of one call of one bearing.
Costs measure(const components::MultibodySpec& spec, int threads) {
  Costs costs;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<double> rhs(static_cast<std::size_t>(threads)), jacobian(rhs);
    const auto work = [&](std::size_t index) {
      components::Multibody system(spec);
      const auto y = system.begin(0.0).value();
      std::vector<double> ydot(y.size());
      (void)system.sparse_jacobian();
      const auto time = [](int calls, auto&& call) {
        const auto begin = Clock::now();
        for (int i = 0; i < calls; ++i) call();
        return std::chrono::duration<double>(Clock::now() - begin).count() / calls;
      };
      rhs[index] = time(kCalls, [&] { system.rhs(0.0, wave::Side::right, y, ydot); });
      jacobian[index] = time(kCalls / 20, [&] { system.evaluate_sparse_jacobian(0.0, y); });
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < rhs.size(); ++i) others.emplace_back(work, i);
    work(0);
    for (std::thread& other : others) other.join();
    costs.rhs.push_back(*std::max_element(rhs.begin(), rhs.end()));
    costs.jacobian.push_back(*std::max_element(jacobian.begin(), jacobian.end()));
  }
  return costs;
}

/// Wall time of a piece of the spindle's run [s].
double spindle_time(int lines, int threads) {
  auto simulation = Simulation::load(std::string(TIELINE_SOURCE_DIR) + "/examples/grinding-spindle/spindle.xml");
  simulation.set("lines", lines);
  simulation.set("spun_up", 1.0);
  const RunSettings settings{.threads = threads};
  simulation.start(settings);
  simulation.advance_to(kSpindleSeconds / 8, settings);
  const auto begin = Clock::now();
  simulation.advance_to(kSpindleSeconds, settings);
  return std::chrono::duration<double>(Clock::now() - begin).count() / (kSpindleSeconds * 7 / 8);
}

bool is_right(const components::MultibodySpec& spec) {
  components::Multibody system(spec);
  const auto y = system.begin(0.0).value();
  std::vector<double> ydot(y.size()), row(system.columns().size());
  system.rhs(0.0, wave::Side::right, y, ydot);
  system.record(0.0, wave::Side::right, y, ydot, row);
  bearings::LoadCase load_case{.is_parallel = true};
  load_case.load << 100.0, 1286.0, 0.0, 0.0, 0.0;
  load_case.rotation.speed = 523.6;
  const auto balance = bearings::in_balance(spec.ball_bearings.at(0).bearing, load_case);
  const double found = row[static_cast<std::size_t>(system.column_index("b.ball1.inner.force"))];
  const double wanted = balance->balls[0].inner.force;
  fmt::print("most loaded ball: {:.2f} N, by quasi-static theory {:.2f} N\n\n", found, wanted);
  return std::abs(found - wanted) < 0.02 * wanted;
}

}  // namespace

int main() {
  const auto loaded = read(bearing("20e-6", "inner_speed='523.6' start_load='100, 1286, 0'"));
  const auto empty = read(bearing("20e-5", ""));
  const bool is_good = is_right(loaded);
  const Costs floor = measure(empty, 1);
  fmt::print("{:>20} {:>8} {:>12} {:>12} {:>12}\n", "bearing", "threads", "us/rhs", "rhs/s", "Jacobians/s");
  const auto print = [](const char* name, int threads, const Costs& costs) {
    const double rhs = *std::min_element(costs.rhs.begin(), costs.rhs.end());
    const double jacobian = *std::min_element(costs.jacobian.begin(), costs.jacobian.end());
    fmt::print("{:>20} {:>8} {:>12.2f} {:>12.0f} {:>12.0f}\n", name, threads, 1e6 * rhs, threads / rhs,
               threads / jacobian);
  };
  print("without contacts", 1, floor);
  for (const int threads : {1, 2}) {
    const Costs costs = measure(loaded, threads);
    print("loaded, at speed", threads, costs);
    bench::add_row(fmt::format("bearing: a right-hand side, {} thread(s), to one without contacts", threads),
                   bench::times_of(costs.rhs, 1e9), bench::times_of(floor.rhs, 1e9));
    bench::add_row(fmt::format("bearing: a Jacobian, {} thread(s), to a right-hand side", threads),
                   bench::times_of(costs.jacobian, 1e9), bench::times_of(costs.rhs, 1e9));
  }
  fmt::print("\n{:>20} {:>8} {:>24}\n", "spindle", "threads", "wall s per simulated s");
  std::vector<double> whole;
  for (const auto& [lines, threads] : {std::pair{0, 1}, std::pair{1, 1}, std::pair{1, 2}}) {
    std::vector<double> times;
    for (int i = 0; i < 3; ++i) times.push_back(spindle_time(lines, threads));
    if (whole.empty()) whole = times;
    fmt::print("{:>20} {:>8} {:>24.2f}\n", lines == 0 ? "in one piece" : "on two lines", threads,
               *std::min_element(times.begin(), times.end()));
    if (lines == 1) {
      bench::add_row(fmt::format("spindle on two lines, {} thread(s), to one piece", threads),
                     bench::times_of(times, 1e9), bench::times_of(whole, 1e9));
    }
  }
  return is_good ? 0 : 1;
}
