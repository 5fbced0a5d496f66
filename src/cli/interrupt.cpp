#include "cli/interrupt.hpp"

#include <csignal>

namespace tieline::cli {
namespace {

// The handler may only touch this.
std::atomic<bool> is_interrupted{false};

void on_interrupt(int) {
  is_interrupted.store(true);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& watch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  return is_interrupted;
}

}  // namespace tieline::cli
