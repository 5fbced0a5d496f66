/* An elastic post in space that takes the motion of its end, "end", and reports the force and torque that keep the end
 * there: F = k x + c v, T = kr phi + cr w, phi being small. It has no state but the time. */
#include <stdio.h>
#include <tieline/plugin.h>

static int save(void* user, void* buffer, size_t capacity, size_t* size) {
  (void)user, (void)buffer, (void)capacity;
  *size = 0;
  return 0;
}

static int restore(void* user, const void* bytes, size_t size, double time) {
  (void)user, (void)bytes, (void)size, (void)time;
  return 0;
}

static int report(tieline_session* session, int end, double t) {
  double x[3], R[9], v[3], w[3], force[3], torque[3], phi[3];
  int i;
  const int status = tieline_get_motion_3d(session, end, t, x, R, v, w);
  if (status != TIELINE_OK) return status;
  phi[0] = 0.5 * (R[7] - R[5]), phi[1] = 0.5 * (R[2] - R[6]), phi[2] = 0.5 * (R[3] - R[1]);
  for (i = 0; i < 3; ++i) {
    force[i] = 500.0 * x[i] + 2.0 * v[i];
    torque[i] = 40.0 * phi[i] + 0.2 * w[i];
  }
  return tieline_set_force_3d(session, end, t, force, torque);
}

int main(void) {
  tieline_session* session = NULL;
  int end = 0;
  int status = tieline_open(NULL, &session);
  if (status == TIELINE_OK)
    status = tieline_register(session, "end", TIELINE_MECHANICAL_3D, TIELINE_MOTION_IN, 1, &end);
  if (status == TIELINE_OK) status = tieline_set_snapshot(session, save, restore, NULL);
  if (status == TIELINE_OK) status = tieline_start(session);
  while (status == TIELINE_CONTINUE || status == TIELINE_REPEAT) {
    double t = 0.0, limit = 0.0;
    if ((status = tieline_time(session, &t)) != TIELINE_OK) break;
    if ((status = tieline_step_limit(session, t, &limit)) != TIELINE_OK) break;
    if ((status = report(session, end, limit)) != TIELINE_OK) break;
    status = tieline_sync(session, limit);
  }
  if (status < 0) fprintf(stderr, "elastic_post: %s\n", tieline_error(session));
  tieline_close(session);
  return status < 0 ? 1 : 0;
}
