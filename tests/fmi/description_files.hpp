#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include "fmi/description.hpp"

namespace tieline::fmi {

/// The text of a file in tests/fmi/descriptions.
inline std::string description_text(const std::string& name) {
  std::ifstream stream(std::filesystem::path(TIELINE_SOURCE_DIR) / "tests/fmi/descriptions" / name, std::ios::binary);
  EXPECT_TRUE(stream) << name;
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A description that is read, and the problems found.
struct ReadResult {
  std::optional<Description> description{};
  document::Diagnostics diagnostics{};

  [[nodiscard]] bool says(std::string_view words) const {
    return diagnostics.describe().find(words) != std::string::npos;
  }
  /// The variable of this name, which must be there.
  [[nodiscard]] const Variable& operator[](std::string_view name) const {
    const Variable* found = description ? description->find(name) : nullptr;
    if (found == nullptr) throw std::runtime_error("no variable '" + std::string(name) + "'");
    return *found;
  }
};

inline ReadResult read_text(std::string text) {
  ReadResult result;
  result.description = read_description(std::move(text), "modelDescription.xml", result.diagnostics);
  return result;
}

}  // namespace tieline::fmi
