// The command `tieline library`: component types in the folders where models find them.

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "tieline/exchange.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"

namespace tieline::cli {
namespace {

void print_fact(std::string_view what, std::string_view text) {
  if (!text.empty()) fmt::print("  {:<12} {}\n", what, text);
}

}  // namespace

int list_libraries(const LibraryArguments& arguments) {
  const LibraryListing listing = tieline::list_libraries(arguments.model);
  for (const LibraryFolder& folder : listing.folders) {
    fmt::print("{} ({}){}\n", folder.path.string(), folder.whose, folder.exists ? "" : ": no such folder");
    for (const LibraryInfo& library : folder.libraries) {
      fmt::print("  {} {}  {}\n", library.name, library.version, library.summary);
      for (const TypeInfo& type : library.types) fmt::print("    {:<28} {}\n", type.name, type.summary);
    }
  }
  const bool has_errors = std::any_of(listing.problems.begin(), listing.problems.end(),
                                      [](const Problem& problem) { return problem.severity == Severity::error; });
  return has_errors ? complain_of_model(describe(listing.problems)) : kDone;
}

int show_type(const LibraryArguments& arguments) {
  const TypeDescription type = describe_type(arguments.types.front(), arguments.model);
  fmt::print("{} ({})\n", type.name, type.file.string());
  if (!type.description.empty()) fmt::print("{}\n", type.description);
  print_fact("kind", type.kind);
  print_fact("tool", type.tool);
  print_fact("version", type.version);
  print_fact("command", type.command);
  for (const auto& base : type.bases) {
    fmt::print("  {:<12} {} ({})\n", "extends", base.name, base.file.string());
  }
  for (const auto& file : type.files) fmt::print("  {:<12} {}\n", file.role, file.path.string());
  if (!type.parameters.empty()) fmt::print("Parameters\n");
  for (const auto& p : type.parameters) {
    fmt::print("  {:<16} {:>14} {:<8} {}\n", p.name, p.value, p.unit, p.description);
  }
  if (!type.interfaces.empty()) fmt::print("Interfaces\n");
  for (const auto& i : type.interfaces) {
    fmt::print("  {:<16} {} {}{}\n", i.name, i.domain, i.causality, i.size.empty() ? "" : " of size " + i.size);
  }
  return kDone;
}

int add_library(const LibraryArguments& arguments) {
  try {
    fmt::print("{}\n", tieline::add_library(arguments.file, {.replaces = arguments.replaces}).string());
  } catch (const FileError& error) {
    return complain_of_files(error, "--replace");
  }
  return kDone;
}

int export_types(const LibraryArguments& arguments) {
  LibraryExport exported;
  try {
    exported = tieline::export_types(arguments.types, arguments.file,
                                     {.replaces = arguments.replaces, .model = arguments.model});
  } catch (const FileError& error) {
    return complain_of_files(error, "--replace");
  }
  fmt::print("{}: {}{}\n", arguments.file.string(), count(exported.types, "type"),
             exported.files == 0 ? "" : fmt::format(", with {} beside it", count(exported.files, "file")));
  return kDone;
}

}  // namespace tieline::cli
