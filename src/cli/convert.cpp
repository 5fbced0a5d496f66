#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iterator>

#include "tieline/exchange.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"

namespace tieline::cli {
namespace {

/// What became of the parts of the model; empty where nothing was translated.
std::string table_of_parts(const std::vector<ConvertedPart>& parts, bool is_written) {
  const bool has_any =
      std::any_of(parts.begin(), parts.end(), [&](const ConvertedPart& part) { return part.is_written == is_written; });
  if (!has_any) return "";
  std::size_t width = 24;
  for (const ConvertedPart& part : parts) width = std::max(width, part.what.size() + 2);
  std::string text = fmt::format("{:<{}}{:>12}{:>20}{:>17}\n", is_written ? "written" : "read", width, "translated",
                                 "kept as annotation", "not expressible");
  for (const ConvertedPart& part : parts) {
    if (part.is_written != is_written) continue;
    fmt::format_to(std::back_inserter(text), "{:<{}}{:>12}{:>20}{:>17}", part.what, width, part.translated, part.kept,
                   part.lost);
    const bool has_more = part.kept + part.lost > part.names.size();
    if (!part.names.empty()) text += fmt::format("  {}{}", fmt::join(part.names, ", "), has_more ? ", ..." : "");
    text += '\n';
  }
  return text;
}

}  // namespace

int convert(const ConvertArguments& arguments) {
  Conversion conversion;
  try {
    conversion = convert_model(arguments.in, arguments.out,
                               {.replaces = arguments.is_forced,
                                .only_reports = arguments.only_reports,
                                .native_as_fmus = arguments.makes_fmus,
                                .format = arguments.format});
  } catch (const FileError& error) {
    return complain_of_files(error, "--force");
  }
  fmt::print("{}{}: {}, {}\n", describe(conversion.problems), arguments.in.string(), conversion.format,
             count(conversion.warnings, "warning"));
  fmt::print("{}{}", table_of_parts(conversion.parts, false), table_of_parts(conversion.parts, true));
  if (!arguments.only_reports) fmt::print("{}\n", arguments.out.string());
  return kDone;
}

}  // namespace tieline::cli
