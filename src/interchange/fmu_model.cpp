#include "interchange/fmu_model.hpp"

#include <fmt/format.h>

#include "fmi/description.hpp"
#include "fmi/fmu_file.hpp"
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

/// Whether the FMU's own solver is asked to run it, as far as the command line says.
bool is_co_simulation(const fmi::Description& description, std::span<const model::Override> overrides) {
  bool answer = !description.model_exchange.has_value();
  for (const model::Override& given : overrides) {
    if (given.name == model::kModeSetting) answer = given.value == model::kCoSimulation;
  }
  return answer;
}

/// What is a variable of the FMU, or nothing else, belongs to the component; its full name may be given as well.
std::vector<model::Override> of_component(const std::string& component, const fmi::Description& description,
                                          std::span<const model::Override> overrides) {
  const std::string prefix = component + ".";
  std::vector<model::Override> result(overrides.begin(), overrides.end());
  for (model::Override& given : result) {
    const bool is_full = given.name.starts_with(prefix) && description.scalars_of(given.name).empty() &&
                         description.index_of(given.name) == fmi::kNone;
    if (!is_full) given.name = prefix + given.name;
  }
  return result;
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

  XmlWriter writer;
  const auto number = [&](std::string_view attribute, std::optional<double> value) {
    if (value) writer.attribute(attribute, fmt::format("{}", *value), place);
  };
  writer.open("CompositeModel", place);
  writer.attribute("name", name, place);
  writer.open("Components", place);
  writer.open("Component", place);
  writer.attribute("name", name, place);
  writer.attribute("kind", model::kFmuKind, place);
  writer.attribute("file", path_of(file, request.folder), place);
  if (is_co_simulation(*description, request.overrides)) {
    number("step", experiment.step_size);
  } else {
    number("tolerance", experiment.tolerance);
  }
  writer.close();
  writer.close();
  writer.open("Simulation", place);
  number("start", start);
  number("stop", has_stop ? experiment.stop_time : start + kDefaultLength);
  writer.close();
  writer.close();
  auto document = document::Document::parse(writer.text(), file.string(), diagnostics, writer.origins());
  if (!document) return std::nullopt;
  return ImportedModel{.document = std::move(document),
                       .overrides = of_component(name, *description, request.overrides)};
}

}  // namespace tieline::interchange
