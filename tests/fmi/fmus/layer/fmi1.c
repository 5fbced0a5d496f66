/* The interface of FMI 1.0 around a model: model exchange and co-simulation in one library, whose functions have the
 * name of the model in front (FMU_IDENTIFIER). */
#include "fmi/fmi1.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmu.h"

#define JOINED(a, b) a##_##b
#define FULL_NAME(identifier, name) JOINED(identifier, name)
#define EXPORTED(name) FULL_NAME(FMU_IDENTIFIER, name)
#define DECLARE(name) __attribute__((visibility("default"))) name##TYPE EXPORTED(name);
FMI1_ALL_FUNCTIONS(DECLARE)
#undef DECLARE

#define ENTER(call)                              \
  Fmu* fmu = component;                          \
  do {                                           \
    const int answer = fmu_enter(fmu, call);     \
    if (answer != kOk) return (fmiStatus)answer; \
  } while (0)

/* The importer knows an instance by its handle only. */
static void log_message(Fmu* fmu, int status, const char* category, const char* message) {
  const fmiCallbackFunctions* callbacks = fmu->callbacks;
  if (callbacks->logger == NULL) return;
  if (message == NULL) {
    callbacks->logger(fmu, NULL, (fmiStatus)status, NULL, NULL);
  } else {
    callbacks->logger(fmu, fmu->name, (fmiStatus)status, category, "%s", message);
  }
}

static void report_finished(Fmu* fmu, int status) {
  const fmiCallbackFunctions* callbacks = fmu->callbacks;
  if (callbacks->stepFinished) callbacks->stepFinished(fmu, (fmiStatus)status);
}

const char* EXPORTED(fmiGetVersion)(void) { return fmiVersion; }
const char* EXPORTED(fmiGetModelTypesPlatform)(void) { return fmiPlatform; }
const char* EXPORTED(fmiGetTypesPlatform)(void) { return fmiPlatform; }

fmiStatus EXPORTED(fmiSetDebugLogging)(fmiComponent component, fmiBoolean loggingOn) {
  ((Fmu*)component)->logs = loggingOn;
  return fmiOK;
}

static Fmu* instantiate(fmiString name, fmiString guid, fmiCallbackFunctions callbacks, bool is_cosimulation) {
  Fmu* fmu = fmu_new(name, guid, is_cosimulation);
  fmiCallbackFunctions* copy = malloc(sizeof *copy);
  if (fmu == NULL || copy == NULL) {
    free(copy);
    if (callbacks.logger) {
      callbacks.logger(NULL, name, fmiError, "logStatusError", "an instance '%s' with the GUID '%s' cannot be made",
                       name, guid);
    }
    return NULL;
  }
  *copy = callbacks;
  fmu->callbacks = copy;
  fmu->log = log_message;
  fmu->finished = report_finished;
  return fmu;
}

static void release(Fmu* fmu) {
  void* callbacks = (void*)(uintptr_t)fmu->callbacks;
  if (fmu_enter(fmu, "free") != kOk) return;
  fmu_free(fmu);
  free(callbacks);
}

fmiComponent EXPORTED(fmiInstantiateModel)(fmiString instanceName, fmiString guid, fmiMeCallbackFunctions functions,
                                           fmiBoolean loggingOn) {
  const fmiCallbackFunctions callbacks = {functions.logger, functions.allocateMemory, functions.freeMemory, NULL};
  Fmu* fmu = instantiate(instanceName, guid, callbacks, false);
  if (fmu == NULL) return NULL;
  fmu->has_resources = true; /* nobody says where they are */
  fmu->logs = loggingOn;
  return fmu;
}

fmiComponent EXPORTED(fmiInstantiateSlave)(fmiString instanceName, fmiString guid, fmiString fmuLocation,
                                           fmiString mimeType, fmiReal timeout, fmiBoolean visible,
                                           fmiBoolean interactive, fmiCallbackFunctions functions,
                                           fmiBoolean loggingOn) {
  (void)timeout;
  (void)visible;
  (void)interactive;
  if (mimeType == NULL || strcmp(mimeType, "application/x-fmu-sharedlibrary") != 0) return NULL;
  Fmu* fmu = instantiate(instanceName, guid, functions, true);
  if (fmu == NULL) return NULL;
  fmu->has_resources = fmu_is_folder_uri(fmuLocation);
  fmu->logs = loggingOn;
  return fmu;
}

void EXPORTED(fmiFreeModelInstance)(fmiComponent component) {
  if (component != NULL) release(component);
}

void EXPORTED(fmiFreeSlaveInstance)(fmiComponent component) {
  if (component != NULL) release(component);
}

/* Values: booleans and strings have another form in a model's data. */

fmiStatus EXPORTED(fmiGetReal)(fmiComponent component, const fmiValueReference references[], size_t count,
                               fmiReal values[]) {
  return (fmiStatus)fmu_get(component, kFloat64, references, count, values, count);
}

fmiStatus EXPORTED(fmiSetReal)(fmiComponent component, const fmiValueReference references[], size_t count,
                               const fmiReal values[]) {
  return (fmiStatus)fmu_set(component, kFloat64, references, count, values, count);
}

fmiStatus EXPORTED(fmiGetInteger)(fmiComponent component, const fmiValueReference references[], size_t count,
                                  fmiInteger values[]) {
  return (fmiStatus)fmu_get(component, kInt32, references, count, values, count);
}

fmiStatus EXPORTED(fmiSetInteger)(fmiComponent component, const fmiValueReference references[], size_t count,
                                  const fmiInteger values[]) {
  return (fmiStatus)fmu_set(component, kInt32, references, count, values, count);
}

fmiStatus EXPORTED(fmiGetBoolean)(fmiComponent component, const fmiValueReference references[], size_t count,
                                  fmiBoolean values[]) {
  for (size_t i = 0; i < count; ++i) {
    bool value = false;
    const int status = fmu_get(component, kBoolean, references + i, 1, &value, 1);
    if (status != kOk) return (fmiStatus)status;
    values[i] = value ? fmiTrue : fmiFalse;
  }
  return fmiOK;
}

fmiStatus EXPORTED(fmiSetBoolean)(fmiComponent component, const fmiValueReference references[], size_t count,
                                  const fmiBoolean values[]) {
  for (size_t i = 0; i < count; ++i) {
    const bool value = values[i] != fmiFalse;
    const int status = fmu_set(component, kBoolean, references + i, 1, &value, 1);
    if (status != kOk) return (fmiStatus)status;
  }
  return fmiOK;
}

fmiStatus EXPORTED(fmiGetString)(fmiComponent component, const fmiValueReference references[], size_t count,
                                 fmiString values[]) {
  ENTER("get");
  fmu_refresh(fmu);
  for (size_t i = 0; i < count; ++i) {
    if (fmu_length(fmu, references[i], kString) != 1) return fmiError;
    values[i] = ((const Text*)fmu_place(fmu, references[i]))->text;
  }
  return fmiOK;
}

fmiStatus EXPORTED(fmiSetString)(fmiComponent component, const fmiValueReference references[], size_t count,
                                 const fmiString values[]) {
  for (size_t i = 0; i < count; ++i) {
    Text value = {{0}};
    if (values[i]) strncpy(value.text, values[i], sizeof value.text - 1);
    const int status = fmu_set(component, kString, references + i, 1, &value, 1);
    if (status != kOk) return (fmiStatus)status;
  }
  return fmiOK;
}

/* Initialization and events. */

static int initialize(Fmu* fmu) {
  const int status = fmu_enter(fmu, "enter_initialization");
  if (status != kOk) return status;
  fmu->is_initializing = true;
  fmu_refresh(fmu);
  const int left = fmu_enter(fmu, "exit_initialization");
  if (left != kOk) return left;
  fmu_exit_initialization(fmu);
  return kOk;
}

/* To the end, or once. That states have changed is not reported, as by FMUs of well-known exporters. */
static void update(Fmu* fmu, bool once, fmiEventInfo* info) {
  Events events;
  do {
    fmu_update_events(fmu, &events);
  } while (events.need_update && !events.terminate && !once);
  *info = (fmiEventInfo){.iterationConverged = !events.need_update,
                         .terminateSimulation = events.terminate,
                         .upcomingTimeEvent = isfinite(events.next) ? fmiTrue : fmiFalse,
                         .nextEventTime = isfinite(events.next) ? events.next : 0.0};
}

fmiStatus EXPORTED(fmiInitialize)(fmiComponent component, fmiBoolean toleranceControlled, fmiReal relativeTolerance,
                                  fmiEventInfo* info) {
  (void)toleranceControlled;
  (void)relativeTolerance;
  const int status = initialize(component);
  if (status != kOk) return (fmiStatus)status;
  ENTER("update");
  update(fmu, false, info);
  return fmiOK;
}

fmiStatus EXPORTED(fmiEventUpdate)(fmiComponent component, fmiBoolean intermediateResults, fmiEventInfo* info) {
  ENTER("update");
  update(fmu, intermediateResults != fmiFalse, info);
  return fmiOK;
}

fmiStatus EXPORTED(fmiTerminate)(fmiComponent component) {
  ENTER("terminate");
  return fmiOK;
}

/* Model exchange. */

fmiStatus EXPORTED(fmiSetTime)(fmiComponent component, fmiReal time) {
  ENTER("set_time");
  *fmu_time(fmu) = time;
  fmu->is_stale = true;
  return fmiOK;
}

fmiStatus EXPORTED(fmiSetContinuousStates)(fmiComponent component, const fmiReal states[], size_t count) {
  ENTER("set_states");
  if (count != model.state_count) return fmiError;
  memcpy(fmu_states(fmu), states, count * sizeof *states);
  fmu->is_stale = true;
  return fmiOK;
}

fmiStatus EXPORTED(fmiCompletedIntegratorStep)(fmiComponent component, fmiBoolean* callEventUpdate) {
  ENTER("completed_step");
  *callEventUpdate = fmiFalse;
  return fmiOK;
}

fmiStatus EXPORTED(fmiGetDerivatives)(fmiComponent component, fmiReal derivatives[], size_t count) {
  ENTER("get_derivatives");
  if (count != model.state_count) return fmiError;
  fmu_refresh(fmu);
  memcpy(derivatives, fmu->data + model.derivative_offset, count * sizeof *derivatives);
  return fmiOK;
}

fmiStatus EXPORTED(fmiGetEventIndicators)(fmiComponent component, fmiReal indicators[], size_t count) {
  ENTER("get_indicators");
  if (count != model.indicator_count) return fmiError;
  fmu_refresh(fmu);
  if (count > 0) model.indicate(fmu, indicators);
  return fmiOK;
}

fmiStatus EXPORTED(fmiGetContinuousStates)(fmiComponent component, fmiReal states[], size_t count) {
  ENTER("get_states");
  if (count != model.state_count) return fmiError;
  memcpy(states, fmu_states(fmu), count * sizeof *states);
  return fmiOK;
}

fmiStatus EXPORTED(fmiGetNominalContinuousStates)(fmiComponent component, fmiReal nominals[], size_t count) {
  Fmu* fmu = component;
  for (size_t i = 0; i < count; ++i) nominals[i] = 1.0;
  if (model.nominals) model.nominals(fmu, nominals);
  return fmiOK;
}

fmiStatus EXPORTED(fmiGetStateValueReferences)(fmiComponent component, fmiValueReference references[], size_t count) {
  (void)component;
  if (count != model.state_count) return fmiError;
  for (size_t i = 0; i < count; ++i) {
    references[i] = fmiUndefinedValueReference;
    for (size_t k = 0; k < model.variable_count; ++k) {
      const bool is_state = model.variables[k].kind == kFloat64 && model.variables[k].length == 1 &&
                            model.variables[k].offset == model.state_offset + i * sizeof(double);
      if (is_state) references[i] = (fmiValueReference)k;
    }
  }
  return fmiOK;
}

/* Co-simulation. */

fmiStatus EXPORTED(fmiInitializeSlave)(fmiComponent component, fmiReal startTime, fmiBoolean stopTimeDefined,
                                       fmiReal stopTime) {
  (void)stopTimeDefined;
  (void)stopTime;
  *fmu_time(component) = startTime;
  return (fmiStatus)initialize(component);
}

fmiStatus EXPORTED(fmiTerminateSlave)(fmiComponent component) {
  ENTER("terminate");
  return fmiOK;
}

fmiStatus EXPORTED(fmiResetSlave)(fmiComponent component) {
  ENTER("reset");
  fmu_reset(fmu);
  return fmiOK;
}

fmiStatus EXPORTED(fmiSetRealInputDerivatives)(fmiComponent component, const fmiValueReference references[],
                                               size_t count, const fmiInteger orders[], const fmiReal values[]) {
  ENTER("set");
  for (size_t i = 0; i < count; ++i) {
    if (model.set_input_rate == NULL || orders[i] != 1) return fmiError;
    const int status = model.set_input_rate(fmu, references[i], values[i]);
    if (status != kOk) return (fmiStatus)status;
  }
  return fmiOK;
}

fmiStatus EXPORTED(fmiGetRealOutputDerivatives)(fmiComponent component, const fmiValueReference references[],
                                                size_t count, const fmiInteger orders[], fmiReal values[]) {
  ENTER("get");
  fmu_refresh(fmu);
  for (size_t i = 0; i < count; ++i) {
    if (model.output_rate == NULL || orders[i] != 1) return fmiError;
    values[i] = model.output_rate(fmu, references[i]);
  }
  return fmiOK;
}

fmiStatus EXPORTED(fmiDoStep)(fmiComponent component, fmiReal currentCommunicationPoint, fmiReal communicationStepSize,
                              fmiBoolean newStep) {
  (void)newStep;
  ENTER("step");
  StepReport report;
  const int status = model.step ? model.step(fmu, currentCommunicationPoint, communicationStepSize, &report)
                                : fmu_step(fmu, currentCommunicationPoint, communicationStepSize, &report);
  if (status != kOk) return (fmiStatus)status;
  return report.early_return || report.terminate ? fmiDiscard : fmiOK;
}

fmiStatus EXPORTED(fmiCancelStep)(fmiComponent component) {
  fmu_set_step_status(component, kError);
  return fmiOK;
}

fmiStatus EXPORTED(fmiGetStatus)(fmiComponent component, const fmiStatusKind kind, fmiStatus* value) {
  if (kind != fmiDoStepStatus) return fmiDiscard;
  *value = (fmiStatus)fmu_step_status(component);
  return fmiOK;
}

fmiStatus EXPORTED(fmiGetRealStatus)(fmiComponent component, const fmiStatusKind kind, fmiReal* value) {
  if (kind != fmiLastSuccessfulTime) return fmiDiscard;
  *value = *fmu_time(component);
  return fmiOK;
}

fmiStatus EXPORTED(fmiGetIntegerStatus)(fmiComponent component, const fmiStatusKind kind, fmiInteger* value) {
  (void)component;
  (void)kind;
  (void)value;
  return fmiDiscard;
}

fmiStatus EXPORTED(fmiGetBooleanStatus)(fmiComponent component, const fmiStatusKind kind, fmiBoolean* value) {
  (void)component;
  (void)kind;
  (void)value;
  return fmiDiscard;
}

fmiStatus EXPORTED(fmiGetStringStatus)(fmiComponent component, const fmiStatusKind kind, fmiString* value) {
  (void)component;
  if (kind != fmiPendingStatus) return fmiDiscard;
  *value = "the step runs in a thread of its own";
  return fmiOK;
}
