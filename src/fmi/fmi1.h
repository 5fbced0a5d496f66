/* The C interface of FMI 1.0: types, callbacks and functions of model exchange and co-simulation.
 *
 * Names, types and order are those of the standard (Functional Mock-up Interface for Model Exchange and for
 * Co-Simulation, version 1.0), so that what is compiled against this header works with every other tool. A library
 * exports its functions with the model identifier and an underscore in front: "pump_fmiGetReal". Each function has a
 * type, its name followed by TYPE, and the lists at the end name the functions, for tables and declarations.
 *
 * Plain C99, used by the importer and by FMUs. */
#ifndef TIELINE_FMI_FMI1_H
#define TIELINE_FMI_FMI1_H

#include <stddef.h>

/* FMUs may answer with numbers that the standard does not know: in C++ the type must be able to hold them. */
#ifdef __cplusplus
#define FMI1_ENUM enum : int
extern "C" {
#else
#define FMI1_ENUM enum
#endif

#define fmiPlatform "standard32"
#define fmiVersion "1.0"

/* Handles are the FMU's own; nobody else looks behind them. */
typedef void* fmiComponent;
typedef unsigned int fmiValueReference;
typedef double fmiReal;
typedef int fmiInteger;
typedef char fmiBoolean;
typedef const char* fmiString;

#define fmiTrue 1
#define fmiFalse 0
#define fmiUndefinedValueReference (fmiValueReference)(-1)

/* fmiPending is for co-simulation only. */
typedef FMI1_ENUM{fmiOK, fmiWarning, fmiDiscard, fmiError, fmiFatal, fmiPending} fmiStatus;
/* What may be asked about a step that was cut short or still runs. */
typedef FMI1_ENUM{fmiDoStepStatus, fmiPendingStatus, fmiLastSuccessfulTime} fmiStatusKind;

/* The message is a format of printf for the arguments after it; #r12# in it means the real variable 12. Callbacks get
 * the FMU's own handle and nothing of the importer's. */
typedef void (*fmiCallbackLogger)(fmiComponent, fmiString instanceName, fmiStatus, fmiString category,
                                  fmiString message, ...);
typedef void* (*fmiCallbackAllocateMemory)(size_t count, size_t size);
typedef void (*fmiCallbackFreeMemory)(void* memory);
/* Reports that a step that was answered by fmiPending is over. */
typedef void (*fmiStepFinished)(fmiComponent, fmiStatus);

/* Passed by value. Model exchange has the first three, co-simulation all of them. */
typedef struct {
  fmiCallbackLogger logger;
  fmiCallbackAllocateMemory allocateMemory;
  fmiCallbackFreeMemory freeMemory;
} fmiMeCallbackFunctions;
typedef struct {
  fmiCallbackLogger logger;
  fmiCallbackAllocateMemory allocateMemory;
  fmiCallbackFreeMemory freeMemory;
  fmiStepFinished stepFinished;
} fmiCallbackFunctions;

typedef struct {
  fmiBoolean iterationConverged;
  fmiBoolean stateValueReferencesChanged;
  fmiBoolean stateValuesChanged;
  fmiBoolean terminateSimulation;
  fmiBoolean upcomingTimeEvent;
  fmiReal nextEventTime; /* [s] */
} fmiEventInfo;

/* Both interfaces. */
typedef const char* fmiGetVersionTYPE(void);
typedef fmiStatus fmiSetDebugLoggingTYPE(fmiComponent, fmiBoolean loggingOn);
typedef fmiStatus fmiGetRealTYPE(fmiComponent, const fmiValueReference[], size_t count, fmiReal values[]);
typedef fmiStatus fmiGetIntegerTYPE(fmiComponent, const fmiValueReference[], size_t count, fmiInteger values[]);
typedef fmiStatus fmiGetBooleanTYPE(fmiComponent, const fmiValueReference[], size_t count, fmiBoolean values[]);
typedef fmiStatus fmiGetStringTYPE(fmiComponent, const fmiValueReference[], size_t count, fmiString values[]);
typedef fmiStatus fmiSetRealTYPE(fmiComponent, const fmiValueReference[], size_t count, const fmiReal values[]);
typedef fmiStatus fmiSetIntegerTYPE(fmiComponent, const fmiValueReference[], size_t count, const fmiInteger values[]);
typedef fmiStatus fmiSetBooleanTYPE(fmiComponent, const fmiValueReference[], size_t count, const fmiBoolean values[]);
typedef fmiStatus fmiSetStringTYPE(fmiComponent, const fmiValueReference[], size_t count, const fmiString values[]);

/* Model exchange. */
typedef const char* fmiGetModelTypesPlatformTYPE(void);
typedef fmiComponent fmiInstantiateModelTYPE(fmiString instanceName, fmiString guid, fmiMeCallbackFunctions,
                                             fmiBoolean loggingOn);
typedef void fmiFreeModelInstanceTYPE(fmiComponent);
typedef fmiStatus fmiSetTimeTYPE(fmiComponent, fmiReal time);
typedef fmiStatus fmiSetContinuousStatesTYPE(fmiComponent, const fmiReal states[], size_t count);
typedef fmiStatus fmiCompletedIntegratorStepTYPE(fmiComponent, fmiBoolean* callEventUpdate);
typedef fmiStatus fmiInitializeTYPE(fmiComponent, fmiBoolean toleranceControlled, fmiReal relativeTolerance,
                                    fmiEventInfo*);
typedef fmiStatus fmiGetDerivativesTYPE(fmiComponent, fmiReal derivatives[], size_t count);
typedef fmiStatus fmiGetEventIndicatorsTYPE(fmiComponent, fmiReal indicators[], size_t count);
typedef fmiStatus fmiEventUpdateTYPE(fmiComponent, fmiBoolean intermediateResults, fmiEventInfo*);
typedef fmiStatus fmiGetContinuousStatesTYPE(fmiComponent, fmiReal states[], size_t count);
typedef fmiStatus fmiGetNominalContinuousStatesTYPE(fmiComponent, fmiReal nominals[], size_t count);
typedef fmiStatus fmiGetStateValueReferencesTYPE(fmiComponent, fmiValueReference references[], size_t count);
typedef fmiStatus fmiTerminateTYPE(fmiComponent);

/* Co-simulation. */
typedef const char* fmiGetTypesPlatformTYPE(void);
typedef fmiComponent fmiInstantiateSlaveTYPE(fmiString instanceName, fmiString guid, fmiString fmuLocation,
                                             fmiString mimeType, fmiReal timeout, fmiBoolean visible,
                                             fmiBoolean interactive, fmiCallbackFunctions, fmiBoolean loggingOn);
typedef fmiStatus fmiInitializeSlaveTYPE(fmiComponent, fmiReal startTime, fmiBoolean stopTimeDefined, fmiReal stopTime);
typedef fmiStatus fmiTerminateSlaveTYPE(fmiComponent);
typedef fmiStatus fmiResetSlaveTYPE(fmiComponent);
typedef void fmiFreeSlaveInstanceTYPE(fmiComponent);
typedef fmiStatus fmiSetRealInputDerivativesTYPE(fmiComponent, const fmiValueReference[], size_t count,
                                                 const fmiInteger orders[], const fmiReal values[]);
typedef fmiStatus fmiGetRealOutputDerivativesTYPE(fmiComponent, const fmiValueReference[], size_t count,
                                                  const fmiInteger orders[], fmiReal values[]);
typedef fmiStatus fmiDoStepTYPE(fmiComponent, fmiReal currentCommunicationPoint, fmiReal communicationStepSize,
                                fmiBoolean newStep);
typedef fmiStatus fmiCancelStepTYPE(fmiComponent);
typedef fmiStatus fmiGetStatusTYPE(fmiComponent, const fmiStatusKind, fmiStatus* value);
typedef fmiStatus fmiGetRealStatusTYPE(fmiComponent, const fmiStatusKind, fmiReal* value);
typedef fmiStatus fmiGetIntegerStatusTYPE(fmiComponent, const fmiStatusKind, fmiInteger* value);
typedef fmiStatus fmiGetBooleanStatusTYPE(fmiComponent, const fmiStatusKind, fmiBoolean* value);
typedef fmiStatus fmiGetStringStatusTYPE(fmiComponent, const fmiStatusKind, fmiString* value);

/* Without these no instance can be made, run and freed. */
#define FMI1_BASIC_FUNCTIONS(F) \
  F(fmiGetVersion)              \
  F(fmiGetReal)                 \
  F(fmiSetReal)

/* Every FMU has these by the standard, but a run that does not call them does not need them. */
#define FMI1_OTHER_FUNCTIONS(F) \
  F(fmiSetDebugLogging)         \
  F(fmiGetInteger)              \
  F(fmiGetBoolean)              \
  F(fmiGetString)               \
  F(fmiSetInteger)              \
  F(fmiSetBoolean)              \
  F(fmiSetString)

#define FMI1_MODEL_EXCHANGE_FUNCTIONS(F) \
  F(fmiInstantiateModel)                 \
  F(fmiFreeModelInstance)                \
  F(fmiSetTime)                          \
  F(fmiSetContinuousStates)              \
  F(fmiCompletedIntegratorStep)          \
  F(fmiInitialize)                       \
  F(fmiGetDerivatives)                   \
  F(fmiGetEventIndicators)               \
  F(fmiEventUpdate)                      \
  F(fmiGetContinuousStates)              \
  F(fmiTerminate)

#define FMI1_OTHER_MODEL_EXCHANGE_FUNCTIONS(F) \
  F(fmiGetModelTypesPlatform)                  \
  F(fmiGetNominalContinuousStates)             \
  F(fmiGetStateValueReferences)

#define FMI1_CO_SIMULATION_FUNCTIONS(F) \
  F(fmiInstantiateSlave)                \
  F(fmiInitializeSlave)                 \
  F(fmiTerminateSlave)                  \
  F(fmiFreeSlaveInstance)               \
  F(fmiDoStep)

#define FMI1_OTHER_CO_SIMULATION_FUNCTIONS(F) \
  F(fmiGetTypesPlatform)                      \
  F(fmiResetSlave)                            \
  F(fmiSetRealInputDerivatives)               \
  F(fmiGetRealOutputDerivatives)              \
  F(fmiCancelStep)                            \
  F(fmiGetStatus)                             \
  F(fmiGetRealStatus)                         \
  F(fmiGetIntegerStatus)                      \
  F(fmiGetBooleanStatus)                      \
  F(fmiGetStringStatus)

#define FMI1_ALL_FUNCTIONS(F)            \
  FMI1_BASIC_FUNCTIONS(F)                \
  FMI1_OTHER_FUNCTIONS(F)                \
  FMI1_MODEL_EXCHANGE_FUNCTIONS(F)       \
  FMI1_OTHER_MODEL_EXCHANGE_FUNCTIONS(F) \
  FMI1_CO_SIMULATION_FUNCTIONS(F)        \
  FMI1_OTHER_CO_SIMULATION_FUNCTIONS(F)

#ifdef __cplusplus
}
#endif

#endif
