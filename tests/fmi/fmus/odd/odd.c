/* y = u + time, x' = 1, and what real FMUs do that the standard does not want, or that few importers expect. From the
 * time `at` on it does what `behaviour` says:
 *
 *   end          asks to end the simulation: in the step, or in completedIntegratorStep
 *   end_event    asks for it at a time event
 *   foreign_log  writes to the log with a pointer that is no environment; null_log_environment: with none
 *   zero_nominal its nominal value is zero
 *   forget       forgets its input as soon as it has used it
 *
 * What it was told is shown by its outputs: `tolerance` (-1: none), `no_set` (noSetFMUStatePriorToCurrentPoint of the
 * last step), `has_step_finished`. Compiled with ODD_STATELESS it has no states. */
#include <math.h>
#include <string.h>

#include "layer/fmu.h"

typedef struct {
  double time;
  Text behaviour;
  double at; /* [s] */
  double u, y, x[1], dx[1];
  double tolerance;
  int32_t no_set, has_step_finished, steps;
} Odd;

static const Variable kVariables[] = {SCALAR(kFloat64, Odd, time),  SCALAR(kString, Odd, behaviour),
                                      SCALAR(kFloat64, Odd, at),    SCALAR(kFloat64, Odd, u),
                                      SCALAR(kFloat64, Odd, y),     SCALAR(kFloat64, Odd, x[0]),
                                      SCALAR(kFloat64, Odd, dx[0]), SCALAR(kFloat64, Odd, tolerance),
                                      SCALAR(kInt32, Odd, no_set),  SCALAR(kInt32, Odd, has_step_finished),
                                      SCALAR(kInt32, Odd, steps)};

static Odd* odd_of(Fmu* fmu) { return (Odd*)(void*)fmu->data; }

static bool is(Fmu* fmu, const char* what) { return strcmp(odd_of(fmu)->behaviour.text, what) == 0; }

static bool does(Fmu* fmu, const char* what) { return is(fmu, what) && odd_of(fmu)->time >= odd_of(fmu)->at; }

static void start(void* data) {
  Odd* odd = data;
  strcpy(odd->behaviour.text, "none");
  odd->at = 0.5;
}

static void calculate(Fmu* fmu) {
  Odd* odd = odd_of(fmu);
  odd->y = odd->u + odd->time;
  odd->dx[0] = 1.0;
  if (is(fmu, "forget")) odd->u = 0.0;
  odd->tolerance = fmu->told.has_tolerance ? fmu->told.tolerance : -1.0;
  odd->no_set = fmu->told.no_set;
  odd->has_step_finished = fmu->told.has_step_finished;
}

static void event(Fmu* fmu, Events* events) {
  if (is(fmu, "end_event") && odd_of(fmu)->time < odd_of(fmu)->at) events->next = odd_of(fmu)->at;
  events->terminate = does(fmu, "end_event");
}

static int enter(Fmu* fmu, const char* call) {
  static int nobody[64];
  if (strcmp(call, "step") != 0 && strcmp(call, "completed_step") != 0) return kOk;
  ++odd_of(fmu)->steps;
  void* const own = fmu->environment;
  if (does(fmu, "foreign_log")) fmu->environment = nobody;
  if (does(fmu, "null_log_environment")) fmu->environment = NULL;
  if (fmu->environment != own) fmu->log(fmu, kWarning, "logAll", "somebody writes");
  fmu->environment = own;
  fmu->told.ends = does(fmu, "end");
  return kOk;
}

static int step(Fmu* fmu, double begin, double length, StepReport* report) {
  const double at = odd_of(fmu)->at;
  const bool ends = is(fmu, "end") && begin + length >= at;
  const int status = fmu_step(fmu, begin, ends ? fmax(0.0, at - begin) : length, report);
  report->early_return = report->reached < begin + length;
  report->terminate = report->terminate || ends;
  return status;
}

#ifndef ODD_STATELESS
static void nominals(Fmu* fmu, double* values) {
  if (is(fmu, "zero_nominal")) values[0] = 0.0;
}
#endif

const Model model = {
#ifdef ODD_STATELESS
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0022}",
#else
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0021}",
    .state_offset = offsetof(Odd, x),
    .derivative_offset = offsetof(Odd, dx),
    .state_count = 1,
    .nominals = nominals,
#endif
    .data_size = sizeof(Odd),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .start = start,
    .calculate = calculate,
    .event = event,
    .enter = enter,
    .step = step,
};
