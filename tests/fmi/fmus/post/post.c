/* An elastic post in space: it takes the motion of its end and computes the force and torque that keep the end there.
 *
 *   F = k x + c v,     T = kr phi + cr w
 *
 * All in the world frame; phi is the rotation vector of the end's orientation, for small angles twice the vector part
 * of its quaternion (w, x, y, z). FMI 3.0 sees arrays, FMI 2.0 their elements. */
#include "layer/fmu.h"

typedef struct {
  double time;
  double position[3], quaternion[4], velocity[3], angular_velocity[3]; /* inputs */
  double force[3], torque[3];                                          /* [N], [N m] */
  double stiffness, damping, stiffness_rotation, damping_rotation;     /* [N/m], [N s/m], [N m/rad], [N m s/rad] */
} Post;

#define VECTOR(member) ARRAY(kFloat64, Post, member, 3)
#define ELEMENT(member, i) SCALAR(kFloat64, Post, member[i])
#define THREE(member) ELEMENT(member, 0), ELEMENT(member, 1), ELEMENT(member, 2)

static const Variable kVariables[] = {
    SCALAR(kFloat64, Post, time),
    VECTOR(position), /* 1 */
    ARRAY(kFloat64, Post, quaternion, 4),
    VECTOR(velocity),
    VECTOR(angular_velocity),
    VECTOR(force), /* 5 */
    VECTOR(torque),
    SCALAR(kFloat64, Post, stiffness),
    SCALAR(kFloat64, Post, damping),
    SCALAR(kFloat64, Post, stiffness_rotation),
    SCALAR(kFloat64, Post, damping_rotation), /* 10 */
    THREE(position),                          /* 11: the same once more, element by element */
    THREE(quaternion),
    ELEMENT(quaternion, 3),
    THREE(velocity), /* 18 */
    THREE(angular_velocity),
    THREE(force), /* 24 */
    THREE(torque),
};

static void start(void* data) {
  Post* post = data;
  post->quaternion[0] = 1.0;
  post->stiffness = 500.0;
  post->damping = 2.0;
  post->stiffness_rotation = 40.0;
  post->damping_rotation = 0.2;
}

static void calculate(Fmu* fmu) {
  Post* post = (Post*)(void*)fmu->data;
  for (int i = 0; i < 3; ++i) {
    post->force[i] = post->stiffness * post->position[i] + post->damping * post->velocity[i];
    post->torque[i] =
        post->stiffness_rotation * 2.0 * post->quaternion[i + 1] + post->damping_rotation * post->angular_velocity[i];
  }
}

const Model model = {
    .token = "{7c6c43a4-6d1e-4b57-9c1c-0d7a4a6b0020}",
    .data_size = sizeof(Post),
    .variables = kVariables,
    .variable_count = sizeof kVariables / sizeof *kVariables,
    .start = start,
    .calculate = calculate,
};
