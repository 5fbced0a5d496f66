#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/archive.hpp"
#include "core/interface_set.hpp"
#include "core/space_curve.hpp"
#include "wave/lanes.hpp"

namespace tieline::core {

/// Publishes the interfaces of a tool, or of a component with its own solver, as samples of their ports: the states
/// at the ends of its steps, whatever lies between them by interpolation, and the integrals of effort and power.
///
/// Call order: `publish_start`; then for each step: fill `next`, `begin_step(t)` once all are filled, `publish` at any
/// times up to t in order, `end_step`. Nothing is allocated on the way but in outboxes. One thread.
class StatePublisher {
 public:
  /// `is_driven`: tracks are new for every stretch of time, and their integrals say nothing.
  StatePublisher(core::InterfaceSet& interfaces, std::vector<core::InterfaceState> first, double t0, bool is_driven);

  /// In the process of the run: counts impulses from the present tracks on, and publishes the first samples.
  void publish_start();
  [[nodiscard]] std::span<double> start_integrals() { return start_integral_; }
  [[nodiscard]] std::span<const double> start_integrals() const { return start_integral_; }

  /// The state of an interface at the end of the tool's step.
  [[nodiscard]] core::InterfaceState& next(std::size_t i) { return to_[i]; }
  [[nodiscard]] const core::InterfaceState& last(std::size_t i) const { return from_[i]; }
  /// Time of the last complete step [s].
  [[nodiscard]] double time() const { return t0_; }

  /// The states that were filled in hold at t: what follows from them is worked out.
  void begin_step(double t);
  /// Samples of all ports at t, from the left, with the integrals up to there.
  void publish(double t);
  /// The other side of a break at the time of the last complete step. Before `begin_step`.
  void publish_right_side();
  void end_step();
  /// Inputs have changed at the time of the last complete step: what takes motion moves accordingly.
  void settle();

  /// All columns at a time of the present step, or at the last complete one.
  void fill_columns(double t, wave::Side side, std::span<double> values);
  /// Work that the ports have done on the tool [J].
  [[nodiscard]] double work() const;

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  /// The flow one step earlier, where positions are to be integrated from it.
  struct Before {
    double t = 0.0, flow = 0.0;
    std::uint64_t is_known = 0;  ///< a whole word, so that snapshots have no gaps
  };
  const std::vector<core::InterfaceState>& states_at(double t);
  /// Where an interface in space is at a time of the present step, its rotation being that of its leader.
  void draw_between(std::size_t i, double t);
  /// Whether two interfaces in space turn alike over the present step, bit by bit.
  [[nodiscard]] bool turn_alike(std::size_t i, std::size_t j) const;
  void observe(double t, wave::Side side, std::span<const core::InterfaceState> states);
  void integrate(double from, double to);
  void integrate_piece(double from, double to);
  void integrate_position(std::size_t i);
  void publish_samples(double t, wave::Side side, bool is_right_of_break);
  void publish_samples_of(std::size_t i, double t, wave::Side side, bool is_right_of_break);

  core::InterfaceSet& interfaces_;
  bool is_driven_;
  double t0_, t1_;       ///< start and end of the present step [s]
  double published_to_;  ///< [s]
  std::vector<core::InterfaceState> from_, to_, between_;
  std::vector<core::SpaceCurve> curves_;  ///< of the present step, where an interface is in space
  /// By interface in space: an earlier one that turns alike in this step, or itself; of the others the position alone.
  std::vector<std::size_t> leaders_;
  std::vector<wave::PieceOf<wave::Lanes>> positions_;
  std::vector<Before> before_;
  std::vector<core::PortOutput> outputs_;
  std::vector<double> work_, impulse_, start_position_, start_integral_;  ///< by port
};

}  // namespace tieline::core
