#include "document/units.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numbers>

#include "document/expression.hpp"

namespace tieline::document {
namespace {

struct NamedUnit {
  std::string_view name{};
  Unit unit{};
  bool takes_prefix = false;
};

constexpr std::size_t kAngle = 5;
constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kCelsiusOffset = 273.15;  // [K]
/// Nothing but cryogenics is colder [K]; numbers of degrees Celsius that machines have are below.
constexpr double kColdest = 150.0;

constexpr Unit unit(double factor, std::array<int, 6> powers) { return {factor, 0.0, powers, false}; }

//                                                   m  kg  s  A  K rad
constexpr std::array<NamedUnit, 47> kUnits{{{"m", unit(1.0, {1, 0, 0, 0, 0, 0}), true},
                                            {"g", unit(1e-3, {0, 1, 0, 0, 0, 0}), true},
                                            {"s", unit(1.0, {0, 0, 1, 0, 0, 0}), true},
                                            {"A", unit(1.0, {0, 0, 0, 1, 0, 0}), true},
                                            {"K", unit(1.0, {0, 0, 0, 0, 1, 0}), true},
                                            {"rad", unit(1.0, {0, 0, 0, 0, 0, 1}), true},
                                            {"N", unit(1.0, {1, 1, -2, 0, 0, 0}), true},
                                            {"Nm", unit(1.0, {2, 1, -2, 0, 0, 0}), true},
                                            {"Pa", unit(1.0, {-1, 1, -2, 0, 0, 0}), true},
                                            {"J", unit(1.0, {2, 1, -2, 0, 0, 0}), true},
                                            {"W", unit(1.0, {2, 1, -3, 0, 0, 0}), true},
                                            {"V", unit(1.0, {2, 1, -3, -1, 0, 0}), true},
                                            {"ohm", unit(1.0, {2, 1, -3, -2, 0, 0}), true},
                                            {"Ohm", unit(1.0, {2, 1, -3, -2, 0, 0}), true},
                                            {"Ω", unit(1.0, {2, 1, -3, -2, 0, 0}), true},
                                            {"F", unit(1.0, {-2, -1, 4, 2, 0, 0}), true},
                                            {"H", unit(1.0, {2, 1, -2, -2, 0, 0}), true},
                                            {"C", unit(1.0, {0, 0, 1, 1, 0, 0}), true},
                                            {"Wh", unit(3600.0, {2, 1, -2, 0, 0, 0}), true},
                                            {"Ah", unit(3600.0, {0, 0, 1, 1, 0, 0}), true},
                                            {"Hz", {1.0, 0.0, {0, 0, -1, 0, 0, 0}, true}, true},
                                            {"bar", unit(1e5, {-1, 1, -2, 0, 0, 0}), true},
                                            {"l", unit(1e-3, {3, 0, 0, 0, 0, 0}), true},
                                            {"L", unit(1e-3, {3, 0, 0, 0, 0, 0}), true},
                                            {"t", unit(1e3, {0, 1, 0, 0, 0, 0})},
                                            {"min", unit(60.0, {0, 0, 1, 0, 0, 0})},
                                            {"h", unit(3600.0, {0, 0, 1, 0, 0, 0})},
                                            {"d", unit(86400.0, {0, 0, 1, 0, 0, 0})},
                                            {"deg", {kDegree, 0.0, {0, 0, 0, 0, 0, 1}, true}},
                                            {"°", {kDegree, 0.0, {0, 0, 0, 0, 0, 1}, true}},
                                            {"rev", {kTurn, 0.0, {0, 0, 0, 0, 0, 1}, true}},
                                            {"rpm", {kTurn / 60.0, 0.0, {0, 0, -1, 0, 0, 1}, true}},
                                            {"atm", unit(101325.0, {-1, 1, -2, 0, 0, 0})},
                                            {"psi", unit(6894.757293168361, {-1, 1, -2, 0, 0, 0})},
                                            {"in", unit(0.0254, {1, 0, 0, 0, 0, 0})},
                                            {"inch", unit(0.0254, {1, 0, 0, 0, 0, 0})},
                                            {"ft", unit(0.3048, {1, 0, 0, 0, 0, 0})},
                                            {"lb", unit(0.45359237, {0, 1, 0, 0, 0, 0})},
                                            {"lbf", unit(4.4482216152605, {1, 1, -2, 0, 0, 0})},
                                            {"mph", unit(0.44704, {1, 0, -1, 0, 0, 0})},
                                            {"hp", unit(745.69987158227022, {2, 1, -3, 0, 0, 0})},
                                            {"%", unit(0.01, {})},
                                            {"°C", {1.0, kCelsiusOffset, {0, 0, 0, 0, 1, 0}, false}},
                                            {"degC", {1.0, kCelsiusOffset, {0, 0, 0, 0, 1, 0}, false}},
                                            {"°F", {5.0 / 9.0, 459.67, {0, 0, 0, 0, 1, 0}, false}},
                                            {"degF", {5.0 / 9.0, 459.67, {0, 0, 0, 0, 1, 0}, false}},
                                            {"cc", unit(1e-6, {3, 0, 0, 0, 0, 0})}}};

constexpr std::array<std::pair<std::string_view, double>, 11> kPrefixes{{{"p", 1e-12},
                                                                         {"n", 1e-9},
                                                                         {"u", 1e-6},
                                                                         {"µ", 1e-6},
                                                                         {"μ", 1e-6},
                                                                         {"m", 1e-3},
                                                                         {"c", 1e-2},
                                                                         {"d", 1e-1},
                                                                         {"k", 1e3},
                                                                         {"M", 1e6},
                                                                         {"G", 1e9}}};

std::optional<Unit> find_unit(std::string_view name) {
  for (const NamedUnit& known : kUnits) {
    if (known.name == name) return known.unit;
  }
  for (const auto& [prefix, factor] : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    for (const NamedUnit& known : kUnits) {
      if (!known.takes_prefix || known.name != name.substr(prefix.size())) continue;
      Unit scaled = known.unit;
      scaled.factor *= factor;
      return scaled;
    }
  }
  return std::nullopt;
}

/// Replaces what other keyboards have for signs by ours.
std::string with_plain_signs(std::string_view text) {
  std::string plain(text);
  for (const auto& [from, to] :
       {std::pair<std::string_view, std::string_view>{"·", "*"}, {"²", "^2"}, {"³", "^3"}, {"**", "^"}}) {
    for (std::size_t at = 0; (at = plain.find(from, at)) != std::string::npos; at += to.size())
      plain.replace(at, from.size(), to);
  }
  return plain;
}

/// A factor of a unit: a name and its power, "m^2" or "m2", or 1.
std::optional<Unit> parse_factor(std::string_view text, int sign) {
  if (text == "1") return Unit{};
  const std::size_t digits = std::min(text.find_first_of("^0123456789"), text.size());
  int power = 1;
  if (digits < text.size()) {
    const std::string_view shown = text.substr(digits + (text[digits] == '^' ? 1 : 0));
    const auto [end, failure] = std::from_chars(shown.data(), shown.data() + shown.size(), power);
    if (failure != std::errc{} || end != shown.data() + shown.size() || std::abs(power) > 9) return std::nullopt;
  }
  auto found = find_unit(text.substr(0, digits));
  if (!found || (found->offset != 0.0 && power * sign != 1)) return std::nullopt;
  found->factor = std::pow(found->factor, power * sign);
  for (int& each : found->powers) each *= power * sign;
  return found;
}

/// Twelve digits are more than a user writes, and hide what rounding does to the rest.
std::string shown_number(double number) { return fmt::format("{:.12g}", number); }

}  // namespace

bool Unit::measures_the_same(const Unit& other) const {
  if (!std::equal(powers.begin(), powers.begin() + kAngle, other.powers.begin())) return false;
  if (powers[kAngle] == other.powers[kAngle]) return true;
  constexpr std::size_t kMass = 1;
  return powers[kMass] != 0 && !counts_turns && !other.counts_turns;
}

std::optional<Unit> parse_unit(std::string_view text) {
  const std::string plain = with_plain_signs(trimmed(text));
  Unit product;
  int sign = 1;
  int count = 0;
  for (std::size_t at = 0; at < plain.size();) {
    const std::size_t end = std::min(plain.find_first_of(" */.", at), plain.size());
    if (end > at) {
      const auto factor = parse_factor(std::string_view(plain).substr(at, end - at), sign);
      if (!factor) return std::nullopt;
      product.factor *= factor->factor;
      product.offset += factor->offset;
      product.counts_turns = product.counts_turns || factor->counts_turns;
      for (std::size_t i = 0; i < product.powers.size(); ++i) product.powers[i] += factor->powers[i];
      count += plain.substr(at, end - at) == "1" ? 0 : 1;
    }
    // All that stands behind a slash divides: "N m s/rad", "K/W", "J/kg K" as it is usually meant.
    if (end < plain.size() && plain[end] == '/') sign = -1;
    at = end + 1;
  }
  if (count == 0 || (product.offset != 0.0 && count > 1)) return std::nullopt;
  return product;
}

std::optional<Unit> unit_called(std::string text) {
  std::replace(text.begin(), text.end(), '.', '*');
  return parse_unit(text);
}

std::string describe_si(const Unit& unit) {
  constexpr std::array<std::string_view, 6> kNames{"m", "kg", "s", "A", "K", "rad"};
  std::string above, below;
  for (const std::size_t i : {1U, 0U, 2U, 3U, 4U, 5U}) {
    const int power = unit.powers[i];
    if (power == 0) continue;
    std::string& side = power > 0 ? above : below;
    if (!side.empty()) side += ' ';
    side += kNames[i];
    if (std::abs(power) > 1) side += fmt::format("^{}", std::abs(power));
  }
  if (below.empty()) return above.empty() ? "1" : above;
  return (above.empty() ? "1" : above) + "/" + below;
}

std::vector<std::string> units_in(std::string_view description) {
  std::vector<std::string> units;
  for (std::size_t at = 0; (at = description.find('[', at)) != description.npos; ++at) {
    const std::size_t end = description.find(']', at);
    if (end == description.npos) break;
    std::string name(description.substr(at + 1, end - at - 1));
    if (parse_unit(name) && std::find(units.begin(), units.end(), name) == units.end())
      units.push_back(std::move(name));
  }
  return units;
}

std::optional<NumberWithUnit> split_unit(std::string_view text) {
  text = trimmed(text);
  // The longest number that something follows: in "1e3 m" the e is of the number, in "1 ea" it is not.
  for (std::size_t size = text.size(); size-- > 1;) {
    const auto number = parse_number(text.substr(0, size));
    if (number) return NumberWithUnit{*number, std::string(trimmed(text.substr(size)))};
  }
  return std::nullopt;
}

std::string describe_unit(std::string_view text, const std::vector<std::string>& wanted) {
  const auto split = split_unit(text);
  if (!split) return "";
  const auto given = parse_unit(split->unit);
  const std::string found = fmt::format("'{}' has a unit; write ", text.substr(0, 200));
  for (const std::string& name : wanted) {
    const auto unit = parse_unit(name);
    // "20 C" is a temperature where one is wanted.
    const bool is_celsius = split->unit == "C" && unit && unit->measures_the_same(*find_unit("K"));
    if (is_celsius) return found + fmt::format("{} (SI units: {})", shown_number(split->number + kCelsiusOffset), name);
    if (given && unit && given->measures_the_same(*unit))
      return found + fmt::format("{} (SI units: {})", shown_number(given->to_si(split->number) / unit->factor), name);
  }
  if (!given) return "";
  if (!wanted.empty())
    return found +
           fmt::format("a number of {} without it: {} is a different quantity", fmt::join(wanted, " or "), split->unit);
  // The unit's own name where it is an SI unit already.
  const bool is_si = given->factor == 1.0 && given->offset == 0.0;
  return found + fmt::format("{} (SI units: {})", shown_number(given->to_si(split->number)),
                             is_si ? split->unit : describe_si(*given));
}

std::string doubt_of_temperature(std::string_view attribute, double kelvin) {
  if (!(kelvin < kColdest)) return "";
  const std::string meant =
      fmt::format("; for {0} degrees Celsius write {1}", shown_number(kelvin), shown_number(kelvin + kCelsiusOffset));
  if (kelvin < 0.0) return fmt::format("{} = {} K is below absolute zero{}", attribute, shown_number(kelvin), meant);
  return fmt::format("{} = {} K is {} degrees Celsius{}", attribute, shown_number(kelvin),
                     shown_number(kelvin - kCelsiusOffset), meant);
}

}  // namespace tieline::document
