#include <fmt/format.h>

#include "tieline/program.hpp"
#include "tieline/studies.hpp"

#include "cli/commands.hpp"
#include "cli/settings.hpp"

namespace tieline::cli {
namespace {

void print_modes(const ComponentModes& component) {
  fmt::print("{}\n", component.name);
  std::vector<std::vector<std::string>> table{{"mode", "frequency [Hz]", "largest motion", "direction"}};
  int number = 1;
  for (const NaturalMode& mode : *component.modes) {
    table.push_back({fmt::format("{}", number++), mode.frequency == 0.0 ? "0" : fmt::format("{:.6g}", mode.frequency),
                     mode.place, mode.direction});
  }
  fmt::print("{}\n", text_table(table));
}

}  // namespace

int modes(const ModesArguments& arguments) {
  for (const ComponentModes& component :
       natural_modes(arguments.model, arguments.count, arguments.component, parse_settings(arguments.set))) {
    if (component.modes) {
      print_modes(component);
    } else {
      fmt::print("{}: components of kind '{}' do not report modes\n\n", component.name, component.kind);
    }
  }
  return kDone;
}

}  // namespace tieline::cli
