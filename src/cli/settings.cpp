#include "cli/settings.hpp"

#include <fmt/format.h>

#include "cli/console.hpp"
#include "fmi/fmu_file.hpp"
#include "model/fmu_mode.hpp"

namespace tieline::cli {

std::vector<std::pair<std::string, std::string>> parse_settings(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return settings;
}

std::vector<std::pair<std::string, std::string>> parse_settings(const std::vector<std::string>& texts,
                                                                const std::string& mode) {
  auto settings = parse_settings(texts);
  if (!mode.empty()) settings.emplace_back(model::kModeSetting, mode);
  return settings;
}

bool takes_mode(const std::filesystem::path& model, const std::string& mode) {
  if (mode.empty() || fmi::looks_like_fmu(model)) return true;
  complain(
      fmt::format("--mode is of a single FMU; in a composite model <Fmu mode=\"{0}\"/> says it, or --set "
                  "COMPONENT.{1}={0}",
                  mode, model::kModeSetting));
  return false;
}

}  // namespace tieline::cli
