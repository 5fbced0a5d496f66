#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/equilibrium.hpp"
#include "core/trial_steps.hpp"

namespace tieline::core {

/// The equilibrium of a component whose states nobody can set, but which can go back to where it was: an FMU for
/// co-simulation, or a program.
///
/// It stays where its own start puts it (`stands`). What is found is the loads at its interfaces under which it stays
/// there: trial steps from its start show how the motions of its ends answer them, v = A f + b. Where several loads do
/// that, those count that the springs at its ends would have if it were moved, in the directions in which loads move
/// it, until they balance. `place` is where the ends would then be: what a line carries follows from it.
///
/// Call order and threads of an Equilibrium; the component's last call was `start`, and it is left as that left it.
class ProbedRest final : public Equilibrium {
 public:
  /// `mute` keeps the component from recording, and lets it do so again.
  ProbedRest(Component& component, std::function<void(bool)> mute) : component_(component), mute_(std::move(mute)) {}

  void plan(double window, double stop) override {
    window_ = window;
    stop_ = stop;
  }
  Result<void> settle(double t0, std::span<const SpringEnd> ends) override;
  [[nodiscard]] EndPlace place(const SpringEnd& end) const override;
  [[nodiscard]] EndPlace stands(const SpringEnd& end) const override;
  void response(Eigen::MatrixXd& by_partners) override;

 private:
  struct End {
    SpringEnd spring{};
    Eigen::Index first = 0;  ///< among the freedoms: in space along the world's axes, and about its own
    EndPlace stands{}, place{};
  };

  void gather(std::span<const SpringEnd> ends);
  [[nodiscard]] Result<void> check_motions() const;
  Result<void> probe(TrialSteps& trials);
  void find_ways();
  Result<void> balance();
  Result<void> check_rest(TrialSteps& trials);
  /// Puts the ends to where they are moved by so much in the ways that loads can move them.
  void move(const Eigen::VectorXd& along);
  /// What the springs exert on the ends in their places, and how that falls as these move.
  [[nodiscard]] Eigen::VectorXd loads() const;
  [[nodiscard]] Eigen::MatrixXd stiffness() const;
  /// Name of what moves most.
  [[nodiscard]] std::string name_of(const Eigen::VectorXd& scaled) const;
  [[nodiscard]] const End& end_of(const SpringEnd& spring) const;
  [[nodiscard]] Eigen::VectorXd scaled(const Eigen::VectorXd& flows) const;
  [[nodiscard]] double size_of_answers(const Eigen::VectorXd& loads) const;

  Component& component_;
  std::function<void(bool)> mute_;
  double window_ = 0.0, stop_ = 0.0, t0_ = 0.0;  ///< [s]
  std::vector<End> ends_;
  Eigen::Index freedoms_ = 0;
  bool is_probed_ = false, is_checked_ = false;
  Eigen::MatrixXd answers_;  ///< A: flows after a window by loads
  Eigen::VectorXd own_;      ///< b: flows after a window without loads
  Eigen::VectorXd scale_;    ///< root of A's diagonal; zero where an end is held
  Eigen::MatrixXd ways_;     ///< scaled directions in which loads move the ends, by column
  Eigen::VectorXd along_;    ///< how far the ends are moved in these
};

}  // namespace tieline::core
