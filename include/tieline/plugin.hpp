#pragma once

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tieline/motion.hpp"
#include "tieline/plugin.h"

/// The plug-in for C++: plugin.h with ownership and exceptions. Needs C++17. The header is complete in itself, so that
/// a tool can be built with any compiler.
namespace tieline {

/// A call failed; `status` is one of tieline_status.
class PluginError : public std::runtime_error {
 public:
  PluginError(int status, const std::string& text) : std::runtime_error(text), status_(status) {}
  [[nodiscard]] int status() const { return status_; }

 private:
  int status_;
};

/// The master ended the run in the middle of a step; this is not an error of the component.
class RunEnded : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the run has ended"; }
};

/// A parameter that the model gives the component.
struct PluginParameter {
  std::string name{}, unit{}, text{};
  double number = std::numeric_limits<double>::quiet_NaN();  ///< NaN if the text is not a number
};

/// An interface that the model declares.
struct PluginInterface {
  std::string name{};
  tieline_domain domain = TIELINE_TRANSLATION;
  tieline_causality causality = TIELINE_FORCE_IN;
  int count = 1;  ///< length of a signal
  bool is_connected = false;
};

/// A tool that can save and restore its state: derive from it, and pass it to `PluginSession::set_snapshot`.
class Restorable {
 public:
  virtual ~Restorable() = default;
  [[nodiscard]] virtual std::vector<std::byte> save() const = 0;
  virtual void restore(const std::byte* bytes, std::size_t size, double time) = 0;
};

/// The session of a tool. For the call order and threads see plugin.h. Errors are thrown as PluginError. When the run
/// has ended, `start` and `sync` return TIELINE_STOP; other calls throw RunEnded.
class PluginSession {
 public:
  /// Joins the run; without options, everything is taken from the environment.
  explicit PluginSession(const tieline_options* options = nullptr) {
    const int status = tieline_open(options, &session_);
    if (status != TIELINE_OK) throw PluginError(status, tieline_error(nullptr));
  }
  ~PluginSession() { tieline_close(session_); }
  PluginSession(PluginSession&& other) noexcept
      : session_(std::exchange(other.session_, nullptr)), counts_(std::move(other.counts_)) {}
  PluginSession& operator=(PluginSession&& other) noexcept {
    std::swap(session_, other.session_);
    std::swap(counts_, other.counts_);
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
  /// The value of a parameter, or `otherwise` if the model does not state it.
  [[nodiscard]] double number(const std::string& name, double otherwise) {
    double value = 0.0;
    const int status = tieline_find_number(session_, name.c_str(), &value);
    if (status == TIELINE_ERROR_NAME) return otherwise;
    check(status);
    return value;
  }
  /// The value of a required parameter. Throws PluginError with the nearest name if the model does not state it.
  [[nodiscard]] double number(const std::string& name) {
    double value = 0.0;
    check(tieline_find_number(session_, name.c_str(), &value));
    return value;
  }
  [[nodiscard]] std::string text(const std::string& name) {
    const char* value = "";
    check(tieline_find_text(session_, name.c_str(), &value));
    return value;
  }
  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise) {
    const char* value = "";
    const int status = tieline_find_text(session_, name.c_str(), &value);
    if (status == TIELINE_ERROR_NAME) return otherwise;
    check(status);
    return value;
  }
  [[nodiscard]] std::vector<PluginParameter> parameters() {
    std::vector<PluginParameter> all;
    const int count = info().parameters;
    for (int i = 0; i < count; ++i) {
      tieline_parameter one{};
      one.size = sizeof one;
      check(tieline_get_parameter(session_, i, &one));
      all.push_back({one.name, one.unit, one.text, one.number});
    }
    return all;
  }
  /// The interfaces that the model declares, in its order.
  [[nodiscard]] std::vector<PluginInterface> interfaces() {
    std::vector<PluginInterface> all;
    const int count = info().interfaces;
    for (int i = 0; i < count; ++i) {
      tieline_interface one{};
      one.size = sizeof one;
      check(tieline_get_interface(session_, i, &one));
      all.push_back({one.name, static_cast<tieline_domain>(one.domain), static_cast<tieline_causality>(one.causality),
                     one.count, one.is_connected != 0});
    }
    return all;
  }
  [[nodiscard]] int register_interface(const std::string& name, tieline_domain domain, tieline_causality causality,
                                       int count = 1) {
    int id = -1;
    check(tieline_register(session_, name.c_str(), domain, causality, count, &id));
    if (static_cast<std::size_t>(id) >= counts_.size()) counts_.resize(static_cast<std::size_t>(id) + 1, 1);
    counts_[static_cast<std::size_t>(id)] = count;
    return id;
  }
  /// The tool must outlive the session.
  void set_snapshot(Restorable& tool) { check(tieline_set_snapshot(session_, &save, &restore, &tool)); }

  /// `start` and `sync` return TIELINE_CONTINUE, TIELINE_REPEAT or TIELINE_STOP.
  [[nodiscard]] int start() { return answer(tieline_start(session_)); }
  [[nodiscard]] int sync(double t) { return answer(tieline_sync(session_, t)); }
  [[nodiscard]] double time() {
    double t = 0.0;
    check(tieline_time(session_, &t));
    return t;
  }
  /// The latest time at which a step from t may end [s].
  [[nodiscard]] double step_limit(double t) {
    double limit = 0.0;
    check(tieline_step_limit(session_, t, &limit));
    return limit;
  }

  /// The force on the component at time t [s] while it moves with this velocity, [N] for translation.
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
  /// The motion at t, the end of an accepted step; before `start`, at the start time.
  void set_motion(int id, double t, double position, double velocity) {
    check(tieline_set_motion(session_, id, t, position, velocity));
  }
  void set_motion(int id, double t, const Motion3d& m) {
    check(tieline_set_motion_3d(session_, id, t, m.position.data(), m.orientation.data(), m.velocity.data(),
                                m.angular_velocity.data()));
  }
  /// The acceleration [m/s^2], right after the motion. Report it before `start` and after every step, or never.
  void set_acceleration(int id, double t, double acceleration) {
    check(tieline_set_acceleration(session_, id, t, acceleration));
  }
  void set_acceleration(int id, double t, const Vector& acceleration, const Vector& angular_acceleration) {
    check(tieline_set_acceleration_3d(session_, id, t, acceleration.data(), angular_acceleration.data()));
  }

  /// The velocity [m/s] of a motion-in interface while this force [N] acts on the component.
  [[nodiscard]] double motion(int id, double t, double force) {
    double velocity = 0.0;
    check(tieline_get_motion(session_, id, t, force, &velocity));
    return velocity;
  }
  void set_force(int id, double t, double position, double force) {
    check(tieline_set_force(session_, id, t, position, force));
  }
  /// The same in space, where the motion that comes in is complete.
  [[nodiscard]] Motion3d motion(int id, double t) {
    Motion3d m;
    check(tieline_get_motion_3d(session_, id, t, m.position.data(), m.orientation.data(), m.velocity.data(),
                                m.angular_velocity.data()));
    return m;
  }
  void set_force(int id, double t, const Load3d& load) {
    check(tieline_set_force_3d(session_, id, t, load.force.data(), load.torque.data()));
  }

  /// The values of a signal input; their number is the `count` of the registration.
  [[nodiscard]] std::vector<double> signal(int id, double t) {
    std::vector<double> values(count_of(id));
    check(tieline_get_signal(session_, id, t, values.data()));
    return values;
  }
  void set_signal(int id, double t, const std::vector<double>& values) {
    expect_count(id, values.size());
    check(tieline_set_signal(session_, id, t, values.data()));
  }
  void set_signal_rate(int id, double t, const std::vector<double>& rates) {
    expect_count(id, rates.size());
    check(tieline_set_signal_rate(session_, id, t, rates.data()));
  }

  /// Entries of the run's report and log: the total of a counter so far, a parameter of the tool, a line of text.
  void count(const std::string& name, unsigned long long value) { check(tieline_count(session_, name.c_str(), value)); }
  void report_parameter(const std::string& name, const std::string& text, double value) {
    check(tieline_report_parameter(session_, name.c_str(), text.c_str(), value));
  }
  void log(tieline_level level, const std::string& text) { check(tieline_log(session_, level, text.c_str())); }
  /// Ends the run; the master shows the reason.
  void fail(const std::string& reason) { tieline_fail(session_, reason.c_str()); }

 private:
  [[nodiscard]] std::size_t count_of(int id) const {
    const bool is_known = id >= 0 && static_cast<std::size_t>(id) < counts_.size();
    return is_known ? static_cast<std::size_t>(counts_[static_cast<std::size_t>(id)]) : 1;
  }
  /// The C function cannot check the number of values.
  void expect_count(int id, std::size_t count) const {
    if (count == count_of(id)) return;
    throw PluginError(TIELINE_ERROR_ARGUMENT, "interface " + std::to_string(id) + " has " +
                                                  std::to_string(count_of(id)) + " numbers, but " +
                                                  std::to_string(count) + " are given");
  }
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
  std::vector<int> counts_;  ///< number of values, by interface
};

/// Converts rotations between matrices and unit quaternions w, x, y, z.
inline Matrix matrix_of(const std::array<double, 4>& quaternion) {
  Matrix orientation{};
  tieline_matrix_of(quaternion.data(), orientation.data());
  return orientation;
}
inline std::array<double, 4> quaternion_of(const Matrix& orientation) {
  std::array<double, 4> quaternion{};
  tieline_quaternion_of(orientation.data(), quaternion.data());
  return quaternion;
}

/// The version of the linked library, e.g. "0.1.0".
inline std::string plugin_version() { return tieline_version(); }

}  // namespace tieline
