// `tieline info MODEL.fmu`: the description of an FMU.

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>

#include "tieline/fmu.hpp"

#include "cli/console.hpp"
#include "cli/model_view.hpp"

namespace tieline::cli {
namespace {

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

std::string_view name_of(FmuVariability variability) {
  constexpr std::array<std::string_view, 5> kNames{"constant", "fixed", "tunable", "discrete", "continuous"};
  return kNames[static_cast<std::size_t>(variability)];
}

/// "Float64[3,2], tunable"
std::string type_of(const FmuVariable& variable) {
  std::string text = variable.type;
  if (!variable.dimensions.empty()) text += fmt::format("[{}]", fmt::join(variable.dimensions, ","));
  const bool is_parameter = variable.causality <= FmuCausality::structural_parameter;
  const bool is_float = variable.type.starts_with("Float");
  const bool is_usual = is_parameter ? variable.variability == FmuVariability::fixed
                                     : !is_float || variable.variability == FmuVariability::continuous;
  return is_usual ? text : fmt::format("{}, {}", text, name_of(variable.variability));
}

/// The first few values, each written by a function.
template <class T, class Write>
std::string first_of(const std::vector<T>& values, Write&& write) {
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kMostValues); ++i) text += (i > 0 ? " " : "") + write(values[i]);
  return values.size() > kMostValues ? text + " ..." : text;
}

std::string start_of(const FmuInfo& fmu, const FmuVariable& variable) {
  const auto integer = [&](std::int64_t value) {
    if (const auto type = fmu.enumerations.find(variable.declared_type); type != fmu.enumerations.end()) {
      for (const FmuEnumerationItem& item : type->second) {
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
    if (variable.type != "Binary") return first_of(*texts, quoted);
    return first_of(*texts, [](const std::string& bytes) { return count(bytes.size(), "byte"); });
  }
  return "";
}

void show_line(std::string_view what, std::string_view text) {
  if (!text.empty()) fmt::print(kLine, what, text);
}

std::string describe(const FmuAbilities& facts, std::vector<std::string> abilities) {
  const auto add = [&](bool can, const char* what) {
    if (can) abilities.emplace_back(what);
  };
  add(facts.can_get_and_set_state, "saves and restores its state");
  add(facts.can_serialize_state, "writes its state as bytes");
  add(facts.provides_directional_derivatives, "directional derivatives");
  add(facts.provides_adjoint_derivatives, "adjoint derivatives");
  add(facts.needs_execution_tool, "needs the tool that exported it");
  add(facts.can_be_instantiated_only_once_per_process, "one instance per process");
  return abilities.empty() ? "" : fmt::format(": {}", fmt::join(abilities, ", "));
}

void show_interfaces(const FmuInfo& fmu) {
  if (fmu.model_exchange) {
    const FmuModelExchange& facts = *fmu.model_exchange;
    show_line("model exchange", "yes" + describe(facts, {count(facts.states, "state"),
                                                         count(facts.event_indicators, "event indicator")}));
  }
  if (fmu.co_simulation) {
    const FmuCoSimulation& facts = *fmu.co_simulation;
    std::vector<std::string> abilities{facts.can_handle_variable_step_size ? "steps of any size" : "steps of one size"};
    if (facts.fixed_internal_step_size) {
      abilities.push_back(fmt::format("internal step {:g} s", *facts.fixed_internal_step_size));
    }
    if (facts.can_interpolate_inputs) abilities.emplace_back("accepts derivatives of inputs");
    if (facts.max_output_derivative_order > 0) {
      abilities.push_back(fmt::format("derivatives of outputs up to order {}", facts.max_output_derivative_order));
    }
    if (facts.has_event_mode) abilities.emplace_back("event mode");
    if (facts.provides_intermediate_update) abilities.emplace_back("intermediate update");
    if (facts.might_return_early_from_do_step) abilities.emplace_back("may return early");
    show_line("co-simulation", "yes" + describe(facts, std::move(abilities)));
  }
  if (fmu.has_scheduled_execution) show_line("scheduled execution", "yes (not used)");
}

void show_experiment(const FmuExperiment& experiment) {
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

void show_variables(const FmuInfo& fmu, bool shows_all) {
  constexpr std::array<std::pair<FmuCausality, const char*>, 7> kGroups{{
      {FmuCausality::structural_parameter, "Structural parameters"},
      {FmuCausality::parameter, "Parameters"},
      {FmuCausality::input, "Inputs"},
      {FmuCausality::output, "Outputs"},
      {FmuCausality::calculated_parameter, "Calculated parameters"},
      {FmuCausality::independent, "Independent variable"},
      {FmuCausality::local, "Local variables"},
  }};
  for (const auto& [causality, title] : kGroups) {
    const auto belongs = [&, group = causality](const FmuVariable& variable) { return variable.causality == group; };
    const auto number = std::count_if(fmu.variables.begin(), fmu.variables.end(), belongs);
    if (number == 0) continue;
    fmt::print("\n{} ({})\n", title, number);
    if (causality == FmuCausality::local && !shows_all) {
      fmt::print("  --all lists them\n");
      continue;
    }
    std::vector<Row> rows{{"name", "type", "unit", "start", "description"}};
    for (const FmuVariable& variable : fmu.variables) {
      if (!belongs(variable)) continue;
      rows.push_back(
          {variable.name, type_of(variable), variable.unit, start_of(fmu, variable), shortened(variable.description)});
    }
    print_rows(rows);
  }
}

void show_terminal(const FmuTerminal& terminal, std::size_t depth) {
  const std::string blanks(2 * depth, ' ');
  fmt::print("{}{} ({}{}{})\n", blanks, terminal.name, terminal.matching_rule, terminal.kind.empty() ? "" : ", ",
             terminal.kind);
  for (const FmuTerminal::Member& member : terminal.members) {
    const std::string title = member.name.empty() ? "" : fmt::format("{} = ", member.name);
    fmt::print("{}  {}{}{}\n", blanks, title, member.variable,
               member.kind.empty() ? "" : fmt::format(" ({})", member.kind));
  }
  for (const FmuTerminal::Stream& stream : terminal.streams) {
    fmt::print("{}  {} = {}, {} = {} (stream)\n", blanks, stream.inflow_name, stream.inflow_variable,
               stream.outflow_name, stream.outflow_variable);
  }
  for (const FmuTerminal& inner : terminal.terminals) show_terminal(inner, depth + 1);
}

}  // namespace

int show_fmu(const std::filesystem::path& file, bool shows_all) {
  const FmuInfo fmu = describe_fmu(file);
  fmt::print("FMU '{}' ({})\n", fmu.model_name, file.string());
  if (!fmu.description.empty()) fmt::print("{}\n", fmu.description);
  show_line("FMI", fmu.fmi_version);
  show_line("exported by", fmu.generation_tool);
  show_line("exported at", fmu.generation_time);
  show_line("version", fmu.model_version);
  show_line("author", fmu.author);
  show_line("copyright", fmu.copyright);
  show_line("license", fmu.license);
  show_interfaces(fmu);
  show_experiment(fmu.experiment);
  show_line("binaries", fmu.platforms.empty() ? "none" : fmt::format("{}", fmt::join(fmu.platforms, ", ")));
  show_line("sandbox", fmu.sandbox);
  show_variables(fmu, shows_all);
  if (!fmu.terminals.empty()) fmt::print("\nTerminals ({})\n", fmu.terminals.size());
  for (const FmuTerminal& terminal : fmu.terminals) show_terminal(terminal, 1);
  if (!fmu.problems.empty()) fmt::print("\nWarnings ({})\n{}", fmu.problems.size(), describe(fmu.problems));
  return kDone;
}

}  // namespace tieline::cli
