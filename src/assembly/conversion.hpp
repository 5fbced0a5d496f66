#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "assembly/checked_model.hpp"
#include "core/result.hpp"
#include "document/diagnostics.hpp"
#include "interchange/exporter.hpp"
#include "interchange/importer.hpp"

namespace tieline::assembly {

/// What is written, where, and how.
struct ConversionRequest {
  interchange::Source& source;
  const interchange::Exporter& exporter;
  std::filesystem::path out{};
  bool replaces = false;                ///< files that the model brings along may replace others
  const CheckedModel* shown = nullptr;  ///< to tools that know FMUs alone, in place of the model; null: the model
  std::optional<double> step{};         ///< of communication, for these [s]
  bool only_reports = false;            ///< everything is done, but no file is written
  std::span<const interchange::Importer> importers = interchange::importers();
};

/// What became of a model on its way.
struct ConversionReports {
  interchange::ConversionReport read{};     ///< of the foreign model in ours; empty: it was in our own format
  interchange::ConversionReport written{};  ///< of ours in what was written; empty: that is our own format
};

/// Reads a model in any format and writes it with an exporter. `out` is replaced when it is whole. In our own
/// format, files that the model brings along are copied beside it before; new ones are removed again after an error.
/// Problems of the model are in `diagnostics`; nothing is written where one of them is an error, and the returned error
/// then only says so.
[[nodiscard]] core::Result<ConversionReports> convert_model(const ConversionRequest& request,
                                                            document::Diagnostics& diagnostics);

}  // namespace tieline::assembly
