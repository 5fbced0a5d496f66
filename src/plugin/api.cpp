// The functions of plugin.h: nothing that happens inside leaves them as an exception.

#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "tieline/plugin.h"

#include "plugin/session.hpp"

struct tieline_session {
  explicit tieline_session(const tieline::plugin::OpenOptions& options) : session(options) {}

  tieline::plugin::Session session;
  std::atomic<bool> is_in_use{false};
  /// The orientation that was checked last: interfaces on one body have the same.
  std::array<double, 9> matrix{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
  std::string error;  ///< of the last call that failed
};

namespace {

using tieline::core::Pose;
using tieline::core::SpatialMotion;
using tieline::plugin::Failure;
using tieline::plugin::Session;
using tieline::plugin::Stopped;

/// The last message of this thread from a call that had no session, or not to itself.
struct Aside {
  const tieline_session* session = nullptr;
  std::string text;
};
thread_local Aside aside;

// How far a matrix may be from a rotation: tools integrate them.
constexpr double kOrthogonality = 1e-6;

void note_aside(const tieline_session* session, const char* text) noexcept {
  try {
    aside.session = session;
    aside.text = text;
  } catch (...) {
    aside.text.clear();
  }
}

/// Calls f with the session, which nobody else may be in.
template <class F>
int guarded(tieline_session* handle, F&& f) noexcept {
  if (handle == nullptr) {
    note_aside(nullptr, "the session is NULL");
    return TIELINE_ERROR_ARGUMENT;
  }
  if (handle->is_in_use.exchange(true, std::memory_order_acquire)) {
    constexpr const char* kText = "two threads were in one session at the same time";
    note_aside(handle, kText);
    try {
      handle->session.note({TIELINE_ERROR_CONCURRENT, kText});
    } catch (...) {
      return TIELINE_ERROR_MEMORY;
    }
    return TIELINE_ERROR_CONCURRENT;
  }
  if (aside.session == handle) aside.session = nullptr;
  int answer = TIELINE_ERROR_MEMORY;
  try {
    try {
      handle->session.check_alive();
      answer = f(handle->session);
    } catch (const Failure& failure) {
      answer = failure.status;
      handle->error = failure.text;
      handle->session.note(failure);
    } catch (const Stopped&) {
      answer = TIELINE_STOP;
      handle->error = handle->session.stop_reason();
    } catch (const std::bad_alloc&) {
      answer = TIELINE_ERROR_MEMORY;
      handle->session.note({TIELINE_ERROR_MEMORY, "there is not enough memory"});
    } catch (const std::exception& problem) {
      answer = TIELINE_ERROR_PROTOCOL;
      handle->error = problem.what();
      handle->session.note({TIELINE_ERROR_PROTOCOL, handle->error});
    }
  } catch (...) {
    answer = TIELINE_ERROR_MEMORY;
  }
  handle->is_in_use.store(false, std::memory_order_release);
  return answer;
}

template <class F>
int done(tieline_session* handle, F&& f) noexcept {
  return guarded(handle, [&](Session& session) {
    f(session);
    return TIELINE_OK;
  });
}

template <class T>
void expect(const T* pointer, const char* what) {
  if (pointer == nullptr) throw Failure{TIELINE_ERROR_ARGUMENT, std::string(what) + " is NULL"};
}

std::string text_or_environment(const char* text, const char* variable) {
  if (text != nullptr && *text != '\0') return text;
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

/// Copies as much of a struct as the caller's version of it has.
template <class T>
void fill(T* target, const T& full, const char* what) {
  if (target->size < sizeof(std::size_t) || target->size > 16 * sizeof(T)) {
    throw Failure{TIELINE_ERROR_ARGUMENT, std::string(what) + ": set its size to sizeof(" + what + ")"};
  }
  const std::size_t size = target->size;
  std::memcpy(target, &full, std::min(size, sizeof(T)));
  target->size = size;
}

Eigen::Vector3d vector(const double v[3]) { return {v[0], v[1], v[2]}; }

Eigen::Matrix3d matrix(const double m[9]) {
  Eigen::Matrix3d result;
  result << m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8];
  return result;
}

void put(const Eigen::Vector3d& v, double out[3]) { out[0] = v.x(), out[1] = v.y(), out[2] = v.z(); }

void put(const Eigen::Matrix3d& m, double out[9]) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) out[3 * i + j] = m(i, j);
  }
}

Eigen::Quaterniond orientation_of(const double orientation[9]) {
  const Eigen::Matrix3d R = matrix(orientation);
  const bool is_rotation = (R * R.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() <= kOrthogonality &&
                           R.determinant() > 0.0;
  if (!is_rotation) {
    const bool is_finite = R.allFinite();
    throw Failure{is_finite ? TIELINE_ERROR_ARGUMENT : TIELINE_ERROR_VALUE,
                  is_finite ? "an orientation is not a rotation: its rows must be orthogonal unit vectors"
                            : "an orientation is not finite"};
  }
  return Eigen::Quaterniond(R).normalized();
}

Pose pose_of(tieline_session* handle, const double position[3], const double orientation[9]) {
  // Bit for bit: no matrix passes for another one that was checked.
  if (std::memcmp(handle->matrix.data(), orientation, sizeof handle->matrix) != 0) {
    handle->orientation = orientation_of(orientation);
    std::copy_n(orientation, handle->matrix.size(), handle->matrix.begin());
  }
  return {vector(position), handle->orientation};
}

SpatialMotion motion_of(const double velocity[3], const double angular_velocity[3]) {
  SpatialMotion motion;
  motion.velocity = vector(velocity), motion.angular_velocity = vector(angular_velocity);
  return motion;
}

}  // namespace

const char* tieline_version(void) { return TIELINE_VERSION_TEXT; }

int tieline_open(const tieline_options* options, tieline_session** session) {
  if (session == nullptr) {
    note_aside(nullptr, "tieline_open: session is NULL");
    return TIELINE_ERROR_ARGUMENT;
  }
  *session = nullptr;
  aside.session = nullptr;
  int answer = TIELINE_ERROR_MEMORY;
  try {
    tieline_options all{};
    if (options != nullptr) {
      if (options->size < sizeof(std::size_t) || options->size > 16 * sizeof all) {
        throw Failure{TIELINE_ERROR_ARGUMENT, "tieline_options: set its size to sizeof(tieline_options)"};
      }
      std::memcpy(&all, options, std::min(options->size, sizeof all));
    }
    tieline::plugin::OpenOptions given{.master = text_or_environment(all.master, "TIELINE_MASTER"),
                                       .token = text_or_environment(all.token, "TIELINE_TOKEN"),
                                       .component = text_or_environment(all.component, "TIELINE_COMPONENT")};
    if (all.patience > 0.0) given.patience = all.patience;
    *session = new tieline_session(given);
    return TIELINE_OK;
  } catch (const Failure& failure) {
    answer = failure.status;
    note_aside(nullptr, failure.text.c_str());
  } catch (const std::exception& problem) {
    note_aside(nullptr, problem.what());
  } catch (...) {
    note_aside(nullptr, "an unknown error occurred");
  }
  return answer;
}

void tieline_close(tieline_session* session) {
  try {
    delete session;
  } catch (...) {
    return;
  }
}

const char* tieline_error(const tieline_session* session) {
  if (session == nullptr || aside.session == session) return aside.text.c_str();
  return session->error.c_str();
}

int tieline_fail(tieline_session* session, const char* reason) {
  return guarded(session, [&](Session&) -> int {
    throw Failure{TIELINE_ERROR_TOOL, reason != nullptr ? reason : "it cannot continue"};
  });
}

int tieline_get_info(tieline_session* session, tieline_info* info) {
  return done(session, [&](Session& s) {
    expect(info, "tieline_get_info: info");
    const auto& setup = s.setup();
    tieline_info full{};
    full.component = setup.component.c_str();
    full.model_file = setup.model_file.c_str();
    full.start = setup.start, full.stop = setup.stop, full.largest_step = setup.largest_step;
    full.exact_step = setup.exact_step ? 1 : 0;
    full.is_inquiry = setup.is_inquiry ? 1 : 0;
    std::copy(setup.position.begin(), setup.position.end(), full.position);
    std::copy(setup.rotation.begin(), setup.rotation.end(), full.quaternion);
    tieline_matrix_of(full.quaternion, full.orientation);
    full.parameters = static_cast<int>(setup.parameters.size());
    full.interfaces = static_cast<int>(setup.interfaces.size());
    fill(info, full, "tieline_info");
  });
}

int tieline_get_parameter(tieline_session* session, int index, tieline_parameter* parameter) {
  return done(session, [&](Session& s) {
    expect(parameter, "tieline_get_parameter: parameter");
    const auto& all = s.setup().parameters;
    if (index < 0 || static_cast<std::size_t>(index) >= all.size()) {
      throw Failure{TIELINE_ERROR_ARGUMENT, "tieline_get_parameter: there is no parameter " + std::to_string(index)};
    }
    const auto& one = all[static_cast<std::size_t>(index)];
    fill(parameter, {0, one.name.c_str(), one.unit.c_str(), one.text.c_str(), one.value}, "tieline_parameter");
  });
}

int tieline_find_number(tieline_session* session, const char* name, double* number) {
  return done(session, [&](Session& s) {
    expect(name, "tieline_find_number: name");
    expect(number, "tieline_find_number: number");
    const auto& one = s.setup().parameters[s.find_parameter(name)];
    if (std::isnan(one.value)) {
      throw Failure{.status = TIELINE_ERROR_NAME,
                    .text = "parameter '" + one.name + "' is not a number but '" + one.text + "'",
                    .ends_run = false};
    }
    *number = one.value;
  });
}

int tieline_find_text(tieline_session* session, const char* name, const char** text) {
  return done(session, [&](Session& s) {
    expect(name, "tieline_find_text: name");
    expect(text, "tieline_find_text: text");
    *text = s.setup().parameters[s.find_parameter(name)].text.c_str();
  });
}

int tieline_get_interface(tieline_session* session, int index, tieline_interface* interface) {
  return done(session, [&](Session& s) {
    expect(interface, "tieline_get_interface: interface");
    const auto& all = s.setup().interfaces;
    if (index < 0 || static_cast<std::size_t>(index) >= all.size()) {
      throw Failure{TIELINE_ERROR_ARGUMENT, "tieline_get_interface: there is no interface " + std::to_string(index)};
    }
    const auto& one = all[static_cast<std::size_t>(index)];
    fill(interface,
         {0, one.name.c_str(), static_cast<int>(one.domain), static_cast<int>(one.causality),
          static_cast<int>(one.size), one.is_connected ? 1 : 0},
         "tieline_interface");
  });
}

int tieline_register(tieline_session* session, const char* name, int domain, int causality, int count, int* id) {
  return done(session, [&](Session& s) {
    expect(name, "tieline_register: name");
    expect(id, "tieline_register: id");
    *id = s.register_interface(name, domain, causality, count);
  });
}

int tieline_set_snapshot(tieline_session* session, tieline_save_function save, tieline_restore_function restore,
                         void* user) {
  return done(session, [&](Session& s) { s.set_snapshot({save, restore, user}); });
}

int tieline_start(tieline_session* session) {
  return guarded(session, [](Session& s) { return s.start(); });
}

int tieline_time(tieline_session* session, double* t) {
  return done(session, [&](Session& s) {
    expect(t, "tieline_time: t");
    *t = s.time();
  });
}

int tieline_step_limit(tieline_session* session, double t, double* limit) {
  return done(session, [&](Session& s) {
    expect(limit, "tieline_step_limit: limit");
    *limit = s.step_limit(t);
  });
}

int tieline_get_force(tieline_session* session, int id, double t, double velocity, double* force) {
  return done(session, [&](Session& s) {
    expect(force, "tieline_get_force: force");
    *force = s.force(id, t, velocity);
  });
}

int tieline_get_force_3d(tieline_session* session, int id, double t, const double position[3],
                         const double orientation[9], const double velocity[3], const double angular_velocity[3],
                         double force[3], double torque[3]) {
  return done(session, [&](Session& s) {
    for (const double* each : {position, orientation, velocity, angular_velocity}) {
      expect(each, "tieline_get_force_3d: an argument");
    }
    expect(force, "tieline_get_force_3d: force");
    expect(torque, "tieline_get_force_3d: torque");
    const auto wrench =
        s.force_3d(id, t, pose_of(session, position, orientation), motion_of(velocity, angular_velocity));
    put(wrench.force, force);
    put(wrench.torque, torque);
  });
}

int tieline_get_motion(tieline_session* session, int id, double t, double force, double* velocity) {
  return done(session, [&](Session& s) {
    expect(velocity, "tieline_get_motion: velocity");
    *velocity = s.motion(id, t, force);
  });
}

int tieline_get_motion_3d(tieline_session* session, int id, double t, double position[3], double orientation[9],
                          double velocity[3], double angular_velocity[3]) {
  return done(session, [&](Session& s) {
    for (const double* each : {position, orientation, velocity, angular_velocity}) {
      expect(each, "tieline_get_motion_3d: an argument");
    }
    const auto state = s.motion_3d(id, t);
    put(state.pose.position, position);
    put(Eigen::Matrix3d(state.pose.orientation.toRotationMatrix()), orientation);
    put(state.motion.velocity, velocity);
    put(state.motion.angular_velocity, angular_velocity);
  });
}

int tieline_get_signal(tieline_session* session, int id, double t, double* values) {
  return done(session, [&](Session& s) {
    expect(values, "tieline_get_signal: values");
    s.signal(id, t, values);
  });
}

int tieline_set_motion(tieline_session* session, int id, double t, double position, double velocity) {
  return done(session, [&](Session& s) { s.set_motion(id, t, position, velocity); });
}

int tieline_set_motion_3d(tieline_session* session, int id, double t, const double position[3],
                          const double orientation[9], const double velocity[3], const double angular_velocity[3]) {
  return done(session, [&](Session& s) {
    for (const double* each : {position, orientation, velocity, angular_velocity}) {
      expect(each, "tieline_set_motion_3d: an argument");
    }
    s.set_motion_3d(id, t, pose_of(session, position, orientation), motion_of(velocity, angular_velocity));
  });
}

int tieline_set_force(tieline_session* session, int id, double t, double position, double force) {
  return done(session, [&](Session& s) { s.set_force(id, t, position, force); });
}

int tieline_set_force_3d(tieline_session* session, int id, double t, const double force[3], const double torque[3]) {
  return done(session, [&](Session& s) {
    expect(force, "tieline_set_force_3d: force");
    expect(torque, "tieline_set_force_3d: torque");
    s.set_force_3d(id, t, {vector(force), vector(torque)});
  });
}

int tieline_set_signal(tieline_session* session, int id, double t, const double* values) {
  return done(session, [&](Session& s) {
    expect(values, "tieline_set_signal: values");
    s.set_signal(id, t, values);
  });
}

int tieline_set_acceleration(tieline_session* session, int id, double t, double acceleration) {
  return done(session, [&](Session& s) { s.set_acceleration(id, t, acceleration); });
}

int tieline_set_acceleration_3d(tieline_session* session, int id, double t, const double acceleration[3],
                                const double angular_acceleration[3]) {
  return done(session, [&](Session& s) {
    expect(acceleration, "tieline_set_acceleration_3d: acceleration");
    expect(angular_acceleration, "tieline_set_acceleration_3d: angular_acceleration");
    s.set_acceleration_3d(id, t, vector(acceleration), vector(angular_acceleration));
  });
}

int tieline_set_signal_rate(tieline_session* session, int id, double t, const double* rates) {
  return done(session, [&](Session& s) {
    expect(rates, "tieline_set_signal_rate: rates");
    s.set_signal_rate(id, t, rates);
  });
}

int tieline_sync(tieline_session* session, double t) {
  return guarded(session, [&](Session& s) { return s.sync(t); });
}

int tieline_count(tieline_session* session, const char* name, unsigned long long value) {
  return done(session, [&](Session& s) {
    expect(name, "tieline_count: name");
    s.count(name, value);
  });
}

int tieline_report_parameter(tieline_session* session, const char* name, const char* text, double value) {
  return done(session, [&](Session& s) {
    expect(name, "tieline_report_parameter: name");
    s.report_parameter(name, text != nullptr ? text : "", value);
  });
}

int tieline_tell_parameter(tieline_session* session, const char* name, const char* text, double value) {
  return tieline_report_parameter(session, name, text, value);
}

int tieline_log(tieline_session* session, int level, const char* text) {
  return done(session, [&](Session& s) {
    expect(text, "tieline_log: text");
    s.log(level, text);
  });
}

void tieline_matrix_of(const double quaternion[4], double orientation[9]) {
  const Eigen::Quaterniond q(quaternion[0], quaternion[1], quaternion[2], quaternion[3]);
  put(q.normalized().toRotationMatrix(), orientation);
}

void tieline_quaternion_of(const double orientation[9], double quaternion[4]) {
  const Eigen::Quaterniond q(matrix(orientation));
  quaternion[0] = q.w(), quaternion[1] = q.x(), quaternion[2] = q.y(), quaternion[3] = q.z();
}
