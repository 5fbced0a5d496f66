/* A counter that climbs one step at each multiple of an interval, and asks to terminate at its last step. */
#include "layer/fmu.h"

typedef struct {
  double time;
  int32_t counter, last;
  double interval; /* [s] */
  double begin;    /* of the run [s] */
  bool has_begun;
} Stair;

static const Variable kVariables[] = {SCALAR(kFloat64, Stair, time), SCALAR(kInt32, Stair, counter),
                                      SCALAR(kFloat64, Stair, interval), SCALAR(kInt32, Stair, last)};

static void start(void* data) {
  Stair* stair = data;
  stair->interval = 1.0;
  stair->last = 10;
}

static void event(Fmu* fmu, Events* events) {
  Stair* stair = (Stair*)(void*)fmu->data;
  if (!stair->has_begun) {
    stair->has_begun = true;
    stair->begin = stair->time;
  } else if (stair->time >= stair->begin + (stair->counter + 1) * stair->interval) {
    ++stair->counter;
  }
  events->next = stair->begin + (stair->counter + 1) * stair->interval;
  events->terminate = stair->counter >= stair->last;
}

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0006}",
    .data_size = sizeof(Stair),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .start = start,
    .event = event,
};
