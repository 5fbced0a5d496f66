#pragma once

#include <cstddef>
#include <functional>

namespace tieline::core {

/// Runs tasks that do not depend on each other, on whatever threads are free; the caller takes part.
class TaskPool {
 public:
  virtual ~TaskPool() = default;
  /// Returns when task(0) to task(count - 1) have all run. May be called within a task.
  virtual void run(std::size_t count, const std::function<void(std::size_t)>& task) = 0;
};

}  // namespace tieline::core
