#pragma once

#include <deque>

#include "engine/channel.hpp"
#include "engine/engine.hpp"

namespace tieline::engine {

/// Which balances of a connection become rows: the first one at or after each wanted time.
class RowClock {
 public:
  void start() { *this = {}; }
  /// Whether the balance at t is a row, and at what time: the components' row time where the two agree.
  [[nodiscard]] bool is_due(double t, double interval, double& row_time);

 private:
  std::int64_t rows_ = 0;
  double first_row_time_ = 0.0;
};

/// Hands the selected values to the plan's sink.
void write_row(const core::RecordPlan& plan, double row_time, std::span<const double> values);

/// A running line: what each end sends and receives, and its audit, which the `to` end's thread keeps.
struct Engine::Line {
  Line(const LineSpec& line_spec, const ScheduledDelay& line_delay);
  /// Deliveries that may be under way from either end.
  void set_capacities(std::size_t from_capacity, std::size_t to_capacity);

  [[nodiscard]] core::Port& port(bool is_to) { return is_to ? *spec.to_port : *spec.from_port; }
  /// Fills the first delay from the initial motions in the outboxes.
  void start(const core::TimeGrid& grid);
  /// Sends the first samples and opens the audit.
  void send_first(const core::TimeGrid& grid);
  /// The window's samples of one end leave for the other, with the end's account. False: queue overflow.
  bool send(bool is_to, Tick end_tick, double end_time);
  void receive(bool is_to, const core::TimeGrid& grid);
  void settle_audit();
  void save(core::ArchiveWriter& archive);
  void restore(core::ArchiveReader& archive);
  [[nodiscard]] Traffic traffic() const;
  [[nodiscard]] const coupling::LineAudit& audit() const { return audit_; }

  LineSpec spec;
  ScheduledDelay delay;
  /// Where an axis of a line in space leaves its balances; null: they are recorded here.
  std::deque<coupling::LineBalance>* collected = nullptr;

 private:
  struct End {
    wave::LineSender sender{};
    wave::LineReceiver receiver{};
    DeliveryRing outgoing{};
    Traffic traffic{};
  };
  void fill_account(bool is_to, Tick tick, const wave::Sample& last, wave::EndAccount& account) const;

  End from_;
  End to_;
  coupling::LineAudit audit_;
  RowClock row_clock_{};
};

/// A running delayed signal.
struct Engine::Signal {
  Signal(const SignalSpec& signal_spec, const ScheduledDelay& signal_delay);
  void start(const core::TimeGrid& grid);
  void send_first(const core::TimeGrid& grid);
  bool send(Tick end_tick, double end_time);
  void receive(const core::TimeGrid& grid);

  SignalSpec spec;
  ScheduledDelay delay;
  DeliveryRing ring{};
  Traffic traffic{};
  double scale = 0.0;  ///< largest |value| seen: what a break is measured against
};

}  // namespace tieline::engine
