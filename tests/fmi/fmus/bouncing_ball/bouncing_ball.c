/* A ball that falls and bounces: h'' = -g, and v becomes -e v where h falls through zero, until a bounce is slower than
 * v_min; then the ball lies still. With a hysteresis the indicator is on one side of zero or the other by that much,
 * and leaving the ground is an event as well. */
#include <float.h>

#include "layer/fmu.h"

typedef struct {
  double time;
  double x[2], dx[2];       /* height and velocity, and their derivatives */
  double gravity, e, v_min; /* [m/s2], [-], [m/s] */
  int32_t bounces;
  double step;       /* [s] */
  double indicator;  /* [m] */
  double h_bounce;   /* height right after a bounce [m] */
  double hysteresis; /* [m] */
  bool lies, is_above;
} Ball;

static const Variable kVariables[] = {
    SCALAR(kFloat64, Ball, time),      SCALAR(kFloat64, Ball, x[0]),      SCALAR(kFloat64, Ball, x[1]),
    SCALAR(kFloat64, Ball, dx[0]),     SCALAR(kFloat64, Ball, dx[1]),     SCALAR(kFloat64, Ball, gravity),
    SCALAR(kFloat64, Ball, e),         SCALAR(kFloat64, Ball, v_min),     SCALAR(kInt32, Ball, bounces),
    SCALAR(kFloat64, Ball, step),      SCALAR(kFloat64, Ball, indicator), SCALAR(kFloat64, Ball, h_bounce),
    SCALAR(kFloat64, Ball, hysteresis)};

static Ball* ball_of(Fmu* fmu) { return (Ball*)(void*)fmu->data; }

static void start(void* data) {
  Ball* ball = data;
  ball->x[0] = 1.0;
  ball->gravity = 9.81;
  ball->e = 0.7;
  ball->v_min = 0.1;
  ball->step = 1e-2;
  ball->is_above = true;
  ball->h_bounce = DBL_MIN; /* above zero, so that leaving the ground is no event */
}

static void calculate(Fmu* fmu) {
  Ball* ball = ball_of(fmu);
  ball->dx[0] = ball->x[1];
  ball->dx[1] = ball->lies ? 0.0 : -ball->gravity;
  ball->indicator = ball->lies ? 1.0 : ball->x[0] + (ball->is_above ? ball->hysteresis : -ball->hysteresis);
}

static void indicate(Fmu* fmu, double* indicators) { indicators[0] = ball_of(fmu)->indicator; }

static void event(Fmu* fmu, Events* events) {
  Ball* ball = ball_of(fmu);
  const bool has_hysteresis = ball->hysteresis > 0.0;
  if (has_hysteresis) ball->is_above = ball->x[0] > 0.0;
  if (ball->lies || ball->x[0] > 0.0 || ball->x[1] >= 0.0) return;
  if (!has_hysteresis) ball->x[0] = ball->h_bounce;
  ball->x[1] = -ball->e * ball->x[1];
  ++ball->bounces;
  if (ball->x[1] < ball->v_min) {
    ball->x[1] = 0.0;
    ball->lies = true;
  }
  events->values_changed = true;
}

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0004}",
    .data_size = sizeof(Ball),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .state_offset = offsetof(Ball, x),
    .derivative_offset = offsetof(Ball, dx),
    .state_count = 2,
    .indicator_count = 1,
    .step_offset = offsetof(Ball, step),
    .start = start,
    .calculate = calculate,
    .indicate = indicate,
    .event = event,
};
