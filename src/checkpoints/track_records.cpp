#include "checkpoints/track_records.hpp"

#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include "core/atomic_file.hpp"

namespace tieline::checkpoints {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOriginName = "run.bin";

}  // namespace

std::string tracks_file_name(const std::string& node) { return node + ".tracks"; }

core::Result<void> write_origin(const fs::path& result_folder, const TracksOrigin& origin) {
  const fs::path folder = result_folder / kTracksFolder;
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  // A checkpoint at the start, without a state: each track holds that of its own node.
  const Checkpoint start{.model = origin.model, .stop = origin.stop, .save_interval = origin.save_interval};
  return core::replace_file(folder / kOriginName, encode(start));
}

core::Result<TracksOrigin> read_origin(const fs::path& result_folder) {
  const fs::path file = result_folder / kTracksFolder / kOriginName;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return core::Error{
        .code = core::ErrorCode::bad_input,
        .message = fmt::format("folder '{}' contains no tracks: its run was made without --record-tracks",
                               result_folder.string())};
  }
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  auto start = decode(bytes, file.string());
  if (!start) return start.error();
  return TracksOrigin{std::move(start->model), start->stop, start->save_interval};
}

void forget_tracks(const fs::path& result_folder) {
  std::error_code ignored;
  fs::remove(result_folder / kTracksFolder / kOriginName, ignored);
}

}  // namespace tieline::checkpoints
