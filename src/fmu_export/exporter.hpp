#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assembly/checked_model.hpp"
#include "document/diagnostics.hpp"
#include "fmu_export/manifest.hpp"

namespace tieline::fmu_export {

/// What is to be exported, and how it is to look to others.
struct Request {
  std::filesystem::path model{};
  std::filesystem::path out{};
  std::vector<model::Override> settings{};
  std::string component{};  ///< this one alone; empty: the whole model
  int fmi_version = 2;
  bool is_exchange = false;               ///< for model exchange: the equations of the component, without a solver
  std::optional<double> stop{};           ///< of the default experiment [s]
  std::vector<std::string> parameters{};  ///< patterns of those that can be set; empty: all
  bool has_parameters = true;             ///< false: none can be set
  std::vector<std::string> outputs{};     ///< patterns of recorded variables that are outputs, too
  std::vector<std::string> waves{};       ///< patterns of interfaces that are ends of lines, with the law inside
  /// Of ends of lines among these, by interface: the first wave, and the impedance, which is then a parameter.
  struct LineStart {
    double wave = 0.0, impedance = 0.0;
  };
  std::map<std::string, LineStart> line_starts{};
  std::filesystem::path library{};  ///< folder of the library that goes into the FMU
};

/// Writes the FMU, which replaces a file of that name when it is whole. Nothing after errors, which are in
/// `diagnostics` with their places. What is left out is in notes.
[[nodiscard]] std::optional<Manifest> export_fmu(const Request& request, document::Diagnostics& diagnostics);

}  // namespace tieline::fmu_export
