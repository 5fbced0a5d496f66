#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "core/interface_set.hpp"
#include "core/sampling.hpp"
#include "fmi/clock_schedule.hpp"
#include "fmi/fmu_spec.hpp"
#include "fmi/instance.hpp"
#include "fmi/interface_exchange.hpp"
#include "fmi/launch.hpp"
#include "fmi/state_keeper.hpp"
#include "fmi/values.hpp"

namespace tieline::fmi {

/// A co-simulation FMU of a system, before it runs.
struct CsPart {
  FmuSpec spec{};
  core::Pose placement{};
  RunFacts facts{};
  bool extrapolates = false;  ///< its inputs continue straight within a step; else they are held
  core::Schedule schedule = core::Schedule::furthest_behind;  ///< of the system; that value: it does not say
};

/// One co-simulation FMU of a system of them: its instance, taken from one communication point to the next.
///
/// Order: `enter_initialization`, `leave_initialization`; then `step` and, where that asks for it, `handle_event`.
/// Where clocks join FMUs, events are those of all of them (`join_events`): then a step ends at its first event, and
/// `enter_event`, `update`, `schedule_clocks` and `resume` take the place of `handle_event`, also after
/// `leave_initialization`. Errors name the FMU. One thread at a time.
class CsMember {
 public:
  CsMember(CsPart part, core::InterfaceSet& set, std::size_t first);

  [[nodiscard]] const CsPart& part() const { return part_; }
  [[nodiscard]] const std::string& name() const { return part_.facts.name; }
  [[nodiscard]] const Description& description() const { return *part_.spec.description; }
  [[nodiscard]] const CoSimulationFacts& facts() const { return *description().co_simulation; }
  [[nodiscard]] Instance& instance() { return *instance_; }
  [[nodiscard]] bool is_running() const { return instance_ != nullptr; }
  [[nodiscard]] double time() const { return time_; }  ///< [s]
  [[nodiscard]] std::size_t events() const { return events_; }
  /// It has asked to end the simulation at its time: nothing but reading is done any more.
  [[nodiscard]] bool wants_end() const { return wants_end_; }

  void join_events() { joins_events_ = true; }
  core::Result<void> enter_initialization(double t0);
  core::Result<void> leave_initialization();
  /// Takes it to `end`, which is `length` away but for rounding. True: it asks for event mode there, or, where events
  /// are joined, at `time()` before.
  core::Result<bool> step(double end, double length);
  /// Inputs that are discrete may be set by `set_inputs`, before the events are settled.
  template <class SetInputs>
  core::Result<void> handle_event(SetInputs&& set_inputs) {
    if (auto entered = instance_->enter_event(); !entered) return named(entered.error());
    if (auto set = set_inputs(); !set) return named(set.error());
    return leave_event();
  }
  core::Result<void> enter_event();
  /// Something new has come in while events are handled: clocks may tick because of it.
  void open_instant();
  /// One round; whether another is needed.
  core::Result<bool> update();
  /// Whether clocks tick at once again.
  core::Result<bool> schedule_clocks();
  core::Result<void> resume();
  /// Of a clock of it, or of an event that it has announced [s].
  [[nodiscard]] double next_event() const;
  [[nodiscard]] bool is_in_event() const { return instance_->phase() == Phase::event; }
  [[nodiscard]] bool has_timed_clocks() const { return !clocks_.is_empty(); }
  /// Keeps the state before a step, and goes back to it.
  core::Result<void> keep();
  core::Result<void> go_back();

  /// Whether discrete inputs are taken at events alone.
  [[nodiscard]] bool has_event_mode() const { return description().version == 3 && facts().has_event_mode; }

  /// What its interfaces show at the present time, into the places of its ports.
  core::Result<void> observe(double t, std::span<core::PortOutput> outputs);
  [[nodiscard]] std::span<const core::InterfaceState> states() const { return exchange_.states(); }
  /// The signals that come in, as the FMU has them, and where they stand among the columns of its interfaces.
  core::Result<void> read_taken(std::span<double> interfaces);
  core::Result<void> read_recorded(std::span<double> values);
  [[nodiscard]] std::size_t interface_columns() const { return interface_columns_; }

  [[nodiscard]] std::string obstacle(core::SnapshotUse use) const { return keeper_.obstacle(use); }
  core::Result<void> save(core::ArchiveWriter& archive) const;
  core::Result<void> restore(core::ArchiveReader& archive);
  [[nodiscard]] core::Error named(core::Error error) const;
  /// "name[2]" of a number.
  [[nodiscard]] std::string name_of(const Scalar& scalar) const;

 private:
  core::Result<void> leave_event();
  core::Result<bool> continue_step(StepResult last, double end);

  CsPart part_;
  InterfaceExchange exchange_;
  ValueReader recorded_, taken_;
  std::vector<std::size_t> taken_columns_;  ///< where the signals that come in stand among the interfaces' columns
  std::vector<double> taken_values_;
  std::size_t interface_columns_ = 0;
  std::unique_ptr<Instance> instance_;
  mutable StateKeeper keeper_;
  ClockSchedule clocks_;
  bool joins_events_ = false;
  double announced_event_ = wave::Track::kNever;  ///< where events are joined [s]
  SavedState kept_{};
  double kept_time_ = 0.0;  ///< [s]
  double time_ = 0.0;
  std::size_t events_ = 0;
  bool wants_end_ = false;
};

}  // namespace tieline::fmi
