#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tieline::model {

/// Letters, digits, '_' and '-'.
[[nodiscard]] bool is_name(std::string_view text);

// Messages that more than one check gives.
[[nodiscard]] std::string duplicate_component(std::string_view full_name);
[[nodiscard]] std::string missing_file(const std::filesystem::path& file);

}  // namespace tieline::model
