#include "core/sampling.hpp"

#include <array>

#include "core/named_values.hpp"

namespace tieline::core {
namespace {

constexpr std::array<std::string_view, 4> kExtrapolations{"hold", "linear", "hermite", "quintic"};
constexpr std::array<std::string_view, 5> kSchedules{"furthest_behind", "jacobi", "gauss_seidel", "layers",
                                                     "spatiotemporal"};

}  // namespace

std::optional<Extrapolation> extrapolation_from_name(std::string_view name) {
  return value_named<Extrapolation>(kExtrapolations, name);
}
std::optional<Schedule> schedule_from_name(std::string_view name) { return value_named<Schedule>(kSchedules, name); }
std::string_view name_of(Extrapolation extrapolation) {
  return kExtrapolations[static_cast<std::size_t>(extrapolation)];
}
std::string_view name_of(Schedule schedule) { return kSchedules[static_cast<std::size_t>(schedule)]; }
std::span<const std::string_view> all_extrapolation_names() { return kExtrapolations; }
std::span<const std::string_view> all_schedule_names() { return kSchedules; }

}  // namespace tieline::core
