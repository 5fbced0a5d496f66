#include "cli/settings.hpp"

namespace tieline::cli {

std::vector<std::pair<std::string, std::string>> parse_settings(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return settings;
}

}  // namespace tieline::cli
