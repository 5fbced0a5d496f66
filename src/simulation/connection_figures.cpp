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
  const coupling::LineGivens givens{connection.delay, n.stiffness, n.impedance,   n.youngs_modulus,
                                    n.area,           n.length,    n.sound_speed, n.damping};
  return coupling::derive(givens, domain_of(checked, connection), problem);
}

std::string describe_connection(const CheckedModel& checked, const model::Connection& connection) {
  switch (connection.coupling) {
    case model::Coupling::line: {
      if (connection.from.component < 0) return "line";
      std::string problem;
      const auto figures = line_figures(checked, connection, problem);
      if (!figures) return "line: " + problem;
      const bool turns = domain_of(checked, connection) == core::Domain::rotation;
      return fmt::format(
          "line: T = {:g} s, Z = {:g} {}, k = {:g} {}, parasitic {} {:g} {}, first frequency {:g} Hz, damping {:g}",
          figures->law.delay, figures->law.impedance, turns ? "N m s/rad" : "N s/m", figures->stiffness,
          turns ? "N m/rad" : "N/m", turns ? "inertia" : "mass", figures->parasitic_mass, turns ? "kg m2" : "kg",
          figures->first_frequency, figures->law.damping);
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
