#include <array>
#include <fstream>

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
  (void)diagnostics.describe();
}

}  // namespace tieline::fuzz
