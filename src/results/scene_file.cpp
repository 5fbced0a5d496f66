#include "results/scene_file.hpp"

#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/atomic_file.hpp"
#include "results/json_numbers.hpp"

namespace tieline::results {
namespace {

using Json = nlohmann::ordered_json;
using Eigen::Vector3d;

constexpr std::string_view kFormat = "tieline scene 1";

Json json_of(const Vector3d& v) { return Json::array({v.x(), v.y(), v.z()}); }
/// Position, then the quaternion w, x, y, z.
Json json_of(const core::Pose& pose) {
  const auto& [p, q] = pose;
  return Json::array({p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()});
}
Json json_of(const core::SceneFrame& frame) { return {{"body", frame.body}, {"pose", json_of(frame.pose)}}; }

struct SolidWriter {
  Json& shape;
  void operator()(const core::Box& box) const { shape["box"] = json_of(box.size); }
  void operator()(const core::Tube& tube) const {
    shape["tube"] = Json::array({tube.outer_radius, tube.inner_radius, tube.length});
  }
  void operator()(const core::Sphere& sphere) const { shape["sphere"] = sphere.radius; }
  void operator()(const core::Mesh& mesh) const {
    Json vertices = Json::array(), triangles = Json::array();
    for (const Vector3d& vertex : mesh.vertices) {
      for (const double coordinate : vertex) vertices.push_back(coordinate);
    }
    for (const auto& triangle : mesh.triangles) {
      for (const std::uint32_t corner : triangle) triangles.push_back(corner);
    }
    shape["mesh"] = {{"vertices", std::move(vertices)}, {"triangles", std::move(triangles)}};
  }
};

Json json_of(const core::SceneBody& body) {
  Json result{{"name", body.name}, {"center", json_of(body.center)}, {"stand_in", body.has_stand_in}};
  result["shapes"] = Json::array();
  for (const core::Shape& shape : body.shapes) {
    Json entry{{"pose", json_of(shape.pose)}};
    std::visit(SolidWriter{entry}, shape.solid);
    result["shapes"].push_back(std::move(entry));
  }
  result["points"] = Json::array();
  for (const Vector3d& point : body.points) result["points"].push_back(json_of(point));
  return result;
}

Json json_of(const ComponentScene& component) {
  const core::Scene& scene = component.scene;
  Json result{{"name", component.component}, {"gravity", json_of(scene.gravity)}};
  for (const char* list : {"bodies", "links", "curves"}) result[list] = Json::array();
  for (const core::SceneBody& body : scene.bodies) result["bodies"].push_back(json_of(body));
  for (const core::SceneLink& link : scene.links) {
    result["links"].push_back(
        {{"name", link.name}, {"kind", link.kind}, {"from", json_of(link.from)}, {"to", json_of(link.to)}});
  }
  for (const core::SceneCurve& curve : scene.curves) {
    result["curves"].push_back({{"name", curve.name}, {"points", curve.points}, {"radius", curve.radius}});
  }
  result["interfaces"] = scene.interfaces;
  return result;
}

// Reading; what does not fit throws, and is reported with the file's name.

void check(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

Vector3d vector_of(const Json& json) {
  check(json.is_array() && json.size() == 3, "a vector must have three numbers");
  return {json[0].get<double>(), json[1].get<double>(), json[2].get<double>()};
}

core::Pose pose_of(const Json& json) {
  check(json.is_array() && json.size() == 7, "a pose must have seven numbers");
  const auto at = [&](std::size_t i) { return json[i].get<double>(); };
  return {{at(0), at(1), at(2)}, Eigen::Quaterniond(at(3), at(4), at(5), at(6))};
}

core::Mesh mesh_of(const Json& json) {
  core::Mesh mesh;
  const Json& vertices = json.at("vertices");
  const Json& triangles = json.at("triangles");
  check(vertices.size() % 3 == 0 && triangles.size() % 3 == 0, "a mesh must have three numbers per vertex");
  for (std::size_t i = 0; i < vertices.size(); i += 3) {
    mesh.vertices.emplace_back(vertices[i].get<double>(), vertices[i + 1].get<double>(), vertices[i + 2].get<double>());
  }
  for (std::size_t i = 0; i < triangles.size(); i += 3) {
    auto& triangle = mesh.triangles.emplace_back();
    for (std::size_t j = 0; j < 3; ++j) {
      triangle[j] = whole_number<std::uint32_t>(triangles[i + j]);
      check(triangle[j] < mesh.vertices.size(), "a triangle names a vertex that does not exist");
    }
  }
  return mesh;
}

core::Shape shape_of(const Json& json) {
  core::Shape shape{.pose = pose_of(json.at("pose"))};
  if (json.contains("box")) {
    shape.solid = core::Box{vector_of(json.at("box"))};
  } else if (json.contains("tube")) {
    const Vector3d numbers = vector_of(json.at("tube"));
    shape.solid = core::Tube{numbers[0], numbers[1], numbers[2]};
  } else if (json.contains("sphere")) {
    shape.solid = core::Sphere{json.at("sphere").get<double>()};
  } else {
    shape.solid = mesh_of(json.at("mesh"));
  }
  return shape;
}

core::SceneBody body_of(const Json& json) {
  core::SceneBody body{.name = json.at("name"), .center = vector_of(json.at("center"))};
  for (const Json& shape : json.at("shapes")) body.shapes.push_back(shape_of(shape));
  body.has_stand_in = json.at("stand_in");
  for (const Json& point : json.at("points")) body.points.push_back(vector_of(point));
  return body;
}

core::SceneFrame frame_of(const Json& json, std::size_t bodies) {
  core::SceneFrame frame{whole_number<int>(json.at("body")), pose_of(json.at("pose"))};
  check(frame.body >= -1 && frame.body < static_cast<int>(bodies), "a link names a body that does not exist");
  return frame;
}

ComponentScene component_of(const Json& json) {
  ComponentScene component{.component = json.at("name")};
  core::Scene& scene = component.scene;
  scene.gravity = vector_of(json.at("gravity"));
  for (const Json& body : json.at("bodies")) scene.bodies.push_back(body_of(body));
  for (const Json& link : json.at("links")) {
    scene.links.push_back({link.at("name"), link.at("kind"), frame_of(link.at("from"), scene.bodies.size()),
                           frame_of(link.at("to"), scene.bodies.size())});
  }
  for (const Json& curve : json.at("curves")) {
    scene.curves.push_back({curve.at("name"), curve.at("points"), curve.at("radius")});
  }
  scene.interfaces = json.at("interfaces");
  return component;
}

}  // namespace

std::string to_json(const RunScene& scene) {
  Json json{{"format", kFormat}, {"model", scene.model}, {"components", Json::array()}};
  for (const ComponentScene& component : scene.components) json["components"].push_back(json_of(component));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

core::Result<RunScene> scene_from_json(std::string_view text, std::string_view source) {
  const auto damaged = [&](std::string_view why) {
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("'{}' is damaged: it is not the scene of a run ({})", source, why)};
  };
  try {
    const Json json = Json::parse(text);
    if (json.value("format", "") != kFormat) return damaged(fmt::format("its format is not '{}'", kFormat));
    RunScene scene{.model = json.at("model")};
    for (const Json& component : json.at("components")) scene.components.push_back(component_of(component));
    return scene;
  } catch (const std::exception& error) {
    return damaged(error.what());
  }
}

core::Result<void> write_scene(const RunScene& scene, const std::filesystem::path& file) {
  if (!scene.components.empty()) return core::replace_file(file, to_json(scene) + "\n");
  std::error_code failure;
  std::filesystem::remove(file, failure);
  if (!failure) return {};
  return core::Error{.code = core::ErrorCode::input_output,
                     .message = fmt::format("cannot remove '{}': {}", file.string(), failure.message())};
}

core::Result<RunScene> read_scene(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) {
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("'{}' cannot be read", file.string())};
  }
  return scene_from_json(text.view(), file.string());
}

}  // namespace tieline::results
