#include "model/names.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tieline::model {

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string duplicate_component(std::string_view full_name) {
  return fmt::format("another component already has the name '{}' (in a <Repeat>, use the index in the name)",
                     full_name);
}

std::string missing_file(const std::filesystem::path& file) {
  return fmt::format("the file '{}' does not exist", file.string());
}

}  // namespace tieline::model
