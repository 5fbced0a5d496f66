#include "participant/supervisor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <span>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tieline::participant {
namespace {

/// In the list of processes; at most 15 characters. Supervisors know each other by it.
constexpr const char* kSupervisorName = "tieline-keeper";
/// Sent by the system when the thread that has forked us ends.
constexpr int kParentEnded = SIGHUP;
/// Processes of the machine that are looked at.
constexpr std::size_t kMostKnown = std::size_t{1} << 16;
/// Between two attempts to end what is left [ms].
constexpr int kFirstPause = 2, kLongestPause = 1000;

/// A process of this machine.
struct KnownProcess {
  pid_t id = 0, parent = 0;
  std::uint64_t start = 0;  ///< since the machine was started [ticks]: with the number it identifies the process
  bool is_below = false;    ///< of ours
  bool is_supervisor = false;
};

/// The number that begins the text, which is cut off; blanks before it are passed over.
std::uint64_t take_number(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  std::uint64_t number = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    number = 10 * number + static_cast<std::uint64_t>(text.front() - '0');
    text.remove_prefix(1);
  }
  return number;
}

void pass_word(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.front() != ' ') text.remove_prefix(1);
}

/// As proc(5) describes `stat`. False if there is no such process.
bool read_process(int proc, pid_t id, KnownProcess& process) {
  // "123/stat", written from its end.
  std::array<char, 32> name{};
  char* at = name.data() + name.size() - 6;
  std::memcpy(at, "/stat", 6);
  for (pid_t rest = id; rest > 0; rest /= 10) *--at = static_cast<char>('0' + rest % 10);
  const int file = ::openat(proc, at, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 1024> bytes;
  const ssize_t count = ::read(file, bytes.data(), bytes.size());
  ::close(file);
  if (count <= 0) return false;
  std::string_view text(bytes.data(), static_cast<std::size_t>(count));
  // The name, in parentheses, may contain anything.
  const auto open = text.find('('), close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return false;
  process.id = id;
  process.is_supervisor = text.substr(open + 1, close - open - 1) == kSupervisorName;
  text.remove_prefix(close + 1);
  pass_word(text);  // its state
  process.parent = static_cast<pid_t>(take_number(text));
  constexpr int kBetween = 17;  // from the process group to the value of the next timer
  for (int i = 0; i < kBetween; ++i) pass_word(text);
  process.start = take_number(text);
  return true;
}

/// All processes of the machine, as one look at /proc finds them.
class ProcessTable {
 public:
  ProcessTable() : proc_(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    void* const memory = ::mmap(nullptr, kMostKnown * sizeof(KnownProcess), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) all_ = static_cast<KnownProcess*>(memory);
    if (all_ != nullptr && proc_ >= 0) fill();
  }
  ProcessTable(const ProcessTable&) = delete;
  ProcessTable& operator=(const ProcessTable&) = delete;
  ~ProcessTable() {
    if (all_ != nullptr) ::munmap(all_, kMostKnown * sizeof(KnownProcess));
    if (proc_ >= 0) ::close(proc_);
  }

  /// Sends a signal to all that descend from the process; to those below other supervisors too only where that is
  /// said, since who has started these asks them itself.
  void signal_below(pid_t top, int number, bool passes_supervisors) {
    mark_below(top, passes_supervisors);
    for (const KnownProcess& process : known()) {
      if (process.is_below && (passes_supervisors || !process.is_supervisor)) send(process, number);
    }
  }

 private:
  [[nodiscard]] std::span<KnownProcess> known() const { return {all_, count_}; }

  void fill() {
    alignas(dirent64) std::array<char, 8192> entries;
    for (;;) {
      const long size = ::syscall(SYS_getdents64, proc_, entries.data(), entries.size());
      if (size <= 0) return;
      for (long at = 0; at < size;) {
        const auto* const entry = reinterpret_cast<const dirent64*>(entries.data() + at);
        at += entry->d_reclen;
        std::string_view name(entry->d_name);
        const auto id = static_cast<pid_t>(take_number(name));
        if (id > 0 && name.empty() && count_ < kMostKnown && read_process(proc_, id, all_[count_])) ++count_;
      }
    }
  }

  void mark_below(pid_t top, bool passes_supervisors) {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (KnownProcess& process : known()) {
        if (process.is_below || process.id == top || !is_child_of_known(process, top, passes_supervisors)) continue;
        process.is_below = has_changed = true;
      }
    }
  }
  [[nodiscard]] bool is_child_of_known(const KnownProcess& process, pid_t top, bool passes_supervisors) const {
    if (process.parent == top) return true;
    const auto all = known();
    return std::any_of(all.begin(), all.end(), [&](const KnownProcess& other) {
      return other.is_below && other.id == process.parent && (passes_supervisors || !other.is_supervisor);
    });
  }

  void send(const KnownProcess& process, int number) const {
    // The number may have been given to a stranger since: what the descriptor stands for is looked at once more.
    const auto descriptor = static_cast<int>(::syscall(SYS_pidfd_open, process.id, 0));
    KnownProcess now{};
    if (read_process(proc_, process.id, now) && now.start == process.start) {
      if (descriptor < 0) {
        ::kill(process.id, number);  // systems and containers without such descriptors
      } else {
        ::syscall(SYS_pidfd_send_signal, descriptor, number, nullptr, 0);
      }
    }
    if (descriptor >= 0) ::close(descriptor);
  }

  int proc_;
  KnownProcess* all_ = nullptr;
  std::size_t count_ = 0;
};

/// Keeps the standard descriptors, which lead nowhere, and the connection, which becomes the next one.
int keep_connection(int connection, int nothing) {
  // No new number is needed for this: there may be none left.
  constexpr int kConnection = STDERR_FILENO + 1;
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, number);
  ::dup2(connection, kConnection);
  if (::close_range(kConnection + 1, ~0U, 0) == 0) return kConnection;
  rlimit most{};
  ::getrlimit(RLIMIT_NOFILE, &most);
  const rlim_t end = std::min<rlim_t>(most.rlim_cur, 1 << 20);
  for (int number = kConnection + 1; static_cast<rlim_t>(number) < end; ++number) ::close(number);
  return kConnection;
}

void report_above(int connection, SupervisorReport::Kind kind, int value) {
  const SupervisorReport report{kind, value};
  (void)!::send(connection, &report, sizeof report, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// The supervisor's life once its program runs.
class Supervisor {
 public:
  Supervisor(pid_t program, pid_t above, int connection, int signals)
      : program_(program), above_(above), connection_(connection), signals_(signals) {}

  [[noreturn]] void run() {
    while (reap()) {
      if (must_end_) end_all();
      wait();
      if (::getppid() != above_) must_end_ = true;
    }
    ::_exit(0);
  }

 private:
  /// Takes note of whoever has ended; false once nobody is left.
  bool reap() {
    for (;;) {
      int status = 0;
      const pid_t id = ::waitpid(-1, &status, WNOHANG | __WALL);
      if (id == 0) return true;
      if (id < 0 && errno == EINTR) continue;
      if (id < 0) return false;
      if (id != program_) continue;
      program_ = 0;
      report_above(connection_, SupervisorReport::Kind::ended, status);
    }
  }

  void end_all() {
    // A whole group at once, as long as its number cannot belong to a stranger; then whoever is not in it.
    if (program_ > 0) ::kill(-program_, SIGKILL);
    ProcessTable().signal_below(::getpid(), SIGKILL, true);
    pause_ = std::min(2 * pause_, kLongestPause);
  }

  void wait() {
    // Once everything is to end there is nothing more to be asked.
    std::array<pollfd, 2> sources{pollfd{signals_, POLLIN, 0}, pollfd{must_end_ ? -1 : connection_, POLLIN, 0}};
    if (::poll(sources.data(), sources.size(), must_end_ ? pause_ : -1) <= 0) return;
    signalfd_siginfo signal{};
    while (::read(signals_, &signal, sizeof signal) > 0) {
    }
    if (sources[1].revents != 0) obey();
  }

  void obey() {
    char order = 0;
    const ssize_t count = ::recv(connection_, &order, 1, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count == 1 && order == static_cast<char>(SupervisorOrder::ask_to_stop)) {
      ProcessTable table;
      table.signal_below(::getpid(), SIGTERM, false);
      return table.signal_below(::getpid(), SIGCONT, false);  // who is stopped hears nothing
    }
    must_end_ = true;
  }

  pid_t program_;  ///< 0: has ended
  pid_t above_;
  int connection_;
  int signals_;
  int pause_ = kFirstPause;
  bool must_end_ = false;
};

}  // namespace

void become_supervisor(pid_t above) {
  ::setpgid(0, 0);  // Ctrl-C is for the process above
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  std::signal(SIGCHLD, SIG_DFL);  // where it is ignored, ends would not be reported
  ::prctl(PR_SET_NAME, kSupervisorName);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, kParentEnded);
  if (::getppid() != above) ::_exit(0);  // it died before we asked to be told
}

void supervise(pid_t program, pid_t above, int connection, int nothing) {
  report_above(connection, SupervisorReport::Kind::started, program);
  const int kept = keep_connection(connection, nothing);
  (void)!::chdir("/");
  sigset_t awaited;
  ::sigemptyset(&awaited);
  ::sigaddset(&awaited, SIGCHLD);
  ::sigaddset(&awaited, kParentEnded);
  Supervisor(program, above, kept, ::signalfd(-1, &awaited, SFD_NONBLOCK | SFD_CLOEXEC)).run();
}

}  // namespace tieline::participant
