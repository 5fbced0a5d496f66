#pragma once

#include <filesystem>
#include <string>

/// What `tieline site check` asks a host, and how each answer is found; hosts are asked by messages, this machine by
/// calls.
namespace tieline::processes {

/// The first letter of a question; the rest is what it is about.
enum class Question : char {
  time = 't',     ///< of its clock [s since 1970]
  machine = 'm',  ///< MachineFacts
  speed = 's',    ///< seconds of the loop
  program = 'p',  ///< whether it has this program
  reach = 'r',    ///< why it cannot connect to this address; empty if it can
};

struct MachineFacts {
  std::string version{};
  int cores = 1;
  double memory = 0.0, free_space = 0.0;  ///< [bytes]
};

[[nodiscard]] double wall_time();
/// How long one core takes for a loop that is the same everywhere [s].
[[nodiscard]] double loop_seconds();
/// Whether a file can be executed, or is found in PATH.
[[nodiscard]] bool is_program(const std::string& name);
/// `folder` is where files of runs go.
[[nodiscard]] MachineFacts machine_facts(const std::filesystem::path& folder);

}  // namespace tieline::processes
