#include "interchange/fmu_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

#include "core/name_list.hpp"
#include "core/name_pattern.hpp"
#include "fmi/description.hpp"
#include "fmi/fmu_file.hpp"
#include "interchange/fmu_inputs.hpp"
#include "interchange/foreign_text.hpp"
#include "interchange/xml_writer.hpp"
#include "model/fmu_mode.hpp"

namespace tieline::interchange {
namespace {

using document::Diagnostics;
using document::Place;

constexpr double kDefaultLength = 1.0;  // [s]

std::optional<fmi::Description> describe(const std::filesystem::path& file, Diagnostics& diagnostics) {
  auto archive = fmi::open_fmu(file, diagnostics);
  if (!archive) return std::nullopt;
  return fmi::read_description(*archive, diagnostics);
}

/// What the command line states about the run of the FMU.
struct SingleRunOptions {
  std::string mode{}, solver{}, step{}, tolerance{}, write_interval{};
  std::filesystem::path input{};
  std::vector<ColumnMap> map{};
  std::vector<std::string> record{};            ///< "outputs", "all", "none", or patterns
  std::vector<model::Override> of_variables{};  ///< everything else

  [[nodiscard]] bool has_patterns() const {
    return std::any_of(record.begin(), record.end(),
                       [](const std::string& each) { return each != "all" && each != "outputs" && each != "none"; });
  }
};

SingleRunOptions options_in(std::span<const model::Override> overrides) {
  SingleRunOptions options;
  for (const model::Override& given : overrides) {
    if (given.name == model::kFmuInputSetting) {
      options.input = given.value;
    } else if (given.name == model::kFmuMapSetting) {
      const auto names = core::split_names(given.value);
      if (names.size() == 2) options.map.push_back({core::unquoted(names[0]), core::unquoted(names[1])});
    } else if (given.name == model::kFmuStepSetting) {
      options.step = given.value;
    } else if (given.name == model::kFmuSolverSetting) {
      options.solver = given.value;
    } else if (given.name == model::kFmuToleranceSetting) {
      options.tolerance = given.value;
    } else if (given.name == model::kFmuWriteIntervalSetting) {
      options.write_interval = given.value;
    } else if (given.name == model::kFmuRecordSetting) {
      options.record.push_back(given.value);
    } else {
      if (given.name == model::kModeSetting) options.mode = given.value;
      options.of_variables.push_back(given);
    }
  }
  return options;
}

bool is_co_simulation(const fmi::Description& description, const SingleRunOptions& options) {
  return options.mode.empty() ? !description.model_exchange.has_value() : options.mode == model::kCoSimulation;
}

/// What is a variable of the FMU, or nothing else, belongs to the component; its full name may be given as well.
std::vector<model::Override> of_component(const std::string& component, const fmi::Description& description,
                                          std::vector<model::Override> overrides) {
  const std::string prefix = component + ".";
  for (model::Override& given : overrides) {
    const bool is_full = given.name.starts_with(prefix) && description.scalars_of(given.name).empty() &&
                         description.index_of(given.name) == fmi::kNone;
    if (!is_full) given.name = prefix + given.name;
  }
  return overrides;
}

/// A pattern of variables as the FMU names them: results call "h" "component.h" or "component.h.value".
std::string own_pattern(std::string_view pattern, const std::string& component, const fmi::Description& description) {
  const auto is_known = [&](std::string_view text) {
    return std::any_of(description.variables.begin(), description.variables.end(),
                       [&](const fmi::Variable& variable) { return core::matches_pattern(text, variable.name); });
  };
  std::string_view shorter = pattern;
  if (shorter.starts_with(component + ".")) shorter.remove_prefix(component.size() + 1);
  if (constexpr std::string_view kValue = ".value"; !is_known(shorter) && shorter.ends_with(kValue)) {
    shorter.remove_suffix(kValue.size());
  }
  return std::string(is_known(pattern) ? pattern : shorter);
}

/// Writes the elements of the model.
class FmuModelWriter {
 public:
  FmuModelWriter(const fmi::Description& description, const SingleRunOptions& options, std::string name, Place place)
      : description_(description), options_(options), name_(std::move(name)), place_(std::move(place)) {
    const bool is_all = std::find(options_.record.begin(), options_.record.end(), "all") != options_.record.end();
    if (is_all || !options_.has_patterns()) return;
    for (const std::string& pattern : options_.record) patterns_.push_back(own_pattern(pattern, name_, description_));
  }

  void write_component(const std::string& path) {
    const fmi::DefaultExperiment& experiment = description_.experiment;
    writer.open("Components", place_);
    writer.open("Component", place_);
    attribute("name", name_);
    attribute("kind", model::kFmuKind);
    attribute("file", path);
    attribute("solver", options_.solver);
    if (is_co_simulation(description_, options_)) {
      if (options_.step.empty()) number("step", experiment.step_size);
      attribute("step", options_.step);
    } else {
      attribute(options_.solver == "rk4" || options_.solver == "zhai" ? "step" : "largest_step", options_.step);
      if (options_.tolerance.empty()) number("tolerance", experiment.tolerance);
    }
    attribute("tolerance", options_.tolerance);
    if (!options_.record.empty()) {
      writer.open("Fmu", place_);
      attribute("record", recorded());
      writer.close();
    }
    writer.close();
    writer.close();
  }

  void write_inputs(std::span<const DrivenInput> inputs, const std::string& file) {
    if (inputs.empty()) return;
    writer.open("Connections", place_);
    for (const DrivenInput& input : inputs) {
      writer.open("Open", place_);
      attribute("interface", name_ + "." + input.variable);
      attribute("as", "signal");
      attribute("file", file);
      attribute("variable", core::quoted_if_needed(input.column));
      writer.close();
    }
    writer.close();
  }

  void write_simulation(double start, double stop) {
    writer.open("Simulation", place_);
    number("start", start);
    number("stop", stop);
    attribute("write_interval", options_.write_interval);
    for (const std::string& pattern : patterns_) {
      writer.open("Record", place_);
      std::string all;
      for (const char* const ending : {"", ".value", "[*].value"}) {
        all += (all.empty() ? "" : ", ") + core::quoted_if_needed(name_ + "." + pattern + ending);
      }
      attribute("variables", all);
      writer.close();
    }
    writer.close();
  }

  XmlWriter writer{};

 private:
  void attribute(std::string_view name, std::string_view value) {
    if (!value.empty()) writer.attribute(name, value, place_);
  }
  void number(std::string_view attribute, std::optional<double> value) {
    if (value) writer.attribute(attribute, fmt::format("{}", *value), place_);
  }

  [[nodiscard]] std::string recorded() const {
    if (patterns_.empty()) return options_.has_patterns() ? "all" : options_.record.back();
    std::string list;
    for (const std::string& pattern : patterns_) list += (list.empty() ? "" : ", ") + core::quoted_if_needed(pattern);
    return list;
  }

  const fmi::Description& description_;
  const SingleRunOptions& options_;
  std::string name_;
  Place place_;
  std::vector<std::string> patterns_;  ///< of the FMU's own names; empty: `record` is one word
};

/// When a run by the default experiment ends. An FMU that takes steps of one size only has no shorter one for the rest
/// of a run: it ends with the last whole step.
double default_stop(const fmi::Description& description, const SingleRunOptions& options, double start,
                    const Place& place, Diagnostics& diagnostics) {
  // Less than this share of a step is rounding.
  constexpr double kRounding = 1e-6;
  const double stop = *description.experiment.stop_time;
  if (!is_co_simulation(description, options) || !description.co_simulation ||
      description.co_simulation->can_handle_variable_step_size) {
    return stop;
  }
  double step = description.experiment.step_size.value_or(0.0);
  if (!options.step.empty()) step = std::strtod(options.step.c_str(), nullptr);
  const double count = std::floor((stop - start) / step + kRounding);
  if (!(step > 0.0) || count < 1.0 || (stop - start) / step - count <= kRounding) return stop;
  const double end = start + count * step;
  diagnostics.warning(
      place,
      fmt::format("the FMU takes steps of one size only (canHandleVariableCommunicationStepSize), and its default "
                  "stop time, {:g} s, is not a whole number of its steps of {:g} s; the run ends at {:g} s",
                  stop, step, end));
  return end;
}

/// The FMU as a model in `folder` names it; empty: one beside it.
std::string path_of(const std::filesystem::path& file, const std::filesystem::path& folder) {
  if (folder.empty()) return file.has_filename() ? file.filename().string() : ".";
  std::error_code failure;
  const auto target = std::filesystem::absolute(file, failure).lexically_normal();
  const auto from = std::filesystem::absolute(folder, failure).lexically_normal();
  return failure ? file.string() : target.lexically_proximate(from).generic_string();
}

}  // namespace

std::optional<ImportedModel> read_fmu_model(Source& source, const ImportRequest& request, Diagnostics& diagnostics) {
  const std::filesystem::path& file = source.file();
  const auto description = describe(file, diagnostics);
  if (!description) return std::nullopt;
  const fmi::DefaultExperiment& experiment = description->experiment;
  const std::string name = description->model_name.empty() ? "model" : as_name(description->model_name);
  const double start = experiment.start_time.value_or(0.0);
  const Place place{file.string(), 0, 0};
  const bool has_stop = experiment.stop_time && *experiment.stop_time > start;
  if (!has_stop) {
    diagnostics.note(
        place,
        fmt::format("the FMU has no default stop time; its run ends {:g} s after its start unless --stop is given",
                    kDefaultLength));
  }

  const SingleRunOptions options = options_in(request.overrides);
  std::vector<DrivenInput> driven;
  if (!options.input.empty()) {
    driven = match_inputs({options.input, options.map, name}, *description, diagnostics);
  } else if (!options.map.empty()) {
    diagnostics.error(place, "--map assigns columns of a file; state the file with --input");
  }
  FmuModelWriter model(*description, options, name, place);
  XmlWriter& writer = model.writer;
  writer.open("CompositeModel", place);
  writer.attribute("name", name, place);
  model.write_component(path_of(file, request.folder));
  model.write_inputs(driven, options.input.string());
  model.write_simulation(
      start, has_stop ? default_stop(*description, options, start, place, diagnostics) : start + kDefaultLength);
  writer.close();
  auto document = document::Document::parse(writer.text(), file.string(), diagnostics, writer.origins());
  if (!document) return std::nullopt;
  ImportedModel imported{.document = std::move(document),
                         .overrides = of_component(name, *description, options.of_variables)};
  imported.report.translated("FMUs");
  imported.report.translated("run settings");
  return imported;
}

}  // namespace tieline::interchange
