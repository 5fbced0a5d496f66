/* Three signals in, three out: each of them times 1, 2 and 3. */
#include <math.h>
#include <stdio.h>
#include <tieline/plugin.h>

static void multiply(const double u[3], double y[3]) {
  int i;
  for (i = 0; i < 3; ++i) y[i] = (i + 1) * u[i];
}

int main(void) {
  tieline_session* session = NULL;
  tieline_info info;
  int in = 0, out = 0;
  unsigned long long products = 0;
  double u[3] = {0.0, 0.0, 0.0}, y[3] = {0.0, 0.0, 0.0};
  int status = tieline_open(NULL, &session);
  info.size = sizeof info;
  if (status == TIELINE_OK) status = tieline_get_info(session, &info);
  if (status == TIELINE_OK) status = tieline_register(session, "u", TIELINE_SIGNAL, TIELINE_INPUT, 3, &in);
  if (status == TIELINE_OK) status = tieline_register(session, "y", TIELINE_SIGNAL, TIELINE_OUTPUT, 3, &out);
  if (status == TIELINE_OK) status = tieline_report_parameter(session, "largest gain", "", 3.0);
  if (status == TIELINE_OK) status = tieline_report_parameter(session, "maker", "nobody", (double)NAN);
  if (status == TIELINE_OK) status = tieline_start(session);
  while (status == TIELINE_CONTINUE) {
    double t = 0.0, limit = 0.0;
    if ((status = tieline_time(session, &t)) != TIELINE_OK) break;
    if ((status = tieline_step_limit(session, t, &limit)) != TIELINE_OK) break;
    if ((status = tieline_get_signal(session, in, limit, u)) != TIELINE_OK) break;
    multiply(u, y);
    tieline_count(session, "products", products += 3);
    if ((status = tieline_set_signal(session, out, limit, y)) != TIELINE_OK) break;
    status = tieline_sync(session, limit);
  }
  if (status < 0) fprintf(stderr, "three_gains: %s\n", tieline_error(session));
  tieline_close(session);
  return status < 0 ? 1 : 0;
}
