#include "tieline/studies.hpp"

#include <limits>

#include "api/errors.hpp"
#include "api/model_files.hpp"
#include "api/result_reader.hpp"
#include "studies/advise.hpp"
#include "studies/modes.hpp"
#include "studies/replay.hpp"

namespace tieline {
namespace {

LineAdvice line_advice(const coupling::LineAdvice& line, const std::vector<std::vector<double>>& frequencies,
                       double accuracy) {
  const auto lowest = [&](std::size_t end) {
    return end < frequencies.size() && !frequencies[end].empty() ? frequencies[end].front()
                                                                 : std::numeric_limits<double>::quiet_NaN();
  };
  LineAdvice result{.delay = line.figures.law.delay,
                    .damping = line.figures.law.damping,
                    .viscous_damping = line.viscous_damping,
                    .mass_from = line.masses.from,
                    .mass_to = line.masses.to,
                    .pair_frequency = line.pair_frequency,
                    .longest_delay = line.longest_delay,
                    .acceptable_shift = coupling::kAcceptableShift,
                    .stiffness = line.figures.stiffness,
                    .stiffness_from = line.stiffness.from,
                    .stiffness_to = line.stiffness.to,
                    .series_stiffness = line.series_stiffness,
                    .first_frequency = line.figures.first_frequency,
                    .lowest_from = lowest(0),
                    .lowest_to = lowest(1),
                    .accuracy = accuracy,
                    .recommended_delay = coupling::recommended_delay(line, accuracy, frequencies)};
  for (const auto& o : line.options) {
    result.options.push_back({o.delay, o.parasitic_mass, o.mass_ratio, o.frequency_shift, o.windows_per_second});
  }
  return result;
}

ConnectionAdvice connection_advice(const studies::ConnectionAdvice& connection, double accuracy) {
  const auto line = [&](const std::optional<coupling::LineAdvice>& advice) {
    return advice ? std::optional(line_advice(*advice, connection.frequencies, accuracy)) : std::nullopt;
  };
  return {.name = connection.name,
          .description = connection.description,
          .rotates = connection.domain == core::Domain::rotation,
          .line = line(connection.line),
          .rotation = line(connection.rotation),
          .warnings = connection.warnings};
}

}  // namespace

ModelAdvice advise_on_delays(const std::filesystem::path& model, const std::vector<Setting>& settings, double accuracy,
                             bool tries_programs) {
  document::Diagnostics diagnostics;
  const auto checked = api::sound_model(model, settings, diagnostics);
  std::optional<studies::ProgramProbe> programs;
  if (tries_programs) programs = {.file = model, .overrides = api::overrides_of(settings)};
  const auto advice = studies::advise(checked, diagnostics, programs);
  if (!advice) api::throw_model_error(diagnostics);
  ModelAdvice result{.duration = advice->duration};
  result.notes = advice->notes;
  for (const auto& c : advice->components) {
    result.components.push_back({c.name, c.window, c.shortest_delay, c.frequencies, c.explicit_step});
  }
  for (const auto& connection : advice->connections) {
    result.connections.push_back(connection_advice(connection, accuracy));
  }
  return result;
}

std::vector<ComponentModes> natural_modes(const std::filesystem::path& model, int count, const std::string& component,
                                          const std::vector<Setting>& settings) {
  document::Diagnostics diagnostics;
  const auto checked = api::sound_model(model, settings, diagnostics);
  const auto found = studies::natural_modes(checked, count, component, diagnostics);
  if (!found) api::throw_model_error(diagnostics);
  std::vector<ComponentModes> result;
  for (const studies::ComponentModes& modes : *found) {
    ComponentModes& entry = result.emplace_back(ComponentModes{modes.name, modes.kind, std::nullopt});
    if (!modes.modes) continue;
    entry.modes.emplace();
    for (const core::NaturalMode& mode : *modes.modes) {
      entry.modes->push_back({mode.frequency, mode.place, mode.direction});
    }
  }
  return result;
}

ReplayOutcome replay(const std::filesystem::path& folder, const std::string& component, const ReplayOptions& options) {
  document::Diagnostics diagnostics;
  const auto outcome = studies::replay({.folder = folder,
                                        .component = component,
                                        .out = options.out,
                                        .site_file = options.site,
                                        .runner = {},
                                        .cancel = options.cancel,
                                        .on_note = options.on_note},
                                       diagnostics);
  if (diagnostics.has_errors()) api::throw_model_error(diagnostics);
  if (!outcome) {
    const core::Error& error = outcome.error();
    if (error.code == core::ErrorCode::bad_input) throw std::out_of_range(error.describe());
    if (error.code == core::ErrorCode::input_output) throw FileError(error.describe());
    api::throw_run_error(error);
  }
  return {.node = outcome->node,
          .out = outcome->out,
          .begin = outcome->begin,
          .end = outcome->end,
          .stop = outcome->stop,
          .is_whole = outcome->is_whole,
          .has_same_values = outcome->has_same_values,
          .failure = outcome->failure ? outcome->failure->describe() : "",
          .comparison = api::comparison_of(outcome->comparison)};
}

}  // namespace tieline
