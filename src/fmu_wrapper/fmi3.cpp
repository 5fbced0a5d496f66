// The functions of FMI 3.0, around an Instance. Numbers of the standard: FMI 3.0.2, chapters 2 and 4.

#include "fmi/fmi3.h"

#include <cstring>

#include "fmu_wrapper/guard.hpp"

#define TIELINE_FMI3 extern "C" __attribute__((visibility("default")))

namespace tieline::fmu_wrapper {
namespace {

/// What a host has a handle of.
struct Component3 {
  fmi3InstanceEnvironment environment = nullptr;
  fmi3LogMessageCallback logger = nullptr;
  fmi3IntermediateUpdateCallback update = nullptr;
  bool returns_at_events = false;  ///< the host has an event mode, and lets steps end early
  LogFilter filter{};
  std::unique_ptr<Instance> instance{};

  void log(Severity severity, const std::string& text) const {
    const char* const category = filter.category_of(severity);
    if (category == nullptr || logger == nullptr) return;
    const fmi3Status status = severity == Severity::error     ? fmi3Error
                              : severity == Severity::warning ? fmi3Warning
                                                              : fmi3OK;
    logger(environment, status, category, text.c_str());
  }
};

template <class Function>
fmi3Status call3(fmi3Instance component, const char* function, Function&& run) noexcept {
  if (component == nullptr) return fmi3Error;
  auto& own = *static_cast<Component3*>(component);
  return guarded(*own.instance, function, fmi3Error, [&] { return run(*own.instance); });
}

/// Types that no variable has: asking for none of them is fine.
fmi3Status refuse3(fmi3Instance component, const char* function, size_t count) noexcept {
  return call3(component, function, [&](Instance&) {
    if (count > 0) throw CallError("all variables are of type Float64");
    return fmi3OK;
  });
}

fmi3Status unsupported3(fmi3Instance component, const char* function) noexcept {
  return call3(component, function,
               [&](Instance&) -> fmi3Status { throw CallError("this FMU does not support this function"); });
}

State* state_of3(fmi3FMUState state) {
  if (state == nullptr) throw CallError("there is no state");
  return static_cast<State*>(state);
}

}  // namespace
}  // namespace tieline::fmu_wrapper

using namespace tieline::fmu_wrapper;

TIELINE_FMI3 const char* fmi3GetVersion() { return fmi3Version; }

TIELINE_FMI3 fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                                      fmi3Boolean, fmi3Boolean is_logging, fmi3Boolean uses_events,
                                                      fmi3Boolean may_return_early, const fmi3ValueReference[],
                                                      size_t intermediate_count, fmi3InstanceEnvironment environment,
                                                      fmi3LogMessageCallback logger,
                                                      fmi3IntermediateUpdateCallback update) {
  try {
    auto component = std::make_unique<Component3>();
    component->environment = environment;
    component->logger = logger;
    component->update = update;
    component->returns_at_events = uses_events && may_return_early;
    component->filter.set(is_logging, {});
    const Log log = [own = component.get()](Severity severity, const std::string& text) { own->log(severity, text); };
    component->instance = make_instance(name, token, resources, 3, false, log);
    if (!component->instance) return nullptr;
    if (update != nullptr && intermediate_count > 0 && component->instance->manifest().has_waves()) {
      component->instance->on_inner_point([own = component.get()](const InnerPoint& point) {
        fmi3Boolean wants_return = false;
        fmi3Float64 return_time = 0.0;
        own->update(own->environment, point.time, point.takes_inputs, point.is_finished, point.is_finished, false,
                    &wants_return, &return_time);
      });
    }
    return component.release();
  } catch (...) {
    return nullptr;
  }
}

TIELINE_FMI3 fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                                       fmi3Boolean, fmi3Boolean is_logging,
                                                       fmi3InstanceEnvironment environment,
                                                       fmi3LogMessageCallback logger) {
  try {
    auto component = std::make_unique<Component3>();
    component->environment = environment;
    component->logger = logger;
    component->filter.set(is_logging, {});
    const Log log = [own = component.get()](Severity severity, const std::string& text) { own->log(severity, text); };
    component->instance = make_instance(name, token, resources, 3, true, log);
    return component->instance ? component.release() : nullptr;
  } catch (...) {
    return nullptr;
  }
}

TIELINE_FMI3 fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, fmi3Boolean,
                                                            fmi3Boolean, fmi3InstanceEnvironment environment,
                                                            fmi3LogMessageCallback logger, fmi3ClockUpdateCallback,
                                                            fmi3LockPreemptionCallback, fmi3UnlockPreemptionCallback) {
  if (logger != nullptr) logger(environment, fmi3Error, LogFilter::kError, "this FMU has no scheduled execution");
  return nullptr;
}

TIELINE_FMI3 void fmi3FreeInstance(fmi3Instance component) { delete static_cast<Component3*>(component); }

TIELINE_FMI3 fmi3Status fmi3SetDebugLogging(fmi3Instance component, fmi3Boolean is_on, size_t count,
                                            const fmi3String categories[]) {
  return call3(component, __func__, [&](Instance&) {
    std::set<std::string> chosen;
    for (size_t i = 0; i < count; ++i) chosen.insert(categories[i]);
    static_cast<Component3*>(component)->filter.set(is_on, std::move(chosen));
    return fmi3OK;
  });
}

// ---- phases

TIELINE_FMI3 fmi3Status fmi3EnterInitializationMode(fmi3Instance component, fmi3Boolean, fmi3Float64, fmi3Float64 start,
                                                    fmi3Boolean has_stop, fmi3Float64 stop) {
  return call3(component, __func__, [&](Instance& instance) {
    instance.set_up(start, has_stop ? std::optional(stop) : std::nullopt);
    instance.begin_initialization();
    return fmi3OK;
  });
}

TIELINE_FMI3 fmi3Status fmi3ExitInitializationMode(fmi3Instance component) {
  return call3(component, __func__, [](Instance& instance) { return instance.initialize(), fmi3OK; });
}

TIELINE_FMI3 fmi3Status fmi3EnterConfigurationMode(fmi3Instance component) {
  return call3(component, __func__, [](Instance&) { return fmi3OK; });
}
TIELINE_FMI3 fmi3Status fmi3ExitConfigurationMode(fmi3Instance component) {
  return call3(component, __func__, [](Instance&) { return fmi3OK; });
}

TIELINE_FMI3 fmi3Status fmi3EnterEventMode(fmi3Instance component) {
  return call3(component, __func__, [](Instance& instance) {
    if (instance.is_exchange()) instance.enter_events();
    return fmi3OK;
  });
}
TIELINE_FMI3 fmi3Status fmi3EnterStepMode(fmi3Instance component) {
  return call3(component, __func__, [](Instance&) { return fmi3OK; });
}
TIELINE_FMI3 fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance component) {
  return call3(component, __func__, [](Instance&) { return fmi3OK; });
}

/// Events of components are passed within steps; what the host sets in event mode acts from the next step on.
TIELINE_FMI3 fmi3Status fmi3UpdateDiscreteStates(fmi3Instance component, fmi3Boolean* needs_update,
                                                 fmi3Boolean* terminates, fmi3Boolean* nominals_changed,
                                                 fmi3Boolean* states_changed, fmi3Boolean* has_next_time,
                                                 fmi3Float64* next_time) {
  return call3(component, __func__, [&](Instance& instance) {
    tieline::fmu_export::ExchangeModel::Events events{.ends = instance.has_ended()};
    if (instance.is_exchange()) events = instance.update_states();
    *needs_update = *nominals_changed = false;
    *terminates = events.ends;
    *states_changed = events.states_changed;
    *has_next_time = events.next.has_value();
    *next_time = events.next.value_or(0.0);
    return fmi3OK;
  });
}

TIELINE_FMI3 fmi3Status fmi3Terminate(fmi3Instance component) {
  return call3(component, __func__, [](Instance& instance) { return instance.terminate(), fmi3OK; });
}

TIELINE_FMI3 fmi3Status fmi3Reset(fmi3Instance component) {
  return call3(component, __func__, [](Instance& instance) { return instance.reset(), fmi3OK; });
}

// ---- values

TIELINE_FMI3 fmi3Status fmi3GetFloat64(fmi3Instance component, const fmi3ValueReference references[], size_t count,
                                       fmi3Float64 values[], size_t value_count) {
  return call3(component, __func__, [&](Instance& instance) {
    instance.get({references, count}, {values, value_count});
    return fmi3OK;
  });
}

TIELINE_FMI3 fmi3Status fmi3SetFloat64(fmi3Instance component, const fmi3ValueReference references[], size_t count,
                                       const fmi3Float64 values[], size_t value_count) {
  return call3(component, __func__, [&](Instance& instance) {
    instance.set({references, count}, {values, value_count});
    return fmi3OK;
  });
}

#define TIELINE_NO_VALUES(Type)                                                                           \
  TIELINE_FMI3 fmi3Status fmi3Get##Type(fmi3Instance component, const fmi3ValueReference[], size_t count, \
                                        fmi3##Type[], size_t) {                                           \
    return refuse3(component, __func__, count);                                                           \
  }                                                                                                       \
  TIELINE_FMI3 fmi3Status fmi3Set##Type(fmi3Instance component, const fmi3ValueReference[], size_t count, \
                                        const fmi3##Type[], size_t) {                                     \
    return refuse3(component, __func__, count);                                                           \
  }
TIELINE_NO_VALUES(Float32)
TIELINE_NO_VALUES(Int8)
TIELINE_NO_VALUES(UInt8)
TIELINE_NO_VALUES(Int16)
TIELINE_NO_VALUES(UInt16)
TIELINE_NO_VALUES(Int32)
TIELINE_NO_VALUES(UInt32)
TIELINE_NO_VALUES(Int64)
TIELINE_NO_VALUES(UInt64)
TIELINE_NO_VALUES(Boolean)
TIELINE_NO_VALUES(String)
#undef TIELINE_NO_VALUES

TIELINE_FMI3 fmi3Status fmi3GetBinary(fmi3Instance component, const fmi3ValueReference[], size_t count, size_t[],
                                      fmi3Binary[], size_t) {
  return refuse3(component, __func__, count);
}
TIELINE_FMI3 fmi3Status fmi3SetBinary(fmi3Instance component, const fmi3ValueReference[], size_t count, const size_t[],
                                      const fmi3Binary[], size_t) {
  return refuse3(component, __func__, count);
}
TIELINE_FMI3 fmi3Status fmi3GetClock(fmi3Instance component, const fmi3ValueReference[], size_t count, fmi3Clock[]) {
  return refuse3(component, __func__, count);
}
TIELINE_FMI3 fmi3Status fmi3SetClock(fmi3Instance component, const fmi3ValueReference[], size_t count,
                                     const fmi3Clock[]) {
  return refuse3(component, __func__, count);
}

// ---- steps

TIELINE_FMI3 fmi3Status fmi3DoStep(fmi3Instance component, fmi3Float64 time, fmi3Float64 length, fmi3Boolean,
                                   fmi3Boolean* needs_event, fmi3Boolean* terminates, fmi3Boolean* is_early,
                                   fmi3Float64* reached) {
  return call3(component, __func__, [&](Instance& instance) {
    bool has_event = false;
    const bool is_watched = static_cast<Component3*>(component)->returns_at_events;
    const bool continues = is_watched ? instance.step_to_event(time, length, has_event) : instance.step(time, length);
    *needs_event = has_event;
    *terminates = !continues;
    *is_early = !continues || (has_event && instance.time() < time + length);
    *reached = instance.time();
    return fmi3OK;
  });
}

// ---- state

TIELINE_FMI3 fmi3Status fmi3GetFMUState(fmi3Instance component, fmi3FMUState* state) {
  return call3(component, __func__, [&](Instance& instance) {
    auto saved = instance.save();
    if (*state != nullptr) {
      *state_of3(*state) = std::move(*saved);
    } else {
      *state = saved.release();
    }
    return fmi3OK;
  });
}

TIELINE_FMI3 fmi3Status fmi3SetFMUState(fmi3Instance component, fmi3FMUState state) {
  return call3(component, __func__, [&](Instance& instance) { return instance.restore(*state_of3(state)), fmi3OK; });
}

TIELINE_FMI3 fmi3Status fmi3FreeFMUState(fmi3Instance component, fmi3FMUState* state) {
  return call3(component, __func__, [&](Instance&) {
    if (state == nullptr) return fmi3OK;
    delete static_cast<State*>(*state);
    *state = nullptr;
    return fmi3OK;
  });
}

TIELINE_FMI3 fmi3Status fmi3SerializedFMUStateSize(fmi3Instance component, fmi3FMUState state, size_t* size) {
  return call3(component, __func__, [&](Instance&) {
    *size = Instance::serialize(*state_of3(state)).size();
    return fmi3OK;
  });
}

TIELINE_FMI3 fmi3Status fmi3SerializeFMUState(fmi3Instance component, fmi3FMUState state, fmi3Byte bytes[],
                                              size_t size) {
  return call3(component, __func__, [&](Instance&) {
    const std::string written = Instance::serialize(*state_of3(state));
    if (size < written.size()) throw CallError("the state has more bytes than there is room for");
    std::memcpy(bytes, written.data(), written.size());
    return fmi3OK;
  });
}

TIELINE_FMI3 fmi3Status fmi3DeserializeFMUState(fmi3Instance component, const fmi3Byte bytes[], size_t size,
                                                fmi3FMUState* state) {
  return call3(component, __func__, [&](Instance& instance) {
    *state = instance.deserialize({reinterpret_cast<const char*>(bytes), size}).release();
    return fmi3OK;
  });
}

// ---- model exchange

TIELINE_FMI3 fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance component) {
  return call3(component, __func__, [](Instance& instance) { return instance.enter_continuous(), fmi3OK; });
}

TIELINE_FMI3 fmi3Status fmi3CompletedIntegratorStep(fmi3Instance component, fmi3Boolean, fmi3Boolean* needs_events,
                                                    fmi3Boolean* terminates) {
  return call3(component, __func__, [&](Instance& instance) {
    *needs_events = instance.completed_step();
    *terminates = false;
    return fmi3OK;
  });
}

TIELINE_FMI3 fmi3Status fmi3SetTime(fmi3Instance component, fmi3Float64 time) {
  return call3(component, __func__, [&](Instance& instance) { return instance.set_time(time), fmi3OK; });
}

TIELINE_FMI3 fmi3Status fmi3SetContinuousStates(fmi3Instance component, const fmi3Float64 states[], size_t count) {
  return call3(component, __func__, [&](Instance& instance) {
    instance.set_states({states, count});
    return fmi3OK;
  });
}

TIELINE_FMI3 fmi3Status fmi3GetContinuousStates(fmi3Instance component, fmi3Float64 states[], size_t count) {
  return call3(component, __func__, [&](Instance& instance) {
    instance.get_states({states, count});
    return fmi3OK;
  });
}

TIELINE_FMI3 fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance component, fmi3Float64 rates[], size_t count) {
  return call3(component, __func__, [&](Instance& instance) {
    return instance.get_rates({rates, count}) ? fmi3OK : fmi3Discard;
  });
}

TIELINE_FMI3 fmi3Status fmi3GetEventIndicators(fmi3Instance component, fmi3Float64 indicators[], size_t count) {
  return call3(component, __func__, [&](Instance& instance) {
    instance.get_indicators({indicators, count});
    return fmi3OK;
  });
}

TIELINE_FMI3 fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance component, fmi3Float64 nominals[],
                                                          size_t count) {
  return call3(component, __func__, [&](Instance& instance) {
    instance.get_nominals({nominals, count});
    return fmi3OK;
  });
}

TIELINE_FMI3 fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance component, size_t* count) {
  return call3(component, __func__, [&](Instance& instance) { return *count = instance.state_count(), fmi3OK; });
}

TIELINE_FMI3 fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance component, size_t* count) {
  return call3(component, __func__, [&](Instance& instance) { return *count = instance.indicator_count(), fmi3OK; });
}

TIELINE_FMI3 fmi3Status fmi3GetDirectionalDerivative(fmi3Instance component, const fmi3ValueReference unknowns[],
                                                     size_t unknown_count, const fmi3ValueReference knowns[],
                                                     size_t known_count, const fmi3Float64 seed[], size_t seed_count,
                                                     fmi3Float64 sensitivity[], size_t sensitivity_count) {
  return call3(component, __func__, [&](Instance& instance) {
    instance.differentiate({unknowns, unknown_count}, {knowns, known_count}, {seed, seed_count},
                           {sensitivity, sensitivity_count});
    return fmi3OK;
  });
}

// ---- what this FMU has not

#define TIELINE_UNSUPPORTED(Name, ...) \
  TIELINE_FMI3 fmi3Status Name(fmi3Instance component, __VA_ARGS__) { return unsupported3(component, __func__); }
#define TIELINE_REFERENCES const fmi3ValueReference[], size_t

TIELINE_UNSUPPORTED(fmi3GetNumberOfVariableDependencies, fmi3ValueReference, size_t*)
TIELINE_UNSUPPORTED(fmi3GetVariableDependencies, fmi3ValueReference, size_t[], fmi3ValueReference[], size_t[],
                    fmi3DependencyKind[], size_t)
TIELINE_UNSUPPORTED(fmi3GetAdjointDerivative, TIELINE_REFERENCES, TIELINE_REFERENCES, const fmi3Float64[], size_t,
                    fmi3Float64[], size_t)
TIELINE_UNSUPPORTED(fmi3GetIntervalDecimal, TIELINE_REFERENCES, fmi3Float64[], fmi3IntervalQualifier[])
TIELINE_UNSUPPORTED(fmi3GetIntervalFraction, TIELINE_REFERENCES, fmi3UInt64[], fmi3UInt64[], fmi3IntervalQualifier[])
TIELINE_UNSUPPORTED(fmi3GetShiftDecimal, TIELINE_REFERENCES, fmi3Float64[])
TIELINE_UNSUPPORTED(fmi3GetShiftFraction, TIELINE_REFERENCES, fmi3UInt64[], fmi3UInt64[])
TIELINE_UNSUPPORTED(fmi3SetIntervalDecimal, TIELINE_REFERENCES, const fmi3Float64[])
TIELINE_UNSUPPORTED(fmi3SetIntervalFraction, TIELINE_REFERENCES, const fmi3UInt64[], const fmi3UInt64[])
TIELINE_UNSUPPORTED(fmi3SetShiftDecimal, TIELINE_REFERENCES, const fmi3Float64[])
TIELINE_UNSUPPORTED(fmi3SetShiftFraction, TIELINE_REFERENCES, const fmi3UInt64[], const fmi3UInt64[])
TIELINE_UNSUPPORTED(fmi3GetOutputDerivatives, TIELINE_REFERENCES, const fmi3Int32[], fmi3Float64[], size_t)
TIELINE_UNSUPPORTED(fmi3ActivateModelPartition, fmi3ValueReference, fmi3Float64)
#undef TIELINE_UNSUPPORTED
#undef TIELINE_REFERENCES

#undef TIELINE_FMI3
