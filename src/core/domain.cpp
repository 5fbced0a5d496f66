#include "core/domain.hpp"

#include <algorithm>

namespace tieline::core {
namespace {

constexpr std::array<DomainNames, 7> kNames{{
    {"translation", "position", "m", "velocity", "m/s", "force", "N", "N s", "J"},
    {"rotation", "angle", "rad", "angular_velocity", "rad/s", "torque", "N m", "N m s", "J"},
    {"hydraulic", "", "Pa s", "pressure", "Pa", "flow", "m^3/s", "m^3", "J"},
    {"electrical", "", "V s", "voltage", "V", "current", "A", "A s", "J"},
    // Heat flow is a power already: temperature times heat flow is none.
    {"thermal", "", "K s", "temperature", "K", "heat_flow", "W", "J", "J K"},
    {"mechanical3d", "position", "m", "velocity", "m/s", "force", "N", "N s", "J"},
    {"signal", "", "", "value", "", "", "", "", ""},
}};

}  // namespace

const DomainNames& names_of(Domain domain) { return kNames[static_cast<std::size_t>(domain)]; }

std::optional<Domain> domain_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i].domain == name) return static_cast<Domain>(i);
  }
  return std::nullopt;
}

std::array<std::string_view, kNames.size()> all_domain_names() {
  std::array<std::string_view, kNames.size()> names;
  std::transform(kNames.begin(), kNames.end(), names.begin(), [](const DomainNames& n) { return n.domain; });
  return names;
}

std::string_view name_of(Causality causality) {
  switch (causality) {
    case Causality::takes_force:
      return "force";
    case Causality::takes_motion:
      return "motion";
    case Causality::input:
      return "input";
    case Causality::output:
      return "output";
  }
  return "";
}

}  // namespace tieline::core
