/* A mass on one axis that misbehaves as its first argument says:
 *
 *   bad_tool good                 does not
 *   bad_tool FAULT [TEXT]         does FAULT; in the middle of the run where it needs a time for that
 *
 * It steps from limit to limit, with the explicit method of Euler: what is computed does not matter here. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tieline/plugin.h"

static const char* fault = "good";

static int is(const char* name) { return strcmp(fault, name) == 0; }

static void on_request(int number) {
  static const char text[] = "asked to stop\n";
  (void)number;
  if (write(STDOUT_FILENO, text, sizeof text - 1) > 0) _exit(0);
  _exit(1);
}

/* Before it joins. */
static void misbehave_first(int argc, char** argv) {
  if (argc > 2 && is("says")) fprintf(stderr, "%s\n", argv[2]);
  if (is("killed_first")) raise(SIGKILL);
  if (is("says")) exit(3);
  if (is("leaves_first")) exit(0);
  if (is("tidies_first")) signal(SIGTERM, on_request);
  if (is("never_joins") || is("tidies_first")) {
    for (;;) pause();
  }
  if (is("grandchild")) {
    if (fork() > 0) { /* what the run started only waits for what it started itself */
      wait(NULL);
      exit(0);
    }
  }
}

/* Processes that the run knows nothing of. */
static void start_others(void) {
  if (is("escapee") && fork() == 0) { /* in a session of its own, and nobody's child */
    setsid();
    if (fork() == 0) {
      for (;;) pause();
    }
    _exit(0);
  }
  if (is("regroups")) { /* the program itself joins the group of its child */
    const pid_t child = fork();
    signal(SIGTERM, SIG_IGN);
    if (child == 0) {
      for (;;) pause();
    }
    setpgid(child, child);
    setpgid(0, child);
  }
}

static int join(tieline_session** session) {
  tieline_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.patience = 2.0;
  if (is("wrong_token")) options.token = "00000000000000000000000000000000";
  if (is("wrong_name")) options.component = "tol";
  return tieline_open(&options, session);
}

/* All interfaces that it has. */
static int register_all(tieline_session* session, int* id) {
  const char* name = is("misspells") ? "axel" : "axle";
  int other = 0;
  if (is("registers_nothing")) return TIELINE_OK;
  if (is("wrong_domain")) return tieline_register(session, name, TIELINE_ROTATION, TIELINE_FORCE_IN, 1, id);
  if (is("wrong_causality")) return tieline_register(session, name, TIELINE_TRANSLATION, TIELINE_MOTION_IN, 1, id);
  if (is("wrong_size")) tieline_register(session, "command", TIELINE_SIGNAL, TIELINE_INPUT, 3, &other);
  if (is("all_wrong")) {
    tieline_register(session, name, TIELINE_ROTATION, TIELINE_FORCE_IN, 1, id);
    tieline_register(session, "comand", TIELINE_SIGNAL, TIELINE_INPUT, 1, &other);
    return TIELINE_OK;
  }
  return tieline_register(session, name, TIELINE_TRANSLATION, TIELINE_FORCE_IN, 1, id);
}

/* Far more than anybody reads, with what would move the cursor of a terminal or set its title. */
static int chatter(tieline_session* session) {
  static char text[20000];
  int i;
  for (i = 0; i < (int)sizeof text - 1; ++i) text[i] = 'x';
  memcpy(text, "begin \x1b[2J\x1b]0;title\x07 \xc2\x9b", 22);
  for (i = 0; i < 20000; ++i) {
    if (tieline_log(session, 0, i % 100 == 0 ? text : "a line \x1b[31m of many\r") < 0) return TIELINE_STOP;
  }
  fault = "good";
  return TIELINE_OK;
}

/* In the middle of the run, at t; anything but TIELINE_OK ends the loop. */
static int misbehave(tieline_session* session, int id, double t, double limit) {
  double force = 0.0;
  if (is("killed")) raise(SIGKILL);
  if (is("stopped")) raise(SIGSTOP);
  if (is("leaves")) exit(0);
  if (is("computes_for_ever")) {
    for (;;) pause();
  }
  if (is("waits")) {
    while (access("go", F_OK) != 0) usleep(10000);
  }
  if (is("chatters")) return chatter(session);
  if (is("closes")) return TIELINE_STOP;
  if (is("fails")) return tieline_fail(session, "the bearing has no film left");
  if (is("not_a_number")) return tieline_set_motion(session, id, limit, nan(""), 0.0);
  if (is("backwards")) return tieline_set_motion(session, id, t - 1e-4, 0.0, 0.0);
  if (is("too_far")) {
    tieline_set_motion(session, id, limit + 1.0, 0.0, 0.0);
    return tieline_sync(session, limit + 1.0);
  }
  if (is("beyond_horizon")) return tieline_get_force(session, id, limit + 1.0, 0.0, &force);
  if (is("wrong_order")) return tieline_sync(session, limit);
  return TIELINE_OK;
}

static int run(tieline_session* session) {
  tieline_info info;
  int id = 0, status;
  double t, limit, x = 0.0, v = 0.0, force = 0.0;
  info.size = sizeof info;
  status = tieline_get_info(session, &info);
  if (status < 0) return status;
  if (is("wrong_order_first")) return tieline_step_limit(session, info.start, &limit);
  status = register_all(session, &id);
  if (status < 0) return status;
  if (is("never_registers")) {
    for (;;) pause();
  }
  t = info.start;
  status = tieline_start(session);
  while (status == TIELINE_CONTINUE) {
    status = tieline_step_limit(session, t, &limit);
    if (status != TIELINE_OK) break;
    if (t >= 0.5 * (info.start + info.stop)) {
      status = misbehave(session, id, t, limit);
      if (status != TIELINE_OK) break;
    }
    if (limit >= info.stop && is("killed_last")) raise(SIGKILL);
    status = tieline_get_force(session, id, t, v, &force);
    if (status != TIELINE_OK) break;
    x += (limit - t) * v;
    v += (limit - t) * force;
    t = limit;
    tieline_set_motion(session, id, t, x, v);
    status = tieline_sync(session, t);
  }
  return status;
}

int main(int argc, char** argv) {
  tieline_session* session = NULL;
  int status;
  if (argc > 1) fault = argv[1];
  if (getenv("TIELINE_MASTER") != NULL) printf("joins %s\n", getenv("TIELINE_MASTER"));
  fflush(stdout);
  misbehave_first(argc, argv);
  start_others();
  status = join(&session);
  if (status == TIELINE_OK && is("leaves_after_joining")) exit(0);
  if (status == TIELINE_OK) status = run(session);
  if (status < 0) fprintf(stderr, "bad_tool: %s\n", tieline_error(session));
  tieline_close(session);
  if (is("tidies")) signal(SIGTERM, on_request);
  if (is("lingers") || is("tidies") || is("regroups")) {
    for (;;) pause();
  }
  return status < 0 ? 1 : 0;
}
