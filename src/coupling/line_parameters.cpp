#include "coupling/line_parameters.hpp"

#include <array>
#include <cmath>

namespace tieline::coupling {
namespace {

using core::Domain;

/// Impedance as stated in the domain, and delay.
struct Line {
  double impedance = 0.0;
  double delay = 0.0;
};

constexpr LineNames kTranslation{"N s/m", "k", "N/m", "parasitic mass", "kg"};
constexpr LineNames kRotation{"N m s/rad", "k", "N m/rad", "parasitic inertia", "kg m2"};
constexpr LineNames kHydraulic{"Pa s/m3", "inertance", "Pa s2/m3", "capacitance", "m3/Pa"};
constexpr LineNames kElectrical{"ohm", "inductance", "H", "capacitance", "F"};
constexpr LineNames kThermal{"K/W", "inertance", "K s/W", "heat capacity", "J/K"};

bool has_material(const LineParameters& g) { return g.youngs_modulus || g.area || g.length || g.sound_speed; }

/// What only other domains than this one may state; empty if there is nothing.
std::string foreign_parameter(const LineParameters& g, Domain domain) {
  const bool is_fluid = domain == Domain::hydraulic;
  const bool is_electrical = domain == Domain::electrical;
  struct Rule {
    std::string_view name;
    bool is_stated;
    bool is_allowed;
  };
  const std::array<Rule, 10> rules{{{"stiffness", g.stiffness.has_value(), core::is_mechanical(domain)},
                                    {"youngs_modulus", g.youngs_modulus.has_value(), core::is_mechanical(domain)},
                                    {"sound_speed", g.sound_speed.has_value(), core::is_mechanical(domain)},
                                    {"area", g.area.has_value(), core::is_mechanical(domain) || is_fluid},
                                    {"bulk_modulus", g.bulk_modulus.has_value(), is_fluid},
                                    {"density", g.density.has_value(), is_fluid},
                                    {"inductance", g.inductance.has_value(), is_electrical},
                                    {"capacitance", g.capacitance.has_value(), is_electrical},
                                    {"heat_capacity", g.heat_capacity.has_value(), domain == Domain::thermal},
                                    {"resistance", g.resistance.has_value(), domain == Domain::thermal}}};
  for (const Rule& rule : rules) {
    if (rule.is_stated && !rule.is_allowed) return std::string(rule.name);
  }
  return "";
}

/// The ways to state a line of a domain, in words.
std::string ways_of(Domain domain) {
  switch (domain) {
    case Domain::hydraulic:
      return "(impedance, delay), (bulk_modulus, density, area, length)";
    case Domain::electrical:
      return "(impedance, delay), (inductance, capacitance, length)";
    case Domain::thermal:
      return "(impedance, delay), (heat_capacity, resistance)";
    default:
      return "(stiffness, delay), (impedance, delay), (youngs_modulus, area, length, sound_speed), "
             "(youngs_modulus, length, sound_speed)";
  }
}

std::optional<Line> mechanical_line(const LineParameters& parameters, Domain domain, std::string& problem) {
  double delay = parameters.delay.value_or(0.0);
  double stiffness = parameters.stiffness.value_or(0.0);
  if (has_material(parameters)) {
    if (parameters.delay || !parameters.youngs_modulus || !parameters.length || !parameters.sound_speed) {
      problem = "a line of material takes youngs_modulus, length, sound_speed and optionally area, and no delay";
      return std::nullopt;
    }
    const double length = *parameters.length;
    delay = length / *parameters.sound_speed;  // eq. (7) in [Fritzson2007]
    stiffness = *parameters.youngs_modulus * parameters.area.value_or(length * length) / length;  // eqs. (3), (6)
    if (domain == Domain::rotation) stiffness *= length * length / 4.0;
  } else if (!parameters.delay) {
    problem = "the line has no delay";
    return std::nullopt;
  }
  // With damping the static stiffness is (1 - alpha) Z / T, so a wanted stiffness needs a larger impedance than eq.
  // (4).
  return Line{parameters.impedance ? *parameters.impedance : stiffness * delay / (1.0 - parameters.damping), delay};
}

/// A hydraulic, electrical or thermal line; the givens are those of the domain alone.
std::optional<Line> conducting_line(const LineParameters& g, Domain domain, std::string& problem) {
  if (g.impedance) {
    if (g.delay) return Line{*g.impedance, *g.delay};
    problem = "the line has no delay";
    return std::nullopt;
  }
  if (!g.delay && domain == Domain::hydraulic && g.bulk_modulus && g.density && g.area && g.length) {
    const double sound_speed = std::sqrt(*g.bulk_modulus / *g.density);
    return Line{*g.density * sound_speed / *g.area, *g.length / sound_speed};
  }
  if (!g.delay && domain == Domain::electrical && g.inductance && g.capacitance && g.length) {
    return Line{std::sqrt(*g.inductance / *g.capacitance), *g.length * std::sqrt(*g.inductance * *g.capacitance)};
  }
  if (!g.delay && domain == Domain::thermal && g.heat_capacity && g.resistance) {
    return Line{*g.resistance, *g.resistance * *g.heat_capacity};
  }
  problem = "expected all of one of " + ways_of(domain);
  return std::nullopt;
}

}  // namespace

const LineNames& line_names_of(Domain domain) {
  switch (domain) {
    case Domain::rotation:
      return kRotation;
    case Domain::hydraulic:
      return kHydraulic;
    case Domain::electrical:
      return kElectrical;
    case Domain::thermal:
      return kThermal;
    default:
      return kTranslation;
  }
}

double static_figure(const LineFigures& figures, Domain domain) {
  return core::is_mechanical(domain) ? figures.stiffness : 1.0 / figures.stiffness;
}

std::optional<LineFigures> derive(const LineParameters& parameters, Domain domain, std::string& problem) {
  const std::string domain_name(core::names_of(domain).domain);
  if (const std::string foreign = foreign_parameter(parameters, domain); !foreign.empty()) {
    problem =
        "'" + foreign + "' does not apply to a line of domain " + domain_name + ": expected one of " + ways_of(domain);
    return std::nullopt;
  }
  const bool has_matter = has_material(parameters) || parameters.bulk_modulus || parameters.density ||
                          parameters.inductance || parameters.capacitance || parameters.heat_capacity ||
                          parameters.resistance;
  const int ways = (parameters.stiffness ? 1 : 0) + (parameters.impedance ? 1 : 0) + (has_matter ? 1 : 0);
  if (ways != 1) {
    problem = std::string(ways == 0 ? "the line's parameters are missing" : "the line is over-determined") +
              ": expected one of " + ways_of(domain);
    return std::nullopt;
  }
  const double alpha = parameters.damping;
  if (!(alpha >= 0.0 && alpha < 1.0)) {
    problem = "damping must be at least 0 and less than 1";
    return std::nullopt;
  }
  const bool is_mechanical = core::is_mechanical(domain);
  const auto line =
      is_mechanical ? mechanical_line(parameters, domain, problem) : conducting_line(parameters, domain, problem);
  if (!line) return std::nullopt;
  if (!(line->delay > 0.0) || !(line->impedance > 0.0) || !std::isfinite(line->impedance)) {
    problem = "delay and impedance (or stiffness) must be positive and finite";
    return std::nullopt;
  }

  LineFigures figures;
  figures.law.delay = line->delay;
  figures.law.damping = alpha;
  figures.law.impedance = is_mechanical ? line->impedance : 1.0 / line->impedance;
  figures.impedance = line->impedance;
  figures.stiffness = (1.0 - alpha) * figures.law.impedance / line->delay;
  figures.parasitic_mass = figures.law.impedance * line->delay;  // eq. (5)
  figures.first_frequency = 0.5 / line->delay;                   // eq. (2)
  return figures;
}

}  // namespace tieline::coupling
