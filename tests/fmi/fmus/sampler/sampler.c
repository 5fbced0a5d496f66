/* Measures a distance that grows steadily, x' = speed, and ticks its output clock each time that another `pitch` of it
 * is complete. At a tick, `mark` is the distance there. The discrete input `factor` makes the next marks farther
 * apart. FMI 3.0 only. */
#include "layer/fmu.h"

typedef struct {
  double time;
  double x[1], dx[1];
  double speed, pitch; /* [m/s], [m] */
  double mark;         /* [m] */
  double next;         /* where the next tick is [m] */
  double factor;
  double indicator;
  bool tick;
} Sampler;

enum { kMark = 5, kTick = 9 };

static const Variable kVariables[] = {SCALAR(kFloat64, Sampler, time),      SCALAR(kFloat64, Sampler, x[0]),
                                      SCALAR(kFloat64, Sampler, dx[0]),     SCALAR(kFloat64, Sampler, speed),
                                      SCALAR(kFloat64, Sampler, pitch),     SCALAR(kFloat64, Sampler, mark),
                                      SCALAR(kFloat64, Sampler, next),      SCALAR(kFloat64, Sampler, factor),
                                      SCALAR(kFloat64, Sampler, indicator), SCALAR(kClock, Sampler, tick)};

static Sampler* sampler_of(Fmu* fmu) { return (Sampler*)(void*)fmu->data; }

static void start(void* data) {
  Sampler* s = data;
  s->speed = 2.0;
  s->pitch = 0.5;
  s->factor = 1.0;
}

static double next_of(const Sampler* s) { return s->next > 0.0 ? s->next : s->pitch; }

static void calculate(Fmu* fmu) {
  Sampler* s = sampler_of(fmu);
  s->dx[0] = s->speed;
  s->indicator = next_of(s) - s->x[0];
  s->tick = fmu->is_in_event && s->indicator <= 1e-12 * next_of(s);
  if (s->tick) s->mark = s->x[0];
}

static void indicate(Fmu* fmu, double* indicators) { indicators[0] = sampler_of(fmu)->indicator; }

static void event(Fmu* fmu, Events* events) {
  Sampler* s = sampler_of(fmu);
  (void)events;
  if (s->tick) s->next = next_of(s) + s->factor * s->pitch;
}

static size_t clock_of(size_t variable) { return variable == kMark ? kTick : 0; }

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0020}",
    .data_size = sizeof(Sampler),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .state_offset = offsetof(Sampler, x),
    .derivative_offset = offsetof(Sampler, dx),
    .state_count = 1,
    .indicator_count = 1,
    .start = start,
    .calculate = calculate,
    .indicate = indicate,
    .event = event,
    .clock_of = clock_of,
};
