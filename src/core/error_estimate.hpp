#pragma once

namespace tieline::core {

/// What the steps of a solver that does not control its error have done to a component's motion.
struct StepErrors {
  double estimate = 0.0;  ///< as a share of the motion; 0 where a tolerance bounds it
  double step = 0.0;      ///< the step that this is about [s]; 0 where there is none
  double order = 1.0;     ///< the error goes with this power of the step
};

/// A component whose solver does not control its error, and that measures it instead.
class SelfChecking {
 public:
  virtual ~SelfChecking() = default;
  [[nodiscard]] virtual StepErrors step_errors() const = 0;
};

}  // namespace tieline::core
