#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "tieline/component.hpp"

#include "custom/interface_table.hpp"
#include "kinds/registry.hpp"

namespace tieline::custom {

/// The part of the file format that a declared kind adds. Throws std::invalid_argument if the declaration is not
/// valid.
[[nodiscard]] model::ComponentKind description_of(const KindDeclaration& kind);

/// The parameters of a component; nothing if some are missing or wrong (reported with their places).
[[nodiscard]] std::optional<KindParameters> read_parameters(const KindDeclaration& kind,
                                                            const model::Component& component,
                                                            document::Diagnostics& diagnostics);

/// What connections need to know of interfaces; poses are those at the start.
[[nodiscard]] std::vector<model::InterfaceInfo> infos_of(InterfaceTable& table);

}  // namespace tieline::custom
