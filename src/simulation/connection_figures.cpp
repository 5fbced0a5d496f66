#include "simulation/connection_figures.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tieline::simulation {

core::Domain domain_of(const CheckedModel& checked, const model::Connection& connection) {
  const auto& blueprint = checked.blueprints[static_cast<std::size_t>(connection.from.component)];
  if (!blueprint) return core::Domain::translation;
  const auto& interfaces = blueprint->interfaces;
  const auto found = std::find_if(interfaces.begin(), interfaces.end(),
                                  [&](const auto& interface) { return interface.name == connection.from.interface; });
  return found == interfaces.end() ? core::Domain::translation : found->domain;
}

std::optional<coupling::LineFigures> line_figures(const CheckedModel& checked, const model::Connection& connection,
                                                  std::string& problem) {
  const model::LineNumbers& n = connection.line;
  const coupling::LineGivens givens{.delay = connection.delay,
                                    .stiffness = n.stiffness,
                                    .impedance = n.impedance,
                                    .youngs_modulus = n.youngs_modulus,
                                    .area = n.area,
                                    .length = n.length,
                                    .sound_speed = n.sound_speed,
                                    .damping = n.damping,
                                    .bulk_modulus = n.bulk_modulus,
                                    .density = n.density,
                                    .inductance = n.inductance,
                                    .capacitance = n.capacitance,
                                    .heat_capacity = n.heat_capacity,
                                    .resistance = n.resistance};
  return coupling::derive(givens, domain_of(checked, connection), problem);
}

std::string describe_connection(const CheckedModel& checked, const model::Connection& connection) {
  switch (connection.coupling) {
    case model::Coupling::line: {
      if (connection.from.component < 0) return "line";
      std::string problem;
      const auto figures = line_figures(checked, connection, problem);
      if (!figures) return "line: " + problem;
      const core::Domain domain = domain_of(checked, connection);
      const coupling::LineNames& names = coupling::line_names_of(domain);
      return fmt::format(
          "line: T = {:g} s, Z = {:g} {}, {} = {:g} {}, {} {:g} {}, first frequency {:g} Hz, damping {:g}",
          figures->law.delay, figures->impedance, names.impedance_unit, names.static_name,
          coupling::static_figure(*figures, domain), names.static_unit, names.parasitic_name, figures->parasitic_mass,
          names.parasitic_unit, figures->first_frequency, figures->law.damping);
    }
    case model::Coupling::sampled: {
      const std::string step = connection.sampled.step ? fmt::format(", step {:g} s", *connection.sampled.step) : "";
      return fmt::format("sampled: {}, {}{}", core::name_of(connection.sampled.schedule),
                         core::name_of(connection.sampled.extrapolation), step);
    }
    case model::Coupling::signal:
      return connection.delay.value_or(0.0) > 0.0 ? fmt::format("signal, delayed by {:g} s", *connection.delay)
                                                  : "signal, undelayed";
  }
  return "";
}

}  // namespace tieline::simulation
