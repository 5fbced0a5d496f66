#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/port.hpp"
#include "core/recording.hpp"
#include "coupling/line_audit.hpp"
#include "coupling/line_parameters.hpp"
#include "lines/connection.hpp"
#include "lines/line_end.hpp"
#include "lines/row_clock.hpp"

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
  /// A lever, gear or transformer without mass or losses at the `from` end: factor times the motion of the port there
  /// is that of the line, and factor times the line's effort is that on the port. The offset is one of positions.
  core::Relation relation{};
};

/// What is recorded of a line, and its values.
[[nodiscard]] std::vector<core::Column> line_columns(core::Domain domain);
[[nodiscard]] std::array<double, 5> line_values(const coupling::LineBalance& balance);

/// A running line: what each end sends and receives, and its audit, which the `to` end's thread keeps.
///
/// A line in space has the same ends and audit for each of its axes (SpatialLine).
class Line final : public Connection {
 public:
  Line(const LineSpec& spec, const core::TimeGrid& grid);

  [[nodiscard]] const LineSpec& spec() const { return spec_; }
  /// On the `to` side at the start: as stated, or as it is at rest [N].
  [[nodiscard]] double start_force() const { return rest_force_.value_or(spec_.initial_force); }
  [[nodiscard]] const coupling::LineAudit& audit() const { return audit_; }
  [[nodiscard]] Traffic traffic() const;

  [[nodiscard]] bool uses(Section section) const override { return section == Section::waves; }
  [[nodiscard]] std::string end_name(bool is_to) const override;
  void set_capacities(std::size_t from_capacity, std::size_t to_capacity) override;
  [[nodiscard]] std::optional<RestSpring> rest_spring() const override;
  void set_rest(const core::RestPlaces& places) override;
  [[nodiscard]] std::optional<StartLine> start_line() const override;
  void set_start_flows(double from, double to) override { start_flows_ = {from, to}; }
  void start(const core::TimeGrid& grid) override;
  void send_first(const core::TimeGrid& grid) override;
  [[nodiscard]] bool send(bool is_to, Tick end_tick, const core::Window& window) override;
  void clear_outboxes(bool is_to) override { port(is_to).outbox.clear(); }
  void receive(bool is_to, const core::TimeGrid& grid) override;
  void put(Section section, bool is_to, transport::Encoder& encoder) override;
  void take(Section section, bool is_to, WindowReader& window) override;
  void save_end(const EndPart& part, StateWriter& state) override;
  void restore_end(const EndPart& part, const core::TimeGrid& grid, StateReader& state) override;
  [[nodiscard]] std::vector<core::Column> columns() const override;
  [[nodiscard]] std::vector<double> values() const override;
  [[nodiscard]] ConnectionOutcome outcome() const override;
  void describe(transport::ConnectionMessage& message) const override;

 private:
  struct End : LineEnd {
    DeliveryRing outgoing{};
  };
  [[nodiscard]] core::Port& port(bool is_to) const { return is_to ? *spec_.to_port : *spec_.from_port; }
  /// The line as the port at an end sees it.
  [[nodiscard]] wave::LineLaw law(bool is_to) const;
  /// By how much efforts at the other end are larger than the same at this one.
  [[nodiscard]] double towards_other(bool is_to) const {
    return is_to ? spec_.relation.factor : 1.0 / spec_.relation.factor;
  }
  /// The account of the `from` end, in the terms of the line.
  void fill_account_of_from(Tick tick, wave::EndAccount& account) const;
  /// The account of the `from` end that goes with one of its deliveries.
  [[nodiscard]] wave::EndAccount& account_of(const Delivery& delivery) {
    return accounts_[from_.outgoing.slot_of(delivery)];
  }
  void settle_audit();
  template <class Archive>
  void visit_end(bool is_to, const wave::TimePoints& points, Archive& archive);

  LineSpec spec_;
  End from_;
  End to_;
  std::vector<wave::EndAccount> accounts_;  ///< under way to the `to` end, which keeps the audit
  coupling::LineAudit audit_;
  RowClock row_clock_{};
  std::optional<double> rest_force_{};                  ///< on the `to` side, where components start at rest [N]
  std::optional<std::array<double, 2>> start_flows_{};  ///< at from, to; of the next start only
};

/// Bytes that deliveries of lines have carried.
[[nodiscard]] std::uint64_t bytes_of(const Traffic& traffic);

}  // namespace tieline::lines
