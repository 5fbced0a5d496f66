#include "participant/sandbox.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "participant/environment.hpp"
#include "participant/landlock.hpp"
#include "participant/seccomp_filter.hpp"
#include "support/instrumented.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::participant {
namespace sandbox_test {

using core::SandboxLevel;

/// Runs a function in a child that is confined; what it answers, or 100 if it could not be confined.
int confined(const SandboxRequest& request, const std::function<int()>& function) {
  const pid_t id = ::fork();
  if (id == 0) {
    const auto sandbox = Sandbox::prepare(request);
    if (!sandbox || !sandbox->confine_thread() || !sandbox->confine_process()) ::_exit(100);
    ::_exit(function());
  }
  int status = 0;
  ::waitpid(id, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// 0 if all calls answer as they should, else the number of the first that does not.
int first_wrong(std::initializer_list<bool> answers) {
  int number = 0;
  for (const bool is_right : answers) {
    ++number;
    if (!is_right) return number;
  }
  return 0;
}

bool is_forbidden(long answer) { return answer == -1 && errno == EPERM; }

class EverySandbox : public testing::TestWithParam<SandboxLevel> {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_for(GetParam()); !missing.empty()) GTEST_SKIP() << missing;
  }
  support::TemporaryFolder own, outside;
  SandboxRequest request{.level = GetParam(), .writable = {own.path()}};
};

INSTANTIATE_TEST_SUITE_P(Participant, EverySandbox, testing::Values(SandboxLevel::standard, SandboxLevel::strict),
                         [](const auto& each) { return std::string(core::name_of(each.param)); });

TEST_P(EverySandbox, ForbidsToChangeTheSystem) {
  EXPECT_EQ(confined(request,
                     [] {
                       return first_wrong({is_forbidden(::mount("none", "/mnt", "tmpfs", 0, nullptr)),
                                           is_forbidden(::unshare(CLONE_NEWUSER)),
                                           is_forbidden(::syscall(SYS_bpf, 0, nullptr, 0)),
                                           is_forbidden(::syscall(SYS_keyctl, 0, 0, 0, 0, 0)),
                                           is_forbidden(::syscall(SYS_perf_event_open, nullptr, 0, 0, -1, 0)),
                                           is_forbidden(::syscall(SYS_init_module, nullptr, 0, "")),
                                           is_forbidden(::syscall(SYS_clone, CLONE_NEWUSER, nullptr, 0, 0, 0)),
                                           is_forbidden(::ioctl(0, TIOCSTI, "x")),
                                           ::syscall(SYS_io_uring_setup, 1, nullptr) == -1 && errno == ENOSYS});
                     }),
            0);
}

TEST_P(EverySandbox, KeepsOtherProcessesOut) {
  EXPECT_EQ(confined(request,
                     [] {
                       char byte = 0;
                       iovec here{&byte, 1}, there{&byte, 1};
                       const std::string memory = "/proc/" + std::to_string(::getppid()) + "/mem";
                       return first_wrong(
                           {support::kIsInstrumented || is_forbidden(::ptrace(PTRACE_SEIZE, ::getppid(), 0, 0)),
                            is_forbidden(::syscall(SYS_process_vm_readv, ::getppid(), &here, 1, &there, 1, 0)),
                            ::open(memory.c_str(), O_RDONLY) == -1});
                     }),
            0);
}

TEST_P(EverySandbox, LeavesTheOwnFolderFree) {
  EXPECT_EQ(
      confined(request,
               [&] {
                 const auto folder = own.path();
                 std::error_code problem;
                 std::ofstream(folder / "a") << "text";
                 std::filesystem::create_directories(folder / "deep" / "er", problem);
                 std::filesystem::rename(folder / "a", folder / "deep" / "er" / "b", problem);
                 return first_wrong(
                     {!problem,
                      ::truncate((folder / "deep/er/b").c_str(), 2) == 0 || landlock_version() < kLandlockTruncates,
                      std::filesystem::remove(folder / "deep" / "er" / "b"), std::ofstream("/dev/null").good()});
               }),
      0);
}

TEST_P(EverySandbox, LimitsResources) {
  EXPECT_EQ(confined(request,
                     [] {
                       rlimit core{}, files{};
                       ::getrlimit(RLIMIT_CORE, &core);
                       ::getrlimit(RLIMIT_NOFILE, &files);
                       return first_wrong({core.rlim_max == 0, files.rlim_cur <= 65536});
                     }),
            0);
}

TEST_P(EverySandbox, StartsThreads) {
  EXPECT_EQ(confined(request,
                     [] {
                       int done = 0;
                       std::thread([&] { done = 1; }).join();
                       return done == 1 ? 0 : 1;
                     }),
            0);
}

// What an honest FMU does.
TEST(StandardSandbox, LeavesFilesNetworkAndProgramsFree) {
  if (const std::string missing = missing_for(SandboxLevel::standard); !missing.empty()) GTEST_SKIP() << missing;
  const support::TemporaryFolder one, other;
  EXPECT_EQ(confined({.level = SandboxLevel::standard},
                     [&] {
                       std::ofstream(one.path() / "a") << "text";
                       std::error_code problem;
                       std::filesystem::rename(one.path() / "a", other.path() / "b", problem);
                       return first_wrong({!problem, ::chmod((other.path() / "b").c_str(), 0600) == 0,
                                           ::socket(AF_INET, SOCK_STREAM, 0) >= 0, std::system("exit 0") == 0,
                                           ::kill(::getppid(), 0) == 0});
                     }),
            0);
}

TEST(StrictSandbox, ForbidsWritingNetworkAndPrograms) {
  if (const std::string missing = missing_for(SandboxLevel::strict); !missing.empty()) GTEST_SKIP() << missing;
  const support::TemporaryFolder own, outside;
  const auto file = outside.path() / "file";
  std::ofstream(file) << "precious";
  const auto try_files = [&] {
    std::error_code problem;
    std::filesystem::create_hard_link(file, own.path() / "link", problem);
    return first_wrong({::open(file.c_str(), O_WRONLY) == -1, ::open(file.c_str(), O_RDONLY) >= 0,
                        ::open((outside.path() / "new").c_str(), O_WRONLY | O_CREAT, 0600) == -1,
                        ::truncate(file.c_str(), 0) == -1, ::unlink(file.c_str()) == -1,
                        ::chmod(file.c_str(), 0600) == -1, ::rename(file.c_str(), (own.path() / "x").c_str()) == -1,
                        static_cast<bool>(problem), ::socket(AF_INET, SOCK_STREAM, 0) == -1,
                        ::socket(AF_INET6, SOCK_DGRAM, 0) == -1, ::socket(AF_NETLINK, SOCK_RAW, 0) == -1,
                        ::socket(AF_PACKET, SOCK_RAW, 0) == -1});
  };
  const SandboxRequest code{.level = SandboxLevel::strict, .writable = {own.path()}};
  SandboxRequest program = code;
  program.is_program = true;
  EXPECT_EQ(confined(code, try_files), 0);
  EXPECT_EQ(confined(program, try_files), 0);
  EXPECT_EQ(confined(code,
                     [] {
                       char name[] = "true";
                       char* const words[] = {name, nullptr};
                       return first_wrong({::socket(AF_UNIX, SOCK_STREAM, 0) == -1, ::kill(::getppid(), 0) == -1,
                                           ::kill(::getpid(), 0) == 0, support::kIsInstrumented || ::fork() == -1,
                                           ::execv("/bin/true", words) == -1});
                     }),
            0);
  EXPECT_EQ(confined(program,
                     [] {
                       return first_wrong({::socket(AF_UNIX, SOCK_STREAM, 0) >= 0, std::system("exit 0") == 0});
                     }),
            0);
}

#ifdef __x86_64__
/// A call of a program of 32 bits.
int call_32(int number) {
  int answer = number;
  asm volatile("int $0x80"
               : "+a"(answer)
               : "b"(0), "c"(0), "d"(0), "S"(0), "D"(0)
               : "memory", "r8", "r9", "r10", "r11");
  return answer;
}

TEST(Sandbox, HoldsForCallsOf32Bits) {
  constexpr int kGetPid = 20, kPtrace = 26, kUnshare = 310;
  if (confined({.level = SandboxLevel::no}, [] { return call_32(kGetPid) > 0 ? 0 : 1; }) != 0) {
    GTEST_SKIP() << "this machine runs no programs of 32 bits";
  }
  if (const std::string missing = missing_for(SandboxLevel::strict); !missing.empty()) GTEST_SKIP() << missing;
  EXPECT_EQ(
      confined({.level = SandboxLevel::standard},
               [] {
                 return first_wrong({call_32(kGetPid) > 0, call_32(kPtrace) == -EPERM, call_32(kUnshare) == -EPERM});
               }),
      0);
  EXPECT_EQ(confined({.level = SandboxLevel::strict}, [] { return first_wrong({call_32(kGetPid) == -ENOSYS}); }), 0);
}
#endif

// The filter is for all threads, whichever of them asks for it.
TEST(Sandbox, HoldsForThreadsThatRunAlready) {
  if (const std::string missing = missing_for(SandboxLevel::standard); !missing.empty()) GTEST_SKIP() << missing;
  const auto sandbox = Sandbox::prepare({.level = SandboxLevel::standard});
  ASSERT_TRUE(sandbox);
  const pid_t id = ::fork();
  if (id == 0) {
    std::atomic<int> stage = 0;
    int answer = 1;
    std::thread other([&] {
      while (stage == 0) std::this_thread::yield();
      answer = is_forbidden(::unshare(CLONE_NEWUSER)) ? 0 : 1;
    });
    if (!sandbox->confine_thread() || !sandbox->confine_process()) ::_exit(100);
    stage = 1;
    other.join();
    ::_exit(answer);
  }
  int status = 0;
  ::waitpid(id, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// Rules as older systems have them, which newer ones still take.
TEST(Landlock, ForbidsWritingOutsideInEveryVersion) {
  const support::TemporaryFolder own, outside;
  std::ofstream(outside.path() / "file") << "precious";
  for (int version = 1; version <= landlock_version(); ++version) {
    const std::vector<std::filesystem::path> writable{own.path()};
    const auto rules = landlock_rules({.level = SandboxLevel::strict, .writable = writable, .version = version});
    ASSERT_TRUE(rules) << version << ": " << rules.error().message;
    const int answer = confined({.level = SandboxLevel::no}, [&] {
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      return first_wrong({restrict_thread(*rules), ::open((outside.path() / "file").c_str(), O_WRONLY) == -1,
                          ::open((outside.path() / "file").c_str(), O_RDONLY) >= 0,
                          ::unlink((outside.path() / "file").c_str()) == -1,
                          ::open((own.path() / "new").c_str(), O_WRONLY | O_CREAT, 0600) >= 0,
                          ::unlink((own.path() / "new").c_str()) == 0});
    });
    EXPECT_EQ(answer, 0) << version;
  }
}

/// In a child whose system has no Landlock, by a filter that says so.
int without_landlock(const std::function<int()>& function) {
  return confined({.level = SandboxLevel::no}, [&] {
    std::array<sock_filter, 4> code{
        sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_landlock_create_ruleset},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog program{code.size(), code.data()};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 99;
    return function();
  });
}

TEST(Sandbox, ThatTheSystemCannotGiveIsRefusedWhereItIsStrict) {
  if (!has_seccomp()) GTEST_SKIP() << "this machine has no filters";
  const int answer = without_landlock([] {
    const auto strict = Sandbox::prepare({.level = SandboxLevel::strict});
    const auto standard = Sandbox::prepare({.level = SandboxLevel::standard});
    return first_wrong({!strict && strict.error().message ==
                                       "the sandbox 'strict' is not possible on this machine, which lacks rules for "
                                       "files and processes (Landlock); choose sandbox=\"standard\", or run it in a "
                                       "virtual machine",
                        standard && standard->confine_thread() && standard->confine_process(),
                        is_forbidden(::unshare(CLONE_NEWUSER)),
                        describe_sandbox(SandboxLevel::standard)
                            .ends_with("(in part: this machine lacks rules for files and processes (Landlock))")});
  });
  EXPECT_EQ(answer, 0);
}

TEST(Sandbox, NoneConfinesNothing) {
  EXPECT_EQ(missing_for(SandboxLevel::no), "");
  EXPECT_TRUE(seccomp_filter({.level = SandboxLevel::no}).empty());
  EXPECT_EQ(confined({.level = SandboxLevel::no}, [] { return std::system("exit 0"); }), 0);
}

TEST(Sandbox, AFolderThatDoesNotExistIsNamed) {
  if (const std::string missing = missing_for(SandboxLevel::strict); !missing.empty()) GTEST_SKIP() << missing;
  const auto sandbox = Sandbox::prepare({.level = SandboxLevel::strict, .writable = {"/nowhere/at/all"}});
  ASSERT_FALSE(sandbox);
  EXPECT_NE(sandbox.error().message.find("cannot allow writing to '/nowhere/at/all'"), std::string::npos);
}

TEST(Environment, ASecretIsTakenOnce) {
  ::setenv("TIELINE_TEST_SECRET", "open sesame", 1);
  const char* const place = std::getenv("TIELINE_TEST_SECRET");
  EXPECT_EQ(take_secret("TIELINE_TEST_SECRET"), "open sesame");
  EXPECT_EQ(std::getenv("TIELINE_TEST_SECRET"), nullptr);
  EXPECT_EQ(take_secret("TIELINE_TEST_SECRET"), "");
  // Its bytes are gone, too: those that a process was started with can be read in /proc.
  EXPECT_EQ(place[0], '\0');
}

}  // namespace sandbox_test
}  // namespace tieline::participant
