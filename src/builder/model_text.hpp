#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tieline/model.hpp"

#include "document/xml.hpp"

namespace tieline::builder {

/// A model as the text of a file, and which part of the model each stretch of it says.
struct ModelText {
  std::string text{};
  std::vector<document::Origin> origins{};
};
[[nodiscard]] ModelText text_of(const Model& model);

/// The file that a model built in code counts as; it does not exist, but paths are relative to its folder.
[[nodiscard]] std::filesystem::path file_of(const Model& model);
/// The model as a document, whose places are parts of the model; null if its text cannot be read.
[[nodiscard]] std::shared_ptr<const document::Document> document_of(const Model& model,
                                                                    document::Diagnostics& diagnostics);

}  // namespace tieline::builder
