#include <cstdio>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "interchange/translate.hpp"
#include "kinds/registry.hpp"
#include "results/atomic_file.hpp"

namespace tieline::cli {

int convert(const ConvertArguments& arguments) {
  document::Diagnostics diagnostics;
  const auto foreign = document::Document::load(arguments.in, diagnostics);
  if (!foreign) return complain_of_model(diagnostics.describe());
  if (!interchange::detect(*foreign)) {
    return complain(fmt::format("'{}' begins with <{}>; <Model> is what can be converted", arguments.in.string(),
                                foreign->root().name()));
  }
  const auto out = output_file(arguments.out);
  if (!out) return complain(out.error().describe());
  std::error_code failure;
  if (!arguments.is_forced && std::filesystem::exists(*out, failure)) {
    return complain(fmt::format("'{}' exists already; --force replaces it", arguments.out.string()));
  }
  const auto folder = out->has_parent_path() ? out->parent_path() : std::filesystem::path(".");
  const auto descriptions = kinds::kind_descriptions();
  const auto translation = interchange::translate(*foreign, folder, descriptions, diagnostics);
  if (diagnostics.has_errors()) return complain_of_model(diagnostics.describe());
  if (auto written = results::replace_file(*out, translation.text); !written)
    return complain(written.error().describe());
  fmt::print("{}{}: {}, {}\n", diagnostics.describe(), arguments.in.string(), interchange::name_of(translation.format),
             count(diagnostics.warning_count(), "warning"));
  fmt::print("{}\n", arguments.out.string());
  return kDone;
}

}  // namespace tieline::cli
