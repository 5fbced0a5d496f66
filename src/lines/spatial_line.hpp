#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/spatial.hpp"
#include "coupling/spatial_line.hpp"
#include "lines/line.hpp"

namespace tieline::lines {

/// A line in space, to be made between interfaces of two nodes.
struct SpatialLineSpec {
  std::string name{};
  int from_node = 0;
  int to_node = 0;
  core::SpatialInterface* from = nullptr;
  core::SpatialInterface* to = nullptr;
  coupling::SpatialFigures figures{};
  std::array<double, 3> initial_force{};   ///< on the `to` side at the start, in world axes [N]
  std::array<double, 3> initial_torque{};  ///< on the `to` side at the start, in the axes of the common frame [N m]
  core::RecordPlan recording{};            ///< of the columns that `spatial_line_columns` names
};

struct SpatialLineOutcome {
  std::string name{};
  coupling::SpatialFigures figures{};
  Traffic traffic{};
  const coupling::SpatialAudit* audit = nullptr;
  double largest_energy = 0.0;        ///< stored or passed on by one axis [J]
  double largest_displacement = 0.0;  ///< of either end along one axis, or static stretch [m]
  double largest_rotation = 0.0;      ///< elastic, about one axis [rad]
};

/// What is recorded of a line in space, and its values.
[[nodiscard]] std::vector<core::Column> spatial_line_columns();
[[nodiscard]] std::array<double, 8> spatial_line_values(const coupling::SpatialBalance& balance);

/// A running line in space: a Line for each axis that is not free, and the orientations of both ends, which travel with
/// the same delay and by the same windows. The axes send, receive and audit for themselves, as line ends of their
/// nodes; here their balances are added up, by the `to` end's thread. Where no axis carries torque, no orientation
/// travels.
struct SpatialLine {
  static constexpr std::size_t kParts = 4;  ///< of a quaternion

  SpatialLine(const SpatialLineSpec& line_spec, const ScheduledDelay& line_delay);
  /// Deliveries that may be under way from either end.
  void set_capacities(std::size_t from_capacity, std::size_t to_capacity);

  [[nodiscard]] core::SpatialInterface& interface(bool is_to) { return is_to ? *spec.to : *spec.from; }
  /// Fills the first delay with a uniform rotation that ends in the orientations in the outboxes.
  void start(const core::TimeGrid& grid);
  void send_first(const core::TimeGrid& grid);
  /// The window's orientations of one end leave for the other. False: queue overflow.
  bool send(bool is_to, Tick end_tick, const core::Window& window);
  void receive(bool is_to, const core::TimeGrid& grid);
  void clear_outboxes(bool is_to);
  void settle_audit();
  [[nodiscard]] SpatialLineOutcome outcome() const;
  /// Null where no orientation travels.
  [[nodiscard]] DeliveryRing* outgoing_turns(bool is_to) {
    if (!spec.figures.carries_torque()) return nullptr;
    return is_to ? &to_.outgoing : &from_.outgoing;
  }

  /// Shows an archive the state of one end, without its axes, which are lines of their own; the audit goes with the
  /// `to` end.
  template <class Archive>
  void visit_end(bool is_to, Archive& archive) {
    archive((is_to ? from_ : to_).scale);
    archive((is_to ? to_ : from_).traffic);
    if (!is_to) return;
    archive(row_clock_);
    audit_.visit_state(archive);
    if constexpr (Archive::is_reading) {
      for (auto& balances : balances_) balances.clear();
    }
  }

  SpatialLineSpec spec;
  ScheduledDelay delay;
  std::array<std::unique_ptr<Line>, core::SpatialInterface::kAxes> axes{};  ///< null: a free axis

 private:
  /// What one end sends: knots of the four parts in turn, with value, rate and second rate in the places of integral,
  /// value and rate, so that quintic pieces join them.
  struct Turn {
    DeliveryRing outgoing{};
    Traffic traffic{};
    double scale = 0.0;  ///< largest rate received: what a break is measured against [1/s]
  };
  void accept(bool is_to, std::size_t part, const wave::Knot& knot);
  [[nodiscard]] static wave::Knot knot_of(const wave::Sample& sample) {
    return {sample.t, sample.position, sample.flow, sample.flow_rate};
  }

  Turn from_;
  Turn to_;
  std::array<std::deque<coupling::LineBalance>, core::SpatialInterface::kAxes> balances_{};
  coupling::SpatialAudit audit_{};
  RowClock row_clock_{};
};

}  // namespace tieline::lines
