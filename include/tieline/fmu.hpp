#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tieline/export.hpp"
#include "tieline/problem.hpp"
#include "tieline/simulation.hpp"

/// The description of an FMU (FMI 1.0, 2.0 or 3.0).
namespace tieline {

/// Values from the description of the FMU: none, one for all elements of an array, or one per element in row-major
/// order. The types are floats; signed integers and enumerations; unsigned integers; booleans as 0 or 1; strings, or
/// bytes of binaries.
using FmuValues = std::variant<std::monostate, std::vector<double>, std::vector<std::int64_t>,
                               std::vector<std::uint64_t>, std::vector<std::uint8_t>, std::vector<std::string>>;

/// As in FMI 3.0.
enum class FmuCausality { parameter, calculated_parameter, structural_parameter, input, output, local, independent };
enum class FmuVariability { constant, fixed, tunable, discrete, continuous };

struct FmuVariable {
  std::string name{};
  std::string description{};
  std::string unit{};           ///< empty: none
  std::string type{};           ///< as in FMI 3.0: "Float64", "Int32", "Enumeration", ...
  std::string declared_type{};  ///< empty: none
  FmuCausality causality = FmuCausality::local;
  FmuVariability variability = FmuVariability::continuous;
  std::vector<std::uint64_t> dimensions{};  ///< empty: a scalar
  FmuValues start{};                        ///< [unit]
};

/// Capabilities of both ways to run an FMU.
struct FmuAbilities {
  bool can_get_and_set_state = false;
  bool can_serialize_state = false;
  bool provides_directional_derivatives = false;
  bool provides_adjoint_derivatives = false;
  bool needs_execution_tool = false;
  bool can_be_instantiated_only_once_per_process = false;
};

/// Model exchange: the importer solves the equations.
struct FmuModelExchange : FmuAbilities {
  std::uint64_t states = 0;
  std::uint64_t event_indicators = 0;
};

/// Co-simulation: the FMU contains its own solver.
struct FmuCoSimulation : FmuAbilities {
  bool can_handle_variable_step_size = false;
  bool can_interpolate_inputs = false;
  unsigned max_output_derivative_order = 0;
  std::optional<double> fixed_internal_step_size{};  ///< [s]
  bool has_event_mode = false;
  bool provides_intermediate_update = false;
  bool might_return_early_from_do_step = false;
};

struct FmuExperiment {
  std::optional<double> start_time{};  ///< [s]
  std::optional<double> stop_time{};   ///< [s]
  std::optional<double> step_size{};   ///< [s]
  std::optional<double> tolerance{};
};

/// Variables that belong together: a flange, a plug, a bus.
struct FmuTerminal {
  struct Member {
    std::string name{};      ///< may be empty
    std::string variable{};  ///< "?": not known
    std::string kind{};      ///< "signal", "inflow", "outflow" or a vendor's own; may be empty
  };
  struct Stream {
    std::string inflow_name{};
    std::string inflow_variable{};
    std::string outflow_name{};
    std::string outflow_variable{};
  };
  std::string name{};
  std::string kind{};           ///< may be empty
  std::string matching_rule{};  ///< "plug", "bus", "sequence" or a vendor's own
  std::vector<Member> members{};
  std::vector<Stream> streams{};
  std::vector<FmuTerminal> terminals{};  ///< within this one
};

struct FmuEnumerationItem {
  std::string name{};
  std::int64_t value = 0;
};

struct FmuInfo {
  std::string model_name{};
  std::string description{};
  std::string fmi_version{};  ///< "3.0.1"
  std::string generation_tool{};
  std::string generation_time{};
  std::string model_version{};
  std::string author{};
  std::string copyright{};
  std::string license{};
  std::optional<FmuModelExchange> model_exchange{};
  std::optional<FmuCoSimulation> co_simulation{};
  bool has_scheduled_execution = false;  ///< Tieline does not use it
  FmuExperiment experiment{};
  std::vector<std::string> platforms{};                                   ///< with a binary in the FMU
  std::vector<FmuVariable> variables{};                                   ///< in the order of the description
  std::map<std::string, std::vector<FmuEnumerationItem>> enumerations{};  ///< by the name of the declared type
  std::vector<FmuTerminal> terminals{};
  std::string sandbox{};            ///< what its code may do in a run on this machine, unless a model states otherwise
  std::vector<Problem> problems{};  ///< warnings and notes
};

/// Whether a path looks like an FMU: a file with the extension .fmu, or a folder that contains modelDescription.xml.
[[nodiscard]] TIELINE_PUBLIC bool is_fmu(const std::filesystem::path& path);

/// Reads the description of an FMU without loading its code. Throws ModelError with every problem.
[[nodiscard]] TIELINE_PUBLIC FmuInfo describe_fmu(const std::filesystem::path& path);

enum class FmuCheckResult { passed, warned, failed, skipped };

/// One of the checks of `verify_fmu`.
struct FmuCheck {
  std::string mode{};   ///< "model exchange", "co-simulation"; empty: of the FMU as a whole
  /// "description", "schema", "binary", "instance", "step", "second instance", "save and restore", ...
  std::string check{};
  FmuCheckResult result = FmuCheckResult::passed;
  std::string note{};
};

struct FmuVerificationOptions {
  double deadline = 60.0;                     ///< for one check [s]; then the FMU is ended, and the check has failed
  std::filesystem::path runner{};             ///< program that loads the FMU (runner.hpp); empty: looked for
  const std::atomic<bool>* cancel = nullptr;  ///< ends the checks with a RunError
};

/// Tries whether an FMU does what it claims: whether its description follows the standard (a row "schema" for each rule
/// that it breaks), and in each mode that it offers, binary, initialization, a step, a second instance with the same
/// values, saving and restoring, directional derivatives against differences. What it does not claim is skipped.
///
/// The FMU is loaded by processes of their own, in the sandbox of runs: one that crashes or hangs is a failed check.
/// Throws ModelError if the description cannot be read, and RunError if no process can be started.
[[nodiscard]] TIELINE_PUBLIC std::vector<FmuCheck> verify_fmu(const std::filesystem::path& path,
                                                              const FmuVerificationOptions& options = {});

}  // namespace tieline
