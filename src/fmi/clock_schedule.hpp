#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/archive.hpp"
#include "core/result.hpp"
#include "fmi/description.hpp"

namespace tieline::fmi {

class Instance;

/// When the clocks of an FMU tick that its importer must tick (FMI 3.0: input clocks based on time). Ticks of a steady
/// interval come from whole numbers. Who says the interval, by kind:
/// - `constant`: the description; `fixed`: the FMU once it is initialized; `tunable`: the FMU after each event, since a
///   parameter may have changed it; it then counts from the last tick.
/// - `changing`: the FMU at each tick, from there to the next; `countdown`: the FMU after any event, from there on.
///
/// Call order: `start` in event mode once the FMU is initialized; at `next` in event mode `tick`, then the FMU's update
/// of discrete states, then `schedule_next`, after any event. One thread at a time.
class ClockSchedule {
 public:
  explicit ClockSchedule(const Description& description);

  [[nodiscard]] bool is_empty() const { return clocks_.empty(); }
  core::Result<void> start(Instance& instance, double t0);
  /// Time of the next tick [s]; never: infinite.
  [[nodiscard]] double next() const;
  /// Ticks those that are due.
  core::Result<void> tick(Instance& instance, double t);
  /// Events at t are handled: what ticks next.
  core::Result<void> schedule_next(Instance& instance, double t);

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  struct Ticks {
    double first = 0.0;       ///< [s]
    double interval = 0.0;    ///< [s]; 0: it does not tick
    std::int64_t count = 0;   ///< since `first`
    double next = 0.0;        ///< [s]
    double last = 0.0;        ///< tick [s]
    bool has_ticked = false;  ///< in the present event
  };
  struct Clock {
    std::uint32_t reference = 0;
    Interval kind = Interval::constant;
    bool supports_fraction = false;
    double shift = 0.0;                ///< [s]
    std::optional<double> interval{};  ///< as the description states it [s]
    Ticks ticks{};
  };
  /// The interval that the FMU reports, if it is new [s].
  static core::Result<std::optional<double>> queried_interval(Instance& instance, const Clock& clock);
  /// A new interval, if the FMU reports one after an event at t.
  static core::Result<bool> renew(Instance& instance, Clock& clock, double t, bool has_ticked);

  std::vector<Clock> clocks_;
};

}  // namespace tieline::fmi
