#include "participant/landlock.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace tieline::participant {
namespace {

using core::Descriptor;

// What Debian 12's headers do not have yet.
constexpr std::uint64_t kTruncate = 1ULL << 14, kDeviceControl = 1ULL << 15;
constexpr std::uint64_t kScopeSockets = 1ULL << 0, kScopeSignals = 1ULL << 1;
constexpr int kRefers = 2, kControlsDevices = 5, kScopes = 6;

/// The kernel's own form; earlier versions know its beginning.
struct Attributes {
  std::uint64_t files = 0, network = 0, scope = 0;
};

constexpr std::uint64_t kMakeDevices = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;
/// What can be allowed for a file, rather than a folder.
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

std::uint64_t all_writing(int version) {
  std::uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                         LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                         LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM;
  if (version >= kRefers) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= kLandlockTruncates) rights |= kTruncate;
  return rights;
}

core::Error landlock_failure(const std::string& what) {
  return {.code = core::ErrorCode::input_output,
          .message = fmt::format("{}: {}", what, std::generic_category().message(errno))};
}

core::Result<void> allow(const Descriptor& rules, const std::filesystem::path& path, std::uint64_t rights) {
  const Descriptor place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  if (!place || ::fstat(place.get(), &status) != 0) {
    return landlock_failure(fmt::format("cannot allow writing to '{}'", path.string()));
  }
  if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights;
  rule.parent_fd = place.get();
  if (::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0) return {};
  return landlock_failure(fmt::format("cannot allow writing to '{}'", path.string()));
}

Descriptor make_rules(const Attributes& attributes, int version) {
  constexpr int kKnowsNetwork = 4;
  const std::size_t size = sizeof(std::uint64_t) * (version >= kScopes ? 3U : version >= kKnowsNetwork ? 2U : 1U);
  return Descriptor(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
}

}  // namespace

int landlock_version() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

core::Result<Descriptor> landlock_rules(const LandlockRequest& request) {
  const int version = request.version;
  const bool is_strict = request.level == core::SandboxLevel::strict;
  // The first version forbids to move files between folders, whatever its rules say.
  if (request.level == core::SandboxLevel::no || version == 0 || (!is_strict && version < kRefers)) return Descriptor();
  Attributes attributes;
  if (!is_strict) {
    // Rules have to handle something; who needs no devices loses nothing, and is kept from other processes.
    attributes.files = kMakeDevices | LANDLOCK_ACCESS_FS_REFER;
  } else {
    attributes.files = all_writing(version) | kMakeDevices;
    if (version >= kControlsDevices) attributes.files |= kDeviceControl;
    if (version >= kScopes) attributes.scope = kScopeSignals | (request.has_joined ? kScopeSockets : 0);
  }
  Descriptor rules = make_rules(attributes, version);
  if (!rules) return landlock_failure("cannot make rules for files (Landlock)");
  if (!is_strict) {
    if (auto allowed = allow(rules, "/", LANDLOCK_ACCESS_FS_REFER); !allowed) return allowed.error();
    return rules;
  }
  for (const std::filesystem::path& path : request.writable) {
    if (auto allowed = allow(rules, path, all_writing(version)); !allowed) return allowed.error();
  }
  for (const char* device : {"/dev/null", "/dev/zero"}) {
    if (::access(device, F_OK) != 0) continue;
    if (auto allowed = allow(rules, device, all_writing(version)); !allowed) return allowed.error();
  }
  return rules;
}

bool restrict_thread(const Descriptor& rules) { return ::syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0; }

}  // namespace tieline::participant
