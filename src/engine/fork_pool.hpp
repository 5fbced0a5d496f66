#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "core/task_pool.hpp"

namespace tieline::engine {

/// Threads that help whoever has several tasks at once: members of a gluing, while their group is being advanced.
///
/// The caller works on its own tasks and waits only for those that a helper has begun, so calls may be nested, and none
/// waits for a thread to come free: a call ends with the longest of its tasks, which look at the run's request to stop
/// by themselves. Any thread may call.
class ForkPool final : public core::TaskPool {
 public:
  explicit ForkPool(int helpers);
  ~ForkPool() override;

  void run(std::size_t count, const std::function<void(std::size_t)>& task) override;

 private:
  /// The tasks of one call.
  struct Batch {
    const std::function<void(std::size_t)>* task = nullptr;
    std::size_t next = 0;   ///< not yet begun
    std::size_t count = 0;  ///< in all
    std::size_t unfinished = 0;
  };
  /// Runs the batch's next task with the lock let go meanwhile; false if all have begun.
  bool run_one(Batch& batch, std::unique_lock<std::mutex>& lock);
  void help();

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable is_finished_;
  std::deque<Batch*> batches_;  ///< with tasks that have not begun
  bool is_stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace tieline::engine
