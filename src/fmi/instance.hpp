#pragma once

#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fmi/host_state.hpp"
#include "fmi/instance_log.hpp"
#include "fmi/library.hpp"
#include "fmi/negated_aliases.hpp"

namespace tieline::fmi {

class ClockState;
class Instance;
using References = std::span<const std::uint32_t>;

/// The states of FMI's state machines that an instance can be in. While it steps it may call back: then values may be
/// read, or set, or both, or none.
enum class Phase : unsigned {
  instantiated,
  configuration,
  initialization,
  event,
  continuous,  ///< model exchange
  step,        ///< co-simulation
  reconfiguration,
  update_closed,
  update_reads,
  update_sets,
  update_open,
  terminated,
  failed,  ///< after an error: can be put back to a saved state, or freed
  lost     ///< after a fatal error: nothing may be called any more
};

/// A set of phases.
template <class... Phases>
[[nodiscard]] constexpr unsigned phase_mask(Phases... phases) {
  return ((1U << static_cast<unsigned>(phases)) | ...);
}

/// "event mode", as part of a sentence.
[[nodiscard]] const char* name_of(Phase phase);

/// What an FMU reports when it calls back within a step (FMI 3.0).
struct IntermediateUpdate {
  double time = 0.0;  ///< [s]
  bool may_set = false;
  bool may_get = false;
  bool step_finished = false;  ///< an inner step; its values may be kept
  bool can_return_early = false;
};

struct IntermediateReply {
  std::optional<double> return_at{};  ///< [s]; asks to end the step there
};

/// Called by the thread that steps, with the instance in a phase where get and set work as the update says. An error
/// asks to return early and becomes the step's.
using IntermediateHook = std::function<core::Result<IntermediateReply>(Instance&, const IntermediateUpdate&)>;

struct InstanceSettings {
  std::string name{};
  std::string token{};                ///< guid of 1.0 and 2.0
  std::filesystem::path resources{};  ///< the FMU's resources/, unpacked; need not be there
  bool visible = false;
  bool logging = false;
  LogSink log{};
  VariableNames variable_names{};
  std::size_t state_count = 0;      ///< 1.0 and 2.0 do not report it
  std::size_t indicator_count = 0;  ///< 1.0 and 2.0 do not report it
  /// 1.0.
  std::filesystem::path folder{};  ///< into which the FMU was unpacked
  std::string mime_type{};         ///< of co-simulation; empty: that of a library
  bool may_be_remade = true;       ///< a fresh instance may be made where inputs have changed during initialization
  NegatedAliases negated_aliases{};
  /// Co-simulation of 3.0.
  bool event_mode = false;
  bool early_return = false;
  std::vector<std::uint32_t> intermediate_variables{};
  IntermediateHook on_intermediate{};
  /// Its steps may run asynchronously (1.0, 2.0): only then it gets a function to report their ends.
  bool runs_asynchronously = false;
  /// How long such a step may take.
  std::chrono::milliseconds pending_deadline{60'000};
};

struct Experiment {
  double start = 0.0;                 ///< [s]
  std::optional<double> stop{};       ///< [s]
  std::optional<double> tolerance{};  ///< relative
};

struct StepResult {
  double reached = 0.0;  ///< [s]
  bool event_needed = false;
  bool terminate = false;
  bool early_return = false;  ///< `reached` is before the end
  bool discarded = false;     ///< 1.0, 2.0: cut short; 3.0: to be repeated with a shorter step from a saved state
};

struct EventResult {
  bool needs_update = false;
  bool terminate = false;
  bool nominals_changed = false;
  bool values_changed = false;        ///< of continuous states
  std::optional<double> next_time{};  ///< of the next time event [s]
};

struct CompletedStep {
  bool enter_event_mode = false;
  bool terminate = false;
};

/// A dependency that an instance reports (FMI 3.0).
struct ReportedDependency {
  std::size_t element = 0;        ///< of the unknown, counted from 1; 0: all
  std::uint32_t independent = 0;  ///< reference
  std::size_t independent_element = 0;
  fmi3DependencyKind kind = fmi3Dependent;
};

/// An FMU's own copy of its whole state; freed with this object or with the instance, whichever goes first.
class SavedState {
 public:
  SavedState() = default;
  SavedState(SavedState&& other) noexcept;
  SavedState& operator=(SavedState&& other) noexcept;
  ~SavedState();
  [[nodiscard]] bool is_empty() const { return handle_ == nullptr; }

 private:
  friend class Instance;
  void release();

  std::shared_ptr<Instance*> owner_{};  ///< shared with the instance, which clears it when it goes
  void* handle_ = nullptr;
  Phase phase_ = Phase::instantiated;
  double time_ = 0.0;  ///< [s]
};

/// One instance of an FMU of version 1.0, 2.0 or 3.0, for model exchange or for co-simulation: FMI's functions without
/// their differences. Those of 1.0 are called by the functions of 2.0 (fmi1_model.hpp). Order of calls:
///
///   create, set..., enter_initialization, set/get..., exit_initialization; then
///   model exchange:  settle_events, enter_continuous_time; set_time, set_states, derivatives, ..., completed_step;
///                    enter_event, settle_events, enter_continuous_time; ...
///   co-simulation:   (with event mode: settle_events, enter_step); set..., do_step, get...;
///                    (where a step asks for it: enter_event, settle_events, enter_step)
///   terminate; the destructor terminates where that is due, and frees. Nothing is reset (many exporters have never
///   tried): who wants to begin again makes another instance.
///
/// What the standard does not allow in a phase is refused by an error that names call and phase. A warning is counted;
/// `discard` is an error after which the instance continues (see last_status); after `error` it is failed, after
/// `fatal` it is lost and not even freed. Errors name the call, the time and the FMU's last messages. Reading and
/// setting values costs one indirect call and allocates nothing.
///
/// One thread at a time; instances of one library may be in different threads.
class Instance {
 public:
  [[nodiscard]] static core::Result<std::unique_ptr<Instance>> create(std::shared_ptr<const Library> library,
                                                                      InstanceSettings settings);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  [[nodiscard]] const std::string& name() const { return settings_.name; }
  [[nodiscard]] int version() const { return library_->version(); }
  [[nodiscard]] InterfaceType type() const { return library_->type(); }
  [[nodiscard]] const std::shared_ptr<const Library>& library() const { return library_; }
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] double time() const { return time_; }  ///< [s]
  /// The last answer that was not `ok`.
  [[nodiscard]] Status last_status() const { return last_status_; }
  [[nodiscard]] std::size_t warning_count() const { return warnings_; }
  [[nodiscard]] const InstanceLog& log() const { return log_; }

  // Phases.
  core::Result<void> set_debug_logging(bool on, std::span<const char* const> categories);
  core::Result<void> enter_configuration();
  core::Result<void> exit_configuration();
  core::Result<void> enter_initialization(const Experiment& experiment);
  core::Result<void> exit_initialization();
  core::Result<void> enter_event();
  core::Result<void> enter_continuous_time();
  core::Result<void> enter_step();
  core::Result<void> terminate();

  // Values; of an array all elements, row by row, so that there may be more values than references.
  core::Result<void> get(References references, std::span<double> values) {
    if (!may(kReading)) [[unlikely]]
      return refusal({"GetReal", "GetFloat64"});
    assert(two_ == nullptr || references.size() == values.size());
    return answer(two_ != nullptr ? int{two_->fmi2GetReal(handle_, references.data(), references.size(), values.data())}
                                  : int{three_->fmi3GetFloat64(handle_, references.data(), references.size(),
                                                               values.data(), values.size())},
                  {"GetReal", "GetFloat64"});
  }
  core::Result<void> set(References references, std::span<const double> values) {
    if (!may(kSetting)) [[unlikely]]
      return refusal({"SetReal", "SetFloat64"});
    assert(two_ == nullptr || references.size() == values.size());
    return answer(two_ != nullptr ? int{two_->fmi2SetReal(handle_, references.data(), references.size(), values.data())}
                                  : int{three_->fmi3SetFloat64(handle_, references.data(), references.size(),
                                                               values.data(), values.size())},
                  {"SetReal", "SetFloat64"});
  }
  // Integers and enumerations of 1.0 and 2.0 are int32_t; enumerations of 3.0, and of 2.0 as well, are int64_t.
  core::Result<void> get(References references, std::span<std::int32_t> values);
  core::Result<void> set(References references, std::span<const std::int32_t> values);
  core::Result<void> get(References references, std::span<std::int64_t> values);
  core::Result<void> set(References references, std::span<const std::int64_t> values);
  core::Result<void> get(References references, std::span<bool> values);
  core::Result<void> set(References references, std::span<const bool> values);
  /// The texts are the FMU's and valid until its next call.
  core::Result<void> get(References references, std::span<const char*> values);
  core::Result<void> set(References references, std::span<const char* const> values);
  // The other types, of 3.0 only.
  core::Result<void> get(References references, std::span<float> values);
  core::Result<void> set(References references, std::span<const float> values);
  core::Result<void> get(References references, std::span<std::int8_t> values);
  core::Result<void> set(References references, std::span<const std::int8_t> values);
  core::Result<void> get(References references, std::span<std::uint8_t> values);
  core::Result<void> set(References references, std::span<const std::uint8_t> values);
  core::Result<void> get(References references, std::span<std::int16_t> values);
  core::Result<void> set(References references, std::span<const std::int16_t> values);
  core::Result<void> get(References references, std::span<std::uint16_t> values);
  core::Result<void> set(References references, std::span<const std::uint16_t> values);
  core::Result<void> get(References references, std::span<std::uint32_t> values);
  core::Result<void> set(References references, std::span<const std::uint32_t> values);
  core::Result<void> get(References references, std::span<std::uint64_t> values);
  core::Result<void> set(References references, std::span<const std::uint64_t> values);
  /// The bytes are the FMU's and valid until its next call; as many sizes as values.
  core::Result<void> get_binary(References references, std::span<std::size_t> sizes,
                                std::span<const std::uint8_t*> values);
  core::Result<void> set_binary(References references, std::span<const std::size_t> sizes,
                                std::span<const std::uint8_t* const> values);

  // Clocks (3.0): ticks, intervals [s] or counter / resolution, shifts.
  core::Result<void> get_clocks(References references, std::span<bool> ticks);
  core::Result<void> set_clocks(References references, std::span<const bool> ticks);
  core::Result<void> get_intervals(References references, std::span<double> intervals,
                                   std::span<fmi3IntervalQualifier> qualifiers);
  core::Result<void> get_intervals(References references, std::span<std::uint64_t> counters,
                                   std::span<std::uint64_t> resolutions, std::span<fmi3IntervalQualifier> qualifiers);
  core::Result<void> set_intervals(References references, std::span<const double> intervals);
  core::Result<void> set_intervals(References references, std::span<const std::uint64_t> counters,
                                   std::span<const std::uint64_t> resolutions);
  core::Result<void> get_shifts(References references, std::span<double> shifts);
  core::Result<void> get_shifts(References references, std::span<std::uint64_t> counters,
                                std::span<std::uint64_t> resolutions);
  core::Result<void> set_shifts(References references, std::span<const double> shifts);
  core::Result<void> set_shifts(References references, std::span<const std::uint64_t> counters,
                                std::span<const std::uint64_t> resolutions);

  /// What ticks, and what it holds; nothing where no clock matters.
  void use_clock_state(std::unique_ptr<ClockState> state);
  [[nodiscard]] ClockState* clock_state() const { return clock_state_.get(); }

  // The whole state. Saving again into the same object reuses the FMU's memory.
  core::Result<void> save(SavedState& state);
  /// The instance is then in the phase and at the time of the saved state.
  core::Result<void> restore(const SavedState& state);
  /// Bytes for the same FMU on a machine of the same kind.
  core::Result<std::vector<std::byte>> serialize(const SavedState& state);
  core::Result<void> deserialize(std::span<const std::byte> bytes, SavedState& state);

  // Sensitivities: of the unknowns to a change of the knowns along the seed, and the transposed product (3.0).
  core::Result<void> directional_derivative(References unknowns, References knowns, std::span<const double> seed,
                                            std::span<double> sensitivity);
  core::Result<void> adjoint_derivative(References unknowns, References knowns, std::span<const double> seed,
                                        std::span<double> sensitivity);
  core::Result<std::vector<ReportedDependency>> dependencies(std::uint32_t unknown);

  // Events.
  core::Result<void> evaluate_discrete_states();
  /// Once. The caller repeats it as long as needs_update, setting inputs in between where there are loops.
  core::Result<EventResult> update_discrete_states();
  /// Until nothing changes any more; an error after a thousand times.
  core::Result<EventResult> settle_events();

  // Model exchange.
  core::Result<std::size_t> state_count();
  core::Result<std::size_t> indicator_count();
  /// Value references of the states, kNone where there are none (1.0, where events may change them; empty otherwise).
  core::Result<std::vector<std::uint32_t>> state_references();
  core::Result<void> set_time(double time);
  core::Result<void> set_states(std::span<const double> states);
  core::Result<void> get_states(std::span<double> states);
  core::Result<void> get_derivatives(std::span<double> derivatives);
  core::Result<void> get_indicators(std::span<double> indicators);
  core::Result<void> get_nominals(std::span<double> nominals);
  /// `is_final`: no saved state from before will be restored.
  core::Result<CompletedStep> completed_step(bool is_final);

  // Co-simulation.
  core::Result<void> set_input_derivatives(References references, std::span<const std::int32_t> orders,
                                           std::span<const double> values);  ///< 1.0, 2.0
  core::Result<void> get_output_derivatives(References references, std::span<const std::int32_t> orders,
                                            std::span<double> values);
  core::Result<StepResult> do_step(double begin, double length, bool is_final);

 private:
  friend class SavedState;

  /// A function's name without "fmi2" and "fmi3".
  struct Call {
    const char* two;
    const char* three;
    constexpr Call(const char* name) : two(name), three(name) {}
    constexpr Call(const char* name2, const char* name3) : two(name2), three(name3) {}
  };
  static constexpr unsigned kRunning = phase_mask(Phase::event, Phase::continuous, Phase::step);
  static constexpr unsigned kReading =
      kRunning | phase_mask(Phase::initialization, Phase::update_reads, Phase::update_open, Phase::terminated);
  static constexpr unsigned kSetting =
      kRunning | phase_mask(Phase::instantiated, Phase::configuration, Phase::initialization, Phase::reconfiguration,
                            Phase::update_sets, Phase::update_open);
  static constexpr unsigned kLiving = kReading | kSetting | phase_mask(Phase::failed);

  Instance(std::shared_ptr<const Library> library, InstanceSettings settings);
  core::Result<void> instantiate();
  [[nodiscard]] void* instantiate_1();
  void free();
  /// The instance that an FMU means when it calls back; null: none. No pointer of an FMU is followed.
  static Instance* meant_by(void* environment, const char* name);

  [[nodiscard]] bool may(unsigned phases) const { return ((1U << static_cast<unsigned>(phase_)) & phases) != 0; }
  core::Result<void> answer(int status, Call call) {
    if (!host_.floating_point().is_in_force()) [[unlikely]]
      put_back_host();
    if (status == 0) [[likely]]
      return {};
    return complain(static_cast<Status>(status), call);
  }
  /// Undoes what the FMU has changed in this process, and reports each kind of change once.
  void put_back_host();
  /// The same, seldom: for calls that come in great numbers.
  void put_back_host_seldom();
  [[nodiscard]] core::Error refusal(Call call) const;
  [[nodiscard]] core::Error only_in_3(Call call) const;
  core::Result<void> complain(Status status, Call call);
  [[nodiscard]] core::Error error(core::ErrorCode code, std::string message) const;
  [[nodiscard]] std::string full_name(Call call) const;
  /// Calls one of the functions without arguments and changes the phase.
  template <class Function>
  core::Result<void> move(unsigned from, Phase to, Call call, Function&& function);
  template <class Value>
  core::Result<void> value3(unsigned phases, Call call,
                            fmi3Status (*function)(void*, const std::uint32_t*, std::size_t, Value*, std::size_t),
                            References references, std::span<Value> values);

  template <class Function, class... Arrays>
  core::Result<void> clock3(unsigned phases, Call call, Function Functions3::*function, References references,
                            Arrays... arrays);

  core::Result<StepResult> do_step2(double begin, double length, bool is_final);
  core::Result<StepResult> do_step3(double begin, double length, bool is_final);
  core::Result<StepResult> cut_short2(double begin, double length);
  [[nodiscard]] static bool is_within(double time, double begin, double length);
  [[nodiscard]] core::Error wrong_time(double reached, double begin, double length);
  /// An error that names the first of an FMU's numbers that is not finite.
  core::Result<void> require_finite(std::span<const double> numbers, std::string_view what);
  core::Result<int> wait_for_step();
  void keep_state(SavedState& state, bool is_new);
  void free_state(void* handle);
  void lose();

  // What the FMU calls.
  static void write_log2(void* environment, fmi2String name, fmi2Status status, fmi2String category, fmi2String message,
                         ...);
  static void write_log3(void* environment, fmi3Status status, fmi3String category, fmi3String message);
  static void finish_step(void* environment, fmi2Status status);
  static void update(void* environment, double time, bool may_set, bool may_get, bool step_finished, bool can_return,
                     bool* wants_return, double* return_time);
  void update_now(const IntermediateUpdate& update, bool* wants_return, double* return_time);

  void* handle_ = nullptr;
  const Functions2* two_;  ///< of 1.0 as well
  const Functions3* three_;
  Phase phase_ = Phase::instantiated;
  Status last_status_ = Status::ok;
  double time_ = 0.0;
  std::size_t warnings_ = 0;
  std::shared_ptr<const Library> library_;
  InstanceSettings settings_;
  InstanceLog log_;
  fmi2CallbackFunctions callbacks_{};
  std::shared_ptr<Instance*> self_;
  std::atomic<bool> has_lost_environment_{false};  ///< the FMU has called back with another, which was reported
  std::vector<void*> saved_;                       ///< handles of saved states
  std::optional<core::Error> update_error_;
  double step_begin_ = 0.0, step_length_ = 0.0;  ///< of the step that is being taken [s]
  std::unique_ptr<ClockState> clock_state_;
  HostState host_;
  std::vector<std::string> reported_changes_;  ///< of the host
  unsigned calls_since_check_ = 0;
  // A step that runs asynchronously reports here that it is over.
  std::mutex step_mutex_;
  std::condition_variable step_over_;
  std::optional<int> step_status_;
  /// Steps that were known to be over before the FMU called back: such a call belongs to none of the steps since.
  unsigned owed_calls_ = 0;
};

}  // namespace tieline::fmi
