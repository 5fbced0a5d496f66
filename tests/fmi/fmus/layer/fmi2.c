/* The interface of FMI 2.0 around a model. */
#include "fmi/fmi2.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

#define DECLARE(name) __attribute__((visibility("default"))) name##TYPE name;
FMI2_ALL_FUNCTIONS(DECLARE)
#undef DECLARE

#define ENTER(call)                               \
  Fmu* fmu = component;                           \
  do {                                            \
    const int answer = fmu_enter(fmu, call);      \
    if (answer != kOk) return (fmi2Status)answer; \
  } while (0)

static void log_message(Fmu* fmu, int status, const char* category, const char* message) {
  const fmi2CallbackFunctions* callbacks = fmu->callbacks;
  if (callbacks->logger == NULL) return;
  if (message == NULL) {
    callbacks->logger(fmu->environment, NULL, (fmi2Status)status, NULL, NULL);
  } else {
    callbacks->logger(fmu->environment, fmu->name, (fmi2Status)status, category, "%s", message);
  }
}

static void report_finished(Fmu* fmu, int status) {
  const fmi2CallbackFunctions* callbacks = fmu->callbacks;
  if (callbacks->stepFinished) callbacks->stepFinished(fmu->environment, (fmi2Status)status);
}

const char* fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char* fmi2GetVersion(void) { return fmi2Version; }

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[]) {
  (void)nCategories;
  (void)categories;
  ((Fmu*)component)->logs = loggingOn;
  return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type type, fmi2String guid, fmi2String resourceLocation,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean loggingOn) {
  (void)visible;
  Fmu* fmu = fmu_new(instanceName, guid, type == fmi2CoSimulation);
  if (fmu == NULL) {
    if (callbacks && callbacks->logger) {
      callbacks->logger(callbacks->componentEnvironment, instanceName, fmi2Error, "logStatusError",
                        "an instance '%s' with the GUID '%s' cannot be made", instanceName, guid);
    }
    return NULL;
  }
  fmu->callbacks = callbacks;
  fmu->environment = callbacks->componentEnvironment;
  fmu->log = log_message;
  fmu->finished = report_finished;
  fmu->told.has_step_finished = callbacks->stepFinished != NULL;
  fmu->has_resources = fmu_is_folder_uri(resourceLocation);
  fmu->logs = loggingOn;
  return fmu;
}

void fmi2FreeInstance(fmi2Component component) {
  if (component == NULL || fmu_enter(component, "free") != kOk) return;
  fmu_free(component);
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime) {
  (void)stopTimeDefined;
  (void)stopTime;
  ENTER("setup");
  fmu->told.has_tolerance = toleranceDefined;
  fmu->told.tolerance = tolerance;
  *fmu_time(fmu) = startTime;
  return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
  ENTER("enter_initialization");
  fmu->is_initializing = true;
  return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
  ENTER("exit_initialization");
  fmu_exit_initialization(fmu);
  return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component component) {
  ENTER("terminate");
  return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component component) {
  ENTER("reset");
  fmu_reset(fmu);
  return fmi2OK;
}

/* Values: booleans and strings have another form in a model's data. */

fmi2Status fmi2GetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                       fmi2Real values[]) {
  return (fmi2Status)fmu_get(component, kFloat64, references, count, values, count);
}

fmi2Status fmi2SetReal(fmi2Component component, const fmi2ValueReference references[], size_t count,
                       const fmi2Real values[]) {
  return (fmi2Status)fmu_set(component, kFloat64, references, count, values, count);
}

fmi2Status fmi2GetInteger(fmi2Component component, const fmi2ValueReference references[], size_t count,
                          fmi2Integer values[]) {
  return (fmi2Status)fmu_get(component, kInt32, references, count, values, count);
}

fmi2Status fmi2SetInteger(fmi2Component component, const fmi2ValueReference references[], size_t count,
                          const fmi2Integer values[]) {
  return (fmi2Status)fmu_set(component, kInt32, references, count, values, count);
}

fmi2Status fmi2GetBoolean(fmi2Component component, const fmi2ValueReference references[], size_t count,
                          fmi2Boolean values[]) {
  for (size_t i = 0; i < count; ++i) {
    bool value = false;
    const int status = fmu_get(component, kBoolean, references + i, 1, &value, 1);
    if (status != kOk) return (fmi2Status)status;
    values[i] = value;
  }
  return fmi2OK;
}

fmi2Status fmi2SetBoolean(fmi2Component component, const fmi2ValueReference references[], size_t count,
                          const fmi2Boolean values[]) {
  for (size_t i = 0; i < count; ++i) {
    const bool value = values[i] != fmi2False;
    const int status = fmu_set(component, kBoolean, references + i, 1, &value, 1);
    if (status != kOk) return (fmi2Status)status;
  }
  return fmi2OK;
}

fmi2Status fmi2GetString(fmi2Component component, const fmi2ValueReference references[], size_t count,
                         fmi2String values[]) {
  ENTER("get");
  fmu_refresh(fmu);
  for (size_t i = 0; i < count; ++i) {
    if (fmu_length(fmu, references[i], kString) != 1) return fmi2Error;
    values[i] = ((const Text*)fmu_place(fmu, references[i]))->text;
  }
  return fmi2OK;
}

fmi2Status fmi2SetString(fmi2Component component, const fmi2ValueReference references[], size_t count,
                         const fmi2String values[]) {
  for (size_t i = 0; i < count; ++i) {
    Text value = {{0}};
    if (values[i]) strncpy(value.text, values[i], sizeof value.text - 1);
    const int status = fmu_set(component, kString, references + i, 1, &value, 1);
    if (status != kOk) return (fmi2Status)status;
  }
  return fmi2OK;
}

/* States. */

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate* state) {
  ENTER("get_state");
  if (*state == NULL) *state = malloc(fmu_saved_size());
  if (*state == NULL) return fmi2Error;
  fmu_save(fmu, *state);
  return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
  ENTER("set_state");
  fmu_restore(fmu, state);
  return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate* state) {
  (void)component;
  free(*state);
  *state = NULL;
  return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t* size) {
  (void)component;
  (void)state;
  *size = fmu_saved_size();
  return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  (void)component;
  if (size < fmu_saved_size()) return fmi2Error;
  memcpy(bytes, state, fmu_saved_size());
  return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], size_t size, fmi2FMUstate* state) {
  (void)component;
  if (size != fmu_saved_size()) return fmi2Error;
  if (*state == NULL) *state = malloc(size);
  if (*state == NULL) return fmi2Error;
  memcpy(*state, bytes, size);
  return fmi2OK;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component component, const fmi2ValueReference unknowns[], size_t nUnknowns,
                                        const fmi2ValueReference knowns[], size_t nKnowns, const fmi2Real seed[],
                                        fmi2Real sensitivity[]) {
  ENTER("derivative");
  return (fmi2Status)fmu_directional(fmu, unknowns, nUnknowns, knowns, nKnowns, seed, sensitivity);
}

/* Model exchange. */

fmi2Status fmi2EnterEventMode(fmi2Component component) {
  ENTER("enter_event");
  return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component component, fmi2EventInfo* info) {
  ENTER("update");
  Events events;
  fmu_update_events(fmu, &events);
  *info = (fmi2EventInfo){.newDiscreteStatesNeeded = events.need_update,
                          .terminateSimulation = events.terminate,
                          .valuesOfContinuousStatesChanged = events.values_changed,
                          .nextEventTimeDefined = isfinite(events.next),
                          .nextEventTime = isfinite(events.next) ? events.next : 0.0};
  return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component component) {
  ENTER("enter_continuous");
  return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component component, fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean* enterEventMode, fmi2Boolean* terminateSimulation) {
  ENTER("completed_step");
  fmu->told.no_set = noSetFMUStatePriorToCurrentPoint;
  fmu->is_stale = true;
  *enterEventMode = fmi2False;
  *terminateSimulation = fmu->told.ends;
  return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component component, fmi2Real time) {
  ENTER("set_time");
  *fmu_time(fmu) = time;
  fmu->is_stale = true;
  return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component component, const fmi2Real states[], size_t count) {
  ENTER("set_states");
  if (count != model.state_count) return fmi2Error;
  memcpy(fmu_states(fmu), states, count * sizeof *states);
  fmu->is_stale = true;
  return fmi2OK;
}

fmi2Status fmi2GetDerivatives(fmi2Component component, fmi2Real derivatives[], size_t count) {
  ENTER("get_derivatives");
  if (count != model.state_count) return fmi2Error;
  fmu_refresh(fmu);
  memcpy(derivatives, fmu->data + model.derivative_offset, count * sizeof *derivatives);
  return fmi2OK;
}

fmi2Status fmi2GetEventIndicators(fmi2Component component, fmi2Real indicators[], size_t count) {
  ENTER("get_indicators");
  if (count != model.indicator_count) return fmi2Error;
  fmu_refresh(fmu);
  if (count > 0) model.indicate(fmu, indicators);
  return fmi2OK;
}

fmi2Status fmi2GetContinuousStates(fmi2Component component, fmi2Real states[], size_t count) {
  ENTER("get_states");
  if (count != model.state_count) return fmi2Error;
  memcpy(states, fmu_states(fmu), count * sizeof *states);
  return fmi2OK;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component component, fmi2Real nominals[], size_t count) {
  Fmu* fmu = component;
  for (size_t i = 0; i < count; ++i) nominals[i] = 1.0;
  if (model.nominals) model.nominals(fmu, nominals);
  return fmi2OK;
}

/* Co-simulation. */

fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, const fmi2ValueReference references[], size_t count,
                                       const fmi2Integer orders[], const fmi2Real values[]) {
  ENTER("set");
  for (size_t i = 0; i < count; ++i) {
    if (model.set_input_rate == NULL || orders[i] != 1) return fmi2Error;
    const int status = model.set_input_rate(fmu, references[i], values[i]);
    if (status != kOk) return (fmi2Status)status;
  }
  return fmi2OK;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, const fmi2ValueReference references[], size_t count,
                                        const fmi2Integer orders[], fmi2Real values[]) {
  ENTER("get");
  fmu_refresh(fmu);
  for (size_t i = 0; i < count; ++i) {
    if (model.output_rate == NULL || orders[i] != 1) return fmi2Error;
    values[i] = model.output_rate(fmu, references[i]);
  }
  return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,
                      fmi2Boolean noSetFMUStatePriorToCurrentPoint) {
  ENTER("step");
  fmu->told.no_set = noSetFMUStatePriorToCurrentPoint;
  StepReport report;
  const int status = model.step ? model.step(fmu, currentCommunicationPoint, communicationStepSize, &report)
                                : fmu_step(fmu, currentCommunicationPoint, communicationStepSize, &report);
  if (status != kOk) return (fmi2Status)status;
  fmu->is_over = report.terminate;
  return report.early_return || report.terminate ? fmi2Discard : fmi2OK;
}

fmi2Status fmi2CancelStep(fmi2Component component) {
  fmu_set_step_status(component, kError);
  return fmi2OK;
}

fmi2Status fmi2GetStatus(fmi2Component component, fmi2StatusKind kind, fmi2Status* value) {
  if (kind != fmi2DoStepStatus) return fmi2Discard;
  *value = (fmi2Status)fmu_step_status(component);
  return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component component, fmi2StatusKind kind, fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = *fmu_time(component);
  return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component component, fmi2StatusKind kind, fmi2Integer* value) {
  (void)component;
  (void)kind;
  (void)value;
  return fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component component, fmi2StatusKind kind, fmi2Boolean* value) {
  if (kind != fmi2Terminated) return fmi2Discard;
  *value = ((Fmu*)component)->is_over;
  return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component component, fmi2StatusKind kind, fmi2String* value) {
  (void)component;
  if (kind != fmi2PendingStatus) return fmi2Discard;
  *value = "the step runs in a thread of its own";
  return fmi2OK;
}
