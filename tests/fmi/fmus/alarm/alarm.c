/* An alarm that counts down: the k-th time it waits k times `first`, so that it rings at first k (k + 1) / 2. Its input
 * clock `countdown` is ticked by the importer, which asks for the interval; its output clock `ring` ticks at the same
 * instant, and `rings` is how often it has. FMI 3.0 only. */
#include "layer/fmu.h"

typedef struct {
  double time;
  double first; /* [s] */
  int32_t rings, rings_before;
  bool countdown, ring;
  bool is_new; /* the interval */
} Alarm;

enum { kFirst = 1, kRings, kCountdown, kRing };

static const Variable kVariables[] = {SCALAR(kFloat64, Alarm, time), SCALAR(kFloat64, Alarm, first),
                                      SCALAR(kInt32, Alarm, rings), SCALAR(kClock, Alarm, countdown),
                                      SCALAR(kClock, Alarm, ring)};

static Alarm* alarm_of(Fmu* fmu) { return (Alarm*)(void*)fmu->data; }

static void start(void* data) {
  Alarm* a = data;
  a->first = 0.1;
  a->is_new = true;
}

static void calculate(Fmu* fmu) {
  Alarm* a = alarm_of(fmu);
  a->ring = a->countdown;
  if (a->countdown) a->rings = a->rings_before + 1;
}

static void event(Fmu* fmu, Events* events) {
  Alarm* a = alarm_of(fmu);
  (void)events;
  if (a->countdown) a->is_new = true;
  a->rings_before = a->rings;
  a->countdown = false;
}

static double clock_interval(Fmu* fmu) {
  Alarm* a = alarm_of(fmu);
  return (double)(a->rings + 1) * a->first;
}

static bool has_new_interval(Fmu* fmu) {
  const bool is_new = alarm_of(fmu)->is_new;
  alarm_of(fmu)->is_new = false;
  return is_new;
}

static size_t clock_of(size_t variable) { return variable == kRings ? kRing : 0; }

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0022}",
    .data_size = sizeof(Alarm),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .start = start,
    .calculate = calculate,
    .event = event,
    .clock_interval = clock_interval,
    .has_new_interval = has_new_interval,
    .clock_of = clock_of,
};
