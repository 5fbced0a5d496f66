#pragma once

#include <array>
#include <memory>
#include <vector>

#include "components/ode_component.hpp"
#include "coupling/spatial_line.hpp"
#include "engine/engine.hpp"
#include "lines/spatial_line.hpp"
#include "support/rigid_body.hpp"

namespace tieline::support {

/// Two rigid bodies on one line in space, between the first interfaces of both.
struct SpatialPair {
  RigidBodySpec from{};
  RigidBodySpec to{};
  double stiffness = 1e8;           ///< [N/m]
  double stiffness_rotation = 1e6;  ///< [N m/rad]
  double delay = 1e-5;              ///< [s]
  double damping = 0.0;             ///< alpha
  core::FreeAxes free{};
  solvers::Method method = solvers::Method::dopri5;
  double tolerance = 1e-9;
  double fixed_step = 0.0;     ///< [s], rk4 only
  double stop = 0.0;           ///< [s]
  double save_interval = 0.0;  ///< [s]; 0: no save points
  std::array<double, 3> initial_force{};
};

/// What a body does at one time.
struct BodyState {
  Eigen::Vector3d position, velocity;
  Eigen::Quaterniond orientation;
  Eigen::Vector3d angular_velocity;  ///< in world axes
};

/// A run of a pair, by hand: to any time, with a look at both bodies there.
class SpatialRun {
 public:
  explicit SpatialRun(const SpatialPair& pair) : pair_(pair) {
    const double window = 0.5 * pair.delay;
    std::vector<double> windows{window, window}, preferred{pair.delay};
    if (pair.save_interval > 0.0) preferred.push_back(pair.save_interval);
    const auto grid = core::TimeGrid::covering(0.0, pair.stop, windows, preferred);
    engine_ =
        std::make_unique<engine::Engine>(grid, pair.save_interval > 0.0 ? grid.window_ticks(pair.save_interval) : 0);
    for (const RigidBodySpec* spec : {&pair.from, &pair.to}) {
      components::SolverChoice choice;
      choice.method = pair.method;
      choice.relative_tolerance = pair.tolerance;
      choice.fixed_step = pair.fixed_step;
      choice.window_hint = window;
      auto body = std::make_unique<components::OdeComponent>(spec == &pair.from ? "from" : "to",
                                                             std::make_unique<RigidBody>(*spec), choice);
      bodies_.push_back(body.get());
      engine_->add_node(std::move(body), window);
    }
    std::string problem;
    coupling::SpatialParameters parameters;
    parameters.translation = {.delay = pair.delay, .stiffness = pair.stiffness, .damping = pair.damping};
    parameters.free_rotation = pair.free;
    if (!(pair.free[0] && pair.free[1] && pair.free[2])) parameters.stiffness_rotation = pair.stiffness_rotation;
    const auto figures = coupling::derive(parameters, problem);
    if (!figures) throw std::runtime_error(problem);
    auto line =
        std::make_unique<lines::SpatialLine>(lines::SpatialLineSpec{.name = "joint",
                                                                    .from_node = 0,
                                                                    .to_node = 1,
                                                                    .from = bodies_[0]->spatial_interfaces().front(),
                                                                    .to = bodies_[1]->spatial_interfaces().front(),
                                                                    .figures = *figures,
                                                                    .initial_force = pair.initial_force},
                                             grid);
    line_ = line.get();
    engine_->add_connection(std::move(line));
    check(engine_->start());
  }

  void run_to(double t, int threads = 1) {
    const core::TimeGrid& grid = engine_->windows().grid;
    check(engine_->run_to(static_cast<core::Tick>(std::round((t - grid.start()) / grid.tick_length())),
                          {.threads = threads}));
    engine_->settle();
  }
  [[nodiscard]] std::vector<double> values(std::size_t body) {
    std::vector<double> values(bodies_[body]->columns().size());
    bodies_[body]->current_values(values);
    return values;
  }
  [[nodiscard]] BodyState state(std::size_t body) {
    const std::vector<double> v = values(body);
    return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8], v[9]}, {v[10], v[11], v[12]}};
  }
  [[nodiscard]] const coupling::SpatialAudit& audit() const { return line_->audit(); }
  /// Elastic rotation of `to` against `from`, in the axes of the `from` body.
  [[nodiscard]] Eigen::Vector3d twist() {
    return core::rotation_vector(state(0).orientation.conjugate() * state(1).orientation);
  }
  [[nodiscard]] double energy() {
    double sum = audit().last().energy + audit().last().dissipated;
    for (const auto* body : bodies_)
      sum += body->energy()->kinetic + body->energy()->potential - body->energy()->supplied;
    return sum;
  }
  [[nodiscard]] engine::Engine& engine() { return *engine_; }

 private:
  static void check(const core::Result<void>& result) {
    if (!result) throw std::runtime_error(result.error().describe());
  }

  SpatialPair pair_;
  std::unique_ptr<engine::Engine> engine_;
  std::vector<components::OdeComponent*> bodies_;
  const lines::SpatialLine* line_ = nullptr;  ///< of the engine
};

}  // namespace tieline::support
