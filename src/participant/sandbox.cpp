#include "participant/sandbox.hpp"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "participant/landlock.hpp"
#include "participant/seccomp_filter.hpp"

namespace tieline::participant {
namespace {

using core::SandboxLevel;

// Generous: against what runs wild, not against what is large. The first counts all processes and threads of the user.
constexpr rlim_t kMostProcesses = 16384;
constexpr rlim_t kMostFiles = 65536;

// Address checks reserve more memory than any machine has.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;
#else
constexpr bool kLimitsMemory = true;
#endif

void limit(__rlimit_resource resource, rlim_t most) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return;
  now.rlim_cur = std::min(now.rlim_cur, most);
  now.rlim_max = std::min(now.rlim_max, most);
  (void)::setrlimit(resource, &now);
}

/// All that the machine has [bytes].
rlim_t memory_of_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<rlim_t>(pages) * static_cast<rlim_t>(size) : RLIM_INFINITY;
}

}  // namespace

std::string missing_for(SandboxLevel level) {
  std::vector<const char*> missing;
  if (level == SandboxLevel::no) return "";
  if (!has_seccomp()) missing.push_back("filters of system calls (seccomp)");
  constexpr int kHarmless = 2;
  if (landlock_version() < (level == SandboxLevel::strict ? 1 : kHarmless)) {
    missing.push_back("rules for files and processes (Landlock)");
  }
  return fmt::format("{}", fmt::join(missing, " and "));
}

core::Result<Sandbox> Sandbox::prepare(const SandboxRequest& request) {
  Sandbox sandbox;
  sandbox.level_ = request.level;
  if (request.level == SandboxLevel::no) return sandbox;
  if (const std::string missing = missing_for(request.level); sandbox.is_strict() && !missing.empty()) {
    return core::Error{.code = core::ErrorCode::unsupported,
                       .message = fmt::format("the sandbox 'strict' is not possible on this machine, which lacks {}; "
                                              "choose sandbox=\"standard\", or run it in a virtual machine",
                                              missing)};
  }
  if (has_seccomp()) {
    sandbox.filter_ = seccomp_filter({.level = request.level,
                                      .is_program = request.is_program,
                                      .restricts_truncate = landlock_version() >= kLandlockTruncates});
  }
  auto rules =
      landlock_rules({.level = request.level, .writable = request.writable, .has_joined = !request.is_program});
  if (rules) {
    sandbox.rules_ = std::move(*rules);
  } else if (sandbox.is_strict()) {
    return rules.error();
  }
  return sandbox;
}

bool Sandbox::confine_thread() const {
  if (level_ == SandboxLevel::no) return true;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return !is_strict();
  return !rules_ || restrict_thread(rules_) || !is_strict();
}

bool Sandbox::confine_process() const {
  if (level_ == SandboxLevel::no) return true;
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NPROC, kMostProcesses);
  limit(RLIMIT_NOFILE, kMostFiles);
  if (is_strict() && kLimitsMemory) limit(RLIMIT_DATA, memory_of_machine());
  if (filter_.empty()) return !is_strict();
  const sock_fprog program{static_cast<unsigned short>(filter_.size()), const_cast<sock_filter*>(filter_.data())};
  // Without the second flag, older systems slow down everything that is confined.
  constexpr unsigned kFlags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags, &program) == 0 || !is_strict();
}

std::string describe_sandbox(SandboxLevel level) {
  if (level == SandboxLevel::no) return "no: it may do whatever you may do";
  std::string text =
      level == SandboxLevel::standard
          ? "standard: it may read and write files, use the network and start programs; it cannot look into other "
            "processes, gain privileges or change the system"
          : "strict: it may read files; it writes to its own folder only, has no network and starts no programs";
  if (const std::string missing = missing_for(level); !missing.empty()) {
    text += fmt::format(" ({}: this machine lacks {})", level == SandboxLevel::strict ? "not possible here" : "in part",
                        missing);
  }
  return text;
}

}  // namespace tieline::participant
