#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/spatial.hpp"
#include "coupling/spatial_line.hpp"
#include "lines/axis_ends.hpp"
#include "lines/line.hpp"
#include "lines/line_end.hpp"

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

/// What is recorded of a line in space, and its values.
[[nodiscard]] std::vector<core::Column> spatial_line_columns();
[[nodiscard]] std::array<double, 8> spatial_line_values(const coupling::SpatialBalance& balance);

/// A running line in space: the two ends of a line for each axis that is not free, and the orientations of both ends,
/// which travel with the same delay and by the same windows. All of a window is one delivery. Each axis has its audit;
/// the balances are added up, by the `to` end's thread. Axes without damping are computed together. Where no axis
/// carries torque, no orientation travels.
///
/// In frames and states its axes are among the waves, and the orientations behind all of these.
class SpatialLine final : public Connection {
 public:
  SpatialLine(const SpatialLineSpec& spec, const core::TimeGrid& grid);

  [[nodiscard]] const SpatialLineSpec& spec() const { return spec_; }
  [[nodiscard]] const coupling::SpatialAudit& audit() const { return audit_; }

  [[nodiscard]] bool uses(Section section) const override {
    return section == Section::waves || section == Section::orientations;
  }
  [[nodiscard]] std::string end_name(bool is_to) const override;
  void set_capacities(std::size_t from_capacity, std::size_t to_capacity) override;
  [[nodiscard]] std::optional<RestSpring> rest_spring() const override;
  void set_rest(const core::RestPlaces& places) override;
  /// Fills the first delay with a uniform rotation that ends in the orientations in the outboxes: the ends must know
  /// each other's orientation before their angular velocities have a common frame.
  [[nodiscard]] bool prepare(const core::TimeGrid& grid) override;
  void start(const core::TimeGrid& grid) override;
  void send_first(const core::TimeGrid& grid) override;
  [[nodiscard]] bool send(bool is_to, Tick end_tick, const core::Window& window) override;
  void clear_outboxes(bool is_to) override;
  void receive(bool is_to, const core::TimeGrid& grid) override;
  void put(Section section, bool is_to, transport::Encoder& encoder) override;
  void take(Section section, bool is_to, WindowReader& window) override;
  void save_end(const EndPart& part, StateWriter& state) override;
  void restore_end(const EndPart& part, const core::TimeGrid& grid, StateReader& state) override;
  [[nodiscard]] std::vector<core::Column> columns() const override { return spatial_line_columns(); }
  [[nodiscard]] std::vector<double> values() const override;
  [[nodiscard]] ConnectionOutcome outcome() const override;
  void describe(transport::ConnectionMessage& message) const override;

 private:
  static constexpr std::size_t kParts = 4;  ///< of a quaternion
  static constexpr std::size_t kAxes = core::SpatialInterface::kAxes;

  /// What one end sends at the end of its window: rows where all axes have knots at the same times, one behind the
  /// other, else knots.
  struct SpatialDelivery {
    void clear() { rows.clear(), knots.clear(), turns.clear(); }

    std::vector<AxisRow> rows{};
    std::vector<wave::Knot> knots{};         ///< of the waves, axis after axis
    std::array<std::size_t, kAxes> count{};  ///< of each axis
    /// Knots of the four parts in turn, with value, rate and second rate in the places of integral, value and rate, so
    /// that quintic pieces join them.
    std::vector<wave::Knot> turns{};
    Tick end_tick = 0;
    double end_time = 0.0;
    wave::AxisNumbers emitted_energy{};  ///< so far [J]
    coupling::AxisAccounts account{};    ///< of the `from` end, for the audit, which the `to` end keeps
  };
  using Ring = RingOf<SpatialDelivery>;
  /// What one end sends, and the counts of its orientations.
  struct End {
    Ring outgoing{};
    Traffic turns{};
    double scale = 0.0;  ///< largest rate of an orientation received: what a break is measured against [1/s]
    AxisEnds axes{};     ///< the ends of all axes, where lines are without damping
    Traffic of_axes{};   ///< of each axis, since they were taken
  };
  /// An axis that is not free. Without damping its ends are among those of all axes, and these ones only serve to look
  /// at them one by one (`put_out`, `take_in`); its audit always does.
  struct Axis {
    std::size_t index = 0;
    wave::LineLaw law{};
    double initial_force = 0.0;  ///< on the `to` side at the start [N], [N m]
    std::array<LineEnd, 2> ends{};
    coupling::LineAudit audit{};
    RowClock row_clock{};  ///< idle, but part of the state
  };
  [[nodiscard]] core::SpatialInterface& interface(bool is_to) const { return is_to ? *spec_.to : *spec_.from; }
  [[nodiscard]] core::Port& port(const Axis& axis, bool is_to) const { return interface(is_to).axis(axis.index); }
  void put_out(bool is_to);
  void take_in(bool is_to);
  void take_in_audits();
  [[nodiscard]] coupling::LineAudit audit_of(const Axis& axis) const;
  /// Knots from rows, and rows from knots where these are such.
  void unpack(SpatialDelivery& delivery) const;
  void pack(SpatialDelivery& delivery) const;
  void send_waves(bool is_to, Tick end_tick, const core::Window& window, SpatialDelivery& delivery,
                  coupling::AxisAccounts& account);
  void send_turns(bool is_to, const core::Window& window, SpatialDelivery& delivery);
  void receive_waves(bool is_to, const SpatialDelivery& delivery, double end_arrival, const wave::TimePoints& points);
  void receive_turns(bool is_to, const SpatialDelivery& delivery, double end_arrival, const wave::TimePoints& points);
  void accept_turn(bool is_to, std::size_t part, const wave::Knot& knot);
  void settle_audit();
  template <class Archive>
  void visit_waves(const EndPart& part, const wave::TimePoints& points, Archive& archive);
  template <class Archive>
  void visit_turns(const EndPart& part, Archive& archive);
  [[nodiscard]] static wave::Knot knot_of(const wave::Sample& sample) {
    return {sample.t, sample.position, sample.flow, sample.flow_rate};
  }

  SpatialLineSpec spec_;
  std::vector<Axis> axes_;
  std::array<End, 2> ends_;
  bool is_undamped_ = true;
  coupling::AxisAudits audits_{};
  coupling::SpatialAudit audit_{};
  RowClock row_clock_{};
};

}  // namespace tieline::lines
