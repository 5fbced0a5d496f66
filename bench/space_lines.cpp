// What lines in space cost: two bodies with 1 and 10 lines between them, one thread, recording off, windows of half the
// delay, and in each of them one step of a fixed length (rk4) or one that its error control chooses (dopri5).
//
//   run    the model through Simulation: components, windows, queues, orientations, audit
//   floor  the wave equations of the six axes written by hand: the classical Runge-Kutta method for three masses and
//          three inertias, the waves between knots by the same polynomials, and nothing else; no orientations, no work
//
// The bodies turn about one axis, fixed in space, and have the same inertia about all: then the axes of the lines do
// not mix, whatever the orientations, and the floor has the values of the run. Fails if it has not, or if a line's
// energy does not balance.
//
// Numbers are microseconds of processor time for a step of both bodies, of the fastest and of the median repetition.

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <vector>

#include "tieline/simulation.hpp"

#include "row.hpp"
#include "wave/track.hpp"

namespace {

using tieline::wave::Interpolation;
using tieline::wave::Knot;
using tieline::wave::Piece;

constexpr double kMass = 1.0, kInertia = 0.1, kDelay = 1e-4, kWindow = 0.5 * kDelay;
constexpr double kStiffness = 1e5, kRotationStiffness = 1e4;  // of all lines together
constexpr std::size_t kAxes = 6;
constexpr std::array<double, kAxes> kStart{1.0, 0.5, 0.2, 1.0, 2.0, 2.0};  // velocities of the first body
constexpr int kRepeats = 7;
// Positions after the run, against the length of the motion: rk4 and dopri5 differ from the floor by their tolerance.
constexpr double kAllowed = 1e-7;

int windows(int lines) { return lines == 1 ? 20000 : 2000; }

/// Processor time of this process [s]: one thread runs, and what else the machine does should not count.
double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::filesystem::path write_model(int lines, const std::string& solver) {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("tieline-space-lines-{}-{}.xml", lines, solver);
  std::string interfaces, connections;
  for (int i = 0; i < lines; ++i) {
    interfaces += fmt::format("<Interface name='p{}' frame='body'/>", i);
    connections += fmt::format(
        "<Connection name='c{0}' from='a.p{0}' to='b.p{0}' coupling='line' delay='{1}' stiffness='{2:.17g}' "
        "stiffness_rotation='{3:.17g}'/>",
        i, kDelay, kStiffness / lines, kRotationStiffness / lines);
  }
  const std::string step = solver == "rk4" ? fmt::format("step='{}'", kWindow) : "";
  const auto body = [&](const char* name, const std::string& motion) {
    return fmt::format(
        "<Component name='{0}' kind='multibody' solver='{1}' {2}><Multibody><Body name='body' mass='{3}' "
        "inertia='{4}, {4}, {4}' {5}/>{6}</Multibody></Component>",
        name, solver, step, kMass, kInertia, motion, interfaces);
  };
  const std::string motion = fmt::format("velocity='{}, {}, {}' angular_velocity='{}, {}, {}'", kStart[0], kStart[1],
                                         kStart[2], kStart[3], kStart[4], kStart[5]);
  std::ofstream(path) << "<CompositeModel name='pair'><Components>" << body("a", motion) << body("b", "")
                      << "</Components><Connections>" << connections
                      << fmt::format("</Connections><Simulation stop='{:.17g}' tolerance='1e-8'/></CompositeModel>",
                                     windows(lines) * kWindow);
  return path;
}

/// Seconds, and the first body's velocity and angular velocity at the end.
struct Outcome {
  double seconds = 0.0;
  std::array<double, kAxes> motion{};
  double imbalance = 0.0;  ///< of the energy of a line, against what it has stored
};

Outcome time_run(const std::filesystem::path& model, int lines) {
  auto simulation = tieline::Simulation::load(model);
  simulation.start();
  const double begin = processor_time();
  simulation.advance_to(windows(lines) * kWindow, {.threads = 1});
  Outcome outcome{.seconds = processor_time() - begin};
  constexpr std::array kNames{"velocity.x",         "velocity.y",         "velocity.z",
                              "angular_velocity.x", "angular_velocity.y", "angular_velocity.z"};
  for (std::size_t i = 0; i < kAxes; ++i) {
    outcome.motion[i] = simulation.get(std::string("a.body.") + kNames[i]);
  }
  outcome.imbalance = std::abs(simulation.get("connections.c0.energy_residual"));
  return outcome;
}

/// One body of the hand-written loop, with the waves of all its lines; arrays by axis.
struct Body {
  std::array<double, kAxes> x{}, v{};
};
using AxisKnots = std::array<Knot, kAxes>;
using AxisPieces = std::array<Piece, kAxes>;

Outcome time_floor(int lines) {
  const auto count = static_cast<std::size_t>(lines);
  std::array<double, kAxes> mass{}, Z{};
  for (std::size_t i = 0; i < kAxes; ++i) {
    mass[i] = i < 3 ? kMass : kInertia;
    Z[i] = (i < 3 ? kStiffness : kRotationStiffness) / lines * kDelay;
  }
  std::array<Body, 2> bodies;
  bodies[0].v = kStart;
  // Waves on their way to each body: for the first delay the lines are filled with a velocity that runs linearly.
  std::array<std::vector<AxisKnots>, 2> first{}, last{};
  std::array<std::array<std::vector<AxisKnots>, 4>, 2> ring{};  // by window of arrival
  std::array<double, kAxes> offset{};
  for (std::size_t b = 0; b < 2; ++b) {
    first[b].resize(count), last[b].resize(count);
    for (auto& slot : ring[b]) slot.resize(count);
  }
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t l = 0; l < count; ++l) {
      for (std::size_t i = 0; i < kAxes; ++i) {
        const double begin = Z[i] * bodies[b].v[i], slope = Z[i] * (bodies[1 - b].v[i] - bodies[b].v[i]) / kDelay;
        const double end = begin + slope * kDelay;
        offset[i] = 0.5 * kDelay * (begin + end);
        first[b][l][i] = {0.0, 0.0, begin, slope};
        last[b][l][i] = {kDelay, offset[i], end, slope};
        // What leaves at the start: no force acts yet, and the wave that comes in has its slope.
        const double dv = (begin - Z[i] * bodies[b].v[i]) * lines / mass[i];
        ring[1 - b][2][l][i] = {kDelay, offset[i], 2.0 * Z[i] * bodies[b].v[i] - begin, 2.0 * Z[i] * dv - slope};
      }
    }
  }
  std::vector<AxisPieces> pieces(count);
  const double begin_time = processor_time();
  for (int n = 0; n < windows(lines); ++n) {
    const double t = n * kWindow, end = (n + 1) * kWindow, h = kWindow;
    for (std::size_t b = 0; b < 2; ++b) {
      const auto &from = ring[b][static_cast<std::size_t>(n) & 3], &to = ring[b][static_cast<std::size_t>(n + 1) & 3];
      for (std::size_t l = 0; l < count; ++l) {
        for (std::size_t i = 0; i < kAxes; ++i) {
          // Angular velocities have no position that their waves could be tied to.
          const Interpolation kind = i < 3 ? Interpolation::quintic : Interpolation::cubic;
          pieces[l][i] = n < 2 ? Piece(kind, first[b][l][i], last[b][l][i]) : Piece(kind, from[l][i], to[l][i]);
        }
      }
      const auto accelerate = [&](double at, const std::array<double, kAxes>& v) {
        std::array<double, kAxes> force{};
        for (const AxisPieces& line : pieces) {
          for (std::size_t i = 0; i < kAxes; ++i) force[i] += line[i].value(at) - Z[i] * v[i];
        }
        for (std::size_t i = 0; i < kAxes; ++i) force[i] /= mass[i];
        return force;
      };
      const auto moved = [&](const std::array<double, kAxes>& v, double s, const std::array<double, kAxes>& a) {
        std::array<double, kAxes> result{};
        for (std::size_t i = 0; i < kAxes; ++i) result[i] = v[i] + s * a[i];
        return result;
      };
      Body& body = bodies[b];
      const auto v1 = body.v, k1 = accelerate(t, v1);
      const auto v2 = moved(v1, 0.5 * h, k1), k2 = accelerate(t + 0.5 * h, v2);
      const auto v3 = moved(v1, 0.5 * h, k2), k3 = accelerate(t + 0.5 * h, v3);
      const auto v4 = moved(v1, h, k3), k4 = accelerate(end, v4);
      for (std::size_t i = 0; i < kAxes; ++i) {
        body.x[i] += h / 6.0 * (v1[i] + 2.0 * (v2[i] + v3[i]) + v4[i]);
        body.v[i] += h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
      }
      const auto dv = accelerate(end, body.v);
      auto& leaving = ring[1 - b][static_cast<std::size_t>(n + 3) & 3];
      for (std::size_t l = 0; l < count; ++l) {
        for (std::size_t i = 0; i < kAxes; ++i) {
          const auto in = pieces[l][i].at(end);
          leaving[l][i] = {end + kDelay, 2.0 * Z[i] * body.x[i] - in.integral + offset[i],
                           2.0 * Z[i] * body.v[i] - in.value, 2.0 * Z[i] * dv[i] - in.rate};
        }
      }
    }
  }
  return {.seconds = processor_time() - begin_time, .motion = bodies[0].v};
}

struct Times {
  double least = 0.0, median = 0.0;
};

Times times_of(std::vector<double> seconds, int lines) {
  std::sort(seconds.begin(), seconds.end());
  const double each = 1e6 / windows(lines);
  return {each * seconds.front(), each * seconds[seconds.size() / 2]};
}

double largest_difference(const Outcome& a, const Outcome& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < kAxes; ++i) largest = std::max(largest, std::abs(a.motion[i] - b.motion[i]));
  return largest;
}

}  // namespace

int main() {
  bool is_right = true;
  std::array<double, 2> of_one{};
  fmt::print("{:>8} {:>6} {:>10} {:>10} {:>10} {:>8} {:>14} {:>12}\n", "solver", "lines", "us least", "us median",
             "us floor", "ratio", "us per end", "difference");
  for (const int lines : {1, 10}) {
    std::vector<double> floors;
    std::array<std::vector<double>, 2> runs{};
    Outcome floor, run;
    const std::array<std::string, 2> solvers{"rk4", "dopri5"};
    std::array<double, 2> differences{};
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      floor = time_floor(lines);
      floors.push_back(floor.seconds);
      for (std::size_t s = 0; s < solvers.size(); ++s) {
        const auto model = write_model(lines, solvers[s]);
        run = time_run(model, lines);
        std::filesystem::remove(model);
        runs[s].push_back(run.seconds);
        differences[s] = largest_difference(run, floor);
        is_right = is_right && differences[s] < kAllowed * kStart[4] && run.imbalance < kAllowed;
      }
    }
    const Times bare = times_of(floors, lines);
    for (std::size_t s = 0; s < solvers.size(); ++s) {
      const Times times = times_of(runs[s], lines);
      if (lines == 1) of_one[s] = times.least;
      // Each further line has an end at either body.
      const double per_end = lines == 1 ? 0.0 : (times.least - of_one[s]) / (2.0 * (lines - 1));
      fmt::print("{:>8} {:>6} {:>10.3f} {:>10.3f} {:>10.3f} {:>8.1f} {:>14} {:>12.1e}\n", solvers[s], lines,
                 times.least, times.median, bare.least, times.least / bare.least,
                 lines == 1 ? std::string("-") : fmt::format("{:.3f}", per_end), differences[s]);
      tieline::bench::add_row(
          fmt::format("step of two bodies, {} lines in space, {}, to wave equations", lines, solvers[s]),
          {1e3 * times.least, 1e3 * times.median}, {1e3 * bare.least, 1e3 * bare.median});
    }
  }
  if (!is_right) fmt::print("FAILED: the run differs from the hand-written equations, or energy does not balance\n");
  return is_right ? 0 : 1;
}
