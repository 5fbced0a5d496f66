#include "fmi/host_state.hpp"

#include <array>
#include <climits>
#include <clocale>
#include <csignal>
#include <filesystem>
#include <locale.h>
#include <mutex>
#include <pthread.h>
#include <system_error>
#include <unistd.h>

namespace tieline::fmi {
namespace {

/// The C library's functions for the locale are not made for several threads at once.
std::mutex locale_mutex;

std::string locale_now() {
  const std::lock_guard lock(locale_mutex);
  const char* name = std::setlocale(LC_ALL, nullptr);
  return name == nullptr ? "" : name;
}

bool has_locale(const std::string& locale) {
  const std::lock_guard lock(locale_mutex);
  const char* name = std::setlocale(LC_ALL, nullptr);
  return name != nullptr && locale == name;
}

std::string folder_now() {
  std::error_code failure;
  const auto folder = std::filesystem::current_path(failure);
  return failure ? "" : folder.string();
}

/// Whether the process is in a folder; nothing is allocated, since steps of FMUs come here.
bool is_in(const std::string& folder) {
  std::array<char, PATH_MAX> now{};
  return ::getcwd(now.data(), now.size()) != nullptr && folder == now.data();
}

sigset_t blocked_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &signals);
  return signals;
}

bool are_same(const sigset_t& a, const sigset_t& b) {
  for (int number = 1; number < NSIG; ++number) {
    if (::sigismember(&a, number) != ::sigismember(&b, number)) return false;
  }
  return true;
}

/// As they were when third-party code was first called from this thread.
const sigset_t& own_blocked_signals() {
  thread_local const sigset_t signals = blocked_signals();
  return signals;
}

locale_t own_thread_locale() {
  thread_local const locale_t own = ::uselocale(nullptr);
  return own;
}

}  // namespace

HostState::HostState() : floating_point_(FloatingPointMode::now()), locale_(locale_now()), folder_(folder_now()) {
  enter();
}

void HostState::enter() {
  static_cast<void>(own_blocked_signals());
  static_cast<void>(own_thread_locale());
}

std::vector<std::string> HostState::put_back() const {
  std::vector<std::string> changed;
  if (!floating_point_.is_in_force()) {
    floating_point_.put_in_force();
    changed.emplace_back("the floating-point mode");
  }
  if (::uselocale(nullptr) != own_thread_locale() || !has_locale(locale_)) {
    const std::lock_guard lock(locale_mutex);
    ::uselocale(own_thread_locale());
    std::setlocale(LC_ALL, locale_.c_str());
    changed.emplace_back("the locale");
  }
  if (!are_same(blocked_signals(), own_blocked_signals())) {
    ::pthread_sigmask(SIG_SETMASK, &own_blocked_signals(), nullptr);
    changed.emplace_back("the blocked signals");
  }
  // A folder that has been removed meanwhile cannot be returned to, and is not the FMU's doing.
  if (!folder_.empty() && !is_in(folder_) && ::chdir(folder_.c_str()) == 0) {
    changed.emplace_back("the working folder");
  }
  return changed;
}

}  // namespace tieline::fmi
