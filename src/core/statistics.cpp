#include "core/statistics.hpp"

namespace tieline::core {

void Statistics::add(const Statistics& other) {
  if (solver.empty()) solver = other.solver;
  windows += other.windows;
  steps += other.steps;
  rhs_calls += other.rhs_calls;
  jacobian_calls += other.jacobian_calls;
  failed_convergence += other.failed_convergence;
  failed_error_tests += other.failed_error_tests;
  unsuccessful_rhs_calls += other.unsuccessful_rhs_calls;
  events += other.events;
  breaks += other.breaks;
  order_sum += other.order_sum;
  seconds_total += other.seconds_total;
  seconds_rhs += other.seconds_rhs;
  seconds_jacobian += other.seconds_jacobian;
  seconds_writing += other.seconds_writing;
  seconds_waiting += other.seconds_waiting;
}

}  // namespace tieline::core
