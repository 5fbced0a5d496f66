/* Counts how often it is asked: calls that read values, that set them, steps, and savings of its state, of one instance
 * since its instantiation. y = u + time. A step computes for `work` rounds, and so does whoever reads after a step or a
 * setting for `output_work`, as FMUs do that evaluate their equations then. */
#include <math.h>
#include <string.h>

#include "layer/fmu.h"

typedef struct {
  double time;
  double u, v, y;
  double gets, sets, steps, saves;
  double work, output_work; /* rounds */
  double burnt;
} Meter;

static const Variable kVariables[] = {SCALAR(kFloat64, Meter, time),        SCALAR(kFloat64, Meter, u),
                                      SCALAR(kFloat64, Meter, y),           SCALAR(kFloat64, Meter, gets),
                                      SCALAR(kFloat64, Meter, sets),        SCALAR(kFloat64, Meter, steps),
                                      SCALAR(kFloat64, Meter, saves),       SCALAR(kFloat64, Meter, work),
                                      SCALAR(kFloat64, Meter, output_work), SCALAR(kFloat64, Meter, v)};

static Meter* meter_of(Fmu* fmu) { return (Meter*)(void*)fmu->data; }

static void start(void* data) { (void)data; }

static void burn(Meter* m, double rounds) {
  double x = 0.5;
  for (double k = 0.0; k < rounds; k += 1.0) x = sin(x) + 0.5;
  m->burnt = x;
}

static void calculate(Fmu* fmu) {
  Meter* m = meter_of(fmu);
  burn(m, m->output_work);
  m->y = m->u + m->time;
}

static int enter(Fmu* fmu, const char* call) {
  Meter* m = meter_of(fmu);
  if (strcmp(call, "get") == 0) m->gets += 1.0;
  if (strcmp(call, "set") == 0) m->sets += 1.0;
  if (strcmp(call, "get_state") == 0) m->saves += 1.0;
  if (strcmp(call, "step") == 0) {
    m->steps += 1.0;
    burn(m, m->work);
  }
  return kOk;
}

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0023}",
    .data_size = sizeof(Meter),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .start = start,
    .calculate = calculate,
    .enter = enter,
};
