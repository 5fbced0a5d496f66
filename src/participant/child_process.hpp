#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "core/descriptor.hpp"
#include "core/result.hpp"
#include "participant/environment.hpp"
#include "participant/sandbox.hpp"
#include "participant/supervisor.hpp"

namespace tieline::participant {

/// How a child ended.
struct ChildEnd {
  int exit_code = -1;  ///< -1: ended by a signal
  int signal = 0;

  /// "ended with exit code 3", "was ended by signal 9 (Killed)".
  [[nodiscard]] std::string describe() const;
};

/// What to start, and where.
struct Launch {
  /// The program and its arguments; no shell is involved (`core::split_command` makes words of a line). A program
  /// without a '/' is looked up in PATH, that of `environment` where it sets one; one with a '/' is relative to
  /// `folder`.
  std::vector<std::string> command{};
  std::filesystem::path folder{};            ///< to work in; empty: this process's own
  Environment environment{};                 ///< beside and above what this process has
  std::shared_ptr<const Sandbox> sandbox{};  ///< what it may do; null: whatever this process may. Copies share it.
  std::filesystem::path input{};             ///< what it reads; empty: nothing
  std::filesystem::path log{};  ///< gets standard output and errors; empty: they go where this process's go
};

/// Another program that runs beside this one. It has a process group of its own, so that Ctrl-C reaches this process
/// alone. It reads nothing (/dev/null) but its input, has no descriptor of ours but its output, and all signals do to
/// it what they do by default.
///
/// Between both is a small process (supervisor.hpp), below which all stays that the program starts, also in other
/// groups and sessions. All of it is killed with this object, and when this process ends, however that happens.
///
/// Call order: `start`; poll `end_of_life()` (readable once the program has ended), then `wait`. One thread at a time.
class ChildProcess {
 public:
  /// Returns once the program runs. The error says whether there is no such program, it cannot be executed, or there is
  /// no such folder.
  static core::Result<ChildProcess> start(const Launch& launch);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  /// Kills what is left, and waits for its end; not for ever, since not everything can be killed.
  ~ChildProcess();

  [[nodiscard]] pid_t id() const { return id_; }
  /// A descriptor for poll(): POLLIN once the program has ended, POLLHUP once all that it has started has as well.
  [[nodiscard]] int end_of_life() const { return connection_.get(); }
  /// Asks the program, and all that it has started, to stop cleanly (SIGTERM).
  void ask_to_stop() const;
  /// Ends all of them (SIGKILL), and whatever they start meanwhile.
  void kill() const;
  /// Waits until the program has ended. What else it has started lives on until `kill` or the end of this object.
  [[nodiscard]] ChildEnd wait() const;
  /// The same, but not for ever; nothing if it still runs.
  [[nodiscard]] std::optional<ChildEnd> wait_for(std::chrono::milliseconds longest) const;
  /// Whether the program and all that it has started have ended, or do within this time.
  [[nodiscard]] bool have_all_ended(std::chrono::milliseconds longest = {}) const;

 private:
  ChildProcess(pid_t id, pid_t supervisor, core::Descriptor connection)
      : id_(id), supervisor_(supervisor), connection_(std::move(connection)) {}
  void order(SupervisorOrder what) const;

  pid_t id_ = -1;
  pid_t supervisor_ = -1;
  core::Descriptor connection_;  ///< to the supervisor: packets
  /// When it was first killed.
  mutable std::optional<std::chrono::steady_clock::time_point> killed_at_{};
};

/// How long something may take to end once it was killed. What takes longer cannot be ended: the system waits for a
/// device on its behalf, or it belongs to another user.
inline constexpr std::chrono::seconds kKillTime{5};

/// The end of a text file, where programs say why they end: at most so many whole lines and bytes, without control
/// characters. Empty if the file cannot be read.
[[nodiscard]] std::string tail_of(const std::filesystem::path& file, std::size_t most_lines = 20,
                                  std::size_t most_bytes = 4096);

}  // namespace tieline::participant
