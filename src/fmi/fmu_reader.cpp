#include "fmi/fmu_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "fmi/interface_finder.hpp"
#include "fmi/values.hpp"

namespace tieline::fmi {
namespace {

using document::Diagnostics;

/// "a[3]" of a scalarised array: its base and place; nothing for other names.
std::optional<std::pair<std::string, std::uint64_t>> member_of(const std::string& name) {
  if (name.empty() || name.back() != ']') return std::nullopt;
  const auto open = name.rfind('[');
  std::uint64_t place = 0;
  const char* const end = name.data() + name.size() - 1;
  const auto [at, error] = std::from_chars(name.data() + open + 1, end, place);
  if (open == std::string::npos || error != std::errc{} || at != end || place == 0) return std::nullopt;
  return std::pair(name.substr(0, open), place);
}

class Reader {
 public:
  Reader(const FmuRequest& request, Diagnostics& diagnostics) : request_(request), diagnostics_(diagnostics) {}

  std::optional<FmuSpec> read() {
    auto archive = Archive::open(request_.file, diagnostics_);
    if (!archive) return std::nullopt;
    spec_.archive = std::make_shared<Archive>(std::move(*archive));
    auto description = read_description(*spec_.archive, diagnostics_);
    if (!description) return std::nullopt;
    spec_.description = std::make_shared<const Description>(std::move(*description));
    choose_mode();
    choose_scheme();
    InterfaceFinder finder(*spec_.description, diagnostics_);
    for (const InterfaceRequest& interface : request_.interfaces) {
      if (auto found = finder.find(interface)) spec_.interfaces.push_back(std::move(*found));
    }
    add_signals(finder);
    for (const StartRequest& start : request_.starts) read_start(start);
    choose_recorded();
    spec_.step = request_.step;
    spec_.effective_mass = request_.effective_mass;
    spec_.is_logging = request_.is_logging;
    spec_.is_visible = request_.is_visible;
    if (diagnostics_.has_errors()) return std::nullopt;
    return std::move(spec_);
  }

 private:
  void error(const document::Place& place, const std::string& text) { diagnostics_.error(place, text); }

  void choose_mode() {
    const Description& description = *spec_.description;
    const bool me = description.model_exchange.has_value(), cs = description.co_simulation.has_value();
    if (!me && !cs) {
      error(request_.place, fmt::format("the FMU '{}' offers scheduled execution only; expected co-simulation or model "
                                        "exchange",
                                        request_.file.string()));
      return;
    }
    spec_.is_model_exchange = request_.mode.empty() ? me : request_.mode == "model_exchange";
    if (spec_.is_model_exchange ? !me : !cs) {
      error(request_.place, fmt::format("the FMU '{}' offers {} only", request_.file.string(),
                                        me ? "model exchange" : "co-simulation"));
    }
  }

  void choose_scheme() {
    static const std::map<std::string, StepScheme> names{{"", StepScheme::automatic},
                                                         {"auto", StepScheme::automatic},
                                                         {"intermediate", StepScheme::intermediate},
                                                         {"derivatives", StepScheme::derivatives},
                                                         {"substeps", StepScheme::substeps},
                                                         {"hold", StepScheme::hold}};
    if (const auto found = names.find(request_.scheme); found != names.end()) spec_.scheme = found->second;
    const auto& facts = spec_.description->co_simulation;
    if (spec_.is_model_exchange || !facts) return;
    if (spec_.scheme == StepScheme::intermediate && !facts->provides_intermediate_update) {
      error(request_.place,
            "the FMU does not call back within its steps (providesIntermediateUpdate); choose "
            "scheme=\"substeps\"");
    }
    if (spec_.scheme == StepScheme::derivatives && !facts->can_interpolate_inputs) {
      error(request_.place,
            "the FMU does not take derivatives of its inputs (canInterpolateInputs); choose "
            "scheme=\"substeps\"");
    }
  }

  /// Inputs and outputs that no declared interface uses are signals under their own names; scalars "u[1]", "u[2]", ...
  /// are one signal.
  void add_signals(const InterfaceFinder& finder) {
    const Description& description = *spec_.description;
    std::set<std::string> taken;
    for (const InterfaceMap& map : spec_.interfaces) taken.insert(map.shape.name);
    for (std::uint32_t i = 0; i < description.variables.size(); ++i) {
      const Variable& variable = description.variables[i];
      const bool is_input = variable.causality == Causality::input;
      if ((!is_input && variable.causality != Causality::output) || !is_number(variable.type) || finder.uses(i)) {
        continue;
      }
      std::string name = variable.name;
      std::vector<Scalar> values;
      if (const auto member = member_of(name); member && variable.dimensions.empty()) {
        const auto all = description.scalars_of(member->first);
        const bool is_whole = std::all_of(all.begin(), all.end(), [&](const Scalar& scalar) {
          const Variable& other = description.variables[scalar.variable];
          return other.causality == variable.causality && is_number(other.type) && !finder.uses(scalar.variable);
        });
        if (!all.empty() && is_whole) {
          name = member->first;
          values = all;
        }
      }
      if (values.empty()) values = description.scalars_of(variable.name);
      if (values.empty() || !taken.insert(name).second) continue;
      InterfaceMap map;
      map.shape = {.name = name,
                   .domain = core::Domain::signal,
                   .causality = is_input ? core::Causality::input : core::Causality::output,
                   .size = static_cast<int>(values.size())};
      map.values = std::move(values);
      spec_.interfaces.push_back(std::move(map));
    }
  }

  void read_start(const StartRequest& start) {
    const Description& description = *spec_.description;
    const auto scalars = description.scalars_of(start.variable);
    const std::uint32_t whole = description.index_of(start.variable);
    if (whole == kNone && scalars.empty()) {
      return error(start.place, fmt::format("the FMU has no variable '{}'{}", start.variable,
                                            description.suggestion(start.variable)));
    }
    StartValue value;
    value.variable = whole != kNone ? whole : scalars.front().variable;
    if (whole == kNone && scalars.size() == 1) value.element = scalars.front().element;
    const Variable& variable = description.variables[value.variable];
    const bool can_be_set = variable.causality == Causality::parameter || variable.causality == Causality::input ||
                            variable.causality == Causality::structural_parameter ||
                            ((variable.initial == Initial::exact || variable.initial == Initial::approx) &&
                             variable.variability != Variability::constant);
    if (!can_be_set) {
      return error(start.place,
                   fmt::format("variable '{}' cannot be given a start value: it is of causality {}, variability {} and "
                               "initial {}",
                               variable.name, name_of(variable.causality), name_of(variable.variability),
                               name_of(variable.initial)));
    }
    if (auto values = parse(variable, start)) {
      value.values = std::move(*values);
      spec_.starts.push_back(std::move(value));
    }
  }

  std::optional<Values> parse(const Variable& variable, const StartRequest& start) {
    if (variable.type == Type::string || variable.type == Type::binary) {
      return Values(std::vector<std::string>{start.text});
    }
    std::vector<double> numbers;
    if (start.number) {
      numbers.push_back(*start.number);
    } else {
      for (const std::string& word : words_of(start.text)) {
        if (auto number = number_of(variable, word)) {
          numbers.push_back(*number);
        } else {
          error(start.place, fmt::format("variable '{}' is of type {}; '{}' is no value of it{}", variable.name,
                                         name_of(variable.type), word, expected_values(variable)));
          return std::nullopt;
        }
      }
    }
    if (numbers.empty() || (numbers.size() > 1 && numbers.size() != variable.element_count())) {
      error(start.place, fmt::format("variable '{}' has {} values, {} are stated", variable.name,
                                     variable.element_count(), numbers.size()));
      return std::nullopt;
    }
    for (const double number : numbers) {
      if (number >= variable.min && number <= variable.max) continue;
      diagnostics_.warning(start.place, fmt::format("{} is outside the bounds of variable '{}': {} to {}", number,
                                                    variable.name, variable.min, variable.max));
    }
    if (is_float(variable.type)) return Values(std::move(numbers));
    if (variable.type == Type::boolean) {
      std::vector<std::uint8_t> flags;
      for (const double number : numbers) flags.push_back(number != 0.0 ? 1 : 0);
      return Values(std::move(flags));
    }
    for (const double number : numbers) {
      if (number == std::round(number)) continue;
      error(start.place, fmt::format("variable '{}' is a whole number; {} is none", variable.name, number));
      return std::nullopt;
    }
    if (is_unsigned(variable.type)) {
      std::vector<std::uint64_t> whole;
      for (const double number : numbers) whole.push_back(static_cast<std::uint64_t>(std::max(0.0, number)));
      return Values(std::move(whole));
    }
    std::vector<std::int64_t> whole;
    for (const double number : numbers) whole.push_back(static_cast<std::int64_t>(number));
    return Values(std::move(whole));
  }

  static std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
      if (c != ' ' && c != ',' && c != '\t' && c != '\n') {
        words.back() += c;
      } else if (!words.back().empty()) {
        words.emplace_back();
      }
    }
    if (words.back().empty()) words.pop_back();
    return words;
  }

  [[nodiscard]] const TypeDefinition* enumeration_of(const Variable& variable) const {
    if (variable.type != Type::enumeration || variable.declared_type == kNone) return nullptr;
    return &spec_.description->types[variable.declared_type];
  }

  [[nodiscard]] std::optional<double> number_of(const Variable& variable, const std::string& word) const {
    if (variable.type == Type::boolean) {
      if (word == "true" || word == "1") return 1.0;
      if (word == "false" || word == "0") return 0.0;
      return std::nullopt;
    }
    if (const TypeDefinition* const type = enumeration_of(variable)) {
      for (const EnumerationItem& item : type->items) {
        if (item.name == word) return static_cast<double>(item.value);
      }
    }
    double number = 0.0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (failure != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return number;
  }

  [[nodiscard]] std::string expected_values(const Variable& variable) const {
    if (variable.type == Type::boolean) return "; expected true or false";
    const TypeDefinition* const type = enumeration_of(variable);
    if (type == nullptr) return "; expected a number";
    std::vector<std::string> names;
    for (const EnumerationItem& item : type->items) names.push_back(item.name);
    return fmt::format("; expected one of {}", fmt::join(names, ", "));
  }

  void choose_recorded() {
    if (request_.record == "none") return;
    const Description& description = *spec_.description;
    std::set<std::uint32_t> chosen, told;
    for (const InterfaceMap& map : spec_.interfaces) {
      for (const Scalar& scalar : map.values) told.insert(scalar.variable);
    }
    for (const Unknown& unknown : description.structure.derivatives) {
      if (unknown.variable == kNone) continue;
      chosen.insert(description.variables[unknown.variable].derivative_of);
    }
    for (std::uint32_t i = 0; i < description.variables.size(); ++i) {
      const Variable& variable = description.variables[i];
      const bool is_wanted = request_.record == "all" ? variable.causality != Causality::independent
                                                      : variable.causality == Causality::output;
      if ((!is_wanted && !chosen.contains(i)) || told.contains(i) || !is_number(variable.type)) continue;
      for (const Scalar& scalar : description.scalars_of(variable.name)) spec_.recorded.push_back(scalar);
    }
  }

  const FmuRequest& request_;
  Diagnostics& diagnostics_;
  FmuSpec spec_;
};

}  // namespace

std::optional<FmuSpec> read_fmu(const FmuRequest& request, Diagnostics& diagnostics) {
  Diagnostics own;
  auto spec = Reader(request, own).read();
  diagnostics.take(own, true);
  return spec;
}

}  // namespace tieline::fmi
