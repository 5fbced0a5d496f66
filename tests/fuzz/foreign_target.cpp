#include "fuzz/targets.hpp"
#include "interchange/translate.hpp"
#include "model/grammar.hpp"

namespace tieline::fuzz {

void read_foreign(std::string_view input) {
  document::Diagnostics diagnostics;
  const auto foreign = document::Document::parse(std::string(input), "foreign.xml", diagnostics);
  if (!foreign || !interchange::detect(*foreign)) return;
  for (const char* folder : {"", "elsewhere"}) {
    auto translation = interchange::translate(*foreign, folder, {}, diagnostics);
    // Whatever a foreign file holds, its translation is well-formed, and every place in it is one of the foreign file.
    const auto ours = document::Document::parse(std::move(translation.text), "translation.xml", diagnostics,
                                                std::move(translation.origins));
    if (!ours || ours->root().place().file != "foreign.xml") __builtin_trap();
    document::check_against(model::grammar({}), ours->root(), diagnostics);
  }
  (void)diagnostics.describe();
}

}  // namespace tieline::fuzz
