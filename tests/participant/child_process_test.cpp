#include "participant/child_process.hpp"

#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <poll.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "support/temporary_folder.hpp"

namespace tieline::participant {
namespace child_process_test {

namespace fs = std::filesystem;

// Longer than any wait of a test that passes.
constexpr std::chrono::seconds kDeadline{60};

class Child : public testing::Test {
 protected:
  fs::path script(const std::string& name, const std::string& text, mode_t mode = 0755) {
    const fs::path file = folder_.path() / name;
    std::ofstream(file) << text;
    ::chmod(file.c_str(), mode);
    return file;
  }

  static std::string content(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  static std::string refusal(const Launch& launch) {
    const auto child = ChildProcess::start(launch);
    return child ? "it started" : child.error().message;
  }

  /// Waits until a line of a program arrives in a pipe that it writes to by its name.
  std::string read_line(const fs::path& pipe) {
    const int end = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
    std::string line;
    pollfd ready{end, POLLIN, 0};
    char character = 0;
    while (::poll(&ready, 1, static_cast<int>(std::chrono::milliseconds(kDeadline).count())) > 0 &&
           ::read(end, &character, 1) == 1 && character != '\n') {
      line += character;
    }
    ::close(end);
    return line;
  }

  fs::path pipe(const std::string& name) {
    const fs::path file = folder_.path() / name;
    EXPECT_EQ(::mkfifo(file.c_str(), 0600), 0);
    return file;
  }

  support::TemporaryFolder folder_;
  fs::path log_ = folder_.path() / "log.txt";
};

TEST_F(Child, RunsInItsFolderWithItsEnvironmentAndItsLog) {
  fs::create_directory(folder_.path() / "work");
  const auto child =
      ChildProcess::start({.command = {"sh", "-c", "pwd; echo \"$TIELINE_COMPONENT $1\" >&2", "sh", "a  b"},
                           .folder = folder_.path() / "work",
                           .environment = {{"TIELINE_COMPONENT", "rotor"}},
                           .log = log_});
  ASSERT_TRUE(child.has_value()) << child.error().message;
  const auto end = child->wait_for(kDeadline);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->exit_code, 0);
  EXPECT_EQ(content(log_), fs::canonical(folder_.path() / "work").string() + "\nrotor a  b\n");
}

TEST_F(Child, ReportsHowItEnded) {
  const auto failing = ChildProcess::start({.command = {"sh", "-c", "exit 3"}});
  ASSERT_TRUE(failing.has_value());
  EXPECT_EQ(failing->wait().describe(), "ended with exit code 3");
  EXPECT_EQ(failing->wait().exit_code, 3);  // as often as one asks
  const auto killed = ChildProcess::start({.command = {"sh", "-c", "kill -9 $$"}});
  ASSERT_TRUE(killed.has_value());
  EXPECT_EQ(killed->wait().describe(), "was ended by signal 9 (Killed)");
}

TEST_F(Child, ProgramsWithASlashAreRelativeToTheFolder) {
  script("start.sh", "#!/bin/sh\necho here\n");
  const auto child = ChildProcess::start({.command = {"./start.sh"}, .folder = folder_.path(), .log = log_});
  ASSERT_TRUE(child.has_value()) << child.error().message;
  EXPECT_EQ(child->wait().exit_code, 0);
  EXPECT_EQ(content(log_), "here\n");
}

TEST_F(Child, IsLookedUpInThePathThatItGets) {
  script("start-rotor", "#!/bin/sh\necho found\n");
  const auto child = ChildProcess::start(
      {.command = {"start-rotor"}, .environment = {{"PATH", "/none:" + folder_.path().string()}}, .log = log_});
  ASSERT_TRUE(child.has_value()) << child.error().message;
  EXPECT_EQ(child->wait().exit_code, 0);
  EXPECT_EQ(content(log_), "found\n");
}

TEST_F(Child, RefusalsSayWhatIsMissing) {
  const std::string here = folder_.path().string();
  EXPECT_EQ(refusal({}), "cannot start '': the command is empty");
  EXPECT_EQ(refusal({.command = {"start-nothing"}, .environment = {{"PATH", here}}}),
            fmt::format("cannot start 'start-nothing': there is no such program in PATH ({})", here));
  EXPECT_EQ(refusal({.command = {"./none"}, .folder = here}),
            fmt::format("cannot start './none': there is no program '{}/./none'", here));
  EXPECT_EQ(refusal({.command = {"sh"}, .folder = here + "/none"}),
            fmt::format("cannot start 'sh': there is no folder '{}/none'", here));
  script("plain", "#!/bin/sh\n", 0644);
  const std::string plain = fmt::format("'{}/plain' is not executable (chmod +x makes it so)", here);
  EXPECT_EQ(refusal({.command = {here + "/plain"}}), fmt::format("cannot start '{}/plain': {}", here, plain));
  EXPECT_EQ(refusal({.command = {"plain"}, .environment = {{"PATH", here}}}), "cannot start 'plain': " + plain);
  EXPECT_EQ(refusal({.command = {"sh"}, .log = here + "/none/log"}),
            fmt::format("cannot start 'sh': cannot write '{}/none/log': No such file or directory", here));
}

TEST_F(Child, RefusalsOfTheSystemAreExplained) {
  const std::string orphan = script("orphan", "#!/none/interpreter\n").string();
  EXPECT_EQ(
      refusal({.command = {orphan}}),
      fmt::format("cannot start '{0}': the interpreter that '{0}' names in its first line does not exist", orphan));
  const std::string data = script("data", "no program at all\n").string();
  EXPECT_EQ(refusal({.command = {data}}),
            fmt::format("cannot start '{0}': '{0}' is neither a program of this machine nor a script that begins with "
                        "#!",
                        data));
}

/// A script that has started another program, and waits for it; both print their ids.
std::string parent_script(const fs::path& pipe) {
  return fmt::format("#!/bin/sh\nsh -c 'echo $$ > {0}; exec sleep 1000' &\nwait\n", pipe.string());
}

/// A descriptor of the process with this number, readable once it has ended.
int watch(const std::string& number) { return static_cast<int>(::syscall(SYS_pidfd_open, std::stoi(number), 0)); }

/// Whether a process that is not ours has ended, at the latest when the deadline has passed.
bool is_gone(int descriptor) {
  pollfd end{descriptor, POLLIN, 0};
  return ::poll(&end, 1, static_cast<int>(std::chrono::milliseconds(kDeadline).count())) > 0;
}

class Group : public Child, public testing::WithParamInterface<bool> {};

TEST_P(Group, IsStoppedWithAllThatAScriptHasStarted) {
  const fs::path numbers = pipe("numbers");
  const std::string file = script("start", parent_script(numbers)).string();
  const auto child = ChildProcess::start({.command = {file}, .log = log_});
  ASSERT_TRUE(child.has_value()) << child.error().message;
  const int watched = watch(read_line(numbers));
  ASSERT_GE(watched, 0);
  EXPECT_FALSE(child->wait_for(std::chrono::milliseconds(0)).has_value());
  if (GetParam())
    child->ask_to_stop();
  else
    child->kill();
  const auto end = child->wait_for(kDeadline);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->signal, GetParam() ? SIGTERM : SIGKILL);
  EXPECT_TRUE(is_gone(watched));
  ::close(watched);
}

INSTANTIATE_TEST_SUITE_P(AskedOrKilled, Group, testing::Bool());

TEST_F(Child, WhatAScriptHasLeftRunningEndsWithTheObject) {
  const fs::path numbers = pipe("numbers");
  const std::string text =
      fmt::format("#!/bin/sh\nsh -c 'echo $$ > {0}; exec sleep 1000' &\nexit 5\n", numbers.string());
  const std::string file = script("start", text).string();
  int watched = -1;
  {
    const auto child = ChildProcess::start({.command = {file}, .log = log_});
    ASSERT_TRUE(child.has_value());
    watched = watch(read_line(numbers));
    ASSERT_GE(watched, 0);
    EXPECT_EQ(child->wait().exit_code, 5);
    pollfd end{watched, POLLIN, 0};
    EXPECT_EQ(::poll(&end, 1, 0), 0);  // it lives on
  }
  EXPECT_TRUE(is_gone(watched));
  ::close(watched);
}

/// A script that leaves a program in a session of its own, which nobody waits for and which ignores requests, and
/// continues itself.
std::string escaping_script(const fs::path& pipe) {
  return fmt::format(
      "#!/bin/sh\nsetsid sh -c 'trap \"\" TERM; (echo $$ > {}; sleep 1000; sleep 1000) & wait' &\nexec sleep 1000\n",
      pipe.string());
}

TEST_F(Child, IsKilledWithWhatHasLeftItsSession) {
  const fs::path numbers = pipe("numbers");
  const auto child = ChildProcess::start({.command = {script("start", escaping_script(numbers)).string()}});
  ASSERT_TRUE(child.has_value()) << child.error().message;
  const int watched = watch(read_line(numbers));
  ASSERT_GE(watched, 0);
  child->ask_to_stop();
  ASSERT_TRUE(child->wait_for(kDeadline).has_value());
  EXPECT_EQ(child->wait().signal, SIGTERM);
  EXPECT_FALSE(child->have_all_ended());
  pollfd end{watched, POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 0), 0);  // it ignores the request
  child->kill();
  EXPECT_TRUE(child->have_all_ended(kDeadline));
  EXPECT_EQ(::poll(&end, 1, 0), 1);
  EXPECT_EQ(child->wait().signal, SIGTERM);  // its end is still known
  ::close(watched);
}

TEST_F(Child, AndWhatEscapedFromItEndWithThisProcess) {
  const fs::path numbers = pipe("numbers");
  const std::string file = script("start", escaping_script(numbers)).string();
  const pid_t master = ::fork();
  if (master == 0) {
    const auto child = ChildProcess::start({.command = {file}});
    for (;;) ::pause();
  }
  const int watched = watch(read_line(numbers));
  ASSERT_GE(watched, 0);
  ::kill(master, SIGKILL);
  ::waitpid(master, nullptr, 0);
  EXPECT_TRUE(is_gone(watched));
  ::close(watched);
}

// Where a program uses this library, its threads come and go.
TEST_F(Child, OutlivesTheThreadThatHasStartedIt) {
  std::optional<ChildProcess> child;
  std::thread([&] {
    auto started = ChildProcess::start({.command = {"sh", "-c", "read line < " + pipe("go").string() + "; exit 4"}});
    if (started) child.emplace(std::move(*started));
  }).join();
  ASSERT_TRUE(child.has_value());
  EXPECT_FALSE(child->wait_for(std::chrono::milliseconds(100)).has_value());
  std::ofstream(folder_.path() / "go") << "now" << std::endl;
  EXPECT_EQ(child->wait().exit_code, 4);
}

TEST_F(Child, HearsARequestAlsoWhereItIsStopped) {
  const fs::path ready = pipe("ready");
  const auto child = ChildProcess::start(
      {.command = {"sh", "-c",
                   fmt::format("trap 'exit 6' TERM; echo $PPID > {}; kill -STOP $$; while :; do sleep 0.01; done",
                               ready.string())}});
  ASSERT_TRUE(child.has_value());
  const pid_t supervisor = std::stoi(read_line(ready));
  const auto is_stopped = [&] {
    const std::string stat = content(fmt::format("/proc/{}/stat", child->id()));
    return stat.find(") T ") != std::string::npos;
  };
  const auto begin = std::chrono::steady_clock::now();
  while (!is_stopped() && std::chrono::steady_clock::now() < begin + kDeadline) ::poll(nullptr, 0, 5);
  ASSERT_TRUE(is_stopped());
  ::kill(supervisor, SIGSTOP);
  child->ask_to_stop();
  EXPECT_EQ(child->wait().exit_code, 6);
}

TEST_F(Child, EndsWithItsSupervisor) {
  const auto child = ChildProcess::start({.command = {"sleep", "1000"}});
  ASSERT_TRUE(child.has_value());
  const std::string stat = content(fmt::format("/proc/{}/stat", child->id()));
  const pid_t supervisor = std::stoi(stat.substr(stat.rfind(')') + 4));
  EXPECT_EQ(content(fmt::format("/proc/{}/comm", supervisor)), "tieline-keeper\n");
  const int watched = watch(std::to_string(child->id()));
  ::kill(supervisor, SIGKILL);
  EXPECT_EQ(child->wait().describe(), "was ended by signal 9 (Killed)");
  EXPECT_TRUE(is_gone(watched));
  ::close(watched);
}

// Processes whose parents have ended are taken off the system's list.
TEST_F(Child, LeavesNoEndedProcessesBehind) {
  const fs::path numbers = pipe("numbers");
  const auto child = ChildProcess::start(
      {.command = {"sh", "-c", fmt::format("(sh -c 'echo $$ > {}' &) ; exec sleep 1000", numbers.string())}});
  ASSERT_TRUE(child.has_value());
  const std::string number = read_line(numbers);
  const auto begin = std::chrono::steady_clock::now();
  while (fs::exists("/proc/" + number) && std::chrono::steady_clock::now() < begin + kDeadline) ::poll(nullptr, 0, 5);
  EXPECT_FALSE(fs::exists("/proc/" + number));
}

/// This program, started by one of its tests, is another master: it waits for a request, and finds out whether its
/// child has got one, too.
const bool kIsNestedMaster = [] {
  const char* const pipe = std::getenv("TIELINE_TEST_PIPE");
  if (pipe == nullptr) return false;
  sigset_t requests;
  ::sigemptyset(&requests);
  ::sigaddset(&requests, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &requests, nullptr);
  const auto child = ChildProcess::start({.command = {"sleep", "1000"}});
  std::ofstream(pipe) << "ready" << std::endl;
  int number = 0;
  ::sigwait(&requests, &number);
  ::_exit(child && !child->wait_for(std::chrono::milliseconds(200)) ? 7 : 8);
}();

// A sweep asks its runs, and each run asks its own programs.
TEST_F(Child, AsksNobodyBelowAnotherMaster) {
  const fs::path ready = pipe("ready");
  ASSERT_FALSE(kIsNestedMaster);
  const auto child = ChildProcess::start(
      {.command = {"/proc/self/exe"}, .environment = {{"TIELINE_TEST_PIPE", ready.string()}}, .log = log_});
  ASSERT_TRUE(child.has_value()) << child.error().message;
  EXPECT_EQ(read_line(ready), "ready");
  child->ask_to_stop();
  EXPECT_EQ(child->wait().exit_code, 7) << content(log_);
  EXPECT_TRUE(child->have_all_ended(kDeadline));
}

// What belongs to somebody else cannot be killed. This is found out, and not waited for.
TEST_F(Child, ThatCannotBeKilledIsNotWaitedForWithoutEnd) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs another user's rights";
  const fs::path privileged = folder_.path() / "setpriv";
  std::error_code failure;
  ASSERT_TRUE(fs::copy_file("/usr/bin/setpriv", privileged, failure));
  ::chmod(privileged.c_str(), 04755);
  ::chmod(folder_.path().c_str(), 0755);
  const fs::path numbers = pipe("numbers");
  ::chmod(numbers.c_str(), 0666);
  constexpr uid_t kNobody = 65534;
  const pid_t master = ::fork();
  if (master == 0) {
    if (::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(3);
    auto child = ChildProcess::start({.command = {privileged.string(), "--reuid=0", "sleep", "1000"}});
    if (!child) ::_exit(4);
    while (content(fmt::format("/proc/{}/comm", child->id())) != "sleep\n") ::poll(nullptr, 0, 5);
    std::ofstream(numbers) << child->id() << std::endl;
    child->kill();
    ::_exit(child->have_all_ended(std::chrono::milliseconds(500)) ? 1 : 0);
  }
  const std::string number = read_line(numbers);
  int status = 0;
  ::waitpid(master, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ::kill(std::stoi(number), SIGKILL);
}

TEST_F(Child, InheritsNoDescriptorAndNoDisposition) {
  const int first = ::open("/dev/null", O_RDONLY);
  const int leak = ::fcntl(first, F_DUPFD, STDERR_FILENO + 1);  // without O_CLOEXEC, as libraries do
  const int high = ::fcntl(first, F_DUPFD, 57);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const std::string look = fmt::format(
      "for n in {} {}; do test -e /proc/$$/fd/$n && echo open; done; kill -PIPE $$; echo ignored", leak, high);
  const auto child = ChildProcess::start({.command = {"sh", "-c", look}, .log = log_});
  std::signal(SIGPIPE, before);
  for (const int number : {first, leak, high}) ::close(number);
  ASSERT_TRUE(child.has_value());
  EXPECT_EQ(child->wait().signal, SIGPIPE);
  EXPECT_EQ(content(log_), "");
}

TEST_F(Child, TailsAreBounded) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("line {}\n", i);
  std::ofstream(log_) << text << "\n\n";
  EXPECT_EQ(tail_of(log_, 2), "line 998\nline 999");
  EXPECT_EQ(tail_of(log_, 1), "line 999");
  EXPECT_EQ(tail_of(log_, 1000, 25), "line 998\nline 999");  // the third line from the end is not whole
  EXPECT_EQ(tail_of(log_, 5000, 100'000).size(), text.size() - 1);
  std::ofstream(log_) << "0123456789";
  EXPECT_EQ(tail_of(log_, 20, 4), "6789");
  std::ofstream(log_) << "";
  EXPECT_EQ(tail_of(log_), "");
  EXPECT_EQ(tail_of(folder_.path() / "none"), "");
}

}  // namespace child_process_test
}  // namespace tieline::participant
