#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/component.hpp"
#include "core/spatial.hpp"
#include "coupling/axis_audits.hpp"
#include "lines/line_end.hpp"
#include "wave/fours.hpp"

namespace tieline::lines {

/// What one sample of all ports of an interface in space makes: the knots of the waves, axis by axis, and of the four
/// parts of the orientation.
struct AxisRow {
  static constexpr std::size_t kParts = 4;

  double t = 0.0;
  double arrival = 0.0;  ///< set by the receiver [s]
  wave::AxisNumbers integral{}, value{}, rate{};
  std::array<double, kParts> turn{}, turn_rate{}, turn_second_rate{};
};

/// The six ends of a line in space on one side, without damping, which go through the same operations at the same
/// times: what a LineEnd does for each, with the same bits.
///
/// Only what is usual: waves along the axes joined by quintic pieces and those about them by cubic ones, samples of all
/// axes at the same times, one behind the other, with rates. `send` and `receive` change nothing where it is not so, or
/// where a LineEnd would look closer; then the caller takes the axes out (`put`), uses them one by one, and brings them
/// back (`take`). Owned by a line in space, used by the thread of its end.
class AxisEnds {
 public:
  static constexpr std::size_t kAxes = wave::AxisNumbers::kAxes;
  using Used = std::array<bool, kAxes>;

  /// Which axes there are, and whether orientations travel.
  void use(const Used& axes, bool has_turns);
  /// Before all axes are taken.
  void begin_take();
  /// The state of one axis; together they have to be at one time.
  void take(std::size_t axis, LineEnd& end);
  void put(std::size_t axis, LineEnd& end) const;

  /// Turns what an interface has in its outboxes into rows, settles up to the window's end, and fills in the account.
  [[nodiscard]] bool send(core::SpatialInterface& own, Tick end_tick, const core::Window& window,
                          std::vector<AxisRow>& rows, coupling::AxisAccounts& account);
  /// Energies emitted so far [J].
  [[nodiscard]] const wave::AxisNumbers& emitted_energy() const { return sent_.energy; }
  /// Appends rows that the other end has sent to the tracks of an interface. The last one arrives at `end_arrival` if
  /// it was sent at `end_time`, and that much energy will have arrived by then. `scale` is that of orientations.
  [[nodiscard]] bool receive(core::SpatialInterface& own, std::span<AxisRow> rows, double end_time, double end_arrival,
                             const wave::TimePoints& points, double delay, const wave::AxisNumbers& emitted_energy,
                             double& scale);

  /// Samples of all axes at one time; zeros for an axis that there is not.
  using Samples = std::array<const wave::Sample*, kAxes>;
  /// What the sending end has reached.
  struct Sent {
    double t = 0.0;
    wave::AxisNumbers integral{}, value{}, rate{}, energy{}, largest{}, largest_wave{};
  };
  /// What it works with.
  struct Laws {
    wave::AxisNumbers impedance{}, energy_factor{}, start_position{};
  };

 private:
  struct Milestone {
    double arrival = 0.0;
    wave::AxisNumbers integral{}, energy{};
  };
  [[nodiscard]] bool gather(core::SpatialInterface& own, std::size_t k, Samples& samples, AxisRow& row) const;
  void settle(core::SpatialInterface& own, double t, double begin);
  void fill_account(core::SpatialInterface& own, Tick tick, coupling::AxisAccounts& account) const;
  /// False where a row does not arrive behind what has come.
  [[nodiscard]] bool set_arrivals(core::SpatialInterface& own, std::span<AxisRow> rows, double end_time,
                                  double end_arrival, const wave::TimePoints& points, double delay) const;
  template <class Ends, class End, class Copy>
  static void visit(Ends& all, std::size_t axis, End& one, Copy&& copy);

  Used used_{};
  bool has_turns_ = false;
  bool sends_as_usual_ = false, receives_as_usual_ = false;  ///< so that the interpolations are as above
  Laws laws_{};
  wave::AxisNumbers last_sample_time_{};
  Sent sent_{};
  // Of what is received.
  wave::Ring<Milestone> milestones_{};
  wave::AxisNumbers integral_offset_{}, filter_offset_{}, wave_scale_{};
  wave::AxisNumbers arrived_integral_{}, arrived_energy_{}, passed_energy_{}, recent_integral_{};
  wave::AxisNumbers initial_energy_{}, initial_integral_{};
  double settled_to_ = 0.0;
};

}  // namespace tieline::lines
