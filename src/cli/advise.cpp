#include <cmath>
#include <fmt/format.h>

#include "tieline/program.hpp"
#include "tieline/studies.hpp"

#include "cli/commands.hpp"
#include "cli/settings.hpp"

namespace tieline::cli {
namespace {

std::string number(double value) { return !std::isfinite(value) ? "-" : fmt::format("{:.4g}", value); }
std::string percent(double share) { return std::isnan(share) ? "-" : fmt::format("{:.3g} %", 100.0 * share); }

std::string describe_mass(double mass, const char* unit) {
  if (std::isnan(mass)) return "unknown";
  if (mass == 0.0) return "massless";
  return std::isinf(mass) ? "fixed or driven" : fmt::format("{:.4g} {}", mass, unit);
}

void print_components(const ModelAdvice& advice) {
  std::vector<std::vector<std::string>> table{
      {"component", "window [s]", "longest window [s]", "windows", "natural frequencies [Hz]", "explicit step [s]"}};
  for (const auto& component : advice.components) {
    const auto& f = component.frequencies;
    const std::string range = f.empty()       ? "-"
                              : f.size() == 1 ? number(f.front())
                                              : fmt::format("{:.4g} to {:.4g}", f.front(), f.back());
    table.push_back({component.name, number(component.window), number(component.shortest_delay),
                     fmt::format("{:.3g}", advice.duration / component.window), range,
                     number(component.explicit_step)});
  }
  fmt::print("{}\n", text_table(table));
}

std::string short_mass(double mass, const char* unit) {
  if (std::isnan(mass)) return "-";
  return std::isinf(mass) ? "fixed" : fmt::format("{:.4g} {}", mass, unit);
}

/// All lines in one table: what they add, what is at their ends, and how slow they may be.
void print_lines(const ModelAdvice& advice, double accuracy) {
  std::vector<std::vector<std::string>> table{{"line", "stiffness", "with its sides", "own mass", "mass at from",
                                               "mass at to", "line f [Hz]", "from f [Hz]", "to f [Hz]", "delay [s]",
                                               fmt::format("delay for {:.3g} % [s]", 100.0 * accuracy)}};
  const auto add = [&](const std::string& name, const LineAdvice& line, bool turns) {
    const char* const unit = turns ? "kg m2" : "kg";
    table.push_back(
        {name, fmt::format("{:.4g} {}", line.stiffness, turns ? "N m/rad" : "N/m"), number(line.series_stiffness),
         line.options.empty() ? "-" : short_mass(line.options.front().parasitic_mass, unit),
         short_mass(line.mass_from, unit), short_mass(line.mass_to, unit), number(line.first_frequency),
         number(line.lowest_from), number(line.lowest_to), number(line.delay), number(line.recommended_delay)});
  };
  for (const auto& connection : advice.connections) {
    if (connection.line) add(connection.name, *connection.line, connection.rotates);
    if (connection.rotation) add("  in rotation", *connection.rotation, true);
  }
  if (table.size() > 1) fmt::print("{}\n", text_table(table));
}

std::string describe_stiffness(double stiffness, const char* unit) {
  if (std::isnan(stiffness)) return "unknown";
  return std::isinf(stiffness) ? "rigid" : fmt::format("{:.4g} {}", stiffness, unit);
}

void print_line(const LineAdvice& line, bool turns) {
  const char* const unit = turns ? "kg m2" : "kg";
  const char* const damping_unit = turns ? "N m s/rad" : "N s/m";
  const char* const stiffness_unit = turns ? "N m/rad" : "N/m";
  fmt::print("  bodies at its ends: {} and {}", describe_mass(line.mass_from, unit), describe_mass(line.mass_to, unit));
  if (!std::isnan(line.pair_frequency)) fmt::print("; on a massless spring {:.4g} Hz", line.pair_frequency);
  fmt::print("\n  stiffness of the components themselves: {} and {}",
             describe_stiffness(line.stiffness_from, stiffness_unit),
             describe_stiffness(line.stiffness_to, stiffness_unit));
  if (!std::isnan(line.series_stiffness)) {
    fmt::print("; in series with the line {:.4g} {} ({:.3g} % of it)", line.series_stiffness, stiffness_unit,
               100.0 * line.series_stiffness / line.stiffness);
  }
  fmt::print("\n");
  if (line.damping > 0.0) {
    fmt::print("  damping {:g} acts as a damper of {:.4g} {}\n", line.damping, line.viscous_damping, damping_unit);
  }
  std::vector<std::vector<std::string>> table{
      {"  delay [s]", "line's mass", "of the lighter body", "frequency shift", "windows per second"}};
  for (const auto& option : line.options) {
    table.push_back({fmt::format("  {:.4g}", option.delay), fmt::format("{:.4g} {}", option.parasitic_mass, unit),
                     percent(option.mass_ratio), percent(option.frequency_shift), number(option.windows_per_second)});
  }
  fmt::print("{}", text_table(table));
  if (line.longest_delay > 2.0 * line.delay) {
    fmt::print("  a delay of {:.2g} s would need {:.0f} times fewer windows and shift the frequency by {:g} %\n",
               line.longest_delay, std::floor(line.longest_delay / line.delay), 100.0 * line.acceptable_shift);
  }
}

}  // namespace

int advise(const AdviseArguments& arguments) {
  const ModelAdvice advice =
      advise_on_delays(arguments.model, parse_settings(arguments.set), arguments.accuracy, arguments.tries_programs);
  print_components(advice);
  print_lines(advice, arguments.accuracy);
  for (const auto& connection : advice.connections) {
    fmt::print("{}\n  {}\n", connection.name, connection.description);
    if (connection.line) print_line(*connection.line, connection.rotates);
    if (connection.rotation) print_line(*connection.rotation, true);
    for (const std::string& warning : connection.warnings) fmt::print("  warning: {}\n", warning);
    fmt::print("\n");
  }
  for (const std::string& note : advice.notes) fmt::print("note: {}\n", note);
  return kDone;
}

}  // namespace tieline::cli
