#include "tieline/fmu_run.hpp"

#include <fmt/format.h>

#include "core/name_list.hpp"
#include "model/fmu_mode.hpp"

namespace tieline {

std::vector<Setting> settings_of(const FmuRunOptions& options) {
  std::vector<Setting> settings;
  const auto add = [&](std::string_view name, std::string value) {
    if (!value.empty()) settings.push_back({std::string(name), std::move(value)});
  };
  const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; };
  add(model::kModeSetting, options.mode);
  add(model::kFmuSolverSetting, options.solver);
  add(model::kFmuStepSetting, number(options.step));
  add(model::kFmuToleranceSetting, number(options.tolerance));
  add(model::kFmuWriteIntervalSetting, number(options.write_interval));
  if (!options.input.empty()) {
    std::error_code failure;
    const auto absolute = std::filesystem::absolute(options.input, failure);
    add(model::kFmuInputSetting, (failure ? options.input : absolute.lexically_normal()).string());
  }
  for (const ColumnAssignment& each : options.assignments) {
    add(model::kFmuMapSetting, fmt::format("{}, {}", core::quoted_if_needed(each.column),
                                           core::quoted_if_needed(each.variable)));
  }
  for (const std::string& each : options.record) add(model::kFmuRecordSetting, each);
  return settings;
}

}  // namespace tieline
