#include <fstream>

#include "archive/temporary_folder.hpp"
#include "fuzz/targets.hpp"
#include "interchange/importer.hpp"
#include "kinds/registry.hpp"
#include "model/grammar.hpp"
#include "modelica/parser.hpp"

namespace tieline::fuzz {

void read_modelica(std::string_view input) {
  static const auto folder = archive::TemporaryFolder::make("tieline-fuzz").value();
  const auto file = folder.path() / "input.mo";
  std::ofstream(file, std::ios::binary) << input;
  document::Diagnostics diagnostics;
  const auto parsed = modelica::parse(file.string(), std::string(input), diagnostics);
  if (parsed == nullptr) __builtin_trap();
  document::Diagnostics of_model;
  interchange::Source source(file);
  const auto kinds = kinds::kind_descriptions();
  const auto imported = interchange::import_model(source, {.kinds = kinds}, of_model);
  // Whatever a file holds, its translation is well-formed; a file without any is an error.
  if (!imported && !of_model.has_errors()) __builtin_trap();
  if (diagnostics.has_errors() && !of_model.has_errors()) __builtin_trap();
  if (imported) document::check_against(model::grammar(kinds), imported->document->root(), of_model);
  (void)of_model.describe();
}

}  // namespace tieline::fuzz
