#pragma once

#include <filesystem>

#include "model/composite_model.hpp"
#include "participant/description.hpp"

namespace tieline::processes {

/// What a model states about one of its components, for the program behind it. The components must have been placed
/// (`model::place_components`). `run_folder` is where the files of this component and run are to be.
[[nodiscard]] participant::Description describe_participant(const model::CompositeModel& model,
                                                            const model::Component& component,
                                                            const std::filesystem::path& run_folder);

}  // namespace tieline::processes
