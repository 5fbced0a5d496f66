#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <array>
#include <span>

#include "core/archive.hpp"

namespace tieline::fmi {

/// How an effort runs over one step of a co-simulation FMU.
enum class EffortShape : unsigned char {
  start,  ///< held as the laws give it at the start of the step
  mean,   ///< held at the mean that the laws have over the step
  sloped  ///< straight, with that mean and the slope that the laws have
};

/// What comes in over one step, by axis.
struct StepWaves {
  Eigen::VectorXd begin, end;  ///< w at its two ends, within it
  Eigen::VectorXd mean;        ///< integral over it / length

  explicit StepWaves(Eigen::Index axes = 0);
};

/// The effort that a simulator is to be given over a step which it takes without asking, so that the port laws
///   F = w(t) - Z v
/// hold as means over the step although the motion is known at its start only.
///
/// Notation, for all axes at once: F mean effort, F' its slope, v flow at the start, V mean flow, W mean wave, h
/// length; Y the mobility (flow rate per effort, the inverse of the effective mass), b the acceleration that Y F does
/// not explain.
///
/// A step of a body under the effort has V = v + h/2 (Y F + b), and the mean of the law is F = W - Z V. So
///   (1 + h/2 Z Y) F = W - Z (v + h/2 b),
/// which is stable for every h where Y is right; and as F is the mean, F V h is exactly the work that the held effort
/// does, and what a line gets that receives V and W - Z V. With a slope, V = v + h/2 (Y F + b) - h^2/12 Y F' and
/// F' = w' - Z (Y F + b).
///
/// What b was is known after each step, from V: b_n = (V - v) 2/h - Y F. It holds all else that acts, and whatever Y is
/// off by. The next one is predicted by b^ = 5/2 b_1 - 2 b_2 + 1/2 b_3, whose error (1 - x)^2 (1 - x/2) b, x being one
/// step back, has two properties. It sums up to nothing: the impulses that the simulator and the line count differ by
/// one step's defect at most, however long the run. And seen by an oscillation of angle a per step it is in phase with
/// b up to a^5/2 (a plain extrapolation: a^3, the last value: a), so that a wrong mass neither feeds nor brakes. The
/// price is that it amplifies what it cannot predict: where h/2 Z Y is above kSharpRatio, the last b is taken instead.
///
/// The defect d = W - Z V - F is what the law's mean was missed by; the line receives W - Z V.
///
/// Call order: `set_mobility`; for each step `begin`, then `end`. Nothing is allocated. One thread at a time.
class SubstepLaw {
 public:
  /// Largest ratio h/2 Z Y for which the better guess is used: it is stable there with a mass that is wrong by two.
  static constexpr double kSharpRatio = 0.15;
  /// Beyond this, steps are only as stable as the effective mass is right: one too large by two makes them grow.
  static constexpr double kRiskyRatio = 0.5;

  explicit SubstepLaw(Eigen::Index axes = 0, EffortShape shape = EffortShape::mean);

  [[nodiscard]] Eigen::Index size() const { return impedance_.size(); }
  [[nodiscard]] EffortShape shape() const { return shape_; }
  /// Z of each axis [N s/m].
  void set_impedances(const Eigen::VectorXd& impedances);
  /// Flow rates by efforts, [1/kg] or its like.
  void set_mobility(const Eigen::MatrixXd& mobility);
  [[nodiscard]] const Eigen::MatrixXd& mobility() const { return mobility_; }

  /// The efforts over a step of that length [s] from flows at its start.
  void begin(double length, const Eigen::VectorXd& flow, const StepWaves& waves);
  [[nodiscard]] const Eigen::VectorXd& effort() const { return effort_; }            ///< mean [N]
  [[nodiscard]] const Eigen::VectorXd& effort_rate() const { return effort_rate_; }  ///< [N/s]
  /// Effort at the step's start, from where it changes by its rate.
  [[nodiscard]] double first_effort(Eigen::Index axis) const {
    return effort_[axis] - 0.5 * length_ * effort_rate_[axis];
  }

  /// The step ended early: it was that long [s], with that mean wave.
  void cut_short(double length, const Eigen::VectorXd& mean_wave);
  /// The step will be repeated from its start: its efforts are corrected by what was missed with these mean flows.
  void correct(const Eigen::VectorXd& mean_flow);
  /// What the step has made of it: mean flows, and those at its end.
  void end(const Eigen::VectorXd& mean_flow, const Eigen::VectorXd& end_flow);
  [[nodiscard]] const Eigen::VectorXd& defect() const { return defect_; }  ///< [N]
  /// Work of each effort on the simulator over the step [J].
  [[nodiscard]] const Eigen::VectorXd& work() const { return work_; }
  /// Flow rates over the step, and what of them the mobility does not explain [m/s^2].
  [[nodiscard]] const Eigen::VectorXd& flow_rise() const { return rise_; }
  /// The largest h/2 Z Y of the last step, by rows.
  [[nodiscard]] double ratio() const { return ratio_; }

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  void factorise(double length);
  void predict(double length);

  EffortShape shape_;
  Eigen::VectorXd impedance_;
  Eigen::MatrixXd mobility_, product_, system_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
  double factored_length_ = 0.0;  ///< 0: none
  double ratio_ = 0.0;

  double length_ = 0.0;  ///< of the present step [s]
  Eigen::VectorXd flow_, mean_wave_, effort_, effort_rate_, right_side_, wave_rate_;
  Eigen::VectorXd defect_, work_, rise_;
  /// b of the last steps, latest first, the lengths of these steps, and the prediction.
  std::array<Eigen::VectorXd, 3> other_;
  std::array<double, 3> lengths_{};
  Eigen::VectorXd predicted_;
};

}  // namespace tieline::fmi
