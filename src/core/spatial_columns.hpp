#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <span>
#include <string>
#include <vector>

#include "core/recording.hpp"

/// Columns of what moves in space, and the values in them.
namespace tieline::core {

/// Writes values one behind the other.
class RowWriter {
 public:
  explicit RowWriter(std::span<double> values) : next_(values.data()) {}
  void put(double value) { *next_++ = value; }
  void put(const Eigen::Vector3d& v) { put(v.x()), put(v.y()), put(v.z()); }
  void put(const Eigen::Quaterniond& q) { put(q.w()), put(q.x()), put(q.y()), put(q.z()); }
  std::span<double> take(std::size_t count) {
    double* const first = next_;
    next_ += count;
    return {first, count};
  }

 private:
  double* next_;
};

inline void add_vector(std::vector<Column>& columns, const std::string& name, const std::string& unit) {
  for (const char* axis : {".x", ".y", ".z"}) columns.push_back({name + axis, unit});
}

/// Position, orientation, velocity, angular velocity.
inline void add_motion(std::vector<Column>& columns, const std::string& name) {
  add_vector(columns, name + ".position", "m");
  for (const char* part : {".w", ".x", ".y", ".z"}) columns.push_back({name + ".orientation" + part, "1"});
  add_vector(columns, name + ".velocity", "m/s");
  add_vector(columns, name + ".angular_velocity", "rad/s");
}

}  // namespace tieline::core
