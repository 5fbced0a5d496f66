#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tieline::document {

/// A unit as people write it, for advice: attributes take bare numbers in SI units.
struct Unit {
  double factor = 1.0;          ///< times a number in this unit is one in SI units,
  double offset = 0.0;          ///< after this has been added to it (degrees Celsius and Fahrenheit)
  std::array<int, 6> powers{};  ///< of m, kg, s, A, K and rad
  bool counts_turns = false;    ///< degrees, revolutions, Hz: not to be taken for a unit without an angle

  [[nodiscard]] double to_si(double number) const { return (number + offset) * factor; }
  /// Whether both measure the same quantity. A radian may be left out of forces and
  /// energies (N m is N m/rad), but not of speeds (1/s is not rad/s).
  [[nodiscard]] bool measures_the_same(const Unit& other) const;
};

/// "kg", "N s/m", "kN·m", "m^2", "mm2", "1/s", "°C"; empty if it is not known.
[[nodiscard]] std::optional<Unit> parse_unit(std::string_view text);

/// The same as FMUs and measured files write it, where "N.m" is a product.
[[nodiscard]] std::optional<Unit> unit_called(std::string text);

/// The SI unit of a quantity in base units: "kg m/s^2".
[[nodiscard]] std::string describe_si(const Unit& unit);

/// The units that a description states in square brackets: "kg" of "Mass [kg]."; those that are known.
[[nodiscard]] std::vector<std::string> units_in(std::string_view description);

/// A number followed by something else, as "350 kg" is.
struct NumberWithUnit {
  double number = 0.0;
  std::string unit{};
};
[[nodiscard]] std::optional<NumberWithUnit> split_unit(std::string_view text);

/// What is wrong with a number that has a unit, and what to write instead where a number in one of the `wanted` units
/// is expected (empty: unknown which); empty if the text is no number with a unit that is known.
[[nodiscard]] std::string describe_unit(std::string_view text, const std::vector<std::string>& wanted);

/// Why an absolute temperature [K] is doubtful: it looks like one in degrees Celsius; empty if it is not.
[[nodiscard]] std::string doubt_of_temperature(std::string_view attribute, double kelvin);

}  // namespace tieline::document
