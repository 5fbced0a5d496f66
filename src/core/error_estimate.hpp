#pragma once

namespace tieline::core {

/// A component whose solver does not control its error, and that measures it instead.
class SelfChecking {
 public:
  virtual ~SelfChecking() = default;
  /// Errors of all steps so far, added up, as a share of the size of its states; 0 where a tolerance bounds them.
  [[nodiscard]] virtual double error_estimate() const = 0;
  /// The step that this is about [s]; 0 where there is none.
  [[nodiscard]] virtual double checked_step() const = 0;
};

}  // namespace tieline::core
