#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/scope.hpp"

namespace tieline::document {

/// A table of (x, y) points, ascending in x; usable in expressions under its name.
struct Table {
  enum class Join { hold, linear, smooth };  ///< smooth: monotone cubic
  std::vector<double> x{};
  std::vector<double> y{};
  Join join = Join::linear;
  [[nodiscard]] double value(double at) const;
  [[nodiscard]] double slope(double at) const;
  /// What is wrong with it (sizes, order of x, numbers that are not finite), or empty.
  [[nodiscard]] std::string defect() const;
};

/// A function of time (and of named inputs such as signals) given by an expression, for loads and driven motions.
///
/// Beside muParser's functions it knows pi, step(x) (0 below zero, 1 from zero on), smoothstep(x, x0, x1) (quintic,
/// from 0 to 1, twice continuously differentiable), pulse(x, x0, x1) (1 between x0 and x1) and tables by name. Every
/// jump is a switch: its value is frozen until `update_switches` is called, and a guard tells when it is due. So within
/// a solver's step the function is smooth. Comparisons (t < 0.1 ? a : b) and sign(x) are switches too. A table with
/// join "hold" over t keeps its piece from one `update_switches` to the next, and `next_break` tells when that is due.
/// Copies are independent. `value` may be called by one thread at a time.
class TimeFunction {
 public:
  TimeFunction();  ///< zero
  static TimeFunction constant(double value);
  /// `text` is a number or {expression}; constants come from `scope`; `inputs` are the names set at each evaluation,
  /// among them members of signals: `u[2]`.
  static std::optional<TimeFunction> compile(std::string_view text, const Place& place, const Scope& scope,
                                             std::span<const std::string> inputs,
                                             const std::map<std::string, Table>& tables, Diagnostics& diagnostics);
  TimeFunction(const TimeFunction&);
  TimeFunction& operator=(const TimeFunction&);
  TimeFunction(TimeFunction&&) noexcept;
  TimeFunction& operator=(TimeFunction&&) noexcept;
  ~TimeFunction();

  [[nodiscard]] bool is_constant() const;
  /// `inputs` in the order given to compile.
  [[nodiscard]] double value(double t, std::span<const double> inputs) const;

  /// Oriented guards: >= 0 while the switch's frozen value holds.
  [[nodiscard]] int switch_count() const;
  void guards(double t, std::span<const double> inputs, std::span<double> values) const;
  /// Sets switch i to the other value (its guard has fired).
  void flip(int i);
  /// Sets all switches to what they are at (t, inputs), from the right.
  void update_switches(double t, std::span<const double> inputs);
  /// Known times of kinks and jumps after t that follow from tables over plain t; kNever (infinity) if none.
  [[nodiscard]] double next_break(double t) const;
  /// The frozen state, for snapshots; not only one bit per switch.
  [[nodiscard]] std::vector<bool> switches() const;
  void set_switches(const std::vector<bool>& values);

 private:
  struct Program;
  std::unique_ptr<Program> program_;
};

}  // namespace tieline::document
