// What lines in space between two programs cost: two bodies with 1 and 10 lines between them, each in a program of its
// own that takes part through the plug-in, with one step of the classical Runge-Kutta method in each window.
//
// The benchmark starts itself as those programs. Beside them, the same bodies as components of one process, with the
// same method and steps. Fails if the two end with different motions.
//
// Numbers are microseconds of wall time for a step of both bodies, of the fastest and of the median repetition.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "tieline/plugin.h"
#include "tieline/simulation.hpp"

#include "row.hpp"

namespace {

constexpr double kMass = 1.0, kInertia = 0.1, kDelay = 1e-4, kWindow = 0.5 * kDelay;
constexpr double kStiffness = 1e5, kRotationStiffness = 1e4;  // of all lines together
constexpr int kRepeats = 5;
// Momentum and energy of a line in the two ways, against each other: both take the same steps, but add up in other
// orders.
constexpr double kAllowed = 1e-7;
// Until the programs have joined, and their first windows.
constexpr int kFirstWindows = 100;

int windows(int lines) { return lines == 1 ? 10000 : 2000; }

using Vector = std::array<double, 3>;
/// x, v, the orientation's quaternion, the angular velocity.
struct State {
  std::array<double, 13> y{};
  [[nodiscard]] const double* x() const { return y.data(); }
  [[nodiscard]] const double* v() const { return y.data() + 3; }
  [[nodiscard]] const double* q() const { return y.data() + 6; }
  [[nodiscard]] const double* omega() const { return y.data() + 10; }
};

State moved(const State& from, double length, const State& rates) {
  State to = from;
  for (std::size_t i = 0; i < to.y.size(); ++i) to.y[i] += length * rates.y[i];
  return to;
}

/// One program: a body whose interfaces all lie at its centre of mass.
class Body {
 public:
  Body(tieline_session* session, std::vector<int> interfaces, const State& start)
      : session_(session), interfaces_(std::move(interfaces)), now_(start) {}

  /// False: the plug-in refused.
  bool publish(double t, const State& rates) {
    std::array<double, 9> turn{};
    tieline_matrix_of(now_.q(), turn.data());
    return std::all_of(interfaces_.begin(), interfaces_.end(), [&](int id) {
      return tieline_set_motion_3d(session_, id, t, now_.x(), turn.data(), now_.v(), now_.omega()) >= 0 &&
             tieline_set_acceleration_3d(session_, id, t, rates.v(), rates.omega()) >= 0;
    });
  }

  bool step(double t, double length) {
    const State k1 = rates_at(t, now_);
    const State k2 = rates_at(t + 0.5 * length, moved(now_, 0.5 * length, k1));
    const State k3 = rates_at(t + 0.5 * length, moved(now_, 0.5 * length, k2));
    const State k4 = rates_at(t + length, moved(now_, length, k3));
    for (std::size_t i = 0; i < now_.y.size(); ++i) {
      now_.y[i] += length / 6.0 * (k1.y[i] + 2.0 * (k2.y[i] + k3.y[i]) + k4.y[i]);
    }
    return !has_failed_ && publish(t + length, rates_at(t + length, now_));
  }

  State rates_at(double t, const State& at) {
    Vector force{}, torque{};
    std::array<double, 9> turn{};
    tieline_matrix_of(at.q(), turn.data());
    for (const int id : interfaces_) {
      Vector one_force{}, one_torque{};
      const int answer = tieline_get_force_3d(session_, id, t, at.x(), turn.data(), at.v(), at.omega(),
                                              one_force.data(), one_torque.data());
      has_failed_ = has_failed_ || answer != TIELINE_OK;
      for (std::size_t i = 0; i < 3; ++i) force[i] += one_force[i], torque[i] += one_torque[i];
    }
    State rates;
    const double *q = at.q(), *w = at.omega();
    for (std::size_t i = 0; i < 3; ++i) {
      rates.y[i] = at.v()[i], rates.y[3 + i] = force[i] / kMass, rates.y[10 + i] = torque[i] / kInertia;
    }
    rates.y[6] = -0.5 * (w[0] * q[1] + w[1] * q[2] + w[2] * q[3]);
    rates.y[7] = 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]);
    rates.y[8] = 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]);
    rates.y[9] = 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]);
    return rates;
  }
  [[nodiscard]] const State& now() const { return now_; }

 private:
  tieline_session* session_;
  std::vector<int> interfaces_;
  State now_;
  bool has_failed_ = false;
};

/// What a process does that a run has started: the body of its name.
int take_part() {
  tieline_session* session = nullptr;
  if (tieline_open(nullptr, &session) != TIELINE_OK) return 1;
  tieline_info info{};
  info.size = sizeof info;
  tieline_get_info(session, &info);
  double lines = 1.0;
  tieline_find_number(session, "lines", &lines);
  std::vector<int> interfaces(static_cast<std::size_t>(lines));
  for (std::size_t i = 0; i < interfaces.size(); ++i) {
    tieline_register(session, fmt::format("p{}", i).c_str(), TIELINE_MECHANICAL_3D, TIELINE_FORCE_IN, 1,
                     &interfaces[i]);
  }
  State start;
  start.y[6] = 1.0;
  if (std::string(info.component) == "a") start.y = {0.0, 0.0, 0.0, 1.0, 0.5, 0.2, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 2.0};
  Body body(session, interfaces, start);
  int answer = body.publish(info.start, {}) ? tieline_start(session) : TIELINE_STOP;
  while (answer == TIELINE_CONTINUE) {
    double t = 0.0, limit = 0.0;
    tieline_time(session, &t);
    if (tieline_step_limit(session, t, &limit) != TIELINE_OK || !body.step(t, limit - t)) break;
    answer = tieline_sync(session, limit);
  }
  tieline_close(session);
  return answer == TIELINE_STOP ? 0 : 1;
}

std::filesystem::path write_model(int lines, bool has_programs) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("tieline-programs-{}-{}.xml", ::getpid(), has_programs);
  std::string frames, connections, interfaces;
  for (int i = 0; i < lines; ++i) {
    frames += fmt::format("<Interface name='p{}' frame='body'/>", i);
    interfaces += fmt::format("<Interface name='p{}' domain='mechanical3d'/>", i);
    connections += fmt::format(
        "<Connection name='c{0}' from='a.p{0}' to='b.p{0}' coupling='line' delay='{1}' stiffness='{2:.17g}' "
        "stiffness_rotation='{3:.17g}'/>",
        i, kDelay, kStiffness / lines, kRotationStiffness / lines);
  }
  const auto native = [&](const char* name, const char* motion) {
    return fmt::format(
        "<Component name='{0}' kind='multibody' solver='rk4' step='{1}'><Multibody><Body name='body' mass='{2}' "
        "inertia='{3}, {3}, {3}' {4}/>{5}</Multibody></Component>",
        name, kWindow, kMass, kInertia, motion, frames);
  };
  const auto program = [&](const char* name) {
    return fmt::format(
        "<Component name='{}' kind='process' command=\"'{}'\"><Parameter name='lines' value='{}'/>{}</Component>", name,
        std::filesystem::read_symlink("/proc/self/exe").string(), lines, interfaces);
  };
  constexpr const char* kMotion = "velocity='1, 0.5, 0.2' angular_velocity='1, 2, 2'";
  std::ofstream(path) << "<CompositeModel name='pair'><Components>"
                      << (has_programs ? program("a") + program("b") : native("a", kMotion) + native("b", ""))
                      << "</Components><Connections>" << connections
                      << fmt::format("</Connections><Simulation stop='{:.17g}' tolerance='1e-8'/></CompositeModel>",
                                     (kFirstWindows + windows(lines)) * kWindow);
  return path;
}

struct Outcome {
  double seconds = 0.0;
  /// Of a line at the end, whose waves follow from how both bodies have moved: momentum along x and y [N s], energy
  /// [J].
  Vector line{};
};

Outcome time_run(const std::filesystem::path& model, int lines, const std::string& transport) {
  auto simulation = tieline::Simulation::load(model);
  if (!transport.empty()) simulation.use_processes({.transport = transport});
  simulation.advance_to(kFirstWindows * kWindow, {.threads = 1});
  const auto begin = std::chrono::steady_clock::now();
  simulation.advance_to((kFirstWindows + windows(lines)) * kWindow, {.threads = 1});
  Outcome outcome{.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
  outcome.line = {simulation.get("connections.c0.momentum.x"), simulation.get("connections.c0.momentum.y"),
                  simulation.get("connections.c0.energy")};
  simulation.finish();
  return outcome;
}

double difference(const Outcome& a, const Outcome& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.line.size(); ++i) {
    largest = std::max(largest, std::abs(a.line[i] - b.line[i]) / std::max(std::abs(a.line[i]), std::abs(b.line[i])));
  }
  return largest;
}

}  // namespace

int main() {
  if (std::getenv("TIELINE_MASTER") != nullptr) return take_part();
  bool is_right = true;
  fmt::print("{:>6} {:>15} {:>10} {:>10} {:>8} {:>12} {:>12}\n", "lines", "", "us least", "us median", "ratio",
             "difference", "energy [J]");
  const std::array<std::string, 3> ways{"", "shared_memory", "tcp"};
  std::array<double, 3> of_one{};
  for (const int lines : {1, 10}) {
    const auto native = write_model(lines, false), programs = write_model(lines, true);
    std::array<std::vector<double>, 3> seconds{};
    std::array<Outcome, 3> outcomes{};
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      for (std::size_t k = 0; k < ways.size(); ++k) {
        outcomes[k] = time_run(k == 0 ? native : programs, lines, ways[k]);
        seconds[k].push_back(outcomes[k].seconds);
      }
    }
    std::filesystem::remove(native), std::filesystem::remove(programs);
    const auto times = [&](std::size_t k) { return tieline::bench::times_of(seconds[k], 1e9 / windows(lines)); };
    for (std::size_t k = 0; k < ways.size(); ++k) {
      const double off = difference(outcomes[k], outcomes[0]);
      // Nothing at all would be the same, too.
      is_right = is_right && off < kAllowed && outcomes[k].line[2] > 0.0;
      if (lines == 1) of_one[k] = times(k).least;
      fmt::print("{:>6} {:>15} {:>10.3f} {:>10.3f} {:>8.2f} {:>12.1e} {:>12.6f}\n", lines,
                 k == 0 ? "one process" : ways[k], 1e-3 * times(k).least, 1e-3 * times(k).median,
                 times(k).least / times(0).least, off, outcomes[k].line[2]);
      std::fflush(stdout);
      if (k == 0) continue;
      tieline::bench::add_row(
          fmt::format("step of two programs, {} lines in space, {}, to one process", lines, ways[k]), times(k),
          times(0));
      if (lines > 1) {
        tieline::bench::add_row(fmt::format("step of two programs, {} lines in space, {}, to one line", lines, ways[k]),
                                times(k), tieline::bench::least_time(of_one[k]));
      }
    }
  }
  if (!is_right) fmt::print("FAILED: programs and components end with different motions\n");
  return is_right ? 0 : 1;
}
