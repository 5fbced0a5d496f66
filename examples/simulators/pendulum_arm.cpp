// An arm that swings about a bearing, as a simulator of its own: implicit, with steps that it chooses, in space.
//
//   J phi'' = tau(t) + (p x F)_y - m g (l / 2) cos phi        about the y axis through the bearing
//
// The arm reaches from the bearing, where the model places the component, by `length` along its x axis; phi > 0 turns
// its tip down. F and tau act at the interface "tip". It can save its state and be put back.
//
// Build:  c++ -std=c++17 pendulum_arm.cpp $(pkg-config --cflags --libs tieline-plugin) -o pendulum_arm
//         (README.md says how pkg-config finds it)
// Run:    as a component of kind "process"; parameters mass, length, gravity, angle, tolerance.
//
// Method: the implicit midpoint rule, solved by Newton's method with a difference quotient, since a stiff joint makes
// forces change much with velocity. A step is compared with two of half its length, and shortened or lengthened.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <tieline/plugin.hpp>

namespace {

using tieline::Matrix;
using tieline::Vector;

struct State {
  double phi = 0.0, omega = 0.0;  // [rad], [rad/s]
};

Vector times(const Matrix& m, const Vector& v) {
  Vector out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
  return out;
}

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

class Arm final : public tieline::Restorable {
 public:
  explicit Arm(tieline::PluginSession& session) : session_(session), info_(session.info()), t_(info_.start) {
    mass_ = session.number("mass", 1.0);
    length_ = session.number("length", 0.5);
    gravity_ = session.number("gravity", 9.81);
    tolerance_ = session.number("tolerance", 1e-7);
    state_.phi = session.number("angle", 0.0);
    std::copy(std::begin(info_.orientation), std::end(info_.orientation), placed_.begin());
    std::copy(std::begin(info_.position), std::end(info_.position), bearing_.begin());
    tip_ = session.register_interface("tip", TIELINE_MECHANICAL_3D, TIELINE_FORCE_IN);
    session.set_snapshot(*this);
    session.set_motion(tip_, t_, motion(state_));
  }

  void run() {
    int answer = session_.start();
    while (answer != TIELINE_STOP) {
      const double limit = session_.step_limit(t_);
      const double end = step(limit);
      session_.set_motion(tip_, end, motion(state_));
      t_ = end;
      session_.count("steps", ++steps_);
      session_.count("rhs_calls", evaluations_);
      session_.count("failed_error_tests", rejected_);
      answer = session_.sync(end);
    }
  }

  [[nodiscard]] std::vector<std::byte> save() const override {
    const double numbers[] = {state_.phi, state_.omega, step_};
    std::vector<std::byte> bytes(sizeof numbers);
    std::memcpy(bytes.data(), numbers, sizeof numbers);
    return bytes;
  }
  void restore(const std::byte* bytes, std::size_t size, double time) override {
    double numbers[3];
    if (size != sizeof numbers) throw std::runtime_error("no state of an arm");
    std::memcpy(numbers, bytes, sizeof numbers);
    state_ = {numbers[0], numbers[1]};
    step_ = numbers[2];
    t_ = time;
  }

 private:
  /// How the tip moves, in world axes.
  [[nodiscard]] tieline::Motion3d motion(const State& s) const {
    const double c = std::cos(s.phi), sine = std::sin(s.phi);
    const Vector axis = times(placed_, {0.0, 1.0, 0.0});
    const Vector reach = times(placed_, {length_ * c, 0.0, -length_ * sine});
    tieline::Motion3d m;
    for (std::size_t i = 0; i < 3; ++i) {
      m.position[i] = bearing_[i] + reach[i];
      m.angular_velocity[i] = s.omega * axis[i];
    }
    m.velocity = cross(m.angular_velocity, reach);
    const Matrix turn{c, 0.0, sine, 0.0, 1.0, 0.0, -sine, 0.0, c};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        m.orientation[3 * i + j] =
            placed_[3 * i] * turn[j] + placed_[3 * i + 1] * turn[3 + j] + placed_[3 * i + 2] * turn[6 + j];
      }
    }
    return m;
  }

  [[nodiscard]] double angular_acceleration(double t, const State& s) {
    ++evaluations_;
    const tieline::Motion3d m = motion(s);
    const tieline::Load3d load = session_.force(tip_, t, m);
    const Vector axis = times(placed_, {0.0, 1.0, 0.0});
    Vector reach{}, weight{0.0, 0.0, -mass_ * gravity_}, centre{};
    for (std::size_t i = 0; i < 3; ++i) reach[i] = m.position[i] - bearing_[i], centre[i] = 0.5 * reach[i];
    const double torque =
        dot(axis, cross(reach, load.force)) + dot(axis, load.torque) + dot(axis, cross(centre, weight));
    return torque / (mass_ * length_ * length_ / 3.0);
  }

  /// The implicit midpoint rule: omega at the middle is what Newton's method finds.
  [[nodiscard]] State midpoint(double t, const State& begin, double h) {
    double omega = begin.omega;
    const auto defect = [&](double w) {
      const State middle{begin.phi + 0.5 * h * w, w};
      return w - begin.omega - 0.5 * h * angular_acceleration(t + 0.5 * h, middle);
    };
    for (int iteration = 0; iteration < 20; ++iteration) {
      const double scale = 1e-7 * (1.0 + std::abs(omega));
      const double r = defect(omega), slope = (defect(omega + scale) - r) / scale;
      const double change = r / slope;
      omega -= change;
      if (std::abs(change) <= 1e-12 * (1.0 + std::abs(omega))) break;
    }
    return {begin.phi + h * omega, 2.0 * omega - begin.omega};
  }

  /// Takes a step that is accurate enough; where it ends.
  double step(double limit) {
    while (true) {
      const bool is_cut = t_ + step_ >= limit;
      const double end = is_cut ? limit : t_ + step_;
      const double h = end - t_;
      const State whole = midpoint(t_, state_, h);
      const State half = midpoint(t_, state_, 0.5 * h);
      const State twice = midpoint(t_ + 0.5 * h, half, 0.5 * h);
      const double error = std::abs(twice.phi - whole.phi) + h * std::abs(twice.omega - whole.omega);
      const double wanted = 0.9 * h * std::cbrt(tolerance_ / std::max(error, 1e-3 * tolerance_));
      if (error <= tolerance_) {
        // The two results together are of fourth order.
        state_ = {twice.phi + (twice.phi - whole.phi) / 3.0, twice.omega + (twice.omega - whole.omega) / 3.0};
        if (!is_cut || wanted < step_) step_ = std::min(wanted, 5.0 * h);
        return end;
      }
      ++rejected_;
      step_ = std::max(wanted, 0.1 * h);
    }
  }

  tieline::PluginSession& session_;
  tieline_info info_;
  double t_;
  double mass_ = 1.0, length_ = 0.5, gravity_ = 9.81, tolerance_ = 1e-7, step_ = 1e-4;
  Matrix placed_{};
  Vector bearing_{};
  State state_{};
  int tip_ = -1;
  unsigned long long steps_ = 0, evaluations_ = 0, rejected_ = 0;
};

}  // namespace

int main() {
  try {
    tieline::PluginSession session;
    Arm arm(session);
    arm.run();
  } catch (const tieline::RunEnded&) {
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "pendulum_arm: %s\n", problem.what());
    return 2;
  }
  return 0;
}
