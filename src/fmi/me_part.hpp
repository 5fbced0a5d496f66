#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "fmi/clock_schedule.hpp"
#include "fmi/fmu_spec.hpp"
#include "fmi/instance.hpp"
#include "fmi/interface_exchange.hpp"
#include "fmi/launch.hpp"
#include "fmi/state_keeper.hpp"
#include "fmi/values.hpp"

namespace tieline::fmi {

/// One model-exchange FMU of a system of them: its instance, with what it needs to be evaluated at any time and state.
///
/// Order: `enter_initialization`, `settle`, `leave_initialization`, `settle_start` (or `update` until that is done),
/// `begin`; then `move_to`, `settle` and what is asked for;
/// `enter_event`, `settle`, `update`, `leave_event` at events. Errors are kept: after one nothing is done any more, and
/// `failure` returns why; after `discard` alone a shorter step may do. One thread at a time.
class MePart {
 public:
  MePart(FmuSpec spec, const core::Pose& placement, RunFacts facts, core::InterfaceSet& set, std::size_t first);

  [[nodiscard]] const FmuSpec& spec() const { return spec_; }
  [[nodiscard]] const std::string& name() const { return facts_.name; }
  [[nodiscard]] InterfaceExchange& exchange() { return exchange_; }
  [[nodiscard]] const InterfaceExchange& exchange() const { return exchange_; }
  [[nodiscard]] const std::optional<core::Error>& failure() const { return failure_; }
  /// It has asked to end the simulation: nothing but reading is done any more.
  [[nodiscard]] bool wants_end() const { return wants_end_; }
  /// Notes an error that no shorter step can mend; false in any case.
  bool refuse(const core::Error& error);

  core::Result<void> enter_initialization(double t0);
  /// Ends the initialization; in event mode then, where clocks that are due tick.
  core::Result<void> leave_initialization(double t0);
  /// Handles the events of the start, where no other FMU has a part in them.
  core::Result<void> settle_start();
  /// Leaves event mode; what it starts with is in `states`.
  core::Result<void> begin();
  [[nodiscard]] std::size_t state_count() const { return state_count_; }
  [[nodiscard]] std::size_t indicator_count() const { return indicators_.size(); }
  [[nodiscard]] std::span<const double> nominals() const { return nominals_; }
  bool states(std::span<double> y);

  bool move_to(double t, std::span<const double> y);
  /// Inputs that fit the motion, as the laws say.
  bool settle(double t, wave::Side side);
  bool read_signals();
  /// Reads once more, and shows that from then on.
  void show_last();
  bool derivatives(std::span<double> ydot);
  /// By side of the last event: not negative while nothing happens.
  bool guards(std::span<double> values);
  bool orient_guards();

  bool enter_event(double t);
  /// Something new has come in while events are handled: clocks may tick because of it.
  void open_instant();
  [[nodiscard]] bool has_clocks() const;
  /// Events at t are handled, but for clocks that tick at once again: whether there are such.
  std::optional<bool> schedule_clocks(double t);
  /// One round; whether another is needed.
  struct Update {
    bool needs_update = false, values_changed = false;
  };
  std::optional<Update> update();
  bool leave_event();
  /// Of a time event, or of one that it has asked for after a step; kNever.
  [[nodiscard]] double next_event(double t) const;
  [[nodiscard]] bool has_event_at(double t) const;
  /// A step is accepted; whether an event follows.
  bool complete_step(double t);

  /// Columns of the Jacobian by the states of this FMU; the instance stands at (t, y) and is left there.
  [[nodiscard]] bool has_directional_derivatives() const;
  bool directional_jacobian(double t, std::span<const double> y, std::span<double> columns);

  /// Class of each state: those of one unit are of one kind; what has none stands alone.
  [[nodiscard]] std::vector<std::string> state_units() const;
  [[nodiscard]] bool states_all_nominals() const;
  /// As the FMU calls it; its number, from 1, where that is not known.
  [[nodiscard]] std::string state_name(std::size_t state) const;
  /// Which state a number of motion is; -1: none.
  [[nodiscard]] std::span<const int> states_of_motion() const { return state_of_motion_; }
  [[nodiscard]] bool needs_rates() const { return needs_rates_; }

  [[nodiscard]] std::size_t recorded_count() const { return recorded_.size(); }
  bool record(std::span<double> values);

  [[nodiscard]] std::string snapshot_obstacle() const;
  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  [[nodiscard]] const ModelExchangeFacts& facts() const { return *spec_.description->model_exchange; }
  void find_states_of_motion();
  /// The continuous states by the references that the FMU reports (1.0).
  std::vector<Scalar> reported_states();
  /// The nominal values of the states, where they can be any.
  core::Result<void> take_nominals();
  void take_event(const EventResult& event);

  FmuSpec spec_;
  RunFacts facts_;
  InterfaceExchange exchange_;
  ValueReader recorded_;
  std::unique_ptr<Instance> instance_;
  std::size_t state_count_ = 0;
  std::optional<double> next_time_{};    ///< of a time event [s]
  std::optional<double> asked_event_{};  ///< after a step [s]
  std::vector<double> orientation_;      ///< of each indicator: 1 or -1
  std::vector<double> indicators_, nominals_;
  std::vector<Scalar> states_;  ///< which number each state is; variable kNone: unknown
  std::vector<int> state_of_motion_;
  bool needs_rates_ = false;
  bool has_bad_nominals_ = false;  ///< which was reported
  std::optional<core::Error> failure_{};
  bool wants_end_ = false;
  mutable StateKeeper keeper_;
  ClockSchedule clocks_;
};

/// Whether an FMU for model exchange may remember more than its continuous states.
[[nodiscard]] bool keeps_discrete_state(const Description& description);

}  // namespace tieline::fmi
