// Method of steps with Chebyshev collocation, in long double.
//
// Over one delay the incoming waves are known, so the pair is a linear system y' = A y + b(t) with y = (x1, v1, x2,
// v2). Each delay is cut into the same intervals, at the break points of the loads folded into one delay; an interval
// then maps onto exactly one interval a delay later and every kink falls between intervals: h_i is 2 Z v_j - h_j of the
// interval one delay earlier. On an interval the integral equations v = v0 + L Q (b - D v - K x), x = x0 + L Q v, with
// Q the spectral integration matrix, are solved for all nodes at once: body by body on a line, together on a spring.
//
// The degree grows with time. A mass on a line reflects as the all-pass (s - a)/(s + a), a = Z/m; after n reflections a
// kink has become the function L_n(2 a t) exp(-a t) of Laguerre, which near the front runs like cos(sqrt(8 n a t)).
// Chebyshev points, quadratically dense at the ends, resolve it with a degree a little above sqrt(2 n a L).
//
// Notation: Z, T, h_i, F_i, P_i as in the header; s in [0, 1] is time within an interval of length L; Q integrates from
// 0 to s.

#include "support/exact_pair.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace tieline::support {
namespace {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

// Resolves exp(-rate t) over rate * L <= 1 far below the rounding of long double.
constexpr int kBaseDegree = 18;
// Share of sqrt(2 n a L) that is added, and the step in which the degree grows, so that operators are used again.
constexpr Real kDegreeGrowth = 1.3L;
constexpr int kDegreeStep = 12;
constexpr Real kPi = std::numbers::pi_v<Real>;
// Break points of loads closer than this share of a delay to an interval's end are meant to coincide with it.
constexpr Real kSameTime = 1e-13L;

/// Chebyshev points of the second kind on [0, 1], ascending, with their integration matrix and interpolation.
class Chebyshev {
 public:
  explicit Chebyshev(int degree) : degree_(degree) {
    const int count = degree + 1;
    // In coefficients of T_j(2s - 1): evaluate = values from coefficients, integrate = the same of the integrals.
    Matrix evaluate(count, count);
    Matrix integrate(count, count);
    for (int k = 0; k < count; ++k) {
      const Real angle = kPi - kPi * k / degree;
      nodes_.push_back((1 + std::cos(angle)) / 2);
      for (int j = 0; j < count; ++j) {
        evaluate(k, j) = std::cos(j * angle);
        integrate(k, j) = integral_of_polynomial(j, angle) / 2;
      }
    }
    nodes_.front() = 0;
    nodes_.back() = 1;
    integration_ = integrate * evaluate.inverse();
  }

  [[nodiscard]] int count() const { return degree_ + 1; }
  [[nodiscard]] const std::vector<Real>& nodes() const { return nodes_; }
  [[nodiscard]] const Matrix& integration() const { return integration_; }

  /// Barycentric interpolation of node values at s.
  template <class Column>
  [[nodiscard]] Real at(const Column& values, Real s) const {
    Real numerator = 0;
    Real denominator = 0;
    for (int k = 0; k <= degree_; ++k) {
      if (s == nodes_[k]) return values(k);
      const Real half = (k == 0 || k == degree_) ? 0.5L : 1.0L;
      const Real weight = ((k % 2) == 0 ? half : -half) / (s - nodes_[k]);
      numerator += weight * values(k);
      denominator += weight;
    }
    return numerator / denominator;
  }

 private:
  /// Integral of T_j from -1 to cos(angle).
  static Real integral_of_polynomial(int j, Real angle) {
    if (j == 0) return std::cos(angle) + 1;
    if (j == 1) return (std::cos(2 * angle) - 1) / 4;
    const auto primitive = [j](Real at) {
      return std::cos((j + 1) * at) / (2 * (j + 1)) - std::cos((j - 1) * at) / (2 * (j - 1));
    };
    return primitive(angle) - primitive(kPi);
  }

  int degree_;
  std::vector<Real> nodes_;
  Matrix integration_;
};

/// The solution operator of v' = b - D v - K x, x' = v for m velocities on an interval of a given length.
class Collocation {
 public:
  Collocation(const Matrix& damping, const Matrix& stiffness, Real length, const Chebyshev& points)
      : stiffness_(stiffness), integration_(length * points.integration()) {
    const auto n = points.count();
    const Matrix twice = integration_ * integration_;
    Matrix equations = Matrix::Identity(stiffness.rows() * n, stiffness.rows() * n);
    for (int row = 0; row < stiffness.rows(); ++row) {
      for (int column = 0; column < stiffness.cols(); ++column) {
        equations.block(row * n, column * n, n, n) +=
            damping(row, column) * integration_ + stiffness(row, column) * twice;
      }
    }
    inverse_ = equations.partialPivLu().inverse();
  }

  /// Turns the accelerations `b` (node values, one body per column) into velocities; `x` becomes the positions.
  void solve(const Vector& x0, const Vector& v0, Matrix& b, Matrix& x) const {
    b.rowwise() -= (stiffness_ * x0).transpose();
    Matrix v = integration_ * b;
    v.rowwise() += v0.transpose();
    Eigen::Map<Vector>(b.data(), b.size()) = inverse_ * Eigen::Map<const Vector>(v.data(), v.size());
    x = integration_ * b;
    x.rowwise() += x0.transpose();
  }

 private:
  Matrix stiffness_;
  Matrix integration_;
  Matrix inverse_;
};

/// One interval of the solution: node values, one body per column.
struct Interval {
  const Chebyshev* points = nullptr;
  Matrix x, v;
  Matrix h;  ///< incoming waves; zero for a coupling without impedance
};

Real fold(Real t, Real period) { return t - period * std::floor(t / period); }

/// Cuts [0, period] at the folded break points, then evenly so that no interval is longer than `longest`.
std::vector<Real> cut_period(Real period, const std::vector<double>& breaks, Real longest) {
  std::vector<Real> marks{0, period};
  for (const double at : breaks) {
    const Real folded = fold(at, period);
    if (folded > kSameTime * period && folded < period * (1 - kSameTime)) marks.push_back(folded);
  }
  std::sort(marks.begin(), marks.end());
  std::vector<Real> bounds{0};
  for (std::size_t i = 1; i < marks.size(); ++i) {
    const Real length = marks[i] - marks[i - 1];
    if (length <= kSameTime * period) continue;
    const int parts = static_cast<int>(std::ceil(length / longest));
    for (int part = 1; part < parts; ++part) bounds.push_back(marks[i - 1] + length * part / parts);
    bounds.push_back(marks[i]);
  }
  return bounds;
}

Real fastest_of(const Load& load) {
  switch (load.shape) {
    case Load::Shape::sine:
      return 2 * kPi * load.frequency;
    case Load::Shape::none:
    case Load::Shape::constant:
    case Load::Shape::pulse:
      return 0;  // polynomials of a degree that the collocation integrates exactly
  }
  return 0;
}

}  // namespace

/// Walks through periods (delays, or any length for a pair without delay) and keeps all intervals.
class PairSolution::Solver {
 public:
  /// F_i = sign_i (k (x2 - x1) + c (v2 - v1)) - Z v_i + h_i covers the spring (Z = 0) and the line (k = c = 0).
  struct Coupling {
    Real stiffness = 0;
    Real damping = 0;
    Real impedance = 0;
    Real initial_force = 0;
    Real period = 0;
  };

  Solver(const Pair& pair, const Coupling& coupling, int refinement) : pair_(pair), coupling_(coupling) {
    if (!(pair.mass1 > 0) || !(pair.mass2 > 0) || !(coupling.period > 0) || refinement < 1) {
      throw std::invalid_argument("a pair needs positive masses, delay and refinement");
    }
    std::vector<double> breaks = pair.load1.breaks();
    const auto more = pair.load2.breaks();
    breaks.insert(breaks.end(), more.begin(), more.end());
    const Real longest = std::min(coupling.period, 1 / fastest_rate()) / refinement;
    bounds_ = cut_period(coupling.period, breaks, longest);
    pieces_ = bounds_.size() - 1;
  }

  PairState at(double t) {
    if (!(t >= 0)) throw std::invalid_argument("the reference solution begins at t = 0");
    const Real time = t;
    auto period = static_cast<std::size_t>(std::floor(time / coupling_.period));
    const Real local = std::clamp<Real>(time - static_cast<Real>(period) * coupling_.period, 0, coupling_.period);
    while (intervals_.size() < (period + 1) * pieces_) solve_next();

    const auto bound = std::upper_bound(bounds_.begin(), bounds_.end(), local);
    const auto piece = std::min<std::size_t>(static_cast<std::size_t>(bound - bounds_.begin()), pieces_) - 1;
    const Real s = (local - bounds_[piece]) / (bounds_[piece + 1] - bounds_[piece]);
    return read(intervals_[period * pieces_ + piece], s);
  }

 private:
  /// [1/s], bounds the eigenvalues of the system matrix and the loads' frequencies.
  [[nodiscard]] Real fastest_rate() const {
    const Real mass = std::min(pair_.mass1, pair_.mass2);
    const Real damping = coupling_.impedance + 2 * coupling_.damping + pair_.ground_damping;
    const Real stiffness = 2 * coupling_.stiffness + pair_.ground_stiffness;
    return std::max({damping / mass + std::sqrt(stiffness / mass), fastest_of(pair_.load1), fastest_of(pair_.load2),
                     1 / coupling_.period});
  }

  [[nodiscard]] Matrix damping_matrix() const {
    const Real c = coupling_.damping;
    const Real z = coupling_.impedance;
    Matrix d(2, 2);
    d.row(0) << c + z + pair_.ground_damping, -c;
    d.row(1) << -c, c + z;
    return masses().cwiseInverse().asDiagonal() * d;
  }

  [[nodiscard]] Matrix stiffness_matrix() const {
    const Real k = coupling_.stiffness;
    Matrix matrix(2, 2);
    matrix.row(0) << k + pair_.ground_stiffness, -k;
    matrix.row(1) << -k, k;
    return masses().cwiseInverse().asDiagonal() * matrix;
  }

  [[nodiscard]] Vector masses() const { return Vector{{pair_.mass1, pair_.mass2}}; }
  [[nodiscard]] Vector initial_velocities() const { return Vector{{pair_.velocity1, pair_.velocity2}}; }

  /// Polynomial degree that resolves the fronts of a piece after `periods` reflections, half of them at each mass.
  [[nodiscard]] int degree_for(std::size_t piece, std::size_t periods) const {
    const Real rates = coupling_.impedance * masses().cwiseInverse().sum();
    const Real travelled = static_cast<Real>(periods) * rates * (bounds_[piece + 1] - bounds_[piece]);
    return kBaseDegree + kDegreeStep * static_cast<int>(std::ceil(kDegreeGrowth * std::sqrt(travelled) / kDegreeStep));
  }

  const Chebyshev& points_for(int degree) { return points_.try_emplace(degree, degree).first->second; }

  /// One operator for both bodies, or one for each where the coupling acts through waves only.
  const std::vector<Collocation>& operators_for(std::size_t piece, int degree) {
    std::vector<Collocation>& made = operators_[{piece, degree}];
    if (!made.empty()) return made;
    const Chebyshev& points = points_for(degree);
    const Matrix d = damping_matrix();
    const Matrix k = stiffness_matrix();
    const Real length = bounds_[piece + 1] - bounds_[piece];
    if (coupling_.impedance == 0) {
      made.emplace_back(d, k, length, points);
    } else {
      for (int i = 0; i < 2; ++i) made.emplace_back(d.block(i, i, 1, 1), k.block(i, i, 1, 1), length, points);
    }
    return made;
  }

  void fill_waves(std::size_t index, Interval& interval) const {
    const std::vector<Real>& nodes = interval.points->nodes();
    const auto count = static_cast<Eigen::Index>(nodes.size());
    const Real z = coupling_.impedance;
    interval.h = Matrix::Zero(count, 2);
    if (z == 0) return;
    if (index < pieces_) {
      const Vector v0 = initial_velocities();
      const Real length = bounds_[index + 1] - bounds_[index];
      for (Eigen::Index k = 0; k < count; ++k) {
        const Real share = (bounds_[index] + length * nodes[k]) / coupling_.period;
        const Real arriving = (v0(1) - v0(0)) * share;
        interval.h(k, 0) = coupling_.initial_force + z * (v0(0) + arriving);
        interval.h(k, 1) = -coupling_.initial_force + z * (v0(1) - arriving);
      }
      return;
    }
    const Interval& past = intervals_[index - pieces_];
    const Matrix left = 2 * z * past.v - past.h;  // Z v_i - F_i one delay ago
    if (past.points == interval.points) {
      interval.h = left.rowwise().reverse();
      return;
    }
    for (Eigen::Index k = 0; k < count; ++k) {
      interval.h(k, 0) = past.points->at(left.col(1), nodes[k]);
      interval.h(k, 1) = past.points->at(left.col(0), nodes[k]);
    }
  }

  void solve_next() {
    const std::size_t index = intervals_.size();
    const std::size_t piece = index % pieces_;
    const std::size_t period = index / pieces_;
    const Real begin = static_cast<Real>(period) * coupling_.period + bounds_[piece];
    const Real length = bounds_[piece + 1] - bounds_[piece];
    const int degree = degree_for(piece, period);
    const std::vector<Collocation>& operators = operators_for(piece, degree);

    Interval interval;
    interval.points = &points_for(degree);
    fill_waves(index, interval);
    interval.v = interval.h;
    for (Eigen::Index k = 0; k < interval.v.rows(); ++k) {
      const Real t = begin + length * interval.points->nodes()[k];
      interval.v(k, 0) += pair_.load1.value(t, begin + length / 2);
      interval.v(k, 1) += pair_.load2.value(t, begin + length / 2);
    }
    interval.v = (interval.v * masses().cwiseInverse().asDiagonal()).eval();
    interval.x.resizeLike(interval.v);

    Vector x0{{pair_.position1, pair_.position2}};
    Vector v0 = initial_velocities();
    if (index > 0) {
      x0 = intervals_.back().x.bottomRows<1>().transpose();
      v0 = intervals_.back().v.bottomRows<1>().transpose();
    }
    const auto bodies = static_cast<Eigen::Index>(2 / operators.size());
    for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(operators.size()); ++i) {
      Matrix v = interval.v.middleCols(i * bodies, bodies);
      Matrix x;
      operators[i].solve(x0.segment(i * bodies, bodies), v0.segment(i * bodies, bodies), v, x);
      interval.v.middleCols(i * bodies, bodies) = v;
      interval.x.middleCols(i * bodies, bodies) = x;
    }
    intervals_.push_back(std::move(interval));
  }

  [[nodiscard]] PairState read(const Interval& interval, Real s) const {
    std::array<Real, 2> x{}, v{}, h{};
    for (int i = 0; i < 2; ++i) {
      x[i] = interval.points->at(interval.x.col(i), s);
      v[i] = interval.points->at(interval.v.col(i), s);
      h[i] = interval.points->at(interval.h.col(i), s);
    }
    const Real spring = coupling_.stiffness * (x[1] - x[0]) + coupling_.damping * (v[1] - v[0]);
    const auto rounded = [](Real value) { return static_cast<double>(value); };
    return {rounded(x[0]), rounded(v[0]), rounded(spring - coupling_.impedance * v[0] + h[0]),
            rounded(x[1]), rounded(v[1]), rounded(-spring - coupling_.impedance * v[1] + h[1])};
  }

  Pair pair_;
  Coupling coupling_;
  std::vector<Real> bounds_;         ///< of the intervals within one period
  std::size_t pieces_ = 0;           ///< intervals in one period
  std::map<int, Chebyshev> points_;  ///< by degree; addresses stay
  std::map<std::pair<std::size_t, int>, std::vector<Collocation>> operators_;
  std::vector<Interval> intervals_;
};

PairSolution::PairSolution(std::unique_ptr<Solver> solver) : solver_(std::move(solver)) {}
PairSolution::PairSolution(PairSolution&&) noexcept = default;
PairSolution& PairSolution::operator=(PairSolution&&) noexcept = default;
PairSolution::~PairSolution() = default;
PairState PairSolution::at(double t) const { return solver_->at(t); }

PairSolution solve_on_line(const Pair& pair, const Line& line, int refinement) {
  PairSolution::Solver::Coupling coupling;
  coupling.impedance = line.impedance;
  coupling.initial_force = line.initial_force;
  coupling.period = line.delay;
  return PairSolution(std::make_unique<PairSolution::Solver>(pair, coupling, refinement));
}

PairSolution solve_on_spring(const Pair& pair, double stiffness, double damping, int refinement) {
  PairSolution::Solver::Coupling coupling;
  coupling.stiffness = stiffness;
  coupling.damping = damping;
  // Without a delay the period only paces the walk; it must be such that the breaks folded into it stay few.
  const Real mass = std::min(pair.mass1, pair.mass2);
  const Real rate = std::sqrt((2 * static_cast<Real>(stiffness) + pair.ground_stiffness) / mass) +
                    (2 * static_cast<Real>(damping) + pair.ground_damping) / mass;
  coupling.period = rate > 0 ? 1 / rate : 1;
  return PairSolution(std::make_unique<PairSolution::Solver>(pair, coupling, refinement));
}

std::vector<double> opposed_mode_frequencies(double mass, const Line& line, int count) {
  // With u = omega T / 2: u tan(u) = Z T / (2 m), one root in each (n pi, n pi + pi/2); u sin(u) - q cos(u) is regular.
  const Real q = static_cast<Real>(line.impedance) * line.delay / (2 * static_cast<Real>(mass));
  std::vector<double> frequencies;
  for (int n = 0; n < count; ++n) {
    const Real sign = (n % 2) == 0 ? 1 : -1;
    Real low = n * kPi;
    Real high = n * kPi + kPi / 2;
    for (int i = 0; i < 80; ++i) {
      const Real middle = (low + high) / 2;
      (sign * (middle * std::sin(middle) - q * std::cos(middle)) < 0 ? low : high) = middle;
    }
    frequencies.push_back(static_cast<double>((low + high) / line.delay));
  }
  return frequencies;
}

Load Load::constant(double amplitude, double begin) { return {Shape::constant, amplitude, 0.0, begin, 0.0}; }
Load Load::sine(double amplitude, double frequency, double begin) {
  return {Shape::sine, amplitude, frequency, begin, 0.0};
}
Load Load::pulse(double amplitude, double begin, double end) { return {Shape::pulse, amplitude, 0.0, begin, end}; }

std::string Load::expression() const {
  std::ostringstream text;
  text.precision(17);
  switch (shape) {
    case Shape::none:
      return "0";
    case Shape::constant:
      text << "{" << amplitude << "*step(t-" << begin << ")}";
      break;
    case Shape::sine:
      text << "{" << amplitude << "*sin(2*pi*" << frequency << "*(t-" << begin << "))*step(t-" << begin << ")}";
      break;
    case Shape::pulse: {
      const double middle = (begin + end) / 2;
      text << "{" << amplitude << "*(smoothstep(t," << begin << "," << middle << ")-smoothstep(t," << middle << ","
           << end << "))}";
      break;
    }
  }
  return text.str();
}

std::vector<double> Load::breaks() const {
  switch (shape) {
    case Shape::none:
      return {};
    case Shape::constant:
    case Shape::sine:
      return {begin};
    case Shape::pulse:
      return {begin, (begin + end) / 2, end};
  }
  return {};
}

long double Load::value(long double t, long double piece) const {
  if (shape == Shape::none || piece < begin) return 0;
  if (shape == Shape::constant) return amplitude;
  if (shape == Shape::sine) return amplitude * std::sin(2 * kPi * frequency * (t - begin));
  if (piece >= end) return 0;
  const Real half = (static_cast<Real>(end) - begin) / 2;
  const Real s = piece < begin + half ? (t - begin) / half : (end - t) / half;
  return amplitude * s * s * s * (10 + s * (6 * s - 15));
}

double Load::value(double t) const { return static_cast<double>(value(static_cast<Real>(t), static_cast<Real>(t))); }

}  // namespace tieline::support
