// Integrals over a solid are sums over its surface: each triangle, with one common point, spans a tetrahedron whose
// volume counts with the sign of the side that it faces. For a tetrahedron of volume V with one corner in the origin
// and the others in a, b, c, and s = a + b + c: integral of x is V s / 4, of x x' is V (a a' + b b' + c c' + s s')
// / 20.

#include "components/multibody/mesh.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace tieline::components {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

// What encloses less than this part of the cube around it is flat: the rest is rounding.
constexpr double kFlat = 1e-12;

/// Moments of order zero to two about `origin`.
struct Moments {
  double volume = 0.0;
  Vector3d first = Vector3d::Zero();
  Matrix3d second = Matrix3d::Zero();
};

struct Bounds {
  Vector3d least = Vector3d::Zero(), most = Vector3d::Zero();
  [[nodiscard]] Vector3d middle() const { return 0.5 * least + 0.5 * most; }
  [[nodiscard]] double size() const { return (most - least).norm(); }
};

Bounds bounds_of(const core::Mesh& mesh) {
  Bounds bounds;
  if (mesh.vertices.empty()) return bounds;
  bounds.least = bounds.most = mesh.vertices.front();
  for (const Vector3d& vertex : mesh.vertices) {
    bounds.least = bounds.least.cwiseMin(vertex);
    bounds.most = bounds.most.cwiseMax(vertex);
  }
  return bounds;
}

Moments moments_of(const core::Mesh& mesh, const Vector3d& origin) {
  Moments sum;
  for (const auto& triangle : mesh.triangles) {
    const Vector3d a = mesh.vertices[triangle[0]] - origin;
    const Vector3d b = mesh.vertices[triangle[1]] - origin;
    const Vector3d c = mesh.vertices[triangle[2]] - origin;
    const Vector3d s = a + b + c;
    const double volume = a.dot(b.cross(c)) / 6.0;
    sum.volume += volume;
    sum.first += 0.25 * volume * s;
    sum.second += volume / 20.0 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  return sum;
}

/// A side of a triangle, from its vertex of lower number to the other, or against that.
struct Side {
  std::uint32_t low = 0, high = 0;
  bool is_forward = true;
};

std::vector<Side> sides_of(const core::Mesh& mesh) {
  std::vector<Side> sides;
  sides.reserve(3 * mesh.triangles.size());
  for (const auto& triangle : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t from = triangle[i], to = triangle[(i + 1) % 3];
      sides.push_back({std::min(from, to), std::max(from, to), from < to});
    }
  }
  std::sort(sides.begin(), sides.end(),
            [](const Side& a, const Side& b) { return a.low != b.low ? a.low < b.low : a.high < b.high; });
  return sides;
}

/// Edges of one kind: how many, and one of them.
struct Edges {
  std::size_t count = 0;
  Side example{};
  void add(const Side& side) {
    if (count++ == 0) example = side;
  }
};

std::string describe(const core::Mesh& mesh, const Edges& edges) {
  const Vector3d &a = mesh.vertices[edges.example.low], &b = mesh.vertices[edges.example.high];
  return fmt::format("{} from ({:.6g}, {:.6g}, {:.6g}) to ({:.6g}, {:.6g}, {:.6g})",
                     edges.count == 1 ? "the one" : "for example the one", a.x(), a.y(), a.z(), b.x(), b.y(), b.z());
}

std::string edges_are(std::size_t count) { return count == 1 ? "1 edge is" : fmt::format("{} edges are", count); }

std::string edge_defect(const core::Mesh& mesh) {
  Edges open, crowded, twisted;
  const auto sides = sides_of(mesh);
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t next = i + 1;
    while (next < sides.size() && sides[next].low == sides[i].low && sides[next].high == sides[i].high) ++next;
    const std::size_t count = next - i;
    if (count == 1) open.add(sides[i]);
    if (count > 2) crowded.add(sides[i]);
    if (count == 2 && sides[i].is_forward == sides[i + 1].is_forward) twisted.add(sides[i]);
    i = next;
  }
  if (open.count > 0) {
    return fmt::format("the surface is not closed: {} in one triangle only, {}", edges_are(open.count),
                       describe(mesh, open));
  }
  if (crowded.count > 0) {
    return fmt::format("the surface crosses or touches itself: {} in more than two triangles, {}",
                       edges_are(crowded.count), describe(mesh, crowded));
  }
  if (twisted.count > 0) {
    return fmt::format("some triangles face outwards and others inwards: {} between two that do not agree, {}",
                       edges_are(twisted.count), describe(mesh, twisted));
  }
  return {};
}

}  // namespace

std::string surface_defect(const core::Mesh& mesh) {
  if (mesh.triangles.empty()) return "it has no triangles";
  if (std::string defect = edge_defect(mesh); !defect.empty()) return defect;
  const double size = bounds_of(mesh).size();
  const double volume = volume_of(mesh);
  if (!std::isfinite(volume) || !std::isfinite(size * size * size))
    return "it is too large: its mass properties are not finite";
  if (!(std::abs(volume) > kFlat * size * size * size)) return "the surface encloses no volume";
  return {};
}

double volume_of(const core::Mesh& mesh) { return moments_of(mesh, bounds_of(mesh).middle()).volume; }

void turn_inside_out(core::Mesh& mesh) {
  for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
}

MassProperties solid_of(const core::Mesh& mesh, double density) {
  // About the middle, so that a body far from its origin loses no digits.
  const Vector3d origin = bounds_of(mesh).middle();
  const Moments moments = moments_of(mesh, origin);
  const Vector3d center = moments.first / moments.volume;
  const Matrix3d spread = moments.second - moments.volume * center * center.transpose();
  MassProperties result{.mass = density * moments.volume, .center = origin + center};
  result.inertia = density * (spread.trace() * Matrix3d::Identity() - spread);
  return result;
}

}  // namespace tieline::components
