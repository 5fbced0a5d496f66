#include "fmu_export/exporter.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fstream>
#include <set>

#include "archive/temporary_folder.hpp"
#include "archive/zip_writer.hpp"
#include "assembly/connection_figures.hpp"
#include "assembly/outer_end.hpp"
#include "assembly/rules.hpp"
#include "core/atomic_file.hpp"
#include "document/units.hpp"
#include "fmu_export/description.hpp"
#include "fmu_export/exchange_variables.hpp"
#include "fmu_export/open_interfaces.hpp"
#include "fmu_export/packing.hpp"
#include "fmu_export/single_component.hpp"
#include "fmu_export/structural_parameters.hpp"
#include "interchange/importer.hpp"
#include "kinds/registry.hpp"
#include "simulation/run.hpp"

namespace tieline::fmu_export {
namespace {

namespace fs = std::filesystem;
using document::Diagnostics;

/// The suggested step is about this share of the run, and a whole number of windows.
constexpr double kStepShare = 1e-3;

/// A C identifier made of a name.
std::string identifier_of(const std::string& name) {
  std::string identifier;
  for (const char c : name) identifier += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (identifier.empty() || std::isdigit(static_cast<unsigned char>(identifier.front())) != 0)
    identifier.insert(0, "_");
  return identifier;
}

/// A number that differs where a text does (FNV-1a, with the seed as its offset).
std::uint64_t mixed(std::uint64_t seed, std::string_view text) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return seed;
}

/// What the FMU is known by: it follows from the files that it contains.
std::string token_of(const Manifest& manifest, const fs::path& resources) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(resources)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::uint64_t first = 0xcbf29ce484222325u, second = 0x9ae16a3b2f90404fu;
  const auto add = [&](std::string_view text) { first = mixed(first, text), second = mixed(second, text); };
  add(to_json(manifest));
  for (const fs::path& file : files) {
    add(file.lexically_relative(resources).string());
    if (const auto content = core::read_whole(file)) add(*content);
  }
  return fmt::format("{{{:08x}-{:04x}-{:04x}-{:04x}-{:012x}}}", first >> 32, first >> 16 & 0xffff, first & 0xffff,
                     second >> 48, second & 0xffffffffffff);
}

/// What cannot be in an FMU.
void refuse_parts(const assembly::CheckedModel& checked, Diagnostics& diagnostics) {
  for (const model::Component& component : checked.model.components) {
    const kinds::Kind* const kind = kinds::find_kind(component.kind);
    if (kind == nullptr || !kind->is_local) continue;
    diagnostics.error(component.declaration.place(),
                      fmt::format("component '{}' is of the kind '{}', which this program defines; an FMU contains the "
                                  "kinds of Tieline only",
                                  component.name, component.kind));
  }
  for (std::size_t i = 0; i < checked.blueprints.size(); ++i) {
    if (!checked.blueprints[i] || !checked.blueprints[i]->is_program) continue;
    diagnostics.error(checked.model.components[i].declaration.place(),
                      fmt::format("component '{}' is a program, which an FMU cannot contain; leave it out, so that its "
                                  "interfaces' partners are open",
                                  checked.model.components[i].name));
  }
  for (const model::OpenEnd& open : checked.model.open_ends) {
    const fs::path ending = open.record.extension();
    if (open.declaration.has("results") || ending == ".mat" || ending == ".h5") {
      diagnostics.error(
          open.declaration.place_of(open.declaration.has("results") ? "results" : "file"),
          fmt::format("'{}' cannot be read within an FMU; expected a text file, as `tieline export --csv` "
                      "writes it",
                      open.record.string()));
    }
  }
}

/// A wave that is silent, for a trial start.
class SilentEnd final : public assembly::OuterEnd {
 public:
  double wave(double) override { return 0.0; }
  [[nodiscard]] std::optional<double> straight_rate() const override { return 0.0; }
  [[nodiscard]] double& size() override { return size_; }
  void take(const std::vector<wave::Sample>&) override {}

 private:
  double size_ = 0.0;
};

/// Unit of a recorded variable; empty where none is known.
std::string unit_of(const simulation::Run& run, const std::string& variable) {
  const assembly::VariablePlace place = run.place_of(variable);
  const auto unit_in = [](const std::vector<core::Column>& columns, std::size_t at) -> std::string {
    const bool is_known = at < columns.size() && columns[at].unit != "1" && document::parse_unit(columns[at].unit);
    return is_known ? columns[at].unit : "";
  };
  if (place.component >= 0)
    return unit_in(run.component(static_cast<std::size_t>(place.component)).columns(),
                   static_cast<std::size_t>(place.column));
  constexpr std::string_view kOwners = "connections.";
  const std::string_view name = std::string_view(variable).substr(std::min(kOwners.size(), variable.size()));
  for (const model::Connection& connection : run.checked().model.connections) {
    if (!name.starts_with(connection.name)) continue;
    const auto columns = assembly::connection_columns(run.checked(), connection);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (connection.name + "." + columns[i].name == name) return unit_in(columns, i);
    }
  }
  return {};
}

class Exporter {
 public:
  Exporter(const Request& request, Diagnostics& diagnostics) : request_(request), diagnostics_(diagnostics) {}

  std::optional<Manifest> run() {
    if (!check_request()) return std::nullopt;
    auto folder = archive::TemporaryFolder::make("tieline", "for the files of the FMU");
    if (!folder) return refuse(folder.error());
    resources_ = folder->path() / "resources";
    if (!pack() || !describe() || !try_start() || !write()) return std::nullopt;
    return std::move(manifest_);
  }

 private:
  std::nullopt_t refuse(const core::Error& error) {
    diagnostics_.error({request_.model.string(), 0, 0}, error.describe());
    return std::nullopt;
  }

  bool check_request() {
    interchange::Source source(request_.model);
    if (const auto* importer = interchange::find_importer(source)) {
      diagnostics_.error({request_.model.string(), 0, 0},
                         fmt::format("is {}; convert it first: tieline convert {} model.xml", importer->description,
                                     request_.model.string()));
      return false;
    }
    std::error_code failure;
    if (!fs::exists(request_.library / "tieline_fmu.so", failure)) {
      diagnostics_.error({request_.library.string(), 0, 0},
                         "the library of exported FMUs, tieline_fmu.so, is not installed there");
    }
    if (request_.is_exchange && request_.component.empty()) {
      diagnostics_.error({request_.model.string(), 0, 0},
                         "model exchange takes the equations of one component, and a composite model has several "
                         "solvers; name the component (--component), or export the model for co-simulation");
    }
    return !diagnostics_.has_errors();
  }

  /// Copies the model and all that it needs, and reads it again from there.
  bool pack() {
    auto checked = assembly::check_model(request_.model, request_.settings, diagnostics_);
    if (!checked || diagnostics_.has_errors()) return false;
    assembly::keep_in_process(*checked);
    assembly::check_rules(*checked, diagnostics_);
    refuse_parts(*checked, diagnostics_);
    if (diagnostics_.has_errors()) return false;
    const fs::path files = resources_ / "model";
    fs::create_directories(files);
    fs::path model = request_.model;
    if (request_.component.empty()) {
      for (const model::Override& setting : request_.settings)
        manifest_.settings.emplace_back(setting.name, setting.value);
    } else {
      const auto single = single_component(*checked, request_.component, diagnostics_);
      if (!single) return false;
      checked->files = single->files;
      model = single->folder / kSingleFile;
      PackedFiles packed(model, checked->files, files);
      packed.copy(diagnostics_);
      write_text(files / packed.place_of(model), single->text);
      manifest_.model = (fs::path("model") / packed.place_of(model)).string();
    }
    if (manifest_.model.empty()) {
      PackedFiles packed(model, checked->files, files);
      packed.copy(diagnostics_);
      manifest_.model = (fs::path("model") / packed.place_of(model)).string();
    }
    return !diagnostics_.has_errors() && check_packed(files);
  }

  bool check_packed(const fs::path& files) {
    Diagnostics own;
    std::vector<model::Override> settings;
    for (const auto& [name, value] : manifest_.settings) settings.push_back({name, value});
    auto packed = assembly::check_model(resources_ / manifest_.model, settings, own);
    for (const auto& entry : own.all()) {
      if (entry.severity == document::Severity::error)
        diagnostics_.error({request_.model.string(), 0, 0}, fmt::format("in the FMU: {}", entry.message));
    }
    if (!packed || diagnostics_.has_errors()) return false;
    const std::string root = files.string() + "/";
    for (const std::string& file : packed->files) {
      if (fs::absolute(file).lexically_normal().string().starts_with(root)) continue;
      diagnostics_.error({request_.model.string(), 0, 0},
                         fmt::format("'{}' is named by an absolute path, which other machines do not have; expected a "
                                     "path relative to the file that names it",
                                     file));
    }
    checked_ = std::move(*packed);
    return !diagnostics_.has_errors();
  }

  bool describe() {
    const model::SimulationSettings& simulation = checked_.model.simulation;
    manifest_.fmi_version = request_.fmi_version;
    manifest_.is_exchange = request_.is_exchange;
    manifest_.model_name = request_.component.empty() ? checked_.model.name : request_.component;
    if (manifest_.model_name.empty()) manifest_.model_name = request_.model.stem().string();
    manifest_.identifier = identifier_of(manifest_.model_name);
    manifest_.description =
        request_.component.empty() ? checked_.model.description : checked_.model.components.front().description;
    manifest_.start = simulation.start;
    manifest_.stop = request_.stop.value_or(simulation.stop);
    if (!(manifest_.stop > manifest_.start)) {
      diagnostics_.error({request_.model.string(), 0, 0}, fmt::format("the stop time {} s is not after the start, {} s",
                                                                      manifest_.stop, manifest_.start));
      return false;
    }
    show_model(checked_, request_, manifest_, diagnostics_);
    if (!diagnostics_.has_errors())
      find_structural_parameters(checked_, resources_ / manifest_.model, request_, manifest_, diagnostics_);
    return !diagnostics_.has_errors();
  }

  /// Whether the FMU can start, what variables it then has, and whether it can be saved.
  bool try_start() {
    try {
      SilentEnd silence;
      std::set<std::string> spaces;
      simulation::Run run(resources_ / manifest_.model);
      std::vector<Setting> settings;
      for (const auto& [name, value] : manifest_.settings) settings.push_back({name, value});
      run.compute_here();
      run.set(settings);
      run.set_stop(manifest_.stop);
      for (const ExportedVariable& variable : manifest_.variables) {
        if (variable.axis >= 0) {
          if (spaces.insert(variable.end).second) {
            run.open_space({.name = variable.end,
                            .impedance = variable.role == Role::input ? std::nullopt : std::optional(0.0),
                            .ends = {&silence, &silence, &silence, &silence, &silence, &silence}});
          }
          continue;
        }
        if (variable.role == Role::impedance) run.open_line(variable.end, 0.0, silence);
        if (variable.role != Role::input) continue;
        for (std::size_t k = 0; k < variable.targets.size(); ++k) {
          run.open_input(variable.targets[k]);
          run.set_input(variable.targets[k], variable.start[k]);
        }
      }
      run.start({.threads = 1});
      add_outputs(run.variables(), request_, manifest_, diagnostics_);
      for (ExportedVariable& variable : manifest_.variables) {
        if (variable.role != Role::output) continue;
        for (const std::string& target : variable.targets) (void)run.place_of(target);
        if (variable.unit.empty() && variable.targets.size() == 1)
          variable.unit = unit_of(run, variable.targets.front());
      }
      if (manifest_.is_exchange) return show_equations(run);
      const std::string obstacle = run.snapshot_obstacle();
      manifest_.can_save = obstacle.empty();
      if (!obstacle.empty()) note(fmt::format("the FMU cannot save its state: {}", obstacle));
      const double step = kStepShare * (manifest_.stop - manifest_.start);
      manifest_.step = run.snapped(manifest_.start + step, 0.5 * step) - manifest_.start;
    } catch (const std::exception& failure) {
      std::string what = failure.what();
      const std::string folder = resources_.string() + "/model/";
      for (std::size_t at = what.find(folder); at != what.npos; at = what.find(folder, at))
        what.erase(at, folder.size());
      diagnostics_.error({request_.model.string(), 0, 0}, fmt::format("cannot start as an FMU: {}", what));
    }
    return !diagnostics_.has_errors();
  }

  bool show_equations(simulation::Run& run) {
    if (const std::string obstacle = ExchangeModel::obstacle(run); !obstacle.empty()) {
      diagnostics_.error(
          run.checked().model.components.front().declaration.place(),
          fmt::format("component '{}' cannot be exported for model exchange: {}", request_.component, obstacle));
      return false;
    }
    const std::string obstacle = add_equations(run, manifest_);
    if (!obstacle.empty()) note(fmt::format("the FMU cannot save its state: {}", obstacle));
    return true;
  }

  void note(const std::string& text) { diagnostics_.note({request_.model.string(), 0, 0}, text); }

  void write_text(const fs::path& file, const std::string& text) {
    std::error_code failure;
    fs::create_directories(file.parent_path(), failure);
    std::ofstream stream(file, std::ios::binary);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream.flush()) diagnostics_.error({file.string(), 0, 0}, "cannot be written");
  }

  bool write() {
    manifest_.token = token_of(manifest_, resources_);
    archive::ZipWriter zip;
    const auto add = [&](const core::Result<void>& added) {
      if (!added) diagnostics_.error({request_.out.string(), 0, 0}, added.error().describe());
    };
    const bool is_3 = manifest_.fmi_version == 3;
    const std::string binaries = is_3 ? "binaries/x86_64-linux/" : "binaries/linux64/";
    add(zip.add("modelDescription.xml", description_of(manifest_)));
    if (is_3 && !manifest_.terminals.empty())
      add(zip.add("terminalsAndIcons/terminalsAndIcons.xml", terminals_of(manifest_)));
    add(zip.add_folder("resources", resources_));
    add(zip.add(fmt::format("resources/{}", kManifestFile), to_json(manifest_)));
    add(zip.add_file(binaries + manifest_.identifier + ".so", request_.library / "tieline_fmu.so"));
    for (const auto& entry : fs::directory_iterator(request_.library)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("lib")) add(zip.add_file(binaries + name, entry.path()));
    }
    if (fs::exists(request_.library / "sources")) add(zip.add_folder("sources", request_.library / "sources"));
    if (!diagnostics_.has_errors()) add(zip.write(request_.out));
    return !diagnostics_.has_errors();
  }

  const Request& request_;
  Diagnostics& diagnostics_;
  fs::path resources_;
  assembly::CheckedModel checked_;
  Manifest manifest_;
};

}  // namespace

std::optional<Manifest> export_fmu(const Request& request, Diagnostics& diagnostics) {
  return Exporter(request, diagnostics).run();
}

}  // namespace tieline::fmu_export
