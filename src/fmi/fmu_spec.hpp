#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/archive.hpp"
#include "fmi/description.hpp"
#include "fmi/interface_map.hpp"

namespace tieline::fmi {

/// How the force at an interface of a co-simulation FMU follows its motion within a step.
enum class StepScheme {
  automatic,     ///< the best that the FMU allows
  intermediate,  ///< at every call back of its own solver
  derivatives,   ///< as a polynomial over the step
  substeps,      ///< as the mean over short steps, implicit in the velocity
  hold           ///< as it is at the start of each step
};

/// A value that a variable starts with, other than its own.
struct StartValue {
  std::uint32_t variable = kNone;  ///< index
  Values values{};                 ///< in the variable's own type, one for each element
};

/// All that is needed to run an FMU as a component.
struct FmuSpec {
  std::shared_ptr<archive::Archive> archive{};
  std::shared_ptr<const Description> description{};
  bool is_model_exchange = false;  ///< otherwise co-simulation
  std::vector<InterfaceMap> interfaces{};
  std::vector<StartValue> starts{};
  std::vector<Scalar> recorded{};  ///< beside the interfaces
  StepScheme scheme = StepScheme::automatic;
  double step = 0.0;                       ///< between communication points [s]; 0: chosen
  std::optional<double> tolerance{};       ///< for the solver of a co-simulation FMU; nothing: its own choice
  std::optional<double> effective_mass{};  ///< at its interfaces, where it is known [kg], [kg m^2], ...
  bool is_logging = false;
  bool is_visible = false;
};

}  // namespace tieline::fmi
