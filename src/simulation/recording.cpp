#include "simulation/recording.hpp"

#include "assembly/appearance.hpp"
#include "core/scene.hpp"
#include "results/scene_file.hpp"

namespace tieline::simulation {

void Recording::begin(results::RunProgressFile first) {
  if (!folder_) return;
  if (first.resumed_from) {
    if (auto earlier = results::read_progress(*folder_ / results::kProgressFileName)) earlier_progress_ = *earlier;
  }
  reporter_ = std::make_unique<reporting::ProgressReporter>(*folder_, std::move(first));
}

void Recording::give_up(const std::string& why, bool was_resuming) {
  if (reporter_) reporter_->end(results::RunPhase::failed, why);
  if (was_resuming && earlier_progress_)
    (void)results::write_progress(*earlier_progress_, *folder_ / results::kProgressFileName);
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

void Recording::update(const engine::Progress& progress) {
  if (reporter_) reporter_->update(progress);
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
  const bool is_cancelled = error && error->code == core::ErrorCode::cancelled;
  reporter_->end(
      is_cancelled ? results::RunPhase::stopped : (error ? results::RunPhase::failed : results::RunPhase::finished),
      last, error ? error->describe() : "");
}

}  // namespace tieline::simulation
