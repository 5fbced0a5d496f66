#pragma once

#include <Eigen/Geometry>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

#include "core/scene.hpp"

namespace tieline::components {

/// A box around the origin, two triangles to a side.
inline core::Mesh box_mesh(const Eigen::Vector3d& size) {
  core::Mesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.emplace_back((i & 1) - 0.5, ((i >> 1) & 1) - 0.5, ((i >> 2) & 1) - 0.5);
    mesh.vertices.back() = mesh.vertices.back().cwiseProduct(size).eval();
  }
  const std::array<std::array<std::uint32_t, 4>, 6> sides{
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  for (const auto& side : sides) {
    mesh.triangles.push_back({side[0], side[1], side[2]});
    mesh.triangles.push_back({side[0], side[2], side[3]});
  }
  return mesh;
}

/// With one corner in the origin and the others on the axes.
inline core::Mesh tetrahedron_mesh(double a, double b, double c) {
  return {.vertices = {{0.0, 0.0, 0.0}, {a, 0.0, 0.0}, {0.0, b, 0.0}, {0.0, 0.0, c}},
          .triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

/// An octahedron whose triangles are halved again and again; all corners are on the unit sphere.
inline core::Mesh ball_mesh(int halvings) {
  core::Mesh mesh{
      .vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
      .triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
  for (int i = 0; i < halvings; ++i) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [found, is_new] =
          middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(mesh.vertices.size()));
      if (is_new) mesh.vertices.push_back((mesh.vertices[a] + mesh.vertices[b]).normalized());
      return found->second;
    };
    core::Mesh finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const std::array<std::uint32_t, 3>& part :
           {std::array{a, ab, ca}, std::array{b, bc, ab}, std::array{c, ca, bc}, std::array{ab, bc, ca}}) {
        finer.triangles.push_back(part);
      }
    }
    mesh.triangles = std::move(finer.triangles);
  }
  return mesh;
}

inline std::string as_text_stl(const core::Mesh& mesh) {
  std::string text = "solid part\n";
  for (const auto& triangle : mesh.triangles) {
    text += "  facet normal 0 0 0\n    outer loop\n";
    for (const auto corner : triangle) {
      const Eigen::Vector3d& v = mesh.vertices[corner];
      text += fmt::format("      vertex {} {} {}\n", v.x(), v.y(), v.z());
    }
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid part\n";
}

inline std::string as_binary_stl(const core::Mesh& mesh) {
  std::string bytes(80, ' ');
  const auto put = [&](const auto& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  put(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& triangle : mesh.triangles) {
    for (int i = 0; i < 3; ++i) put(0.0F);
    for (const auto corner : triangle) {
      for (int i = 0; i < 3; ++i) put(static_cast<float>(mesh.vertices[corner][i]));
    }
    put(std::uint16_t{0});
  }
  return bytes;
}

inline std::string as_obj(const core::Mesh& mesh) {
  std::string text = "# a part\no part\n";
  for (const auto& v : mesh.vertices) text += fmt::format("v {} {} {}\n", v.x(), v.y(), v.z());
  for (const auto& [a, b, c] : mesh.triangles) text += fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
  return text;
}

}  // namespace tieline::components
