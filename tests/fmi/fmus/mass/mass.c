/* A mass on a spring and a damper to ground, with a force on it:  m x'' = f - k x - c x'.
 *
 * In co-simulation of FMI 2.0 the force may have a rate within the step. Compiled with MASS_UPDATES it is
 * `mass_update`, which asks the importer for the force at each stage of its inner steps. */
#include "layer/fmu.h"

typedef struct {
  double time;
  double x[2], dx[2];   /* position and velocity, and their derivatives */
  double force;         /* [N] at the start of the communication step */
  double m, k, c, step; /* [kg], [N/m], [N s/m], [s] */
  double force_rate;    /* [N/s] */
} Mass;

enum { kTime, kX, kV, kDerX, kDerV, kForce, kM, kK, kC, kStep };

static const Variable kVariables[] = {SCALAR(kFloat64, Mass, time),  SCALAR(kFloat64, Mass, x[0]),
                                      SCALAR(kFloat64, Mass, x[1]),  SCALAR(kFloat64, Mass, dx[0]),
                                      SCALAR(kFloat64, Mass, dx[1]), SCALAR(kFloat64, Mass, force),
                                      SCALAR(kFloat64, Mass, m),     SCALAR(kFloat64, Mass, k),
                                      SCALAR(kFloat64, Mass, c),     SCALAR(kFloat64, Mass, step)};

static void start(void* data) {
  Mass* mass = data;
  mass->x[0] = 0.1;
  mass->m = 1.0;
  mass->k = 100.0;
  mass->c = 0.5;
  mass->step = 1e-3;
}

static void calculate(Fmu* fmu) {
  Mass* mass = (Mass*)(void*)fmu->data;
  const double force = mass->force + mass->force_rate * (mass->time - fmu->step_start);
  mass->dx[0] = mass->x[1];
  mass->dx[1] = (force - mass->k * mass->x[0] - mass->c * mass->x[1]) / mass->m;
}

static double partial(Fmu* fmu, size_t of, size_t by) {
  const Mass* mass = (const Mass*)(const void*)fmu->data;
  if (of == by) return 1.0;
  if (of == kDerX) return by == kV ? 1.0 : 0.0;
  if (of != kDerV) return 0.0;
  return by == kX ? -mass->k / mass->m : by == kV ? -mass->c / mass->m : by == kForce ? 1.0 / mass->m : 0.0;
}

static double output_rate(Fmu* fmu, size_t variable) {
  const Mass* mass = (const Mass*)(const void*)fmu->data;
  return variable == kX ? mass->dx[0] : variable == kV ? mass->dx[1] : 0.0;
}

static int set_input_rate(Fmu* fmu, size_t variable, double rate) {
  if (variable != kForce) return kError;
  ((Mass*)(void*)fmu->data)->force_rate = rate;
  fmu->is_stale = true;
  return kOk;
}

const Model model = {
#ifdef MASS_UPDATES
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0005}",
    .updates = true,
#else
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0001}",
#endif
    .data_size = sizeof(Mass),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .state_offset = offsetof(Mass, x),
    .derivative_offset = offsetof(Mass, dx),
    .state_count = 2,
    .step_offset = offsetof(Mass, step),
    .start = start,
    .calculate = calculate,
    .partial = partial,
    .output_rate = output_rate,
    .set_input_rate = set_input_rate,
};
