#pragma once

#include <vector>

#include "components/multibody/constraints.hpp"
#include "components/multibody/formulation.hpp"
#include "components/multibody/inertia.hpp"
#include "components/multibody/kinematics.hpp"

namespace tieline::components {

/// Joints whose frames lie this close at the start are put together; others are a mistake [m], [rad].
inline constexpr double kAssemblyTolerance = 1e-3;
/// Conditions are kept to this, relative to the size of the system and one radian.
inline constexpr double kKept = 1e-14;
inline constexpr double kNearlyKept = 1e-11;
inline constexpr int kMostCorrections = 20;
/// A quaternion's squared length may be off by this before it is scaled; what is read of it does not depend on it.
inline constexpr double kUnitLength = 1e-10;

/// The error of a joint that is not closed at the start by so much [m], [rad].
[[nodiscard]] core::Error not_closed(const std::string& joint, double off);

/// Every body by its own coordinates (BodyStates), joints as conditions between them.
///
/// The equations are those of the accelerations, with the forces that keep the conditions (Constraints); `project`
/// takes positions and velocities back onto the conditions after each step. Refers to all it is constructed with.
class BodyCoordinates final : public Formulation {
 public:
  /// `joints` are those that are kept exactly: all or none.
  BodyCoordinates(const MultibodySpec& spec, std::vector<JointSpec> joints, std::vector<BodyInertia>& inertias,
                  Kinematics& kinematics);

  [[nodiscard]] std::size_t state_count() const override { return kinematics_.state_count(); }
  [[nodiscard]] bool is_velocity(std::size_t state) const override { return is_velocity_[state]; }
  [[nodiscard]] std::vector<solvers::OdeSystem::Motion> motions() const override;
  [[nodiscard]] bool has_conditions() const override { return !constraints_.empty(); }
  [[nodiscard]] int angle_state(std::size_t) const override { return -1; }
  core::Result<void> initial_state(const Moment& now, std::span<double> y) override;
  core::Result<double> start(const Moment& now, std::vector<std::string>& doubts) override;
  solvers::Projection project(const Moment& now, std::span<double> y) override;
  void place(const Moment& now, std::span<const double> y) override;
  void own_efforts(std::span<BodyVector> efforts) override;
  bool rates(const Moment& now, std::span<const double> y, std::span<BodyVector> efforts,
             std::span<double> ydot) override;
  void response(std::span<BodyVector> efforts, std::span<double> ydot) override;
  [[nodiscard]] const BodyVector& acceleration(std::size_t body) override { return accelerations_[body]; }
  [[nodiscard]] core::Wrench reaction(std::size_t joint) override { return constraints_.reaction(joint); }
  [[nodiscard]] double drive_power() const override { return constraints_.empty() ? 0.0 : constraints_.drive_power(); }
  void scale_classes(std::span<int> classes) const override;
  void stated_scales(double length, double velocity, std::span<double> scales) const override;
  void raise_sizes(std::size_t body, double speed, double turning, double while_length,
                   std::span<double> sizes) const override;
  void raise_held_sizes(double held, double while_length, std::span<double> sizes) override;
  [[nodiscard]] std::span<TimeSignal> functions() override { return constraints_.functions(); }

  [[nodiscard]] Constraints& constraints() { return constraints_; }
  [[nodiscard]] std::span<const BodyVector> accelerations() const { return accelerations_; }
  /// f(state, value) for the velocities' rates of a body.
  template <class F>
  void for_rates(std::size_t body, const BodyVector& rate, F&& f) const {
    const int first = static_cast<int>(kinematics_.first_state(body));
    for (int i = 0; i < 6; ++i) f(first + BodyStates::kVelocity + i, rate.rigid[i]);
    const int modes = static_cast<int>(rate.modal.size());
    for (int i = 0; i < modes; ++i) f(first + BodyStates::kRigid + modes + i, rate.modal[i]);
  }

 private:
  bool correct_positions(const Moment& now, std::span<double> y);

  const MultibodySpec& spec_;
  std::vector<JointSpec> joints_;
  std::vector<BodyInertia>& inertias_;
  Kinematics& kinematics_;
  Constraints constraints_;
  std::vector<bool> is_velocity_;  ///< of each state
  std::vector<BodyVector> changes_;
  std::vector<BodyVector> accelerations_;  ///< of all bodies, of the last `rates`
};

/// A vector for each body.
[[nodiscard]] std::vector<BodyVector> vectors_for(std::span<const BodyInertia> inertias);

}  // namespace tieline::components
