#include "fmi/variable.hpp"

#include <array>
#include <cmath>
#include <type_traits>

namespace tieline::fmi {

std::string_view name_of(Type type) {
  static constexpr std::array<std::string_view, 15> kNames{"Float32", "Float64", "Int8",   "UInt8",       "Int16",
                                                           "UInt16",  "Int32",   "UInt32", "Int64",       "UInt64",
                                                           "Boolean", "String",  "Binary", "Enumeration", "Clock"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view name_of(Causality causality) {
  static constexpr std::array<std::string_view, 7> kNames{
      "parameter", "calculatedParameter", "structuralParameter", "input", "output", "local", "independent"};
  return kNames[static_cast<std::size_t>(causality)];
}

std::string_view name_of(Variability variability) {
  static constexpr std::array<std::string_view, 5> kNames{"constant", "fixed", "tunable", "discrete", "continuous"};
  return kNames[static_cast<std::size_t>(variability)];
}

std::string_view name_of(Initial initial) {
  static constexpr std::array<std::string_view, 4> kNames{"", "exact", "approx", "calculated"};
  return kNames[static_cast<std::size_t>(initial)];
}

std::string_view name_of(Interval interval) {
  static constexpr std::array<std::string_view, 6> kNames{"constant", "fixed",     "tunable",
                                                          "changing", "countdown", "triggered"};
  return kNames[static_cast<std::size_t>(interval)];
}

std::pair<double, double> range_of(Type type) {
  const auto of_bits = [](int bits) { return std::ldexp(1.0, bits); };
  switch (type) {
    case Type::boolean:
      return {0.0, 1.0};
    case Type::int8:
      return {-of_bits(7), of_bits(7) - 1.0};
    case Type::uint8:
      return {0.0, of_bits(8) - 1.0};
    case Type::int16:
      return {-of_bits(15), of_bits(15) - 1.0};
    case Type::uint16:
      return {0.0, of_bits(16) - 1.0};
    case Type::int32:
      return {-of_bits(31), of_bits(31) - 1.0};
    case Type::uint32:
      return {0.0, of_bits(32) - 1.0};
    case Type::int64:
    case Type::enumeration:
      return {-of_bits(63), of_bits(63)};
    case Type::uint64:
      return {0.0, of_bits(64)};
    default:
      return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
}

std::size_t count_of(const Values& values) {
  return std::visit(
      [](const auto& list) -> std::size_t {
        if constexpr (std::is_same_v<std::decay_t<decltype(list)>, std::monostate>) {
          return 0;
        } else {
          return list.size();
        }
      },
      values);
}

std::uint64_t Variable::element_count() const {
  std::uint64_t count = 1;
  for (const Dimension& dimension : dimensions) count *= dimension.size;
  return count;
}

}  // namespace tieline::fmi
