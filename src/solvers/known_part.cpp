#include "solvers/known_part.hpp"

namespace tieline::solvers {

KnownPart::KnownPart(OdeSystem& system) : system_(system), nodes_(system.known_motions()), motions_(nodes_.size()) {
  if (is_empty()) return;
  const auto size = static_cast<std::size_t>(system.size());
  part_.assign(size, -0.0);
  part_rate_.assign(size, 0.0);
  y_.assign(size, 0.0);
}

void KnownPart::rate_change(double t, std::span<double> change) {
  // Counted from t, c has the same acceleration there, and no velocity.
  look(t, wave::Side::left);
  for (std::size_t k = 0; k < nodes_.size(); ++k)
    change[static_cast<std::size_t>(nodes_[k].position)] = motions_[k].value;
}

Projection KnownPart::project(double t, std::span<double> z) {
  if (is_empty()) return system_.project(t, z);
  add(t, wave::Side::left, z);
  const Projection result = system_.project(t, z);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] -= part_[i];
  return result;
}

}  // namespace tieline::solvers
