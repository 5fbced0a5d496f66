#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/component.hpp"
#include "model/composite_model.hpp"

namespace tieline::assembly {

/// What is recorded of one owner: columns by the model's rules, at the densest interval that one of them asks for.
[[nodiscard]] core::RecordPlan record_plan(const model::SimulationSettings& settings, const std::string& owner,
                                           std::span<const core::Column> columns, std::optional<double> own_interval);

}  // namespace tieline::assembly
