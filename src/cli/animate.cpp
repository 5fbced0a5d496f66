#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "report/animation.hpp"
#include "results/reader.hpp"
#include "results/run_report.hpp"
#include "results/scene_file.hpp"

namespace tieline::cli {
namespace {

namespace fs = std::filesystem;

/// What a watcher should know of a run that did not reach its end.
std::vector<std::string> notes_on(const fs::path& folder) {
  const auto report = results::read_report(folder / results::kReportFileName);
  if (!report) return {"The run goes on, or was killed: this is what had been written."};
  if (report->outcome == results::Outcome::done) return {};
  return {fmt::format("The run {} at {:g} s of {:g} s{}",
                      report->outcome == results::Outcome::cancelled ? "was stopped" : "failed", report->reached,
                      report->stop, report->error ? ": " + report->error->describe() : ".")};
}

}  // namespace

int animate(const AnimateArguments& arguments) {
  std::error_code failure;
  const fs::path& named = arguments.folder;
  if (!fs::exists(named, failure)) return complain(fmt::format("there is no folder '{}'", named.string()));
  // A file of the folder means the folder, which holds the scene beside it.
  const fs::path folder = fs::is_directory(named, failure) ? named : fs::absolute(named).parent_path();
  auto reader = results::ResultReader::open(folder);
  if (!reader) return complain(reader.error().describe());
  const fs::path scene_file = folder / results::kSceneFileName;
  if (!fs::exists(scene_file, failure)) {
    return complain(
        fmt::format("'{}' holds no {}: there is nothing to see of a run without components of kind=\"multibody\", "
                    "or the run was recorded by an older version; run the model again",
                    folder.string(), results::kSceneFileName));
  }
  const auto scene = results::read_scene(scene_file);
  if (!scene) return complain(scene.error().describe());
  const fs::path wanted = arguments.out.empty() ? "animation.html" : arguments.out;
  const auto out = output_file(wanted);
  if (!out) return complain(out.error().describe());
  const report::AnimationOptions options{
      .title = arguments.title.empty() ? scene->model : arguments.title,
      .notes = notes_on(folder),
      .motion = {static_cast<std::size_t>(arguments.frames), arguments.from, arguments.to}};
  const auto facts = report::write_animation(*reader, *scene, options, *out);
  if (!facts) return complain(facts.error().describe());
  for (const std::string& note : facts->notes) fmt::print(stderr, "warning: {}\n", note);
  fmt::print("{}: {} of {} from {:g} s to {:g} s, {:.2g} MB\n", wanted.string(), count(facts->frames, "frame"),
             facts->bodies == 1 ? "1 body" : fmt::format("{} bodies", facts->bodies), facts->start, facts->end,
             static_cast<double>(fs::file_size(*out, failure)) / 1e6);
  return kDone;
}

}  // namespace tieline::cli
