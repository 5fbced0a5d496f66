#include <cstdio>
#include <fmt/format.h>

#include "assembly/conversion.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"

namespace tieline::cli {
namespace {

/// Why a source that no importer recognises cannot be converted.
std::string describe_unknown(const std::filesystem::path& file, const document::Document& document) {
  return fmt::format("'{}' begins with <{}>; expected one of these: {}", file.string(), document.root().name(),
                     interchange::list_importers());
}

}  // namespace

int convert(const ConvertArguments& arguments) {
  document::Diagnostics diagnostics;
  interchange::Source source(arguments.in);
  const interchange::Importer* const importer = interchange::find_importer(source);
  const auto own = importer == nullptr ? source.load(diagnostics) : nullptr;
  if (importer == nullptr && !own) return complain_of_model(diagnostics.describe());
  const interchange::Exporter* const exporter = interchange::find_exporter(arguments.out);
  if (exporter == nullptr) {
    return complain(fmt::format("'{}': no format has the ending '{}'; expected one of these: {}",
                                arguments.out.string(), arguments.out.extension().string(),
                                interchange::list_exporters()));
  }
  if (own && (exporter->is_own_format || own->root().name() != "CompositeModel")) {
    return complain(describe_unknown(arguments.in, *own));
  }
  const auto out = output_file(arguments.out);
  if (!out) return complain(out.error().describe());
  std::error_code failure;
  if (!arguments.is_forced && std::filesystem::exists(*out, failure)) {
    return complain(fmt::format("'{}' exists already; --force replaces it", arguments.out.string()));
  }
  const auto converted = assembly::convert_model(
      {.source = source, .exporter = *exporter, .out = *out, .replaces = arguments.is_forced}, diagnostics);
  if (diagnostics.has_errors()) return complain_of_model(diagnostics.describe());
  if (!converted) return complain(converted.error().describe());
  fmt::print("{}{}: {}, {}\n", diagnostics.describe(), arguments.in.string(),
             importer != nullptr ? importer->description : "composite model of Tieline",
             count(diagnostics.warning_count(), "warning"));
  fmt::print("{}\n", arguments.out.string());
  return kDone;
}

}  // namespace tieline::cli
