#include "studies/modes.hpp"

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/settings.hpp"
#include "results/text_table.hpp"

namespace tieline::cli {
namespace {

void print_modes(const studies::ComponentModes& component) {
  fmt::print("{}\n", component.name);
  results::TextTable table;
  table.add({"mode", "frequency [Hz]", "moves most", "direction"});
  int number = 1;
  for (const core::NaturalMode& mode : *component.modes) {
    table.add({fmt::format("{}", number++), mode.frequency == 0.0 ? "0" : fmt::format("{:.6g}", mode.frequency),
               mode.place, mode.direction});
  }
  fmt::print("{}\n", table.text());
}

}  // namespace

int modes(const ModesArguments& arguments) {
  document::Diagnostics diagnostics;
  std::vector<model::Override> overrides;
  for (auto& [name, value] : parse_settings(arguments.set)) overrides.push_back({name, value});
  const auto checked = assembly::check_model(arguments.model, overrides, diagnostics);
  if (!checked || diagnostics.has_errors()) return complain_of_model(diagnostics.describe());
  const auto told = studies::natural_modes(*checked, arguments.count, arguments.component, diagnostics);
  if (!told) return complain_of_model(diagnostics.describe());
  for (const studies::ComponentModes& component : *told) {
    if (component.modes) {
      print_modes(component);
    } else {
      fmt::print("{}: components of kind '{}' do not tell their modes\n\n", component.name, component.kind);
    }
  }
  return kDone;
}

}  // namespace tieline::cli
