#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "core/result.hpp"
#include "participant/environment.hpp"
#include "participant/sandbox.hpp"

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
  std::filesystem::path log{};  ///< gets standard output and errors; empty: they go where this process's go
};

/// Another program that runs beside this one. It and what it starts form a process group of its own, so that Ctrl-C
/// reaches this process alone, and a script is stopped with the programs that it has started. The program itself is
/// killed when this process ends, however that happens, and the whole group with this object. It reads nothing
/// (/dev/null), has no descriptor of ours but its output, and all signals do to it what they do by default.
///
/// Call order: `start`; poll `end_of_life()` (readable once the program has ended), then `wait`. One thread, and always
/// the one that started the program, which must live on: the system kills the child when that thread ends.
class ChildProcess {
 public:
  /// Returns once the program runs. The error says whether there is no such program, it cannot be executed, or there is
  /// no such folder.
  static core::Result<ChildProcess> start(const Launch& launch);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  [[nodiscard]] pid_t id() const { return id_; }
  /// A descriptor for poll(). What a script has left running in its group does not count.
  [[nodiscard]] int end_of_life() const { return end_; }
  /// Asks all of the group to stop cleanly (SIGTERM).
  void ask_to_stop() const;
  /// Ends all of the group at once (SIGKILL).
  void kill() const;
  /// Waits until the program has ended. What else is in its group lives on until `kill` or the end of this object.
  [[nodiscard]] ChildEnd wait() const;
  /// The same, but not for ever; nothing if it still runs.
  [[nodiscard]] std::optional<ChildEnd> wait_for(std::chrono::milliseconds longest) const;

 private:
  ChildProcess(pid_t id, int end) : id_(id), end_(end) {}

  // The ended child is not taken off the system's list before this object goes: until then neither its number nor that
  // of its group can be given to anyone else, so that no signal of ours ever hits a stranger.
  pid_t id_ = -1;
  int end_ = -1;  ///< pidfd
};

/// The end of a text file, where programs say why they end: at most so many whole lines and bytes. Empty if the file
/// cannot be read.
[[nodiscard]] std::string tail_of(const std::filesystem::path& file, std::size_t most_lines = 20,
                                  std::size_t most_bytes = 4096);

}  // namespace tieline::participant
