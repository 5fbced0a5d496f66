#include "simulation/recording.hpp"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "assembly/appearance.hpp"
#include "checkpoints/checkpoint.hpp"
#include "core/atomic_file.hpp"
#include "core/scene.hpp"
#include "results/scene_file.hpp"

namespace tieline::simulation {

namespace {

/// More runs of one model at once than this, each with a folder of its own, are a mistake.
constexpr int kMostFolders = 1000;

/// Files in a result folder that are replaced as a whole.
constexpr std::array kOwnFiles{checkpoints::kCheckpointFileName, results::kReportFileName, results::kProgressFileName,
                               results::kSceneFileName};

}  // namespace

void Recording::set_folder(const std::filesystem::path& folder, bool may_be_another) {
  folder_ = folder;
  may_be_another_ = may_be_another;
}

core::Result<void> Recording::take_folder() {
  if (!folder_) return {};
  const std::filesystem::path wanted = *folder_;
  for (int i = 1;; ++i) {
    if (i > 1) folder_ = wanted.parent_path() / fmt::format("{}-{}", wanted.filename().string(), i);
    auto lock = results::FolderLock::take(*folder_);
    if (lock) {
      lock_ = std::move(*lock);
      core::remove_drafts(*folder_, kOwnFiles);
      return {};
    }
    const bool tries_next = lock.error().code == core::ErrorCode::busy && may_be_another_ && i < kMostFolders;
    if (!tries_next) return lock.error();
  }
}

void Recording::begin(results::RunProgressFile first) {
  if (folder_) results::forget_requests(*folder_);
  if (folder_) reporter_ = std::make_unique<reporting::ProgressReporter>(*folder_, std::move(first));
}

void Recording::give_up(const std::string& why) {
  if (reporter_) reporter_->end(results::RunPhase::failed, why);
  const bool is_new = lock_ && lock_->has_made_folder();
  lock_.reset();
  std::error_code ignored;
  if (is_new) std::filesystem::remove(*folder_, ignored);  // only where nothing is in it
}

core::Result<void> Recording::write_scene(const assembly::CheckedModel& checked,
                                          const assembly::Assembly& assembly) const {
  if (!folder_) return {};
  results::RunScene scene{.model = checked.model.name};
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    const core::Component* component = assembly.components[i];
    const auto* visible = dynamic_cast<const core::Visible*>(component);
    core::Scene own = visible != nullptr ? visible->scene() : core::Scene{};
    assembly::add_geometry(checked, i, own);
    if (!own.empty()) scene.components.push_back({component->name(), std::move(own)});
  }
  return results::write_scene(scene, *folder_ / results::kSceneFileName);
}

core::Result<void> Recording::begin_trace(const assembly::Assembly& assembly) {
  if (!trace_file_) return {};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < assembly.engine->node_count(); ++i) {
    names.push_back(assembly.engine->component(i).name());
  }
  auto trace = engine::Trace::create(*trace_file_, std::move(names));
  if (!trace) return trace.error();
  trace_ = std::move(*trace);
  return {};
}

core::Result<void> Recording::status(const assembly::Assembly& assembly) const {
  if (assembly.writer) {
    if (auto status = assembly.writer->status(); !status) return status;
  }
  return trace_ ? trace_->status() : core::Result<void>{};
}

void Recording::update(const engine::Progress& progress, bool is_paused) {
  if (reporter_) reporter_->update(progress, is_paused);
}

std::optional<results::RunRequest> Recording::request() const {
  return reporter_ ? results::read_request(*folder_) : std::nullopt;
}

void Recording::note_checkpoint(double time) {
  if (reporter_) reporter_->note_checkpoint(time);
}

core::Result<void> Recording::close(const assembly::Assembly& assembly) {
  core::Result<void> first;
  if (assembly.writer) first = assembly.writer->close();
  if (trace_) {
    if (auto closed = trace_->close(); !closed && first) first = std::move(closed);
  }
  return first;
}

core::Result<void> Recording::write_report(const results::RunReport& report) const {
  return folder_ ? results::write_report(report, *folder_ / results::kReportFileName) : core::Result<void>{};
}

void Recording::end(const engine::Progress& last, const std::optional<core::Error>& error) {
  if (!reporter_) return;
  const auto lock = std::exchange(lock_, std::nullopt);  // until the last file is written
  const bool is_cancelled = error && error->code == core::ErrorCode::cancelled;
  reporter_->end(
      is_cancelled ? results::RunPhase::stopped : (error ? results::RunPhase::failed : results::RunPhase::finished),
      last, error ? error->describe() : "");
}

}  // namespace tieline::simulation
