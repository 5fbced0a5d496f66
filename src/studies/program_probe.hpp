#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assembly/checked_model.hpp"
#include "assembly/line_advice.hpp"
#include "model/reader.hpp"

namespace tieline::studies {

/// What is needed to start a model's programs.
struct ProgramProbe {
  std::filesystem::path file{};  ///< of the model
  std::vector<model::Override> overrides{};
};

/// Starts the programs of a model that lines join, lets each take some steps from its start under small loads, which it
/// takes back, and adds what these have shown to the facts, by component. Sentences on what could not be tried.
[[nodiscard]] std::vector<std::string> probe_programs(const assembly::CheckedModel& checked, const ProgramProbe& probe,
                                                      std::vector<assembly::FreeFacts>& facts);

}  // namespace tieline::studies
