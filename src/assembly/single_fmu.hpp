#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"
#include "model/reader.hpp"

namespace tieline::assembly {

/// An FMU that is given in place of a model, as a model with one component: named after the FMU's model, run as its
/// default experiment suggests.
struct SingleFmu {
  std::shared_ptr<const document::Document> document{};  ///< a <CompositeModel>; its places are the FMU's
  /// The settings of the command line, of the component's: what names a variable of the FMU names it there.
  std::vector<model::Override> overrides{};
};

/// Nothing after an FMU that cannot be read; all reasons are in `diagnostics`.
[[nodiscard]] std::optional<SingleFmu> read_single_fmu(const std::filesystem::path& file,
                                                       std::span<const model::Override> overrides,
                                                       document::Diagnostics& diagnostics);

}  // namespace tieline::assembly
