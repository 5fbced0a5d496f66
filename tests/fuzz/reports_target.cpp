#include <fstream>

#include "fuzz/targets.hpp"
#include "results/progress_file.hpp"
#include "results/run_report.hpp"
#include "results/scene_file.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::fuzz {

void read_reports(std::string_view input) {
  if (input.empty()) return;
  const std::string_view text = input.substr(1);
  switch (static_cast<unsigned char>(input.front()) % 3) {
    case 0:
      if (const auto report = results::report_from_json(text)) {
        (void)results::brief_text(*report);
        (void)results::all_tables(*report);
        if (!results::report_from_json(results::to_json(*report))) __builtin_trap();
      }
      return;
    case 1:
      if (const auto scene = results::scene_from_json(text, "scene.json")) {
        if (!results::scene_from_json(results::to_json(*scene), "scene.json")) __builtin_trap();
      }
      return;
    default: {
      static const support::TemporaryFolder folder;
      const auto file = folder.path() / "progress.json";
      std::ofstream(file, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
      if (const auto progress = results::read_progress(file)) {
        if (!results::write_progress(*progress, file) || !results::read_progress(file)) __builtin_trap();
      }
    }
  }
}

}  // namespace tieline::fuzz
