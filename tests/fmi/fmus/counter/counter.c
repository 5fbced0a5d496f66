/* Counts the ticks of its input clock and adds up what is there at each: all of it is known while the clock ticks.
 * Each third tick its output clock `carry` ticks at the same instant. `wish`, which has no clock, is 1 up to the
 * `limit`-th tick, and `wish_late` from then on. FMI 3.0 only. */
#include "layer/fmu.h"

typedef struct {
  double time;
  double u;
  int32_t count, count_before;
  double sum, sum_before;
  double moment; /* of the last tick [s] */
  double wish, wish_late;
  int32_t limit;
  bool tick, carry;
} Counter;

enum { kInput = 1, kCount, kSum, kMoment, kWish, kWishLate, kLimit, kTick, kCarry };

static const Variable kVariables[] = {SCALAR(kFloat64, Counter, time),      SCALAR(kFloat64, Counter, u),
                                      SCALAR(kInt32, Counter, count),       SCALAR(kFloat64, Counter, sum),
                                      SCALAR(kFloat64, Counter, moment),    SCALAR(kFloat64, Counter, wish),
                                      SCALAR(kFloat64, Counter, wish_late), SCALAR(kInt32, Counter, limit),
                                      SCALAR(kClock, Counter, tick),        SCALAR(kClock, Counter, carry)};

static void start(void* data) {
  Counter* c = data;
  c->wish = c->wish_late = 1.0;
  c->limit = 1000000;
}

static void calculate(Fmu* fmu) {
  Counter* c = (Counter*)(void*)fmu->data;
  c->carry = false;
  if (!c->tick) return;
  c->count = c->count_before + 1;
  c->sum = c->sum_before + c->u;
  c->moment = c->time;
  c->carry = c->count % 3 == 0;
}

static void event(Fmu* fmu, Events* events) {
  Counter* c = (Counter*)(void*)fmu->data;
  (void)events;
  c->count_before = c->count;
  c->sum_before = c->sum;
  c->wish = c->count >= c->limit ? c->wish_late : 1.0;
  c->tick = false;
}

static size_t clock_of(size_t variable) { return variable >= kInput && variable <= kMoment ? kTick : 0; }

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0021}",
    .data_size = sizeof(Counter),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .start = start,
    .calculate = calculate,
    .event = event,
    .clock_of = clock_of,
};
