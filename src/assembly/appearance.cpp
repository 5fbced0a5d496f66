#include "assembly/appearance.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "components/multibody/mesh.hpp"
#include "model/icon.hpp"

namespace tieline::assembly {
namespace {

/// Where a component states an attribute.
document::Place place_of_attribute(const model::Component& component, std::string_view attribute) {
  const model::Statement* statement = model::stating(component.statements, attribute);
  return (statement != nullptr ? statement->element : component.declaration).place_of(attribute);
}

/// The first interface in space; null if there is none.
const model::InterfaceInfo* spatial_interface(const CheckedModel& checked, std::size_t component) {
  const auto& blueprint = checked.blueprints[component];
  if (!blueprint) return nullptr;
  const auto found =
      std::find_if(blueprint->interfaces.begin(), blueprint->interfaces.end(),
                   [](const model::InterfaceInfo& info) { return info.domain == core::Domain::mechanical3d; });
  return found == blueprint->interfaces.end() ? nullptr : &*found;
}

bool is_there(const std::filesystem::path& file) {
  std::error_code failure;
  return std::filesystem::exists(file, failure);  // that it does not is an error, reported elsewhere
}

void check_geometry(const CheckedModel& checked, std::size_t index, document::Diagnostics& diagnostics) {
  const model::Component& component = checked.model.components[index];
  const auto warn = [&](std::string message) {
    diagnostics.warning(place_of_attribute(component, "geometry"), std::move(message));
  };
  const auto& blueprint = checked.blueprints[index];
  if (blueprint && !blueprint->has_bodies && spatial_interface(checked, index) == nullptr) {
    return warn(fmt::format("the geometry of component '{}' is not shown: it has no body and no interface in space",
                            component.name));
  }
  std::string problem;
  if (!components::load_mesh(component.geometry, problem)) {
    warn(fmt::format("the geometry of component '{}' is not shown: '{}': {}", component.name,
                     component.geometry.string(), problem));
  }
}

}  // namespace

void check_appearance(const CheckedModel& checked, document::Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < checked.model.components.size(); ++i) {
    const model::Component& component = checked.model.components[i];
    if (!component.icon.empty() && is_there(component.icon)) {
      if (const auto icon = model::read_icon(component.icon); !icon) {
        diagnostics.warning(
            place_of_attribute(component, "icon"),
            fmt::format("the icon of component '{}' is not drawn: {}", component.name, icon.error().message));
      }
    }
    if (!component.geometry.empty() && is_there(component.geometry)) check_geometry(checked, i, diagnostics);
  }
}

void add_geometry(const CheckedModel& checked, std::size_t component, core::Scene& scene) {
  const std::filesystem::path& file = checked.model.components[component].geometry;
  if (file.empty()) return;
  std::string problem;
  auto mesh = components::load_mesh(file, problem);
  if (!mesh) return;
  const auto is_rigid = [&](const core::SceneBody& body) {
    return std::none_of(scene.curves.begin(), scene.curves.end(),
                        [&](const core::SceneCurve& curve) { return curve.name == body.name; });
  };
  const auto body = std::find_if(scene.bodies.begin(), scene.bodies.end(), is_rigid);
  core::Shape shape{.solid = std::move(*mesh)};
  if (body != scene.bodies.end()) {
    body->shapes = {std::move(shape)};
    body->has_stand_in = false;
    return;
  }
  if (const model::InterfaceInfo* interface = spatial_interface(checked, component)) {
    scene.bodies.push_back({.name = interface->name, .shapes = {std::move(shape)}});
  }
}

}  // namespace tieline::assembly
