#pragma once

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "support/two_masses.hpp"
#include "support/work_folder.hpp"

namespace tieline::cli {

using Clock = std::chrono::steady_clock;

/// Far longer than anything here takes on a busy machine: reaching it means that it hangs.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::chrono::seconds kDeadline{900};
#else
inline constexpr std::chrono::seconds kDeadline{120};
#endif

using support::example;
using support::text_of;

/// How a program ended and what it said.
struct Outcome {
  std::optional<int> exit_code{};  ///< none: ended by a signal
  int signal = 0;
  std::string out{};
  std::string err{};
};

/// A program that runs in a folder; its output goes to files, so that it never waits for its reader. It is killed with
/// this object.
class Process {
 public:
  using Command = std::vector<std::string>;

  /// `prepare` is called in the new process.
  Process(
      const Command& command, const std::filesystem::path& folder, const std::function<void()>& prepare = [] {}) {
    int alive[2];
    if (::pipe(alive) != 0) throw std::runtime_error("no pipe");
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    const std::string out = (output_.path() / "out").string();
    const std::string err = (output_.path() / "err").string();
    id_ = ::fork();
    if (id_ < 0) throw std::runtime_error("no process");
    if (id_ == 0) {
      ::close(alive[0]);
      ::setpgid(0, 0);
      const int out_file = ::open(out.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
      const int err_file = ::open(err.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
      ::dup2(out_file, STDOUT_FILENO);
      ::dup2(err_file, STDERR_FILENO);
      prepare();
      if (::chdir(folder.c_str()) == 0) ::execvp(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::setpgid(id_, id_);  // in both processes: whichever comes first
    ::close(alive[1]);
    alive_ = alive[0];
  }

  ~Process() {
    if (!is_over_) {
      ::kill(-id_, SIGKILL);  // whatever a shell has started, too
      ::waitpid(id_, nullptr, 0);
    }
    ::close(alive_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const { ::kill(id_, signal); }
  /// As a terminal does it.
  void send_to_group(int signal) const { ::kill(-id_, signal); }

  /// Waits until the program ends; no outcome where it does not within the deadline.
  std::optional<Outcome> wait(std::chrono::milliseconds deadline = kDeadline) {
    if (!has_ended(deadline)) return std::nullopt;
    int status = 0;
    ::waitpid(id_, &status, 0);
    is_over_ = true;
    Outcome outcome{.out = text_of(output_.path() / "out"), .err = text_of(output_.path() / "err")};
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
    return outcome;
  }

  /// Asks now and then until the answer is yes; false if the program ends first or the deadline passes.
  bool wait_until(const std::function<bool()>& question) {
    constexpr std::chrono::milliseconds kPause{20};
    for (const auto end = Clock::now() + kDeadline; Clock::now() < end;) {
      if (question()) return true;
      if (has_ended(kPause)) return question();
    }
    return false;
  }

 private:
  /// The program holds the other end of the pipe: it hangs up when the program ends.
  [[nodiscard]] bool has_ended(std::chrono::milliseconds deadline) const {
    pollfd end{alive_, POLLIN, 0};
    return ::poll(&end, 1, static_cast<int>(deadline.count())) > 0;
  }

  support::TemporaryFolder output_;
  pid_t id_ = -1;
  int alive_ = -1;
  bool is_over_ = false;
};

/// A folder in which the program under test is called as a user calls it.
class Workplace : public support::WorkFolder {
 public:
  [[nodiscard]] static Process::Command command(const std::vector<std::string>& arguments) {
    Process::Command words{TIELINE_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
  }

  /// tieline ARGUMENTS...
  [[nodiscard]] Outcome tieline(
      const std::vector<std::string>& arguments, const std::function<void()>& prepare = [] {}) const {
    return finished(Process(command(arguments), folder(), prepare), arguments);
  }

 private:
  static Outcome finished(Process&& process, const std::vector<std::string>& arguments) {
    if (auto outcome = process.wait()) return *std::move(outcome);
    std::string text = "tieline";
    for (const std::string& argument : arguments) text += " " + argument;
    throw std::runtime_error(text + " does not end");
  }
};

/// Two masses on a line, pushed for ever; quick to run, and for as long as wanted.
inline std::string pair_model(const std::string& force = "{F*sin(200*t)}") {
  return support::TwoMasses{.head = R"(  <Parameters>
    <Parameter name="F" value="100"/>
    <Parameter name="T" value="1e-4"/>
  </Parameters>
)",
                            .left = "      <Parameter name=\"m\" value=\"2\"/>\n",
                            .left_parts = R"(        <Mass name="body" mass="{m}"/>
        <Load name="push" node="body" force=")" +
                                          force + "\"/>\n",
                            .right_parts = R"(        <Parameters> <Parameter name="c" value="10"/> </Parameters>
        <Mass name="body" mass="1"/>
        <Ground name="wall"/>
        <Damper name="damper" from="wall" to="body" damping="{c}"/>
)",
                            .delay = "{T}"}
      .text();
}

}  // namespace tieline::cli
