#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"
#include "interchange/conversion_report.hpp"
#include "interchange/source.hpp"
#include "model/grammar.hpp"
#include "model/reader.hpp"

namespace tieline::interchange {

/// What an importer is to know beside the file.
struct ImportRequest {
  /// Kinds of components whose files a foreign model may name.
  std::span<const model::ComponentKind> kinds{};
  std::span<const model::Override> overrides{};  ///< settings of the command line
  /// Where the model will be written: its paths must be relative to this folder. Empty: it is only read, from where it
  /// is, and its paths are relative to the foreign file's folder.
  std::filesystem::path folder{};
};

/// A file that an imported model names and that must be copied where the model is written in our own format. Exporters
/// to other formats find it where it is.
struct Companion {
  std::filesystem::path from{};  ///< where it is now
  std::filesystem::path to{};    ///< relative to ImportRequest::folder, as the document names it
};

struct Importer;

/// A model of any format as one of ours.
struct ImportedModel {
  std::shared_ptr<const document::Document> document{};  ///< a <CompositeModel>; its places are the foreign file's
  std::vector<model::Override> overrides{};  ///< the settings, by the names that the document gives to what they set
  /// Owns files that were made for it, such as an archive's content in an archive::TemporaryFolder: to be kept as long
  /// as the model. Null: there are none. Shared, since nobody but their owner knows what they are.
  std::shared_ptr<const void> files{};
  std::vector<Companion> companions{};  ///< only where the model is to be written
  ConversionReport report{};            ///< what became of the foreign model
  const Importer* importer = nullptr;   ///< null: the file is in our own format
};

/// A format of other tools that is read as if it were ours. An importer has no state.
struct Importer {
  std::string_view name{};         ///< one word
  std::string_view description{};  ///< what its files are, for lists and messages: "composite model of X"
  bool can_be_part = true;         ///< a nested model may be of this format
  /// Whether the file or folder is of this format: by its content; where the name alone decides, so that a damaged file
  /// is reported as one of this format, by its name.
  bool (*recognises)(Source& source) = nullptr;
  /// Nothing if there is no model at all, all reasons being in `diagnostics`. After other errors what was understood
  /// is returned, so that it can be checked for more of them.
  std::optional<ImportedModel> (*read)(Source& source, const ImportRequest& request,
                                       document::Diagnostics& diagnostics) = nullptr;
};

/// All formats beside our own, in the order in which they are tried.
[[nodiscard]] std::span<const Importer> importers();
/// The first importer that recognises a source; null: none, so that it can only be our own format.
[[nodiscard]] const Importer* find_importer(Source& source, std::span<const Importer> among = importers());
/// "a, b or c" of their descriptions.
[[nodiscard]] std::string list_importers(std::span<const Importer> among = importers());

/// Reads a model by the importer that recognises it, or as our own format where none does. Nothing if it cannot be
/// read at all.
[[nodiscard]] std::optional<ImportedModel> import_model(Source& source, const ImportRequest& request,
                                                        document::Diagnostics& diagnostics,
                                                        std::span<const Importer> among = importers());

/// The same for a file that a model names: a nested model, or content of a component.
[[nodiscard]] std::optional<ImportedModel> import_part(Source& source, std::span<const model::ComponentKind> kinds,
                                                       document::Diagnostics& diagnostics,
                                                       std::span<const Importer> among = importers());

}  // namespace tieline::interchange
