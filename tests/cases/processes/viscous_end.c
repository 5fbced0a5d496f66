/* A damper to ground on one axis that takes the motion of its end, "end": F = c v. What it keeps is how far the end has
 * come. */
#include <stdio.h>
#include <string.h>
#include <tieline/plugin.h>

typedef struct {
  double time, velocity, position;
} State;

static int save(void* user, void* buffer, size_t capacity, size_t* size) {
  *size = sizeof(State);
  if (capacity >= sizeof(State)) memcpy(buffer, user, sizeof(State));
  return 0;
}

static int restore(void* user, const void* bytes, size_t size, double time) {
  (void)time;
  if (size != sizeof(State)) return 1;
  memcpy(user, bytes, size);
  return 0;
}

/* The velocity depends on the force as the connection has it, which is a straight line. */
static int report(tieline_session* session, int end, double t, State* state) {
  const double damping = 20.0;
  double at_rest = 0.0, pushed = 0.0, velocity;
  int status = tieline_get_motion(session, end, t, 0.0, &at_rest);
  if (status == TIELINE_OK) status = tieline_get_motion(session, end, t, 1.0, &pushed);
  if (status != TIELINE_OK) return status;
  velocity = at_rest / (1.0 - damping * (pushed - at_rest));
  state->position += 0.5 * (t - state->time) * (velocity + state->velocity);
  state->time = t;
  state->velocity = velocity;
  return tieline_set_force(session, end, t, state->position, damping * velocity);
}

int main(void) {
  tieline_session* session = NULL;
  State state = {0.0, 0.0, 0.0};
  int end = 0;
  int status = tieline_open(NULL, &session);
  if (status == TIELINE_OK)
    status = tieline_register(session, "end", TIELINE_TRANSLATION, TIELINE_MOTION_IN, 1, &end);
  if (status == TIELINE_OK) status = tieline_set_snapshot(session, save, restore, &state);
  if (status == TIELINE_OK) status = tieline_start(session);
  while (status == TIELINE_CONTINUE || status == TIELINE_REPEAT) {
    double t = 0.0, limit = 0.0;
    if ((status = tieline_time(session, &t)) != TIELINE_OK) break;
    if ((status = tieline_step_limit(session, t, &limit)) != TIELINE_OK) break;
    if ((status = report(session, end, limit, &state)) != TIELINE_OK) break;
    status = tieline_sync(session, limit);
  }
  if (status < 0) fprintf(stderr, "viscous_end: %s\n", tieline_error(session));
  tieline_close(session);
  return status < 0 ? 1 : 0;
}
