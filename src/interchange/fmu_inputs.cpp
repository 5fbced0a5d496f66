#include "interchange/fmu_inputs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>

#include "fmi/scalar_name.hpp"
#include "fmi/values.hpp"
#include "interchange/input_file.hpp"

namespace tieline::interchange {
namespace {

using document::CsvColumn;
using document::Diagnostics;
using document::Place;
using fmi::Description;
using fmi::Variable;

// Names that a message lists.
constexpr std::size_t kMostInputNames = 20;

bool can_be_driven(const Variable& variable) {
  return fmi::is_number(variable.type) &&
         (variable.causality == fmi::Causality::input || fmi::is_tunable_parameter(variable));
}

std::string some_of(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kMostInputNames);
  const std::vector<std::string> first(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown));
  return fmt::format("{}{}", fmt::join(first, ", "),
                     names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "");
}

class Matcher {
 public:
  Matcher(const FmuInputs& inputs, const InputFile& file, const Description& description, Diagnostics& diagnostics)
      : inputs_(inputs), file_(file), description_(description), diagnostics_(diagnostics) {
    for (std::uint32_t i = 0; i < description.variables.size(); ++i) {
      const Variable& variable = description.variables[i];
      if (!can_be_driven(variable)) continue;
      for (std::uint64_t k = 0; k < variable.element_count(); ++k) {
        const std::string name = fmi::scalar_name(description, {i, k});
        drivable_.push_back(name);
        if (variable.causality == fmi::Causality::input) input_names_.push_back(name);
      }
    }
  }

  std::vector<DrivenInput> match() {
    if (!file_.has_headings()) return match_in_order();
    for (const ColumnMap& map : inputs_.map) assign(map);
    std::vector<std::string> unknown;
    for (const std::size_t column : file_.value_columns()) {
      if (is_assigned(column)) continue;
      if (const auto variable = variable_called(file_.columns()[column])) {
        drive(column, *variable, file_.place_of(column));
      } else {
        unknown.push_back(describe_unknown(column));
      }
    }
    report(unknown);
    return std::move(driven_);
  }

 private:
  Place file_place() const { return {inputs_.file.string(), 0, 0}; }

  /// Without headings, as many columns as the FMU has inputs are taken in their order.
  std::vector<DrivenInput> match_in_order() {
    const auto columns = file_.value_columns();
    if (columns.size() != input_names_.size() || !inputs_.map.empty()) {
      diagnostics_.error(file_place(),
                         fmt::format("the first row names no columns; expected headings, among them the FMU's "
                                     "inputs: {}",
                                     some_of(input_names_)));
      return {};
    }
    for (std::size_t k = 0; k < columns.size(); ++k) driven_.push_back({input_names_[k], "", k});
    return std::move(driven_);
  }

  /// The number that a name means, if it is one that can be driven.
  [[nodiscard]] std::optional<std::string> drivable(std::string_view name) const {
    const auto scalars = description_.scalars_of(name);
    if (scalars.size() != 1 || !can_be_driven(description_.variables[scalars.front().variable])) return std::nullopt;
    return fmi::scalar_name(description_, scalars.front());
  }

  /// By the whole heading, without its unit, or as results call it: "component.u.value".
  [[nodiscard]] std::optional<std::string> variable_called(const CsvColumn& column) const {
    for (std::string_view name : {std::string_view(column.heading), std::string_view(column.name)}) {
      if (name.empty()) continue;
      if (auto found = drivable(name)) return found;
      if (name.starts_with(inputs_.component + ".")) name.remove_prefix(inputs_.component.size() + 1);
      if (auto found = drivable(name)) return found;
      constexpr std::string_view kValue = ".value";
      if (!name.ends_with(kValue)) continue;
      if (auto found = drivable(name.substr(0, name.size() - kValue.size()))) return found;
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_assigned(std::size_t column) const {
    return std::find(assigned_.begin(), assigned_.end(), column) != assigned_.end();
  }

  void drive(std::size_t column, const std::string& variable, const Place& place) {
    const auto [first, is_new] = columns_.try_emplace(variable, column);
    if (!is_new) {
      diagnostics_.error(place, fmt::format("'{}' is driven by two columns, '{}' and '{}'", variable,
                                            file_.columns()[first->second].heading, file_.columns()[column].heading));
      return;
    }
    const auto values = file_.value_columns();
    const auto number = std::find(values.begin(), values.end(), column) - values.begin();
    driven_.push_back({variable, file_.columns()[column].heading, static_cast<std::size_t>(number)});
  }

  void assign(const ColumnMap& map) {
    const Place place{fmt::format("--map {}={}", map.column, map.variable), 0, 0};
    const auto column = file_.find(map.column);
    if (!column) {
      std::vector<std::string> names;
      for (const std::size_t each : file_.value_columns()) names.push_back(file_.columns()[each].name);
      diagnostics_.error(place, fmt::format("'{}' has no column '{}'{}", inputs_.file.string(), map.column,
                                            document::suggestion(map.column, names)));
    } else {
      assigned_.push_back(*column);
    }
    const auto variable = drivable(map.variable);
    if (!variable) {
      const auto scalars = description_.scalars_of(map.variable);
      diagnostics_.error(
          place, scalars.empty() ? fmt::format("the FMU has no variable '{}'{}", map.variable,
                                               document::suggestion(map.variable, drivable_))
                 : scalars.size() > 1
                     ? fmt::format("'{}' has {} numbers; name one of them, such as '{}'", map.variable, scalars.size(),
                                   fmi::scalar_name(description_, scalars.front()))
                     : fmt::format("'{}' cannot be driven: it is neither an input nor a tunable parameter that is a "
                                   "number{}",
                                   map.variable, document::suggestion(map.variable, drivable_)));
    }
    if (column && variable) drive(*column, *variable, place);
  }

  [[nodiscard]] std::string describe_unknown(std::size_t column) const {
    const CsvColumn& found = file_.columns()[column];
    const std::string nearest = document::nearest_name(found.name, drivable_);
    const std::string shown = fmt::format("'{}'", found.heading);
    if (nearest.empty() || columns_.contains(nearest)) return shown;
    return fmt::format("{} (did you mean '{}'? --map {}={})", shown, nearest, found.name, nearest);
  }

  void report(const std::vector<std::string>& unknown) {
    std::vector<std::string> without;
    for (const std::string& input : input_names_) {
      if (!columns_.contains(input)) without.push_back(fmt::format("'{}'", input));
    }
    if (driven_.empty() && !diagnostics_.has_errors()) {
      diagnostics_.error(
          file_place(),
          input_names_.empty() && drivable_.empty()
              ? std::string("the FMU has no inputs and no tunable parameters that a file could drive")
              : fmt::format("no column has the name of an input of the FMU: columns {}; inputs {}; assign them with "
                            "--map COLUMN=INPUT",
                            some_of(unknown), some_of(without)));
      return;
    }
    if (!unknown.empty()) {
      diagnostics_.warning(file_place(),
                           fmt::format("columns that drive nothing, because no input or tunable parameter of the FMU "
                                       "has their name: {}",
                                       some_of(unknown)));
    }
    if (without.empty()) return;
    const std::string text =
        fmt::format("inputs that no column drives, and that keep their start values: {}", some_of(without));
    if (unknown.empty()) {
      diagnostics_.note(file_place(), text);
    } else {
      diagnostics_.warning(file_place(), text);
    }
  }

  const FmuInputs& inputs_;
  const InputFile& file_;
  const Description& description_;
  Diagnostics& diagnostics_;
  std::vector<std::string> input_names_, drivable_;
  std::vector<std::size_t> assigned_;
  std::map<std::string, std::size_t> columns_;  ///< by the variable that each drives
  std::vector<DrivenInput> driven_;
};

}  // namespace

std::vector<DrivenInput> match_inputs(const FmuInputs& inputs, const Description& description,
                                      Diagnostics& diagnostics) {
  const auto file = InputFile::read(inputs.file, {fmt::format("--input {}", inputs.file.string()), 0, 0}, diagnostics);
  if (!file) return {};
  Diagnostics own;
  auto driven = Matcher(inputs, *file, description, own).match();
  diagnostics.take(own, true);
  return driven;
}

}  // namespace tieline::interchange
