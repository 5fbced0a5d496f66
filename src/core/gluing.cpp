#include "core/gluing.hpp"

#include <array>

#include "core/named_values.hpp"

namespace tieline::core {
namespace {

constexpr std::array<std::string_view, 4> kCompatibilities{"auto", "displacement", "velocity", "acceleration"};
constexpr std::array<std::string_view, 5> kForceShapes{"auto", "constant", "linear", "quadratic", "cubic"};
constexpr std::array<std::string_view, 4> kUpdates{"broyden", "iqn_ils", "none", "aitken"};
constexpr std::array<std::string_view, 4> kRefreshes{"lazy", "every_step", "every_iteration", "once"};
constexpr std::array<std::string_view, 5> kJoints{"fixed", "revolute", "spherical", "prismatic", "cylindrical"};

}  // namespace

std::optional<Compatibility> compatibility_from_name(std::string_view name) {
  return value_named<Compatibility>(kCompatibilities, name);
}
std::optional<ForceShape> force_shape_from_name(std::string_view name) {
  return value_named<ForceShape>(kForceShapes, name);
}
std::optional<MatrixUpdate> matrix_update_from_name(std::string_view name) {
  return value_named<MatrixUpdate>(kUpdates, name);
}
std::optional<MatrixRefresh> matrix_refresh_from_name(std::string_view name) {
  return value_named<MatrixRefresh>(kRefreshes, name);
}
std::optional<GlueJoint> glue_joint_from_name(std::string_view name) { return value_named<GlueJoint>(kJoints, name); }
std::string_view name_of(Compatibility compatibility) {
  return kCompatibilities[static_cast<std::size_t>(compatibility)];
}
std::string_view name_of(ForceShape shape) { return kForceShapes[static_cast<std::size_t>(shape)]; }
std::string_view name_of(MatrixUpdate update) { return kUpdates[static_cast<std::size_t>(update)]; }
std::string_view name_of(MatrixRefresh refresh) { return kRefreshes[static_cast<std::size_t>(refresh)]; }
std::string_view name_of(GlueJoint joint) { return kJoints[static_cast<std::size_t>(joint)]; }
std::span<const std::string_view> all_compatibility_names() { return kCompatibilities; }
std::span<const std::string_view> all_force_shape_names() { return kForceShapes; }
std::span<const std::string_view> all_matrix_update_names() { return kUpdates; }
std::span<const std::string_view> all_matrix_refresh_names() { return kRefreshes; }
std::span<const std::string_view> all_glue_joint_names() { return kJoints; }

}  // namespace tieline::core
