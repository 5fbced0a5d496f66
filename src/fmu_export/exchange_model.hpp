#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "components/ode_model.hpp"
#include "core/archive.hpp"
#include "core/port.hpp"
#include "simulation/run.hpp"

namespace tieline::fmu_export {

/// The equations of a run of one component, for a solver outside of it: what model exchange asks of an FMU.
///
/// The run has started, and never advances: it has read the model, found the first state, and owns the equations.
/// Inputs are constants that hold at every time. Call order as FMI has it: after the constructor, which is in event
/// mode, `enter_continuous`; then times, states, inputs and what follows from them in any order, and `completed_step`;
/// `enter_events` and `handle_events` where an event is due. One thread; failures throw RunError.
class ExchangeModel {
 public:
  /// Why a component has no equations to be solved outside; empty: it has.
  [[nodiscard]] static std::string obstacle(const simulation::Run& run);
  explicit ExchangeModel(simulation::Run& run);

  /// Of an input by the name of its number, or of an axis of an interface in space (-1: it is none); null: there is
  /// none.
  [[nodiscard]] core::Port* port_of(std::string_view target, int axis);
  [[nodiscard]] std::size_t state_count() const { return y_.size(); }
  [[nodiscard]] std::size_t indicator_count() const { return indicators_.size(); }
  /// Names of the states, where a recorded variable is one; otherwise "state[3]". With units. Before anything else.
  [[nodiscard]] std::vector<core::Column> name_states();
  /// How large the states are, at least in order of magnitude.
  [[nodiscard]] std::vector<double> nominals() const;
  /// Whether derivatives by states come from the component's own Jacobian.
  [[nodiscard]] bool has_jacobian() const { return has_jacobian_; }
  /// Whether the flow at a port follows from the states alone.
  [[nodiscard]] bool moves_by_states(const core::Port& port) const;
  [[nodiscard]] std::string snapshot_obstacle() const { return model_->snapshot_obstacle(); }

  [[nodiscard]] double time() const { return t_; }
  void set_time(double t);
  [[nodiscard]] std::span<const double> states() const { return y_; }
  void set_states(std::span<const double> y);
  void set_input(core::Port& port, double value);

  /// False: the equations cannot be evaluated there.
  [[nodiscard]] bool evaluate();
  [[nodiscard]] std::span<const double> rates();
  /// All columns of the component.
  [[nodiscard]] std::span<const double> row();
  [[nodiscard]] std::span<const double> indicators();

  /// How much an input changes.
  struct InputChange {
    core::Port* port = nullptr;
    double value = 0.0, change = 0.0;
  };
  /// How rates of states and columns change along a direction, modes being frozen. Either may be empty: it is not
  /// wanted.
  void differentiate(std::span<const double> states, std::span<const InputChange> inputs, std::span<double> rates,
                     std::span<double> row);

  struct Events {
    bool states_changed = false;
    bool ends = false;             ///< the component asks to end the simulation
    std::optional<double> next{};  ///< event that is known beforehand [s]
  };
  void enter_events() { is_event_mode_ = true; }
  [[nodiscard]] bool is_event_mode() const { return is_event_mode_; }
  /// Passes all that is due. `on_event` gets what each event belongs to.
  Events handle_events(const std::function<void(const std::string& name)>& on_event);
  void enter_continuous();
  /// True: events are due.
  [[nodiscard]] bool completed_step();
  [[nodiscard]] const core::Ending* ending() const { return model_->ending(); }

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  [[nodiscard]] wave::Side side() const { return t_ == event_time_ ? wave::Side::right : wave::Side::left; }
  void forget();
  void fail_if_broken() const;
  void pass_breaks();
  [[nodiscard]] int first_due();
  void note_guards(bool is_restart);
  void add_difference(std::span<const double> states, std::span<const InputChange> inputs, std::span<double> rates,
                      std::span<double> row);
  void evaluate_jacobian();

  simulation::Run& run_;
  components::OdeModel* model_ = nullptr;
  double t_ = 0.0;           ///< [s]
  double event_time_ = 0.0;  ///< of the last events: from there on, right sides hold [s]
  double planned_ = 0.0;     ///< next break of the model [s]
  bool is_event_mode_ = true, has_new_inputs_ = false, has_own_break_ = false, is_first_step_ = true;
  std::vector<double> y_, ydot_, row_, indicators_, last_, jacobian_, nominals_;
  std::vector<char> is_armed_;  ///< by guard: it holds, so that it may fire
  bool is_evaluated_ = false;   ///< `ydot_` belongs to the present point
  bool stands_ = false;         ///< and nothing else has been evaluated since
  bool has_row_ = false, has_jacobian_ = false, is_jacobian_known_ = false;
};

}  // namespace tieline::fmu_export
