#pragma once

#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>

#include "core/xml_text.hpp"

namespace tieline::model {

/// Adds an attribute to a tag that is being written; nothing if it has no value.
inline void append_attribute(std::string& tag, std::string_view attribute, std::string_view value) {
  if (!value.empty()) tag += fmt::format(" {}=\"{}\"", attribute, core::xml_escaped(value));
}
inline void append_attribute(std::string& tag, std::string_view attribute, std::optional<double> value) {
  if (value) tag += fmt::format(" {}=\"{}\"", attribute, *value);
}

}  // namespace tieline::model
