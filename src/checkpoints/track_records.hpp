#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "checkpoints/checkpoint.hpp"
#include "core/result.hpp"

/// Where a result folder keeps what came to some of its components, and of which run that is.
namespace tieline::checkpoints {

inline constexpr std::string_view kTracksFolder = "tracks";

/// Of the node of this name, in that folder.
[[nodiscard]] std::string tracks_file_name(const std::string& node);

/// Which run tracks were kept of: what it takes to compute one of its components again.
struct TracksOrigin {
  ModelIdentity model{};
  double stop = 0.0;           ///< wanted [s]
  double save_interval = 0.0;  ///< between save points [s]; 0: there are none
};

/// Says in the folder of tracks which run they are of.
core::Result<void> write_origin(const std::filesystem::path& result_folder, const TracksOrigin& origin);
/// The other way round; an error with advice if no tracks were kept.
core::Result<TracksOrigin> read_origin(const std::filesystem::path& result_folder);
/// Tracks of an earlier run must not speak for a new one.
void forget_tracks(const std::filesystem::path& result_folder);

}  // namespace tieline::checkpoints
