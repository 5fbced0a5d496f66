/* The plug-in of Tieline: what a simulator links to take part in a run. C99; docs/plugin.md explains it at length.
 *
 * Call order:
 *
 *   tieline_open                          joins the run that the environment names
 *     |  tieline_get_info, _get_parameter, _find_number, _find_text, _get_interface: what the model says
 *     |  tieline_register ...             your interfaces
 *     |  tieline_set_motion ...           how they move at the start time; zeros where you do not say
 *     |  tieline_set_snapshot             where you can save and restore your state
 *   tieline_start                         waits until everybody is ready
 *     |
 *   +-> tieline_step_limit(t)             the latest time at which your next step from t may end
 *   |     |  tieline_get_force ...        at any stage time up to that limit, as often as you like
 *   |     |  tieline_set_motion ...       of every interface, once your step to t is accepted
 *   |   tieline_sync(t)                   TIELINE_CONTINUE: on with the next step
 *   +---- TIELINE_REPEAT                  your restore was called: you are back at tieline_time
 *         TIELINE_STOP                    the run is over
 *   tieline_close
 *
 * Every function returns 0 or a positive answer, or a negative error; tieline_error then says in a sentence what was
 * wrong. Nothing throws, prints or ends your program. A mistake in the order of calls, in times or in values ends the
 * run, and the master shows that sentence. Any call that waits may answer TIELINE_STOP.
 *
 * A session belongs to one thread at a time, which may change; several sessions of a process are independent.
 *
 * Units are SI. Positions, velocities, forces and torques are in world axes; forces act ON your component. Matrices
 * are 3 x 3, row by row, and turn your interface's axes into the world's. In the domains beside mechanics "velocity"
 * is the pressure, voltage or temperature, "force" is the flow, current or heat flow INTO your component, and
 * positions are not looked at. */
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
  TIELINE_CONTINUE = 1, /* on with the next step */
  TIELINE_REPEAT = 2,   /* your restore was called: you are at another time, which tieline_time tells */
  TIELINE_STOP = 3,     /* the run is over, or was ended: leave the loop and close */

  TIELINE_ERROR_ORDER = -1,      /* a call at a moment when it makes no sense */
  TIELINE_ERROR_ARGUMENT = -2,   /* a null pointer, a matrix that is no rotation, ... */
  TIELINE_ERROR_INTERFACE = -3,  /* no interface has this number, or it is of another kind */
  TIELINE_ERROR_NAME = -4,       /* no such parameter; the run goes on */
  TIELINE_ERROR_VALUE = -5,      /* NaN or infinity */
  TIELINE_ERROR_TIME = -6,       /* time runs backwards, or is not that of the step */
  TIELINE_ERROR_STEP = -7,       /* a step beyond tieline_step_limit */
  TIELINE_ERROR_HORIZON = -8,    /* a force later than it can be known */
  TIELINE_ERROR_CONCURRENT = -9, /* two threads at once in one session */
  TIELINE_ERROR_JOIN = -10,      /* no master, or it has refused */
  TIELINE_ERROR_LOST = -11,      /* the master or a partner is gone */
  TIELINE_ERROR_DEADLINE = -12,  /* a partner did not answer in time */
  TIELINE_ERROR_PROTOCOL = -13,  /* the master or a partner sent nonsense */
  TIELINE_ERROR_SNAPSHOT = -14,  /* your save or restore failed, or there is none */
  TIELINE_ERROR_TOOL = -15,      /* you said so (tieline_fail) */
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
  TIELINE_FORCE_IN = 0,  /* forces come in, you tell motion: a mass, a body, a volume */
  TIELINE_MOTION_IN = 1, /* motion comes in, you tell the force: the end of a spring, an orifice; one axis only */
  TIELINE_INPUT = 2,     /* a signal comes in */
  TIELINE_OUTPUT = 3     /* a signal goes out */
};

enum tieline_level { TIELINE_NOTE = 0, TIELINE_WARNING = 1, TIELINE_SERIOUS = 2 };

/* Set `size` to sizeof(tieline_options), the rest to zero where the environment is to count: TIELINE_MASTER,
 * TIELINE_TOKEN and TIELINE_COMPONENT, which the master sets for programs that it starts. */
typedef struct tieline_options {
  size_t size;
  const char* master;    /* "local:NAME" or "tcp:HOST:PORT" */
  const char* token;     /* 32 hexadecimal digits */
  const char* component; /* your name in the model */
  double patience;       /* how long to look for the master [s]; 0: 30 s */
} tieline_options;

/* What the model says of you. Set `size` to sizeof(tieline_info). Texts live as long as the session. */
typedef struct tieline_info {
  size_t size;
  const char* component;
  const char* model_file; /* "" where there is none */
  double start, stop;     /* [s] */
  double largest_step;    /* [s]; 0: not stated */
  int exact_step;         /* no step may pass the end of a window: nothing is interpolated */
  int is_inquiry;         /* only your interfaces are asked for: tieline_start answers TIELINE_STOP */
  double position[3];     /* where you are placed in the world [m] */
  double orientation[9];  /* and how you are turned */
  double quaternion[4];   /* the same: w, x, y, z */
  int parameters;         /* how many there are */
  int interfaces;         /* that the model declares */
} tieline_info;

typedef struct tieline_parameter {
  size_t size;
  const char *name, *unit, *text;
  double number; /* NaN where the text is none */
} tieline_parameter;

typedef struct tieline_interface {
  size_t size;
  const char* name;
  int domain, causality, count; /* enum tieline_domain, enum tieline_causality, numbers of a signal */
  int is_connected;
} tieline_interface;

/* The version of the library that is linked, "0.1.0"; that of this header is TIELINE_VERSION_TEXT. */
TIELINE_API const char* tieline_version(void);

/* NULL options: all from the environment. After an error *session is NULL, and tieline_error(NULL) says why. */
TIELINE_API int tieline_open(const tieline_options* options, tieline_session** session);
/* Leaves; without an error before the end of the run this ends the run for all. NULL is allowed. */
TIELINE_API void tieline_close(tieline_session* session);
/* What went wrong in the last call that failed (NULL: in this thread's last tieline_open). Never NULL. */
TIELINE_API const char* tieline_error(const tieline_session* session);
/* Ends the run: your solver cannot go on, for a reason that the master shows. Returns TIELINE_ERROR_TOOL. */
TIELINE_API int tieline_fail(tieline_session* session, const char* reason);

TIELINE_API int tieline_get_info(tieline_session* session, tieline_info* info);
TIELINE_API int tieline_get_parameter(tieline_session* session, int index, tieline_parameter* parameter);
/* By name; an unknown one is an error that names the nearest, and harms nothing. */
TIELINE_API int tieline_find_number(tieline_session* session, const char* name, double* number);
TIELINE_API int tieline_find_text(tieline_session* session, const char* name, const char** text);
TIELINE_API int tieline_get_interface(tieline_session* session, int index, tieline_interface* interface);

/* `count` is how many numbers a signal has; 1 for all others. `id` stands for the interface from then on. What
 * the model declares otherwise is an error, and the run ends with tieline_start, which tells all of them. */
TIELINE_API int tieline_register(tieline_session* session, const char* name, int domain, int causality, int count,
                                 int* id);

/* Saves your state: with `buffer` NULL tell only how many bytes it takes, otherwise write them. Restores it: you are
 * then at `time`. Both return 0, or anything else where they fail. */
typedef int (*tieline_save_function)(void* user, void* buffer, size_t capacity, size_t* size);
typedef int (*tieline_restore_function)(void* user, const void* bytes, size_t size, double time);
TIELINE_API int tieline_set_snapshot(tieline_session* session, tieline_save_function save,
                                     tieline_restore_function restore, void* user);

/* TIELINE_CONTINUE: go; TIELINE_REPEAT: a saved run goes on, your restore was called; TIELINE_STOP: nothing is to run.
 */
TIELINE_API int tieline_start(tieline_session* session);
TIELINE_API int tieline_time(tieline_session* session, double* t);

/* The latest time at which a step from t may end. Waits for partners where needed. */
TIELINE_API int tieline_step_limit(tieline_session* session, double t, double* limit);
/* What acts on you at t, while you move like that. One axis, and six. */
TIELINE_API int tieline_get_force(tieline_session* session, int id, double t, double velocity, double* force);
TIELINE_API int tieline_get_force_3d(tieline_session* session, int id, double t, const double position[3],
                                     const double orientation[9], const double velocity[3],
                                     const double angular_velocity[3], double force[3], double torque[3]);
/* How an interface with motion in moves at t, while that force acts on you. */
TIELINE_API int tieline_get_motion(tieline_session* session, int id, double t, double force, double* velocity);
TIELINE_API int tieline_get_signal(tieline_session* session, int id, double t, double* values);

/* What an accepted step has come to at its end t (or the start time, before tieline_start). */
TIELINE_API int tieline_set_motion(tieline_session* session, int id, double t, double position, double velocity);
TIELINE_API int tieline_set_motion_3d(tieline_session* session, int id, double t, const double position[3],
                                      const double orientation[9], const double velocity[3],
                                      const double angular_velocity[3]);
TIELINE_API int tieline_set_force(tieline_session* session, int id, double t, double position, double force);
TIELINE_API int tieline_set_signal(tieline_session* session, int id, double t, const double* values);
/* Their rates, right after them, where you know them: waves are then joined more smoothly. An interface that tells
 * them before tieline_start must do so after every step, and one that does not must not. */
TIELINE_API int tieline_set_acceleration(tieline_session* session, int id, double t, double acceleration);
TIELINE_API int tieline_set_acceleration_3d(tieline_session* session, int id, double t, const double acceleration[3],
                                            const double angular_acceleration[3]);
TIELINE_API int tieline_set_signal_rate(tieline_session* session, int id, double t, const double* rates);

/* All interfaces are set at t: the step is done. TIELINE_CONTINUE, TIELINE_REPEAT or TIELINE_STOP. */
TIELINE_API int tieline_sync(tieline_session* session, double t);

/* For the report. Of counters, "steps", "rhs_calls", "jacobian_calls", "failed_convergence" and "failed_error_tests"
 * go to its statistics. `value` is the total so far. */
TIELINE_API int tieline_count(tieline_session* session, const char* name, unsigned long long value);
TIELINE_API int tieline_report_parameter(tieline_session* session, const char* name, const char* text, double value);
/* The former name of tieline_report_parameter. Deprecated. */
TIELINE_DEPRECATED("use tieline_report_parameter")
TIELINE_API int tieline_tell_parameter(tieline_session* session, const char* name, const char* text, double value);
TIELINE_API int tieline_log(tieline_session* session, int level, const char* text);

/* Rotations as quaternions w, x, y, z of length 1. */
TIELINE_API void tieline_matrix_of(const double quaternion[4], double orientation[9]);
TIELINE_API void tieline_quaternion_of(const double orientation[9], double quaternion[4]);

#ifdef __cplusplus
}
#endif

#endif
