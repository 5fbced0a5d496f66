#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "components/multibody/shapes.hpp"
#include "core/scene.hpp"

/// Bodies bounded by triangles, as CAD programs write them. Where something is wrong, `problem` describes it, and the
/// line or byte in the file.
namespace tieline::components {

enum class MeshFormat { stl, obj };

/// What is read at most; any bytes up to there are read or refused in bounded memory.
inline constexpr std::size_t kLargestMeshFile = std::size_t{256} << 20;  ///< [bytes]
inline constexpr std::size_t kMostTriangles = 5'000'000;

/// By the ending of the file's name.
[[nodiscard]] std::optional<MeshFormat> mesh_format(const std::filesystem::path& file);

/// The surface that bytes describe, in its own unit of length: STL (binary or text, several solids count together) or
/// OBJ (faces with any number of corners; groups, normals, materials are passed over). Equal corners are one vertex,
/// and triangles without area between equal corners are left out.
[[nodiscard]] std::optional<core::Mesh> parse_mesh(std::string_view bytes, MeshFormat format, std::string& problem);

/// The same from a file.
[[nodiscard]] std::optional<core::Mesh> load_mesh(const std::filesystem::path& file, std::string& problem);

/// Why a surface bounds no body, or nothing: every edge must belong to exactly two triangles, which run along it in
/// opposite directions, and what they enclose must have a volume.
[[nodiscard]] std::string surface_defect(const core::Mesh& mesh);

/// What a closed surface encloses; negative where its triangles face inwards.
[[nodiscard]] double volume_of(const core::Mesh& mesh);
/// Lets every triangle face the other side.
void turn_inside_out(core::Mesh& mesh);

/// Mass properties of the even solid within a closed surface whose triangles face outwards, exactly.
[[nodiscard]] MassProperties solid_of(const core::Mesh& mesh, double density);

}  // namespace tieline::components
