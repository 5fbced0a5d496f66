#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/scene.hpp"

namespace tieline::results {

/// What there is to see of a component; its results are the table of that name.
struct ComponentScene {
  std::string component{};
  core::Scene scene{};
};

/// What `scene.json` holds: what the model looks like as it ran, whatever becomes of the model's file.
struct RunScene {
  std::string model{};  ///< its name
  std::vector<ComponentScene> components{};
};

/// Name of the scene in a result folder.
inline constexpr std::string_view kSceneFileName = "scene.json";

[[nodiscard]] std::string to_json(const RunScene& scene);
/// `source` is what an error calls the text.
core::Result<RunScene> scene_from_json(std::string_view text, std::string_view source);
/// Replaces the file as a whole. With nothing to see no file is written, and one of an earlier run is removed.
core::Result<void> write_scene(const RunScene& scene, const std::filesystem::path& file);
core::Result<RunScene> read_scene(const std::filesystem::path& file);

}  // namespace tieline::results
