#include "checkpoints/checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

#include "archive/temporary_folder.hpp"
#include "assembly/assembly.hpp"
#include "core/archive.hpp"
#include "core/atomic_file.hpp"
#include "core/installation.hpp"
#include "model/rewrite.hpp"
#include "results/run_report.hpp"

namespace tieline::checkpoints {
namespace {

using core::bad_input;

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "tieline checkpoint\n";
// Goes up with every change of what components and solvers save: bytes of another layout would be read as numbers.
constexpr std::uint32_t kFormat = 3;
/// Intervals come from decimal numbers: a quotient this close to a whole number is meant to be whole.
constexpr double kWholeTolerance = 1e-10;

void put(core::ArchiveWriter& archive, const ModelIdentity& model) {
  archive.put_text(model.version), archive.put_text(model.file), archive.put_text(model.resolved);
  archive.put(model.overrides.size());
  for (const auto& [name, value] : model.overrides) archive.put_text(name), archive.put_text(value);
  archive.put(model.files.size());
  for (const auto& [path, number] : model.files) archive.put_text(path), archive.put(number);
}

ModelIdentity get_identity(core::ArchiveReader& archive) {
  ModelIdentity model;
  model.version = archive.get_text(), model.file = archive.get_text(), model.resolved = archive.get_text();
  for (auto count = archive.get<std::size_t>(); count > 0; --count) {
    std::string name = archive.get_text();
    model.overrides.push_back({std::move(name), archive.get_text()});
  }
  for (auto count = archive.get<std::size_t>(); count > 0; --count) {
    std::string path = archive.get_text();
    model.files.push_back({std::move(path), archive.get<std::uint64_t>()});
  }
  return model;
}

std::string payload_of(const Checkpoint& checkpoint) {
  core::ArchiveWriter archive;
  put(archive, checkpoint.model);
  archive.put(checkpoint.stop), archive.put(checkpoint.save_interval), archive.put(checkpoint.every);
  archive.put(checkpoint.time), archive.put(checkpoint.tick), archive.put_text(checkpoint.schedule);
  archive.put_span<double>(checkpoint.resumed_from);
  archive.put(checkpoint.rows.size());
  for (const auto& [owner, rows] : checkpoint.rows) archive.put_text(owner), archive.put(rows);
  archive.put_text(checkpoint.engine);
  return std::move(archive).take();
}

Checkpoint checkpoint_from(std::string_view payload) {
  core::ArchiveReader archive(payload);
  Checkpoint checkpoint;
  checkpoint.model = get_identity(archive);
  archive.get(checkpoint.stop), archive.get(checkpoint.save_interval), archive.get(checkpoint.every);
  archive.get(checkpoint.time), archive.get(checkpoint.tick);
  checkpoint.schedule = archive.get_text();
  checkpoint.resumed_from = archive.get_vector<double>();
  for (auto count = archive.get<std::size_t>(); count > 0; --count) {
    std::string owner = archive.get_text();
    checkpoint.rows.push_back({std::move(owner), archive.get<std::size_t>()});
  }
  checkpoint.engine = archive.get_text();
  return checkpoint;
}

/// Reads a number at the front of `bytes`, which are known to be long enough.
template <class T>
T take(std::string_view& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  bytes.remove_prefix(sizeof(T));
  return value;
}

/// A text of several lines, a line at a time.
std::string_view next_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  const auto first = line.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view{} : line.substr(first);
}

std::string without(std::string text, std::string_view part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

}  // namespace

std::string encode(const Checkpoint& checkpoint) {
  const std::string payload = payload_of(checkpoint);
  std::string bytes(kMagic);
  const auto append = [&](const auto& number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); };
  append(kFormat);
  append(std::uint64_t{payload.size()});
  append(fingerprint(payload));
  return bytes + payload;
}

core::Result<Checkpoint> decode(std::string_view bytes, std::string_view source) {
  const auto refuse = [&](std::string_view why) { return bad_input(fmt::format("'{}' {}", source, why)); };
  if (!bytes.starts_with(kMagic.substr(0, bytes.size())) || bytes.empty())
    return refuse("is not a checkpoint of Tieline");
  constexpr std::size_t kHeader = kMagic.size() + sizeof(std::uint32_t) + 2 * sizeof(std::uint64_t);
  if (bytes.size() < kHeader) return refuse("is truncated: its header is incomplete");
  bytes.remove_prefix(kMagic.size());
  const auto format = take<std::uint32_t>(bytes);
  if (format != kFormat) return refuse(fmt::format("has format {}, but this version reads format {}", format, kFormat));
  const auto length = take<std::uint64_t>(bytes);
  const auto expected = take<std::uint64_t>(bytes);
  if (bytes.size() < length)
    return refuse(fmt::format("is truncated: it contains {} of {} bytes", bytes.size(), length));
  if (bytes.size() > length || fingerprint(bytes) != expected) return refuse("is damaged: its checksum does not match");
  try {
    return checkpoint_from(bytes);
  } catch (const core::ArchiveError& error) {
    return refuse(fmt::format("is damaged: {}", error.what()));
  }
}

core::Result<Checkpoint> read_checkpoint(const fs::path& folder) {
  std::error_code failure;
  if (!fs::is_directory(folder, failure))
    return bad_input(fmt::format("there is no result folder '{}' to resume from", folder.string()));
  const fs::path file = folder / kCheckpointFileName;
  if (!fs::exists(file, failure)) {
    return bad_input(
        fmt::format("folder '{}' contains no {}: its run had no checkpoints, or ended before the first one",
                    folder.string(), kCheckpointFileName));
  }
  const auto bytes = core::read_whole(file);
  if (!bytes) return bytes.error();
  return decode(*bytes, file.string());
}

ModelIdentity identity_of(const assembly::CheckedModel& checked, std::span<const model::Override> overrides) {
  const model::CompositeModel& model = checked.model;
  const fs::path file = fs::weakly_canonical(model.file);
  ModelIdentity identity{std::string(core::version()), file.string(), {overrides.begin(), overrides.end()}, {}, {}};
  identity.files = fingerprints_of(checked.files);
  // Files of archives are unpacked into another folder each time.
  for (ModelFile& part : identity.files) {
    const std::string lasting = archive::without_temporary_folders(part.path);
    part.path = lasting != part.path ? lasting : fs::path(part.path).lexically_relative(file.parent_path()).string();
  }
  // How long the run is to take may change, and save points are compared by themselves.
  model::CompositeModel timeless = model;
  timeless.simulation.stop = timeless.simulation.start;
  timeless.simulation.save_interval.reset();
  identity.resolved = archive::without_temporary_folders(
      without(model::resolved_model_xml(timeless), file.parent_path().string() + "/"));
  return identity;
}

std::string first_difference(std::string_view before, std::string_view now) {
  while (!before.empty() || !now.empty()) {
    const std::string_view a = next_line(before), b = next_line(now);
    if (a != b) return fmt::format("'{}' was '{}'", b, a);
  }
  return "";
}

std::string difference(const ModelIdentity& before, const ModelIdentity& now) {
  if (before.version != now.version)
    return fmt::format("it was written by tieline {}, and this is tieline {}", before.version, now.version);
  if (const std::string changed = first_difference(before.resolved, now.resolved); !changed.empty())
    return "the model has changed: " + changed;
  for (const ModelFile& file : now.files) {
    const auto same = std::find_if(before.files.begin(), before.files.end(),
                                   [&](const ModelFile& other) { return other.path == file.path; });
    if (same == before.files.end()) return fmt::format("the model now uses the file '{}'", file.path);
    if (same->fingerprint != file.fingerprint) return fmt::format("'{}' has changed since", file.path);
  }
  return before.files.size() == now.files.size() ? "" : "the model no longer uses some of its files";
}

std::string schedule_of(const assembly::Assembly& assembly, const model::SimulationSettings& settings) {
  engine::Engine& engine = *assembly.engine;
  const engine::WindowRule& rule = engine.windows();
  std::string text =
      fmt::format("ticks of {:.17g} s\nsave points every {} ticks\n", rule.grid.tick_length(), rule.save_interval);
  for (std::size_t i = 0; i < engine.node_count(); ++i) {
    text += fmt::format("windows of '{}' of {:.17g} s\n", engine.component(i).name(), engine.window_length(i));
  }
  // Where no interval is stated, rows follow from the length of the run.
  if (!settings.defaults.write_interval) text += fmt::format("rows of a run to {:.17g} s\n", settings.stop);
  return text;
}

std::string obstacles_to_saving(std::span<core::Component* const> components) {
  std::string text;
  for (const core::Component* component : components) {
    const core::Capabilities can = component->capabilities();
    if (can.can_save_at_save_points) continue;
    text += fmt::format("{}component '{}' cannot be saved, so the run cannot write checkpoints{}{}",
                        text.empty() ? "" : "\n", component->name(), can.snapshot_obstacle.empty() ? "" : ": ",
                        can.snapshot_obstacle);
  }
  return text;
}

void forget_outcome(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder / kCheckpointFileName, ignored);
  fs::remove(folder / results::kReportFileName, ignored);
}

core::Result<void> put_in_place(const fs::path& prepared, const fs::path& folder, const fs::path& saved_folder,
                                const Checkpoint& saved) {
  if (auto synced = core::sync_to_disk(prepared / results::kResultFileName); !synced) return synced;
  std::error_code failure;
  const bool is_elsewhere = !fs::equivalent(saved_folder, folder, failure);
  // A checkpoint of another run must not meet results of this one.
  if (is_elsewhere) forget_outcome(folder);
  fs::rename(prepared / results::kResultFileName, folder / results::kResultFileName, failure);
  if (failure) {
    return core::Error{
        .code = core::ErrorCode::input_output,
        .message = fmt::format("cannot replace the results in '{}': {}", folder.string(), failure.message())};
  }
  fs::remove(folder / results::kReportFileName, failure);
  if (auto synced = core::sync_to_disk(folder); !synced) return synced;
  fs::remove_all(prepared, failure);
  return is_elsewhere ? core::replace_file_durably(folder / kCheckpointFileName, encode(saved)) : core::Result<void>{};
}

core::Result<void> check_multiple(double every, double save_interval) {
  const double ratio = every / save_interval;
  const double whole = std::round(ratio);
  if (whole >= 1.0 && std::abs(ratio - whole) <= kWholeTolerance * whole) return {};
  const double below = std::floor(ratio);
  const std::string nearest =
      below >= 1.0 ? fmt::format("{:.6g} s or {:.6g} s", below * save_interval, (below + 1.0) * save_interval)
                   : fmt::format("{:.6g} s", save_interval);
  return bad_input(
      fmt::format("checkpoints every {:g} s do not fall on save points, which are {:g} s apart "
                  "(save_interval); expected {}",
                  every, save_interval, nearest));
}

}  // namespace tieline::checkpoints
