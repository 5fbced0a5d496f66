#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/domain.hpp"
#include "core/spatial.hpp"
#include "document/diagnostics.hpp"
#include "fmi/fmu_shelf.hpp"
#include "fmi/fmu_spec.hpp"
#include "fmi/start_values.hpp"

namespace tieline::fmi {

/// An interface that a model declares on an FMU.
struct InterfaceRequest {
  std::string name{};
  core::Domain domain = core::Domain::translation;
  core::Pose pose{};
  /// Names of variables by quantity ("velocity": "body.v"), as stated; empty: found by names and terminals.
  std::map<std::string, std::string> map{};
  document::Place place{};
};

/// What a model states about a component of kind `fmu`.
struct FmuRequest {
  std::filesystem::path file{};
  document::Place place{};
  std::string mode{};    ///< "co_simulation" or "model_exchange"; empty: what the FMU offers, model exchange first
  std::string scheme{};  ///< as `StepScheme`; empty: automatic
  /// "outputs", "all", "none", or patterns of the names of variables, separated by commas; empty: outputs
  std::string record{};
  double step = 0.0;                  ///< [s]
  std::optional<double> tolerance{};  ///< relative; nothing: what the FMU's default experiment states
  std::optional<double> effective_mass{};
  bool is_logging = false;
  bool is_visible = false;
  std::vector<InterfaceRequest> interfaces{};
  std::vector<StartRequest> starts{};
  /// Interfaces that the model uses, by name: tunable parameters among them are signal inputs.
  std::vector<std::string> used{};
};

/// Opens an FMU and finds the variables of its interfaces: those that are declared, and a signal for each input, each
/// output and each tunable parameter that the model drives, where none of these uses it. No code of the FMU is run.
/// Nothing after errors; all are in `diagnostics`. What `shelf` has of the file is not read again.
[[nodiscard]] std::optional<FmuSpec> read_fmu(const FmuRequest& request, FmuShelf& shelf,
                                              document::Diagnostics& diagnostics);
[[nodiscard]] std::optional<FmuSpec> read_fmu(const FmuRequest& request, document::Diagnostics& diagnostics);

}  // namespace tieline::fmi
