/* The C interface of FMI 3.0: types, callbacks and functions of model exchange and co-simulation, and the types of the
 * functions of scheduled execution.
 *
 * Names, types and order are those of the standard (Functional Mock-up Interface Specification, versions 3.0 to 3.0.2),
 * so that what is compiled against this header works with every other tool. Each function has a type, its name followed
 * by TYPE, and the lists at the end name the functions, for tables and declarations.
 *
 * Plain C99, used by the importer and by FMUs. */
#ifndef TIELINE_FMI_FMI3_H
#define TIELINE_FMI_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FMUs may answer with numbers that the standard does not know: in C++ the type must be able to hold them. */
#ifdef __cplusplus
#define FMI3_ENUM enum : int
extern "C" {
#else
#define FMI3_ENUM enum
#endif

#define fmi3Version "3.0"

/* Handles are the FMU's own; nobody else looks behind them. */
typedef void* fmi3Instance;
typedef void* fmi3InstanceEnvironment;
typedef void* fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char* fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte* fmi3Binary;
typedef bool fmi3Clock;

#define fmi3True true
#define fmi3False false
#define fmi3ClockActive true
#define fmi3ClockInactive false

typedef FMI3_ENUM{fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal} fmi3Status;
typedef FMI3_ENUM{fmi3Independent, fmi3Constant, fmi3Fixed,
                  fmi3Tunable,     fmi3Discrete, fmi3Dependent} fmi3DependencyKind;
typedef FMI3_ENUM{fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged} fmi3IntervalQualifier;

/* The message is the text itself, unlike in FMI 2.0. */
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                                       fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
/* Called from within fmi3DoStep; the last two are answers. */
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment environment, fmi3Float64 intermediateUpdateTime,
                                               fmi3Boolean intermediateVariableSetRequested,
                                               fmi3Boolean intermediateVariableGetAllowed,
                                               fmi3Boolean intermediateStepFinished, fmi3Boolean canReturnEarly,
                                               fmi3Boolean* earlyReturnRequested, fmi3Float64* earlyReturnTime);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

/* Creation and logging. */
typedef const char* fmi3GetVersionTYPE(void);
typedef fmi3Status fmi3SetDebugLoggingTYPE(fmi3Instance, fmi3Boolean loggingOn, size_t nCategories,
                                           const fmi3String categories[]);
typedef fmi3Instance fmi3InstantiateModelExchangeTYPE(fmi3String instanceName, fmi3String instantiationToken,
                                                      fmi3String resourcePath, fmi3Boolean visible,
                                                      fmi3Boolean loggingOn, fmi3InstanceEnvironment,
                                                      fmi3LogMessageCallback);
typedef fmi3Instance fmi3InstantiateCoSimulationTYPE(fmi3String instanceName, fmi3String instantiationToken,
                                                     fmi3String resourcePath, fmi3Boolean visible,
                                                     fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
                                                     fmi3Boolean earlyReturnAllowed,
                                                     const fmi3ValueReference requiredIntermediateVariables[],
                                                     size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment,
                                                     fmi3LogMessageCallback, fmi3IntermediateUpdateCallback);
typedef fmi3Instance fmi3InstantiateScheduledExecutionTYPE(fmi3String instanceName, fmi3String instantiationToken,
                                                           fmi3String resourcePath, fmi3Boolean visible,
                                                           fmi3Boolean loggingOn, fmi3InstanceEnvironment,
                                                           fmi3LogMessageCallback, fmi3ClockUpdateCallback,
                                                           fmi3LockPreemptionCallback, fmi3UnlockPreemptionCallback);
typedef void fmi3FreeInstanceTYPE(fmi3Instance);

/* Phases. */
typedef fmi3Status fmi3EnterInitializationModeTYPE(fmi3Instance, fmi3Boolean toleranceDefined, fmi3Float64 tolerance,
                                                   fmi3Float64 startTime, fmi3Boolean stopTimeDefined,
                                                   fmi3Float64 stopTime);
typedef fmi3Status fmi3ExitInitializationModeTYPE(fmi3Instance);
typedef fmi3Status fmi3EnterEventModeTYPE(fmi3Instance);
typedef fmi3Status fmi3TerminateTYPE(fmi3Instance);
typedef fmi3Status fmi3ResetTYPE(fmi3Instance);
typedef fmi3Status fmi3EnterConfigurationModeTYPE(fmi3Instance);
typedef fmi3Status fmi3ExitConfigurationModeTYPE(fmi3Instance);

/* Values: arrays stand one after the other, so that there can be more values than references. */
#define FMI3_VALUE_FUNCTION_TYPES(Type)                                                                               \
  typedef fmi3Status fmi3Get##Type##TYPE(fmi3Instance, const fmi3ValueReference[], size_t count, fmi3##Type values[], \
                                         size_t nValues);                                                             \
  typedef fmi3Status fmi3Set##Type##TYPE(fmi3Instance, const fmi3ValueReference[], size_t count,                      \
                                         const fmi3##Type values[], size_t nValues);
FMI3_VALUE_FUNCTION_TYPES(Float32)
FMI3_VALUE_FUNCTION_TYPES(Float64)
FMI3_VALUE_FUNCTION_TYPES(Int8)
FMI3_VALUE_FUNCTION_TYPES(UInt8)
FMI3_VALUE_FUNCTION_TYPES(Int16)
FMI3_VALUE_FUNCTION_TYPES(UInt16)
FMI3_VALUE_FUNCTION_TYPES(Int32)
FMI3_VALUE_FUNCTION_TYPES(UInt32)
FMI3_VALUE_FUNCTION_TYPES(Int64)
FMI3_VALUE_FUNCTION_TYPES(UInt64)
FMI3_VALUE_FUNCTION_TYPES(Boolean)
FMI3_VALUE_FUNCTION_TYPES(String)
#undef FMI3_VALUE_FUNCTION_TYPES
typedef fmi3Status fmi3GetBinaryTYPE(fmi3Instance, const fmi3ValueReference[], size_t count, size_t valueSizes[],
                                     fmi3Binary values[], size_t nValues);
typedef fmi3Status fmi3SetBinaryTYPE(fmi3Instance, const fmi3ValueReference[], size_t count, const size_t valueSizes[],
                                     const fmi3Binary values[], size_t nValues);
typedef fmi3Status fmi3GetClockTYPE(fmi3Instance, const fmi3ValueReference[], size_t count, fmi3Clock values[]);
typedef fmi3Status fmi3SetClockTYPE(fmi3Instance, const fmi3ValueReference[], size_t count, const fmi3Clock values[]);

/* Dependencies of arrays, which may depend on structural parameters. */
typedef fmi3Status fmi3GetNumberOfVariableDependenciesTYPE(fmi3Instance, fmi3ValueReference, size_t* nDependencies);
typedef fmi3Status fmi3GetVariableDependenciesTYPE(fmi3Instance, fmi3ValueReference dependent,
                                                   size_t elementIndicesOfDependent[],
                                                   fmi3ValueReference independents[],
                                                   size_t elementIndicesOfIndependents[],
                                                   fmi3DependencyKind dependencyKinds[], size_t nDependencies);

/* The whole internal state. */
typedef fmi3Status fmi3GetFMUStateTYPE(fmi3Instance, fmi3FMUState*);
typedef fmi3Status fmi3SetFMUStateTYPE(fmi3Instance, fmi3FMUState);
typedef fmi3Status fmi3FreeFMUStateTYPE(fmi3Instance, fmi3FMUState*);
typedef fmi3Status fmi3SerializedFMUStateSizeTYPE(fmi3Instance, fmi3FMUState, size_t* size);
typedef fmi3Status fmi3SerializeFMUStateTYPE(fmi3Instance, fmi3FMUState, fmi3Byte bytes[], size_t size);
typedef fmi3Status fmi3DeserializeFMUStateTYPE(fmi3Instance, const fmi3Byte bytes[], size_t size, fmi3FMUState*);

typedef fmi3Status fmi3GetDirectionalDerivativeTYPE(fmi3Instance, const fmi3ValueReference unknowns[], size_t nUnknowns,
                                                    const fmi3ValueReference knowns[], size_t nKnowns,
                                                    const fmi3Float64 seed[], size_t nSeed, fmi3Float64 sensitivity[],
                                                    size_t nSensitivity);
typedef fmi3Status fmi3GetAdjointDerivativeTYPE(fmi3Instance, const fmi3ValueReference unknowns[], size_t nUnknowns,
                                                const fmi3ValueReference knowns[], size_t nKnowns,
                                                const fmi3Float64 seed[], size_t nSeed, fmi3Float64 sensitivity[],
                                                size_t nSensitivity);

/* Clocks; intervals and shifts in seconds, or as counter / resolution. */
typedef fmi3Status fmi3GetIntervalDecimalTYPE(fmi3Instance, const fmi3ValueReference[], size_t count,
                                              fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]);
typedef fmi3Status fmi3GetIntervalFractionTYPE(fmi3Instance, const fmi3ValueReference[], size_t count,
                                               fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                               fmi3IntervalQualifier qualifiers[]);
typedef fmi3Status fmi3GetShiftDecimalTYPE(fmi3Instance, const fmi3ValueReference[], size_t count,
                                           fmi3Float64 shifts[]);
typedef fmi3Status fmi3GetShiftFractionTYPE(fmi3Instance, const fmi3ValueReference[], size_t count,
                                            fmi3UInt64 counters[], fmi3UInt64 resolutions[]);
typedef fmi3Status fmi3SetIntervalDecimalTYPE(fmi3Instance, const fmi3ValueReference[], size_t count,
                                              const fmi3Float64 intervals[]);
typedef fmi3Status fmi3SetIntervalFractionTYPE(fmi3Instance, const fmi3ValueReference[], size_t count,
                                               const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]);
typedef fmi3Status fmi3SetShiftDecimalTYPE(fmi3Instance, const fmi3ValueReference[], size_t count,
                                           const fmi3Float64 shifts[]);
typedef fmi3Status fmi3SetShiftFractionTYPE(fmi3Instance, const fmi3ValueReference[], size_t count,
                                            const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]);

/* Events. */
typedef fmi3Status fmi3EvaluateDiscreteStatesTYPE(fmi3Instance);
typedef fmi3Status fmi3UpdateDiscreteStatesTYPE(fmi3Instance, fmi3Boolean* discreteStatesNeedUpdate,
                                                fmi3Boolean* terminateSimulation,
                                                fmi3Boolean* nominalsOfContinuousStatesChanged,
                                                fmi3Boolean* valuesOfContinuousStatesChanged,
                                                fmi3Boolean* nextEventTimeDefined, fmi3Float64* nextEventTime);

/* Model exchange. */
typedef fmi3Status fmi3EnterContinuousTimeModeTYPE(fmi3Instance);
typedef fmi3Status fmi3CompletedIntegratorStepTYPE(fmi3Instance, fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                                   fmi3Boolean* enterEventMode, fmi3Boolean* terminateSimulation);
typedef fmi3Status fmi3SetTimeTYPE(fmi3Instance, fmi3Float64 time);
typedef fmi3Status fmi3SetContinuousStatesTYPE(fmi3Instance, const fmi3Float64 states[], size_t count);
typedef fmi3Status fmi3GetContinuousStateDerivativesTYPE(fmi3Instance, fmi3Float64 derivatives[], size_t count);
typedef fmi3Status fmi3GetEventIndicatorsTYPE(fmi3Instance, fmi3Float64 indicators[], size_t count);
typedef fmi3Status fmi3GetContinuousStatesTYPE(fmi3Instance, fmi3Float64 states[], size_t count);
typedef fmi3Status fmi3GetNominalsOfContinuousStatesTYPE(fmi3Instance, fmi3Float64 nominals[], size_t count);
typedef fmi3Status fmi3GetNumberOfEventIndicatorsTYPE(fmi3Instance, size_t* count);
typedef fmi3Status fmi3GetNumberOfContinuousStatesTYPE(fmi3Instance, size_t* count);

/* Co-simulation. */
typedef fmi3Status fmi3EnterStepModeTYPE(fmi3Instance);
typedef fmi3Status fmi3GetOutputDerivativesTYPE(fmi3Instance, const fmi3ValueReference[], size_t count,
                                                const fmi3Int32 orders[], fmi3Float64 values[], size_t nValues);
typedef fmi3Status fmi3DoStepTYPE(fmi3Instance, fmi3Float64 currentCommunicationPoint,
                                  fmi3Float64 communicationStepSize, fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                  fmi3Boolean* eventHandlingNeeded, fmi3Boolean* terminateSimulation,
                                  fmi3Boolean* earlyReturn, fmi3Float64* lastSuccessfulTime);

/* Scheduled execution. */
typedef fmi3Status fmi3ActivateModelPartitionTYPE(fmi3Instance, fmi3ValueReference clock, fmi3Float64 activationTime);

/* Without these no instance can be made, run and freed. */
#define FMI3_BASIC_FUNCTIONS(F)  \
  F(fmi3GetVersion)              \
  F(fmi3FreeInstance)            \
  F(fmi3EnterInitializationMode) \
  F(fmi3ExitInitializationMode)  \
  F(fmi3Terminate)               \
  F(fmi3GetFloat64)              \
  F(fmi3SetFloat64)

/* Every FMU has these by the standard, but a run that does not call them does not need them. */
#define FMI3_OTHER_FUNCTIONS(F)          \
  F(fmi3SetDebugLogging)                 \
  F(fmi3Reset)                           \
  F(fmi3EnterConfigurationMode)          \
  F(fmi3ExitConfigurationMode)           \
  F(fmi3GetFloat32)                      \
  F(fmi3SetFloat32)                      \
  F(fmi3GetInt8)                         \
  F(fmi3SetInt8)                         \
  F(fmi3GetUInt8)                        \
  F(fmi3SetUInt8)                        \
  F(fmi3GetInt16)                        \
  F(fmi3SetInt16)                        \
  F(fmi3GetUInt16)                       \
  F(fmi3SetUInt16)                       \
  F(fmi3GetInt32)                        \
  F(fmi3SetInt32)                        \
  F(fmi3GetUInt32)                       \
  F(fmi3SetUInt32)                       \
  F(fmi3GetInt64)                        \
  F(fmi3SetInt64)                        \
  F(fmi3GetUInt64)                       \
  F(fmi3SetUInt64)                       \
  F(fmi3GetBoolean)                      \
  F(fmi3SetBoolean)                      \
  F(fmi3GetString)                       \
  F(fmi3SetString)                       \
  F(fmi3GetBinary)                       \
  F(fmi3SetBinary)                       \
  F(fmi3GetClock)                        \
  F(fmi3SetClock)                        \
  F(fmi3GetNumberOfVariableDependencies) \
  F(fmi3GetVariableDependencies)         \
  F(fmi3GetFMUState)                     \
  F(fmi3SetFMUState)                     \
  F(fmi3FreeFMUState)                    \
  F(fmi3SerializedFMUStateSize)          \
  F(fmi3SerializeFMUState)               \
  F(fmi3DeserializeFMUState)             \
  F(fmi3GetDirectionalDerivative)        \
  F(fmi3GetAdjointDerivative)            \
  F(fmi3GetIntervalDecimal)              \
  F(fmi3GetIntervalFraction)             \
  F(fmi3GetShiftDecimal)                 \
  F(fmi3GetShiftFraction)                \
  F(fmi3SetIntervalDecimal)              \
  F(fmi3SetIntervalFraction)             \
  F(fmi3SetShiftDecimal)                 \
  F(fmi3SetShiftFraction)                \
  F(fmi3EvaluateDiscreteStates)

#define FMI3_MODEL_EXCHANGE_FUNCTIONS(F) \
  F(fmi3InstantiateModelExchange)        \
  F(fmi3EnterEventMode)                  \
  F(fmi3UpdateDiscreteStates)            \
  F(fmi3EnterContinuousTimeMode)         \
  F(fmi3CompletedIntegratorStep)         \
  F(fmi3SetTime)                         \
  F(fmi3SetContinuousStates)             \
  F(fmi3GetContinuousStateDerivatives)   \
  F(fmi3GetEventIndicators)              \
  F(fmi3GetContinuousStates)             \
  F(fmi3GetNominalsOfContinuousStates)   \
  F(fmi3GetNumberOfEventIndicators)      \
  F(fmi3GetNumberOfContinuousStates)

#define FMI3_CO_SIMULATION_FUNCTIONS(F) \
  F(fmi3InstantiateCoSimulation)        \
  F(fmi3DoStep)

#define FMI3_OTHER_CO_SIMULATION_FUNCTIONS(F) \
  F(fmi3EnterStepMode)                        \
  F(fmi3GetOutputDerivatives)

#define FMI3_SCHEDULED_EXECUTION_FUNCTIONS(F) \
  F(fmi3InstantiateScheduledExecution)        \
  F(fmi3ActivateModelPartition)

#define FMI3_ALL_FUNCTIONS(F)           \
  FMI3_BASIC_FUNCTIONS(F)               \
  FMI3_OTHER_FUNCTIONS(F)               \
  FMI3_MODEL_EXCHANGE_FUNCTIONS(F)      \
  FMI3_CO_SIMULATION_FUNCTIONS(F)       \
  FMI3_OTHER_CO_SIMULATION_FUNCTIONS(F) \
  FMI3_SCHEDULED_EXECUTION_FUNCTIONS(F)

#ifdef __cplusplus
}
#endif

#endif
