/* A clock of each kind that an importer ticks by time, which counts its ticks and notes the time of the last one:
 * - constant: every 0.25 s from 0.1 s on, as the description states;
 * - fixed: by two fixed parameters, as fractions; its output clock `beat` ticks at the same instants;
 * - tunable: every `period` seconds, from the start on;
 * - changing: 0.1 s and 0.4 s after the tick before, in turn;
 * - countdown: 0.03 s after each second tick of the constant clock.
 * It refuses to report intervals and shifts that it may not be asked for. FMI 3.0 only. */
#include "layer/fmu.h"

enum { kConstant, kFixed, kTunable, kChanging, kCountdown, kKinds };

typedef struct {
  double time;
  double fixed_interval, fixed_shift, period; /* [s] */
  int32_t count[kKinds], count_before[kKinds];
  double moment[kKinds]; /* of the last tick [s] */
  bool clock[kKinds], beat;
  bool has_news[kKinds], is_known[kKinds]; /* of the intervals */
  double reported_period;                  /* [s] */
} Clocks;

enum { kPeriod = 3, kCount = 4, kMoment = kCount + kKinds, kClocks = kMoment + kKinds, kBeat = kClocks + kKinds };

#define EACH(kind, member)                                                              \
  SCALAR(kind, Clocks, member[0]), SCALAR(kind, Clocks, member[1]), SCALAR(kind, Clocks, member[2]), \
      SCALAR(kind, Clocks, member[3]), SCALAR(kind, Clocks, member[4])

static const Variable kVariables[] = {SCALAR(kFloat64, Clocks, time),
                                      SCALAR(kFloat64, Clocks, fixed_interval),
                                      SCALAR(kFloat64, Clocks, fixed_shift),
                                      SCALAR(kFloat64, Clocks, period),
                                      EACH(kInt32, count),
                                      EACH(kFloat64, moment),
                                      EACH(kClock, clock),
                                      SCALAR(kClock, Clocks, beat)};

static Clocks* clocks_of(Fmu* fmu) { return (Clocks*)(void*)fmu->data; }

static void start(void* data) {
  Clocks* c = data;
  c->fixed_interval = 0.2;
  c->fixed_shift = 0.05;
  c->period = 0.3;
  c->has_news[kChanging] = true;
}

static void calculate(Fmu* fmu) {
  Clocks* c = clocks_of(fmu);
  for (int k = 0; k < kKinds; ++k) {
    if (!c->clock[k]) continue;
    c->count[k] = c->count_before[k] + 1;
    c->moment[k] = c->time;
  }
  c->beat = c->clock[kFixed];
}

static void event(Fmu* fmu, Events* events) {
  Clocks* c = clocks_of(fmu);
  (void)events;
  for (int k = 0; k < kKinds; ++k) {
    if (c->clock[k] && k == kChanging) c->has_news[kChanging] = true;
    if (c->clock[k] && k == kConstant && c->count[k] % 2 == 0) c->has_news[kCountdown] = true;
    c->count_before[k] = c->count[k];
    c->clock[k] = false;
  }
}

static int report_interval(Fmu* fmu, size_t clock, double* interval) {
  enum { kNotYetKnown, kUnchanged, kChanged };
  Clocks* c = clocks_of(fmu);
  const size_t kind = clock - kClocks;
  if (kind == kConstant || (kind == kFixed && !fmu->is_initializing)) return -1;
  if (kind == kFixed) {
    *interval = c->fixed_interval;
    return kChanged;
  }
  if (kind == kTunable) {
    *interval = c->period;
    const bool is_new = c->period != c->reported_period;
    c->reported_period = c->period;
    return is_new ? kChanged : kUnchanged;
  }
  *interval = kind == kCountdown ? 0.03 : c->count[kChanging] % 2 == 0 ? 0.1 : 0.4;
  const bool is_new = c->has_news[kind];
  c->has_news[kind] = false;
  if (is_new) c->is_known[kind] = true;
  return is_new ? kChanged : c->is_known[kind] ? kUnchanged : kNotYetKnown;
}

static double clock_shift(Fmu* fmu, size_t clock) {
  return clock == kClocks + kFixed ? clocks_of(fmu)->fixed_shift : 0.0;
}

static size_t clock_of(size_t variable) {
  if (variable < kCount || variable >= kClocks) return 0;
  return kClocks + (variable - kCount) % kKinds;
}

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0031}",
    .data_size = sizeof(Clocks),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .start = start,
    .calculate = calculate,
    .event = event,
    .report_interval = report_interval,
    .clock_shift = clock_shift,
    .clock_of = clock_of,
};
