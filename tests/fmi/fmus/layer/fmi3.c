/* The interface of FMI 3.0 around a model: creation, phases, values and saved states. The rest is in fmi3_run.c. */
#include "fmi/fmi3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi3_layer.h"

static void log_message(Fmu* fmu, int status, const char* category, const char* message) {
  const fmi3LogMessageCallback log = (fmi3LogMessageCallback)fmu->callbacks;
  if (log) log(fmu->environment, (fmi3Status)status, message ? category : NULL, message);
}

const char* fmi3GetVersion(void) { return fmi3Version; }

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean loggingOn, size_t nCategories,
                               const fmi3String categories[]) {
  (void)nCategories;
  (void)categories;
  ((Fmu*)instance)->logs = loggingOn;
  return fmi3OK;
}

static Fmu* instantiate(fmi3String name, fmi3String token, fmi3String resources, bool is_cosimulation,
                        fmi3Boolean loggingOn, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log) {
  Fmu* fmu = fmu_new(name, token, is_cosimulation);
  if (fmu == NULL) {
    if (log) log(environment, fmi3Error, "logStatusError", "an instance of this name and token cannot be made");
    return NULL;
  }
  fmu->callbacks = (const void*)log;
  fmu->environment = environment;
  fmu->log = log_message;
  fmu->logs = loggingOn;
  fmu->has_resources = fmu_is_folder(resources);
  return fmu;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName, fmi3String instantiationToken,
                                          fmi3String resourcePath, fmi3Boolean visible, fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback logMessage) {
  (void)visible;
  return instantiate(instanceName, instantiationToken, resourcePath, false, loggingOn, environment, logMessage);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String instanceName, fmi3String instantiationToken,
                                         fmi3String resourcePath, fmi3Boolean visible, fmi3Boolean loggingOn,
                                         fmi3Boolean eventModeUsed, fmi3Boolean earlyReturnAllowed,
                                         const fmi3ValueReference requiredIntermediateVariables[],
                                         size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback logMessage,
                                         fmi3IntermediateUpdateCallback intermediateUpdate) {
  (void)visible;
  (void)requiredIntermediateVariables;
  (void)nRequiredIntermediateVariables;
  Fmu* fmu = instantiate(instanceName, instantiationToken, resourcePath, true, loggingOn, environment, logMessage);
  if (fmu == NULL) return NULL;
  fmu->uses_event_mode = eventModeUsed;
  fmu->may_return_early = earlyReturnAllowed;
  if (model.updates && intermediateUpdate) {
    fmu->intermediate = (void (*)(void))intermediateUpdate;
    fmu->update = fmi3_update;
  }
  return fmu;
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String instanceName, fmi3String instantiationToken,
                                               fmi3String resourcePath, fmi3Boolean visible, fmi3Boolean loggingOn,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback logMessage,
                                               fmi3ClockUpdateCallback clockUpdate,
                                               fmi3LockPreemptionCallback lockPreemption,
                                               fmi3UnlockPreemptionCallback unlockPreemption) {
  (void)instanceName;
  (void)instantiationToken;
  (void)resourcePath;
  (void)visible;
  (void)loggingOn;
  (void)clockUpdate;
  (void)lockPreemption;
  (void)unlockPreemption;
  if (logMessage) logMessage(environment, fmi3Error, "logStatusError", "there is no scheduled execution");
  return NULL;
}

void fmi3FreeInstance(fmi3Instance instance) {
  if (instance == NULL || fmu_enter(instance, "free") != kOk) return;
  fmu_free(instance);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean toleranceDefined, fmi3Float64 tolerance,
                                       fmi3Float64 startTime, fmi3Boolean stopTimeDefined, fmi3Float64 stopTime) {
  (void)stopTimeDefined;
  (void)stopTime;
  ENTER("enter_initialization");
  fmu->told.has_tolerance = toleranceDefined;
  fmu->told.tolerance = tolerance;
  *fmu_time(fmu) = startTime;
  fmu->is_initializing = true;
  fmu->is_stale = true;
  return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
  ENTER("exit_initialization");
  fmu_exit_initialization(fmu);
  return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance instance) {
  ENTER("enter_event");
  fmu->is_in_event = true;
  fmu->is_stale = true;
  return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
  ENTER("terminate");
  return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance instance) {
  ENTER("reset");
  fmu_reset(fmu);
  return fmi3OK;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance) {
  ENTER("enter_configuration");
  return fmi3OK;
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance) {
  ENTER("exit_configuration");
  return fmi3OK;
}

/* Values. */

#define VALUE_FUNCTIONS(Type)                                                                          \
  fmi3Status fmi3Get##Type(fmi3Instance instance, const fmi3ValueReference references[], size_t count, \
                           fmi3##Type values[], size_t nValues) {                                      \
    return (fmi3Status)fmu_get(instance, k##Type, references, count, values, nValues);                 \
  }                                                                                                    \
  fmi3Status fmi3Set##Type(fmi3Instance instance, const fmi3ValueReference references[], size_t count, \
                           const fmi3##Type values[], size_t nValues) {                                \
    return (fmi3Status)fmu_set(instance, k##Type, references, count, values, nValues);                 \
  }
VALUE_FUNCTIONS(Float64)
VALUE_FUNCTIONS(Float32)
VALUE_FUNCTIONS(Int8)
VALUE_FUNCTIONS(UInt8)
VALUE_FUNCTIONS(Int16)
VALUE_FUNCTIONS(UInt16)
VALUE_FUNCTIONS(Int32)
VALUE_FUNCTIONS(UInt32)
VALUE_FUNCTIONS(Int64)
VALUE_FUNCTIONS(UInt64)
VALUE_FUNCTIONS(Boolean)

fmi3Status fmi3GetString(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                         fmi3String values[], size_t nValues) {
  ENTER("get");
  fmu_refresh(fmu);
  size_t done = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t length = fmu_length(fmu, references[i], kString);
    if (length == 0 || done + length > nValues) return fmi3Error;
    const Text* texts = fmu_place(fmu, references[i]);
    for (size_t k = 0; k < length; ++k) values[done++] = texts[k].text;
  }
  return fmi3OK;
}

fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                         const fmi3String values[], size_t nValues) {
  ENTER("set");
  size_t done = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t length = fmu_length(fmu, references[i], kString);
    if (length == 0 || done + length > nValues) return fmi3Error;
    Text* texts = fmu_place(fmu, references[i]);
    for (size_t k = 0; k < length; ++k, ++done) {
      memset(&texts[k], 0, sizeof texts[k]);
      if (values[done]) strncpy(texts[k].text, values[done], sizeof texts[k].text - 1);
    }
  }
  fmu->is_stale = true;
  return fmi3OK;
}

fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                         size_t valueSizes[], fmi3Binary values[], size_t nValues) {
  ENTER("get");
  fmu_refresh(fmu);
  if (nValues != count) return fmi3Error;
  for (size_t i = 0; i < count; ++i) {
    if (fmu_length(fmu, references[i], kBinary) != 1) return fmi3Error;
    const Blob* blob = fmu_place(fmu, references[i]);
    valueSizes[i] = blob->size;
    values[i] = blob->bytes;
  }
  return fmi3OK;
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                         const size_t valueSizes[], const fmi3Binary values[], size_t nValues) {
  ENTER("set");
  if (nValues != count) return fmi3Error;
  for (size_t i = 0; i < count; ++i) {
    if (fmu_length(fmu, references[i], kBinary) != 1) return fmi3Error;
    Blob* blob = fmu_place(fmu, references[i]);
    if (valueSizes[i] > sizeof blob->bytes) return fmi3Error;
    blob->size = valueSizes[i];
    if (valueSizes[i] > 0) memcpy(blob->bytes, values[i], valueSizes[i]);
  }
  fmu->is_stale = true;
  return fmi3OK;
}

fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                        fmi3Clock values[]) {
  return (fmi3Status)fmu_get(instance, kClock, references, count, values, count);
}

fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                        const fmi3Clock values[]) {
  return (fmi3Status)fmu_set(instance, kClock, references, count, values, count);
}

/* States. */

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state) {
  ENTER("get_state");
  if (*state == NULL) *state = malloc(fmu_saved_size());
  if (*state == NULL) return fmi3Error;
  fmu_save(fmu, *state);
  return fmi3OK;
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state) {
  ENTER("set_state");
  fmu_restore(fmu, state);
  return fmi3OK;
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state) {
  (void)instance;
  free(*state);
  *state = NULL;
  return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t* size) {
  (void)instance;
  (void)state;
  *size = fmu_saved_size();
  return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
  (void)instance;
  if (size < fmu_saved_size()) return fmi3Error;
  memcpy(bytes, state, fmu_saved_size());
  return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size, fmi3FMUState* state) {
  (void)instance;
  if (size != fmu_saved_size()) return fmi3Error;
  if (*state == NULL) *state = malloc(size);
  if (*state == NULL) return fmi3Error;
  memcpy(*state, bytes, size);
  return fmi3OK;
}
