#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tieline/tieline.h"

/// The plug-in for C++: tieline.h with ownership and exceptions. C++17 is enough. Everything is in this header, so that
/// a tool may be built by any compiler.
namespace tieline {

using Vector = std::array<double, 3>;
using Matrix = std::array<double, 9>;  ///< 3 x 3, row by row

/// A call that failed; `status` is one of tieline_status.
class PluginError : public std::runtime_error {
 public:
  PluginError(int status, const std::string& text) : std::runtime_error(text), status_(status) {}
  [[nodiscard]] int status() const { return status_; }

 private:
  int status_;
};

/// The run was ended by the master in the middle of a step: nothing went wrong here.
class RunEnded : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the run was ended"; }
};

/// How an interface moves in space, in world axes.
struct Motion3d {
  Vector position{};                              ///< [m]
  Matrix orientation{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< from the interface's axes to the world's
  Vector velocity{};                              ///< [m/s]
  Vector angular_velocity{};                      ///< [rad/s]
};
/// What acts on a component at an interface, in world axes.
struct Load3d {
  Vector force{};   ///< [N]
  Vector torque{};  ///< [N m]
};

/// A tool that can be put back: derive from it, and hand it to `PluginSession::set_snapshot`.
class Restorable {
 public:
  virtual ~Restorable() = default;
  [[nodiscard]] virtual std::vector<std::byte> save() const = 0;
  virtual void restore(const std::byte* bytes, std::size_t size, double time) = 0;
};

/// A tool's session. Call order and threads as in tieline.h; every error is thrown as PluginError.
class PluginSession {
 public:
  /// From the environment, where nothing is said.
  explicit PluginSession(const tieline_options* options = nullptr) {
    const int status = tieline_open(options, &session_);
    if (status != TIELINE_OK) throw PluginError(status, tieline_error(nullptr));
  }
  ~PluginSession() { tieline_close(session_); }
  PluginSession(PluginSession&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}
  PluginSession& operator=(PluginSession&& other) noexcept {
    std::swap(session_, other.session_);
    return *this;
  }
  PluginSession(const PluginSession&) = delete;
  PluginSession& operator=(const PluginSession&) = delete;

  [[nodiscard]] tieline_session* handle() { return session_; }
  [[nodiscard]] tieline_info info() {
    tieline_info info{};
    info.size = sizeof info;
    check(tieline_get_info(session_, &info));
    return info;
  }
  /// The parameter's value, or `otherwise` where the model does not state it.
  [[nodiscard]] double number(const std::string& name, double otherwise) {
    double value = 0.0;
    const int status = tieline_find_number(session_, name.c_str(), &value);
    if (status == TIELINE_ERROR_NAME) return otherwise;
    check(status);
    return value;
  }
  [[nodiscard]] int register_interface(const std::string& name, tieline_domain domain, tieline_causality causality,
                                       int count = 1) {
    int id = -1;
    check(tieline_register(session_, name.c_str(), domain, causality, count, &id));
    return id;
  }
  /// The tool must outlive the session.
  void set_snapshot(Restorable& tool) { check(tieline_set_snapshot(session_, &save, &restore, &tool)); }

  /// TIELINE_CONTINUE, TIELINE_REPEAT or TIELINE_STOP; so does `sync`.
  [[nodiscard]] int start() { return answer(tieline_start(session_)); }
  [[nodiscard]] int sync(double t) { return answer(tieline_sync(session_, t)); }
  [[nodiscard]] double time() {
    double t = 0.0;
    check(tieline_time(session_, &t));
    return t;
  }
  [[nodiscard]] double step_limit(double t) {
    double limit = 0.0;
    check(tieline_step_limit(session_, t, &limit));
    return limit;
  }

  [[nodiscard]] double force(int id, double t, double velocity) {
    double force = 0.0;
    check(tieline_get_force(session_, id, t, velocity, &force));
    return force;
  }
  [[nodiscard]] Load3d force(int id, double t, const Motion3d& m) {
    Load3d load;
    check(tieline_get_force_3d(session_, id, t, m.position.data(), m.orientation.data(), m.velocity.data(),
                               m.angular_velocity.data(), load.force.data(), load.torque.data()));
    return load;
  }
  void set_motion(int id, double t, double position, double velocity) {
    check(tieline_set_motion(session_, id, t, position, velocity));
  }
  void set_motion(int id, double t, const Motion3d& m) {
    check(tieline_set_motion_3d(session_, id, t, m.position.data(), m.orientation.data(), m.velocity.data(),
                                m.angular_velocity.data()));
  }
  void set_acceleration(int id, double t, const Vector& acceleration, const Vector& angular_acceleration) {
    check(tieline_set_acceleration_3d(session_, id, t, acceleration.data(), angular_acceleration.data()));
  }
  void count(const std::string& name, unsigned long long value) { check(tieline_count(session_, name.c_str(), value)); }
  void log(tieline_level level, const std::string& text) { check(tieline_log(session_, level, text.c_str())); }
  /// Ends the run.
  void fail(const std::string& reason) { tieline_fail(session_, reason.c_str()); }

 private:
  int answer(int status) {
    if (status < 0) throw PluginError(status, tieline_error(session_));
    return status;
  }
  void check(int status) {
    if (answer(status) == TIELINE_STOP) throw RunEnded();
  }
  static int save(void* user, void* buffer, std::size_t capacity, std::size_t* size) {
    try {
      const std::vector<std::byte> bytes = static_cast<Restorable*>(user)->save();
      *size = bytes.size();
      if (buffer == nullptr) return 0;
      if (bytes.size() > capacity) return 1;
      for (std::size_t i = 0; i < bytes.size(); ++i) static_cast<std::byte*>(buffer)[i] = bytes[i];
      return 0;
    } catch (...) {
      return 1;
    }
  }
  static int restore(void* user, const void* bytes, std::size_t size, double time) {
    try {
      static_cast<Restorable*>(user)->restore(static_cast<const std::byte*>(bytes), size, time);
      return 0;
    } catch (...) {
      return 1;
    }
  }

  tieline_session* session_ = nullptr;
};

}  // namespace tieline
