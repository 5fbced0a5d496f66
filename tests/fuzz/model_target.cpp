#include <fstream>

#include "fuzz/targets.hpp"
#include "assembly/assembly.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::fuzz {

void read_model_file(std::string_view input) {
  static const support::TemporaryFolder folder;
  const auto file = folder.path() / "model.xml";
  std::ofstream(file, std::ios::binary).write(input.data(), static_cast<std::streamsize>(input.size()));
  document::Diagnostics diagnostics;
  const auto checked = assembly::check_model(file, {}, diagnostics);
  if (checked && !diagnostics.has_errors()) (void)assembly::assemble(*checked, {}, diagnostics);
  (void)diagnostics.describe();
}

}  // namespace tieline::fuzz
