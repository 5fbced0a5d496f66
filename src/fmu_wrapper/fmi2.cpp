// The functions of FMI 2.0, around an Instance. Numbers of the standard: FMI 2.0.5, chapters 2 and 4.

#include "fmi/fmi2.h"

#include <cstdlib>
#include <cstring>

#include "fmu_wrapper/guard.hpp"

#define TIELINE_FMI2 extern "C" __attribute__((visibility("default")))

namespace tieline::fmu_wrapper {
namespace {

constexpr const char* kTypesPlatform = fmi2TypesPlatform;

/// What a host has a handle of.
struct Component2 {
  std::string name{};
  fmi2CallbackFunctions callbacks{};
  LogFilter filter{};
  std::unique_ptr<Instance> instance{};

  void log(Severity severity, const std::string& text) const {
    const char* const category = filter.category_of(severity);
    if (category == nullptr || callbacks.logger == nullptr) return;
    // "#" begins a reference to a variable.
    std::string message;
    for (const char c : text) message += c == '#' ? std::string("##") : std::string(1, c);
    const fmi2Status status = severity == Severity::error     ? fmi2Error
                              : severity == Severity::warning ? fmi2Warning
                                                              : fmi2OK;
    callbacks.logger(callbacks.componentEnvironment, name.c_str(), status, category, "%s", message.c_str());
  }
};

template <class Function>
fmi2Status call(fmi2Component component, const char* function, Function&& run) noexcept {
  if (component == nullptr) return fmi2Error;
  auto& own = *static_cast<Component2*>(component);
  return guarded(*own.instance, function, fmi2Error, [&] { return run(*own.instance); });
}

/// Types that no variable has: asking for none of them is fine.
fmi2Status refuse(fmi2Component component, const char* function, size_t count) noexcept {
  return call(component, function, [&](Instance&) {
    if (count > 0) throw CallError("all variables are of type Real");
    return fmi2OK;
  });
}

State* state_of(fmi2FMUstate state) {
  if (state == nullptr) throw CallError("there is no state");
  return static_cast<State*>(state);
}

}  // namespace
}  // namespace tieline::fmu_wrapper

using namespace tieline::fmu_wrapper;

TIELINE_FMI2 const char* fmi2GetTypesPlatform() { return kTypesPlatform; }
TIELINE_FMI2 const char* fmi2GetVersion() { return fmi2Version; }

TIELINE_FMI2 fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                           const fmi2CallbackFunctions* callbacks, fmi2Boolean,
                                           fmi2Boolean is_logging) {
  try {
    auto component = std::make_unique<Component2>();
    component->name = name != nullptr ? name : "";
    if (callbacks != nullptr) component->callbacks = *callbacks;
    component->filter.set(is_logging != fmi2False, {});
    const Log log = [own = component.get()](Severity severity, const std::string& text) { own->log(severity, text); };
    component->instance = make_instance(name, guid, resources, 2, type == fmi2ModelExchange, log);
    return component->instance ? component.release() : nullptr;
  } catch (...) {
    return nullptr;
  }
}

TIELINE_FMI2 void fmi2FreeInstance(fmi2Component component) { delete static_cast<Component2*>(component); }

TIELINE_FMI2 fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean is_on, size_t count,
                                            const fmi2String categories[]) {
  return call(component, __func__, [&](Instance&) {
    std::set<std::string> chosen;
    for (size_t i = 0; i < count; ++i) chosen.insert(categories[i]);
    static_cast<Component2*>(component)->filter.set(is_on != fmi2False, std::move(chosen));
    return fmi2OK;
  });
}

// ---- phases

TIELINE_FMI2 fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean, fmi2Real, fmi2Real start,
                                            fmi2Boolean has_stop, fmi2Real stop) {
  return call(component, __func__, [&](Instance& instance) {
    instance.set_up(start, has_stop != fmi2False ? std::optional(stop) : std::nullopt);
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
  return call(component, __func__, [](Instance& instance) { return instance.begin_initialization(), fmi2OK; });
}

TIELINE_FMI2 fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
  return call(component, __func__, [](Instance& instance) { return instance.initialize(), fmi2OK; });
}

TIELINE_FMI2 fmi2Status fmi2Terminate(fmi2Component component) {
  return call(component, __func__, [](Instance& instance) { return instance.terminate(), fmi2OK; });
}

TIELINE_FMI2 fmi2Status fmi2Reset(fmi2Component component) {
  return call(component, __func__, [](Instance& instance) { return instance.reset(), fmi2OK; });
}

// ---- values

TIELINE_FMI2 fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                                    fmi2Real values[]) {
  return call(component, __func__, [&](Instance& instance) {
    instance.get({references, count}, {values, count});
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                                    const fmi2Real values[]) {
  return call(component, __func__, [&](Instance& instance) {
    instance.set({references, count}, {values, count});
    return fmi2OK;
  });
}

#define TIELINE_NO_VALUES(Type)                                                                            \
  TIELINE_FMI2 fmi2Status fmi2Get##Type(fmi2Component component, const fmi2ValueReference[], size_t count, \
                                        fmi2##Type[]) {                                                    \
    return refuse(component, __func__, count);                                                             \
  }                                                                                                        \
  TIELINE_FMI2 fmi2Status fmi2Set##Type(fmi2Component component, const fmi2ValueReference[], size_t count, \
                                        const fmi2##Type[]) {                                              \
    return refuse(component, __func__, count);                                                             \
  }
TIELINE_NO_VALUES(Integer)
TIELINE_NO_VALUES(Boolean)
TIELINE_NO_VALUES(String)
#undef TIELINE_NO_VALUES

TIELINE_FMI2 fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, const fmi2ValueReference references[],
                                                    size_t count, const fmi2Integer orders[], const fmi2Real values[]) {
  return call(component, __func__, [&](Instance& instance) {
    instance.set_rates({references, count}, {orders, count}, {values, count});
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, const fmi2ValueReference[], size_t count,
                                                     const fmi2Integer[], fmi2Real[]) {
  return call(component, __func__, [&](Instance&) {
    if (count > 0) throw CallError("derivatives of outputs are not known");
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, const fmi2ValueReference unknowns[],
                                                     size_t unknown_count, const fmi2ValueReference knowns[],
                                                     size_t known_count, const fmi2Real seed[],
                                                     fmi2Real sensitivity[]) {
  return call(component, __func__, [&](Instance& instance) {
    instance.differentiate({unknowns, unknown_count}, {knowns, known_count}, {seed, known_count},
                           {sensitivity, unknown_count});
    return fmi2OK;
  });
}

// ---- model exchange

TIELINE_FMI2 fmi2Status fmi2EnterEventMode(fmi2Component component) {
  return call(component, __func__, [](Instance& instance) { return instance.enter_events(), fmi2OK; });
}

TIELINE_FMI2 fmi2Status fmi2NewDiscreteStates(fmi2Component component, fmi2EventInfo* info) {
  return call(component, __func__, [&](Instance& instance) {
    const auto events = instance.update_states();
    info->newDiscreteStatesNeeded = fmi2False;
    info->terminateSimulation = events.ends ? fmi2True : fmi2False;
    info->nominalsOfContinuousStatesChanged = fmi2False;
    info->valuesOfContinuousStatesChanged = events.states_changed ? fmi2True : fmi2False;
    info->nextEventTimeDefined = events.next ? fmi2True : fmi2False;
    info->nextEventTime = events.next.value_or(0.0);
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2EnterContinuousTimeMode(fmi2Component component) {
  return call(component, __func__, [](Instance& instance) { return instance.enter_continuous(), fmi2OK; });
}

TIELINE_FMI2 fmi2Status fmi2CompletedIntegratorStep(fmi2Component component, fmi2Boolean, fmi2Boolean* needs_events,
                                                    fmi2Boolean* terminates) {
  return call(component, __func__, [&](Instance& instance) {
    *needs_events = instance.completed_step() ? fmi2True : fmi2False;
    *terminates = fmi2False;
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2SetTime(fmi2Component component, fmi2Real time) {
  return call(component, __func__, [&](Instance& instance) { return instance.set_time(time), fmi2OK; });
}

TIELINE_FMI2 fmi2Status fmi2SetContinuousStates(fmi2Component component, const fmi2Real states[], size_t count) {
  return call(component, __func__, [&](Instance& instance) {
    instance.set_states({states, count});
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2GetContinuousStates(fmi2Component component, fmi2Real states[], size_t count) {
  return call(component, __func__, [&](Instance& instance) {
    instance.get_states({states, count});
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2GetDerivatives(fmi2Component component, fmi2Real rates[], size_t count) {
  return call(component, __func__, [&](Instance& instance) {
    return instance.get_rates({rates, count}) ? fmi2OK : fmi2Discard;
  });
}

TIELINE_FMI2 fmi2Status fmi2GetEventIndicators(fmi2Component component, fmi2Real indicators[], size_t count) {
  return call(component, __func__, [&](Instance& instance) {
    instance.get_indicators({indicators, count});
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component component, fmi2Real nominals[], size_t count) {
  return call(component, __func__, [&](Instance& instance) {
    instance.get_nominals({nominals, count});
    return fmi2OK;
  });
}

// ---- steps

TIELINE_FMI2 fmi2Status fmi2DoStep(fmi2Component component, fmi2Real time, fmi2Real length, fmi2Boolean) {
  return call(component, __func__,
              [&](Instance& instance) { return instance.step(time, length) ? fmi2OK : fmi2Discard; });
}

TIELINE_FMI2 fmi2Status fmi2CancelStep(fmi2Component component) {
  return call(component, __func__, [](Instance&) -> fmi2Status { throw CallError("no step is under way"); });
}

TIELINE_FMI2 fmi2Status fmi2GetStatus(fmi2Component, fmi2StatusKind, fmi2Status* value) {
  if (value != nullptr) *value = fmi2OK;
  return fmi2OK;
}

TIELINE_FMI2 fmi2Status fmi2GetRealStatus(fmi2Component component, fmi2StatusKind kind, fmi2Real* value) {
  return call(component, __func__, [&](Instance& instance) {
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = instance.time();
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2GetIntegerStatus(fmi2Component, fmi2StatusKind, fmi2Integer*) { return fmi2Discard; }

TIELINE_FMI2 fmi2Status fmi2GetBooleanStatus(fmi2Component component, fmi2StatusKind kind, fmi2Boolean* value) {
  return call(component, __func__, [&](Instance& instance) {
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = instance.has_ended() ? fmi2True : fmi2False;
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2GetStringStatus(fmi2Component, fmi2StatusKind, fmi2String* value) {
  if (value != nullptr) *value = "";
  return fmi2Discard;
}

// ---- state

TIELINE_FMI2 fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return call(component, __func__, [&](Instance& instance) {
    auto saved = instance.save();
    if (*state != nullptr) {
      *state_of(*state) = std::move(*saved);
    } else {
      *state = saved.release();
    }
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
  return call(component, __func__, [&](Instance& instance) { return instance.restore(*state_of(state)), fmi2OK; });
}

TIELINE_FMI2 fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state) {
  return call(component, __func__, [&](Instance&) {
    if (state == nullptr) return fmi2OK;
    delete static_cast<State*>(*state);
    *state = nullptr;
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t* size) {
  return call(component, __func__, [&](Instance&) {
    *size = Instance::serialize(*state_of(state)).size();
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[],
                                              size_t size) {
  return call(component, __func__, [&](Instance&) {
    const std::string written = Instance::serialize(*state_of(state));
    if (size < written.size()) throw CallError("the state has more bytes than there is room for");
    std::memcpy(bytes, written.data(), written.size());
    return fmi2OK;
  });
}

TIELINE_FMI2 fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], size_t size,
                                                fmi2FMUstate* state) {
  return call(component, __func__, [&](Instance& instance) {
    *state = instance.deserialize({bytes, size}).release();
    return fmi2OK;
  });
}

#undef TIELINE_FMI2
