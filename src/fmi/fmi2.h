/* The C interface of FMI 2.0: types, callbacks and functions of model exchange and co-simulation.
 *
 * Names, types and order are those of the standard (Functional Mock-up Interface for Model Exchange and Co-Simulation,
 * versions 2.0 to 2.0.5), so that what is compiled against this header works with every other tool. Each function has a
 * type, its name followed by TYPE, and the lists at the end name the functions, for tables and declarations.
 *
 * Plain C99, used by the importer and by FMUs. */
#ifndef TIELINE_FMI_FMI2_H
#define TIELINE_FMI_FMI2_H

#include <stddef.h>

/* FMUs may answer with numbers that the standard does not know: in C++ the type must be able to hold them. */
#ifdef __cplusplus
#define FMI2_ENUM enum : int
extern "C" {
#else
#define FMI2_ENUM enum
#endif

#define fmi2TypesPlatform "default"
#define fmi2Version "2.0"

/* Handles are the FMU's own; nobody else looks behind them. */
typedef void* fmi2Component;
typedef void* fmi2ComponentEnvironment;
typedef void* fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char* fmi2String;
typedef char fmi2Byte;

#define fmi2True 1
#define fmi2False 0

typedef FMI2_ENUM{fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending} fmi2Status;
typedef FMI2_ENUM{fmi2ModelExchange, fmi2CoSimulation} fmi2Type;
/* What may be asked about a step that was cut short or still runs. */
typedef FMI2_ENUM{fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated} fmi2StatusKind;

/* The message is a format of printf for the arguments after it; #r12# in it means the real variable 12. */
typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment environment, fmi2String instanceName, fmi2Status status,
                                   fmi2String category, fmi2String message, ...);
typedef void* (*fmi2CallbackAllocateMemory)(size_t count, size_t size);
typedef void (*fmi2CallbackFreeMemory)(void* memory);
/* Reports that a step that was answered by fmi2Pending is over. */
typedef void (*fmi2StepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);

/* Stays valid as long as the instance: FMUs keep the pointer. */
typedef struct {
  fmi2CallbackLogger logger;
  fmi2CallbackAllocateMemory allocateMemory;
  fmi2CallbackFreeMemory freeMemory;
  fmi2StepFinished stepFinished;
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
  fmi2Boolean newDiscreteStatesNeeded;
  fmi2Boolean terminateSimulation;
  fmi2Boolean nominalsOfContinuousStatesChanged;
  fmi2Boolean valuesOfContinuousStatesChanged;
  fmi2Boolean nextEventTimeDefined;
  fmi2Real nextEventTime; /* [s] */
} fmi2EventInfo;

/* Creation and logging. */
typedef const char* fmi2GetTypesPlatformTYPE(void);
typedef const char* fmi2GetVersionTYPE(void);
typedef fmi2Status fmi2SetDebugLoggingTYPE(fmi2Component, fmi2Boolean loggingOn, size_t nCategories,
                                           const fmi2String categories[]);
typedef fmi2Component fmi2InstantiateTYPE(fmi2String instanceName, fmi2Type, fmi2String guid,
                                          fmi2String resourceLocation, const fmi2CallbackFunctions*,
                                          fmi2Boolean visible, fmi2Boolean loggingOn);
typedef void fmi2FreeInstanceTYPE(fmi2Component);

/* Phases. */
typedef fmi2Status fmi2SetupExperimentTYPE(fmi2Component, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                                           fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime);
typedef fmi2Status fmi2EnterInitializationModeTYPE(fmi2Component);
typedef fmi2Status fmi2ExitInitializationModeTYPE(fmi2Component);
typedef fmi2Status fmi2TerminateTYPE(fmi2Component);
typedef fmi2Status fmi2ResetTYPE(fmi2Component);

/* Values. */
typedef fmi2Status fmi2GetRealTYPE(fmi2Component, const fmi2ValueReference[], size_t count, fmi2Real values[]);
typedef fmi2Status fmi2GetIntegerTYPE(fmi2Component, const fmi2ValueReference[], size_t count, fmi2Integer values[]);
typedef fmi2Status fmi2GetBooleanTYPE(fmi2Component, const fmi2ValueReference[], size_t count, fmi2Boolean values[]);
typedef fmi2Status fmi2GetStringTYPE(fmi2Component, const fmi2ValueReference[], size_t count, fmi2String values[]);
typedef fmi2Status fmi2SetRealTYPE(fmi2Component, const fmi2ValueReference[], size_t count, const fmi2Real values[]);
typedef fmi2Status fmi2SetIntegerTYPE(fmi2Component, const fmi2ValueReference[], size_t count,
                                      const fmi2Integer values[]);
typedef fmi2Status fmi2SetBooleanTYPE(fmi2Component, const fmi2ValueReference[], size_t count,
                                      const fmi2Boolean values[]);
typedef fmi2Status fmi2SetStringTYPE(fmi2Component, const fmi2ValueReference[], size_t count,
                                     const fmi2String values[]);

/* The whole internal state. */
typedef fmi2Status fmi2GetFMUstateTYPE(fmi2Component, fmi2FMUstate*);
typedef fmi2Status fmi2SetFMUstateTYPE(fmi2Component, fmi2FMUstate);
typedef fmi2Status fmi2FreeFMUstateTYPE(fmi2Component, fmi2FMUstate*);
typedef fmi2Status fmi2SerializedFMUstateSizeTYPE(fmi2Component, fmi2FMUstate, size_t* size);
typedef fmi2Status fmi2SerializeFMUstateTYPE(fmi2Component, fmi2FMUstate, fmi2Byte bytes[], size_t size);
typedef fmi2Status fmi2DeSerializeFMUstateTYPE(fmi2Component, const fmi2Byte bytes[], size_t size, fmi2FMUstate*);

typedef fmi2Status fmi2GetDirectionalDerivativeTYPE(fmi2Component, const fmi2ValueReference unknowns[],
                                                    size_t nUnknowns, const fmi2ValueReference knowns[], size_t nKnowns,
                                                    const fmi2Real seed[], fmi2Real sensitivity[]);

/* Model exchange. */
typedef fmi2Status fmi2EnterEventModeTYPE(fmi2Component);
typedef fmi2Status fmi2NewDiscreteStatesTYPE(fmi2Component, fmi2EventInfo*);
typedef fmi2Status fmi2EnterContinuousTimeModeTYPE(fmi2Component);
typedef fmi2Status fmi2CompletedIntegratorStepTYPE(fmi2Component, fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                                   fmi2Boolean* enterEventMode, fmi2Boolean* terminateSimulation);
typedef fmi2Status fmi2SetTimeTYPE(fmi2Component, fmi2Real time);
typedef fmi2Status fmi2SetContinuousStatesTYPE(fmi2Component, const fmi2Real states[], size_t count);
typedef fmi2Status fmi2GetDerivativesTYPE(fmi2Component, fmi2Real derivatives[], size_t count);
typedef fmi2Status fmi2GetEventIndicatorsTYPE(fmi2Component, fmi2Real indicators[], size_t count);
typedef fmi2Status fmi2GetContinuousStatesTYPE(fmi2Component, fmi2Real states[], size_t count);
typedef fmi2Status fmi2GetNominalsOfContinuousStatesTYPE(fmi2Component, fmi2Real nominals[], size_t count);

/* Co-simulation. */
typedef fmi2Status fmi2SetRealInputDerivativesTYPE(fmi2Component, const fmi2ValueReference[], size_t count,
                                                   const fmi2Integer orders[], const fmi2Real values[]);
typedef fmi2Status fmi2GetRealOutputDerivativesTYPE(fmi2Component, const fmi2ValueReference[], size_t count,
                                                    const fmi2Integer orders[], fmi2Real values[]);
typedef fmi2Status fmi2DoStepTYPE(fmi2Component, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,
                                  fmi2Boolean noSetFMUStatePriorToCurrentPoint);
typedef fmi2Status fmi2CancelStepTYPE(fmi2Component);
typedef fmi2Status fmi2GetStatusTYPE(fmi2Component, fmi2StatusKind, fmi2Status* value);
typedef fmi2Status fmi2GetRealStatusTYPE(fmi2Component, fmi2StatusKind, fmi2Real* value);
typedef fmi2Status fmi2GetIntegerStatusTYPE(fmi2Component, fmi2StatusKind, fmi2Integer* value);
typedef fmi2Status fmi2GetBooleanStatusTYPE(fmi2Component, fmi2StatusKind, fmi2Boolean* value);
typedef fmi2Status fmi2GetStringStatusTYPE(fmi2Component, fmi2StatusKind, fmi2String* value);

/* Without these no instance can be made, run and freed. */
#define FMI2_BASIC_FUNCTIONS(F)  \
  F(fmi2GetTypesPlatform)        \
  F(fmi2GetVersion)              \
  F(fmi2Instantiate)             \
  F(fmi2FreeInstance)            \
  F(fmi2SetupExperiment)         \
  F(fmi2EnterInitializationMode) \
  F(fmi2ExitInitializationMode)  \
  F(fmi2Terminate)               \
  F(fmi2GetReal)                 \
  F(fmi2SetReal)

/* Every FMU has these by the standard, but a run that does not call them does not need them. */
#define FMI2_OTHER_FUNCTIONS(F) \
  F(fmi2SetDebugLogging)        \
  F(fmi2Reset)                  \
  F(fmi2GetInteger)             \
  F(fmi2GetBoolean)             \
  F(fmi2GetString)              \
  F(fmi2SetInteger)             \
  F(fmi2SetBoolean)             \
  F(fmi2SetString)              \
  F(fmi2GetFMUstate)            \
  F(fmi2SetFMUstate)            \
  F(fmi2FreeFMUstate)           \
  F(fmi2SerializedFMUstateSize) \
  F(fmi2SerializeFMUstate)      \
  F(fmi2DeSerializeFMUstate)    \
  F(fmi2GetDirectionalDerivative)

#define FMI2_MODEL_EXCHANGE_FUNCTIONS(F) \
  F(fmi2EnterEventMode)                  \
  F(fmi2NewDiscreteStates)               \
  F(fmi2EnterContinuousTimeMode)         \
  F(fmi2CompletedIntegratorStep)         \
  F(fmi2SetTime)                         \
  F(fmi2SetContinuousStates)             \
  F(fmi2GetDerivatives)                  \
  F(fmi2GetEventIndicators)              \
  F(fmi2GetContinuousStates)             \
  F(fmi2GetNominalsOfContinuousStates)

#define FMI2_CO_SIMULATION_FUNCTIONS(F) F(fmi2DoStep)

#define FMI2_OTHER_CO_SIMULATION_FUNCTIONS(F) \
  F(fmi2SetRealInputDerivatives)              \
  F(fmi2GetRealOutputDerivatives)             \
  F(fmi2CancelStep)                           \
  F(fmi2GetStatus)                            \
  F(fmi2GetRealStatus)                        \
  F(fmi2GetIntegerStatus)                     \
  F(fmi2GetBooleanStatus)                     \
  F(fmi2GetStringStatus)

#define FMI2_ALL_FUNCTIONS(F)      \
  FMI2_BASIC_FUNCTIONS(F)          \
  FMI2_OTHER_FUNCTIONS(F)          \
  FMI2_MODEL_EXCHANGE_FUNCTIONS(F) \
  FMI2_CO_SIMULATION_FUNCTIONS(F)  \
  FMI2_OTHER_CO_SIMULATION_FUNCTIONS(F)

#ifdef __cplusplus
}
#endif

#endif
