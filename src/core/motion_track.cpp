#include "core/motion_track.hpp"

#include <Eigen/LU>
#include <algorithm>

namespace tieline::core {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

Quaterniond quaternion_in(const Eigen::Matrix<double, 7, 1>& numbers) {
  return {numbers[3], numbers[4], numbers[5], numbers[6]};
}

Quaterniond product(const Quaterniond& a, const Quaterniond& b) {
  // Eigen's product of quaternions of any length.
  return a * b;
}

}  // namespace

MotionTrack::MotionTrack(std::vector<MotionRow> rows, bool has_rates) {
  Eigen::Vector4d before = Eigen::Vector4d::Zero();
  for (const MotionRow& row : rows) {
    const Quaterniond q = row.pose.orientation.normalized();
    Eigen::Vector4d parts(q.w(), q.x(), q.y(), q.z());
    // Of the two quaternions of an orientation the one nearer to that of the row before.
    const double sign = parts.dot(before) < 0.0 ? -1.0 : 1.0;
    parts *= sign;
    before = parts;
    Knot knot{.t = row.t};
    knot.value << row.pose.position, parts;
    if (has_rates) {
      const Vector3d half = 0.5 * sign * row.angular_velocity;
      const Quaterniond rate = product(Quaterniond(0.0, half.x(), half.y(), half.z()), q);
      knot.rate << row.velocity, rate.w(), rate.x(), rate.y(), rate.z();
    }
    knots_.push_back(knot);
  }
  if (!has_rates) find_rates();
  find_second_rates();
}

/// The spline's rates m: with h the distances and s the slopes between rows, m and the second derivative are continuous
/// where h_i m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_(i-1) m_(i+1) = 3 (h_i s_(i-1) + h_(i-1) s_i); at the ends the third
/// derivative is, between the first two and the last two pieces.
void MotionTrack::find_rates() {
  const std::size_t n = knots_.size();
  if (n < 2) return;
  const auto h = [&](std::size_t i) { return knots_[i + 1].t - knots_[i].t; };
  const auto slope = [&](std::size_t i) { return Numbers((knots_[i + 1].value - knots_[i].value) / h(i)); };
  if (n == 2) {
    knots_[0].rate = knots_[1].rate = slope(0);
    return;
  }
  // Of the tridiagonal system; the condition at each end, freed of its third unknown by the row beside it.
  std::vector<double> diagonal(n), upper(n), lower(n);
  std::vector<Numbers> right(n);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    lower[i] = h(i), upper[i] = h(i - 1), diagonal[i] = 2.0 * (h(i - 1) + h(i));
    right[i] = 3.0 * (h(i) * slope(i - 1) + h(i - 1) * slope(i));
  }
  const auto end_condition = [&](double a, double b, const Numbers& near, const Numbers& far) {
    return Numbers(((a + 2.0 * (a + b)) * b * near + a * a * far) / (a + b));
  };
  diagonal[0] = h(1), upper[0] = h(0) + h(1), right[0] = end_condition(h(0), h(1), slope(0), slope(1));
  const double a = h(n - 2), b = h(n - 3);
  diagonal[n - 1] = b, lower[n - 1] = a + b, right[n - 1] = end_condition(a, b, slope(n - 2), slope(n - 3));
  if (n == 3) {
    // Both end conditions say the same: the parabola through all three.
    const Numbers curvature = (slope(1) - slope(0)) / (h(0) + h(1));
    knots_[0].rate = slope(0) - curvature * h(0);
    knots_[1].rate = slope(0) + curvature * h(0);
    knots_[2].rate = slope(1) + curvature * h(1);
    return;
  }
  for (std::size_t i = 1; i < n; ++i) {
    const double factor = lower[i] / diagonal[i - 1];
    diagonal[i] -= factor * upper[i - 1];
    right[i] -= factor * right[i - 1];
  }
  knots_[n - 1].rate = right[n - 1] / diagonal[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) knots_[i].rate = (right[i] - upper[i] * knots_[i + 1].rate) / diagonal[i];
}

/// The second derivative at a row of the polynomial through values and rates of three rows, by Newton's divided
/// differences with every row counted twice; of two rows, of the cubic.
void MotionTrack::find_second_rates() {
  const std::size_t n = knots_.size();
  if (n < 2) return;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t count = std::min<std::size_t>(n, 3);
    const std::size_t first = std::min(i == 0 ? 0 : i - 1, n - count);
    // The row itself first: of (t - t_i)^2 (...) only the first factor's neighbours count for the second derivative.
    std::vector<std::size_t> order{i};
    for (std::size_t k = first; k < first + count; ++k) {
      if (k != i) order.push_back(k);
    }
    std::vector<double> t;
    std::vector<Numbers> table;
    for (const std::size_t k : order) {
      for (int twice = 0; twice < 2; ++twice) t.push_back(knots_[k].t), table.push_back(knots_[k].value);
    }
    std::vector<Numbers> coefficient{table[0]};
    for (std::size_t level = 1; level < t.size(); ++level) {
      for (std::size_t k = 0; k + level < t.size(); ++k) {
        table[k] = level == 1 && k % 2 == 0 ? knots_[order[k / 2]].rate
                                            : Numbers((table[k + 1] - table[k]) / (t[k + level] - t[k]));
      }
      coefficient.push_back(table[0]);
    }
    // p = c0 + c1 u + u^2 (c2 + c3 (u - a) ...) with u = t - t_i: p'' at u = 0 is twice what multiplies u^2 there.
    Numbers factor = Numbers::Zero();
    double product_of_distances = 1.0;
    for (std::size_t k = 2; k < coefficient.size(); ++k) {
      if (k > 2) product_of_distances *= t[0] - t[k - 1];
      factor += coefficient[k] * product_of_distances;
    }
    knots_[i].second = 2.0 * factor;
  }
}

MotionTrack::State MotionTrack::at(double t) const {
  State state;
  const auto orientation_of = [&](const Numbers& value) {
    state.pose = {value.head<3>(), quaternion_in(value).normalized()};
  };
  if (t < knots_.front().t || t > knots_.back().t || knots_.size() == 1) {
    orientation_of(t > knots_.back().t ? knots_.back().value : knots_.front().value);
    return state;
  }
  const auto next = std::lower_bound(knots_.begin() + 1, knots_.end() - 1, t,
                                     [](const Knot& knot, double at) { return knot.t < at; });
  const Knot &from = *(next - 1), &to = *next;
  const double h = to.t - from.t, s = (t - from.t) / h;
  // Quintic through values, rates and second rates at both ends, by powers of s.
  const Numbers d = to.value - from.value;
  const Numbers r0 = h * from.rate, r1 = h * to.rate, c0 = h * h * from.second, c1 = h * h * to.second;
  const Numbers a3 = 10.0 * d - 6.0 * r0 - 4.0 * r1 - 1.5 * c0 + 0.5 * c1;
  const Numbers a4 = -15.0 * d + 8.0 * r0 + 7.0 * r1 + 1.5 * c0 - c1;
  const Numbers a5 = 6.0 * d - 3.0 * r0 - 3.0 * r1 - 0.5 * c0 + 0.5 * c1;
  const Numbers value = from.value + s * (r0 + s * (0.5 * c0 + s * (a3 + s * (a4 + s * a5))));
  const Numbers rate = (r0 + s * (c0 + s * (3.0 * a3 + s * (4.0 * a4 + s * 5.0 * a5)))) / h;
  const Numbers second = (c0 + s * (6.0 * a3 + s * (12.0 * a4 + s * 20.0 * a5))) / (h * h);
  orientation_of(value);
  state.motion.velocity = rate.head<3>();
  state.motion.acceleration = second.head<3>();
  // With p any multiple of the quaternion: p' p^-1 = (rate of its length) + omega / 2.
  const Quaterniond back = quaternion_in(value).inverse();
  const Quaterniond once = product(quaternion_in(rate), back), twice = product(quaternion_in(second), back);
  state.motion.angular_velocity = 2.0 * once.vec();
  state.motion.angular_acceleration = 2.0 * twice.vec() - 4.0 * once.w() * once.vec();
  return state;
}

double MotionTrack::next_row(double t) const {
  const auto next =
      std::upper_bound(knots_.begin(), knots_.end(), t, [](double at, const Knot& knot) { return at < knot.t; });
  return next == knots_.end() ? wave::Track::kNever : next->t;
}

}  // namespace tieline::core
