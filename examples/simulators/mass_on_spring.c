/* A mass on a spring, as a simulator of its own: explicit, with steps of one length.
 *
 *   m x'' = F - k x - c x'        F comes from whatever the model joins to the interface "mass"
 *
 * Build:  cc mass_on_spring.c $(pkg-config --cflags --libs tieline-plugin) -o mass_on_spring
 *         (README.md says how pkg-config finds it)
 * Run:    as a component of kind "process"; parameters mass, stiffness, damping, position, velocity.
 *
 * Steps: the classical Runge-Kutta method asks for the force at the start, the middle and the end of a step. Its
 * steps have the largest length that the model states, or a tenth of a millisecond, and are shorter where
 * tieline_step_limit says so. */
#include <stdio.h>
#include <tieline/plugin.h>

struct mass {
  double m, k, c; /* [kg], [N/m], [N s/m] */
  double x, v;    /* [m], [m/s] */
};

static double parameter(tieline_session* session, const char* name, double otherwise) {
  double value = otherwise;
  return tieline_find_number(session, name, &value) == TIELINE_OK ? value : otherwise;
}

/* One step from t to end; a status. */
static int step(tieline_session* session, int id, struct mass* mass, double t, double end) {
  static const double nodes[4] = {0.0, 0.5, 0.5, 1.0};
  const double h = end - t;
  double dx[4], dv[4];
  for (int k = 0; k < 4; ++k) {
    const double x = k == 0 ? mass->x : mass->x + nodes[k] * h * dx[k - 1];
    const double v = k == 0 ? mass->v : mass->v + nodes[k] * h * dv[k - 1];
    double force = 0.0;
    const int status = tieline_get_force(session, id, k == 3 ? end : t + nodes[k] * h, v, &force);
    if (status != TIELINE_OK) return status;
    dx[k] = v;
    dv[k] = (force - mass->k * x - mass->c * v) / mass->m;
  }
  mass->x += h / 6.0 * (dx[0] + 2.0 * dx[1] + 2.0 * dx[2] + dx[3]);
  mass->v += h / 6.0 * (dv[0] + 2.0 * dv[1] + 2.0 * dv[2] + dv[3]);
  return TIELINE_OK;
}

static int simulate(tieline_session* session) {
  /* 1. What the model says. */
  tieline_info info = {.size = sizeof info};
  int status = tieline_get_info(session, &info);
  if (status != TIELINE_OK) return status;
  struct mass mass = {parameter(session, "mass", 1.0), parameter(session, "stiffness", 0.0),
                      parameter(session, "damping", 0.0), parameter(session, "position", 0.0),
                      parameter(session, "velocity", 0.0)};
  const double length = info.largest_step > 0.0 ? info.largest_step : 1e-4;

  /* 2. One interface, and how it moves at the start. */
  int id = 0;
  status = tieline_register(session, "mass", TIELINE_TRANSLATION, TIELINE_FORCE_IN, 1, &id);
  if (status == TIELINE_OK) status = tieline_set_motion(session, id, info.start, mass.x, mass.v);

  /* 3. Steps, until the run is over. */
  if (status == TIELINE_OK) status = tieline_start(session);
  double t = info.start, limit = 0.0;
  while (status == TIELINE_CONTINUE) {
    status = tieline_step_limit(session, t, &limit);
    if (status != TIELINE_OK) break;
    const double end = t + length < limit ? t + length : limit;
    status = step(session, id, &mass, t, end);
    if (status == TIELINE_OK) status = tieline_set_motion(session, id, end, mass.x, mass.v);
    if (status == TIELINE_OK) status = tieline_sync(session, end);
    t = end;
  }
  return status;
}

int main(void) {
  tieline_session* session = NULL;
  int status = tieline_open(NULL, &session);
  if (status == TIELINE_OK) status = simulate(session);
  if (status < 0) fprintf(stderr, "mass_on_spring: %s\n", tieline_error(session));
  tieline_close(session);
  return status < 0 ? 2 : 0;
}
