#pragma once

#include <optional>
#include <vector>

#include "components/multibody/articulated.hpp"
#include "components/multibody/formulation.hpp"
#include "components/multibody/inertia.hpp"
#include "components/multibody/loops.hpp"

namespace tieline::components {

/// Bodies by the coordinates of their joints.
///
/// Trees of bodies need no conditions (ArticulatedTree); joints that close loops and driven coordinates keep theirs
/// (LoopConditions), and only these are projected. Of the bodies and frames, `place` sets those that something acts
/// on. Where the joints do not fit exactly at the start, the bodies are put together as BodyCoordinates does it.
/// Rigid bodies only. Refers to all it is constructed with.
class JointCoordinates final : public Formulation {
 public:
  JointCoordinates(const MultibodySpec& spec, std::vector<BodyInertia>& inertias, Kinematics& kinematics);

  [[nodiscard]] std::size_t state_count() const override { return tree_.states; }
  [[nodiscard]] bool is_velocity(std::size_t state) const override { return is_velocity_[state]; }
  [[nodiscard]] std::vector<solvers::OdeSystem::Motion> motions() const override;
  [[nodiscard]] bool has_conditions() const override { return !loops_.empty(); }
  [[nodiscard]] int angle_state(std::size_t joint) const override;
  void use_frames(const std::vector<bool>& used) override;
  core::Result<void> initial_state(const Moment& now, std::span<double> y) override;
  core::Result<double> start(const Moment& now, std::vector<std::string>& doubts) override;
  solvers::Projection project(const Moment& now, std::span<double> y) override;
  void place(const Moment& now, std::span<const double> y) override;
  void complete() override;
  void own_efforts(std::span<BodyVector> efforts) override;
  bool rates(const Moment& now, std::span<const double> y, std::span<BodyVector> efforts,
             std::span<double> ydot) override;
  void response(std::span<BodyVector> efforts, std::span<double> ydot) override;
  [[nodiscard]] const BodyVector& acceleration(std::size_t body) override;
  [[nodiscard]] core::Wrench reaction(std::size_t joint) override;
  [[nodiscard]] double drive_power() const override { return loops_.drive_power(); }
  void scale_classes(std::span<int> classes) const override;
  void stated_scales(double length, double velocity, std::span<double> scales) const override;
  void largest_sizes(std::span<double> sizes) const override;
  void raise_sizes(std::size_t body, double speed, double turning, double while_length,
                   std::span<double> sizes) const override;
  void raise_held_sizes(double held, double while_length, std::span<double> sizes) override;
  [[nodiscard]] std::span<TimeSignal> functions() override { return loops_.functions(); }

  /// Bodies of different units do not act on one another by joints.
  [[nodiscard]] int unit_count() const { return tree_.units; }
  [[nodiscard]] int unit_of_body(std::size_t body) const;
  [[nodiscard]] int unit_of_state(std::size_t state) const { return unit_of_state_[state]; }

 private:
  void place_body(std::size_t link);
  void act(std::span<const BodyVector> efforts);
  bool correct_positions(const Moment& now, std::span<double> y);
  void read_state(std::size_t link, std::span<double> y);
  [[nodiscard]] double lever(const TreeLink& link) const;

  const MultibodySpec& spec_;
  std::vector<BodyInertia>& inertias_;
  Kinematics& kinematics_;
  Tree tree_;
  ArticulatedTree articulated_;
  LoopConditions loops_;
  std::vector<bool> is_velocity_;
  std::vector<int> unit_of_state_;
  std::vector<std::size_t> used_links_;   ///< bodies that something acts on
  std::vector<std::size_t> used_frames_;  ///< on bodies
  std::vector<bool> is_used_;             ///< of each frame
  bool is_complete_ = false;
  bool has_reactions_ = false;
  double start_speed_ = 0.0;  ///< by which the velocities given violate the joints [m/s], [rad/s]
  std::vector<BodyVector> accelerations_;
  std::vector<Spatial> acting_, reactions_;  ///< by place: efforts on links, at the origins of their axes
};

/// Why a system cannot have joint coordinates; empty if it can.
[[nodiscard]] std::string joint_coordinates_obstacle(const MultibodySpec& spec);
/// How the joints of a system are to hold where it is to be chosen, and otherwise as stated. An implicit solver needs
/// the Jacobian, which is full where trees are.
[[nodiscard]] JointFlavour chosen_flavour(const MultibodySpec& spec, bool is_implicit);

}  // namespace tieline::components
