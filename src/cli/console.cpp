#include "cli/console.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <mutex>
#include <poll.h>
#include <system_error>
#include <unistd.h>

namespace tieline::cli {
namespace {

/// How long the reader of the error stream may take to make room.
constexpr std::chrono::milliseconds kPatience{1000};
/// A pipe that has room takes so much at once, a terminal so much [bytes].
constexpr std::size_t kPieceForPipe = 4096, kPieceForTerminal = 256;

}  // namespace

void write_error(std::string_view text) {
  static std::mutex writing;
  static bool is_stuck = false;
  const std::lock_guard lock(writing);
  const std::size_t piece = ::isatty(STDERR_FILENO) != 0 ? kPieceForTerminal : kPieceForPipe;
  while (!text.empty()) {
    pollfd stream{STDERR_FILENO, POLLOUT, 0};
    const int count = ::poll(&stream, 1, is_stuck ? 0 : static_cast<int>(kPatience.count()));
    if (count < 0 && errno == EINTR) continue;
    is_stuck = count <= 0;
    if (is_stuck) return;
    const ssize_t written = ::write(STDERR_FILENO, text.data(), std::min(text.size(), piece));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void prepare_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free number is used, which is this one; what is opened for reading refuses to be written.
    if (::fcntl(stream, F_GETFD) < 0) (void)!::open("/dev/null", O_RDONLY);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

int after_output(int code) {
  bool is_flushed = std::fflush(stdout) == 0;
  int reason = errno;
  std::cout.flush();
  if (is_flushed && std::ferror(stdout) == 0 && std::cout.good()) return code;
  if (is_flushed) {
    // An earlier part of a long output was lost, and the reason with it: another attempt shows it.
    std::clearerr(stdout);
    is_flushed = std::fputc('\n', stdout) != EOF && std::fflush(stdout) == 0;
    reason = errno;
  }
  const int failed =
      complain_of_output(is_flushed ? std::error_code() : std::error_code(reason, std::generic_category()));
  return code == kDone ? failed : code;
}

int complain_of_output(const std::error_code& reason) {
  return complain(fmt::format("the output could not be written{}", reason ? ": " + reason.message() : ""));
}

int complain(std::string_view message, ExitCode code) {
  print_error("tieline: {}\n", message);
  return code;
}

int complain_of_model(std::string_view problems) {
  print_error("{}{}", problems, problems.ends_with('\n') ? "" : "\n");
  return kBadInput;
}

std::string count(std::size_t number, std::string_view thing) {
  if (number == 0) return fmt::format("no {}s", thing);
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::string describe(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += problem.describe() + "\n";
  return text;
}

int complain_of_files(const FileError& error, std::string_view option) {
  constexpr std::string_view kReplace = "replace";  // "replace it", "replace them"
  std::string text;
  for (const Problem& problem : error.problems()) {
    if (!text.empty()) text += "\n";
    if (problem.line > 0) text += fmt::format("{}:{}: ", problem.file.string(), problem.line);
    text += problem.text;
    if (problem.advice.starts_with(kReplace)) {
      text += fmt::format("; {} replaces{}", option, problem.advice.substr(kReplace.size()));
    }
  }
  return complain(text.empty() ? error.what() : text);
}

}  // namespace tieline::cli
