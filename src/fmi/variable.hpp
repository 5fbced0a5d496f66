#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tieline::fmi {

/// Value types, named as in FMI 3.0. FMI 2.0's Real is float64, its Integer int32.
enum class Type : std::uint8_t {
  float32,
  float64,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  boolean,
  string,
  binary,
  enumeration,
  clock
};

enum class Causality : std::uint8_t {
  parameter,
  calculated_parameter,
  structural_parameter,
  input,
  output,
  local,
  independent
};

enum class Variability : std::uint8_t { constant, fixed, tunable, discrete, continuous };

/// How a variable gets its value at the start. `none`: inputs of FMI 2.0, the independent variable and clocks.
enum class Initial : std::uint8_t { none, exact, approx, calculated };

/// As they are written in modelDescription.xml of FMI 3.0.
[[nodiscard]] std::string_view name_of(Type type);
[[nodiscard]] std::string_view name_of(Causality causality);
[[nodiscard]] std::string_view name_of(Variability variability);
[[nodiscard]] std::string_view name_of(Initial initial);

[[nodiscard]] constexpr bool is_float(Type type) { return type == Type::float32 || type == Type::float64; }
[[nodiscard]] constexpr bool is_unsigned(Type type) {
  return type == Type::uint8 || type == Type::uint16 || type == Type::uint32 || type == Type::uint64;
}
/// Whole numbers, enumerations among them.
[[nodiscard]] constexpr bool is_integer(Type type) {
  return !is_float(type) && (type <= Type::uint64 || type == Type::enumeration);
}

/// Least and greatest number of a type; of Booleans, 0 and 1.
[[nodiscard]] std::pair<double, double> range_of(Type type);

/// No variable, no type, no clock: an index that points nowhere.
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

inline constexpr std::uint64_t kMostElements = std::uint64_t{1} << 27;  ///< of one array

/// Values as the description states them: nothing, or one for each element of an array in row-major order, or one for
/// all elements. Floats as double; signed integers and enumerations as int64_t, unsigned ones as uint64_t; booleans as
/// 0 or 1; strings as UTF-8 and binaries as bytes. Clocks have none.
using Values = std::variant<std::monostate, std::vector<double>, std::vector<std::int64_t>, std::vector<std::uint64_t>,
                            std::vector<std::uint8_t>, std::vector<std::string>>;

[[nodiscard]] std::size_t count_of(const Values& values);

/// One dimension of an array: a number, or the present value of a structural parameter.
struct Dimension {
  std::uint64_t size = 0;          ///< with the structural parameter's start value
  std::uint32_t variable = kNone;  ///< index of the structural parameter; kNone: the size is fixed
};

/// A second name of a variable (FMI 3.0).
struct Alias {
  std::string name{};
  std::string description{};
  std::string display_unit{};
};

/// One variable of an FMU, with what its declared type says filled in where it says nothing itself.
struct Variable {
  std::string name{};
  std::string description{};
  std::string quantity{};
  std::string unit{};          ///< empty: none; looked up in Description::units
  std::string display_unit{};  ///< empty: the unit itself
  std::uint32_t reference = 0;
  Type type = Type::float64;
  Causality causality = Causality::local;
  Variability variability = Variability::continuous;
  Initial initial = Initial::none;
  bool is_relative_quantity = false;  ///< the unit's offset does not count
  bool is_unbounded = false;          ///< error control may not rely on the variable's size
  bool reinit = false;                ///< a state that events may set
  bool can_handle_multiple_set = true;
  bool intermediate_update = false;                       ///< may be read, or set, during a step
  std::uint32_t declared_type = kNone;                    ///< index into Description::types
  std::uint32_t derivative_of = kNone;                    ///< index of the variable of which this is the derivative
  std::uint32_t previous = kNone;                         ///< index of the variable that holds this one's last value
  std::uint32_t clock = kNone;                            ///< of a clock: index into Description::clocks
  double min = -std::numeric_limits<double>::infinity();  ///< [unit]; 64-bit integers are rounded
  double max = std::numeric_limits<double>::infinity();   ///< [unit]
  double nominal = 1.0;                                   ///< [unit]
  bool has_nominal = false;                               ///< it was stated
  Values start{};                                         ///< [unit]
  std::vector<Dimension> dimensions{};                    ///< empty: a scalar
  std::vector<std::uint32_t> clocks{};                    ///< indices of the clock variables at which it is computed
  std::vector<Alias> aliases{};
  std::string mime_type{};     ///< of binaries
  std::uint64_t max_size = 0;  ///< of binaries [bytes]; 0: not stated
  int line = 0;                ///< in modelDescription.xml

  [[nodiscard]] bool has_start() const { return !std::holds_alternative<std::monostate>(start); }
  /// How many values it holds: the product of its dimensions.
  [[nodiscard]] std::uint64_t element_count() const;
};

/// A parameter that may change during a run, at events.
[[nodiscard]] inline bool is_tunable_parameter(const Variable& variable) {
  return variable.causality == Causality::parameter && variable.variability == Variability::tunable;
}

/// Whether it changes in steps only, at events: all but continuous reals.
[[nodiscard]] inline bool changes_in_steps(const Variable& variable) {
  return !is_float(variable.type) || variable.variability != Variability::continuous;
}

/// Who says when a clock ticks.
enum class Interval : std::uint8_t { constant, fixed, tunable, changing, countdown, triggered };

/// The ticks of a clock.
struct Clock {
  Interval interval = Interval::triggered;
  bool can_be_deactivated = false;
  bool supports_fraction = false;
  std::optional<std::uint32_t> priority{};
  std::optional<double> interval_decimal{};         ///< [s]
  double shift_decimal = 0.0;                       ///< [s]
  std::optional<std::uint64_t> resolution{};        ///< of the counters [1/s]
  std::optional<std::uint64_t> interval_counter{};  ///< [1/resolution]
  std::uint64_t shift_counter = 0;                  ///< [1/resolution]
};

[[nodiscard]] std::string_view name_of(Interval interval);

}  // namespace tieline::fmi
