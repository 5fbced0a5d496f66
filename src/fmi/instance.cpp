#include "fmi/instance.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <utility>

#include "fmi/clock_state.hpp"
#include "fmi/environments.hpp"
#include "fmi/fmi1_model.hpp"
#include "fmi/instance_calls.hpp"

namespace tieline::fmi {
namespace {

/// "file:///tmp/a%20b" for "/tmp/a b".
std::string uri_of(const std::filesystem::path& path) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string uri = "file://";
  for (const char c : path.string()) {
    if (kPlain.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

}  // namespace

const char* name_of(Phase phase) {
  switch (phase) {
    case Phase::instantiated:
      return "the state after instantiation";
    case Phase::configuration:
      return "configuration mode";
    case Phase::initialization:
      return "initialization mode";
    case Phase::event:
      return "event mode";
    case Phase::continuous:
      return "continuous-time mode";
    case Phase::step:
      return "step mode";
    case Phase::reconfiguration:
      return "reconfiguration mode";
    case Phase::update_closed:
    case Phase::update_reads:
    case Phase::update_sets:
    case Phase::update_open:
      return "this intermediate update";
    case Phase::terminated:
      return "the state after termination";
    case Phase::failed:
      return "the state after an error";
    case Phase::lost:
      return "the state after a fatal error";
  }
  return "an unknown state";
}

// Saved states.

SavedState::SavedState(SavedState&& other) noexcept { *this = std::move(other); }

SavedState& SavedState::operator=(SavedState&& other) noexcept {
  if (this == &other) return *this;
  release();
  owner_ = std::move(other.owner_);
  handle_ = std::exchange(other.handle_, nullptr);
  phase_ = other.phase_;
  time_ = other.time_;
  return *this;
}

SavedState::~SavedState() { release(); }

void SavedState::release() {
  if (handle_ != nullptr && owner_ && *owner_ != nullptr) (*owner_)->free_state(handle_);
  handle_ = nullptr;
}

// Creation.

core::Result<std::unique_ptr<Instance>> Instance::create(std::shared_ptr<const Library> library,
                                                         InstanceSettings settings) {
  std::unique_ptr<Instance> instance(new Instance(std::move(library), std::move(settings)));
  if (auto made = instance->instantiate(); !made) return std::move(made.error());
  return instance;
}

Instance::Instance(std::shared_ptr<const Library> library, InstanceSettings settings)
    : two_(library->fmi2()),
      three_(library->fmi3()),
      library_(std::move(library)),
      settings_(std::move(settings)),
      log_(settings_.log, settings_.variable_names),
      self_(std::make_shared<Instance*>(this)) {
  Environments::add(this, settings_.name);
}

core::Result<void> Instance::instantiate() {
  std::error_code ignored;
  const std::filesystem::path resources = std::filesystem::absolute(settings_.resources, ignored).lexically_normal();
  if (version() == 1) {
    handle_ = instantiate_1();
  } else if (two_ != nullptr) {
    callbacks_ = {&Instance::write_log2, &std::calloc, &std::free,
                  settings_.runs_asynchronously ? &Instance::finish_step : nullptr, this};
    handle_ = two_->fmi2Instantiate(
        settings_.name.c_str(), type() == InterfaceType::model_exchange ? fmi2ModelExchange : fmi2CoSimulation,
        settings_.token.c_str(), uri_of(resources).c_str(), &callbacks_, settings_.visible, settings_.logging);
  } else {
    // With a separator at the end, as FMI 3.0 wants it.
    const std::string path = (resources / "").string();
    if (type() == InterfaceType::model_exchange) {
      handle_ = three_->fmi3InstantiateModelExchange(settings_.name.c_str(), settings_.token.c_str(), path.c_str(),
                                                     settings_.visible, settings_.logging, this, &Instance::write_log3);
    } else {
      handle_ = three_->fmi3InstantiateCoSimulation(
          settings_.name.c_str(), settings_.token.c_str(), path.c_str(), settings_.visible, settings_.logging,
          settings_.event_mode, settings_.early_return, settings_.intermediate_variables.data(),
          settings_.intermediate_variables.size(), this, &Instance::write_log3,
          settings_.on_intermediate ? &Instance::update : nullptr);
    }
  }
  put_back_host();
  if (handle_ != nullptr) return {};
  std::string message = "the FMU refuses to make an instance (a token that is not its own, a missing licence or file)";
  if (const std::string last = log_.last_messages(); !last.empty()) message += "; its last messages: " + last;
  return core::Error{core::ErrorCode::bad_input, std::move(message), settings_.name};
}

void* Instance::instantiate_1() {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::absolute(settings_.folder, ignored).lexically_normal();
  return instantiate1({.functions = library_->fmi1(),
                       .type = type(),
                       .name = settings_.name,
                       .token = settings_.token,
                       .location = uri_of(folder),
                       .mime_type = settings_.mime_type,
                       .is_visible = settings_.visible,
                       .is_logging = settings_.logging,
                       .may_be_remade = settings_.may_be_remade,
                       .negated = settings_.negated_aliases,
                       .log = &log_,
                       .finish_step = settings_.runs_asynchronously ? &Instance::finish_step : nullptr,
                       .environment = this});
}

void Instance::use_clock_state(std::unique_ptr<ClockState> state) { clock_state_ = std::move(state); }

Instance::~Instance() {
  free();
  Environments::remove(this);
}

void Instance::free() {
  if (handle_ == nullptr) return;
  if (phase_ != Phase::lost && may(kRunning)) static_cast<void>(terminate());
  if (phase_ != Phase::lost) {
    while (!saved_.empty()) free_state(saved_.back());
    if (two_ != nullptr) {
      two_->fmi2FreeInstance(handle_);
    } else {
      three_->fmi3FreeInstance(handle_);
    }
  }
  if (phase_ == Phase::lost && version() == 1) abandon1(handle_);
  put_back_host();
  *self_ = nullptr;
}

void Instance::lose() {
  phase_ = Phase::lost;
  library_->abandon();
}

// The process around it.

void Instance::put_back_host() {
  calls_since_check_ = 0;
  for (const std::string& what : host_.put_back()) {
    if (std::find(reported_changes_.begin(), reported_changes_.end(), what) != reported_changes_.end()) continue;
    reported_changes_.push_back(what);
    log_.write_text(
        static_cast<int>(Status::warning), "",
        fmt::format("the FMU has changed {} of the process that computes it, which was put back", what).c_str());
  }
}

void Instance::put_back_host_seldom() {
  constexpr unsigned kCalls = 128;  // the check takes microseconds, a step of a small FMU a tenth of one
  if (++calls_since_check_ >= kCalls || !host_.floating_point().is_in_force()) put_back_host();
}

// Errors.

std::string Instance::full_name(Call call) const {
  if (version() == 1) return name_in_1(handle_, call.two);
  return two_ != nullptr ? fmt::format("fmi2{}", call.two) : fmt::format("fmi3{}", call.three);
}

core::Error Instance::error(core::ErrorCode code, std::string message) const {
  if (const std::string last = log_.last_messages(); !last.empty()) message += "; the FMU's last messages: " + last;
  return {code, std::move(message), settings_.name, {}, time_};
}

core::Result<void> Instance::require_finite(std::span<const double> numbers, std::string_view what) {
  const auto bad =
      std::find_if_not(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
  if (bad == numbers.end()) return {};
  return error(core::ErrorCode::step_failed, fmt::format("the FMU reports {} for {} {} of {}", *bad, what,
                                                         bad - numbers.begin() + 1, numbers.size()));
}

core::Error Instance::refusal(Call call) const {
  return {core::ErrorCode::protocol,
          fmt::format("{} may not be called in {}", full_name(call), name_of(phase_)),
          settings_.name,
          {},
          time_};
}

core::Error Instance::only_in_3(Call call) const {
  return {core::ErrorCode::unsupported,
          fmt::format("FMI {}.0 has no equivalent of fmi3{}", version(), call.three),
          settings_.name,
          {},
          time_};
}

core::Result<void> Instance::complain(Status status, Call call) {
  last_status_ = status;
  const std::string said = fmt::format("{} answered '{}'", full_name(call), name_of(status));
  switch (status) {
    case Status::ok:
      return {};
    case Status::warning:
      ++warnings_;
      return {};
    case Status::discard:
      return error(core::ErrorCode::step_failed, said);
    case Status::error:
      phase_ = Phase::failed;
      return error(core::ErrorCode::step_failed, said);
    case Status::fatal:
      lose();
      return error(core::ErrorCode::step_failed, said);
    case Status::missing:
      return core::Error{core::ErrorCode::unsupported,
                         fmt::format("the FMU has no function {}", full_name(call)),
                         settings_.name,
                         {},
                         time_};
    case Status::pending:
      break;
  }
  phase_ = Phase::failed;
  return error(core::ErrorCode::protocol, said + ", which is not a valid answer");
}

// Phases.

core::Result<void> Instance::set_debug_logging(bool on, std::span<const char* const> categories) {
  if (!may(kLiving)) return refusal("SetDebugLogging");
  return answer(two_ != nullptr ? int{two_->fmi2SetDebugLogging(handle_, on, categories.size(), categories.data())}
                                : int{three_->fmi3SetDebugLogging(handle_, on, categories.size(), categories.data())},
                "SetDebugLogging");
}

core::Result<void> Instance::enter_configuration() {
  if (two_ != nullptr) return only_in_3("EnterConfigurationMode");
  const bool is_first = phase_ == Phase::instantiated;
  return move(kRunning | phase_mask(Phase::instantiated), is_first ? Phase::configuration : Phase::reconfiguration,
              "EnterConfigurationMode", [&] { return int{three_->fmi3EnterConfigurationMode(handle_)}; });
}

core::Result<void> Instance::exit_configuration() {
  if (two_ != nullptr) return only_in_3("ExitConfigurationMode");
  const Phase to = phase_ == Phase::configuration           ? Phase::instantiated
                   : type() == InterfaceType::co_simulation ? Phase::step
                                                            : Phase::event;
  return move(phase_mask(Phase::configuration, Phase::reconfiguration), to, "ExitConfigurationMode",
              [&] { return int{three_->fmi3ExitConfigurationMode(handle_)}; });
}

core::Result<void> Instance::enter_initialization(const Experiment& experiment) {
  const bool has_tolerance = experiment.tolerance.has_value(), has_stop = experiment.stop.has_value();
  const double tolerance = experiment.tolerance.value_or(0.0), stop = experiment.stop.value_or(0.0);
  time_ = experiment.start;
  if (two_ != nullptr) {
    if (!may(phase_mask(Phase::instantiated))) return refusal("SetupExperiment");
    auto set_up = answer(two_->fmi2SetupExperiment(handle_, has_tolerance, tolerance, experiment.start, has_stop, stop),
                         "SetupExperiment");
    if (!set_up) return set_up;
  }
  auto entered = move(phase_mask(Phase::instantiated), Phase::initialization, "EnterInitializationMode", [&] {
    return two_ != nullptr ? int{two_->fmi2EnterInitializationMode(handle_)}
                           : int{three_->fmi3EnterInitializationMode(handle_, has_tolerance, tolerance,
                                                                     experiment.start, has_stop, stop)};
  });
  put_back_host();
  return entered;
}

core::Result<void> Instance::exit_initialization() {
  const bool has_events = type() == InterfaceType::model_exchange || (two_ == nullptr && settings_.event_mode);
  if (clock_state_ && may(phase_mask(Phase::initialization))) {
    if (auto kept = clock_state_->keep_all(*this); !kept) return kept;
    clock_state_->open();
  }
  auto left =
      move(phase_mask(Phase::initialization), has_events ? Phase::event : Phase::step, "ExitInitializationMode", [&] {
        return two_ != nullptr ? int{two_->fmi2ExitInitializationMode(handle_)}
                               : int{three_->fmi3ExitInitializationMode(handle_)};
      });
  put_back_host();
  return left;
}

core::Result<void> Instance::enter_event() {
  // Steps of 1.0 and 2.0, and those of 3.0 where no event mode was asked for, handle their events themselves.
  const bool has_events = type() == InterfaceType::model_exchange || (two_ == nullptr && settings_.event_mode);
  if (clock_state_) clock_state_->open();
  return move(has_events ? phase_mask(Phase::continuous, Phase::step) : 0U, Phase::event, "EnterEventMode", [&] {
    return two_ != nullptr ? int{two_->fmi2EnterEventMode(handle_)} : int{three_->fmi3EnterEventMode(handle_)};
  });
}

core::Result<void> Instance::enter_continuous_time() {
  return move(type() == InterfaceType::model_exchange ? phase_mask(Phase::event) : 0U, Phase::continuous,
              "EnterContinuousTimeMode", [&] {
                return two_ != nullptr ? int{two_->fmi2EnterContinuousTimeMode(handle_)}
                                       : int{three_->fmi3EnterContinuousTimeMode(handle_)};
              });
}

core::Result<void> Instance::enter_step() {
  if (two_ != nullptr) return only_in_3("EnterStepMode");
  return move(type() == InterfaceType::co_simulation ? phase_mask(Phase::event) : 0U, Phase::step, "EnterStepMode",
              [&] { return int{three_->fmi3EnterStepMode(handle_)}; });
}

core::Result<void> Instance::terminate() {
  auto ended = move(kRunning, Phase::terminated, "Terminate", [&] {
    return two_ != nullptr ? int{two_->fmi2Terminate(handle_)} : int{three_->fmi3Terminate(handle_)};
  });
  put_back_host();
  return ended;
}

// What the FMU calls: nothing may be thrown through its code.

Instance* Instance::meant_by(void* environment, const char* name) {
  const Environments::Found found = Environments::find(environment, name);
  auto* const instance = static_cast<Instance*>(found.environment);
  if (instance != nullptr && found.is_foreign && !instance->has_lost_environment_.exchange(true)) {
    instance->log_.write_text(static_cast<int>(Status::warning), "",
                              "the FMU calls back without the environment that it was given");
  }
  return instance;
}

void Instance::write_log2(void* environment, fmi2String name, fmi2Status status, fmi2String category,
                          fmi2String message, ...) {
  Instance* const instance = meant_by(environment, name);
  if (instance == nullptr) return;
  std::va_list arguments;
  va_start(arguments, message);
  instance->log_.write_expanded(status, category, message, arguments);
  va_end(arguments);
}

void Instance::write_log3(void* environment, fmi3Status status, fmi3String category, fmi3String message) {
  if (Instance* const instance = meant_by(environment, nullptr)) instance->log_.write_text(status, category, message);
}

void Instance::finish_step(void* environment, fmi2Status status) {
  Instance* const instance = meant_by(environment, nullptr);
  if (instance == nullptr) return;
  const std::lock_guard lock(instance->step_mutex_);
  if (instance->owed_calls_ > 0) {
    --instance->owed_calls_;
    return;
  }
  instance->step_status_ = status;
  instance->step_over_.notify_all();
}

}  // namespace tieline::fmi
