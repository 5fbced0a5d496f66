#include <fmt/format.h>

#include "tieline/exchange.hpp"
#include "tieline/program.hpp"

#include "api/errors.hpp"
#include "interchange/translate.hpp"
#include "kinds/registry.hpp"
#include "results/atomic_file.hpp"

namespace tieline {

Conversion convert_model(const std::filesystem::path& foreign, const std::filesystem::path& file,
                         const ConversionOptions& options) {
  document::Diagnostics diagnostics;
  const auto document = document::Document::load(foreign, diagnostics);
  if (!document) api::throw_model_error(diagnostics);
  if (!interchange::detect(*document)) {
    throw FileError(fmt::format("'{}' begins with <{}>; <Model> is what can be converted", foreign.string(),
                                document->root().name()));
  }
  const std::filesystem::path out = writable_file(file);
  std::error_code failure;
  if (!options.replaces && std::filesystem::exists(out, failure)) {
    const std::string problem = fmt::format("'{}' exists already", file.string());
    throw FileError(problem, {{.file = file, .text = problem, .advice = "replace it"}});
  }
  const auto folder = out.has_parent_path() ? out.parent_path() : std::filesystem::path(".");
  const auto descriptions = kinds::kind_descriptions();
  const auto translation = interchange::translate(*document, folder, descriptions, diagnostics);
  if (diagnostics.has_errors()) api::throw_model_error(diagnostics);
  api::or_file_error(results::replace_file(out, translation.text));
  return {std::string(interchange::name_of(translation.format)), api::problems_of(diagnostics),
          diagnostics.warning_count()};
}

}  // namespace tieline
