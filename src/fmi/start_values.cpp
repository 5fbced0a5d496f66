#include "fmi/start_values.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <set>
#include <utility>

#include "fmi/value_text.hpp"

namespace tieline::fmi {
namespace {

using document::Diagnostics;

/// As for arrays of descriptions.
constexpr std::uint64_t kMostStartElements = std::uint64_t{1} << 27;

bool is_text(Type type) { return type == Type::string || type == Type::binary; }

/// Bits of a whole number without its sign.
int digits_of(Type type) {
  switch (type) {
    case Type::int8:
      return 7;
    case Type::uint8:
      return 8;
    case Type::int16:
      return 15;
    case Type::uint16:
      return 16;
    case Type::int32:
      return 31;
    case Type::uint32:
      return 32;
    case Type::uint64:
      return 64;
    default:
      return 63;
  }
}

bool fits(Type type, std::int64_t value) {
  const int digits = digits_of(type);
  return digits == 63 || (value >= -(std::int64_t{1} << digits) && value < (std::int64_t{1} << digits));
}
bool fits(Type type, std::uint64_t value) {
  const int digits = digits_of(type);
  return digits == 64 || value < (std::uint64_t{1} << digits);
}

template <class T>
std::vector<T> elements_of(const Variable& variable) {
  std::vector<T> values(variable.element_count());
  const auto* const own = std::get_if<std::vector<T>>(&variable.start);
  if (own == nullptr || own->empty()) return values;
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = (*own)[std::min(k, own->size() - 1)];
  return values;
}

/// What a variable starts with by itself, one value for each element.
Values own_start(const Variable& variable) {
  if (is_float(variable.type)) return elements_of<double>(variable);
  if (is_unsigned(variable.type)) return elements_of<std::uint64_t>(variable);
  if (is_integer(variable.type)) return elements_of<std::int64_t>(variable);
  if (variable.type == Type::boolean) return elements_of<std::uint8_t>(variable);
  return elements_of<std::string>(variable);
}

class StartReader {
 public:
  StartReader(Description& description, Diagnostics& diagnostics)
      : description_(description), diagnostics_(diagnostics) {}

  /// Those of structural parameters, or all others.
  void read(std::span<const StartRequest> requests, bool of_structure) {
    for (const StartRequest& request : requests) {
      const auto targets = description_.scalars_of(request.variable);
      const bool is_structural = !targets.empty() && description_.variables[targets.front().variable].causality ==
                                                         Causality::structural_parameter;
      if (is_structural == of_structure) read_one(request, targets);
    }
    if (of_structure) resize_arrays();
  }
  [[nodiscard]] std::vector<StartValue> take() { return std::move(starts_); }

 private:
  void error(const StartRequest& request, const std::string& text) { diagnostics_.error(request.place, text); }

  void read_one(const StartRequest& request, const std::vector<Scalar>& targets) {
    if (targets.empty()) {
      return error(request, fmt::format("the FMU has no variable '{}'{}", request.variable,
                                        description_.suggestion(request.variable)));
    }
    const Variable& first = description_.variables[targets.front().variable];
    if (!can_be_set(first)) {
      return error(request, fmt::format("variable '{}' cannot be given a start value: it is of causality {}, "
                                        "variability {} and initial {}",
                                        first.name, name_of(first.causality), name_of(first.variability),
                                        name_of(first.initial)));
    }
    const auto words = words_in(request, first.type);
    if (words.size() != 1 && words.size() != targets.size()) {
      return error(request, fmt::format("variable '{}' has {} value{}, {} are stated", request.variable, targets.size(),
                                        targets.size() == 1 ? "" : "s", words.size()));
    }
    for (std::size_t k = 0; k < targets.size(); ++k) {
      const std::string& word = words[words.size() == 1 ? 0 : k];
      if (!set(request, targets[k], word)) return;
    }
  }

  static bool can_be_set(const Variable& variable) {
    switch (variable.causality) {
      case Causality::parameter:
      case Causality::structural_parameter:
      case Causality::input:
        return variable.type != Type::clock;
      default:
        return (variable.initial == Initial::exact || variable.initial == Initial::approx) &&
               variable.variability != Variability::constant;
    }
  }

  static std::vector<std::string> words_in(const StartRequest& request, Type type) {
    if (is_text(type)) return {request.text};
    if (request.number) return {fmt::format("{}", *request.number)};
    std::string text = request.text;
    std::replace(text.begin(), text.end(), ',', ' ');
    const auto words = words_of(text);
    return {words.begin(), words.end()};
  }

  bool set(const StartRequest& request, const Scalar& target, const std::string& word) {
    const Variable& variable = description_.variables[target.variable];
    Values& values = slot_of(target.variable);
    const bool is_set =
        std::visit([&](auto& list) { return put(request, variable, word, list, target.element); }, values);
    if (!is_set) {
      error(request, fmt::format("variable '{}' is of type {}; '{}' is not a valid value{}", variable.name,
                                 name_of(variable.type), word, expected(variable)));
    }
    return is_set;
  }

  Values& slot_of(std::uint32_t variable) {
    const auto found = std::find_if(starts_.begin(), starts_.end(),
                                    [&](const StartValue& start) { return start.variable == variable; });
    if (found != starts_.end()) return found->values;
    starts_.push_back({variable, own_start(description_.variables[variable])});
    return starts_.back().values;
  }

  bool put(const StartRequest&, const Variable&, const std::string&, std::monostate&, std::uint64_t) { return false; }

  bool put(const StartRequest& request, const Variable& variable, const std::string& word, std::vector<double>& list,
           std::uint64_t element) {
    bool is_odd = false;
    const auto number = read_number(word, is_odd);
    if (!number || is_odd || std::isnan(*number)) return false;
    warn_of_bounds(request, variable, *number);
    list[element] = *number;
    return true;
  }

  template <class Whole>
  bool put_whole(const StartRequest& request, const Variable& variable, std::optional<Whole> number,
                 std::vector<Whole>& list, std::uint64_t element) {
    if (!number || !fits(variable.type, *number)) return false;
    warn_of_bounds(request, variable, static_cast<double>(*number));
    list[element] = *number;
    return true;
  }

  bool put(const StartRequest& request, const Variable& variable, const std::string& word,
           std::vector<std::int64_t>& list, std::uint64_t element) {
    bool is_odd = false;
    if (const TypeDefinition* const type = enumeration_of(variable)) {
      const auto number = read_signed(word, is_odd);
      for (const EnumerationItem& item : type->items) {
        if (item.name != word && (!number || item.value != *number)) continue;
        list[element] = item.value;
        return true;
      }
      return false;
    }
    return put_whole(request, variable, read_signed(word, is_odd), list, element);
  }

  bool put(const StartRequest& request, const Variable& variable, const std::string& word,
           std::vector<std::uint64_t>& list, std::uint64_t element) {
    bool is_odd = false;
    return put_whole(request, variable, read_unsigned(word, is_odd), list, element);
  }

  bool put(const StartRequest&, const Variable&, const std::string& word, std::vector<std::uint8_t>& list,
           std::uint64_t element) {
    bool is_odd = false;
    const auto flag = read_boolean(word, is_odd);
    if (flag) list[element] = *flag ? 1 : 0;
    return flag.has_value();
  }

  bool put(const StartRequest&, const Variable& variable, const std::string& word, std::vector<std::string>& list,
           std::uint64_t element) {
    const auto text = variable.type == Type::binary ? read_hexadecimal(word) : std::optional(word);
    if (text) list[element] = *text;
    return text.has_value();
  }

  void warn_of_bounds(const StartRequest& request, const Variable& variable, double number) {
    if (number >= variable.min && number <= variable.max) return;
    diagnostics_.warning(request.place, fmt::format("{} is outside the bounds of variable '{}': {} to {}", number,
                                                    variable.name, variable.min, variable.max));
  }

  [[nodiscard]] const TypeDefinition* enumeration_of(const Variable& variable) const {
    if (variable.type != Type::enumeration || variable.declared_type == kNone) return nullptr;
    const TypeDefinition& type = description_.types[variable.declared_type];
    return type.items.empty() ? nullptr : &type;
  }

  [[nodiscard]] std::string expected(const Variable& variable) const {
    if (variable.type == Type::boolean) return "; expected true or false";
    if (variable.type == Type::binary) return "; expected hexadecimal digits, two for each byte";
    if (is_float(variable.type)) return "; expected a number";
    if (const TypeDefinition* const type = enumeration_of(variable)) {
      std::vector<std::string> names;
      for (const EnumerationItem& item : type->items) names.push_back(item.name);
      return fmt::format("; expected one of {}", fmt::join(names, ", "));
    }
    const int digits = digits_of(variable.type);
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() >> (64 - digits);
    if (is_unsigned(variable.type)) return fmt::format("; expected a whole number from 0 to {}", most);
    return fmt::format("; expected a whole number from -{} to {}", most + 1, most);
  }

  /// Structural parameters have other values now.
  void resize_arrays() {
    for (const StartValue& start : starts_) {
      const auto* const sizes = std::get_if<std::vector<std::uint64_t>>(&start.values);
      if (sizes == nullptr || sizes->size() != 1) continue;
      for (Variable& variable : description_.variables) resize(variable, start.variable, sizes->front());
    }
    if (description_.version == 2) return;
    description_.event_indicator_count = 0;
    for (const Unknown& indicator : description_.structure.event_indicators) {
      description_.event_indicator_count += description_.variables[indicator.variable].element_count();
    }
  }

  void resize(Variable& variable, std::uint32_t parameter, std::uint64_t size) {
    double elements = 1.0;
    bool is_concerned = false;
    for (Dimension& dimension : variable.dimensions) {
      if (dimension.variable == parameter) dimension.size = std::min(size, kMostStartElements);
      is_concerned |= dimension.variable == parameter;
      elements *= static_cast<double>(dimension.size);
    }
    if (!is_concerned || elements < static_cast<double>(kMostStartElements)) return;
    diagnostics_.error({}, fmt::format("variable '{}' would have {:g} elements with {} = {}", variable.name, elements,
                                       description_.variables[parameter].name, size));
    for (Dimension& dimension : variable.dimensions) dimension.size = 1;  // nothing more is reported about it
  }

  Description& description_;
  Diagnostics& diagnostics_;
  std::vector<StartValue> starts_;
};

}  // namespace

std::vector<StartValue> read_start_values(std::span<const StartRequest> requests, Description& description,
                                          Diagnostics& diagnostics) {
  StartReader reader(description, diagnostics);
  reader.read(requests, true);
  reader.read(requests, false);
  return reader.take();
}

}  // namespace tieline::fmi
