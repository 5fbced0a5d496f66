// `tieline info MODEL.fmu`: what an FMU tells of itself.

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>

#include "cli/console.hpp"
#include "cli/model_view.hpp"
#include "fmi/description.hpp"
#include "fmi/fmu_file.hpp"

namespace tieline::cli {
namespace {

using fmi::Causality;
using fmi::Description;
using fmi::Variable;

constexpr std::size_t kMostValues = 4;          ///< of an array's start values
constexpr std::size_t kLongestText = 60;        ///< of a description [bytes]
constexpr const char* kLine = "  {:<20} {}\n";  ///< a fact and what it is

/// The beginning of a text, on one line.
std::string shortened(std::string_view text) {
  std::size_t end = std::min(text.size(), kLongestText);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  std::string result(text.substr(0, end));
  std::replace_if(
      result.begin(), result.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return end < text.size() ? result + "..." : result;
}

std::string quoted(const std::string& text) { return fmt::format("\"{}\"", shortened(text)); }

/// "Float64[3,2], tunable"
std::string type_of(const Variable& variable) {
  std::string text(fmi::name_of(variable.type));
  if (!variable.dimensions.empty()) {
    std::vector<std::uint64_t> sizes;
    for (const fmi::Dimension& dimension : variable.dimensions) sizes.push_back(dimension.size);
    text += fmt::format("[{}]", fmt::join(sizes, ","));
  }
  const bool is_parameter = variable.causality <= Causality::structural_parameter;
  const bool is_usual = is_parameter
                            ? variable.variability == fmi::Variability::fixed
                            : !fmi::is_float(variable.type) || variable.variability == fmi::Variability::continuous;
  return is_usual ? text : fmt::format("{}, {}", text, fmi::name_of(variable.variability));
}

/// The first few values, each written by a function.
template <class T, class Write>
std::string first_of(const std::vector<T>& values, Write&& write) {
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kMostValues); ++i) text += (i > 0 ? " " : "") + write(values[i]);
  return values.size() > kMostValues ? text + " ..." : text;
}

std::string start_of(const Description& description, const Variable& variable) {
  const auto integer = [&](std::int64_t value) {
    if (variable.declared_type != fmi::kNone) {
      for (const auto& item : description.types[variable.declared_type].items) {
        if (item.value == value) return fmt::format("{} ({})", value, item.name);
      }
    }
    return fmt::format("{}", value);
  };
  if (const auto* floats = std::get_if<std::vector<double>>(&variable.start)) {
    return first_of(*floats, [](double value) { return fmt::format("{:g}", value); });
  }
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&variable.start))
    return first_of(*integers, integer);
  if (const auto* counts = std::get_if<std::vector<std::uint64_t>>(&variable.start)) {
    return first_of(*counts, [](std::uint64_t value) { return fmt::format("{}", value); });
  }
  if (const auto* flags = std::get_if<std::vector<std::uint8_t>>(&variable.start)) {
    return first_of(*flags, [](std::uint8_t value) { return std::string(value != 0 ? "true" : "false"); });
  }
  if (const auto* texts = std::get_if<std::vector<std::string>>(&variable.start)) {
    if (variable.type != fmi::Type::binary) return first_of(*texts, quoted);
    return first_of(*texts, [](const std::string& bytes) { return count(bytes.size(), "byte"); });
  }
  return "";
}

void show_line(std::string_view what, std::string_view text) {
  if (!text.empty()) fmt::print(kLine, what, text);
}

std::string describe(const fmi::InterfaceFacts& facts, std::vector<std::string> abilities) {
  const auto add = [&](bool can, const char* what) {
    if (can) abilities.emplace_back(what);
  };
  add(facts.can_get_and_set_state, "saves and restores its state");
  add(facts.can_serialize_state, "writes its state as bytes");
  add(facts.provides_directional_derivatives, "directional derivatives");
  add(facts.provides_adjoint_derivatives, "adjoint derivatives");
  add(facts.needs_execution_tool, "needs the tool that made it");
  add(facts.can_be_instantiated_only_once_per_process, "once per process only");
  return abilities.empty() ? "" : fmt::format(": {}", fmt::join(abilities, ", "));
}

void show_interfaces(const Description& description) {
  if (description.model_exchange) {
    std::uint64_t states = 0;
    for (const auto& unknown : description.structure.derivatives) {
      states += description.variables[unknown.variable].element_count();
    }
    show_line("model exchange",
              "yes" + describe(*description.model_exchange,
                               {count(states, "state"), count(description.event_indicator_count, "event indicator")}));
  }
  if (description.co_simulation) {
    const fmi::CoSimulationFacts& facts = *description.co_simulation;
    std::vector<std::string> abilities{facts.can_handle_variable_step_size ? "steps of any size" : "steps of one size"};
    if (facts.fixed_internal_step_size) {
      abilities.push_back(fmt::format("internal step {:g} s", *facts.fixed_internal_step_size));
    }
    if (facts.can_interpolate_inputs) abilities.emplace_back("takes derivatives of inputs");
    if (facts.max_output_derivative_order > 0) {
      abilities.push_back(fmt::format("derivatives of outputs up to order {}", facts.max_output_derivative_order));
    }
    if (facts.has_event_mode) abilities.emplace_back("event mode");
    if (facts.provides_intermediate_update) abilities.emplace_back("intermediate update");
    if (facts.might_return_early_from_do_step) abilities.emplace_back("may return early");
    show_line("co-simulation", "yes" + describe(facts, std::move(abilities)));
  }
  if (description.has_scheduled_execution) show_line("scheduled execution", "yes, which is not used");
}

void show_experiment(const fmi::DefaultExperiment& experiment) {
  std::vector<std::string> facts;
  const auto add = [&](const char* what, const std::optional<double>& value, const char* unit) {
    if (value) facts.push_back(fmt::format("{} {:g}{}", what, *value, unit));
  };
  add("from", experiment.start_time, " s");
  add("to", experiment.stop_time, " s");
  add("step", experiment.step_size, " s");
  add("tolerance", experiment.tolerance, "");
  show_line("default experiment", fmt::format("{}", fmt::join(facts, ", ")));
}

void show_platforms(const archive::Archive& fmu) {
  std::vector<std::string> names;
  for (const fmi::Platform& platform : fmi::platforms_of(fmu)) names.push_back(platform.name);
  show_line("binaries", names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
}

using Row = std::array<std::string, 5>;

/// Texts in columns, all from the left.
void print_rows(const std::vector<Row>& rows) {
  std::array<std::size_t, 4> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) line += fmt::format("  {:<{}}", row[i], widths[i]);
    line += "  " + row.back();
    fmt::print("{}\n", std::string_view(line).substr(0, line.find_last_not_of(' ') + 1));
  }
}

void show_variables(const Description& description, bool shows_all) {
  constexpr std::array<std::pair<Causality, const char*>, 7> kGroups{{
      {Causality::structural_parameter, "Structural parameters"},
      {Causality::parameter, "Parameters"},
      {Causality::input, "Inputs"},
      {Causality::output, "Outputs"},
      {Causality::calculated_parameter, "Calculated parameters"},
      {Causality::independent, "Independent variable"},
      {Causality::local, "Local variables"},
  }};
  for (const auto& [causality, title] : kGroups) {
    const auto belongs = [&, group = causality](const Variable& variable) { return variable.causality == group; };
    const auto number = std::count_if(description.variables.begin(), description.variables.end(), belongs);
    if (number == 0) continue;
    fmt::print("\n{} ({})\n", title, number);
    if (causality == Causality::local && !shows_all) {
      fmt::print("  --all lists them\n");
      continue;
    }
    std::vector<Row> rows{{"name", "type", "unit", "start", "description"}};
    for (const Variable& variable : description.variables) {
      if (!belongs(variable)) continue;
      rows.push_back({variable.name, type_of(variable), variable.unit, start_of(description, variable),
                      shortened(variable.description)});
    }
    print_rows(rows);
  }
}

void show_terminal(const Description& description, const fmi::Terminal& terminal, std::size_t depth) {
  const auto name = [&](std::uint32_t variable) {
    return variable == fmi::kNone ? "?" : description.variables[variable].name;
  };
  const std::string blanks(2 * depth, ' ');
  fmt::print("{}{} ({}{}{})\n", blanks, terminal.name, terminal.matching_rule, terminal.kind.empty() ? "" : ", ",
             terminal.kind);
  for (const fmi::TerminalMember& member : terminal.members) {
    const std::string title = member.name.empty() ? "" : fmt::format("{} = ", member.name);
    fmt::print("{}  {}{}{}\n", blanks, title, name(member.variable),
               member.kind.empty() ? "" : fmt::format(" ({})", member.kind));
  }
  for (const fmi::TerminalStream& stream : terminal.streams) {
    fmt::print("{}  {} = {}, {} = {} (stream)\n", blanks, stream.inflow_name, name(stream.inflow_variable),
               stream.outflow_name, name(stream.outflow_variable));
  }
  for (const fmi::Terminal& inner : terminal.terminals) show_terminal(description, inner, depth + 1);
}

}  // namespace

int show_fmu(const std::filesystem::path& file, bool shows_all) {
  document::Diagnostics diagnostics;
  auto archive = fmi::open_fmu(file, diagnostics);
  const auto description = archive ? fmi::read_description(*archive, diagnostics) : std::nullopt;
  if (!description) return complain_of_model(diagnostics.describe());
  fmt::print("FMU '{}' ({})\n", description->model_name, file.string());
  if (!description->description.empty()) fmt::print("{}\n", description->description);
  show_line("FMI", description->version_text);
  show_line("made by", description->generation_tool);
  show_line("made at", description->generation_time);
  show_line("version", description->model_version);
  show_line("author", description->author);
  show_line("copyright", description->copyright);
  show_line("license", description->license);
  show_interfaces(*description);
  show_experiment(description->experiment);
  show_platforms(*archive);
  show_variables(*description, shows_all);
  if (!description->terminals.empty()) fmt::print("\nTerminals ({})\n", description->terminals.size());
  for (const fmi::Terminal& terminal : description->terminals) show_terminal(*description, terminal, 1);
  if (!diagnostics.all().empty()) fmt::print("\nWarnings ({})\n{}", diagnostics.all().size(), diagnostics.describe());
  return kDone;
}

}  // namespace tieline::cli
