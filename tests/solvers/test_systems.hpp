#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "solvers/stepper.hpp"

namespace tieline::solvers::testing {

inline constexpr std::array kAllMethods{Method::dopri5,    Method::radau5,      Method::rk4, Method::zhai,
                                        Method::cvode_bdf, Method::cvode_adams, Method::ida};
inline constexpr std::array kVariableMethods{Method::dopri5, Method::radau5, Method::cvode_bdf, Method::cvode_adams,
                                             Method::ida};
inline constexpr std::array kMultistepMethods{Method::cvode_bdf, Method::cvode_adams, Method::ida};
inline constexpr std::array kOneStepMethods{Method::dopri5, Method::radau5, Method::rk4, Method::zhai};

/// A system from plain functions.
struct FunctionSystem : OdeSystem {
  using Rhs = std::function<bool(double, wave::Side, std::span<const double>, std::span<double>)>;
  using Guards = std::function<void(double, std::span<const double>, std::span<double>)>;

  FunctionSystem(int size, Rhs rhs) : n(size), f(std::move(rhs)) {}
  FunctionSystem(int size, Rhs rhs, int guard_count, Guards guards)
      : n(size), f(std::move(rhs)), m(guard_count), g(std::move(guards)) {}

  [[nodiscard]] int size() const override { return n; }
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override {
    return f(t, side, y, ydot);
  }
  [[nodiscard]] int guard_count() const override { return m; }
  void guards(double t, std::span<const double> y, std::span<double> values) override { g(t, y, values); }

  int n;
  Rhs f;
  int m = 0;
  Guards g{};
};

/// x'' = -omega^2 x with exact Jacobian.
struct Oscillator : OdeSystem {
  explicit Oscillator(double angular_frequency) : omega(angular_frequency) {}
  [[nodiscard]] int size() const override { return 2; }
  bool rhs(double, wave::Side, std::span<const double> y, std::span<double> ydot) override {
    ydot[0] = y[1];
    ydot[1] = -omega * omega * y[0];
    return true;
  }
  bool jacobian(double, std::span<const double>, std::span<double> columns) override {
    columns[0] = 0.0;
    columns[1] = -omega * omega;
    columns[2] = 1.0;
    columns[3] = 0.0;
    return true;
  }
  double omega;
};

/// Steps to `end`; throws with the solver's own words where it fails.
inline void run_to(Stepper& stepper, double end) {
  while (stepper.time() < end) {
    if (const auto step = stepper.step(end); !step) throw std::runtime_error(step.error().describe());
  }
}

}  // namespace tieline::solvers::testing
