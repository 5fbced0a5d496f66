#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/domain.hpp"
#include "core/result.hpp"
#include "core/spatial.hpp"
#include "participant/environment.hpp"

namespace tieline::participant {

/// A parameter that a model gives a component.
struct Parameter {
  std::string name{};  ///< letters, digits and '_'
  std::variant<double, std::string> value{0.0};
  std::string unit{};
};

/// An interface that a model declares.
struct Interface {
  std::string name{};
  core::Domain domain = core::Domain::translation;
  core::Causality causality = core::Causality::takes_force;
  int size = 1;       ///< of a signal: how many numbers; in space: how many points
  core::Pose pose{};  ///< in the component
};

/// What a model states about one component, as far as the program behind it has to know. Plain data.
struct Description {
  std::string name{};  ///< full
  std::string kind{};
  std::filesystem::path model_file{};                ///< absolute; empty: none
  std::vector<std::filesystem::path> input_files{};  ///< further ones, absolute
  double start = 0.0;                                ///< [s]
  double stop = 1.0;                                 ///< [s]
  std::optional<double> largest_step{};              ///< [s]
  bool exact_step = false;                           ///< steps end where others expect values, nowhere else
  std::vector<Parameter> parameters{};
  core::Pose placement{};  ///< in the world
  std::vector<Interface> interfaces{};
  std::filesystem::path run_folder{};  ///< where its files of this run are, absolute; empty: none
};

/// Name of the file of parameters in a participant's run folder.
inline constexpr const char* kParameterFileName = "parameters.txt";

/// What a started program finds in its environment: TIELINE_COMPONENT and so on, as docs/processes.md lists them.
/// Numbers have 17 digits, so that they are read back exactly. What there is none of is left out.
[[nodiscard]] Environment environment_of(const Description& description);

/// The parameters, one on each line: `name = value  # unit`. Lines that begin with '#' are for people. A text stands as
/// it is, its line breaks as blanks.
[[nodiscard]] std::string parameter_file_text(const Description& description);

/// Creates the run folder where it is missing, and writes the file of parameters into it.
[[nodiscard]] core::Result<void> write_parameter_file(const Description& description);

}  // namespace tieline::participant
