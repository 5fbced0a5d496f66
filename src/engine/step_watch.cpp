#include "engine/step_watch.hpp"

#include <chrono>

#include "engine/trace.hpp"
#include "transport/pause_watch.hpp"

namespace tieline::engine {
namespace {

// How often the thread looks at the clock and at the outer flag.
constexpr std::chrono::milliseconds kLookEvery{50};

}  // namespace

StepWatch::~StepWatch() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wakes_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StepWatch::arm(const std::atomic<bool>* outer, double seconds) {
  const std::lock_guard lock(mutex_);
  outer_ = outer;
  deadline_ = now_seconds() + seconds;
  is_armed_ = true;
  has_expired_.store(false, std::memory_order_relaxed);
  flag_.store(outer != nullptr && outer->load(std::memory_order_relaxed), std::memory_order_relaxed);
  // It looks every few milliseconds by itself: a step need not wake it.
  if (!thread_.joinable()) thread_ = std::thread([this] { watch(); });
}

void StepWatch::disarm() {
  const std::lock_guard lock(mutex_);
  is_armed_ = false;
  outer_ = nullptr;
}

void StepWatch::watch() {
  std::unique_lock lock(mutex_);
  transport::PauseWatch pauses;
  while (!is_ending_) {
    deadline_ += std::chrono::duration<double>(pauses.look()).count();
    if (is_armed_) {
      if (now_seconds() > deadline_) has_expired_.store(true, std::memory_order_relaxed);
      const bool is_asked = outer_ != nullptr && outer_->load(std::memory_order_relaxed);
      if (is_asked || has_expired_.load(std::memory_order_relaxed)) flag_.store(true, std::memory_order_relaxed);
    }
    wakes_.wait_for(lock, kLookEvery, [this] { return is_ending_; });
  }
}

}  // namespace tieline::engine
