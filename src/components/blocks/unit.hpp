#pragma once

#include <memory>
#include <span>

#include "components/blocks/spec.hpp"
#include "core/archive.hpp"
#include "wave/track.hpp"

namespace tieline::components {

/// What a unit sees of the diagram at one time.
struct UnitView {
  double t = 0.0;
  wave::Side side = wave::Side::left;
  std::span<const double> x{};       ///< its own states
  std::span<const double> u{};       ///< values of its inputs
  std::span<const double> u_rate{};  ///< and their rates, where the unit says that it needs them
};

/// A block while it runs. Between changes of its mode it is linear in its states x and inputs u, up to an offset:
///   x' = A x + B u,  value = C x + D u + offset;
/// tables, functions and products vary in their own way, with D their slope. Values, rates and derivatives of a whole
/// diagram follow. Guards as in solvers::OdeSystem: >= 0 while the present mode holds.
class Unit {
 public:
  virtual ~Unit() = default;

  [[nodiscard]] virtual int state_count() const { return 0; }
  [[nodiscard]] virtual int guard_count() const { return 0; }
  /// States and modes at the start; inputs are known where the value depends on them.
  virtual void begin(const UnitView& view, std::span<double> x) { (void)view, (void)x; }

  [[nodiscard]] virtual double value(const UnitView& view) const = 0;
  [[nodiscard]] virtual double a(int state, int by_state) const {
    (void)state, (void)by_state;
    return 0.0;
  }
  [[nodiscard]] virtual double b(int state) const {  ///< units with states have one input
    (void)state;
    return 0.0;
  }
  [[nodiscard]] virtual double c(int state) const {
    (void)state;
    return 0.0;
  }
  [[nodiscard]] virtual double d(int input, const UnitView& view) const {
    (void)input, (void)view;
    return 0.0;
  }
  /// Part of the value's rate that comes neither from states nor from inputs; with `rate_follows_inputs` from these,
  /// too.
  [[nodiscard]] virtual double own_rate(const UnitView& view) const {
    (void)view;
    return 0.0;
  }
  [[nodiscard]] virtual bool rate_follows_inputs() const { return false; }

  /// Whether the present mode's derivatives or guards use the rates of inputs.
  [[nodiscard]] virtual bool needs_rates() const { return false; }
  virtual void derivatives(const UnitView& view, std::span<double> x_rate) const;

  virtual void guards(const UnitView& view, std::span<double> values) const { (void)view, (void)values; }
  /// Guard i has fired; rates of inputs are known.
  virtual void change(int guard, const UnitView& view, std::span<double> x) { (void)guard, (void)view, (void)x; }

  /// Next own break after t.
  [[nodiscard]] virtual double next_break(double t) const {
    (void)t;
    return wave::Track::kNever;
  }
  /// What a step over [t, t_end] may hide of its own course in time, in units of the tolerance.
  [[nodiscard]] virtual double unseen(double t, double t_end, double relative_tolerance) const {
    (void)t, (void)t_end, (void)relative_tolerance;
    return 0.0;
  }
  /// Time has reached a break; true if the value jumps.
  virtual bool on_break(const UnitView& view) {
    (void)view;
    return false;
  }

  virtual void save(core::ArchiveWriter& archive) const { (void)archive; }
  virtual void restore(core::ArchiveReader& archive) { (void)archive; }
};

/// An input block has no unit: null.
[[nodiscard]] std::unique_ptr<Unit> make_unit(const Block& block);

}  // namespace tieline::components
