/* The interface of FMI 3.0 around a model: derivatives, clocks, events and steps. */
#include <math.h>
#include <string.h>

#include "fmi3_layer.h"

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance, fmi3ValueReference reference,
                                               size_t* nDependencies) {
  ENTER("dependencies");
  if (model.partial == NULL || reference >= model.variable_count) return fmi3Error;
  *nDependencies = 0;
  for (size_t by = 0; by < model.variable_count; ++by) {
    if (model.partial(fmu, reference, by) != 0.0) ++*nDependencies;
  }
  return fmi3OK;
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference dependent,
                                       size_t elementIndicesOfDependent[], fmi3ValueReference independents[],
                                       size_t elementIndicesOfIndependents[], fmi3DependencyKind dependencyKinds[],
                                       size_t nDependencies) {
  ENTER("dependencies");
  if (model.partial == NULL || dependent >= model.variable_count) return fmi3Error;
  size_t found = 0;
  for (size_t by = 0; by < model.variable_count && found < nDependencies; ++by) {
    if (model.partial(fmu, dependent, by) == 0.0) continue;
    elementIndicesOfDependent[found] = 1;
    independents[found] = (fmi3ValueReference)by;
    elementIndicesOfIndependents[found] = 1;
    dependencyKinds[found] = fmi3Dependent;
    ++found;
  }
  return found == nDependencies ? fmi3OK : fmi3Error;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t nUnknowns,
                                        const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[],
                                        size_t nSeed, fmi3Float64 sensitivity[], size_t nSensitivity) {
  ENTER("derivative");
  if (nSeed != nKnowns || nSensitivity != nUnknowns) return fmi3Error;
  return (fmi3Status)fmu_directional(fmu, unknowns, nUnknowns, knowns, nKnowns, seed, sensitivity);
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[], size_t nUnknowns,
                                    const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[],
                                    size_t nSeed, fmi3Float64 sensitivity[], size_t nSensitivity) {
  ENTER("derivative");
  if (nSeed != nUnknowns || nSensitivity != nKnowns) return fmi3Error;
  return (fmi3Status)fmu_adjoint(fmu, unknowns, nUnknowns, knowns, nKnowns, seed, sensitivity);
}

/* Clocks: what a model reports of them, in seconds and in microseconds. */

static bool get_interval(Fmu* fmu, size_t clock, double* interval, fmi3IntervalQualifier* qualifier) {
  if (fmu_length(fmu, clock, kClock) != 1) return false;
  if (model.report_interval) {
    const int reported = model.report_interval(fmu, clock, interval);
    if (reported < 0) {
      fmu->log(fmu, kError, "logStatusError", "the interval of this clock may not be asked for here");
      return false;
    }
    *qualifier = (fmi3IntervalQualifier)reported;
    return true;
  }
  if (model.clock_interval == NULL) return false;
  *interval = model.clock_interval(fmu);
  *qualifier =
      model.has_new_interval == NULL || model.has_new_interval(fmu) ? fmi3IntervalChanged : fmi3IntervalUnchanged;
  return true;
}

static bool get_shift(Fmu* fmu, size_t clock, double* shift) {
  if (fmu_length(fmu, clock, kClock) != 1) return false;
  *shift = model.clock_shift ? model.clock_shift(fmu, clock) : 0.0;
  if (!model.clock_shift || fmu->is_initializing) return true;
  fmu->log(fmu, kError, "logStatusError", "shifts are known in initialization mode");
  return false;
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                  fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]) {
  ENTER("get");
  for (size_t i = 0; i < count; ++i) {
    if (!get_interval(fmu, references[i], &intervals[i], &qualifiers[i])) return fmi3Error;
  }
  return fmi3OK;
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                   fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                   fmi3IntervalQualifier qualifiers[]) {
  ENTER("get");
  for (size_t i = 0; i < count; ++i) {
    double interval = 0.0;
    if (!get_interval(fmu, references[i], &interval, &qualifiers[i])) return fmi3Error;
    counters[i] = (fmi3UInt64)llround(1e6 * interval);
    resolutions[i] = 1000000;
  }
  return fmi3OK;
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                               fmi3Float64 shifts[]) {
  ENTER("get");
  for (size_t i = 0; i < count; ++i) {
    if (!get_shift(fmu, references[i], &shifts[i])) return fmi3Error;
  }
  return fmi3OK;
}

fmi3Status fmi3GetShiftFraction(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                fmi3UInt64 counters[], fmi3UInt64 resolutions[]) {
  ENTER("get");
  for (size_t i = 0; i < count; ++i) {
    double shift = 0.0;
    if (!get_shift(fmu, references[i], &shift)) return fmi3Error;
    counters[i] = (fmi3UInt64)llround(1e6 * shift);
    resolutions[i] = 1000000;
  }
  return fmi3OK;
}

/* Intervals and shifts are the model's own. */

static fmi3Status refuse(Fmu* fmu) {
  fmu->log(fmu, kError, "logStatusError", "the intervals of clocks cannot be set");
  return fmi3Error;
}

fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                  const fmi3Float64 intervals[]) {
  (void)references;
  (void)count;
  (void)intervals;
  return refuse(instance);
}

fmi3Status fmi3SetIntervalFraction(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                   const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]) {
  (void)references;
  (void)count;
  (void)counters;
  (void)resolutions;
  return refuse(instance);
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                               const fmi3Float64 shifts[]) {
  (void)references;
  (void)count;
  (void)shifts;
  return refuse(instance);
}

fmi3Status fmi3SetShiftFraction(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]) {
  (void)references;
  (void)count;
  (void)counters;
  (void)resolutions;
  return refuse(instance);
}

/* Events. */

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance) {
  ENTER("evaluate");
  fmu_refresh(fmu);
  return fmi3OK;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean* discreteStatesNeedUpdate,
                                    fmi3Boolean* terminateSimulation, fmi3Boolean* nominalsOfContinuousStatesChanged,
                                    fmi3Boolean* valuesOfContinuousStatesChanged, fmi3Boolean* nextEventTimeDefined,
                                    fmi3Float64* nextEventTime) {
  ENTER("update");
  Events events;
  fmu_update_events(fmu, &events);
  *discreteStatesNeedUpdate = events.need_update;
  *terminateSimulation = events.terminate;
  *nominalsOfContinuousStatesChanged = false;
  *valuesOfContinuousStatesChanged = events.values_changed;
  *nextEventTimeDefined = isfinite(events.next);
  *nextEventTime = isfinite(events.next) ? events.next : 0.0;
  return fmi3OK;
}

/* Model exchange. */

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance) {
  ENTER("enter_continuous");
  fmu->is_in_event = false;
  return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi3Boolean* enterEventMode, fmi3Boolean* terminateSimulation) {
  ENTER("completed_step");
  fmu->told.no_set = noSetFMUStatePriorToCurrentPoint;
  fmu->is_stale = true;
  *enterEventMode = false;
  *terminateSimulation = fmu->told.ends;
  return fmi3OK;
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time) {
  ENTER("set_time");
  *fmu_time(fmu) = time;
  fmu->is_stale = true;
  return fmi3OK;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 states[], size_t count) {
  ENTER("set_states");
  if (count != model.state_count) return fmi3Error;
  memcpy(fmu_states(fmu), states, count * sizeof *states);
  fmu->is_stale = true;
  return fmi3OK;
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 derivatives[], size_t count) {
  ENTER("get_derivatives");
  if (count != model.state_count) return fmi3Error;
  fmu_refresh(fmu);
  memcpy(derivatives, fmu->data + model.derivative_offset, count * sizeof *derivatives);
  return fmi3OK;
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 indicators[], size_t count) {
  ENTER("get_indicators");
  if (count != model.indicator_count) return fmi3Error;
  fmu_refresh(fmu);
  if (count > 0) model.indicate(fmu, indicators);
  return fmi3OK;
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 states[], size_t count) {
  ENTER("get_states");
  if (count != model.state_count) return fmi3Error;
  memcpy(states, fmu_states(fmu), count * sizeof *states);
  return fmi3OK;
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[], size_t count) {
  Fmu* fmu = instance;
  for (size_t i = 0; i < count; ++i) nominals[i] = 1.0;
  if (model.nominals) model.nominals(fmu, nominals);
  return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t* count) {
  (void)instance;
  *count = model.indicator_count;
  return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t* count) {
  (void)instance;
  *count = model.state_count;
  return fmi3OK;
}

/* Co-simulation. */

bool fmi3_update(Fmu* fmu, bool is_finished, double* until) {
  const fmi3IntermediateUpdateCallback update = (fmi3IntermediateUpdateCallback)fmu->intermediate;
  fmi3Boolean wants_return = false;
  fmi3Float64 time = *fmu_time(fmu);
  update(fmu->environment, time, !is_finished, true, is_finished, is_finished && fmu->may_return_early, &wants_return,
         &time);
  *until = time;
  return is_finished && fmu->may_return_early && wants_return;
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance) {
  ENTER("enter_step");
  fmu->is_in_event = false;
  return fmi3OK;
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference references[], size_t count,
                                    const fmi3Int32 orders[], fmi3Float64 values[], size_t nValues) {
  ENTER("get");
  fmu_refresh(fmu);
  if (nValues != count) return fmi3Error;
  for (size_t i = 0; i < count; ++i) {
    if (model.output_rate == NULL || orders[i] != 1) return fmi3Error;
    values[i] = model.output_rate(fmu, references[i]);
  }
  return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 currentCommunicationPoint, fmi3Float64 communicationStepSize,
                      fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean* eventHandlingNeeded,
                      fmi3Boolean* terminateSimulation, fmi3Boolean* earlyReturn, fmi3Float64* lastSuccessfulTime) {
  ENTER("step");
  fmu->told.no_set = noSetFMUStatePriorToCurrentPoint;
  StepReport report;
  const int status = model.step ? model.step(fmu, currentCommunicationPoint, communicationStepSize, &report)
                                : fmu_step(fmu, currentCommunicationPoint, communicationStepSize, &report);
  *eventHandlingNeeded = report.event_needed;
  *terminateSimulation = report.terminate;
  *earlyReturn = report.early_return;
  *lastSuccessfulTime = report.reached;
  return (fmi3Status)status;
}

/* Scheduled execution. */

fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference clock, fmi3Float64 activationTime) {
  (void)instance;
  (void)clock;
  (void)activationTime;
  return fmi3Error;
}
