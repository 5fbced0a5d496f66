#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "document/diagnostics.hpp"
#include "interchange/importer.hpp"
#include "model/composite_model.hpp"
#include "model/grammar.hpp"
#include "model/interfaces.hpp"

namespace tieline::interchange {

/// The law of a line, from whatever numbers the model states it by.
struct ExportedLine {
  double delay = 0.0;                          ///< [s]
  double impedance = 0.0;                      ///< [N s/m], [N m s/rad] or that of its domain
  double damping = 0.0;                        ///< from 0 to below 1
  std::optional<double> impedance_rotation{};  ///< of a line in space; 0: all rotations are free [N m s/rad]
  bool has_other_axes = false;                 ///< some rotations are free, or have a damping of their own
};

/// A model that is to be written; everything is borrowed.
struct ExportRequest {
  const ImportedModel& model;  ///< imported for the folder that it is written to
  /// Read and checked without errors, with what its components' interfaces are; null if the exporter does not ask.
  const model::CompositeModel* checked = nullptr;
  model::InterfaceSource interfaces{};
  /// Of a connection of `checked`, by its index; nothing: it is no line.
  std::function<std::optional<ExportedLine>(int connection)> lines{};
  /// What tools that know FMUs alone are shown in place of `checked`; null: that itself.
  const model::CompositeModel* shown = nullptr;
  model::InterfaceSource shown_interfaces{};
  std::optional<double> step{};                   ///< of communication, for these tools [s]
  std::span<const model::ComponentKind> kinds{};  ///< that the model's components may have
  std::filesystem::path file{};                   ///< what is to be written, as messages name it
  /// Where to write: beside it, renamed when it is whole, and removed after an error.
  std::filesystem::path temporary{};
  ConversionReport* report = nullptr;  ///< what becomes of the model; null: nobody asks
};

/// A format in which a model can be written. An exporter has no state.
struct Exporter {
  std::string_view name{};                      ///< one word
  std::string_view description{};               ///< what its files are, for lists and messages
  std::span<const std::string_view> endings{};  ///< of its files, lower case, with the dot; the first is the usual one
  bool needs_checked_model = false;             ///< whether it asks for ExportRequest::checked
  /// The same if the model has no errors; otherwise it is written as far as it is known without the check.
  bool wants_checked_model = false;
  bool is_own_format = false;      ///< what is in our own format already is not converted to it
  bool copies_companions = false;  ///< files that an imported model names are copied beside it
  /// What cannot be said in the format is reported in `diagnostics`; nothing is written after errors there.
  core::Result<void> (*write)(const ExportRequest& request, document::Diagnostics& diagnostics) = nullptr;
};

/// All formats that can be written; our own first.
[[nodiscard]] std::span<const Exporter> exporters();
/// The exporter for a file of this name, by its ending; our own format where it has none. Null: the ending is unknown.
[[nodiscard]] const Exporter* find_exporter(const std::filesystem::path& file,
                                            std::span<const Exporter> among = exporters());
/// The exporter of that name; null: there is none.
[[nodiscard]] const Exporter* find_named_exporter(std::string_view name, std::span<const Exporter> among = exporters());
/// "a (.x), b (.y, .z) or c (.w)".
[[nodiscard]] std::string list_exporters(std::span<const Exporter> among = exporters());

}  // namespace tieline::interchange
