#pragma once

#include <string>
#include <vector>

#include "tieline/simulation.hpp"

#include "core/result.hpp"
#include "document/diagnostics.hpp"

/// What the rooms below report, as the public types have it.
namespace tieline::simulation {

/// A warning as people and as programs get it.
struct Warning {
  std::string line{};
  Problem problem{};
};

[[nodiscard]] Warning warning_of(std::string sentence);
/// Its line says where, and leaves the word "warning" to whoever shows it.
[[nodiscard]] Warning warning_of(const document::Diagnostic& diagnostic);
[[nodiscard]] Problem problem_of(const document::Diagnostic& diagnostic);
/// Sorted by place, notes last, as Diagnostics::describe() lists them.
[[nodiscard]] std::vector<Problem> problems_of(const document::Diagnostics& diagnostics);
[[nodiscard]] ModelError model_error_of(const document::Diagnostics& diagnostics);

/// Throws where there is an error: ModelError where the input is to blame, otherwise RunError.
void require(const core::Result<void>& result);

}  // namespace tieline::simulation
