#include "participant/environment.hpp"

#include <cstdlib>
#include <string.h>
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

std::string take_secret(const char* name) {
  char* const value = std::getenv(name);
  if (value == nullptr) return {};
  std::string secret(value);
  // The system shows the bytes of the environment that the process was started with, whatever becomes of the variables.
  ::explicit_bzero(value, secret.size());
  ::unsetenv(name);
  return secret;
}

}  // namespace tieline::participant
