#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "document/grammar.hpp"
#include "model/composite_model.hpp"
#include "model/process.hpp"

namespace tieline::kinds {

/// What a component of kind `process` states of its program.
struct ProcessOptions final : model::KindOptions {
  std::string command{};           ///< that starts it; words in braces are not replaced yet (`launch_plan` does)
  std::filesystem::path folder{};  ///< to work in; empty: not stated
  bool exact_step = false;         ///< its steps end where others expect values, nowhere else
  bool starts_at_rest = false;     ///< under the loads that keep it where it starts
  std::vector<model::EnvironmentVariable> environment{};  ///< each name once, the nearest statement's

  [[nodiscard]] std::string attributes() const override;
};

/// The attributes of <Component> that only this kind has.
[[nodiscard]] std::vector<document::AttributeRule> process_attributes();

[[nodiscard]] std::shared_ptr<const model::KindOptions> read_process_options(const model::OptionsRequest& request);

/// Reports a folder that is not there, and a command of the component's own that is wrong.
void check_process_options(const model::Component& component, document::Diagnostics& diagnostics);

}  // namespace tieline::kinds
