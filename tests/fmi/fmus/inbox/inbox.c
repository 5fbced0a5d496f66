/* Takes inputs of all kinds, under names that need care, and reports what reached it: discrete inputs and the tunable
 * parameter are looked at in event mode alone where there is one, and one that changes outside of it is a violation.
 * The state integrates `u`. */
#include "layer/fmu.h"

#include <string.h>

typedef struct {
  double time;
  double u, k, level;
  bool open;
  int32_t count, kind;
  double state, derivative;
  double y;
  bool open_seen;
  int32_t count_seen, kind_seen;
  double level_seen, k_seen;
  int32_t events, violations;
  int64_t choice, choice_seen; /* `kind` in FMI 3.0, where enumerations are longer */
  bool is_continuous;
} Inbox;

static const Variable kVariables[] = {
    SCALAR(kFloat64, Inbox, time),       SCALAR(kFloat64, Inbox, u),          SCALAR(kFloat64, Inbox, k),
    SCALAR(kFloat64, Inbox, level),      SCALAR(kBoolean, Inbox, open),       SCALAR(kInt32, Inbox, count),
    SCALAR(kInt32, Inbox, kind),         SCALAR(kFloat64, Inbox, state),      SCALAR(kFloat64, Inbox, derivative),
    SCALAR(kFloat64, Inbox, y),          SCALAR(kBoolean, Inbox, open_seen),  SCALAR(kInt32, Inbox, count_seen),
    SCALAR(kInt32, Inbox, kind_seen),    SCALAR(kFloat64, Inbox, level_seen), SCALAR(kInt32, Inbox, events),
    SCALAR(kInt32, Inbox, violations),   SCALAR(kInt64, Inbox, choice),       SCALAR(kInt64, Inbox, choice_seen),
};

static void start(void* data) {
  Inbox* inbox = data;
  inbox->k = inbox->k_seen = 1.0;
  inbox->kind = inbox->kind_seen = 1;
  inbox->choice = inbox->choice_seen = 1;
}

static void see(Inbox* inbox) {
  inbox->open_seen = inbox->open;
  inbox->count_seen = inbox->count;
  inbox->kind_seen = inbox->kind;
  inbox->choice_seen = inbox->choice;
  inbox->level_seen = inbox->level;
  inbox->k_seen = inbox->k;
}

static void calculate(Fmu* fmu) {
  Inbox* inbox = (Inbox*)(void*)fmu->data;
  if (fmu->is_cosimulation && !fmu->uses_event_mode) see(inbox);
  const bool has_changed = inbox->open_seen != inbox->open || inbox->count_seen != inbox->count ||
                           inbox->kind_seen != inbox->kind || inbox->choice_seen != inbox->choice ||
                           inbox->level_seen < inbox->level ||
                           inbox->level_seen > inbox->level || inbox->k_seen < inbox->k || inbox->k_seen > inbox->k;
  if (inbox->is_continuous && has_changed) inbox->violations = 1;
  inbox->derivative = inbox->u;
  inbox->y = inbox->k_seen * inbox->u;
}

static void event(Fmu* fmu, Events* events) {
  Inbox* inbox = (Inbox*)(void*)fmu->data;
  (void)events;
  see(inbox);
  ++inbox->events;
}

static int enter(Fmu* fmu, const char* call) {
  Inbox* inbox = (Inbox*)(void*)fmu->data;
  if (strcmp(call, "enter_continuous") == 0 || strcmp(call, "enter_step") == 0) inbox->is_continuous = true;
  if (strcmp(call, "enter_event") == 0) inbox->is_continuous = false;
  return kOk;
}

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0021}",
    .data_size = sizeof(Inbox),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .state_offset = offsetof(Inbox, state),
    .derivative_offset = offsetof(Inbox, derivative),
    .state_count = 1,
    .start = start,
    .calculate = calculate,
    .event = event,
    .enter = enter,
};
