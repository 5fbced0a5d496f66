#include "cli/settings.hpp"

#include <fmt/format.h>

#include "tieline/fmu.hpp"

#include "cli/console.hpp"

namespace tieline::cli {

std::vector<Setting> parse_settings(const std::vector<std::string>& texts) {
  std::vector<Setting> settings;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    settings.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return settings;
}

std::vector<Setting> parse_settings(const std::vector<std::string>& texts, const std::string& mode) {
  auto settings = parse_settings(texts);
  if (!mode.empty()) settings.push_back({std::string(kFmuModeSetting), mode});
  return settings;
}

bool takes_mode(const std::filesystem::path& model, const std::string& mode) {
  if (mode.empty() || is_fmu(model)) return true;
  complain(fmt::format(
      "--mode is for a single FMU; in a composite model, use <Fmu mode=\"{0}\"/> or --set COMPONENT.{1}={0}", mode,
      kFmuModeSetting));
  return false;
}

}  // namespace tieline::cli
