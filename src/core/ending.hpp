#pragma once

#include <string>

namespace tieline::core {

/// A component's request to end the run well, as FMUs may make it (terminateSimulation).
struct Ending {
  double time = 0.0;        ///< up to which its results count [s]
  std::string component{};  ///< who asks
  std::string reason{};     ///< in words
};

/// Which of two requests counts: the earlier one, whoever noticed it first.
[[nodiscard]] inline bool is_before(const Ending& a, const Ending& b) {
  return a.time != b.time ? a.time < b.time : a.component < b.component;
}

}  // namespace tieline::core
