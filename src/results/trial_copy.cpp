#include "results/trial_copy.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/descriptor.hpp"

namespace tieline::results {
namespace {

using Clock = std::chrono::steady_clock;

// What a copy may use: reading takes a small part of this on any machine.
constexpr rlim_t kLeastSeconds = 2;                  ///< of processor time
constexpr std::uintmax_t kBytesPerSecond = 1 << 20;  ///< more processor time for larger files
constexpr rlim_t kLeastMemory = rlim_t{1} << 30;     ///< beyond what the process has [bytes]
constexpr int kWallFactor = 10;                      ///< more wall time than processor time

// What a copy sends first: an answer follows, or the code and text of an error.
constexpr char kAnswer = 'a', kError = 'e';

rlim_t seconds_for(std::uintmax_t bytes) { return kLeastSeconds + static_cast<rlim_t>(bytes / kBytesPerSecond); }

/// What the process has allocated [bytes]; nothing if the system does not say.
std::optional<rlim_t> memory_now() {
  std::ifstream stream("/proc/self/statm");
  rlim_t total = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  if (!(stream >> total >> resident >> shared >> text >> library >> data)) return std::nullopt;
  return data * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

void limit(int resource, rlim_t most) {
  rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &now) != 0) return;
  now.rlim_cur = std::min(now.rlim_max, most);
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
}

void send_all(int pipe, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(pipe, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

[[noreturn]] void act(int pipe, std::uintmax_t bytes, const std::function<core::Result<std::string>()>& action) {
  // Whoever reads the program's messages must not hear of a crash that is only tried.
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGPIPE}) std::signal(number, SIG_DFL);
  if (const int nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
  limit(RLIMIT_CORE, 0);
  // Counted from the start of the copy; the hard limit stays, so that the signal of the soft one ends it.
  limit(RLIMIT_CPU, seconds_for(bytes));
  if (const auto memory = memory_now()) limit(RLIMIT_DATA, *memory + std::max<rlim_t>(kLeastMemory, 4 * bytes));
  try {
    auto result = action();
    send_all(pipe, result
                       ? std::string(1, kAnswer) + *result
                       : fmt::format("{}{} {}", kError, static_cast<int>(result.error().code), result.error().message));
  } catch (const std::bad_alloc&) {
    ::abort();
  }
  ::_exit(0);
}

/// All that a copy sends; nothing if it does not end in time.
std::optional<std::string> receive_all(int pipe, Clock::time_point deadline) {
  std::string all;
  std::array<char, 65536> part{};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return std::nullopt;
    pollfd ready{pipe, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(std::min<long>(left, 1'000'000))) <= 0) continue;
    const ssize_t count = ::read(pipe, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return all;
    all.append(part.data(), static_cast<std::size_t>(count));
  }
}

std::string describe(int status) {
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGXCPU) return "reading it does not end";
  return fmt::format("reading it crashes (signal {})", signal);
}

core::Error error_of(std::string_view sent) {
  const std::size_t blank = std::min(sent.find(' '), sent.size() - 1);
  const int code = std::atoi(std::string(sent.substr(1, blank)).c_str());
  return {.code = static_cast<core::ErrorCode>(code), .message = std::string(sent.substr(blank + 1))};
}

}  // namespace

core::Result<Trial> try_in_copy(std::uintmax_t bytes, const std::function<core::Result<std::string>()>& action) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Trial{};
  const core::Descriptor reading(ends[0]);
  core::Descriptor writing(ends[1]);
  const auto deadline = Clock::now() + std::chrono::seconds(kWallFactor * seconds_for(bytes));
  const pid_t copy = ::fork();
  if (copy < 0) return Trial{};
  if (copy == 0) act(writing.get(), bytes, action);
  writing.reset();
  const auto sent = receive_all(reading.get(), deadline);
  if (!sent) ::kill(copy, SIGKILL);
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(copy, &status, 0)) < 0 && errno == EINTR) {
  }
  if (!sent) return Trial{};
  if (sent->starts_with(kAnswer)) return Trial{.was_made = true, .answer = sent->substr(1)};
  if (sent->starts_with(kError)) return error_of(*sent);
  // A program that does not wait for its children never hears how they end.
  if (ended < 0) return Trial{};
  return core::Error{.code = core::ErrorCode::step_failed, .message = describe(status)};
}

}  // namespace tieline::results
