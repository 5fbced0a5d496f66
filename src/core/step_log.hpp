#pragma once

#include <vector>

namespace tieline::core {

/// The steps that a component has taken in a stretch of time, for taking the same ones again: where only an input
/// differs a little, the results then differ by what it does, and not by how a solver chose its steps.
struct StepLog {
  std::vector<double> ends{};    ///< of a solver's steps [s]
  std::vector<StepLog> parts{};  ///< of a group's members
  void clear() { ends.clear(), parts.clear(); }
};
enum class StepLogUse { note, repeat };

}  // namespace tieline::core
