#include "participant/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "core/clean_text.hpp"
#include "core/system_reason.hpp"

namespace tieline::participant {
namespace {

namespace fs = std::filesystem;
using core::Descriptor;
using core::Error;
using core::ErrorCode;
using core::Result;

constexpr int kCannotStart = 127;  // as shells say it

std::string message_of(int error) { return core::system_reason(error); }

Error cannot_start(const std::string& program, const std::string& why, ErrorCode code = ErrorCode::bad_input) {
  return {.code = code, .message = fmt::format("cannot start '{}': {}", program, why)};
}

/// The same above the standard descriptors, so that copying something onto one of them cannot hide it.
Descriptor above_standard(Descriptor descriptor) {
  if (!descriptor || descriptor.get() > STDERR_FILENO) return descriptor;
  return Descriptor(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

Descriptor open_file(const char* path, int flags) {
  return above_standard(Descriptor(::open(path, flags | O_CLOEXEC, 0666)));
}

/// What the new process could not do.
struct Failure {
  enum class Stage { process, folder, sandbox, execution } stage = Stage::execution;
  int error = 0;  ///< errno
};

/// All that the new process needs, ready made: it may not allocate.
struct Preparation {
  fs::path program{};
  std::vector<char*> arguments{};
  std::vector<std::string> variables{};
  std::vector<char*> environment{};
  const Sandbox* sandbox = nullptr;
  Descriptor input{};
  Descriptor log{};
};

bool is_file(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}

std::string search_path(const Environment& environment) {
  if (const auto stated = environment.find("PATH"); stated != environment.end()) return stated->second;
  const char* own = std::getenv("PATH");
  return own == nullptr ? "/usr/local/bin:/usr/bin:/bin" : own;
}

std::string not_executable(const fs::path& file) {
  return fmt::format("'{}' is not executable (chmod +x makes it so)", file.string());
}

/// The file of a program, as `Launch::command` says.
Result<fs::path> find_program(const Launch& launch) {
  const std::string& name = launch.command.front();
  if (name.find('/') != std::string::npos) {
    const fs::path file = launch.folder / name;
    if (!is_file(file)) return cannot_start(name, fmt::format("there is no program '{}'", file.string()));
    if (::access(file.c_str(), X_OK) != 0) return cannot_start(name, not_executable(file));
    return file;
  }
  const std::string folders = search_path(launch.environment);
  fs::path useless;
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t colon = std::min(folders.find(':', at), folders.size());
    const fs::path file = launch.folder / folders.substr(at, colon - at) / name;
    at = colon + 1;
    if (!is_file(file)) continue;
    if (::access(file.c_str(), X_OK) == 0) return file;
    if (useless.empty()) useless = file;
  }
  if (!useless.empty()) return cannot_start(name, not_executable(useless));
  return cannot_start(name, fmt::format("there is no such program in PATH ({})", folders));
}

Result<Preparation> prepare(const Launch& launch) {
  if (launch.command.empty() || launch.command.front().empty()) return cannot_start("", "the command is empty");
  const std::string& name = launch.command.front();
  std::error_code failure;
  if (!launch.folder.empty() && !fs::is_directory(launch.folder, failure)) {
    return cannot_start(name, fmt::format("there is no folder '{}'", launch.folder.string()));
  }
  auto program = find_program(launch);
  if (!program) return program.error();
  Preparation ready;
  // Once in its folder the new process must find what was found from here.
  ready.program = fs::absolute(*program, failure);
  for (const std::string& word : launch.command) ready.arguments.push_back(const_cast<char*>(word.c_str()));
  ready.arguments.push_back(nullptr);
  ready.variables = environment_with(launch.environment);
  for (std::string& entry : ready.variables) ready.environment.push_back(entry.data());
  ready.environment.push_back(nullptr);
  ready.sandbox = launch.sandbox.get();
  const fs::path input = launch.input.empty() ? fs::path("/dev/null") : launch.input;
  ready.input = open_file(input.c_str(), O_RDONLY);
  if (ready.input.get() < 0) {
    return cannot_start(name, input.string() + ": " + message_of(errno), ErrorCode::input_output);
  }
  if (launch.log.empty()) return ready;
  ready.log = open_file(launch.log.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_APPEND);
  if (ready.log.get() < 0) {
    const std::string why = message_of(errno);
    return cannot_start(name, fmt::format("cannot write '{}': {}", launch.log.string(), why), ErrorCode::input_output);
  }
  return ready;
}

/// In the new process: every signal does what it does by default. The C library's own function leaves out the two
/// that it uses itself, and these too may have been ignored by whoever started us.
void default_signals() {
  const std::array<unsigned long, 16> nothing{};  // the system's own form of an action: all zero is the default
  for (int number = 1; number < NSIG; ++number) {
    ::syscall(SYS_rt_sigaction, number, nothing.data(), nullptr, NSIG / 8);
  }
}

/// In the new process: libraries open files that programs would inherit. Containers may forbid the call that closes
/// all at once.
void close_others() {
  if (::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  rlimit most{};
  ::getrlimit(RLIMIT_NOFILE, &most);
  const rlim_t end = std::min<rlim_t>(most.rlim_cur, 1 << 20);
  for (int number = STDERR_FILENO + 1; static_cast<rlim_t>(number) < end; ++number) {
    ::fcntl(number, F_SETFD, FD_CLOEXEC);
  }
}

/// In the new process: nothing here may allocate or take a lock, since the parent may have had other threads.
[[noreturn]] void become(const Preparation& ready, const char* folder, pid_t parent, int report) {
  const auto give_up = [&](Failure::Stage stage) {
    const Failure failure{stage, errno};
    if (::write(report, &failure, sizeof failure) < 0) ::_exit(kCannotStart);
    ::_exit(kCannotStart);
  };
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kCannotStart);  // it died before we asked to follow it
  default_signals();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(ready.input.get(), STDIN_FILENO);
  if (ready.log.get() >= 0) {
    ::dup2(ready.log.get(), STDOUT_FILENO);
    ::dup2(ready.log.get(), STDERR_FILENO);
  }
  close_others();
  if (*folder != '\0' && ::chdir(folder) != 0) give_up(Failure::Stage::folder);
  if (ready.sandbox != nullptr && !(ready.sandbox->confine_thread() && ready.sandbox->confine_process())) {
    give_up(Failure::Stage::sandbox);
  }
  ::execve(ready.program.c_str(), ready.arguments.data(), ready.environment.data());
  give_up(Failure::Stage::execution);
  ::_exit(kCannotStart);
}

/// In the process between us and the program; the same holds for it.
[[noreturn]] void look_after(const Preparation& ready, const char* folder, pid_t above, int report, int connection) {
  become_supervisor(above);
  const pid_t self = ::getpid();
  const pid_t program = ::_Fork();
  if (program == 0) become(ready, folder, self, report);
  if (program < 0) {
    const Failure failure{Failure::Stage::process, errno};
    (void)!::write(report, &failure, sizeof failure);
    ::_exit(kCannotStart);
  }
  supervise(program, above, connection, ready.input.get());
}

/// What the new process has said; nothing if it became the program.
std::optional<Failure> read_failure(int report) {
  Failure failure;
  ssize_t count = 0;
  while ((count = ::read(report, &failure, sizeof failure)) < 0 && errno == EINTR) {
  }
  if (count != sizeof failure) return std::nullopt;
  return failure;
}

Error explain(const Launch& launch, const fs::path& program, const Failure& failure) {
  const std::string& name = launch.command.front();
  if (failure.stage == Failure::Stage::process) {
    return cannot_start(name, core::reason_of_no_process(failure.error), ErrorCode::input_output);
  }
  if (failure.stage == Failure::Stage::folder) {
    return cannot_start(name, fmt::format("cannot go to '{}': {}", launch.folder.string(), message_of(failure.error)));
  }
  if (failure.stage == Failure::Stage::sandbox) {
    return cannot_start(name, fmt::format("it cannot be confined: {}", message_of(failure.error)),
                        ErrorCode::unsupported);
  }
  if (failure.error == ENOEXEC) {
    return cannot_start(name, fmt::format("'{}' is neither a program of this machine nor a script that begins with #!",
                                          program.string()));
  }
  if (failure.error == ENOENT && is_file(program)) {
    return cannot_start(
        name, fmt::format("the interpreter that '{}' names in its first line does not exist", program.string()));
  }
  if (failure.error == EACCES) return cannot_start(name, not_executable(program));
  return cannot_start(name, fmt::format("'{}': {}", program.string(), message_of(failure.error)),
                      ErrorCode::input_output);
}

void reap(pid_t id) {
  while (::waitpid(id, nullptr, 0) < 0 && errno == EINTR) {
  }
}

/// Waits for the supervisor's next report; false if it is gone.
bool receive_report(int connection, SupervisorReport& report, int flags) {
  for (;;) {
    const ssize_t count = ::recv(connection, &report, sizeof report, flags);
    if (count == sizeof report) return true;
    // Where it has ended without reading our last order, that is reported once, before what it has said.
    if (count < 0 && (errno == EINTR || errno == ECONNRESET)) continue;
    return false;
  }
}

/// Whether one of the events, or the end of the connection, comes within this time.
bool poll_for(int connection, short events, std::chrono::milliseconds longest) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + longest;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd end{connection, events, 0};
    if (::poll(&end, 1, static_cast<int>(std::clamp<long>(left, 0, 1'000'000))) > 0) return true;
    if (left <= 0) return false;
  }
}

}  // namespace

std::string ChildEnd::describe() const {
  if (signal != 0) return fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
  return fmt::format("ended with exit code {}", exit_code);
}

Result<ChildProcess> ChildProcess::start(const Launch& launch) {
  auto ready = prepare(launch);
  if (!ready) return ready.error();
  const auto system_failure = [&] {
    return cannot_start(launch.command.front(), core::reason_of_no_process(errno), ErrorCode::input_output);
  };
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_failure();
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return system_failure();
  Descriptor connection(ends[0]);
  Descriptor other_end = above_standard(Descriptor(ends[1]));
  writing = above_standard(std::move(writing));
  if (!other_end || !writing) return system_failure();
  const pid_t self = ::getpid();
  const pid_t supervisor = ::fork();
  if (supervisor == 0) look_after(*ready, launch.folder.c_str(), self, writing.get(), other_end.get());
  if (supervisor < 0) return system_failure();
  writing.reset();
  other_end.reset();
  const auto failure = read_failure(reading.get());
  SupervisorReport report;
  const bool has_started = !failure && receive_report(connection.get(), report, 0);
  if (has_started) return ChildProcess(report.value, supervisor, std::move(connection));
  connection.reset();
  reap(supervisor);
  if (failure) return explain(launch, ready->program, *failure);
  return cannot_start(launch.command.front(), "its supervising process was killed", ErrorCode::input_output);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      supervisor_(std::exchange(other.supervisor_, -1)),
      connection_(std::move(other.connection_)) {}

ChildProcess::~ChildProcess() {
  if (supervisor_ <= 0) return;
  kill();
  // What cannot be killed is left to the supervisor, which outlives us if it must.
  const auto spent = std::chrono::steady_clock::now() - *killed_at_;
  if (have_all_ended(std::chrono::ceil<std::chrono::milliseconds>(kKillTime - spent))) reap(supervisor_);
}

void ChildProcess::order(SupervisorOrder what) const {
  if (!connection_) return;
  (void)!::send(connection_.get(), &what, sizeof what, MSG_NOSIGNAL | MSG_DONTWAIT);
  ::kill(supervisor_, SIGCONT);  // who is stopped hears nothing
}

void ChildProcess::ask_to_stop() const { order(SupervisorOrder::ask_to_stop); }

void ChildProcess::kill() const {
  if (!killed_at_) killed_at_ = std::chrono::steady_clock::now();
  order(SupervisorOrder::end_all);
}

ChildEnd ChildProcess::wait() const {
  SupervisorReport report;
  // The system kills the program with its supervisor.
  if (!receive_report(connection_.get(), report, MSG_PEEK)) return {-1, SIGKILL};
  if (WIFSIGNALED(report.value)) return {-1, WTERMSIG(report.value)};
  return {WEXITSTATUS(report.value), 0};
}

bool ChildProcess::have_all_ended(std::chrono::milliseconds longest) const {
  return poll_for(connection_.get(), 0, longest);  // nothing but the end of the connection
}

std::optional<ChildEnd> ChildProcess::wait_for(std::chrono::milliseconds longest) const {
  if (!poll_for(connection_.get(), POLLIN, longest)) return std::nullopt;
  return wait();
}

std::string tail_of(const fs::path& file, std::size_t most_lines, std::size_t most_bytes) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  if (!stream) return {};
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(stream.tellg(), 0));
  const std::size_t begin = size > most_bytes ? size - most_bytes : 0;
  std::string text(size - begin, '\0');
  stream.seekg(static_cast<std::streamoff>(begin));
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  // A line whose beginning is cut off is left out, unless it is the only one.
  const auto line_end = text.find('\n');
  if (begin > 0 && line_end != std::string::npos) text.erase(0, line_end + 1);
  std::size_t first = text.size();
  for (std::size_t line = 0; line < most_lines && first != 0; ++line) {
    const auto before = first == text.size() ? text.rfind('\n') : text.rfind('\n', first - 2);
    first = before == std::string::npos ? 0 : before + 1;
  }
  return core::clean_lines(std::string_view(text).substr(first), most_bytes);
}

}  // namespace tieline::participant
