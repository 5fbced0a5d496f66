#pragma once

#include <cmath>

namespace tieline::support {

/// The classical Runge-Kutta method for q'' = f(t, q, q'), from t to t_end in equal steps of at most `step` [s].
template <class Vector, class F>
void integrate_twice(F&& f, double t, double t_end, double step, Vector& q, Vector& rate) {
  const int count = static_cast<int>(std::ceil((t_end - t) / step - 1e-9));
  const double h = (t_end - t) / count;
  for (int i = 0; i < count; ++i) {
    const double now = t + i * h;
    const Vector a1 = f(now, q, rate);
    const Vector a2 = f(now + 0.5 * h, q + 0.5 * h * rate, rate + 0.5 * h * a1);
    const Vector a3 = f(now + 0.5 * h, q + 0.5 * h * rate + 0.25 * h * h * a1, rate + 0.5 * h * a2);
    const Vector a4 = f(now + h, q + h * rate + 0.5 * h * h * a2, rate + h * a3);
    q += h * rate + h * h / 6.0 * (a1 + a2 + a3);
    rate += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
}

}  // namespace tieline::support
