#pragma once

namespace tieline::core {

/// A component whose steps must all be equal, so that it can only stop where one of them ends.
class EqualSteps {
 public:
  virtual ~EqualSteps() = default;
  /// Counted from the start of the run [s]; 0: it can stop anywhere; infinity: not known before its first window.
  [[nodiscard]] virtual double equal_step() const = 0;
};

}  // namespace tieline::core
