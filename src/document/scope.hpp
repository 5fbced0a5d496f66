#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"

namespace tieline::document {

/// Named constants, looked up outwards: a component's parameters, then those of the model around it.
///
/// Values are given (`set`) or are expressions over other names (`define`), evaluated on first use, so the order of
/// definitions does not matter; a cycle is reported at its place with the names that form it.
/// Cheap to copy (shared); not for use by several threads at once while expressions are still unevaluated.
class Scope {
 public:
  Scope();
  /// A scope inside `parent`: names not found here are looked up there.
  explicit Scope(const Scope& parent, int);
  [[nodiscard]] Scope nested() const { return Scope(*this, 0); }

  void set(const std::string& name, double value);
  void define(const std::string& name, std::string expression, Place place);
  [[nodiscard]] bool defines(std::string_view name) const;  ///< here, not in a parent
  [[nodiscard]] std::vector<std::string> visible_names() const;

  /// Value of a name; problems go to `diagnostics` with `use` as the place.
  std::optional<double> value_of(const std::string& name, const Place& use, Diagnostics& diagnostics) const;

  /// Value of an attribute's text: a number ("1e-5") or an expression in braces ("{2*k}"). Must be finite.
  std::optional<double> evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics) const;
  /// Text with every {expression} replaced by its value (whole numbers without a point): "mass{i+1}".
  std::optional<std::string> interpolate(std::string_view text, const Place& place, Diagnostics& diagnostics) const;

 private:
  struct Content;
  std::shared_ptr<Content> content_;
};

/// Whether the text is a single {expression}.
[[nodiscard]] bool is_expression(std::string_view text);

/// Reads an element's numeric attribute through a scope. `absent` (if given) is used where the attribute is missing;
/// a missing required attribute, or a value outside [least, most], is an error that names what is expected.
struct NumberRule {
  std::optional<double> absent{};
  double least = -1e300;
  double most = 1e300;
  bool exclusive_least = false;  ///< the value must be greater than `least`
  std::string unit{};            ///< for messages
};
inline const NumberRule kAnything{.absent = 0.0};
inline const NumberRule kNotNegative{.absent = 0.0, .least = 0.0};

double read_number(const Element& element, std::string_view attribute, const Scope& scope, const NumberRule& rule,
                   Diagnostics& diagnostics);
/// Three numbers separated by commas; zeros where the attribute is absent or wrong.
std::array<double, 3> read_vector(const Element& element, std::string_view attribute, const Scope& scope,
                                  Diagnostics& diagnostics);

/// The attribute `size` of a signal: how many numbers it has; 1 where it is absent or wrong (reported).
[[nodiscard]] int read_size(const Element& element, const Scope& scope, Diagnostics& diagnostics);

}  // namespace tieline::document
