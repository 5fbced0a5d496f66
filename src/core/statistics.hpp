#pragma once

#include <cstdint>
#include <string>

namespace tieline::core {

/// A component's counters: the rows of the bearing paper's Tables 2 and 3. Times are wall time.
struct Statistics {
  std::string solver{};
  std::uint64_t windows = 0;
  std::uint64_t steps = 0;
  std::uint64_t rhs_calls = 0;
  std::uint64_t jacobian_calls = 0;
  std::uint64_t failed_convergence = 0;
  std::uint64_t failed_error_tests = 0;
  std::uint64_t unsuccessful_rhs_calls = 0;  ///< in tries of steps that failed
  std::uint64_t events = 0;                  ///< guards that fired
  std::uint64_t breaks = 0;                  ///< breaks of inputs on which a step ended
  double order_sum = 0.0;                    ///< sum over steps of the order used
  double seconds_total = 0.0;                ///< in advance()
  double seconds_rhs = 0.0;
  double seconds_jacobian = 0.0;
  double seconds_writing = 0.0;  ///< recording, with its extra right-hand sides
  double seconds_waiting = 0.0;  ///< ready to continue, but an input was missing

  [[nodiscard]] double mean_order() const { return steps > 0 ? order_sum / static_cast<double>(steps) : 0.0; }
  void add(const Statistics& other);
};

}  // namespace tieline::core
