#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "core/port.hpp"
#include "core/recording.hpp"
#include "coupling/line_audit.hpp"
#include "coupling/line_parameters.hpp"
#include "lines/delivery_ring.hpp"
#include "lines/row_clock.hpp"
#include "lines/state.hpp"
#include "lines/windows.hpp"

namespace tieline::lines {

/// A line to be made between ports of two nodes.
struct LineSpec {
  std::string name{};
  int from_node = 0;
  int to_node = 0;
  core::Port* from_port = nullptr;
  core::Port* to_port = nullptr;
  coupling::LineFigures figures{};
  double initial_force = 0.0;    ///< on the `to` side at the start [N]
  core::RecordPlan recording{};  ///< of the columns that `line_columns` names
};

struct LineOutcome {
  std::string name{};
  coupling::LineFigures figures{};
  Traffic traffic{};
  const coupling::LineAudit* audit = nullptr;
  core::Domain domain = core::Domain::translation;
};

/// What is recorded of a line, and its values.
[[nodiscard]] std::vector<core::Column> line_columns(core::Domain domain);
[[nodiscard]] std::array<double, 5> line_values(const coupling::LineBalance& balance);

/// A running line: what each end sends and receives, and its audit, which the `to` end's thread keeps.
///
/// The two ends may live in different processes. Each process then has the line and uses one end of it; what the other
/// end sends is put into that end's `outgoing` by whoever brings it, and `visit_end` is how an end's state moves.
struct Line {
  Line(const LineSpec& line_spec, const ScheduledDelay& line_delay);
  /// Deliveries that may be under way from either end.
  void set_capacities(std::size_t from_capacity, std::size_t to_capacity);

  [[nodiscard]] core::Port& port(bool is_to) { return is_to ? *spec.to_port : *spec.from_port; }
  [[nodiscard]] DeliveryRing& outgoing(bool is_to) { return is_to ? to_.outgoing : from_.outgoing; }
  /// Fills the first delay from the initial motions in the outboxes.
  void start(const core::TimeGrid& grid);
  /// Sends the first samples and opens the audit.
  void send_first(const core::TimeGrid& grid);
  /// The window's samples of one end leave for the other, with the end's account. False: queue overflow.
  bool send(bool is_to, Tick end_tick, double end_time);
  void receive(bool is_to, const core::TimeGrid& grid);
  void settle_audit();
  [[nodiscard]] Traffic traffic() const;
  [[nodiscard]] const coupling::LineAudit& audit() const { return audit_; }

  /// Shows an archive the state of one end, without its port's track; the audit goes with the `to` end.
  template <class Archive>
  void visit_end(bool is_to, const core::TimeGrid& grid, Archive& archive) {
    End& end = is_to ? to_ : from_;
    std::uint64_t sent = static_cast<std::uint64_t>(end.sender.interpolation());
    std::uint64_t received = static_cast<std::uint64_t>(end.receiver.interpolation());
    archive(sent), archive(received);
    if constexpr (Archive::is_reading) {
      end.sender = {spec.figures.law, interpolation_of(sent)};
      end.receiver = {spec.figures.law, interpolation_of(received), ScheduledDelay::points(grid)};
    }
    end.sender.visit_state(archive);
    end.receiver.visit_state(archive);
    archive(end.receiver.raw_track());
    archive(end.receiver.milestones());
    archive(end.traffic);
    if (!is_to) return;
    audit_.visit_state(archive);
    archive(audit_.waiting_from());
    archive(audit_.waiting_to());
    archive(row_clock_);
  }

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
  /// What another process says may be nonsense.
  static wave::Interpolation interpolation_of(std::uint64_t word) {
    return word <= static_cast<std::uint64_t>(wave::Interpolation::quintic) ? static_cast<wave::Interpolation>(word)
                                                                            : wave::Interpolation::cubic;
  }
  void fill_account(bool is_to, Tick tick, const wave::Sample& last, wave::EndAccount& account) const;

  End from_;
  End to_;
  coupling::LineAudit audit_;
  RowClock row_clock_{};
};

}  // namespace tieline::lines
