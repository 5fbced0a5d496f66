#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "document/diagnostics.hpp"
#include "model/composite_model.hpp"

namespace tieline::model {

/// Writes `in` to `out` (which may be the same file) with the value of one parameter replaced: "k", or "left.m" for a
/// <Parameter> of a component in that file. All else stays as it is, byte for byte: comments, layout, and what this
/// version does not know. False after an error.
bool set_parameter_in_file(const std::filesystem::path& in, const std::filesystem::path& out, std::string_view name,
                           std::string_view value, document::Diagnostics& diagnostics);

/// Writes `in` to `out` with attributes of one component set, in the same way: diagram_x, icon, solver ...
bool set_component_attribute_in_file(const std::filesystem::path& in, const std::filesystem::path& out,
                                     std::string_view component, std::string_view attribute, std::string_view value,
                                     document::Diagnostics& diagnostics);

/// Adds <Interface> elements (`tags`, each the text of one) to a <Component> of the file, in the same way. False after
/// an error.
bool add_interfaces_in_file(const std::filesystem::path& in, const std::filesystem::path& out,
                            std::string_view component, std::span<const std::string> tags,
                            document::Diagnostics& diagnostics);

/// The flattened model in the vocabulary of the file format, for reports: repeats expanded, nested components under
/// their full names, settings of gluing of nested models under a comment, all expressions of the composite model as
/// numbers, paths absolute. A model without nested models can be read back from it.
[[nodiscard]] std::string resolved_model_xml(const CompositeModel& model);

}  // namespace tieline::model
