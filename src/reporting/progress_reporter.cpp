#include "reporting/progress_reporter.hpp"

namespace tieline::reporting {
namespace {

constexpr std::chrono::seconds kInterval{1};

}  // namespace

ProgressReporter::ProgressReporter(std::filesystem::path folder, results::RunProgressFile first)
    : folder_(std::move(folder)), file_(std::move(first)) {
  file_.process = results::this_process();
  file_.began = file_.moved = results::wall_clock();
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  write();
}

ProgressReporter::~ProgressReporter() {
  if (!results::has_ended(file_.phase)) end(results::RunPhase::stopped);
}

void ProgressReporter::note(const engine::Progress& progress) {
  if (progress.windows != file_.windows || progress.time != file_.reached) file_.moved = results::wall_clock();
  file_.reached = progress.time;
  file_.windows = progress.windows;
  file_.slowest = progress.slowest;
  file_.waits_for = progress.waits_for;
  file_.held_up = progress.held_up;
  const double wall = std::chrono::duration<double>(Clock::now() - start_).count();
  file_.speed = wall > 0.0 ? (file_.reached - file_.resumed_from.value_or(file_.start)) / wall : 0.0;
}

void ProgressReporter::update(const engine::Progress& progress, bool is_paused) {
  const auto now = Clock::now();
  const bool was_paused = file_.phase == results::RunPhase::paused;
  if (results::has_ended(file_.phase) || (now < next_ && was_paused == is_paused)) return;
  next_ = now + kInterval;
  file_.phase = is_paused ? results::RunPhase::paused : results::RunPhase::running;
  note(progress);
  write();
}

void ProgressReporter::end(results::RunPhase phase, const engine::Progress& last, const std::string& error) {
  note(last);
  end(phase, error);
}

void ProgressReporter::end(results::RunPhase phase, const std::string& error) {
  file_.phase = phase;
  file_.error = error;
  write();
}

void ProgressReporter::write() {
  file_.updated = results::wall_clock();
  (void)results::write_progress(file_, folder_ / results::kProgressFileName);
}

}  // namespace tieline::reporting
