#include "participant/environment.hpp"

#include <string_view>
#include <unistd.h>

namespace tieline::participant {

std::vector<std::string> environment_with(const Environment& additions) {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!additions.contains(std::string(text.substr(0, text.find('='))))) entries.emplace_back(text);
  }
  for (const auto& [name, value] : additions) entries.push_back(name + "=" + value);
  return entries;
}

}  // namespace tieline::participant
