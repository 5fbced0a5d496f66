#include "core/port.hpp"

namespace tieline::core {

void save_track(ArchiveWriter& archive, const wave::Track& track) {
  archive.put(track.interpolation());
  archive.put(track.size());
  for (std::size_t i = 0; i < track.size(); ++i) archive.put(track.knot(i));
}

void restore_track(ArchiveReader& archive, wave::Track& track) {
  // The stored integrals are taken as they are: pushing them through the interpolation would round them again.
  std::vector<wave::Knot> knots;
  const auto interpolation = archive.get<wave::Interpolation>();
  const auto count = archive.get<std::size_t>();
  for (std::size_t i = 0; i < count; ++i) knots.push_back(archive.get<wave::Knot>());
  track.assign(interpolation, knots);
}

}  // namespace tieline::core
