#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace tieline::core {

/// How a member of a group sees its partner beyond the partner's last sample.
enum class Extrapolation { hold, linear, hermite };

/// In which order the members of a group step.
enum class Schedule {
  furthest_behind,  ///< the member that has come least far takes one step of its own choice
  jacobi,           ///< all take a macro step with what was known at its start
  gauss_seidel,     ///< one after the other takes a macro step, each seeing those before it
};

[[nodiscard]] std::optional<Extrapolation> extrapolation_from_name(std::string_view name);
[[nodiscard]] std::optional<Schedule> schedule_from_name(std::string_view name);
[[nodiscard]] std::string_view name_of(Extrapolation extrapolation);
[[nodiscard]] std::string_view name_of(Schedule schedule);
/// All names a model file may use.
[[nodiscard]] std::span<const std::string_view> all_extrapolation_names();
[[nodiscard]] std::span<const std::string_view> all_schedule_names();

}  // namespace tieline::core
