#include "cli/host_arguments.hpp"

#include <CLI/CLI.hpp>

#include "cli/number_checks.hpp"

namespace tieline::cli {

void add_site(CLI::App& command, std::filesystem::path& site) {
  command
      .add_option("--site", site,
                  "Site file that describes how tools are started here (default: that of TIELINE_SITE, of the user, or "
                  "of the machine)")
      ->type_name("FILE");
}

void add_slurm(CLI::App& command, std::string& on, int& nodes) {
  auto* option =
      command.add_option("--on", on, "slurm: let the batch system Slurm compute it, on nodes of its cluster");
  option->check(CLI::IsMember({"slurm"}))->type_name("SYSTEM");
  command.add_option("--nodes", nodes, "Number of nodes to ask Slurm for (default: as the site file states, or 1)")
      ->check(CLI::Range(1, 100000))
      ->type_name("NUMBER")
      ->needs(option);
}

void add_site_command(CLI::App& app, SiteArguments& arguments) {
  auto* site = app.add_subcommand("site", "Check the machines of the site file");
  site->require_subcommand(1);
  site->footer("Example: tieline site check --site site.xml");
  auto* check = site->add_subcommand("check", "Try every host: reachable, version, tools, clock, round-trip time");
  add_site(*check, arguments.site);
  check->add_option("--deadline", arguments.deadline, "Time for a host to answer [s]")
      ->check(check_positive)
      ->capture_default_str()
      ->type_name("SECONDS");
  check->footer("Example: tieline site check --site site.xml");
}

}  // namespace tieline::cli
