#pragma once

#include <array>
#include <deque>
#include <memory>

#include "core/spatial.hpp"
#include "engine/connections.hpp"

namespace tieline::engine {

/// A running line in space: a Line for each axis that is not free, and the orientations of both ends, which travel with
/// the same delay and by the same windows. The axes send, receive and audit for themselves, as line ends of their
/// nodes; here their balances are added up, by the `to` end's thread. Where no axis carries torque, no orientation
/// travels.
struct Engine::SpatialLine {
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
  void save(core::ArchiveWriter& archive);
  void restore(core::ArchiveReader& archive);
  [[nodiscard]] SpatialLineOutcome outcome() const;

  SpatialLineSpec spec;
  ScheduledDelay delay;
  std::array<std::unique_ptr<Line>, core::SpatialInterface::kAxes> axes{};  ///< null: a free axis

 private:
  static constexpr std::size_t kParts = 4;  ///< of a quaternion

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

}  // namespace tieline::engine
