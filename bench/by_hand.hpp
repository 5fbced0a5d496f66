#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "wave/track.hpp"

// Two masses on a line, written by hand in two ways; what each of them computes is said at its function.

namespace tieline::bench {

using wave::Interpolation;
using wave::Knot;
using wave::Piece;
using Clock = std::chrono::steady_clock;

inline constexpr double kMass = 1.0, kStiffness = 1e6, kDelay = 1e-4, kTolerance = 1e-8;
inline constexpr int kWindows = 100000;  // of each component
inline constexpr double kWindow = 0.5 * kDelay, kStop = kWindows * kWindow, kImpedance = kStiffness * kDelay;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What a loop has come to.
struct Looped {
  double seconds = 0.0;
  double position = 0.0;  ///< of the first mass at the end [m]
  double residual = 0.0;  ///< the largest that the energy of the line has had [J]; only with an audit
  double energy = 0.0;    ///< the largest of the line or of a body's work [J]; only with an audit
};

/// What comes in during the first delay: the line at rest force, with a velocity that runs linearly between its ends.
struct Beginning {
  explicit Beginning(std::array<double, 2> flows) {
    for (std::size_t i = 0; i < 2; ++i) {
      const double slope = kImpedance * (flows[1 - i] - flows[i]) / kDelay;
      const auto knot = [&](double t) {
        return Knot{t, kImpedance * flows[i] * t + 0.5 * slope * t * t, kImpedance * flows[i] + slope * t, slope};
      };
      knots[i] = {knot(0.0), knot(kDelay)};
      offset[i] = knots[i][1].integral;
      const double begin = knots[i][0].value, end = knots[i][1].value;
      energy += kDelay * (begin * begin + begin * end + end * end) / (12.0 * kImpedance);
    }
  }
  std::array<std::array<Knot, 2>, 2> knots{};  ///< by mass
  std::array<double, 2> offset{};              ///< of the integrals that come later [N s]
  double energy = 0.0;                         ///< of both waves [J]
};

// The method of Dormand and Prince ([Dormand1980] in src/solvers/dopri5.cpp).
inline constexpr double kC2 = 1. / 5, kC3 = 3. / 10, kC4 = 4. / 5, kC5 = 8. / 9;
inline constexpr double kA31 = 3. / 40, kA32 = 9. / 40, kA41 = 44. / 45, kA42 = -56. / 15, kA43 = 32. / 9;
inline constexpr double kA51 = 19372. / 6561, kA52 = -25360. / 2187, kA53 = 64448. / 6561, kA54 = -212. / 729;
inline constexpr double kA61 = 9017. / 3168, kA62 = -355. / 33, kA63 = 46732. / 5247, kA64 = 49. / 176,
                        kA65 = -5103. / 18656;
inline constexpr double kA71 = 35. / 384, kA73 = 500. / 1113, kA74 = 125. / 192, kA75 = -2187. / 6784, kA76 = 11. / 84;
inline constexpr double kE1 = 71. / 57600, kE3 = -71. / 16695, kE4 = 71. / 1920, kE5 = -17253. / 339200,
                        kE6 = 22. / 525, kE7 = -1. / 40;
inline constexpr double kD1 = -12715105075. / 11282082432., kD3 = 87487479700. / 32700410799.,
                        kD4 = -10690763975. / 1880347072., kD5 = 701980252875. / 199316789632.,
                        kD6 = -1453857185. / 822651844., kD7 = 69997945. / 29380423.;

/// The equations alone: in each window a step of Dormand and Prince's method for x' = v, v' = (w - Z v) / m, without
/// its error; the wave between two knots as a quintic piece; and the knot of the wave that leaves. No error control, no
/// work, no energy, no audit, no check.
inline Looped equations_alone() {
  struct Body {
    double x = 0.0, v = 0.0;
  };
  std::array<Body, 2> bodies;
  bodies[0].v = 1.0;
  const Beginning first({1.0, 0.0});
  const auto step = [](Body& body, const Piece& w, double t) {
    constexpr double h = kWindow;
    const auto f = [&](double time, double v) { return (w.at(time).value - kImpedance * v) / kMass; };
    const double x = body.x, v = body.v;
    const double k1 = f(t, v);
    const double v2 = v + h * k1 / 5, k2 = f(t + h / 5, v2);
    const double v3 = v + h * (kA31 * k1 + kA32 * k2), k3 = f(t + 0.3 * h, v3);
    const double v4 = v + h * (kA41 * k1 + kA42 * k2 + kA43 * k3), k4 = f(t + 0.8 * h, v4);
    const double v5 = v + h * (kA51 * k1 + kA52 * k2 + kA53 * k3 + kA54 * k4), k5 = f(t + kC5 * h, v5);
    const double v6 = v + h * (kA61 * k1 + kA62 * k2 + kA63 * k3 + kA64 * k4 + kA65 * k5), k6 = f(t + h, v6);
    body.x = x + h * (kA71 * v + kA73 * v3 + kA74 * v4 + kA75 * v5 + kA76 * v6);
    body.v = v + h * (kA71 * k1 + kA73 * k3 + kA74 * k4 + kA75 * k5 + kA76 * k6);
  };
  const auto begin = Clock::now();
  std::array<std::array<Knot, 4>, 2> ring{};  // knots on their way to body i, by window of arrival
  for (std::size_t i = 0; i < 2; ++i) {
    // The wave that leaves at t = 0.
    const Knot& in = first.knots[i][0];
    const double dv = (in.value - kImpedance * bodies[i].v) / kMass;
    ring[1 - i][2] = {kDelay, first.offset[1 - i], 2.0 * kImpedance * bodies[i].v - in.value,
                      2.0 * kImpedance * dv - in.rate};
  }
  for (int n = 0; n < kWindows; ++n) {
    const double t = n * kWindow, end = (n + 1) * kWindow;
    std::array<Knot, 2> leaving{};
    for (std::size_t i = 0; i < 2; ++i) {
      Body& body = bodies[i];
      const Piece w = n < 2 ? Piece(Interpolation::quintic, first.knots[i][0], first.knots[i][1])
                            : Piece(Interpolation::quintic, ring[i][static_cast<std::size_t>(n) & 3],
                                    ring[i][static_cast<std::size_t>(n + 1) & 3]);
      step(body, w, t);
      const auto in = w.at(end);
      const double dv = (in.value - kImpedance * body.v) / kMass;
      leaving[i] = {end + kDelay, 2.0 * kImpedance * body.x - in.integral + first.offset[1 - i],
                    2.0 * kImpedance * body.v - in.value, 2.0 * kImpedance * dv - in.rate};
    }
    for (std::size_t i = 0; i < 2; ++i) ring[1 - i][static_cast<std::size_t>(n + 3) & 3] = leaving[i];
  }
  return {.seconds = seconds_since(begin), .position = bodies[0].x};
}

/// One end of the line in `whole_window`.
struct End {
  // The mass.
  double x = 0.0, v = 0.0;        ///< at the window's start
  std::array<double, 2> first{};  ///< rates there, as the first stage wants them
  double acceleration = 0.0;      ///< there
  double planned = kWindow;       ///< step that the errors allow [s]
  double log_last_error = std::log(1e-4);
  std::array<double, 2> scale{1e-300, 1e-300};  ///< sizes that tolerances count from
  double work = 0.0, impulse = 0.0;
  double largest_effort = 0.0, largest_wave = 0.0, largest_leaving = 0.0;
  // The wave that leaves.
  Knot last{};
  double emitted = 0.0;  ///< energy [J]
  // What has arrived.
  double arrived = 0.0, arrived_energy = 0.0;
};

/// What one end knows at a window's end.
struct Account {
  double displacement = 0.0, work = 0.0, force = 0.0;
  double emitted_integral = 0.0, emitted_energy = 0.0, arrived_integral = 0.0, arrived_energy = 0.0;
};

/// Swings and sizes of a force over the run.
struct Swing {
  double value = 0.0, variation = 0.0, size = 0.0, least = 0.0, largest = 0.0, turned = 0.0, duration = 0.0;
  double integral = 0.0, least_integral = 0.0, largest_integral = 0.0;
  void note(double h, double next) {
    duration += h;
    integral += 0.5 * h * (value + next);
    size += 0.5 * h * (std::abs(value) + std::abs(next));
    least_integral = std::min(least_integral, integral), largest_integral = std::max(largest_integral, integral);
    least = std::min(least, next), largest = std::max(largest, next);
    if (std::abs(next - turned) > 0.05 * (largest - least)) {
      variation += std::abs(next - turned);
      turned = next;
    }
    value = next;
  }
};

/// One mass over one window, and the knot that leaves it.
inline Knot window_by_hand(End& end, const Piece& w, double t, double t_end, double offset) {
  constexpr double inverse = 1.0 / kMass, Z = kImpedance;
  const double h = t_end - t;
  // What the wave alone gives the mass from t on.
  const auto driven = [&](double at) { return w.integrals(at); };
  // Rates of the states without that part; the first stage is that of the window before.
  using State = std::array<double, 2>;
  std::array<State, 7> k;
  k[0] = end.first;
  const State y{end.x, end.v};
  double force = 0.0;  // of the last stage
  wave::TrackIntegrals c{};
  const auto rates = [&](double at, const State& z) {
    c = driven(at);
    const double flow = z[1] + inverse * c.first;
    force = c.value - Z * flow;
    return State{flow - inverse * c.first, force * inverse - inverse * c.value};
  };
  const auto stage = [&](const auto&... terms) {
    State z = y;
    for (std::size_t i = 0; i < 2; ++i) z[i] += h * ((terms.first * k[terms.second][i]) + ...);
    return z;
  };
  const auto a = [](double factor, std::size_t of) { return std::pair<double, std::size_t>(factor, of); };
  k[1] = rates(std::min(t + kC2 * h, t_end), stage(a(0.2, 0)));
  k[2] = rates(std::min(t + kC3 * h, t_end), stage(a(kA31, 0), a(kA32, 1)));
  k[3] = rates(std::min(t + kC4 * h, t_end), stage(a(kA41, 0), a(kA42, 1), a(kA43, 2)));
  k[4] = rates(std::min(t + kC5 * h, t_end), stage(a(kA51, 0), a(kA52, 1), a(kA53, 2), a(kA54, 3)));
  k[5] = rates(t_end, stage(a(kA61, 0), a(kA62, 1), a(kA63, 2), a(kA64, 3), a(kA65, 4)));
  const State z = stage(a(kA71, 0), a(kA73, 2), a(kA74, 3), a(kA75, 4), a(kA76, 5));
  k[6] = rates(t_end, z);

  // The error, in tolerances, and what step the next window may take.
  double error = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    const double off =
        h * (kE1 * k[0][i] + kE3 * k[2][i] + kE4 * k[3][i] + kE5 * k[4][i] + kE6 * k[5][i] + kE7 * k[6][i]);
    double size = std::max(std::abs(z[i]), end.scale[i]);
    if (i == 1) size = std::max(std::min(size, 0.1 * end.largest_effort / Z), 1e-2 * size);
    error = std::max(error, std::abs(off) / (kTolerance * size));
  }
  const double log_error = std::log(std::max(error, 1e-12));
  const double factor = std::clamp(0.9 * std::exp(0.04 * end.log_last_error - 0.17 * log_error), 0.2, 10.0);
  if (h >= 0.999 * end.planned) end.log_last_error = std::max(log_error, std::log(1e-4));
  end.planned = std::max(h * factor, end.planned);
  if (!(error <= 1.0) || !(end.planned >= kWindow)) std::abort();

  const double x_end = z[0] + inverse * c.second, v_end = z[1] + inverse * c.first;
  end.scale = {std::max(end.scale[0], std::abs(x_end)), std::max(end.scale[1], std::abs(v_end))};
  const double acceleration = force * inverse;
  const auto in = w.at(t_end);
  const double effort = in.value - Z * v_end, effort_rate = in.rate - Z * acceleration;
  if (!std::isfinite(effort) || !std::isfinite(v_end)) std::abort();

  // Work and impulse by three points on the method's own interpolation.
  constexpr std::array<double, 3> kPoints{0.5 - 0.3872983346207417, 0.5, 0.5 + 0.3872983346207417};
  constexpr std::array<double, 3> kWeights{5. / 18, 8. / 18, 5. / 18};
  std::array<State, 4> bends;
  for (std::size_t i = 0; i < 2; ++i) {
    const double change = z[i] - y[i], bend = h * k[0][i] - change, twist = change - h * k[6][i] - bend;
    bends[0][i] = change, bends[1][i] = bend, bends[2][i] = twist;
    bends[3][i] = h * (kD1 * k[0][i] + kD3 * k[2][i] + kD4 * k[3][i] + kD5 * k[4][i] + kD6 * k[5][i] + kD7 * k[6][i]);
  }
  for (std::size_t point = 0; point < 3; ++point) {
    const double at = t + kPoints[point] * h, theta = (at - t) / h, rest = 1.0 - theta;
    const wave::TrackIntegrals given = driven(at);
    const double flow = y[1] +
                        theta * (bends[0][1] + rest * (bends[1][1] + theta * (bends[2][1] + rest * bends[3][1]))) +
                        inverse * given.first;
    const double pull = given.value - Z * flow;
    end.work += kWeights[point] * h * (pull * flow);
    end.impulse += kWeights[point] * h * pull;
  }

  // The knot that leaves, and whether the piece up to it is the wave that leaves.
  Knot knot{t_end, 2.0 * Z * x_end - in.integral, Z * v_end - effort, Z * acceleration - effort_rate};
  end.largest_effort = std::max(end.largest_effort, std::abs(effort));
  end.largest_wave = std::max({end.largest_wave, std::abs(w.c0), std::abs(in.value)});
  end.largest_leaving = std::max(end.largest_leaving, std::abs(knot.value));
  const Piece piece(Interpolation::quintic, end.last, knot);
  const Piece rest(Interpolation::quintic, {t, end.x, end.v, end.acceleration - inverse * w.c0},
                   {t_end, x_end - inverse * c.second, v_end - inverse * c.first, acceleration - inverse * c.value});
  const double aside = t + 0.21132486540518713 * h;
  const wave::TrackIntegrals given = driven(aside);
  const double leaves = 2.0 * Z * (rest.value(aside) + inverse * given.first) - given.value;
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  const double allowed = std::max(kTolerance * std::max({1e-15, end.largest_effort, 1e-2 * end.largest_leaving}),
                                  8.0 * kUnit * (std::abs(end.last.integral) + Z * std::abs(end.x)) / h);
  if (!(std::abs(piece.value(aside) - leaves) <= allowed)) std::abort();

  // Its energy, and that the positions tie its integral.
  const double rounding = kUnit * (std::abs(Z * x_end) + std::abs(in.integral - Z * x_end));
  if (!(rounding <= 1e-11 * h * end.largest_leaving)) std::abort();
  end.emitted += 0.25 / Z * wave::squared_integral(Interpolation::quintic, end.last, knot);
  end.last = knot;

  // The next window's first stage, with the waves' part counted from here.
  end.first = {k[6][0] + inverse * c.first, k[6][1]};
  end.x = x_end, end.v = v_end, end.acceleration = acceleration;
  return {t_end + kDelay, knot.integral + offset, knot.value, knot.rate};
}

/// The arithmetic of a whole window, by hand: the same step with its error, step-size control and first integrals of
/// the wave, work and impulse by quadrature, the test of the leaving wave's shape, the wave's energy, what arrives and
/// its energy, and the line's audit (energy, drift, momentum and how forces swing). No components, ports, queues,
/// tracks or schedule, and everything known when it was compiled: one line, one mass, one step in a window, one knot in
/// a wave.
inline Looped whole_window() {
  std::array<End, 2> ends;
  ends[0].v = 1.0;
  const Beginning first({1.0, 0.0});
  struct Underway {
    Knot knot{};
    double energy = 0.0;
  };
  std::array<std::array<Underway, 4>, 2> ring{};  // on their way to mass i, by window of arrival
  for (std::size_t i = 0; i < 2; ++i) {
    const Knot& in = first.knots[i][0];
    End& end = ends[i];
    end.acceleration = (in.value - kImpedance * end.v) / kMass;
    end.first = {end.v, 0.0 - kImpedance * end.v / kMass};
    end.scale = {1e-6, std::max(std::abs(end.v), 1e-3)};
    end.largest_effort = end.largest_wave = kImpedance;
    end.last = {0.0, 0.0, 2.0 * kImpedance * end.v - in.value, 2.0 * kImpedance * end.acceleration - in.rate};
    end.largest_leaving = std::max(1.0, std::abs(end.last.value));
    ring[1 - i][2] = {{kDelay, first.offset[1 - i], end.last.value, end.last.rate}, 0.0};
  }
  double largest_residual = 0.0, largest_drift = 0.0, largest_displacement = 0.0, largest_energy = first.energy;
  double last_momentum = 0.0, momentum_variation = 0.0;
  std::array<Swing, 2> swings{};
  const auto begin = Clock::now();
  for (int n = 0; n < kWindows; ++n) {
    const double t = n * kWindow, t_end = (n + 1) * kWindow;
    std::array<Underway, 2> leaving{};
    std::array<Account, 2> accounts{};
    for (std::size_t i = 0; i < 2; ++i) {
      End& end = ends[i];
      const Underway &from = ring[i][static_cast<std::size_t>(n) & 3],
                     &to = ring[i][static_cast<std::size_t>(n + 1) & 3];
      Piece w = n < 2 ? Piece(Interpolation::quintic, first.knots[i][0], first.knots[i][1])
                      : Piece(Interpolation::quintic, from.knot, to.knot);
      if (n == 1) w = w.from(t);
      leaving[i].knot = window_by_hand(end, w, t, t_end, first.offset[1 - i]);
      leaving[i].energy = end.emitted;
      if (n < 2) {
        end.arrived = w.at(t_end).integral;
        end.arrived_energy += 0.25 / kImpedance * w.squared_integral(t, t_end);
      } else {
        end.arrived = to.knot.integral, end.arrived_energy = 0.5 * first.energy + to.energy;
      }
      accounts[i] = {
          end.x,       end.work,          w.at(t_end).value - kImpedance * end.v, end.last.integral, end.emitted,
          end.arrived, end.arrived_energy};
    }
    for (std::size_t i = 0; i < 2; ++i) ring[1 - i][static_cast<std::size_t>(n + 3) & 3] = leaving[i];
    // The audit.
    const Account &a = accounts[0], &b = accounts[1];
    const double energy = first.energy + (a.emitted_energy - b.arrived_energy) + (b.emitted_energy - a.arrived_energy);
    const double residual = -(a.work + b.work) - (energy - first.energy);
    const double towards_b = first.offset[1] + a.emitted_integral - b.arrived_integral;
    const double towards_a = first.offset[0] + b.emitted_integral - a.arrived_integral;
    const double drift = 0.5 / kImpedance * (towards_b - towards_a) - (a.displacement - b.displacement);
    const double momentum = 0.5 * (towards_b + towards_a);
    largest_residual = std::max(largest_residual, std::abs(residual));
    largest_energy = std::max({largest_energy, energy, std::abs(a.work), std::abs(b.work)});
    largest_drift = std::max(largest_drift, std::abs(drift));
    largest_displacement = std::max({largest_displacement, std::abs(a.displacement), std::abs(b.displacement),
                                     0.5 * std::abs(a.force - b.force) / kStiffness});
    momentum_variation += std::abs(momentum - last_momentum);
    last_momentum = momentum;
    swings[0].note(kWindow, a.force), swings[1].note(kWindow, b.force);
  }
  const double seconds = seconds_since(begin);
  // All of it counts.
  const double sum = largest_drift + largest_displacement + momentum_variation + ends[0].impulse + ends[1].impulse +
                     swings[0].variation + swings[0].size + swings[0].largest_integral - swings[0].least_integral +
                     swings[1].variation + swings[1].size + swings[1].largest_integral - swings[1].least_integral +
                     swings[0].duration + swings[1].duration + ends[0].largest_wave + ends[1].largest_wave;
  if (!std::isfinite(sum)) std::abort();
  return {.seconds = seconds, .position = ends[0].x, .residual = largest_residual, .energy = largest_energy};
}

}  // namespace tieline::bench
