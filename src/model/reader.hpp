#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "model/composite_model.hpp"
#include "model/grammar.hpp"

namespace tieline::model {

/// "--set name=value": `name` is a parameter of the model ("k"), of a component ("left.m") or of one inside a nested
/// model ("sub.arm.m"); `value` is a number or an {expression} over the parameters around that component.
struct Override {
  std::string name{};
  std::string value{};
};

/// How a model's files become documents, so that those of other formats can be read as ours; null after an error.
using DocumentSource =
    std::function<std::shared_ptr<const document::Document>(const std::filesystem::path&, document::Diagnostics&)>;

/// Reads a composite model with everything it refers to. All problems go to `diagnostics`; the model is absent only
/// where the outermost file could not be read at all, so that `validate` can report on the rest.
///
/// `kinds` are the kinds of components that are allowed in the model; "composite" is always known.
[[nodiscard]] std::optional<CompositeModel> read_model(const std::filesystem::path& file,
                                                       std::span<const Override> overrides,
                                                       std::span<const ComponentKind> kinds,
                                                       document::Diagnostics& diagnostics,
                                                       const DocumentSource& source = document::Document::load);

}  // namespace tieline::model
