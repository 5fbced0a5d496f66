#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "assembly/checked_model.hpp"
#include "document/diagnostics.hpp"

namespace tieline::fmu_export {

/// The file of the model that has one component only.
constexpr std::string_view kSingleFile = "tieline-component.xml";

/// One component of a model as a model of its own, in which all its interfaces are open.
struct SingleComponent {
  std::string text{};              ///< of the model; its paths are relative to the folder
  std::filesystem::path folder{};  ///< where the model would have to be
  std::set<std::string> files{};   ///< that it names, beside itself
};

/// Nothing, with the nearest name in `diagnostics`, where there is no such component.
[[nodiscard]] std::optional<SingleComponent> single_component(const assembly::CheckedModel& checked,
                                                              std::string_view name,
                                                              document::Diagnostics& diagnostics);

}  // namespace tieline::fmu_export
