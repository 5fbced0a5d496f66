#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "modelica/instance.hpp"

namespace tieline::modelica {

/// What a reference in an expression leads to.
struct Target {
  const Member* member = nullptr;
  Instance* owner = nullptr;          ///< whose member it is; null: it is a constant of a class
  const Element* constant = nullptr;  ///< that constant
  Class* constant_of = nullptr;
  std::vector<int> indices{};  ///< of the last part, from 1
};
[[nodiscard]] std::optional<Target> resolve(const Value& around, const Reference& reference, std::string& problem);
/// The value of what a reference leads to; nothing: it has none.
[[nodiscard]] std::optional<Value> value_of(const Target& target);

/// A number as an index of an array; nothing: it is none.
[[nodiscard]] std::optional<int> index_of(double number);

/// The element of an array that a value's indices choose, as an expression of its own where that is possible: then
/// the result has no indices. Nothing where there is no such element, for which `problem` has the reason.
[[nodiscard]] std::optional<Value> picked(Value value, std::string& problem);

/// The value of an expression of literals, constants and parameters; nothing where it is none, for which `problem`
/// has the reason.
[[nodiscard]] std::optional<Constant> evaluate(const Value& value, std::string& problem);
/// The same for a number, a whole number or a truth; a reason is reported.
[[nodiscard]] std::optional<double> evaluate_number(const Value& value, std::string_view what,
                                                    document::Diagnostics& diagnostics);
[[nodiscard]] std::optional<int> evaluate_whole(const Value& value, std::string_view what,
                                                document::Diagnostics& diagnostics);
[[nodiscard]] std::optional<bool> evaluate_truth(const Value& value, std::string_view what,
                                                 document::Diagnostics& diagnostics);
/// The whole numbers that an index of a loop takes.
[[nodiscard]] std::optional<std::vector<double>> evaluate_range(const Value& value, document::Diagnostics& diagnostics);

/// Constants of Modelica.Constants and of Tieline by their whole name; nothing: there is none.
[[nodiscard]] std::optional<double> known_constant(std::string_view dotted_name);
/// The same under the name that a reference has by imports, and the numbers of items of enumerations.
[[nodiscard]] std::optional<double> standard_constant(const Value& around, const Reference& reference);

}  // namespace tieline::modelica
