#include "participant/seccomp_filter.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <span>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tieline::participant {
namespace {

using Numbers = std::span<const std::uint32_t>;

constexpr std::uint32_t call(long number) { return static_cast<std::uint32_t>(number); }

// The leak checker of a build with address checks traces its own process at its end.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kChecksLeaks = true;
#else
constexpr bool kChecksLeaks = false;
#endif

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

// Calls that look into other processes, or change the machine. No model needs them.
constexpr std::array kForbidden{
    // other processes
    call(SYS_process_vm_readv),
    call(SYS_process_vm_writev),
    call(SYS_pidfd_getfd),
    call(SYS_process_madvise),
    // the kernel itself
    call(SYS_kexec_load),
    call(SYS_kexec_file_load),
    call(SYS_init_module),
    call(SYS_finit_module),
    call(SYS_delete_module),
    call(SYS_bpf),
    call(SYS_perf_event_open),
    call(SYS_userfaultfd),
    call(SYS_syslog),
    // file systems
    call(SYS_mount),
    call(SYS_umount2),
    call(SYS_pivot_root),
    call(SYS_chroot),
    call(SYS_move_mount),
    call(SYS_open_tree),
    call(SYS_fsopen),
    call(SYS_fsconfig),
    call(SYS_fsmount),
    call(SYS_fspick),
    call(SYS_mount_setattr),
    call(SYS_open_by_handle_at),
    call(SYS_fanotify_init),
    call(SYS_quotactl),
    // keys of the user
    call(SYS_add_key),
    call(SYS_request_key),
    call(SYS_keyctl),
    // the machine
    call(SYS_reboot),
    call(SYS_swapon),
    call(SYS_swapoff),
    call(SYS_acct),
    call(SYS_settimeofday),
    call(SYS_clock_settime),
    call(SYS_sethostname),
    call(SYS_setdomainname),
    // namespaces
    call(SYS_setns),
    call(SYS_unshare),
#ifdef __x86_64__
    call(SYS_iopl),
    call(SYS_ioperm),
#endif
};

// Calls whose operations a filter cannot see: they do not seem to exist, and programs use others.
constexpr std::array kAbsent{
    call(SYS_io_uring_setup),
    call(SYS_io_uring_enter),
    call(SYS_io_uring_register),
    call(SYS_clone3),
};

constexpr std::uint32_t kFchmodat2 = 452;  // younger than Debian 12's headers
// Rights, owners, times and attributes of files, which the system restricts by folders for nobody.
constexpr std::array kFileFacts{
    call(SYS_fchmod),       call(SYS_fchmodat),     kFchmodat2,          call(SYS_fchown),    call(SYS_fchownat),
    call(SYS_utimensat),    call(SYS_setxattr),     call(SYS_lsetxattr), call(SYS_fsetxattr), call(SYS_removexattr),
    call(SYS_lremovexattr), call(SYS_fremovexattr),
#ifdef __x86_64__
    call(SYS_chmod),        call(SYS_chown),        call(SYS_lchown),    call(SYS_utime),     call(SYS_utimes),
    call(SYS_futimesat),
#endif
};

// Sockets, programs, and signals to others, for code that has all it needs once it is loaded.
constexpr std::array kOutside{
    call(SYS_socket),
    call(SYS_connect),
    call(SYS_bind),
    call(SYS_listen),
    call(SYS_accept),
    call(SYS_accept4),
    call(SYS_execve),
    call(SYS_execveat),
    call(SYS_tkill),
    call(SYS_pidfd_send_signal),
    call(SYS_rt_sigqueueinfo),
#ifdef __x86_64__
    call(SYS_fork),
    call(SYS_vfork),
#endif
};

#ifdef __x86_64__
// The same for programs of 32 bits, in the kernel's table of i386. From 424 on the numbers are those of all machines.
constexpr auto kForbidden32 = std::to_array<std::uint32_t>(
    {26,  347, 348, 438, 440,                 // ptrace, process_vm_*, pidfd_getfd, process_madvise
     283, 128, 350, 129, 357, 336, 374, 103,  // kexec_load, modules, bpf, perf_event_open, userfaultfd, syslog
     21,  22,  52,  217, 61,  429, 428, 430, 431, 432,  // mount, umount, umount2, pivot_root, chroot, move_mount, ...
     433, 442, 342, 338, 131,                           // fspick, mount_setattr, open_by_handle_at, fanotify, quotactl
     286, 287, 288,                                     // keys
     88,  87,  115, 51,  79,  264, 404, 25,  74,  121,  // reboot, swap, acct, settimeofday, clock_settime, stime, names
     346, 310, 110, 101});                              // setns, unshare, iopl, ioperm
constexpr std::array<std::uint32_t, 4> kAbsent32{425, 426, 427, 435};
constexpr std::uint32_t kIoctl32 = 54, kClone32 = 120;
// Above this the numbers are those of a third table, x32.
constexpr std::uint32_t kFirstX32 = 0x40000000;
#endif

constexpr std::uint32_t kNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
// Types a command into the terminal, as if the user had.
constexpr std::array<std::uint32_t, 2> kTyping{TIOCSTI, 0x541C};  // the second: TIOCLINUX

/// Writes a filter: each rule answers with an error, or lets the next one decide. The number of the call is loaded
/// before each.
class FilterWriter {
 public:
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  void load_number() { load(offsetof(seccomp_data, nr)); }
  void allow() { add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
  void answer(int error) { add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }
  /// Passes over so many instructions unless what is loaded is this.
  void unless_equal(std::uint32_t value, std::uint8_t skip) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip); }
  void if_equal(std::uint32_t value, std::uint8_t skip) { add(BPF_JMP | BPF_JEQ | BPF_K, value, skip, 0); }

  void forbid(Numbers numbers, int error = EPERM) {
    for (const std::uint32_t number : numbers) {
      unless_equal(number, 1);
      answer(error);
    }
  }
  void forbid_above(std::uint32_t number, int error) {
    add(BPF_JMP | BPF_JGT | BPF_K, number, 0, 1);
    answer(error);
  }
  /// Where the low half of an argument is this, or is not.
  void forbid_if(std::uint32_t number, int argument, std::uint32_t value) {
    argument_of(number, argument);
    unless_equal(value, 1);
    finish();
  }
  void forbid_unless(std::uint32_t number, int argument, std::uint32_t value) {
    argument_of(number, argument);
    if_equal(value, 1);
    finish();
  }
  /// Where an argument has any of these bits, or none of them.
  void forbid_with(std::uint32_t number, int argument, std::uint32_t bits) {
    argument_of(number, argument);
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    finish();
  }
  void forbid_without(std::uint32_t number, int argument, std::uint32_t bits) {
    argument_of(number, argument);
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
    finish();
  }
  [[nodiscard]] std::vector<sock_filter> take() && { return std::move(code_); }

 private:
  void add(int code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    code_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, value});
  }
  void argument_of(std::uint32_t number, int argument) {
    unless_equal(number, 4);
    // Machines that are known here store the low half first.
    load(offsetof(seccomp_data, args) + sizeof(std::uint64_t) * static_cast<std::size_t>(argument));
  }
  void finish() {
    answer(EPERM);
    load_number();
  }

  std::vector<sock_filter> code_;
};

void forbid_always(FilterWriter& filter) {
  filter.forbid(kForbidden);
  filter.forbid(kAbsent, ENOSYS);
  if (!kChecksLeaks) filter.forbid(std::array{call(SYS_ptrace)});
  for (const std::uint32_t command : kTyping) filter.forbid_if(SYS_ioctl, 1, command);
  filter.forbid_with(SYS_clone, 0, kNamespaces);
}

void forbid_strictly(FilterWriter& filter, const FilterRequest& request) {
  filter.forbid(kFileFacts);
  if (!request.restricts_truncate) filter.forbid(std::array{call(SYS_truncate)});
  filter.forbid_unless(SYS_prlimit64, 0, 0);
  if (request.is_program) {
    filter.forbid_unless(SYS_socket, 0, AF_UNIX);
    return;
  }
  filter.forbid(kOutside);
  const auto own = static_cast<std::uint32_t>(::getpid());
  for (const std::uint32_t each : {call(SYS_kill), call(SYS_tgkill), call(SYS_rt_tgsigqueueinfo)}) {
    filter.forbid_unless(each, 0, own);
  }
  if (!kChecksLeaks) filter.forbid_without(SYS_clone, 0, CLONE_THREAD);
}

}  // namespace

std::vector<sock_filter> seccomp_filter(const FilterRequest& request) {
  FilterWriter filter;
  if (kArchitecture == 0 || request.level == core::SandboxLevel::no) return {};
  filter.load(offsetof(seccomp_data, arch));
#ifdef __x86_64__
  const bool is_strict = request.level == core::SandboxLevel::strict;
  FilterWriter other;
  other.load_number();
  if (is_strict) {
    other.answer(ENOSYS);
  } else {
    other.forbid(kForbidden32);
    other.forbid(kAbsent32, ENOSYS);
    for (const std::uint32_t command : kTyping) other.forbid_if(kIoctl32, 1, command);
    other.forbid_with(kClone32, 0, kNamespaces);
    other.allow();
  }
  // Jumps over the rules of i386 are longer than a conditional jump may be.
  std::vector<sock_filter> rules = std::move(other).take();
  filter.if_equal(AUDIT_ARCH_I386, 1);
  std::vector<sock_filter> code = std::move(filter).take();
  code.push_back({BPF_JMP | BPF_JA, 0, 0, static_cast<std::uint32_t>(rules.size())});
  code.insert(code.end(), rules.begin(), rules.end());
  FilterWriter rest;
#else
  std::vector<sock_filter> code = std::move(filter).take();
  FilterWriter rest;
#endif
  rest.if_equal(kArchitecture, 1);
  rest.answer(ENOSYS);
  rest.load_number();
#ifdef __x86_64__
  rest.forbid_above(kFirstX32 - 1, ENOSYS);
#endif
  forbid_always(rest);
  if (request.level == core::SandboxLevel::strict) forbid_strictly(rest, request);
  rest.allow();
  std::vector<sock_filter> own = std::move(rest).take();
  code.insert(code.end(), own.begin(), own.end());
  return code;
}

bool has_seccomp() {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return kArchitecture != 0 && ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

}  // namespace tieline::participant
