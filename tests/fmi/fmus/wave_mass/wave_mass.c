/* A free mass at the end of a transmission line, which it knows by the incoming wave and the impedance:
 *
 *   F = c - Z v,   m v' = F
 *
 * so that its own solver meets the line's law at each of its stages, however long the communication step is. */
#include "layer/fmu.h"

typedef struct {
  double time;
  double x[2], dx[2]; /* position and velocity, and their derivatives */
  double wave;        /* [N] */
  double impedance;   /* [N s/m] */
  double force;       /* [N] */
  double m, step;     /* [kg], [s] */
} WaveMass;

static const Variable kVariables[] = {SCALAR(kFloat64, WaveMass, time),      SCALAR(kFloat64, WaveMass, x[0]),
                                      SCALAR(kFloat64, WaveMass, x[1]),      SCALAR(kFloat64, WaveMass, dx[0]),
                                      SCALAR(kFloat64, WaveMass, dx[1]),     SCALAR(kFloat64, WaveMass, wave),
                                      SCALAR(kFloat64, WaveMass, impedance), SCALAR(kFloat64, WaveMass, force),
                                      SCALAR(kFloat64, WaveMass, m),         SCALAR(kFloat64, WaveMass, step)};

static void start(void* data) {
  WaveMass* mass = data;
  mass->m = 1.0;
  mass->step = 1e-4;
}

static void calculate(Fmu* fmu) {
  WaveMass* mass = (WaveMass*)(void*)fmu->data;
  mass->force = mass->wave - mass->impedance * mass->x[1];
  mass->dx[0] = mass->x[1];
  mass->dx[1] = mass->force / mass->m;
}

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0002}",
    .data_size = sizeof(WaveMass),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .state_offset = offsetof(WaveMass, x),
    .derivative_offset = offsetof(WaveMass, dx),
    .state_count = 2,
    .step_offset = offsetof(WaveMass, step),
    .start = start,
    .calculate = calculate,
};
