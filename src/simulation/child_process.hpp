#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "core/result.hpp"

namespace tieline::simulation {

/// How a child ended.
struct ChildEnd {
  int exit_code = -1;  ///< -1: ended by a signal
  int signal = 0;
};

/// Another program that runs beside this one, in its own process group (so that Ctrl-C reaches its parent alone), its
/// output going to a file. It is killed when this process ends, however that happens, and with this object.
///
/// Call order: `start`; poll `end_of_life()` (readable once the child is gone), then `wait`. One thread, and always
/// the one that started the child.
class ChildProcess {
 public:
  static core::Result<ChildProcess> start(const std::vector<std::string>& command, const std::filesystem::path& output);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  /// A descriptor for poll().
  [[nodiscard]] int end_of_life() const { return pipe_; }
  /// Asks the child to stop cleanly (SIGTERM).
  void ask_to_stop() const;
  /// Ends it at once (SIGKILL).
  void kill() const;
  /// Waits until the child is gone.
  ChildEnd wait();

 private:
  ChildProcess(pid_t id, int pipe) : id_(id), pipe_(pipe) {}

  pid_t id_ = -1;  ///< -1: gone
  int pipe_ = -1;  ///< the child holds the other end, and nobody else does
};

}  // namespace tieline::simulation
