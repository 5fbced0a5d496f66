#pragma once

#include <optional>
#include <string_view>

#include "document/diagnostics.hpp"
#include "document/scope.hpp"
#include "document/xml.hpp"
#include "model/composite_model.hpp"

/// The readers of numbers and words that do not depend on the rest of a model.
namespace tieline::model {

/// A number that may be absent; what could not be computed is reported and counts as absent.
[[nodiscard]] std::optional<double> read_optional(const document::Element& element, std::string_view attribute,
                                                  const document::Scope& scope, document::Diagnostics& diagnostics);

[[nodiscard]] Settings read_settings(const document::Element& element, const document::Scope& scope,
                                     document::Diagnostics& diagnostics);

/// <Processes>, which may be absent.
[[nodiscard]] ProcessSettings read_processes(const document::Element& element, const document::Scope& scope,
                                             document::Diagnostics& diagnostics);

/// <Simulation>, which may be absent.
[[nodiscard]] SimulationSettings read_simulation(const document::Element& element, const document::Scope& scope,
                                                 document::Diagnostics& diagnostics);

/// Coupling, delay and numbers of a connection; its ends and its name are left alone.
void read_coupling(const document::Element& element, const document::Scope& scope, Connection& connection,
                   document::Diagnostics& diagnostics);

/// <Gluing> of a model.
[[nodiscard]] core::LayerSettings read_layers(const document::Element& element, const document::Scope& scope,
                                              document::Diagnostics& diagnostics);
[[nodiscard]] core::GluingSettings read_gluing(const document::Element& element, const document::Scope& scope,
                                               document::Diagnostics& diagnostics);

}  // namespace tieline::model
