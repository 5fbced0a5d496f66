/* Van der Pol's oscillator:  x0' = x1,  x1' = mu (1 - x0^2) x1 - x0. */
#include "layer/fmu.h"

typedef struct {
  double time;
  double x[2], dx[2];
  double mu, step;
} Oscillator;

enum { kTime, kX0, kX1, kDerX0, kDerX1, kMu, kStep };

static const Variable kVariables[] = {SCALAR(kFloat64, Oscillator, time),  SCALAR(kFloat64, Oscillator, x[0]),
                                      SCALAR(kFloat64, Oscillator, x[1]),  SCALAR(kFloat64, Oscillator, dx[0]),
                                      SCALAR(kFloat64, Oscillator, dx[1]), SCALAR(kFloat64, Oscillator, mu),
                                      SCALAR(kFloat64, Oscillator, step)};

static void start(void* data) {
  Oscillator* oscillator = data;
  oscillator->x[0] = 2.0;
  oscillator->mu = 1.0;
  oscillator->step = 1e-3;
}

static void calculate(Fmu* fmu) {
  Oscillator* o = (Oscillator*)(void*)fmu->data;
  o->dx[0] = o->x[1];
  o->dx[1] = o->mu * (1.0 - o->x[0] * o->x[0]) * o->x[1] - o->x[0];
}

static double partial(Fmu* fmu, size_t of, size_t by) {
  const Oscillator* o = (const Oscillator*)(const void*)fmu->data;
  if (of == by) return 1.0;
  if (of == kDerX0) return by == kX1 ? 1.0 : 0.0;
  if (of != kDerX1) return 0.0;
  if (by == kX0) return -2.0 * o->mu * o->x[0] * o->x[1] - 1.0;
  return by == kX1 ? o->mu * (1.0 - o->x[0] * o->x[0]) : 0.0;
}

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0003}",
    .data_size = sizeof(Oscillator),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .state_offset = offsetof(Oscillator, x),
    .derivative_offset = offsetof(Oscillator, dx),
    .state_count = 2,
    .step_offset = offsetof(Oscillator, step),
    .start = start,
    .calculate = calculate,
    .partial = partial,
};
