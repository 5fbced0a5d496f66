#pragma once

#include <atomic>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "core/ending.hpp"
#include "core/port.hpp"
#include "core/recording.hpp"
#include "core/result.hpp"
#include "core/statistics.hpp"
#include "core/step_log.hpp"
#include "core/task_pool.hpp"

namespace tieline::core {

class Equilibrium;
class SpatialInterface;
struct Tie;

/// One stretch of a component's schedule.
struct Window {
  double begin = 0.0;
  double end = 0.0;
  double horizon = 0.0;                       ///< inputs are known up to here; horizon >= end
  bool is_save_point = false;                 ///< `end` is a save point: land on it and start the solver again there
  const std::atomic<bool>* cancel = nullptr;  ///< set where the run is to stop; looked at now and then in long windows
  TaskPool* pool = nullptr;                   ///< for components that have work for several threads; may be null
};

/// Whether a window's run is to stop.
[[nodiscard]] inline bool is_cancelled(const Window& window) {
  return window.cancel != nullptr && window.cancel->load(std::memory_order_relaxed);
}

/// What a component can do beyond being advanced.
struct Capabilities {
  bool can_snapshot = false;  ///< save and restore at any accepted step
  bool can_save_at_save_points = true;
  bool reports_energy = false;
  double fixed_step = 0.0;          ///< steps that it always takes [s]; 0: it chooses
  bool is_linear = false;           ///< its motion is linear in the forces on it
  bool uses_horizon = false;        ///< is faster where inputs are known beyond a window's end
  std::string snapshot_obstacle{};  ///< why not, in words, where can_snapshot is false
};

/// Energies of a component [J].
struct Energy {
  double kinetic = 0.0;
  double potential = 0.0;      ///< elastic, gravitational, heat
  double elastic = 0.0;        ///< the part of `potential` that is held by springs, beams, contacts, volumes
  double heat = 0.0;           ///< the part of `potential` that is heat
  double dissipated = 0.0;     ///< since the start
  double supplied = 0.0;       ///< by loads, prescribed motions and open ends since the start; not through connections
  double most_supplied = 0.0;  ///< the largest that |supplied| has been
  double received = 0.0;       ///< through connections since the start

  void add(const Energy& other) {
    kinetic += other.kinetic, potential += other.potential, elastic += other.elastic, heat += other.heat;
    dissipated += other.dissipated, supplied += other.supplied, most_supplied += other.most_supplied;
    received += other.received;
  }
};

/// A black box that is simulated on its own.
///
/// Call order: configure ports (law, first knots) and `plan_recording`; `start(t0)` once, which publishes each port's
/// first sample; then `advance(window)` for one window after another, or `step(limit)` where a group drives the steps.
/// Never asks an input beyond the window's horizon. Publishes samples into the ports' outboxes for accepted steps
/// only, the last one exactly at the window's end. One thread at a time; different components run concurrently.
class Component {
 public:
  explicit Component(std::string name) : name_(std::move(name)) {}
  virtual ~Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] virtual std::span<Port> ports() = 0;
  /// Interfaces in space, whose ports are among `ports()`.
  [[nodiscard]] virtual std::vector<SpatialInterface*> spatial_interfaces() { return {}; }
  [[nodiscard]] virtual Capabilities capabilities() const = 0;
  [[nodiscard]] virtual std::vector<Column> columns() const = 0;
  virtual void plan_recording(RecordPlan plan) = 0;
  /// All columns at the time reached.
  virtual void current_values(std::span<double> values) = 0;

  virtual Result<void> start(double t0) = 0;
  virtual Result<void> advance(const Window& window) = 0;
  /// One accepted step of the component's own choice that ends at or before `limit`; returns the time reached.
  virtual Result<double> step(double limit) = 0;
  /// Passes what breaks at the time reached, publishing the right side of it. `advance` and `step` begin with this; a
  /// group asks all members before any of them steps on.
  virtual Result<void> settle() { return {}; }
  /// Notes the steps taken from now on, or takes those that were noted, until called with null. Components whose steps
  /// do not depend on their inputs need not do anything. The log must outlive its use.
  virtual void follow_steps(StepLog* log, StepLogUse use) { (void)log, (void)use; }
  /// Time reached.
  [[nodiscard]] virtual double time() const = 0;

  /// Snapshot and restore of all state, input tracks included. At a save point, or anywhere if can_snapshot.
  virtual Result<void> save(ArchiveWriter& archive) const = 0;
  virtual Result<void> restore(ArchiveReader& archive) = 0;

  /// What a group has counted of the connections inside it, without the rest of its state: for reports elsewhere.
  virtual void save_accounts(ArchiveWriter& archive) const { (void)archive; }
  virtual void restore_accounts(ArchiveReader& archive) { (void)archive; }

  /// Where it is to start at rest, in the balance of all forces; null: it starts as its model says.
  [[nodiscard]] virtual Equilibrium* equilibrium() { return nullptr; }
  /// The components that it is made of; itself where it is no group.
  [[nodiscard]] virtual std::vector<Component*> parts() { return {this}; }
  /// What is joined inside a group without anything between; an error if springs could not stand for it at rest.
  [[nodiscard]] virtual Result<std::vector<Tie>> ties();

  /// Its request to end the run; null: none. From then on it keeps its last values, records nothing more, and serves
  /// the others with what it had until they have come as far.
  [[nodiscard]] virtual const Ending* ending() const { return nullptr; }

  /// Whether it must start again once its connections are filled although it has none: what is joined inside it is
  /// filled by the first start. Third-party code should start once where it can.
  [[nodiscard]] virtual bool starts_twice() const { return false; }

  /// How many threads it can keep busy.
  [[nodiscard]] virtual std::size_t width() const { return 1; }
  [[nodiscard]] virtual std::optional<Energy> energy() const { return std::nullopt; }
  [[nodiscard]] virtual Statistics statistics() const = 0;

 private:
  std::string name_;
};

}  // namespace tieline::core
