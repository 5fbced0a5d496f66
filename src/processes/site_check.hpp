#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "model/site.hpp"
#include "processes/network.hpp"
#include "transport/membership.hpp"

/// Whether the hosts of a site file can be used as it says: `tieline site check` starts a process on each of them in
/// the way of a run, has it join over TLS, and asks it.
namespace tieline::processes {

/// What a tool of a host is there.
struct ToolCondition {
  std::string name{};
  std::string program{};  ///< its first word; empty: its owner starts it
  bool is_found = false;
};

struct HostCondition {
  std::string name{};
  std::string start{};
  std::string address{};
  bool is_tried = false;  ///< not where its owner starts processes
  bool is_reached = false;
  std::string problem{};                ///< why it cannot be used, or is not tried
  std::vector<std::string> warnings{};  ///< what does not fit the site file
  std::string version{};                ///< of tieline there
  int cores = 0;                        ///< that it has
  double memory = 0.0;                  ///< that it has [bytes]
  double free_space = 0.0;              ///< where files of runs go [bytes]
  double round_trip = 0.0;              ///< of a message [s]; the shortest of several
  double clock_offset = 0.0;            ///< its clock minus ours [s]
  double speed = 0.0;                   ///< of a core, where one of this machine has 1
  std::vector<ToolCondition> tools{};
};

struct SiteCheckOptions {
  std::filesystem::path runner{};  ///< the program that hosts of this machine start; empty: looked for
  double deadline = 60.0;          ///< for a host to join [s]
  const std::atomic<bool>* cancel = nullptr;
};

/// All hosts at the same time, in the order of the file, `here` first. An error if nothing can be tried at all.
[[nodiscard]] core::Result<std::vector<HostCondition>> check_site(const model::Site& site,
                                                                  const SiteCheckOptions& options);

/// Set in the letter of a process that is only to be asked about its host.
inline constexpr const char* kProbeVariable = "TIELINE_PROBE";

/// Such a process: answers what it is asked until it may leave.
[[nodiscard]] core::Result<void> answer_probe(transport::Membership& membership, const Network& network,
                                              const std::filesystem::path& folder);

/// Whether somebody listens at an address of a door, "tls:HOST:PORT".
[[nodiscard]] core::Result<void> try_address(const std::string& address);

}  // namespace tieline::processes
