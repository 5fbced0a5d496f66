#include <cstdio>
#include <fmt/format.h>

#include "tieline/exchange.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/settings.hpp"

namespace tieline::cli {
namespace {

/// A line of names, the first of them where there are many.
void print_names(const char* what, const std::vector<std::string>& names) {
  constexpr std::size_t kMostShown = 8;
  if (names.empty()) return;
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < kMostShown; ++i) list += (i > 0 ? ", " : "") + names[i];
  if (names.size() > kMostShown) list += fmt::format(", and {} more", names.size() - kMostShown);
  fmt::print("  {:<12}{}\n", what, list);
}

}  // namespace

int export_fmu(const ExportFmuArguments& arguments) {
  const std::filesystem::path out =
      arguments.out.empty() ? std::filesystem::path(arguments.model.stem().string() + ".fmu") : arguments.out;
  FmuExportOptions options{.fmi_version = arguments.version == "3.0" ? 3 : 2,
                           .model_exchange = arguments.is_exchange,
                           .component = arguments.component,
                           .stop = arguments.stop,
                           .parameters = arguments.parameters,
                           .outputs = arguments.outputs,
                           .waves = arguments.waves,
                           .replaces = arguments.is_forced};
  if (options.parameters == std::vector<std::string>{"none"}) {
    options.parameters.clear();
    options.has_parameters = false;
  }
  FmuExport exported;
  try {
    options.settings = parse_settings(arguments.set);
    exported = tieline::export_fmu(arguments.model, out, options);
  } catch (const FileError& error) {
    return complain_of_files(error, "--force");
  }
  const std::string kind = arguments.is_exchange ? fmt::format("model exchange, {} states, {} event indicators",
                                                               exported.states, exported.event_indicators)
                                                 : std::string("co-simulation");
  fmt::print("{}{}: FMI {}, {}{}\n", describe(exported.problems), out.string(), arguments.version, kind,
             exported.can_save ? ", state can be saved" : "");
  print_names("parameters", exported.parameters);
  print_names("inputs", exported.inputs);
  print_names("outputs", exported.outputs);
  return kDone;
}

}  // namespace tieline::cli
