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

/// A function of time (and of named inputs such as signals) given by an expression, for loads and prescribed motions.
///
/// Beside muParser's functions it knows pi, step(x) (0 below zero, 1 from zero on), smoothstep(x, x0, x1) (quintic,
/// from 0 to 1, twice continuously differentiable), pulse(x, x0, x1) (1 between x0 and x1) and tables by name. Every
/// jump is a switch: its value is frozen until `update_switches` is called. So within a solver's step the function is
/// smooth. Comparisons (t < 0.1 ? a : b) and sign(x) are switches too, and the kinks of abs, min, max and smoothstep
/// where they depend on t alone. When a switch that depends on t alone is due is known beforehand, however short its
/// pulses are: `next_break` says so. Others, which depend on inputs, have guards. A table with join "hold" over t keeps
/// its piece from one `update_switches` to the next. What is smooth and short is found by `unseen`.
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

  /// Oriented guards of the switches that depend on inputs: >= 0 while the switch's frozen value holds.
  [[nodiscard]] int switch_count() const;
  void guards(double t, std::span<const double> inputs, std::span<double> values) const;
  /// Sets switch i to the other value (its guard has fired).
  void flip(int i);
  /// Sets all switches to what they are at (t, inputs), from the right.
  void update_switches(double t, std::span<const double> inputs);
  /// The next time after t of a kink or jump that follows from t alone; infinity if none. Where switches are so many
  /// that the search for them takes long, it may be a time before which there is none.
  [[nodiscard]] double next_break(double t) const;
  /// What a step over [t, t_end], in which nothing breaks, may hide of the function's own course in time, in units of
  /// a relative tolerance of its size around there: nothing up to 1.
  [[nodiscard]] double unseen(double t, double t_end, double relative_tolerance) const;
  /// Whether `unseen` can know; otherwise a largest step has to be stated.
  [[nodiscard]] bool has_bounds() const;
  /// The frozen state, for snapshots; not only one bit per switch.
  [[nodiscard]] std::vector<bool> switches() const;
  void set_switches(const std::vector<bool>& values);

 private:
  struct Program;
  std::unique_ptr<Program> program_;
};

}  // namespace tieline::document
