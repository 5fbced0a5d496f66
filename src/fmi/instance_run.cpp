// Instance: events, model exchange and co-simulation.

#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "fmi/clock_state.hpp"
#include "fmi/fmi1_model.hpp"
#include "fmi/instance.hpp"
#include "fmi/instance_calls.hpp"

namespace tieline::fmi {
namespace {

constexpr int kMostEventIterations = 1000;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// Events.

core::Result<void> Instance::evaluate_discrete_states() {
  if (two_ != nullptr) return only_in_3("EvaluateDiscreteStates");
  if (!may(phase_mask(Phase::event, Phase::initialization))) return refusal("EvaluateDiscreteStates");
  return answer(three_->fmi3EvaluateDiscreteStates(handle_), "EvaluateDiscreteStates");
}

core::Result<EventResult> Instance::update_discrete_states() {
  constexpr Call kCall{"NewDiscreteStates", "UpdateDiscreteStates"};
  if (!may(phase_mask(Phase::event))) return refusal(kCall);
  if (clock_state_) {
    if (auto kept = clock_state_->before_update(*this); !kept) return std::move(kept.error());
  }
  EventResult result;
  bool has_next = false;
  double next = kNotANumber;
  int status = 0;
  if (two_ != nullptr) {
    fmi2EventInfo info{};
    status = two_->fmi2NewDiscreteStates(handle_, &info);
    result = {info.newDiscreteStatesNeeded != fmi2False, info.terminateSimulation != fmi2False,
              info.nominalsOfContinuousStatesChanged != fmi2False, info.valuesOfContinuousStatesChanged != fmi2False,
              std::nullopt};
    has_next = info.nextEventTimeDefined != fmi2False;
    next = info.nextEventTime;
  } else {
    status = three_->fmi3UpdateDiscreteStates(handle_, &result.needs_update, &result.terminate,
                                              &result.nominals_changed, &result.values_changed, &has_next, &next);
  }
  if (auto updated = answer(status, kCall); !updated) return std::move(updated.error());
  if (clock_state_) clock_state_->after_update(result.needs_update);
  if (has_next) {
    // Infinity is how some tools say that there is no event; what lies before now is over.
    if (std::isnan(next)) return error(core::ErrorCode::not_finite, "the time of the next event is not a number");
    if (next < std::numeric_limits<double>::infinity()) result.next_time = next;
  }
  return result;
}

core::Result<EventResult> Instance::settle_events() {
  EventResult total;
  for (int i = 0; i < kMostEventIterations; ++i) {
    auto update = update_discrete_states();
    if (!update) return update;
    total.needs_update = update->needs_update;
    total.terminate = update->terminate;
    total.nominals_changed = total.nominals_changed || update->nominals_changed;
    total.values_changed = total.values_changed || update->values_changed;
    total.next_time = update->next_time;
    if (!total.needs_update || total.terminate) return total;
  }
  return error(core::ErrorCode::step_failed,
               fmt::format("the events of the FMU have not settled after {} iterations", kMostEventIterations));
}

// Model exchange.

core::Result<std::size_t> Instance::state_count() {
  if (two_ != nullptr) return settings_.state_count;
  if (!may(kReading | kSetting)) return refusal("GetNumberOfContinuousStates");
  std::size_t count = 0;
  auto answered = answer(three_->fmi3GetNumberOfContinuousStates(handle_, &count), "GetNumberOfContinuousStates");
  if (!answered) return std::move(answered.error());
  return count;
}

core::Result<std::size_t> Instance::indicator_count() {
  if (two_ != nullptr) return settings_.indicator_count;
  if (!may(kReading | kSetting)) return refusal("GetNumberOfEventIndicators");
  std::size_t count = 0;
  auto answered = answer(three_->fmi3GetNumberOfEventIndicators(handle_, &count), "GetNumberOfEventIndicators");
  if (!answered) return std::move(answered.error());
  return count;
}

core::Result<std::vector<std::uint32_t>> Instance::state_references() {
  if (version() != 1) return std::vector<std::uint32_t>{};
  if (!may(kRunning)) return refusal("GetStateValueReferences");
  std::vector<std::uint32_t> references(settings_.state_count);
  if (references.empty()) return references;
  auto answered = answer(state_references1(handle_, references), "GetStateValueReferences");
  if (!answered) return std::move(answered.error());
  return references;
}

core::Result<void> Instance::set_time(double time) {
  if (!may(phase_mask(Phase::event, Phase::continuous))) [[unlikely]]
    return refusal("SetTime");
  HostState::enter();
  time_ = time;
  return answer(two_ != nullptr ? int{two_->fmi2SetTime(handle_, time)} : int{three_->fmi3SetTime(handle_, time)},
                "SetTime");
}

core::Result<void> Instance::set_states(std::span<const double> states) {
  if (!may(phase_mask(Phase::event, Phase::continuous))) [[unlikely]]
    return refusal("SetContinuousStates");
  return answer(two_ != nullptr ? int{two_->fmi2SetContinuousStates(handle_, states.data(), states.size())}
                                : int{three_->fmi3SetContinuousStates(handle_, states.data(), states.size())},
                "SetContinuousStates");
}

core::Result<void> Instance::get_states(std::span<double> states) {
  if (!may(kReading)) [[unlikely]]
    return refusal("GetContinuousStates");
  return answer(two_ != nullptr ? int{two_->fmi2GetContinuousStates(handle_, states.data(), states.size())}
                                : int{three_->fmi3GetContinuousStates(handle_, states.data(), states.size())},
                "GetContinuousStates");
}

core::Result<void> Instance::get_derivatives(std::span<double> derivatives) {
  constexpr Call kCall{"GetDerivatives", "GetContinuousStateDerivatives"};
  if (!may(kReading)) [[unlikely]]
    return refusal(kCall);
  return answer(two_ != nullptr
                    ? int{two_->fmi2GetDerivatives(handle_, derivatives.data(), derivatives.size())}
                    : int{three_->fmi3GetContinuousStateDerivatives(handle_, derivatives.data(), derivatives.size())},
                kCall);
}

core::Result<void> Instance::get_indicators(std::span<double> indicators) {
  if (!may(kReading)) [[unlikely]]
    return refusal("GetEventIndicators");
  auto got =
      answer(two_ != nullptr ? int{two_->fmi2GetEventIndicators(handle_, indicators.data(), indicators.size())}
                             : int{three_->fmi3GetEventIndicators(handle_, indicators.data(), indicators.size())},
             "GetEventIndicators");
  if (!got) return got;
  return require_finite(indicators, "event indicator");
}

core::Result<void> Instance::get_nominals(std::span<double> nominals) {
  if (!may(kReading)) return refusal("GetNominalsOfContinuousStates");
  auto got = answer(two_ != nullptr
                        ? int{two_->fmi2GetNominalsOfContinuousStates(handle_, nominals.data(), nominals.size())}
                        : int{three_->fmi3GetNominalsOfContinuousStates(handle_, nominals.data(), nominals.size())},
                    "GetNominalsOfContinuousStates");
  if (!got) return got;
  return require_finite(nominals, "the nominal value of state");
}

core::Result<CompletedStep> Instance::completed_step(bool is_final) {
  if (!may(phase_mask(Phase::continuous))) [[unlikely]]
    return refusal("CompletedIntegratorStep");
  CompletedStep result;
  put_back_host_seldom();
  int status = 0;
  if (two_ != nullptr) {
    fmi2Boolean wants_event = fmi2False, wants_end = fmi2False;
    status = two_->fmi2CompletedIntegratorStep(handle_, is_final, &wants_event, &wants_end);
    result = {wants_event != fmi2False, wants_end != fmi2False};
  } else {
    status = three_->fmi3CompletedIntegratorStep(handle_, is_final, &result.enter_event_mode, &result.terminate);
  }
  if (auto completed = answer(status, "CompletedIntegratorStep"); !completed) return std::move(completed.error());
  return result;
}

// Co-simulation.

core::Result<void> Instance::set_input_derivatives(References references, std::span<const std::int32_t> orders,
                                                   std::span<const double> values) {
  if (two_ == nullptr) {
    return error(core::ErrorCode::unsupported, "FMI 3.0 has no derivatives of inputs; it has intermediate updates");
  }
  if (!may(kSetting)) [[unlikely]]
    return refusal("SetRealInputDerivatives");
  assert(orders.size() == references.size() && values.size() == references.size());
  return answer(
      two_->fmi2SetRealInputDerivatives(handle_, references.data(), references.size(), orders.data(), values.data()),
      "SetRealInputDerivatives");
}

core::Result<void> Instance::get_output_derivatives(References references, std::span<const std::int32_t> orders,
                                                    std::span<double> values) {
  constexpr Call kCall{"GetRealOutputDerivatives", "GetOutputDerivatives"};
  if (!may(kReading)) [[unlikely]]
    return refusal(kCall);
  assert(orders.size() == references.size());
  if (two_ != nullptr) {
    return answer(
        two_->fmi2GetRealOutputDerivatives(handle_, references.data(), references.size(), orders.data(), values.data()),
        kCall);
  }
  return answer(three_->fmi3GetOutputDerivatives(handle_, references.data(), references.size(), orders.data(),
                                                 values.data(), values.size()),
                kCall);
}

core::Result<StepResult> Instance::do_step(double begin, double length, bool is_final) {
  if (!may(phase_mask(Phase::step))) [[unlikely]]
    return refusal("DoStep");
  time_ = step_begin_ = begin, step_length_ = length;
  HostState::enter();
  auto result = two_ != nullptr ? do_step2(begin, length, is_final) : do_step3(begin, length, is_final);
  put_back_host_seldom();
  if (result) time_ = result->reached;
  return result;
}

core::Result<StepResult> Instance::do_step2(double begin, double length, bool is_final) {
  {
    const std::lock_guard lock(step_mutex_);
    step_status_.reset();
  }
  int status = two_->fmi2DoStep(handle_, begin, length, is_final);
  if (status == fmi2Pending) {
    auto ended = wait_for_step();
    if (!ended) return std::move(ended.error());
    status = *ended;
  }
  if (status == fmi2Discard) return cut_short2(begin, length);
  if (auto stepped = answer(status, "DoStep"); !stepped) return std::move(stepped.error());
  return StepResult{begin + length};
}

core::Result<StepResult> Instance::cut_short2(double begin, double length) {
  last_status_ = Status::discard;
  StepResult result{begin, false, false, true, true};
  double reached = kNotANumber;
  const int answered = two_->fmi2GetRealStatus(handle_, fmi2LastSuccessfulTime, &reached);
  if (answered == fmi2Fatal) {
    if (auto bad = answer(answered, "GetRealStatus"); !bad) return std::move(bad.error());
  }
  // An FMU that does not report how far it came has not come anywhere.
  if (answered == fmi2OK || answered == fmi2Warning) {
    if (!is_within(reached, begin, length)) return wrong_time(reached, begin, length);
    result.reached = std::clamp(reached, begin, begin + length);
    result.early_return = result.reached < begin + length;
  }
  fmi2Boolean is_over = fmi2False;
  const int ended = two_->fmi2GetBooleanStatus(handle_, fmi2Terminated, &is_over);
  if (ended == fmi2Fatal) {
    if (auto bad = answer(ended, "GetBooleanStatus"); !bad) return std::move(bad.error());
  }
  result.terminate = (ended == fmi2OK || ended == fmi2Warning) && is_over != fmi2False;
  return result;
}

core::Result<StepResult> Instance::do_step3(double begin, double length, bool is_final) {
  StepResult result{begin + length};
  double reached = begin + length;
  update_error_.reset();
  const int status = three_->fmi3DoStep(handle_, begin, length, is_final, &result.event_needed, &result.terminate,
                                        &result.early_return, &reached);
  if (status == fmi3Discard) {
    last_status_ = Status::discard;
    result.discarded = result.early_return = true;
    result.reached = is_within(reached, begin, length) ? std::clamp(reached, begin, begin + length) : begin;
  } else if (auto stepped = answer(status, "DoStep"); !stepped) {
    return std::move(stepped.error());
  } else if (result.early_return) {
    if (!is_within(reached, begin, length)) return wrong_time(reached, begin, length);
    result.reached = std::clamp(reached, begin, begin + length);
  } else if (result.terminate && is_within(reached, begin, length)) {
    result.reached = std::clamp(reached, begin, begin + length);
    result.early_return = result.reached < begin + length;
  }
  // A step that says that it is complete is complete, whatever last time it reports: many FMUs leave it as it was.
  if (update_error_) return std::move(*std::exchange(update_error_, std::nullopt));
  return result;
}

bool Instance::is_within(double time, double begin, double length) {
  const double rounding =
      1e-9 * length + 4.0 * std::numeric_limits<double>::epsilon() * (std::abs(begin) + std::abs(length));
  return time >= begin - rounding && time <= begin + length + rounding;
}

core::Error Instance::wrong_time(double reached, double begin, double length) {
  phase_ = Phase::failed;
  return error(core::ErrorCode::protocol, fmt::format("{} from {:.9g} s to {:.9g} s reports that it ended at {:.9g} s",
                                                      full_name("DoStep"), begin, begin + length, reached));
}

core::Result<int> Instance::wait_for_step() {
  const auto deadline = std::chrono::steady_clock::now() + settings_.pending_deadline;
  // Not every FMU calls back: it is asked as well, seldom.
  std::chrono::microseconds pause{100};
  while (std::chrono::steady_clock::now() < deadline) {
    {
      std::unique_lock lock(step_mutex_);
      if (step_over_.wait_for(lock, pause, [&] { return step_status_.has_value(); })) return *step_status_;
    }
    fmi2Status status = fmi2Pending;
    const int answered = two_->fmi2GetStatus(handle_, fmi2DoStepStatus, &status);
    if (answered == fmi2OK && status != fmi2Pending) {
      const std::lock_guard lock(step_mutex_);
      if (!step_status_) ++owed_calls_;
      return int{status};
    }
    if (answered == fmi2Fatal) return answered;
    pause = std::min(2 * pause, std::chrono::microseconds(10'000));
  }
  two_->fmi2CancelStep(handle_);
  lose();  // its thread may still be at work
  return error(core::ErrorCode::deadline,
               fmt::format("{} continues asynchronously and has not ended within {} s", full_name("DoStep"),
                           std::chrono::duration<double>(settings_.pending_deadline).count()));
}

void Instance::update(void* environment, double time, bool may_set, bool may_get, bool step_finished, bool can_return,
                      bool* wants_return, double* return_time) {
  Instance* const instance = meant_by(environment, nullptr);
  if (instance == nullptr) return;
  instance->update_now({time, may_set, may_get, step_finished, can_return}, wants_return, return_time);
}

void Instance::update_now(const IntermediateUpdate& update, bool* wants_return, double* return_time) {
  if (wants_return != nullptr) *wants_return = false;
  if (phase_ == Phase::lost) return;
  const Phase before =
      std::exchange(phase_, update.may_set ? (update.may_get ? Phase::update_open : Phase::update_sets)
                                           : (update.may_get ? Phase::update_reads : Phase::update_closed));
  std::optional<double> return_at;
  if (!update_error_ && !is_within(update.time, step_begin_, step_length_)) {
    update_error_ = error(core::ErrorCode::protocol,
                          fmt::format("in a step from {:.9g} s to {:.9g} s the FMU asks for an update at {:.9g} s",
                                      step_begin_, step_begin_ + step_length_, update.time));
  }
  if (!update_error_) {
    // Our own code computes in our own way, whatever the FMU has set for itself.
    std::optional<FloatingPointMode> of_fmu;
    if (!host_.floating_point().is_in_force()) {
      of_fmu = FloatingPointMode::now();
      host_.floating_point().put_in_force();
    }
    const double time_before = std::exchange(time_, update.time);
    // Nothing may be thrown through the FMU's code.
    try {
      auto reply = settings_.on_intermediate(*this, update);
      if (reply) {
        return_at = reply->return_at;
      } else {
        update_error_ = std::move(reply.error());
      }
    } catch (const std::exception& thrown) {
      update_error_ = core::Error{core::ErrorCode::step_failed, thrown.what(), settings_.name, {}, update.time};
    }
    time_ = time_before;
    if (of_fmu) of_fmu->put_in_force();
  }
  if (update_error_) return_at = step_begin_;
  if (phase_ != Phase::failed && phase_ != Phase::lost) phase_ = before;
  if (return_at && update.can_return_early && wants_return != nullptr && return_time != nullptr) {
    *wants_return = true;
    *return_time = std::max(*return_at, update.time);
  }
}

}  // namespace tieline::fmi
