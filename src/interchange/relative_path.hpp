#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "document/editor.hpp"
#include "document/grammar.hpp"
#include "document/xml.hpp"

namespace tieline::interchange {

/// A path that is relative to one folder, as it must be relative to another. Absolute and empty ones stay.
[[nodiscard]] std::string moved_path(const std::string& path, const std::filesystem::path& from,
                                     const std::filesystem::path& to);
/// Whether both are the same folder.
[[nodiscard]] bool is_same_folder(const std::filesystem::path& a, const std::filesystem::path& b);

/// The text of an element of our format, its paths moved from one folder to another. `parent`: the rule around it.
[[nodiscard]] std::string moved_element(const document::Element& element, const document::Grammar& grammar,
                                        const document::ElementRule* parent, const std::filesystem::path& from,
                                        const std::filesystem::path& to);

}  // namespace tieline::interchange
