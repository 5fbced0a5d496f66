#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/grammar.hpp"
#include "document/xml.hpp"
#include "model/process.hpp"

/// The machines of a site: how each is reached, how processes are started there, and what it has.
namespace tieline::model {

/// Name of the machine that the run is started on. A site file need not describe it.
inline constexpr std::string_view kHere = "here";
/// In place of a host's name: the run chooses one.
inline constexpr std::string_view kAnyHost = "auto";

/// How a process on a host comes to life.
enum class HostStart {
  here,     ///< start="here": as a process of this machine, at addresses of its own
  ssh,      ///< start="ssh": by the system's client
  slurm,    ///< start="slurm": within an allocation of nodes
  agent,    ///< start="agent": by a service that waits there
  awaited,  ///< start="awaited": by its owner, from a file that the run writes
};

[[nodiscard]] std::array<std::string_view, 5> all_host_start_names();
[[nodiscard]] std::string_view name_of(HostStart start);
[[nodiscard]] std::optional<HostStart> host_start_from_name(std::string_view name);

/// <Tool>. Words in braces are not replaced yet (`kinds::launch_plan` does).
struct Tool {
  std::string name{};     ///< as in tool="..."
  std::string command{};  ///< on one line; empty: the tool is started by someone else, and awaited
  std::string folder{};   ///< to work in, relative to the site file; empty: not stated
  int licences = 0;       ///< how many may run at once; 0: as many as there are components
  std::vector<EnvironmentVariable> environment{};
  document::Element declaration{};
};

/// Ports on which processes of a host may listen. None stated: any that is free.
struct PortRange {
  std::uint16_t first = 0, last = 0;

  [[nodiscard]] bool is_stated() const { return first != 0; }
};

/// <Host>.
struct Host {
  std::string name{};
  HostStart start = HostStart::ssh;
  /// By which other hosts reach it: numeric, or names. The first one is told to partners.
  std::vector<std::string> addresses{};
  std::string login{};   ///< whom `ssh` connects to; empty: the first address
  std::string listen{};  ///< numeric address that its processes listen at; empty: the first address
  PortRange ports{};
  int cores = 0;              ///< 0: not stated
  double memory = 0.0;        ///< [bytes]; 0: not stated
  double speed = 1.0;         ///< of one core, where this machine has 1
  std::string work_folder{};  ///< there; relative to the home folder of its user
  std::string program{};      ///< `tieline` there
  std::vector<Tool> tools{};  ///< beside those of the site, and before them
  std::vector<EnvironmentVariable> environment{};
  document::Element declaration{};

  [[nodiscard]] const Tool* find(std::string_view tool) const;  ///< of its own; null: unknown
  /// Where it listens, or is reached by others.
  [[nodiscard]] const std::string& listening_address() const { return listen.empty() ? addresses.front() : listen; }
};

/// <Slurm>: what a batch system is asked for. Empty, or 0: what it gives by itself.
struct Batch {
  std::string partition{}, account{}, time{};
  int nodes = 0;
};

/// The rules of <Host>, <Tool> and <Slurm>.
[[nodiscard]] std::vector<document::ElementRule> host_rules();

/// A number of at least 1 in a site file, which has no parameters; 0 where it is absent or wrong, which is reported.
[[nodiscard]] double read_site_number(const document::Element& element, const char* attribute,
                                      document::Diagnostics& diagnostics);

/// The <Tool> elements in an element; those that stand twice are reported. With `is_elsewhere`, programs must have
/// whole paths or none.
[[nodiscard]] std::vector<Tool> read_tools(const document::Element& element, bool is_elsewhere,
                                           document::Diagnostics& diagnostics);

/// The <Slurm> element in an element; what is wrong with it is reported.
[[nodiscard]] Batch read_batch(const document::Element& element, document::Diagnostics& diagnostics);

/// The <Host> elements in an element; all that is wrong with them is reported.
[[nodiscard]] std::vector<Host> read_hosts(const document::Element& element, document::Diagnostics& diagnostics);

}  // namespace tieline::model
