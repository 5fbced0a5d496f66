#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/archive.hpp"
#include "core/error_estimate.hpp"

namespace tieline::components {

/// Measures how well steps of a fixed length h resolve the motion of a structure, for Newmark's method [Newmark1959],
/// which does not control its error.
///
/// The method computes a vibration of angular frequency w with a frequency that is too low by the share (w h)^2 / 12:
/// each radian adds that much to the error of the phase, for as long as the vibration lasts. How long that is, energies
/// show: a vibration that is left alone keeps its energy; one that a load drives gets and gives it back in each period;
/// at resonance it is what damping leaves. So the error is (w h)^2 / 12 times the radians in which as much energy is
/// exchanged as the vibration has.
///
/// (w h)^2 of what moves most is twice the mean of second differences of displacements, each counted by how fast the
/// structure moves, over the largest displacement. They are taken over every other step, where vibrations that the
/// steps do not resolve at all, as those along beams, look as if they stood still: these are small, and cannot be wrong
/// by more than what they are. What does not move counts with a small share of where it is, so that roundings of a
/// structure at rest are no vibration.
///
/// Call order: `start`; `note` after each step. Translations and rotations are taken apart.
class ResolutionCheck {
 public:
  /// `is_rotation` by freedom.
  explicit ResolutionCheck(std::vector<bool> is_rotation) : is_rotation_(std::move(is_rotation)) {}

  void start(const Eigen::VectorXd& u);
  /// A step of length h [s] has led to u, in which loads, connections and damping have exchanged so much energy [J].
  void note(double h, const Eigen::VectorXd& u, double exchanged);
  /// Now and then the kinetic energy is needed, too.
  [[nodiscard]] bool wants_energy() const { return steps_ % kEnergyInterval == 0; }
  void note_energy(double kinetic);

  /// Of the longest step that was looked at.
  [[nodiscard]] core::StepErrors errors() const;

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  static constexpr std::uint64_t kEnergyInterval = 8;

  struct Motion {
    double curvature = 0.0;  ///< sum of second differences, each times its way
    double way = 0.0;        ///< sum of what was covered in four steps
    double distance = 0.0;   ///< largest, from the start
    double place = 0.0;      ///< largest displacement
  };

  std::vector<bool> is_rotation_;
  Eigen::VectorXd start_{}, before_{}, last_{};  ///< displacements at the start, and two and four steps ago
  Motion motions_[2]{};                          ///< of translations, of rotations
  std::uint64_t steps_ = 0;
  int equal_steps_ = 0;     ///< in a row, until now
  double last_step_ = 0.0;  ///< [s]
  double step_ = 0.0;
  double kinetic_ = 0.0, exchanged_ = 0.0;  ///< sum over the times at which it was noted, over all steps [J]
  std::uint64_t energies_ = 0;
};

}  // namespace tieline::components
