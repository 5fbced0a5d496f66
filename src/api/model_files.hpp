#pragma once

#include <filesystem>
#include <vector>

#include "tieline/check.hpp"

#include "assembly/assembly.hpp"
#include "model/reader.hpp"

namespace tieline::api {

[[nodiscard]] std::vector<model::Override> overrides_of(const std::vector<Setting>& settings);

/// Reads and checks a model; throws ModelError if it has errors.
[[nodiscard]] assembly::CheckedModel sound_model(const std::filesystem::path& file,
                                                 const std::vector<Setting>& settings,
                                                 document::Diagnostics& diagnostics);

}  // namespace tieline::api
