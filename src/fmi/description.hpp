#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "document/diagnostics.hpp"
#include "fmi/negated_aliases.hpp"
#include "fmi/terminal.hpp"
#include "fmi/variable.hpp"

namespace tieline::archive {
class Archive;
}

namespace tieline::fmi {

/// Exponents of SI units; a value in the unit is (value in base units - offset) / factor.
struct BaseUnit {
  int kg = 0, m = 0, s = 0, A = 0, K = 0, mol = 0, cd = 0, rad = 0;
  double factor = 1.0;
  double offset = 0.0;

  [[nodiscard]] bool operator==(const BaseUnit&) const = default;
};

/// A unit for people: value shown = factor * value + offset, or factor / value where it is inverse.
struct DisplayUnit {
  std::string name{};
  double factor = 1.0;
  double offset = 0.0;
  bool is_inverse = false;
};

struct Unit {
  std::string name{};
  std::optional<BaseUnit> base{};  ///< nothing: the meaning of the unit is not stated
  std::vector<DisplayUnit> display_units{};
};

struct EnumerationItem {
  std::string name{};
  std::int64_t value = 0;
  std::string description{};
};

/// A declared type. What it states about units and bounds has been filled into the variables that name it.
struct TypeDefinition {
  std::string name{};
  std::string description{};
  Type type = Type::float64;
  std::vector<EnumerationItem> items{};  ///< of enumerations
};

/// Capabilities of both ways to run an FMU.
struct InterfaceFacts {
  std::string model_identifier{};
  bool needs_execution_tool = false;
  bool can_be_instantiated_only_once_per_process = false;
  bool can_not_use_memory_management_functions = false;
  bool can_get_and_set_state = false;
  bool can_serialize_state = false;
  bool provides_directional_derivatives = false;
  bool provides_adjoint_derivatives = false;
  bool provides_per_element_dependencies = false;
  bool provides_evaluate_discrete_states = false;
};

struct ModelExchangeFacts : InterfaceFacts {
  bool needs_completed_integrator_step = true;
};

struct CoSimulationFacts : InterfaceFacts {
  bool can_handle_variable_step_size = false;
  bool can_interpolate_inputs = false;  ///< FMI 1.0 and 2.0
  bool can_run_asynchronously = false;  ///< FMI 1.0 and 2.0
  std::string mime_type{};              ///< FMI 1.0: of the model, where its tool runs it
  unsigned max_output_derivative_order = 0;
  std::optional<double> fixed_internal_step_size{};  ///< [s]
  std::optional<int> recommended_intermediate_input_smoothness{};
  bool provides_intermediate_update = false;
  bool might_return_early_from_do_step = false;
  bool can_return_early_after_intermediate_update = false;
  bool has_event_mode = false;
};

/// Times that the FMU's vendor suggests.
struct DefaultExperiment {
  std::optional<double> start_time{};  ///< [s]
  std::optional<double> stop_time{};   ///< [s]
  std::optional<double> tolerance{};
  std::optional<double> step_size{};  ///< [s]
};

struct LogCategory {
  std::string name{};
  std::string description{};
};

enum class DependencyKind : std::uint8_t { dependent, constant, fixed, tunable, discrete };

struct Dependency {
  std::uint32_t variable = kNone;  ///< index
  DependencyKind kind = DependencyKind::dependent;
};

/// A variable of the model structure and what it depends on.
struct Unknown {
  std::uint32_t variable = kNone;  ///< index
  /// Nothing: not stated, so it may depend on everything.
  std::optional<std::vector<Dependency>> dependencies{};
};

struct ModelStructure {
  std::vector<Unknown> outputs{};
  /// Of continuous states, in the order of the state vector; in FMI 1.0 in any order, kNone where they are not known.
  std::vector<Unknown> derivatives{};
  std::vector<Unknown> discrete_states{};
  std::vector<Unknown> initial_unknowns{};
  std::vector<Unknown> event_indicators{};  ///< FMI 3.0
};

/// One number of a variable: what a scalar interface of an array or of a scalarised array is made of.
struct Scalar {
  std::uint32_t variable = kNone;  ///< index
  std::uint64_t element = 0;       ///< within the variable, row-major

  [[nodiscard]] bool operator==(const Scalar&) const = default;
};

/// The description of an FMU, the same for FMI 1.0, 2.0 and 3.0: modelDescription.xml, and terminals where there are
/// any. References between variables are indices into `variables`, which keeps the order of the file. A value: copied
/// and moved freely, read by any number of threads.
class Description {
 public:
  int version = 3;             ///< 1, 2 or 3
  std::string version_text{};  ///< "3.0.1"
  std::string model_name{};
  std::string token{};  ///< guid of 1.0 and 2.0, instantiationToken of 3.0
  std::string description{};
  std::string author{};
  std::string model_version{};
  std::string copyright{};
  std::string license{};
  std::string generation_tool{};
  std::string generation_time{};
  bool has_structured_names = false;
  std::optional<ModelExchangeFacts> model_exchange{};
  std::optional<CoSimulationFacts> co_simulation{};
  bool has_scheduled_execution = false;  ///< which is not used
  DefaultExperiment experiment{};
  std::vector<Unit> units{};
  std::vector<TypeDefinition> types{};
  std::vector<LogCategory> log_categories{};
  std::vector<Variable> variables{};
  std::vector<Clock> clocks{};
  ModelStructure structure{};
  /// As stated in 1.0 and 2.0; for 3.0 the elements of structure.event_indicators, with the start values of structural
  /// parameters.
  std::uint64_t event_indicator_count = 0;
  std::vector<Terminal> terminals{};
  NegatedAliases negated_aliases{};  ///< FMI 1.0

  /// Index of a variable by its name or an alias; blanks within brackets do not count ("a[1, 2]" is "a[1,2]"). kNone
  /// where there is none.
  [[nodiscard]] std::uint32_t index_of(std::string_view name) const;
  /// The same; null if there is none. Valid as long as `variables` is not changed.
  [[nodiscard]] const Variable* find(std::string_view name) const;
  /// All numbers under a name: a scalar, the elements of an array, one element of an array ("a[2,1]", counted from 1),
  /// or the scalars "a[1]", "a[2]", ... into which an exporter has taken an array apart, row by row. Empty if there
  /// are none, or where such a set has gaps.
  [[nodiscard]] std::vector<Scalar> scalars_of(std::string_view name) const;
  /// " (did you mean 'x'?)" or something like it, for a name that is not there.
  [[nodiscard]] std::string suggestion(std::string_view wrong) const;
  [[nodiscard]] const Unit* unit_named(std::string_view name) const;

  /// Makes the look-up by name; to be called whenever the variables' names have changed.
  void index_names();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> names_;
};

/// Reads modelDescription.xml. Follows FMI 1.0, 2.0 and 3.0, and takes what real exporters write beyond that: whatever
/// can be understood is kept, with a warning where it is wrong. Nothing after errors; all reasons are in `diagnostics`.
[[nodiscard]] std::optional<Description> read_description(std::string text, const std::string& file_name,
                                                          document::Diagnostics& diagnostics);

/// The same of an FMU that has been opened, with its terminals.
[[nodiscard]] std::optional<Description> read_description(archive::Archive& archive,
                                                          document::Diagnostics& diagnostics);

}  // namespace tieline::fmi
