#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

#include "core/component.hpp"
#include "core/linear_facts.hpp"

namespace tieline::core {

/// Steps of a component from its start under constant loads, which are taken back. When this goes, the component is as
/// it was before, and may record again.
///
/// The component has started, and can save its state for trials. One thread.
class TrialSteps {
 public:
  struct Times {
    double start = 0.0, window = 0.0;  ///< [s]
  };
  /// `mute` keeps the component from recording, and lets it do so again. The ports are its own, connected, and take
  /// force.
  TrialSteps(Component& component, const std::function<void(bool)>& mute, Times times, std::vector<Port*> ports);
  ~TrialSteps();
  TrialSteps(const TrialSteps&) = delete;
  TrialSteps& operator=(const TrialSteps&) = delete;

  /// Keeps the state to which each trial goes back.
  Result<void> begin() { return component_.save(start_); }
  /// The flows at the ports after so many windows under loads there.
  Result<Eigen::VectorXd> run(const Eigen::VectorXd& loads, double windows = 1.0);

  /// What a window does to the flows: v = A f + b.
  struct Answers {
    Eigen::MatrixXd by_loads{};  ///< A
    Eigen::VectorXd own{};       ///< b
  };
  Result<Answers> probe();

 private:
  struct Kept {
    wave::Track incoming{};
    std::vector<wave::Sample> outbox{};
  };
  Component& component_;
  const std::function<void(bool)>& mute_;
  Times times_;
  std::vector<Port*> ports_;
  ArchiveWriter start_;
  std::vector<Kept> kept_;
};

/// A component whose equations are not at hand, but which can try steps of its own from its start, and take them back.
class Triable {
 public:
  virtual ~Triable() = default;
  /// After its start, with its ports connected; from steps of about this length [s].
  [[nodiscard]] virtual std::optional<LinearFacts> tried_facts(double window) = 0;
};

/// What trial steps tell of a component whose equations are not at hand: the inertia at its ports. Nothing where trials
/// cannot be taken back, or fail.
[[nodiscard]] std::optional<LinearFacts> tried_facts(Component& component, const std::function<void(bool)>& mute,
                                                     TrialSteps::Times times);

}  // namespace tieline::core
