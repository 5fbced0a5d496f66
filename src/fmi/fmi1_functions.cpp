// FMI 1.0 behind the functions of 2.0: the functions.

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "fmi/fmi1_instance.hpp"
#include "fmi/missing_function.hpp"
#include "fmi/variable.hpp"

namespace tieline::fmi {
namespace {

/// How many values are converted at a time: no memory is allocated for them.
constexpr std::size_t kChunk1 = 64;

// Phases.

fmi2Status setup_experiment1(fmi2Component component, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                             fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime) {
  Instance1& instance = Instance1::of(component);
  instance.has_tolerance = toleranceDefined != fmi2False, instance.tolerance = tolerance;
  instance.start = startTime;
  instance.has_stop = stopTimeDefined != fmi2False, instance.stop = stopTime;
  return fmi2OK;
}

fmi2Status do_nothing1(fmi2Component) { return fmi2OK; }

fmi2Status exit_initialization1(fmi2Component component) { return Instance1::of(component).leave_initialization(); }

fmi2Status terminate1(fmi2Component component) {
  const Instance1& instance = Instance1::of(component);
  return as2(instance.is_exchange() ? instance.functions.fmiTerminate(instance.handle)
                                    : instance.functions.fmiTerminateSlave(instance.handle));
}

void free_instance1(fmi2Component component) { delete &Instance1::of(component); }

fmi2Status set_debug_logging1(fmi2Component component, fmi2Boolean loggingOn, std::size_t, const fmi2String*) {
  const Instance1& instance = Instance1::of(component);
  return as2(instance.functions.fmiSetDebugLogging(instance.handle, loggingOn != fmi2False));
}

// Values.

double negated(double value) { return -value; }
int negated(int value) { return value == std::numeric_limits<int>::min() ? value : -value; }
char negated(char value) { return value == fmiFalse ? fmiTrue : fmiFalse; }
const char* negated(const char* value) { return value; }  // the description has none

bool has_negated(const Instance1& instance, const std::uint32_t* references, std::size_t count) {
  const NegatedAliases& aliases = instance.request.negated;
  if (aliases.references.empty()) [[likely]]
    return false;
  return std::any_of(references, references + count, [&](std::uint32_t each) { return aliases.holds(each); });
}

/// A truth value has another size in 2.0.
template <class To, class From>
To as_type(From value) {
  if constexpr (std::is_same_v<To, char> || std::is_same_v<From, char>) {
    return static_cast<To>(value != 0 ? 1 : 0);
  } else {
    return value;
  }
}

/// Calls function(the FMU's references, first place, count) for a chunk at a time, as long as it answers well; the
/// last answer that was not `ok`.
template <class Function>
fmi2Status in_chunks1(const Instance1& instance, const std::uint32_t* references, std::size_t count,
                      Function&& function) {
  std::array<fmiValueReference, kChunk1> own{};
  fmi2Status worst = fmi2OK;
  for (std::size_t done = 0; done < count && !is_bad(worst); done += kChunk1) {
    const std::size_t size = std::min(kChunk1, count - done);
    for (std::size_t i = 0; i < size; ++i) own[i] = instance.request.negated.own(references[done + i]);
    const fmi2Status status = function(own.data(), done, size);
    if (status != fmi2OK) worst = status;
  }
  return worst;
}

/// `call` reads values of the FMU's own type: call(references, first place, count, values).
template <class Value, class Out, class Call>
fmi2Status get_in_chunks(Instance1& instance, const std::uint32_t* references, std::size_t count, Out* values,
                         Call&& call) {
  return in_chunks1(instance, references, count, [&](const fmiValueReference* own, std::size_t at, std::size_t size) {
    std::array<Value, kChunk1> buffer{};
    const fmi2Status status = as2(call(own, at, size, buffer.data()));
    for (std::size_t i = 0; i < size; ++i) {
      const bool is_negated = instance.request.negated.holds(references[at + i]);
      values[at + i] = as_type<Out>(is_negated ? negated(buffer[i]) : buffer[i]);
    }
    return status;
  });
}

/// The counterpart of get_in_chunks.
template <class Value, class In, class Call>
fmi2Status set_in_chunks(Instance1& instance, const std::uint32_t* references, std::size_t count, const In* values,
                         Call&& call) {
  return in_chunks1(instance, references, count, [&](const fmiValueReference* own, std::size_t at, std::size_t size) {
    std::array<Value, kChunk1> buffer{};
    for (std::size_t i = 0; i < size; ++i) {
      const auto value = as_type<Value>(values[at + i]);
      buffer[i] = instance.request.negated.holds(references[at + i]) ? negated(value) : value;
    }
    return as2(call(own, at, size, buffer.data()));
  });
}

template <class Kept, class Value>
Kept kept_of(Value value) {
  if constexpr (std::is_same_v<Kept, std::string>) {
    return value == nullptr ? std::string() : std::string(value);
  } else {
    return value;
  }
}

/// Remembers what is set before the FMU runs.
template <class Value, class Kept, class Get>
void keep_given(Instance1& instance, std::map<std::uint32_t, Kept> GivenValues::*kept, Get get,
                const fmiValueReference* references, std::size_t count, const Value* values) {
  for (std::size_t i = 0; i < count; ++i) {
    const fmiValueReference reference = references[i];
    if (instance.is_initialized && !(instance.given_before.*kept).contains(reference)) {
      // What it has had until now is what it was initialized with.
      Value before{};
      if (!is_bad(as2(get(instance.handle, &reference, 1, &before)))) {
        (instance.given_before.*kept).emplace(reference, kept_of<Kept>(before));
      }
    }
    (instance.given.*kept).insert_or_assign(reference, kept_of<Kept>(values[i]));
  }
}

template <class Value, class Get, class Out>
fmi2Status get_values(Instance1& instance, Get get, const std::uint32_t* references, std::size_t count, Out* values) {
  if (const fmi2Status status = instance.require_values(); is_bad(status)) return status;
  if constexpr (std::is_same_v<Value, Out>) {
    if (!has_negated(instance, references, count)) [[likely]]
      return as2(get(instance.handle, references, count, values));
  }
  return get_in_chunks<Value>(instance, references, count, values,
                              [&](const fmiValueReference* own, std::size_t, std::size_t size, Value* some) {
                                return get(instance.handle, own, size, some);
                              });
}

template <class Value, class Set, class Get, class Kept, class In>
fmi2Status set_values(Instance1& instance, Set set, Get get, std::map<std::uint32_t, Kept> GivenValues::*kept,
                      const std::uint32_t* references, std::size_t count, const In* values) {
  if constexpr (std::is_same_v<Value, In>) {
    if (!instance.is_starting && !has_negated(instance, references, count)) [[likely]]
      return as2(set(instance.handle, references, count, values));
  }
  return set_in_chunks<Value>(instance, references, count, values,
                              [&](const fmiValueReference* own, std::size_t, std::size_t size, const Value* some) {
                                if (instance.is_starting) keep_given(instance, kept, get, own, size, some);
                                return set(instance.handle, own, size, some);
                              });
}

fmi2Status get_real1(fmi2Component component, const fmi2ValueReference* references, std::size_t count,
                     fmi2Real* values) {
  Instance1& instance = Instance1::of(component);
  return get_values<fmiReal>(instance, instance.functions.fmiGetReal, references, count, values);
}

fmi2Status get_integer1(fmi2Component component, const fmi2ValueReference* references, std::size_t count,
                        fmi2Integer* values) {
  Instance1& instance = Instance1::of(component);
  return get_values<fmiInteger>(instance, instance.functions.fmiGetInteger, references, count, values);
}

fmi2Status get_boolean1(fmi2Component component, const fmi2ValueReference* references, std::size_t count,
                        fmi2Boolean* values) {
  Instance1& instance = Instance1::of(component);
  return get_values<fmiBoolean>(instance, instance.functions.fmiGetBoolean, references, count, values);
}

fmi2Status get_string1(fmi2Component component, const fmi2ValueReference* references, std::size_t count,
                       fmi2String* values) {
  Instance1& instance = Instance1::of(component);
  return get_values<fmiString>(instance, instance.functions.fmiGetString, references, count, values);
}

fmi2Status set_real1(fmi2Component component, const fmi2ValueReference* references, std::size_t count,
                     const fmi2Real* values) {
  Instance1& instance = Instance1::of(component);
  return set_values<fmiReal>(instance, instance.functions.fmiSetReal, instance.functions.fmiGetReal,
                             &GivenValues::reals, references, count, values);
}

fmi2Status set_integer1(fmi2Component component, const fmi2ValueReference* references, std::size_t count,
                        const fmi2Integer* values) {
  Instance1& instance = Instance1::of(component);
  return set_values<fmiInteger>(instance, instance.functions.fmiSetInteger, instance.functions.fmiGetInteger,
                                &GivenValues::integers, references, count, values);
}

fmi2Status set_boolean1(fmi2Component component, const fmi2ValueReference* references, std::size_t count,
                        const fmi2Boolean* values) {
  Instance1& instance = Instance1::of(component);
  return set_values<fmiBoolean>(instance, instance.functions.fmiSetBoolean, instance.functions.fmiGetBoolean,
                                &GivenValues::booleans, references, count, values);
}

fmi2Status set_string1(fmi2Component component, const fmi2ValueReference* references, std::size_t count,
                       const fmi2String* values) {
  Instance1& instance = Instance1::of(component);
  return set_values<fmiString>(instance, instance.functions.fmiSetString, instance.functions.fmiGetString,
                               &GivenValues::strings, references, count, values);
}

// Model exchange.

fmi2EventInfo event_of(const fmiEventInfo& info) {
  // Exporters do not always report that an event has changed the states: they are read again in any case.
  return {.newDiscreteStatesNeeded = info.iterationConverged == fmiFalse,
          .terminateSimulation = info.terminateSimulation != fmiFalse,
          .nominalsOfContinuousStatesChanged = info.stateValueReferencesChanged != fmiFalse,
          .valuesOfContinuousStatesChanged = fmi2True,
          .nextEventTimeDefined = info.upcomingTimeEvent != fmiFalse,
          .nextEventTime = info.nextEventTime};
}

fmi2Status new_discrete_states1(fmi2Component component, fmi2EventInfo* result) {
  Instance1& instance = Instance1::of(component);
  fmiEventInfo info{};
  info.iterationConverged = fmiTrue;
  fmi2Status status = fmi2OK;
  if (instance.has_first_event) {
    instance.has_first_event = false;
    info = instance.first_event;
  } else {
    // Without results in between, which is what exporters have tried with importers: the FMU iterates by itself.
    status = as2(instance.functions.fmiEventUpdate(instance.handle, fmiFalse, &info));
  }
  *result = event_of(info);
  return status;
}

fmi2Status completed_step1(fmi2Component component, fmi2Boolean, fmi2Boolean* enterEventMode,
                           fmi2Boolean* terminateSimulation) {
  const Instance1& instance = Instance1::of(component);
  fmiBoolean wants_event = fmiFalse;
  const fmi2Status status = as2(instance.functions.fmiCompletedIntegratorStep(instance.handle, &wants_event));
  *enterEventMode = wants_event != fmiFalse;
  *terminateSimulation = fmi2False;
  return status;
}

fmi2Status set_time1(fmi2Component component, fmi2Real time) {
  const Instance1& instance = Instance1::of(component);
  return as2(instance.functions.fmiSetTime(instance.handle, time));
}

fmi2Status set_states1(fmi2Component component, const fmi2Real* states, std::size_t count) {
  const Instance1& instance = Instance1::of(component);
  return as2(instance.functions.fmiSetContinuousStates(instance.handle, states, count));
}

fmi2Status get_states1(fmi2Component component, fmi2Real* states, std::size_t count) {
  Instance1& instance = Instance1::of(component);
  if (const fmi2Status status = instance.require_values(); is_bad(status)) return status;
  return as2(instance.functions.fmiGetContinuousStates(instance.handle, states, count));
}

fmi2Status get_derivatives1(fmi2Component component, fmi2Real* derivatives, std::size_t count) {
  Instance1& instance = Instance1::of(component);
  if (const fmi2Status status = instance.require_values(); is_bad(status)) return status;
  return as2(instance.functions.fmiGetDerivatives(instance.handle, derivatives, count));
}

fmi2Status get_indicators1(fmi2Component component, fmi2Real* indicators, std::size_t count) {
  Instance1& instance = Instance1::of(component);
  if (const fmi2Status status = instance.require_values(); is_bad(status)) return status;
  return as2(instance.functions.fmiGetEventIndicators(instance.handle, indicators, count));
}

fmi2Status get_nominals1(fmi2Component component, fmi2Real* nominals, std::size_t count) {
  Instance1& instance = Instance1::of(component);
  if (const fmi2Status status = instance.require_values(); is_bad(status)) return status;
  const fmi2Status status = as2(instance.functions.fmiGetNominalContinuousStates(instance.handle, nominals, count));
  if (static_cast<int>(status) != static_cast<int>(Status::missing)) return status;
  std::fill_n(nominals, count, 1.0);
  return fmi2OK;
}

// Co-simulation.

fmi2Status set_input_derivatives1(fmi2Component component, const fmi2ValueReference* references, std::size_t count,
                                  const fmi2Integer* orders, const fmi2Real* values) {
  Instance1& instance = Instance1::of(component);
  const auto set = instance.functions.fmiSetRealInputDerivatives;
  if (!has_negated(instance, references, count)) return as2(set(instance.handle, references, count, orders, values));
  return set_in_chunks<fmiReal>(
      instance, references, count, values,
      [&](const fmiValueReference* own, std::size_t at, std::size_t size, const fmiReal* some) {
        return set(instance.handle, own, size, orders + at, some);
      });
}

fmi2Status get_output_derivatives1(fmi2Component component, const fmi2ValueReference* references, std::size_t count,
                                   const fmi2Integer* orders, fmi2Real* values) {
  Instance1& instance = Instance1::of(component);
  if (const fmi2Status status = instance.require_values(); is_bad(status)) return status;
  const auto get = instance.functions.fmiGetRealOutputDerivatives;
  if (!has_negated(instance, references, count)) return as2(get(instance.handle, references, count, orders, values));
  return get_in_chunks<fmiReal>(instance, references, count, values,
                                [&](const fmiValueReference* own, std::size_t at, std::size_t size, fmiReal* some) {
                                  return get(instance.handle, own, size, orders + at, some);
                                });
}

fmi2Status do_step1(fmi2Component component, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,
                    fmi2Boolean) {
  Instance1& instance = Instance1::of(component);
  // A step that was discarded where it began is not a new one.
  const bool is_new = !(instance.was_discarded && currentCommunicationPoint <= instance.step_begin);
  instance.step_begin = currentCommunicationPoint;
  const fmi2Status status =
      as2(instance.functions.fmiDoStep(instance.handle, currentCommunicationPoint, communicationStepSize, is_new));
  instance.was_discarded = status == fmi2Discard;
  return status;
}

fmi2Status cancel_step1(fmi2Component component) {
  const Instance1& instance = Instance1::of(component);
  return as2(instance.functions.fmiCancelStep(instance.handle));
}

fmi2Status get_status1(fmi2Component component, fmi2StatusKind kind, fmi2Status* value) {
  const Instance1& instance = Instance1::of(component);
  fmiStatus answer = fmiPending;
  const fmi2Status status = as2(
      instance.functions.fmiGetStatus(instance.handle, static_cast<fmiStatusKind>(static_cast<int>(kind)), &answer));
  *value = as2(answer);
  return status;
}

fmi2Status get_real_status1(fmi2Component component, fmi2StatusKind kind, fmi2Real* value) {
  const Instance1& instance = Instance1::of(component);
  return as2(
      instance.functions.fmiGetRealStatus(instance.handle, static_cast<fmiStatusKind>(static_cast<int>(kind)), value));
}

/// Whether the FMU wants to end the run cannot be asked.
fmi2Status get_boolean_status1(fmi2Component, fmi2StatusKind, fmi2Boolean*) { return fmi2Discard; }

Functions2 make_functions() {
  Functions2 table;
#define TIELINE_FMI_MISSING(name) table.name = &Missing<name##TYPE>::call;
  FMI2_ALL_FUNCTIONS(TIELINE_FMI_MISSING)
#undef TIELINE_FMI_MISSING
  table.fmi2SetDebugLogging = &set_debug_logging1;
  table.fmi2FreeInstance = &free_instance1;
  table.fmi2SetupExperiment = &setup_experiment1;
  table.fmi2EnterInitializationMode = &do_nothing1;
  table.fmi2ExitInitializationMode = &exit_initialization1;
  table.fmi2Terminate = &terminate1;
  table.fmi2GetReal = &get_real1;
  table.fmi2GetInteger = &get_integer1;
  table.fmi2GetBoolean = &get_boolean1;
  table.fmi2GetString = &get_string1;
  table.fmi2SetReal = &set_real1;
  table.fmi2SetInteger = &set_integer1;
  table.fmi2SetBoolean = &set_boolean1;
  table.fmi2SetString = &set_string1;
  table.fmi2EnterEventMode = &do_nothing1;
  table.fmi2NewDiscreteStates = &new_discrete_states1;
  table.fmi2EnterContinuousTimeMode = &do_nothing1;
  table.fmi2CompletedIntegratorStep = &completed_step1;
  table.fmi2SetTime = &set_time1;
  table.fmi2SetContinuousStates = &set_states1;
  table.fmi2GetDerivatives = &get_derivatives1;
  table.fmi2GetEventIndicators = &get_indicators1;
  table.fmi2GetContinuousStates = &get_states1;
  table.fmi2GetNominalsOfContinuousStates = &get_nominals1;
  table.fmi2SetRealInputDerivatives = &set_input_derivatives1;
  table.fmi2GetRealOutputDerivatives = &get_output_derivatives1;
  table.fmi2DoStep = &do_step1;
  table.fmi2CancelStep = &cancel_step1;
  table.fmi2GetStatus = &get_status1;
  table.fmi2GetRealStatus = &get_real_status1;
  table.fmi2GetBooleanStatus = &get_boolean_status1;
  return table;
}

}  // namespace

const Functions2& functions2_of_1() {
  static const Functions2 kTable = make_functions();
  return kTable;
}

fmi2Status state_references1(fmi2Component component, std::span<std::uint32_t> references) {
  const Instance1& instance = Instance1::of(component);
  std::fill(references.begin(), references.end(), kNone);
  const fmi2Status status =
      as2(instance.functions.fmiGetStateValueReferences(instance.handle, references.data(), references.size()));
  return static_cast<int>(status) == static_cast<int>(Status::missing) ? fmi2OK : status;
}

}  // namespace tieline::fmi
