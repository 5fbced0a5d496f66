#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace tieline::core {

/// What an interface carries.
enum class Domain { translation, rotation, signal };

/// What an interface does with what it is given.
enum class Causality {
  takes_force,   ///< effort is applied, motion is read (a mass)
  takes_motion,  ///< motion is imposed, or follows from the law; effort is read (a spring end, a massless node)
  input,         ///< a signal comes in
  output,        ///< a signal goes out
};

/// Names and units of a domain's quantities, as they appear in results.
struct DomainNames {
  std::string_view domain;  ///< as written in model files
  std::string_view position, position_unit;
  std::string_view flow, flow_unit;
  std::string_view effort, effort_unit;
};

[[nodiscard]] const DomainNames& names_of(Domain domain);
[[nodiscard]] std::optional<Domain> domain_from_name(std::string_view name);
/// All names a model file may use, for messages and the schema.
[[nodiscard]] std::array<std::string_view, 3> all_domain_names();
[[nodiscard]] std::string_view name_of(Causality causality);

}  // namespace tieline::core
