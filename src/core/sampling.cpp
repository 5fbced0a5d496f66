#include "core/sampling.hpp"

#include <algorithm>
#include <array>

namespace tieline::core {
namespace {

constexpr std::array<std::string_view, 3> kExtrapolations{"hold", "linear", "hermite"};
constexpr std::array<std::string_view, 3> kSchedules{"furthest_behind", "jacobi", "gauss_seidel"};

template <class Enum>
std::optional<Enum> from_name(std::span<const std::string_view> names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

std::optional<Extrapolation> extrapolation_from_name(std::string_view name) {
  return from_name<Extrapolation>(kExtrapolations, name);
}
std::optional<Schedule> schedule_from_name(std::string_view name) { return from_name<Schedule>(kSchedules, name); }
std::string_view name_of(Extrapolation extrapolation) {
  return kExtrapolations[static_cast<std::size_t>(extrapolation)];
}
std::string_view name_of(Schedule schedule) { return kSchedules[static_cast<std::size_t>(schedule)]; }
std::span<const std::string_view> all_extrapolation_names() { return kExtrapolations; }
std::span<const std::string_view> all_schedule_names() { return kSchedules; }

}  // namespace tieline::core
