#include <array>
#include <fstream>

#include "bearings/catalogue.hpp"
#include "bearings/equilibrium.hpp"
#include "fuzz/targets.hpp"
#include "model/library.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::fuzz {

void read_library_file(std::string_view input) {
  static const support::TemporaryFolder folder;
  const auto file = folder.path() / "library.xml";
  std::ofstream(file, std::ios::binary).write(input.data(), static_cast<std::streamsize>(input.size()));
  const std::array<model::ComponentKind, 1> kinds{{{"process", "A program of its own.", {}}}};
  document::Diagnostics diagnostics;
  (void)model::read_library(file, kinds, diagnostics);
  // Bearings are read by a command of their own, and must find a balance or say that they do not.
  document::Diagnostics flaws;
  if (const auto document = document::Document::load(file, flaws)) {
    bearings::Catalogue catalogue;
    catalogue.add(document->root(), file, flaws);
    for (const auto& entry : catalogue.entries()) {
      bearings::LoadCase load_case{.rotation = {.speed = 100.0}};
      load_case.load << 10.0, 100.0, 0.0, 0.0, 1.0;
      (void)bearings::in_balance(entry.bearing, load_case);
    }
  }
  (void)diagnostics.describe();
}

}  // namespace tieline::fuzz
