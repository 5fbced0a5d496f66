#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/domain.hpp"
#include "core/result.hpp"

/// What an exported FMU contains, as its exporter writes it and the library in it reads it.
namespace tieline::fmu_export {

/// What a variable of the FMU is in the run.
enum class Role {
  time,
  parameter,  ///< set before the run starts
  input,      ///< a live input: a signal, a force, or what else is applied
  wave,       ///< that comes in at the end of a line
  impedance,  ///< of that line
  output,
  state,       ///< of model exchange: a continuous state
  derivative,  ///< its rate
  indicator,   ///< of events
  leaving,     ///< the wave that leaves at the end of a line: its mean over the last step
};

/// A quantity at an interface, for the samples between the steps' ends.
enum class Quantity { none, position, flow, effort };

/// One variable of the FMU; arrays (FMI 3.0) have several numbers.
struct ExportedVariable {
  std::uint32_t reference = 0;
  std::string name{};
  Role role = Role::output;
  /// By number: a parameter, a live input, or a recorded variable of the run.
  std::vector<std::string> targets{};
  std::vector<double> start{};  ///< by number; nothing for outputs
  std::string end{};            ///< the interface that a wave or a quantity is at; empty: none
  Quantity quantity = Quantity::none;
  int axis = -1;    ///< of an interface in space: its first of x, y, z, rx, ry, rz; -1: it is not in space
  int number = -1;  ///< of a state, its derivative or an indicator
  bool is_discrete = false;
  bool is_parameter = false;   ///< an impedance that is one
  bool is_structural = false;  ///< a parameter that changes what the model consists of
  bool is_array = false;       ///< also with one number
  std::string unit{};          ///< SI; empty: none is known
  std::string description{};
  /// References of inputs that it follows at the same time; none: all of them. Only for the description.
  std::optional<std::vector<std::uint32_t>> followed{};
};

/// Variables that belong together at a physical interface.
struct ExportedTerminal {
  std::string name{};
  core::Domain domain = core::Domain::translation;
  struct Member {
    std::string variable{}, name{};
    bool is_inflow = false;
  };
  std::vector<Member> members{};
};

struct Manifest {
  int fmi_version = 2;
  std::string model_name{};
  std::string identifier{};  ///< of C: the name of the library
  std::string token{};       ///< follows from all files
  std::string description{};
  std::string model{};  ///< the model's file, from the folder of resources
  /// Parameters that the FMU has fixed, as of `--set`.
  std::vector<std::pair<std::string, std::string>> settings{};
  double start = 0.0, stop = 1.0;  ///< [s]
  std::optional<double> step{};    ///< suggested [s]
  bool can_save = true;
  bool is_exchange = false;      ///< for model exchange; else for co-simulation
  bool has_derivatives = false;  ///< directional derivatives, in model exchange
  std::size_t indicator_count = 0;
  std::vector<ExportedVariable> variables{};  ///< the first is the time
  std::vector<ExportedTerminal> terminals{};

  [[nodiscard]] bool has_waves() const;
};

/// Where it is among the resources.
constexpr std::string_view kManifestFile = "tieline.json";

[[nodiscard]] std::string to_json(const Manifest& manifest);
[[nodiscard]] core::Result<Manifest> read_manifest(const std::filesystem::path& file);

}  // namespace tieline::fmu_export
