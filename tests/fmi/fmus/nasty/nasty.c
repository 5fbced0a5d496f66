/* x' = u, and whatever can go wrong with an FMU: at the call named by `call`, from the time `at` on, it does what
 * `behaviour` says:
 *
 *   crash   writes to a place that is not there      warning, discard, error, fatal   is the answer
 *   abort   ends the process by abort()              status   answers with a number that is no status
 *   exit    ends the process with code 3             nan      outputs and derivatives are no numbers from then on
 *   corrupt frees what was never allocated           chatter  writes ten thousand messages
 *   loop    never comes back                         null_log writes a message without any text
 *   wrong_time  a step that is cut short before it began
 *   pending     a step in a thread of its own (2.0); pending_forever: one that never ends; pending_late: one that calls
 *               back some time after its status says that it is over
 *   wrong_update  asks for values at a time before the step (3.0)
 *   nan_indicator, nan_nominal  numbers that are none, at any call
 *   rounding, locale, signals, folder  changes that of its process
 *   resources   is an error where the folder of its resources does not exist
 *
 * Calls: setup, enter_initialization, exit_initialization, get, set, step, terminate, free, reset, get_state,
 * set_state, update, set_time, get_derivatives, completed_step. An instance whose name begins with "refuse" is not
 * made, one whose name begins with "crash" crashes at once. Compiled with NASTY_ONCE only one instance lives in a
 * process. */
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/fmu.h"

typedef struct {
  double time;
  Text behaviour, call;
  double at; /* [s] */
  double x[1], dx[1], u, z;
  bool is_nan;
} Nasty;

static const Variable kVariables[] = {SCALAR(kFloat64, Nasty, time), SCALAR(kString, Nasty, behaviour),
                                      SCALAR(kString, Nasty, call),  SCALAR(kFloat64, Nasty, at),
                                      SCALAR(kFloat64, Nasty, x[0]), SCALAR(kFloat64, Nasty, dx[0]),
                                      SCALAR(kFloat64, Nasty, u),    SCALAR(kFloat64, Nasty, z)};

#ifdef NASTY_ONCE
static _Atomic int living;
#endif

static Nasty* nasty_of(Fmu* fmu) { return (Nasty*)(void*)fmu->data; }

static void start(void* data) {
  Nasty* nasty = data;
  strcpy(nasty->behaviour.text, "none");
  strcpy(nasty->call.text, "step");
  nasty->u = 1.0;
}

static bool does(Fmu* fmu, const char* what) {
  const Nasty* nasty = nasty_of(fmu);
  return strcmp(nasty->behaviour.text, what) == 0 && nasty->time >= nasty->at;
}

static void indicate(Fmu* fmu, double* indicators) { indicators[0] = nasty_of(fmu)->z; }

static void nominals(Fmu* fmu, double* values) {
  if (does(fmu, "nan_nominal")) values[0] = NAN;
}

/* What the whole process shares. */
static void change_process(const char* what) {
  if (strcmp(what, "rounding") == 0) fesetround(FE_UPWARD);
  if (strcmp(what, "locale") == 0) setlocale(LC_ALL, "C.UTF-8");
  if (strcmp(what, "folder") == 0 && chdir("/") != 0) abort();
  if (strcmp(what, "signals") == 0) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
  }
}

static void calculate(Fmu* fmu) {
  Nasty* nasty = nasty_of(fmu);
  nasty->dx[0] = nasty->is_nan ? NAN : nasty->u;
  nasty->z = does(fmu, "nan_indicator") ? NAN : 1.0;
  if (nasty->is_nan) nasty->x[0] = NAN;
}

static void crash(void) {
  static volatile int* volatile nowhere = (volatile int*)8;
  *nowhere = 1;
}

static int misbehave(Fmu* fmu) {
  Nasty* nasty = nasty_of(fmu);
  const char* what = nasty->behaviour.text;
  static const char* kAnswers[] = {"none", "warning", "discard", "error", "fatal"};
  for (int status = kOk; status <= kFatal; ++status) {
    if (strcmp(what, kAnswers[status]) != 0) continue;
    if (status != kOk) fmu->log(fmu, status, "logStatusError", "as it was told");
    return status;
  }
  change_process(what);
  if (strcmp(what, "resources") == 0 && !fmu->has_resources) return kError;
  if (strcmp(what, "status") == 0) return 42;
  if (strcmp(what, "crash") == 0) crash();
  if (strcmp(what, "abort") == 0) abort();
  if (strcmp(what, "exit") == 0) exit(3);
  if (strcmp(what, "nan") == 0) nasty->is_nan = fmu->is_stale = true;
  if (strcmp(what, "null_log") == 0) fmu->log(fmu, kWarning, NULL, NULL);
  if (strcmp(what, "corrupt") == 0) {
    char* volatile middle = fmu->name + 8;
    free(middle);
  }
  if (strcmp(what, "chatter") == 0) {
    char text[64];
    for (int i = 0; i < 10000; ++i) {
      snprintf(text, sizeof text, "message %d", i);
      fmu->log(fmu, kOk, "logAll", text);
    }
  }
  while (strcmp(what, "loop") == 0) {
    static volatile int turns;
    ++turns;
  }
  return kOk;
}

/* A thread that has reported its end is still in the code of this library for a while, which must not go before. */
static void join_thread(Fmu* fmu) {
  if (fmu->has_step_thread) pthread_join(fmu->step_thread, NULL);
  fmu->has_step_thread = false;
}

static int enter(Fmu* fmu, const char* call) {
  if (strcmp(call, "free") == 0) join_thread(fmu);
#ifdef NASTY_ONCE
  if (strcmp(call, "free") == 0) --living;
#endif
  const Nasty* nasty = nasty_of(fmu);
  if (strcmp(call, "step") == 0 || strcmp(call, nasty->call.text) != 0 || nasty->time < nasty->at) return kOk;
  return misbehave(fmu);
}

typedef struct {
  Fmu* fmu;
  double begin, length;
} Order;

static void* run_order(void* argument) {
  Order order = *(Order*)argument;
  free(argument);
  StepReport report;
  const int status = fmu_step(order.fmu, order.begin, order.length, &report);
  fmu_set_step_status(order.fmu, status);
  if (strcmp(nasty_of(order.fmu)->behaviour.text, "pending_late") == 0) usleep(3000);
  if (order.fmu->finished) order.fmu->finished(order.fmu, status);
  return NULL;
}

static int start_thread(Fmu* fmu, double begin, double length) {
  Order* order = malloc(sizeof *order);
  if (order == NULL) return kError;
  *order = (Order){fmu, begin, length};
  fmu_set_step_status(fmu, kPending);
  join_thread(fmu);
  if (pthread_create(&fmu->step_thread, NULL, run_order, order) != 0) {
    free(order);
    return kError;
  }
  fmu->has_step_thread = true;
  return kPending;
}

static int step(Fmu* fmu, double begin, double length, StepReport* report) {
  Nasty* nasty = nasty_of(fmu);
  *report = (StepReport){.reached = begin};
  nasty->time = begin;
  if (strcmp(nasty->call.text, "step") == 0 && begin + length > nasty->at) {
    const char* what = nasty->behaviour.text;
    if (strcmp(what, "wrong_time") == 0) {
      nasty->time = report->reached = begin - 1.0;
      report->early_return = true;
      return kOk;
    }
    if (strcmp(what, "wrong_update") == 0 && fmu->update) {
      double until = begin;
      nasty->time = begin - 1.0;
      fmu->update(fmu, true, &until);
      nasty->time = begin;
    }
    if (strcmp(what, "pending") == 0 || strcmp(what, "pending_late") == 0) return start_thread(fmu, begin, length);
    if (strcmp(what, "pending_forever") == 0) {
      fmu_set_step_status(fmu, kPending);
      return kPending;
    }
    const int status = misbehave(fmu);
    if (status != kOk) return status;
  }
  return fmu_step(fmu, begin, length, report);
}

static bool accepts_name(const char* name) {
  if (strncmp(name, "crash", 5) == 0) crash();
  if (strncmp(name, "refuse", 6) == 0) return false;
#ifdef NASTY_ONCE
  if (++living > 1) {
    --living;
    return false;
  }
#endif
  return true;
}

const Model model = {
#ifdef NASTY_ONCE
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b000c}",
#else
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b000b}",
#endif
    .data_size = sizeof(Nasty),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .state_offset = offsetof(Nasty, x),
    .derivative_offset = offsetof(Nasty, dx),
    .state_count = 1,
    .indicator_count = 1,
    .updates = true,
    .start = start,
    .calculate = calculate,
    .indicate = indicate,
    .nominals = nominals,
    .enter = enter,
    .step = step,
    .accepts_name = accepts_name,
};
