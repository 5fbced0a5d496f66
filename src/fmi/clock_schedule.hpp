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
/// - `constant`: the description. `fixed` and `tunable`: the description if it does; otherwise the FMU while it is
///   initialized, as it does the shift, and for `tunable` after each event, since a parameter may have changed it: a
///   new interval counts from that event.
/// - `changing`: the FMU while it is initialized, from the start to the first tick, then at each tick, from there to
///   the next; `countdown`: the same, but after any event and from there on.
/// (FMI 3.0 section 2.2.8.3, with the clarifications of 3.0.2.)
///
/// Call order: `learn` in initialization mode, `start` once that has ended; at `next` in event mode `tick`, then the
/// FMU's update of discrete states, then `schedule_next`, after any event. One thread at a time.
class ClockSchedule {
 public:
  explicit ClockSchedule(const Description& description);

  [[nodiscard]] bool is_empty() const { return clocks_.empty(); }
  /// What the FMU reports in initialization mode.
  core::Result<void> learn(Instance& instance);
  void start(double t0);
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
    bool is_stated = false;            ///< the description has the interval
    std::optional<double> interval{};  ///< as the description states it, or the FMU while it is initialized [s]
    Ticks ticks{};

    [[nodiscard]] bool is_periodic() const { return kind != Interval::changing && kind != Interval::countdown; }
  };
  /// The first tick of a periodic clock, as the FMU reports it.
  static core::Result<void> learn_shift(Instance& instance, Clock& clock);
  /// The interval that the FMU reports, if it is new [s].
  static core::Result<std::optional<double>> queried_interval(Instance& instance, const Clock& clock);
  /// A new interval, if the FMU reports one after an event at t.
  static core::Result<bool> renew(Instance& instance, Clock& clock, double t, bool has_ticked);

  std::vector<Clock> clocks_;
};

}  // namespace tieline::fmi
