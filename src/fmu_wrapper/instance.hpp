#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fmu_export/exchange_model.hpp"
#include "fmu_export/manifest.hpp"
#include "fmu_wrapper/line_end.hpp"
#include "simulation/run.hpp"

/// One instance of an exported FMU, whatever the version of FMI.
namespace tieline::fmu_wrapper {

/// A call that the standard does not allow, or with values that are not valid. The instance remains as it is.
class CallError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Severity { info, event, warning, error };

/// Takes messages of an instance, in the thread that calls it.
using Log = std::function<void(Severity severity, const std::string& text)>;

/// What the host was shown of a point within a step.
struct InnerPoint {
  double time = 0.0;          ///< [s]
  bool takes_inputs = false;  ///< the host may set inputs for this time
  bool is_finished = false;   ///< outputs are those of this time, behind which the FMU does not go back
};

enum class Phase { created, initializing, running, terminated, failed };

/// The whole state of an instance, to go back to.
struct State {
  Phase phase = Phase::created;
  std::vector<double> values{}, rates{};
  std::vector<bool> is_set{}, is_changed{};
  double start = 0.0, stop = 0.0, time = 0.0;
  bool has_ended = false;
  std::vector<LineEnd::Memory> ends{};
  std::string run{};  ///< empty: it had not been built
};

/// Drives a run step by step: parameters and first inputs, the start, steps with live inputs, snapshots.
///
/// Call order: `set_up`, values, `initialize`, then `step` and values; `reset` from anywhere. The run is built when it
/// is first needed: at `initialize`, or when an output is asked for before; a parameter or input that is set then makes
/// it anew. Failures of the run throw (RunError, ModelError, …); what the standard does not allow throws CallError. The
/// log of what components report comes while a function runs. One thread at a time; instances share nothing.
class Instance {
 public:
  Instance(std::string name, fmu_export::Manifest manifest, std::filesystem::path resources, Log log);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const fmu_export::Manifest& manifest() const { return manifest_; }
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] double time() const { return time_; }
  /// A component has asked to end the simulation.
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  void log(Severity severity, const std::string& text) const { log_(severity, text); }

  void set_up(double start, std::optional<double> stop);
  void begin_initialization();
  void initialize();
  void terminate();
  void reset();
  /// After an error that leaves the run unusable.
  void fail() { phase_ = Phase::failed; }

  void set(std::span<const std::uint32_t> references, std::span<const double> values);
  void get(std::span<const std::uint32_t> references, std::span<double> values);
  /// How fast inputs change from now on, until they are set again.
  void set_rates(std::span<const std::uint32_t> references, std::span<const std::int32_t> orders,
                 std::span<const double> rates);
  [[nodiscard]] std::size_t count_of(std::uint32_t reference) const;

  /// Called within steps, where the host has asked for it.
  void on_inner_point(std::function<void(const InnerPoint&)> hook) { hook_ = std::move(hook); }
  /// From one communication point to the next. False: a component has asked to end the simulation, at `time()`.
  [[nodiscard]] bool step(double from, double length);
  /// The same, to the first event within the step if there is one and the instance can go back to it: then `time()` is
  /// earlier, just behind the event, and `has_event` is true.
  [[nodiscard]] bool step_to_event(double from, double length, bool& has_event);

  // Model exchange: what `fmu_export::ExchangeModel` does, for the host. `is_exchange` says whether the FMU is for
  // that.
  [[nodiscard]] bool is_exchange() const { return manifest_.is_exchange; }
  void enter_events();
  [[nodiscard]] fmu_export::ExchangeModel::Events update_states();
  void enter_continuous();
  /// True: events are due.
  [[nodiscard]] bool completed_step();
  void set_time(double t);
  void set_states(std::span<const double> states);
  void get_states(std::span<double> states);
  /// False: the equations cannot be evaluated there; a shorter step may do.
  [[nodiscard]] bool get_rates(std::span<double> rates);
  void get_indicators(std::span<double> indicators);
  void get_nominals(std::span<double> nominals);
  [[nodiscard]] std::size_t state_count();
  [[nodiscard]] std::size_t indicator_count();
  /// How derivatives of states and outputs change with states and inputs, along `seed`.
  void differentiate(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns,
                     std::span<const double> seed, std::span<double> sensitivity);

  [[nodiscard]] std::unique_ptr<State> save() const;
  void restore(const State& state);
  [[nodiscard]] static std::string serialize(const State& state);
  [[nodiscard]] std::unique_ptr<State> deserialize(std::string_view bytes) const;

 private:
  struct Slot {
    const fmu_export::ExportedVariable* variable = nullptr;
    std::size_t first = 0;  ///< of its numbers in `values_`
    LineEnd* end = nullptr;
    std::vector<std::unique_ptr<LineEnd>>
        inner{};  ///< by number: of inputs that the host may be asked for within steps
  };
  /// What the host has answered within a step.
  struct Answer {
    double t = 0.0;
    std::vector<double> values{};
  };
  [[nodiscard]] bool is_asked(const Slot& slot) const;
  [[nodiscard]] double asked_value(std::size_t place, double t);
  void begin_track(LineEnd& end, std::size_t place, double t);
  [[nodiscard]] const Slot& slot_of(std::uint32_t reference) const;
  void set_one(const Slot& slot, std::size_t number, double value);
  void build();
  void make_line_ends();
  void open_spaces(simulation::Run& run);
  void give_inputs();
  void find_ports();
  /// The equations, with all inputs that the host has set.
  fmu_export::ExchangeModel& equations();
  fmu_export::ExchangeModel& continuous_equations(const char* what);
  void read_equations();
  void read_outputs();
  /// Waves that leave at ends of lines: their means over a step, or what they are at the start.
  /// Events of all components so far.
  [[nodiscard]] std::uint64_t event_count() const;
  [[nodiscard]] bool can_have_events() const;
  void find_leaving_waves(double from, double to);
  void show_inner_points(double from, double to);

  std::string name_;
  fmu_export::Manifest manifest_;
  std::filesystem::path resources_;
  Log log_;
  std::function<void(const InnerPoint&)> hook_{};
  Phase phase_ = Phase::created;
  bool has_ended_ = false;

  std::map<std::uint32_t, std::size_t> places_;  ///< of variables, by reference
  std::vector<Slot> slots_;                      ///< by variable
  std::vector<double> values_, rates_;           ///< by number
  std::vector<bool> is_set_;                     ///< by number: by the host
  std::vector<bool> is_changed_;                 ///< by number: since the run got it
  bool has_changes_ = false;
  std::vector<Answer> answers_;
  std::size_t answer_count_ = 0;  ///< of the present step
  bool has_space_ = false;        ///< an end of a line in space

  double start_ = 0.0, stop_ = 0.0, time_ = 0.0;  ///< [s]
  std::vector<std::unique_ptr<LineEnd>> ends_;
  std::unique_ptr<simulation::Run> run_;
  std::unique_ptr<fmu_export::ExchangeModel> exchange_;  ///< of `run_`; null: co-simulation
  std::vector<core::Port*> ports_;                       ///< by number: where an input goes in model exchange
  std::vector<assembly::VariablePlace> output_places_;
  std::vector<std::size_t> output_numbers_;  ///< in `values_`
  std::vector<double> output_values_;
  bool has_outputs_ = false;  ///< those in `values_` are of the time reached
};

}  // namespace tieline::fmu_wrapper
