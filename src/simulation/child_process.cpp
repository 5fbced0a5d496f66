#include "simulation/child_process.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tieline::simulation {
namespace {

constexpr int kCannotStart = 127;  // as shells say it

core::Error cannot_start(const std::string& program) {
  return {.code = core::ErrorCode::input_output,
          .message = fmt::format("cannot start '{}': {}", program, std::generic_category().message(errno))};
}

/// In the new process: nothing here may allocate or take a lock, since the parent may have had other threads.
[[noreturn]] void become(char* const* arguments, const char* output, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kCannotStart);  // it died before we asked to follow it
  const int file = ::open(output, O_CREAT | O_WRONLY | O_TRUNC, 0666);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (file < 0 || nothing < 0) ::_exit(kCannotStart);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(file, STDOUT_FILENO);
  ::dup2(file, STDERR_FILENO);
  ::execv(arguments[0], arguments);
  ::_exit(kCannotStart);
}

}  // namespace

core::Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command,
                                               const std::filesystem::path& output) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return cannot_start(command.front());
  const pid_t parent = ::getpid();
  const pid_t id = ::fork();
  if (id == 0) {
    // The writing end stays open in the child for as long as it lives.
    ::fcntl(ends[1], F_SETFD, 0);
    become(arguments.data(), output.c_str(), parent);
  }
  const int failure = errno;
  ::close(ends[1]);
  if (id < 0) {
    ::close(ends[0]);
    errno = failure;
    return cannot_start(command.front());
  }
  return ChildProcess(id, ends[0]);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)), pipe_(std::exchange(other.pipe_, -1)) {}

ChildProcess::~ChildProcess() {
  if (id_ > 0) {
    kill();
    wait();
  }
  if (pipe_ >= 0) ::close(pipe_);
}

void ChildProcess::ask_to_stop() const {
  if (id_ > 0) ::kill(id_, SIGTERM);
}

void ChildProcess::kill() const {
  if (id_ > 0) ::kill(id_, SIGKILL);
}

ChildEnd ChildProcess::wait() {
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  if (WIFEXITED(status)) return {WEXITSTATUS(status), 0};
  return {-1, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

}  // namespace tieline::simulation
