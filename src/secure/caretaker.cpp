#include "secure/caretaker.hpp"

#include <algorithm>

#include "transport/waiter.hpp"

namespace tieline::secure {
namespace {

constexpr std::chrono::milliseconds kRound{200};

}  // namespace

Caretaker::~Caretaker() {
  is_ending_ = true;
  bell_.ring();
  if (thread_.joinable()) thread_.join();
}

void Caretaker::add(Charge& charge) {
  const std::lock_guard lock(mutex_);
  charges_.push_back(&charge);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  bell_.ring();
}

void Caretaker::remove(Charge& charge) {
  const std::lock_guard lock(mutex_);
  std::erase(charges_, &charge);
}

void Caretaker::run() {
  transport::Waiter waiter({.spin = {}});
  const auto place = waiter.add(bell_.waitable());
  bool has_any = false;
  while (!is_ending_) {
    const auto next = has_any ? transport::Clock::now() + kRound : transport::Clock::time_point::max();
    if (auto waited = waiter.wait({.deadline = next}); !waited) return;
    if (waiter.is_ready(place)) bell_.silence();
    const std::lock_guard lock(mutex_);
    for (Charge* charge : charges_) charge->care();
    has_any = !charges_.empty();
  }
}

}  // namespace tieline::secure
