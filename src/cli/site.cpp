#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tieline/hosts.hpp"
#include "tieline/program.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"

namespace tieline::cli {
namespace {

std::string seconds_text(double seconds) {
  if (std::abs(seconds) < 1e-3) return fmt::format("{:.0f} us", 1e6 * seconds);
  return std::abs(seconds) < 1.0 ? fmt::format("{:.2f} ms", 1e3 * seconds) : fmt::format("{:.1f} s", seconds);
}

/// A clock, as far as it can be known by messages that take a while.
std::string clock_text(const HostCondition& host) {
  if (std::abs(host.clock_offset) <= host.round_trip) return "same";
  return (host.clock_offset > 0.0 ? "+" : "-") + seconds_text(std::abs(host.clock_offset));
}

std::string tools_text(const HostCondition& host) {
  std::vector<std::string> names;
  for (const ToolCondition& tool : host.tools) {
    if (tool.is_found) names.push_back(tool.name);
  }
  return names.empty() ? "-" : fmt::format("{}", fmt::join(names, " "));
}

std::vector<std::string> row_of(const HostCondition& host) {
  const std::string state = host.is_reached ? "ready" : host.is_tried ? "FAILED" : "not tried";
  if (!host.is_reached) {
    return {host.name, host.start, host.address.empty() ? "-" : host.address, state, "-", "-", "-", "-", "-", "-", "-"};
  }
  const bool is_other = host.round_trip > 0.0;
  return {host.name,
          host.start,
          host.address.empty() ? "-" : host.address,
          state,
          is_other ? seconds_text(host.round_trip) : "-",
          is_other ? clock_text(host) : "-",
          host.version,
          fmt::format("{}", host.cores),
          fmt::format("{:.1f} GB", host.memory / 1e9),
          fmt::format("{:.2f}", host.speed),
          tools_text(host)};
}

}  // namespace

int check_hosts(const SiteArguments& arguments) {
  const SiteReport report =
      check_site({.site = arguments.site, .deadline = arguments.deadline, .cancel = &watch_interrupts()});
  if (report.file.empty()) {
    return complain(
        "there is no site file to check; expected one by --site, by TIELINE_SITE, ~/.config/tieline/site.xml or "
        "/etc/tieline/site.xml");
  }
  std::vector<std::vector<std::string>> table{
      {"host", "start", "address", "state", "round trip", "clock", "version", "cores", "memory", "speed", "tools"}};
  bool has_failed = false;
  for (const HostCondition& host : report.hosts) table.push_back(row_of(host));
  fmt::print("{}", text_table(table));
  for (const HostCondition& host : report.hosts) {
    if (host.is_tried && !host.is_reached) {
      has_failed = true;
      print_error("host '{}': {}\n", host.name, host.problem);
    } else if (!host.problem.empty()) {
      fmt::print("host '{}': {}\n", host.name, host.problem);
    }
    for (const std::string& warning : host.warnings) print_error("warning: host '{}': {}\n", host.name, warning);
  }
  return has_failed ? kBadInput : kDone;
}

}  // namespace tieline::cli
