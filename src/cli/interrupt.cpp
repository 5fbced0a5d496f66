#include "cli/interrupt.hpp"

#include <csignal>

namespace tieline::cli {
namespace {

// The handler may only touch this.
std::atomic<bool> is_interrupted{false};

// SIGHUP: the terminal or the connection to it is gone.
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

void on_interrupt(int) {
  is_interrupted.store(true);
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& watch_interrupts() {
  for (const int signal : kSignals) {
    // What the caller has chosen to ignore (nohup, a shell's background job) stays ignored.
    if (std::signal(signal, on_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  return is_interrupted;
}

}  // namespace tieline::cli
