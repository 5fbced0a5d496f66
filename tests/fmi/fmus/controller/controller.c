/* A discrete PI controller. At each sample, with the error r - y,
 *
 *   u = kp (r - y) + ki I,   and then   I = I + period (r - y).
 *
 * It samples at time events; compiled with CONTROLLER_CLOCK (FMI 3.0 only) when the importer ticks its clock. */
#include "layer/fmu.h"

typedef struct {
  double time;
  double r, y, u;
  double kp, ki, period; /* [-], [1/s], [s] */
  double integral;       /* [s] */
  bool sample;
  double begin; /* of the run [s] */
  double count; /* samples taken */
} Controller;

static const Variable kVariables[] = {
    SCALAR(kFloat64, Controller, time),   SCALAR(kFloat64, Controller, r),        SCALAR(kFloat64, Controller, y),
    SCALAR(kFloat64, Controller, u),      SCALAR(kFloat64, Controller, kp),       SCALAR(kFloat64, Controller, ki),
    SCALAR(kFloat64, Controller, period), SCALAR(kFloat64, Controller, integral),
#ifdef CONTROLLER_CLOCK
    SCALAR(kClock, Controller, sample),
#endif
};

static void start(void* data) {
  Controller* c = data;
  c->kp = 2.0;
  c->ki = 1.0;
  c->period = 0.01;
}

static void find_control(Controller* c) { c->u = c->kp * (c->r - c->y) + c->ki * c->integral; }

static void take_sample(Controller* c) {
  find_control(c);
  c->integral += c->period * (c->r - c->y);
}

#ifdef CONTROLLER_CLOCK
/* Asked for while the clock ticks, the control is that of this tick. */
static void calculate(Fmu* fmu) {
  Controller* c = (Controller*)(void*)fmu->data;
  if (c->sample) find_control(c);
}

static size_t clock_of(size_t variable) {
  const bool has_clock = variable <= 3 || variable == 7;
  return has_clock && variable > 0 ? 8 : 0;
}
#endif

static void event(Fmu* fmu, Events* events) {
  Controller* c = (Controller*)(void*)fmu->data;
#ifdef CONTROLLER_CLOCK
  (void)events;
  if (c->sample) take_sample(c);
  c->sample = false; /* a clock ticks for one evaluation only */
#else
  if (c->count == 0.0) c->begin = c->time;
  if (c->time >= c->begin + c->count * c->period) {
    take_sample(c);
    c->count += 1.0;
  }
  events->next = c->begin + c->count * c->period;
#endif
}

#ifdef CONTROLLER_CLOCK
static double clock_interval(Fmu* fmu) { return ((Controller*)(void*)fmu->data)->period; }
#endif

const Model model = {
#ifdef CONTROLLER_CLOCK
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0008}",
    .clock_interval = clock_interval,
    .calculate = calculate,
    .clock_of = clock_of,
#else
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0007}",
#endif
    .data_size = sizeof(Controller),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .start = start,
    .event = event,
};
