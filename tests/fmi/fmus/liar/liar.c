/* x' = -x + u, and claims that are not true: each instance starts from another value than the one before it, a saved
 * state is not taken back, and the directional derivatives have the wrong sign. Compiled with LIAR_CRASH or LIAR_HANG
 * it ends its process, or does not come back, when it steps. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/fmu.h"

typedef struct {
  double time;
  double x[1], dx[1];
  double u;
} Liar;

static const Variable kVariables[] = {SCALAR(kFloat64, Liar, time), SCALAR(kFloat64, Liar, x[0]),
                                      SCALAR(kFloat64, Liar, dx[0]), SCALAR(kFloat64, Liar, u)};

static Liar* liar_of(Fmu* fmu) { return (Liar*)(void*)fmu->data; }

static void start(void* data) {
  static atomic_int instances;
  ((Liar*)data)->x[0] = 1.0 + atomic_fetch_add(&instances, 1);
}

static void calculate(Fmu* fmu) { liar_of(fmu)->dx[0] = liar_of(fmu)->u - liar_of(fmu)->x[0]; }

static double partial(Fmu* fmu, size_t of, size_t by) {
  (void)fmu;
  if (of == 2) return by == 1 ? 1.0 : by == 3 ? -1.0 : 0.0;
  return of == 1 && by == 1 ? -1.0 : 0.0;
}

static int enter(Fmu* fmu, const char* call) {
  (void)fmu;
#ifdef LIAR_CRASH
  if (strcmp(call, "step") == 0 || strcmp(call, "completed_step") == 0) abort();
#endif
#ifdef LIAR_HANG
  while (strcmp(call, "step") == 0 || strcmp(call, "completed_step") == 0) pause();
#endif
  return strcmp(call, "set_state") == 0 ? kError : kOk;
}

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0024}",
    .data_size = sizeof(Liar),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .state_offset = offsetof(Liar, x),
    .derivative_offset = offsetof(Liar, dx),
    .state_count = 1,
    .start = start,
    .calculate = calculate,
    .partial = partial,
    .enter = enter,
};
