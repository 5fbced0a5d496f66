#include "cli/model_view.hpp"

#include <cstdio>
#include <fmt/format.h>

#include "tieline/check.hpp"

#include "cli/console.hpp"
#include "cli/settings.hpp"

namespace tieline::cli {
namespace {

void print_interface(const InterfaceInfo& interface) {
  const bool is_signal = interface.domain == "signal";
  const std::string size = interface.size == 1 ? ""
                           : is_signal         ? fmt::format(" of size {}", interface.size)
                                               : fmt::format(", {} points", interface.size);
  fmt::print("    {:<18} {}{}{}{}\n", interface.name, interface.domain, is_signal ? " " : ", takes ",
             interface.causality, size);
}

}  // namespace

int show_model(const std::filesystem::path& file) {
  const ModelInfo model = describe_model(file);
  fmt::print("Composite model '{}' ({})\n", model.name, file.string());
  if (!model.description.empty()) fmt::print("{}\n", model.description);
  if (!model.parameters.empty()) fmt::print("\nParameters\n");
  for (const ParameterInfo& p : model.parameters) {
    fmt::print("  {:<20} {:>14.6g} {:<8} {}\n", p.name, p.value, p.unit, p.description);
  }
  fmt::print("\nComponents\n");
  for (const ComponentInfo& component : model.components) {
    fmt::print("  {:<20} {}, solver {}\n", component.name, component.kind, component.solver);
    for (const InterfaceInfo& interface : component.interfaces) print_interface(interface);
  }
  if (!model.connections.empty()) fmt::print("\nConnections\n");
  for (const ConnectionInfo& connection : model.connections) {
    fmt::print("  {:<20} {} {} {}\n", connection.name, connection.from, connection.is_signal() ? "->" : "--",
               connection.to);
    fmt::print("    {}\n", connection.figures);
  }
  fmt::print("\nFiles\n");
  for (const auto& path : model.files) fmt::print("  {}\n", path.string());
  fmt::print("\nSimulation from {:g} s to {:g} s\n", model.start, model.stop);
  if (model.errors > 0) {
    fmt::print("\nThe model has {}: see `tieline check {}`.\n", count(model.errors, "error"), file.string());
  }
  return model.errors > 0 ? kBadInput : kDone;
}

int check(const CheckArguments& arguments) {
  if (!takes_fmu_options(arguments.model, arguments.fmu)) return kUsage;
  const CheckReport report =
      check_model(arguments.model, {.settings = parse_settings(arguments.set, arguments.fmu), .site = arguments.site});
  for (const auto& path : report.files) fmt::print("reads {}\n", path.string());
  for (const Launch& launch : report.launches) {
    if (launch.is_awaited()) {
      fmt::print("awaits {}\n", launch.component);
    } else {
      fmt::print("starts {}: {} (in {})\n", launch.component, launch.command, launch.folder.string());
    }
  }
  fmt::print("{}{}: {}, {}\n", describe(report.problems), arguments.model.string(), count(report.errors, "error"),
             count(report.warnings, "warning"));
  return report.errors > 0 ? kBadInput : kDone;
}

int schema(bool as_reference) {
  fmt::print("{}", as_reference ? model_reference() : model_schema());
  return kDone;
}

}  // namespace tieline::cli
