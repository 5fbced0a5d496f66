/* A rigid bar in space with an interface at each end, where a force and a torque act, all in the world frame.
 *
 *   m v' = F_a + F_b - m g e_z,     R J R' w' = T_a + T_b + r_a x F_a + r_b x F_b - w x (R J R' w)
 *
 * The bar lies along the x axis of its own frame R, with the centre of mass in the middle; end `a` is at -length/2 and
 * end `b` at +length/2. The orientation is a quaternion (w, x, y, z); the rotation matrix, row by row, turns vectors of
 * the bar's frame into the world's. FMI 3.0 sees arrays, FMI 2.0 their elements. Compiled with ARM_UPDATES it asks for
 * the force on it at each stage (FMI 3.0). */
#include <math.h>
#include <string.h>

#include "layer/fmu.h"

typedef struct {
  double position[3], rotation[9], quaternion[4], velocity[3], angular_velocity[3];
  double force[3], torque[3]; /* [N], [N m]: inputs */
} End;

typedef struct {
  double time;
  double x[13], dx[13];                        /* position, quaternion, velocity, angular velocity */
  double mass, length, axial, across, gravity; /* [kg], [m], [kg m2], [kg m2], [m/s2] */
  double step;                                 /* [s] */
  End a, b;
} Arm;

enum { kPosition = 0, kQuaternion = 3, kVelocity = 7, kSpin = 10 };

#define VECTOR(member) ARRAY(kFloat64, Arm, member, 3)
#define TWO(member) SCALAR(kFloat64, Arm, member[0]), SCALAR(kFloat64, Arm, member[1])
#define THREE(member) TWO(member), SCALAR(kFloat64, Arm, member[2])
#define FOUR(member) THREE(member), SCALAR(kFloat64, Arm, member[3])
#define NINE(member)                                                                                                  \
  FOUR(member), SCALAR(kFloat64, Arm, member[4]), SCALAR(kFloat64, Arm, member[5]), SCALAR(kFloat64, Arm, member[6]), \
      SCALAR(kFloat64, Arm, member[7]), SCALAR(kFloat64, Arm, member[8])
#define THIRTEEN(member)                                                             \
  NINE(member), SCALAR(kFloat64, Arm, member[9]), SCALAR(kFloat64, Arm, member[10]), \
      SCALAR(kFloat64, Arm, member[11]), SCALAR(kFloat64, Arm, member[12])
#define END_ARRAYS(end)                                                                                 \
  VECTOR(end.position), ARRAY(kFloat64, Arm, end.rotation, 9), ARRAY(kFloat64, Arm, end.quaternion, 4), \
      VECTOR(end.velocity), VECTOR(end.angular_velocity), VECTOR(end.force), VECTOR(end.torque)
#define END_ELEMENTS(end)                                                                                          \
  THREE(end.position), NINE(end.rotation), FOUR(end.quaternion), THREE(end.velocity), THREE(end.angular_velocity), \
      THREE(end.force), THREE(end.torque)

static const Variable kVariables[] = {
    SCALAR(kFloat64, Arm, time),
    VECTOR(x[kPosition]), /* 1 */
    ARRAY(kFloat64, Arm, x[kQuaternion], 4),
    VECTOR(x[kVelocity]),
    VECTOR(x[kSpin]),
    VECTOR(dx[kPosition]), /* 5 */
    ARRAY(kFloat64, Arm, dx[kQuaternion], 4),
    VECTOR(dx[kVelocity]),
    VECTOR(dx[kSpin]),
    SCALAR(kFloat64, Arm, mass), /* 9 */
    SCALAR(kFloat64, Arm, length),
    SCALAR(kFloat64, Arm, axial),
    SCALAR(kFloat64, Arm, across),
    SCALAR(kFloat64, Arm, gravity),
    SCALAR(kFloat64, Arm, step),
    END_ARRAYS(a),   /* 15 */
    END_ARRAYS(b),   /* 22 */
    THIRTEEN(x),     /* 29: the same once more, element by element */
    THIRTEEN(dx),    /* 42 */
    END_ELEMENTS(a), /* 55 */
    END_ELEMENTS(b), /* 83 */
};

static void start(void* data) {
  Arm* arm = data;
  arm->x[kQuaternion] = 1.0;
  arm->mass = 2.0;
  arm->length = 0.5;
  arm->axial = 1e-3;
  arm->across = 2.0 * 0.5 * 0.5 / 12.0;
  arm->gravity = 9.81;
  arm->step = 1e-3;
}

static void cross(const double* a, const double* b, double* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The unit quaternion along the state, which a solver leaves by its error. */
static void normalized(const double* q, double* unit) {
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; ++i) unit[i] = q[i] / norm;
}

static void rotation_of(const double* q, double* r) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double rows[9] = {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z),       2.0 * (x * z + w * y),
                          2.0 * (x * y + w * z),       1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
                          2.0 * (x * z - w * y),       2.0 * (y * z + w * x),       1.0 - 2.0 * (x * x + y * y)};
  memcpy(r, rows, sizeof rows);
}

static void place_end(const Arm* arm, const double* q, const double* r, double offset, End* end, double* arm_of_force) {
  for (int i = 0; i < 3; ++i) arm_of_force[i] = offset * r[3 * i];
  double turning[3];
  cross(arm->x + kSpin, arm_of_force, turning);
  for (int i = 0; i < 3; ++i) {
    end->position[i] = arm->x[kPosition + i] + arm_of_force[i];
    end->velocity[i] = arm->x[kVelocity + i] + turning[i];
    end->angular_velocity[i] = arm->x[kSpin + i];
  }
  memcpy(end->rotation, r, sizeof end->rotation);
  memcpy(end->quaternion, q, sizeof end->quaternion);
}

/* Adds an end's torque about the centre. */
static void add_torque(const End* end, const double* arm_of_force, double* torque) {
  double moment[3];
  cross(arm_of_force, end->force, moment);
  for (int i = 0; i < 3; ++i) torque[i] += end->torque[i] + moment[i];
}

/* Angular acceleration in the world frame, by Euler's equations in the bar's frame. */
static void spin_rate(const Arm* arm, const double* r, const double* torque, double* rate) {
  const double inertia[3] = {arm->axial, arm->across, arm->across};
  double spin[3], momentum[3], body_torque[3], gyroscopic[3], body_rate[3];
  for (int i = 0; i < 3; ++i) {
    spin[i] = r[i] * arm->x[kSpin] + r[3 + i] * arm->x[kSpin + 1] + r[6 + i] * arm->x[kSpin + 2];
    body_torque[i] = r[i] * torque[0] + r[3 + i] * torque[1] + r[6 + i] * torque[2];
    momentum[i] = inertia[i] * spin[i];
  }
  cross(spin, momentum, gyroscopic);
  for (int i = 0; i < 3; ++i) body_rate[i] = (body_torque[i] - gyroscopic[i]) / inertia[i];
  for (int i = 0; i < 3; ++i) {
    rate[i] = r[3 * i] * body_rate[0] + r[3 * i + 1] * body_rate[1] + r[3 * i + 2] * body_rate[2];
  }
}

static void calculate(Fmu* fmu) {
  Arm* arm = (Arm*)(void*)fmu->data;
  double unit[4], r[9], lever[3], torque[3] = {0.0, 0.0, 0.0};
  normalized(arm->x + kQuaternion, unit);
  rotation_of(unit, r);
  place_end(arm, unit, r, -0.5 * arm->length, &arm->a, lever);
  add_torque(&arm->a, lever, torque);
  place_end(arm, unit, r, 0.5 * arm->length, &arm->b, lever);
  add_torque(&arm->b, lever, torque);

  const double *q = arm->x + kQuaternion, *w = arm->x + kSpin;
  double* dq = arm->dx + kQuaternion;
  dq[0] = 0.5 * (-w[0] * q[1] - w[1] * q[2] - w[2] * q[3]);
  dq[1] = 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]);
  dq[2] = 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]);
  dq[3] = 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]);
  for (int i = 0; i < 3; ++i) {
    arm->dx[kPosition + i] = arm->x[kVelocity + i];
    arm->dx[kVelocity + i] = (arm->a.force[i] + arm->b.force[i]) / arm->mass - (i == 2 ? arm->gravity : 0.0);
  }
  spin_rate(arm, r, torque, arm->dx + kSpin);
}

const Model model = {
#ifdef ARM_UPDATES
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b000e}",
    .updates = true,
#else
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b000a}",
#endif
    .data_size = sizeof(Arm),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .state_offset = offsetof(Arm, x),
    .derivative_offset = offsetof(Arm, dx),
    .state_count = 13,
    .step_offset = offsetof(Arm, step),
    .start = start,
    .calculate = calculate,
};
