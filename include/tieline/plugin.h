/* The plug-in of Tieline: a simulator links it to take part in a run. C99. See docs/plugin.md for a guide.
 *
 * Call order:
 *
 *   tieline_open                          joins the run; the master sets the environment
 *     |  tieline_get_info, _get_parameter, _find_number, _find_text, _get_interface: read the model
 *     |  tieline_register ...             your interfaces
 *     |  tieline_set_motion ...           their motion at the start time; zero by default
 *     |  tieline_set_snapshot             optional: how to save and restore your state
 *   tieline_start                         waits until all participants are ready
 *     |
 *   +-> tieline_step_limit(t)             the latest time at which your next step from t may end
 *   |     |  tieline_get_force ...        at any time up to that limit, as often as needed
 *   |     |  tieline_set_motion ...       for every interface, after your step to t is accepted
 *   |   tieline_sync(t)                   TIELINE_CONTINUE: take the next step
 *   +---- TIELINE_REPEAT                  your state was restored: continue from tieline_time
 *         TIELINE_STOP                    the run is over
 *   tieline_close
 *
 * Every function returns 0 or a positive status, or a negative error code. After an error, tieline_error returns a
 * sentence that describes it. No function throws, prints or exits. A call in the wrong order, or with a wrong time or
 * value, ends the run, and the master shows the sentence. Any call that waits may return TIELINE_STOP.
 *
 * Use a session from one thread at a time; the thread may change. Several sessions in one process are independent.
 *
 * Units are SI. Positions, velocities, forces and torques are in world axes. Forces act ON your component. Matrices
 * are 3 x 3 in row-major order and rotate from the axes of your interface to the world axes. In domains other than
 * mechanics, "velocity" is the pressure, voltage or temperature, "force" is the flow, current or heat flow INTO your
 * component, and positions are ignored. */
#ifndef TIELINE_PLUGIN_H
#define TIELINE_PLUGIN_H

#include <stddef.h>

#include "tieline/version.h"

#if defined(TIELINE_PLUGIN_BUILD)
#define TIELINE_API __attribute__((visibility("default")))
#else
#define TIELINE_API
#endif
#if defined(__GNUC__)
#define TIELINE_DEPRECATED(advice) __attribute__((deprecated(advice)))
#else
#define TIELINE_DEPRECATED(advice)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tieline_session tieline_session;

enum tieline_status {
  TIELINE_OK = 0,
  TIELINE_CONTINUE = 1, /* take the next step */
  TIELINE_REPEAT = 2,   /* your state was restored: tieline_time returns the new time */
  TIELINE_STOP = 3,     /* the run has ended: leave the loop and call tieline_close */

  TIELINE_ERROR_ORDER = -1,      /* a call in the wrong order */
  TIELINE_ERROR_ARGUMENT = -2,   /* a null pointer, a matrix that is not a rotation, ... */
  TIELINE_ERROR_INTERFACE = -3,  /* no interface has this id, or its causality does not fit the call */
  TIELINE_ERROR_NAME = -4,       /* no such parameter; the run continues */
  TIELINE_ERROR_VALUE = -5,      /* NaN or infinity */
  TIELINE_ERROR_TIME = -6,       /* the time goes backwards, or is not the end of the step */
  TIELINE_ERROR_STEP = -7,       /* a step beyond tieline_step_limit */
  TIELINE_ERROR_HORIZON = -8,    /* a force at a time beyond the known input */
  TIELINE_ERROR_CONCURRENT = -9, /* two threads in one session at the same time */
  TIELINE_ERROR_JOIN = -10,      /* no master found, or it refused the connection */
  TIELINE_ERROR_LOST = -11,      /* the connection to the master or a partner was lost */
  TIELINE_ERROR_DEADLINE = -12,  /* a partner did not answer in time */
  TIELINE_ERROR_PROTOCOL = -13,  /* the master or a partner sent an invalid message */
  TIELINE_ERROR_SNAPSHOT = -14,  /* your save or restore function failed, or none was set */
  TIELINE_ERROR_TOOL = -15,      /* you called tieline_fail */
  TIELINE_ERROR_MEMORY = -16,
  TIELINE_ERROR_FILE = -17 /* a file could not be read or written */
};

enum tieline_domain {
  TIELINE_TRANSLATION = 0,
  TIELINE_ROTATION = 1,
  TIELINE_HYDRAULIC = 2,
  TIELINE_ELECTRICAL = 3,
  TIELINE_THERMAL = 4,
  TIELINE_MECHANICAL_3D = 5,
  TIELINE_SIGNAL = 6
};

enum tieline_causality {
  TIELINE_FORCE_IN = 0,  /* forces come in, you report the motion: a mass, a body, a volume */
  TIELINE_MOTION_IN = 1, /* motion comes in, you report the force: a spring, an orifice; in space not on lines */
  TIELINE_INPUT = 2,     /* a signal comes in */
  TIELINE_OUTPUT = 3     /* a signal goes out */
};

enum tieline_level { TIELINE_NOTE = 0, TIELINE_WARNING = 1, TIELINE_SERIOUS = 2 };

/* Set `size` to sizeof(tieline_options). Members that are zero are taken from the environment variables TIELINE_MASTER,
 * TIELINE_TOKEN and TIELINE_COMPONENT, which the master sets for programs that it starts. */
typedef struct tieline_options {
  size_t size;
  const char* master;    /* "local:NAME" or "tcp:HOST:PORT" */
  const char* token;     /* 32 hexadecimal digits */
  const char* component; /* name of your component in the model */
  double patience;       /* time limit to find the master [s]; 0: 30 s */
} tieline_options;

/* Your component as the model describes it. Set `size` to sizeof(tieline_info). Texts are valid until the session is
 * closed. */
typedef struct tieline_info {
  size_t size;
  const char* component;
  const char* model_file; /* "" if there is none */
  double start, stop;     /* [s] */
  double largest_step;    /* [s]; 0: not stated */
  int exact_step;         /* 1: no step may pass the end of a window, since nothing is interpolated */
  int is_inquiry;         /* 1: the master asks for your interfaces only; tieline_start returns TIELINE_STOP */
  double position[3];     /* of your component in the world [m] */
  double orientation[9];  /* of your component in the world */
  double quaternion[4];   /* the same rotation: w, x, y, z */
  int parameters;         /* number of parameters */
  int interfaces;         /* number of interfaces that the model declares */
} tieline_info;

typedef struct tieline_parameter {
  size_t size;
  const char *name, *unit, *text;
  double number; /* NaN if the text is not a number */
} tieline_parameter;

typedef struct tieline_interface {
  size_t size;
  const char* name;
  int domain, causality, count; /* enum tieline_domain, enum tieline_causality, length of a signal */
  int is_connected;
} tieline_interface;

/* The version of the linked library, e.g. "0.1.0". The version of this header is TIELINE_VERSION_TEXT. */
TIELINE_API const char* tieline_version(void);

/* Joins the run. With `options` NULL, everything is taken from the environment. After an error *session is NULL, and
 * tieline_error(NULL) returns the reason. */
TIELINE_API int tieline_open(const tieline_options* options, tieline_session** session);
/* Leaves the run and frees the session. Before the end of the run, this ends the run for all participants. NULL is
 * allowed. */
TIELINE_API void tieline_close(tieline_session* session);
/* The message of the last call that failed; for NULL, of the last tieline_open in this thread. Never returns NULL. */
TIELINE_API const char* tieline_error(const tieline_session* session);
/* Ends the run because your solver cannot continue. The master shows the reason. Returns TIELINE_ERROR_TOOL. */
TIELINE_API int tieline_fail(tieline_session* session, const char* reason);

TIELINE_API int tieline_get_info(tieline_session* session, tieline_info* info);
TIELINE_API int tieline_get_parameter(tieline_session* session, int index, tieline_parameter* parameter);
/* Find a parameter by name. For an unknown name they return TIELINE_ERROR_NAME, tieline_error suggests the nearest
 * name, and the run continues. */
TIELINE_API int tieline_find_number(tieline_session* session, const char* name, double* number);
TIELINE_API int tieline_find_text(tieline_session* session, const char* name, const char** text);
TIELINE_API int tieline_get_interface(tieline_session* session, int index, tieline_interface* interface);

/* Registers an interface and returns its `id`. `count` is the length of a signal; 1 for all other interfaces. If the
 * model declares the interface differently, tieline_start ends the run and lists all differences. */
TIELINE_API int tieline_register(tieline_session* session, const char* name, int domain, int causality, int count,
                                 int* id);

/* The save function writes your state to `buffer` and its length in bytes to `size`; with `buffer` NULL it only writes
 * the length. The restore function reads a saved state; your time is then `time` [s]. Both return 0 on success. */
typedef int (*tieline_save_function)(void* user, void* buffer, size_t capacity, size_t* size);
typedef int (*tieline_restore_function)(void* user, const void* bytes, size_t size, double time);
TIELINE_API int tieline_set_snapshot(tieline_session* session, tieline_save_function save,
                                     tieline_restore_function restore, void* user);

/* Waits until all participants are ready. Returns TIELINE_CONTINUE to start; TIELINE_REPEAT after your restore function
 * was called, if a saved run continues; or TIELINE_STOP if there is nothing to run. */
TIELINE_API int tieline_start(tieline_session* session);
/* The time that your component has reached [s]. */
TIELINE_API int tieline_time(tieline_session* session, double* t);

/* The latest time at which a step from t may end [s]. Waits for partners if needed. */
TIELINE_API int tieline_step_limit(tieline_session* session, double t, double* limit);
/* The force on your component at time t [s] while it moves with the given velocity: along one axis, and in space. */
TIELINE_API int tieline_get_force(tieline_session* session, int id, double t, double velocity, double* force);
TIELINE_API int tieline_get_force_3d(tieline_session* session, int id, double t, const double position[3],
                                     const double orientation[9], const double velocity[3],
                                     const double angular_velocity[3], double force[3], double torque[3]);
/* The velocity of a TIELINE_MOTION_IN interface at time t while the given force acts on your component. */
TIELINE_API int tieline_get_motion(tieline_session* session, int id, double t, double force, double* velocity);
/* The motion of a TIELINE_MOTION_IN interface in space at time t, in world axes. */
TIELINE_API int tieline_get_motion_3d(tieline_session* session, int id, double t, double position[3],
                                      double orientation[9], double velocity[3], double angular_velocity[3]);
TIELINE_API int tieline_get_signal(tieline_session* session, int id, double t, double* values);

/* Report the state at t, the end of an accepted step (before tieline_start: the start time). */
TIELINE_API int tieline_set_motion(tieline_session* session, int id, double t, double position, double velocity);
TIELINE_API int tieline_set_motion_3d(tieline_session* session, int id, double t, const double position[3],
                                      const double orientation[9], const double velocity[3],
                                      const double angular_velocity[3]);
TIELINE_API int tieline_set_force(tieline_session* session, int id, double t, double position, double force);
/* The force and torque on your component at an interface in space that takes motion, in world axes. */
TIELINE_API int tieline_set_force_3d(tieline_session* session, int id, double t, const double force[3],
                                     const double torque[3]);
TIELINE_API int tieline_set_signal(tieline_session* session, int id, double t, const double* values);
/* Optional: report the rates, right after the values. Rates make the interpolation of the waves smoother. An interface
 * that reports rates before tieline_start must report them after every step; otherwise it must never report them. */
TIELINE_API int tieline_set_acceleration(tieline_session* session, int id, double t, double acceleration);
TIELINE_API int tieline_set_acceleration_3d(tieline_session* session, int id, double t, const double acceleration[3],
                                            const double angular_acceleration[3]);
TIELINE_API int tieline_set_signal_rate(tieline_session* session, int id, double t, const double* rates);

/* Completes the step to t; all interfaces must be set. Returns TIELINE_CONTINUE, TIELINE_REPEAT or TIELINE_STOP. */
TIELINE_API int tieline_sync(tieline_session* session, double t);

/* Entries of the run's report. tieline_count reports a counter; `value` is the total so far. The counters "steps",
 * "rhs_calls", "jacobian_calls", "failed_convergence" and "failed_error_tests" are part of the statistics.
 * tieline_report_parameter reports a text or a number: for a text pass NaN as the value, for a number NULL as the text.
 */
TIELINE_API int tieline_count(tieline_session* session, const char* name, unsigned long long value);
TIELINE_API int tieline_report_parameter(tieline_session* session, const char* name, const char* text, double value);
/* The former name of tieline_report_parameter. Deprecated. */
TIELINE_DEPRECATED("use tieline_report_parameter")
TIELINE_API int tieline_tell_parameter(tieline_session* session, const char* name, const char* text, double value);
TIELINE_API int tieline_log(tieline_session* session, int level, const char* text);

/* Convert rotations between matrices and unit quaternions w, x, y, z. */
TIELINE_API void tieline_matrix_of(const double quaternion[4], double orientation[9]);
TIELINE_API void tieline_quaternion_of(const double orientation[9], double quaternion[4]);

#ifdef __cplusplus
}
#endif

#endif
