#pragma once

#include <string>

#include "fmu_export/manifest.hpp"

namespace tieline::fmu_export {

/// modelDescription.xml of the manifest's version of FMI.
[[nodiscard]] std::string description_of(const Manifest& manifest);
/// terminalsAndIcons.xml of FMI 3.0.
[[nodiscard]] std::string terminals_of(const Manifest& manifest);

}  // namespace tieline::fmu_export
