#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "components/ode_model.hpp"

namespace tieline::components {

/// Drives a model with the classical Runge–Kutta method and fixed steps, so that equations are tested without the
/// steppers. Steps end on breaks of the model and, by bisection, on guards. Energies are summed with Simpson's rule.
class ModelDriver {
 public:
  ModelDriver(OdeModel& model, double t0) : model_(model), t_(t0) {
    auto initial = model.begin(t0);
    if (!initial) throw std::runtime_error(initial.error().describe());
    y_ = *initial;
    guard_values_.resize(static_cast<std::size_t>(model.guard_count()));
    ydot_.resize(y_.size());
    port_power_.resize(model.ports().size());
    work_.assign(model.ports().size(), 0.0);
  }

  void run_to(double end, double step) {
    while (t_ < end) {
      const double limit = std::min({end, model_.next_break(t_), next_port_break()});
      const double length = limit - t_ < 1.5 * step ? limit - t_ : step;
      double reached = length;
      std::vector<double> next = advanced(length);
      const int fired = first_negative(t_ + length, next);
      if (fired >= 0) {
        double before = 0.0;
        for (int i = 0; i < 60; ++i) {
          const double middle = 0.5 * (before + reached);
          if (t_ + middle == t_ || middle == before || middle == reached) break;
          (first_negative(t_ + middle, advanced(middle)) >= 0 ? reached : before) = middle;
        }
        next = advanced(reached);
      }
      add_work(reached);
      t_ = reached == length && limit - t_ == length ? limit : t_ + reached;
      y_ = next;
      ++steps;
      if (after_step) after_step();
      if (const int index = first_negative(t_, y_); index >= 0) {
        ++events;
        model_.on_guard(index, t_, y_);
      }
      if (t_ == limit) model_.on_break(t_, y_);
    }
  }

  [[nodiscard]] double t() const { return t_; }
  [[nodiscard]] const std::vector<double>& y() const { return y_; }
  [[nodiscard]] double work(std::size_t port) const { return work_[port]; }
  [[nodiscard]] std::vector<PortOutput> outputs(wave::Side side = wave::Side::left) {
    std::vector<PortOutput> result(model_.ports().size());
    model_.rhs(t_, side, y_, ydot_);
    model_.observe(t_, side, y_, ydot_, result);
    return result;
  }
  /// Recorded value of a column.
  [[nodiscard]] double value(const std::string& name, wave::Side side = wave::Side::left) {
    const auto columns = model_.columns();
    std::vector<double> row(columns.size());
    model_.rhs(t_, side, y_, ydot_);
    model_.record(t_, side, y_, ydot_, row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name == name) return row[i];
    }
    throw std::runtime_error("no column " + name);
  }

  double dissipated = 0.0;
  double supplied = 0.0;
  int events = 0;
  int steps = 0;
  std::function<void()> after_step{};

 private:
  [[nodiscard]] double next_port_break() {
    double next = wave::Track::kNever;
    for (const core::Port& port : model_.ports()) next = std::min(next, port.incoming.next_break(t_));
    return next;
  }

  [[nodiscard]] int first_negative(double t, const std::vector<double>& y) {
    model_.guards(t, y, guard_values_);
    const auto found = std::find_if(guard_values_.begin(), guard_values_.end(), [](double g) { return g < 0.0; });
    return found == guard_values_.end() ? -1 : static_cast<int>(found - guard_values_.begin());
  }

  [[nodiscard]] std::vector<double> slope(double t, wave::Side side, const std::vector<double>& y) {
    if (!model_.rhs(t, side, y, ydot_)) throw std::runtime_error("rhs failed");
    return ydot_;
  }

  [[nodiscard]] std::vector<double> advanced(double h) {
    const auto plus = [&](const std::vector<double>& k, double factor) {
      std::vector<double> sum = y_;
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * k[i];
      return sum;
    };
    const auto k1 = slope(t_, wave::Side::right, y_);
    const auto k2 = slope(t_ + 0.5 * h, wave::Side::left, plus(k1, 0.5 * h));
    const auto k3 = slope(t_ + 0.5 * h, wave::Side::left, plus(k2, 0.5 * h));
    const auto k4 = slope(t_ + h, wave::Side::left, plus(k3, h));
    std::vector<double> next = y_;
    for (std::size_t i = 0; i < next.size(); ++i) next[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    return next;
  }

  void add_work(double h) {
    const auto add = [&](double t, const std::vector<double>& y, double weight) {
      Powers powers{.through_ports = port_power_};
      model_.powers(t, y, powers);
      dissipated += weight * powers.dissipated;
      supplied += weight * powers.supplied;
      for (std::size_t i = 0; i < work_.size(); ++i) work_[i] += weight * port_power_[i];
    };
    add(t_, y_, h / 6.0);
    add(t_ + 0.5 * h, advanced(0.5 * h), 4.0 * h / 6.0);
    add(t_ + h, advanced(h), h / 6.0);
  }

  OdeModel& model_;
  double t_;
  std::vector<double> y_, ydot_, guard_values_, port_power_, work_;
};

}  // namespace tieline::components
