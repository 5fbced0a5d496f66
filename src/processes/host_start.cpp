#include "processes/host_start.hpp"

#include <cstdlib>
#include <fmt/format.h>

#include "core/command_line.hpp"
#include "processes/letter.hpp"
#include "processes/slurm.hpp"

namespace tieline::processes {
namespace {

/// The system's client with options that let it never ask anybody, and end soon where nobody answers.
core::Result<std::vector<std::string>> ssh_command() {
  const char* const stated = std::getenv("TIELINE_SSH");
  auto words = core::split_command(stated == nullptr || *stated == '\0' ? "ssh" : stated);
  if (!words) {
    words.error().message = "TIELINE_SSH is not a command: " + words.error().message;
    return words;
  }
  for (const char* option : {"BatchMode=yes", "ConnectTimeout=20", "ServerAliveInterval=10", "ServerAliveCountMax=6",
                             "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes"}) {
    words->emplace_back("-o");
    words->emplace_back(option);
  }
  words->emplace_back("-T");
  return words;
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

core::Result<participant::Launch> start_on(const model::Host& host, const std::filesystem::path& runner,
                                           const std::filesystem::path& letter) {
  participant::Launch launch;
  switch (host.start) {
    case model::HostStart::awaited:
      return launch;
    case model::HostStart::here:
      launch.command = {host.program.empty() || host.program == "tieline" ? runner.string() : host.program, "runner"};
      launch.environment[kLetterVariable] = "-";
      launch.input = letter;
      return launch;
    case model::HostStart::ssh: {
      auto command = ssh_command();
      if (!command) return std::move(command.error());
      launch.command = std::move(*command);
      launch.command.emplace_back("--");
      launch.command.push_back(host.login.empty() ? host.addresses.front() : host.login);
      launch.command.push_back(fmt::format("exec env {}=- {} runner", kLetterVariable, shell_quoted(host.program)));
      launch.input = letter;
      return launch;
    }
    case model::HostStart::slurm: {
      // All nodes see the folder of the results; a letter that Slurm passes on would go over the network as it is.
      const bool is_usual = host.program.empty() || host.program == "tieline";
      auto command = slurm::start_command(host, is_usual ? runner.string() : host.program, letter);
      if (!command) return std::move(command.error());
      launch.command = std::move(*command);
      return launch;
    }
    case model::HostStart::agent:
      break;
  }
  return core::Error{.code = core::ErrorCode::unsupported,
                     .message = fmt::format("processes cannot be started on host '{}' yet: this program has no way to "
                                            "start=\"{}\"; expected ssh, slurm, here or awaited",
                                            host.name, model::name_of(host.start))};
}

}  // namespace tieline::processes
