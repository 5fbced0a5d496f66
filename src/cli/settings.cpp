#include "cli/settings.hpp"

#include <fmt/format.h>

#include "tieline/fmu.hpp"
#include "tieline/fmu_run.hpp"

#include "cli/console.hpp"

namespace tieline::cli {
namespace {

/// What a composite model states in place of the first of these options that is given; empty: none is given.
std::string advice_for(const FmuArguments& fmu) {
  if (!fmu.mode.empty()) {
    return fmt::format(
        "--mode is for a single FMU; in a composite model, use <Fmu mode=\"{0}\"/> or --set "
        "COMPONENT.{1}={0}",
        fmu.mode, kFmuModeSetting);
  }
  if (!fmu.input.empty()) {
    return fmt::format(
        "--input is for a single FMU; in a composite model, use <Open interface=\"COMPONENT.INPUT\" "
        "as=\"signal\" file=\"{}\" variable=\"COLUMN\"/>",
        fmu.input.string());
  }
  const auto attribute = [](std::string_view option, std::string_view of, std::string_view name) {
    return fmt::format("{} is for a single FMU; in a composite model, use the attribute {} of <{}>", option, name, of);
  };
  if (!fmu.map.empty()) return attribute("--map", "Open", "variable");
  if (fmu.step) return attribute("--step", "Component", "step");
  if (!fmu.solver.empty()) return attribute("--solver", "Component", "solver");
  if (fmu.tolerance) return attribute("--tolerance", "Component", "tolerance");
  if (fmu.write_interval) return attribute("--write-interval", "Simulation", "write_interval");
  if (!fmu.record.empty()) return attribute("--record", "Record", "variables");
  return "";
}

}  // namespace

Setting split_assignment(const std::string& text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] != '=' || is_quoted) continue;
    std::string name = text.substr(0, i);
    if (name.size() > 2 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
    return {name, text.substr(i + 1)};
  }
  return {};
}

std::vector<Setting> parse_settings(const std::vector<std::string>& texts) {
  std::vector<Setting> settings;
  for (const std::string& text : texts) settings.push_back(split_assignment(text));
  return settings;
}

std::vector<Setting> parse_settings(const std::vector<std::string>& texts, const FmuArguments& fmu) {
  auto settings = parse_settings(texts);
  FmuRunOptions options{.mode = fmu.mode,
                        .solver = fmu.solver,
                        .step = fmu.step,
                        .tolerance = fmu.tolerance,
                        .write_interval = fmu.write_interval,
                        .input = fmu.input,
                        .record = fmu.record};
  for (const std::string& text : fmu.map) {
    Setting pair = split_assignment(text);
    options.assignments.push_back({std::move(pair.name), std::move(pair.value)});
  }
  for (Setting& setting : settings_of(options)) settings.push_back(std::move(setting));
  return settings;
}

bool takes_fmu_options(const std::filesystem::path& model, const FmuArguments& fmu) {
  const std::string advice = advice_for(fmu);
  if (advice.empty() || is_fmu(model)) return true;
  complain(advice);
  return false;
}

}  // namespace tieline::cli
