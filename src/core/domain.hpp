#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace tieline::core {

/// What an interface carries.
///
/// Every domain pairs a quantity that is the same on both sides of an ideal joint (velocity, pressure, voltage,
/// temperature) with one that sums to zero there (force on, flow into, current into, heat flow into the component). The
/// port law calls the first `flow` and the second `effort`, as fits mechanics; with this pairing one law, one line and
/// one audit serve all domains without a sign of their own.
enum class Domain { translation, rotation, hydraulic, electrical, thermal, mechanical3d, signal };

/// Velocities and forces, rather than pressures and their like.
[[nodiscard]] constexpr bool is_mechanical(Domain domain) {
  return domain == Domain::translation || domain == Domain::rotation || domain == Domain::mechanical3d;
}

/// What an interface does with what it is given.
enum class Causality {
  takes_force,   ///< force is applied (flow, current, heat flow comes in), motion (pressure, …) is read: a mass, a
                 ///< volume
  takes_motion,  ///< motion (pressure, …) is imposed, or follows from the law; force is read: a spring end, an orifice
  input,         ///< a signal comes in
  output,        ///< a signal goes out
};

/// Names and units of a domain's quantities, as they appear in results. `flow` and `effort` are those of the port law;
/// `position` is the integral of `flow`, and has no name where nobody asks for it.
struct DomainNames {
  std::string_view domain;  ///< as written in model files
  std::string_view position, position_unit;
  std::string_view flow, flow_unit;
  std::string_view effort, effort_unit;
  std::string_view impulse_unit;  ///< of the integral of `effort`: momentum, volume, charge, heat
  std::string_view energy_unit;   ///< of the integral of `effort` times `flow`
};

[[nodiscard]] const DomainNames& names_of(Domain domain);
[[nodiscard]] std::optional<Domain> domain_from_name(std::string_view name);
/// All names a model file may use, for messages and the schema.
[[nodiscard]] std::array<std::string_view, 7> all_domain_names();
[[nodiscard]] std::string_view name_of(Causality causality);

}  // namespace tieline::core
