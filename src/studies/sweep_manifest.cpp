#include "studies/sweep_manifest.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/atomic_file.hpp"
#include "results/progress_file.hpp"
#include "results/run_report.hpp"
#include "results/scene_file.hpp"
#include "results/writer.hpp"
#include "studies/sweep_array.hpp"

namespace tieline::studies {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kManifestFileName = "sweep.json";
constexpr const char* kRecordFileName = "run.json";

constexpr std::array kFinished{SweepStatus::done, SweepStatus::failed, SweepStatus::refused, SweepStatus::crashed};

std::optional<json> parsed(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  json value = json::parse(stream, nullptr, false);
  if (!value.is_object()) return std::nullopt;
  return value;
}

}  // namespace

core::Result<void> write_manifest(const SweepManifest& manifest, const fs::path& folder) {
  json files = json::array();
  for (const checkpoints::ModelFile& file : manifest.files) {
    files.push_back({{"path", file.path}, {"fingerprint", fmt::format("{:016x}", file.fingerprint)}});
  }
  const json value{{"tieline", manifest.version},
                   {"model", manifest.model},
                   {"settings", manifest.settings},
                   {"files", std::move(files)},
                   {"combinations", manifest.combinations}};
  return core::replace_file(folder / kManifestFileName, value.dump(1) + "\n");
}

core::Result<std::optional<SweepManifest>> read_manifest(const fs::path& folder) {
  const fs::path file = folder / kManifestFileName;
  std::error_code failure;
  if (!fs::exists(file, failure)) return std::optional<SweepManifest>{};
  try {
    const json value = parsed(file).value_or(json::object());
    SweepManifest manifest{value.at("tieline"), value.at("model"), value.at("settings"), {}, value.at("combinations")};
    for (const json& entry : value.at("files")) {
      manifest.files.push_back(
          {entry.at("path"), std::stoull(entry.at("fingerprint").get<std::string>(), nullptr, 16)});
    }
    return std::optional(std::move(manifest));
  } catch (const std::exception&) {
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("'{}' is damaged; --fresh starts again", file.string())};
  }
}

std::string difference(const SweepManifest& before, const SweepManifest& now) {
  if (before.model != now.model) return fmt::format("its model is '{}'", before.model);
  if (before.settings != now.settings) {
    return fmt::format("its settings are {}, not {}",
                       before.settings.empty() ? "the model's" : fmt::format("{}", fmt::join(before.settings, " ")),
                       now.settings.empty() ? "the model's" : fmt::format("{}", fmt::join(now.settings, " ")));
  }
  if (before.version != now.version)
    return fmt::format("it was run by tieline {}, and this is tieline {}", before.version, now.version);
  for (const checkpoints::ModelFile& file : now.files) {
    const auto same = std::find_if(before.files.begin(), before.files.end(),
                                   [&](const checkpoints::ModelFile& other) { return other.path == file.path; });
    // A file that only new combinations use is no change.
    if (same != before.files.end() && same->fingerprint != file.fingerprint) {
      return fmt::format("'{}' has changed since", file.path);
    }
  }
  return "";
}

core::Result<void> write_record(const SweepRun& run) {
  const json value{{"status", name_of(run.status)}, {"message", run.message}, {"wall_seconds", run.wall_seconds}};
  return core::replace_file(run.folder / kRecordFileName,
                            value.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

bool read_record(SweepRun& run) {
  try {
    const json value = parsed(run.folder / kRecordFileName).value_or(json::object());
    const std::string status = value.at("status");
    for (const SweepStatus candidate : kFinished) {
      if (name_of(candidate) != status) continue;
      run.message = value.at("message");
      run.wall_seconds = value.at("wall_seconds");
      run.status = candidate;
      return true;
    }
  } catch (const json::exception&) {
    // Missing or damaged: the report may still say how the run ended.
  }
  // The run had ended, but who started it was killed before it could say so.
  const auto report = results::read_report(run.folder / results::kReportFileName);
  if (!report || report->outcome != results::Outcome::done) return false;
  run.status = SweepStatus::done;
  run.wall_seconds = report->wall_seconds;
  return true;
}

void clear_run(const fs::path& folder) {
  std::error_code ignored;
  // The record first: without it the rest counts for nothing.
  for (const std::string_view name :
       {std::string_view(kRecordFileName), results::kReportFileName, std::string_view(results::kResultFileName),
        results::kSceneFileName, results::kProgressFileName, kOutputFileName, std::string_view(kTaskEndFile)}) {
    fs::remove(folder / name, ignored);
  }
}

}  // namespace tieline::studies
