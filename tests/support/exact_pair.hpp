#pragma once

#include <memory>
#include <string>
#include <vector>

namespace tieline::support {

/// A force over time with its known break points, the same for the reference solutions and for model files.
struct Load {
  enum class Shape { none, constant, sine, pulse };

  Shape shape = Shape::none;
  double amplitude = 0.0;  ///< [N]
  double frequency = 0.0;  ///< [Hz]; sine only
  double begin = 0.0;      ///< [s]; zero before
  double end = 0.0;        ///< [s]; pulse only: zero after

  /// `amplitude` from `begin` on, begin included.
  static Load constant(double amplitude, double begin = 0.0);
  /// amplitude * sin(2 pi frequency (t - begin)) from `begin` on.
  static Load sine(double amplitude, double frequency, double begin = 0.0);
  /// Rises by a quintic smooth step to `amplitude` at the middle of [begin, end] and falls the same way.
  static Load pulse(double amplitude, double begin, double end);

  /// The same force as the text of a model file's function attribute.
  [[nodiscard]] std::string expression() const;
  /// Times at which a derivative may jump.
  [[nodiscard]] std::vector<double> breaks() const;
  /// The force at t [N] from the formula that holds at `piece`, a time strictly between two breaks: the limit from
  /// either side of a break.
  [[nodiscard]] long double value(long double t, long double piece) const;
  [[nodiscard]] double value(double t) const;
};

/// Two masses on one axis; body 1 may be held by a spring and a damper to the ground (relaxed at x1 = 0).
///   m1 v1' = F1 - k1 x1 - c1 v1 + P1(t),  m2 v2' = F2 + P2(t),  F_i the force of the coupling *on* body i.
struct Pair {
  double mass1 = 1.0;             ///< [kg]
  double mass2 = 1.0;             ///< [kg]
  double ground_stiffness = 0.0;  ///< k1 [N/m]
  double ground_damping = 0.0;    ///< c1 [N s/m]
  double position1 = 0.0;         ///< at t = 0 [m]
  double position2 = 0.0;
  double velocity1 = 0.0;  ///< at t = 0 [m/s]
  double velocity2 = 0.0;
  Load load1{};  ///< P1
  Load load2{};  ///< P2
};

struct PairState {
  double x1 = 0.0, v1 = 0.0, force1 = 0.0;  ///< [m], [m/s], [N] on body 1
  double x2 = 0.0, v2 = 0.0, force2 = 0.0;
};

/// Reference solution of a pair, to about 1e-13 of the largest value of each quantity.
///
/// `at` takes any time from 0 on, in any order; it computes and keeps whatever lies before that time. The cost of a
/// delay grows slowly with its number n, as n Z T / m; ten thousand delays are reasonable. One thread at a time.
class PairSolution {
 public:
  class Solver;
  explicit PairSolution(std::unique_ptr<Solver> solver);
  PairSolution(PairSolution&&) noexcept;
  PairSolution& operator=(PairSolution&&) noexcept;
  ~PairSolution();

  [[nodiscard]] PairState at(double t) const;

 private:
  std::unique_ptr<Solver> solver_;
};

/// A lossless transmission line with impedance Z and delay T; static stiffness Z / T.
struct Line {
  double impedance = 0.0;      ///< Z [N s/m]
  double delay = 0.0;          ///< T [s]
  double initial_force = 0.0;  ///< on body 1 at t = 0 [N]; the force on body 2 is its negative

  static Line from_stiffness(double stiffness, double delay) { return {stiffness * delay, delay, 0.0}; }
};

/// The pair on a line: eq. (1) of [Fritzson2007] in one world frame, that is F_i(t) = -Z v_i(t) + h_i(t) with
/// h_i(t) = Z v_j(t-T) - F_j(t-T). At the start the line holds its initial force and a velocity that runs linearly
/// between its ends: h_i(t) = F_i(0) + Z (v_i(0) + (v_j(0) - v_i(0)) t/T) for t <= T.
/// `refinement` multiplies the number of collocation intervals, for checks of the solution itself.
[[nodiscard]] PairSolution solve_on_line(const Pair& pair, const Line& line, int refinement = 1);

/// The pair joined by a massless spring and damper, relaxed at x1 = x2, as one system:
/// F1 = k (x2 - x1) + c (v2 - v1) = -F2.
[[nodiscard]] PairSolution solve_on_spring(const Pair& pair, double stiffness, double damping, int refinement = 1);

/// Angular frequencies [rad/s] of the first `count` modes in which two equal free masses on a line move against each
/// other: the roots of omega tan(omega T / 2) = Z / m.
[[nodiscard]] std::vector<double> opposed_mode_frequencies(double mass, const Line& line, int count);

}  // namespace tieline::support
