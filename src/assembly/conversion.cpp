#include "assembly/conversion.hpp"

#include <fmt/format.h>
#include <functional>

#include "archive/temporary_folder.hpp"
#include "assembly/assembly.hpp"
#include "assembly/connection_figures.hpp"
#include "core/atomic_file.hpp"

namespace tieline::assembly {
namespace {

namespace fs = std::filesystem;
using core::Result;

/// Files that are removed again unless the model that needs them is written.
class CopiedFiles {
 public:
  CopiedFiles() = default;
  ~CopiedFiles() {
    std::error_code ignored;
    for (const fs::path& file : made_) fs::remove(file, ignored);
  }
  CopiedFiles(const CopiedFiles&) = delete;
  CopiedFiles& operator=(const CopiedFiles&) = delete;

  Result<void> copy(const interchange::Companion& companion, const fs::path& folder, bool replaces) {
    const fs::path below = companion.to.lexically_normal();
    if (below.is_absolute() || below.empty() || *below.begin() == "..") {
      return core::bad_input(fmt::format("'{}' is outside the folder of the model", companion.to.string()));
    }
    const fs::path target = folder / below;
    std::error_code failure;
    const bool exists = fs::exists(target, failure);
    if (exists && !replaces) return core::bad_input(fmt::format("'{}' already exists", target.string()));
    fs::create_directories(target.parent_path(), failure);
    const auto written = core::replace_file(target, [&](const fs::path& temporary) -> Result<void> {
      if (fs::copy_file(companion.from, temporary, failure)) return {};
      return core::Error{.code = core::ErrorCode::input_output,
                         .message = fmt::format("cannot write '{}': {}", target.string(), failure.message())};
    });
    if (!written) return written.error();
    if (!exists) made_.push_back(target);
    return {};
  }
  void keep() { made_.clear(); }

 private:
  std::vector<fs::path> made_;
};

/// Errors that keep a model from running, but not from being converted.
void report_errors(const document::Diagnostics& found, document::Diagnostics& diagnostics) {
  constexpr std::size_t kMost = 10;
  std::size_t count = 0;
  for (const auto& each : found.all()) {
    if (each.severity == document::Severity::error && ++count <= kMost) diagnostics.warning(each.place, each.message);
  }
  if (count > kMost) diagnostics.note({}, fmt::format("{} more; 'tieline check' lists them", count - kMost));
}

core::Error model_has_errors() { return core::bad_input("the model has errors"); }

model::InterfaceSource interfaces_in(const CheckedModel& checked) {
  return [&checked](int component) -> model::ComponentInterfaces {
    const auto& blueprint = checked.blueprints[static_cast<std::size_t>(component)];
    if (!blueprint) return {.is_known = false};
    return {.is_known = true, .interfaces = blueprint->interfaces};
  };
}

/// The laws of a checked model's lines.
std::function<std::optional<interchange::ExportedLine>(int)> lines_in(const CheckedModel& checked) {
  return [&checked](int index) -> std::optional<interchange::ExportedLine> {
    const model::Connection& connection = checked.model.connections[static_cast<std::size_t>(index)];
    if (connection.coupling != model::Coupling::line) return std::nullopt;
    std::string problem;
    if (domain_of(checked, connection) != core::Domain::mechanical3d) {
      const auto figures = line_figures(checked, connection, problem);
      if (!figures) return std::nullopt;
      return interchange::ExportedLine{
          .delay = figures->law.delay, .impedance = figures->impedance, .damping = figures->law.damping};
    }
    const auto figures = spatial_figures(connection, problem);
    if (!figures) return std::nullopt;
    const auto& free = figures->free_rotation;
    const bool has_torque = figures->carries_torque();
    return interchange::ExportedLine{
        .delay = figures->translation.law.delay,
        .impedance = figures->translation.impedance,
        .damping = figures->translation.law.damping,
        .impedance_rotation = has_torque ? figures->rotation.impedance : 0.0,
        .has_other_axes = has_torque && (free[0] || free[1] || free[2] ||
                                         figures->rotation.law.damping != figures->translation.law.damping)};
  };
}

/// `write` makes one file at the place that it is given: `out`, when it is whole, or one that nobody sees.
Result<void> write_file(const ConversionRequest& request, const std::function<Result<void>(const fs::path&)>& write) {
  if (!request.only_reports) return core::replace_file(request.out, write);
  const auto folder = archive::TemporaryFolder::make();
  if (!folder) return folder.error();
  return write(folder->path() / request.out.filename());
}

}  // namespace

Result<ConversionReports> convert_model(const ConversionRequest& request, document::Diagnostics& diagnostics) {
  const fs::path folder = request.out.has_parent_path() ? request.out.parent_path() : fs::path(".");
  const auto descriptions = kinds::kind_descriptions();
  auto imported = interchange::import_model(request.source, {.kinds = descriptions, .folder = folder}, diagnostics,
                                            request.importers);
  std::optional<CheckedModel> checked;
  if (imported && !diagnostics.has_errors() && request.exporter.needs_checked_model) {
    checked = check_model(request.source.whole(), {}, diagnostics);
  }
  if (!imported || diagnostics.has_errors()) return model_has_errors();
  if (request.exporter.wants_checked_model) {
    document::Diagnostics of_check;
    checked = check_model(request.source.whole(), {}, of_check);
    if (of_check.has_errors()) {
      checked.reset();
      diagnostics.warning({.file = request.source.file().string()},
                          "the model has errors; it is converted as far as it is understood without its components");
      report_errors(of_check, diagnostics);
    }
  }

  CopiedFiles files;
  for (const interchange::Companion& companion : imported->companions) {
    // Other formats take them along by themselves.
    if (!request.exporter.copies_companions || request.only_reports) break;
    if (auto copied = files.copy(companion, folder, request.replaces); !copied) return copied.error();
  }
  ConversionReports reports;
  const auto written = write_file(request, [&](const fs::path& temporary) -> Result<void> {
    interchange::ExportRequest to_write{.model = *imported,
                                        .kinds = descriptions,
                                        .file = request.out,
                                        .temporary = temporary,
                                        .report = &reports.written};
    if (checked) {
      to_write.checked = &checked->model;
      to_write.interfaces = interfaces_in(*checked);
      to_write.lines = lines_in(*checked);
    }
    if (request.shown != nullptr) {
      to_write.shown = &request.shown->model;
      to_write.shown_interfaces = interfaces_in(*request.shown);
      to_write.step = request.step;
    }
    auto outcome = request.exporter.write(to_write, diagnostics);
    if (outcome && diagnostics.has_errors()) return model_has_errors();
    return outcome;
  });
  if (!written) return written.error();
  files.keep();
  reports.read = std::move(imported->report);
  return reports;
}

}  // namespace tieline::assembly
