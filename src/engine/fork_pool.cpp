#include "engine/fork_pool.hpp"

#include <algorithm>

namespace tieline::engine {

ForkPool::ForkPool(int helpers) {
  for (int i = 0; i < helpers; ++i) threads_.emplace_back([this] { help(); });
}

ForkPool::~ForkPool() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  has_work_.notify_all();
}

bool ForkPool::run_one(Batch& batch, std::unique_lock<std::mutex>& lock) {
  if (batch.next == batch.count) return false;
  const std::size_t index = batch.next++;
  if (batch.next == batch.count) std::erase(batches_, &batch);
  lock.unlock();
  (*batch.task)(index);
  lock.lock();
  if (--batch.unfinished == 0) is_finished_.notify_all();
  return true;
}

void ForkPool::run(std::size_t count, const std::function<void(std::size_t)>& task) {
  Batch batch{&task, 0, count, count};
  std::unique_lock lock(mutex_);
  batches_.push_back(&batch);
  if (count > 1) has_work_.notify_all();
  while (run_one(batch, lock)) {
  }
  is_finished_.wait(lock, [&] { return batch.unfinished == 0; });
}

void ForkPool::help() {
  std::unique_lock lock(mutex_);
  for (;;) {
    has_work_.wait(lock, [&] { return is_stopping_ || !batches_.empty(); });
    if (is_stopping_) return;
    run_one(*batches_.front(), lock);
  }
}

}  // namespace tieline::engine
