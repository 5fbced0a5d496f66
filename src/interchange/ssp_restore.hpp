#pragma once

#include <optional>

#include "interchange/importer.hpp"
#include "interchange/ssp_files.hpp"

namespace tieline::interchange::ssp {

/// What Tieline has written about a model, in an annotation of its description.
struct Annotated {
  document::Element model{};  ///< <CompositeModel>
  bool is_current = false;    ///< the description has not been changed since
};
[[nodiscard]] std::optional<Annotated> find_annotated(const document::Element& description);

/// The model as it was written, its files being those of the archive.
[[nodiscard]] std::optional<ImportedModel> restore(const Annotated& annotated, const File& structure, Source& source,
                                                   const ImportRequest& request, Files& files,
                                                   document::Diagnostics& diagnostics);

}  // namespace tieline::interchange::ssp
