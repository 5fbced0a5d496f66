#include <fmt/format.h>

#include "tieline/exchange.hpp"
#include "tieline/program.hpp"

#include "api/errors.hpp"
#include "assembly/conversion.hpp"
#include "core/installation.hpp"
#include "fmu_export/native_fmus.hpp"

namespace tieline {
namespace {

void add_parts(const interchange::ConversionReport& report, bool is_written, std::vector<ConvertedPart>& parts) {
  for (const auto& row : report.rows()) {
    parts.push_back({is_written, row.what, row.translated, row.kept, row.lost, row.names});
  }
}

std::string format_names() {
  std::string names;
  for (const auto& each : interchange::exporters()) names.append(names.empty() ? "" : ", ").append(each.name);
  return names;
}

}  // namespace

Conversion convert_model(const std::filesystem::path& in, const std::filesystem::path& file,
                         const ConversionOptions& options) {
  document::Diagnostics diagnostics;
  interchange::Source source(in);
  const interchange::Importer* const importer = interchange::find_importer(source);
  const auto own = importer == nullptr ? source.load(diagnostics) : nullptr;
  if (importer == nullptr && !own) api::throw_model_error(diagnostics);
  const interchange::Exporter* const exporter =
      options.format.empty() ? interchange::find_exporter(file) : interchange::find_named_exporter(options.format);
  if (exporter == nullptr && !options.format.empty()) {
    throw FileError(fmt::format("unknown format '{}'; expected one of these: {}", options.format, format_names()));
  }
  if (exporter == nullptr) {
    throw FileError(fmt::format("'{}': unknown file extension '{}'; expected one of these: {}", file.string(),
                                file.extension().string(), writable_formats()));
  }
  if (own && exporter->is_own_format && own->root().name() == "CompositeModel") {
    throw FileError(
        fmt::format("'{}' is a composite model of Tieline already, with the root element "
                    "<CompositeModel>; expected another format to write, or one of these to read: {}",
                    in.string(), readable_formats()));
  }
  if (own && (exporter->is_own_format || own->root().name() != "CompositeModel")) {
    throw FileError(fmt::format("'{}' has the root element <{}>; expected one of these: {}", in.string(),
                                own->root().name(), readable_formats()));
  }
  const std::filesystem::path out = writable_file(file);
  std::error_code failure;
  if (!options.replaces && !options.only_reports && std::filesystem::exists(out, failure)) {
    const std::string problem = fmt::format("'{}' already exists", file.string());
    throw FileError(problem, {{.file = file, .text = problem, .advice = "replace it"}});
  }
  std::optional<fmu_export::NativeFmus> shown;
  if (options.native_as_fmus) {
    if (exporter->name != "ssp") throw FileError("native components become FMUs in archives of SSP (.ssp) only");
    shown = fmu_export::with_native_fmus(in, core::data_path("tieline/fmu"), diagnostics);
    if (!shown) api::throw_model_error(diagnostics);
  }
  auto converted = assembly::convert_model({.source = source,
                                            .exporter = *exporter,
                                            .out = out,
                                            .replaces = options.replaces,
                                            .shown = shown ? &shown->model : nullptr,
                                            .step = shown ? shown->step : std::nullopt,
                                            .only_reports = options.only_reports},
                                           diagnostics);
  if (diagnostics.has_errors()) api::throw_model_error(diagnostics);
  auto reports = api::or_file_error(std::move(converted));
  if (shown) {
    for (const std::string& name : shown->left_out) reports.written.lost("connections", name);
  }
  Conversion conversion{
      .format = importer != nullptr ? std::string(importer->description) : "composite model of Tieline",
      .problems = api::problems_of(diagnostics),
      .warnings = diagnostics.warning_count()};
  add_parts(reports.read, false, conversion.parts);
  add_parts(reports.written, true, conversion.parts);
  return conversion;
}

std::string readable_formats() { return interchange::list_importers(); }
std::string writable_formats() { return interchange::list_exporters(); }

}  // namespace tieline
