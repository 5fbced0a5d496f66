#include "components/structure/resolution_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace tieline::components {
namespace {

// Steps whose lengths differ by less than this share count as equal.
constexpr double kSameLength = 1e-6;
// Where something is counts as motion by this share of it; as of constant loads (docs/audit.md).
constexpr double kRestShare = 1e-5;
// Of a motion that passes its energy on at once, the error is taken as so many times (w h)^2; calibrated in
// docs/audit.md. Energy that goes back and forth between parts of a structure looks as if it were passed on.
constexpr double kLeastFactor = 0.8;
// Error of the frequency, as a share of itself and of (w h)^2.
constexpr double kFrequencyError = 1.0 / 12.0;

}  // namespace

void ResolutionCheck::start(const Eigen::VectorXd& u) {
  start_ = before_ = last_ = u;
  for (Motion& motion : motions_) motion = {};
  steps_ = energies_ = 0;
  equal_steps_ = 0;
  last_step_ = step_ = kinetic_ = exchanged_ = 0.0;
}

void ResolutionCheck::note(double h, const Eigen::VectorXd& u, double exchanged) {
  ++steps_;
  exchanged_ += exchanged;
  equal_steps_ = std::abs(h - last_step_) <= kSameLength * h ? equal_steps_ + 1 : 1;
  last_step_ = h;
  if (equal_steps_ % 2 == 0) return;
  if (equal_steps_ >= 5) {
    step_ = std::max(step_, h);
    std::array<double, 2> curvature{}, way{};
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      const std::size_t kind = is_rotation_[static_cast<std::size_t>(i)] ? 1 : 0;
      curvature[kind] = std::max(curvature[kind], 0.25 * std::abs(u[i] - 2.0 * last_[i] + before_[i]));
      way[kind] = std::max(way[kind], std::abs(u[i] - before_[i]));
      motions_[kind].distance = std::max(motions_[kind].distance, std::abs(u[i] - start_[i]));
      motions_[kind].place = std::max(motions_[kind].place, std::abs(u[i]));
    }
    for (std::size_t kind = 0; kind < way.size(); ++kind) {
      motions_[kind].curvature += way[kind] * curvature[kind];
      motions_[kind].way += way[kind];
    }
  }
  before_.swap(last_);
  last_ = u;
}

void ResolutionCheck::note_energy(double kinetic) {
  ++energies_;
  kinetic_ += kinetic;
}

core::StepErrors ResolutionCheck::errors() const {
  double share = 0.0;  // (w h)^2
  for (const Motion& motion : motions_) {
    const double size = motion.way * (motion.distance + kRestShare * motion.place);
    if (size > 0.0) share = std::max(share, 2.0 * motion.curvature / size);
  }
  const auto steps = static_cast<double>(steps_);
  // A vibration has twice its mean kinetic energy.
  const double energy = energies_ > 0 ? 2.0 * kinetic_ / static_cast<double>(energies_) : 0.0;
  const double lasting = energy < exchanged_ ? energy / exchanged_ * steps : steps;
  return {.estimate = share * std::max(kLeastFactor, kFrequencyError * std::sqrt(share) * lasting),
          .step = step_,
          .order = 2.0};
}

void ResolutionCheck::save(core::ArchiveWriter& archive) const {
  for (const Eigen::VectorXd* u : {&start_, &before_, &last_})
    archive.put_span(std::span<const double>(u->data(), static_cast<std::size_t>(u->size())));
  for (const Motion& motion : motions_) archive.put(motion);
  archive.put(steps_), archive.put(energies_), archive.put(equal_steps_);
  archive.put(last_step_), archive.put(step_), archive.put(kinetic_), archive.put(exchanged_);
}

void ResolutionCheck::restore(core::ArchiveReader& archive) {
  for (Eigen::VectorXd* u : {&start_, &before_, &last_}) {
    u->resize(static_cast<Eigen::Index>(is_rotation_.size()));
    archive.get_span(std::span<double>(u->data(), is_rotation_.size()));
  }
  for (Motion& motion : motions_) archive.get(motion);
  archive.get(steps_), archive.get(energies_), archive.get(equal_steps_);
  archive.get(last_step_), archive.get(step_), archive.get(kinetic_), archive.get(exchanged_);
}

}  // namespace tieline::components
