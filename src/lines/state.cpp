#include "lines/state.hpp"

namespace tieline::lines {

void StateWriter::operator()(const wave::Track& track) {
  (*this)(static_cast<std::uint64_t>(track.interpolation()));
  (*this)(std::uint64_t{track.size()});
  for (std::size_t i = 0; i < track.size(); ++i) (*this)(track.knot(i));
}

void StateReader::operator()(wave::Track& track) {
  std::uint64_t interpolation = 0;
  (*this)(interpolation);
  if (interpolation > static_cast<std::uint64_t>(wave::Interpolation::quintic)) has_failed_ = true;
  // The stored integrals are taken as they are: pushing them through the interpolation would round them again.
  std::vector<wave::Knot> knots(take_count(sizeof(wave::Knot)));
  for (wave::Knot& knot : knots) (*this)(knot);
  if (!has_failed_) track.assign(static_cast<wave::Interpolation>(interpolation), knots);
}

std::uint64_t StateReader::take_count(std::size_t size) {
  std::uint64_t count = 0;
  (*this)(count);
  if (count > words_.size() / (size / sizeof(std::uint64_t))) has_failed_ = true;
  return has_failed_ ? 0 : count;
}

}  // namespace tieline::lines
