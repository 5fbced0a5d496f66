#include "core/domain.hpp"

namespace tieline::core {
namespace {

constexpr std::array<DomainNames, 3> kNames{{
    {"translation", "position", "m", "velocity", "m/s", "force", "N"},
    {"rotation", "angle", "rad", "angular_velocity", "rad/s", "torque", "N m"},
    {"signal", "", "", "value", "", "", ""},
}};

}  // namespace

const DomainNames& names_of(Domain domain) { return kNames[static_cast<std::size_t>(domain)]; }

std::optional<Domain> domain_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i].domain == name) return static_cast<Domain>(i);
  }
  return std::nullopt;
}

std::array<std::string_view, 3> all_domain_names() { return {kNames[0].domain, kNames[1].domain, kNames[2].domain}; }

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
