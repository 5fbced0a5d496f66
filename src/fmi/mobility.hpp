#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/archive.hpp"

namespace tieline::fmi {

/// Where what is known of an effective mass comes from.
enum class MassSource : std::uint8_t {
  unknown,
  stated,  ///< by the model
  probed,  ///< by steps from one saved state under efforts that differ
  learnt   ///< from the run itself, axis by axis
};

[[nodiscard]] const char* name_of(MassSource source);

/// What efforts at an FMU's axes make of the flows there: flow rates by efforts, the inverse of the effective mass.
///
/// Where it is not stated, it is learned from the steps of the run: from how much the flow's rate changes between one
/// step and the next, and how much the effort, by least squares that forget. Only each axis for itself is learnt.
/// Deterministic; nothing is allocated after construction.
class Mobility {
 public:
  explicit Mobility(Eigen::Index axes = 0);

  [[nodiscard]] MassSource source() const { return source_; }
  [[nodiscard]] const Eigen::MatrixXd& matrix() const { return matrix_; }
  /// Every axis has this mass [kg].
  void state(double mass);
  void set_probed(const Eigen::MatrixXd& matrix);
  /// Takes in a step's efforts and flow rates; true if the matrix has changed by it. Does nothing if the mobility
  /// was stated or probed.
  bool learn(const Eigen::VectorXd& effort, const Eigen::VectorXd& flow_rise);

  /// Effective mass of an axis with the others free [kg]; nothing if it is unknown.
  [[nodiscard]] std::optional<double> mass(Eigen::Index axis) const;
  /// Its standard deviation, as a share of it; 0 unless learnt.
  [[nodiscard]] double uncertainty(Eigen::Index axis) const;

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  /// Sums over differences of efforts and rates, the older the less.
  struct Sums {
    double effort_squared = 0.0, product = 0.0, rate_squared = 0.0, weight = 0.0;
  };

  MassSource source_ = MassSource::unknown;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd last_effort_, last_rise_;
  std::uint64_t steps_ = 0;  ///< taken in
  std::vector<Sums> sums_;
};

}  // namespace tieline::fmi
