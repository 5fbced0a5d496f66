#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/equal_steps.hpp"
#include "core/facts.hpp"
#include "core/probed_rest.hpp"
#include "core/row_schedule.hpp"
#include "fmi/clock_schedule.hpp"
#include "fmi/fmu_spec.hpp"
#include "fmi/instance.hpp"
#include "fmi/interface_exchange.hpp"
#include "fmi/launch.hpp"
#include "fmi/state_keeper.hpp"
#include "fmi/step_axes.hpp"
#include "fmi/values.hpp"

namespace tieline::fmi {

/// As it is written in model files.
[[nodiscard]] const char* name_of(StepScheme scheme);

/// How one port of a co-simulation FMU was coupled.
struct PortCoupling {
  std::string port{};
  std::optional<double> effective_mass{};  ///< [kg], [kg m^2], ...
  MassSource mass_source = MassSource::unknown;
  double mass_uncertainty = 0.0;  ///< standard deviation, as a share
  double largest_defect = 0.0;    ///< by which the law was missed as a mean over a step [N]
  double largest_effort = 0.0;    ///< [N]
  double injected_energy = 0.0;   ///< work on the FMU beyond what the connection gave [J]
};

/// How a co-simulation FMU was coupled.
struct CouplingReport {
  StepScheme scheme = StepScheme::automatic;
  double longest_step = 0.0;   ///< [s]
  double largest_ratio = 0.0;  ///< Z h / 2 m
  std::vector<PortCoupling> ports{};
  std::vector<std::string> warnings{};
};

/// A co-simulation FMU: it is taken from one communication point to the next by its own solver.
///
/// A window is divided into equal steps, cut at breaks of the inputs where the FMU can handle steps of any length. The
/// input within a step follows the laws of its ports as well as the FMU allows:
/// - `intermediate`: it calls back at the stages of its solver, reads its motion there and gets the effort of the laws.
/// - `derivatives`: it gets efforts that run straight over the step (SubstepLaw with a slope).
/// - `substeps`: it gets the mean of the laws over the step (SubstepLaw).
/// - `hold`: it gets the value of the laws at the start of the step; for comparison.
/// The effective mass that the middle two need is stated, or probed by steps from one saved state, or learnt on the
/// way.
///
/// Samples are published at communication points, and at finished inner steps of those that call back; after events of
/// the FMU the other side follows. Threads and call order as for any component.
class CsComponent final : public core::Component,
                          public core::FactSource,
                          public core::EqualSteps,
                          public core::Triable {
 public:
  CsComponent(FmuSpec spec, const core::Pose& placement, RunFacts facts);
  ~CsComponent() override;

  [[nodiscard]] std::span<core::Port> ports() override { return exchange_.set().ports(); }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override {
    return exchange_.set().spatial_interfaces();
  }
  [[nodiscard]] core::Capabilities capabilities() const override;
  [[nodiscard]] double equal_step() const override;
  [[nodiscard]] std::vector<core::Column> columns() const override { return columns_of(spec_, exchange_.set()); }
  void plan_recording(core::RecordPlan plan) override;
  void current_values(std::span<double> values) override;
  core::Result<void> start(double t0) override;
  core::Result<void> advance(const core::Window& window) override;
  core::Result<double> step(double limit) override;
  core::Result<void> settle() override;
  [[nodiscard]] double time() const override { return time_; }
  core::Result<void> save(core::ArchiveWriter& archive) const override;
  core::Result<void> restore(core::ArchiveReader& archive) override;
  [[nodiscard]] core::Equilibrium* equilibrium() override { return rest_.get(); }
  [[nodiscard]] std::optional<core::LinearFacts> tried_facts(double window) override;
  /// Lets it start under loads that keep it where it starts; before the start.
  void start_at_rest();
  [[nodiscard]] core::Statistics statistics() const override;
  [[nodiscard]] const core::Ending* ending() const override { return ending_ ? &*ending_ : nullptr; }

  [[nodiscard]] CouplingReport coupling_report() const;
  /// The same in words, for the report of a run.
  [[nodiscard]] std::vector<core::Fact> facts() const override;

 private:
  /// Equal steps from one time to another; times come from whole numbers.
  struct Stretch {
    double begin = 0.0, end = 0.0;
    std::int64_t steps = 0, done = 0;
    [[nodiscard]] double time(std::int64_t k) const {
      return k >= steps ? end : begin + static_cast<double>(k) * ((end - begin) / static_cast<double>(steps));
    }
  };

  [[nodiscard]] const CoSimulationFacts& own_facts() const { return *spec_.description->co_simulation; }
  [[nodiscard]] core::Error placed(core::Error error) const;
  void warn(std::string text);

  // The start.
  core::Result<void> choose_scheme();
  [[nodiscard]] std::string obstacle_to(StepScheme scheme) const;
  [[nodiscard]] InstanceSettings instance_settings();
  core::Result<void> initialize(double t0);
  [[nodiscard]] double requested_step(double window) const;

  // Steps.
  core::Result<void> plan_stretch(double limit);
  core::Result<void> plan_fixed_step(double limit);
  core::Result<void> make_step(double limit);
  core::Result<void> run_step(double end);
  core::Result<void> give_inputs(double end);
  core::Result<void> find_mobility(double end);
  core::Result<bool> try_step(double length);
  core::Result<void> correct_inputs(double end);
  core::Result<void> arrive(double t);
  /// The FMU has asked to end the simulation at the time reached.
  void take_ending();
  /// After that: shows what it showed last, up to the limit, without asking the FMU for anything.
  void hold_until(double limit);
  core::Result<void> handle_event();
  /// In event mode, where clocks that are due tick: handles events to their end, and continues with steps.
  core::Result<void> pass_events(double t);
  /// Of an event that the FMU has announced, or a clock of it [s].
  [[nodiscard]] double next_event() const;
  core::Result<IntermediateReply> on_update(const IntermediateUpdate& update);
  void keep_accounts_smooth(double from, double to);
  core::Result<void> check_finite() const;
  void publish(double t, wave::Side side, bool is_right_of_break);
  /// Whether motion in space is published at t.
  [[nodiscard]] bool is_publishing_time(double t, bool is_right_of_break) const;
  void publish_means(double t);
  core::Result<void> record(double t);
  void hold_discrete(std::size_t i, core::InterfaceState& state) const;
  void find_accelerations(double t);
  void warn_of_ratio();
  [[nodiscard]] bool is_unsettled_break(double t) const;

  FmuSpec spec_;
  RunFacts facts_;
  InterfaceExchange exchange_;
  ValueReader recorded_;
  StepScheme scheme_ = StepScheme::automatic;
  std::unique_ptr<Instance> instance_;
  mutable StateKeeper keeper_;
  ClockSchedule clocks_;
  double announced_event_ = wave::Track::kNever;  ///< by the last event [s]
  bool has_end_event_ = false;                    ///< an event has asked to end the simulation
  std::optional<core::Ending> ending_{};
  std::vector<double> last_values_;  ///< all columns, since it has ended
  std::unique_ptr<StepAxes> axes_;
  SavedState before_step_;  ///< to repeat a step that the FMU discards

  double t0_ = 0.0, time_ = 0.0;
  double from_time_ = 0.0;     ///< of the states that were published last but one [s]
  double published_to_ = 0.0;  ///< within a step of an FMU that calls back [s]
  double step_end_ = 0.0;      ///< of the present step [s]
  double breaks_settled_to_ = 0.0;
  Stretch stretch_{};
  std::int64_t fixed_steps_ = 0;     ///< taken so far, where all are equal
  double fixed_step_ = 0.0;          ///< where all are equal [s]
  double window_ = 0.0;              ///< length of the present one [s]
  double requested_step_ = 0.0;      ///< longest step [s]
  double publish_gap_ = 0.0;         ///< least time between samples in space, save at breaks and windows' ends [s]
  double publish_end_ = 0.0;         ///< end of the present window [s]
  double space_published_to_ = 0.0;  ///< last sample in space [s]
  bool is_mass_wanted_ = false;      ///< to be probed with the first step
  bool reads_through_ = false;       ///< what goes out may follow what comes in at once

  std::vector<core::InterfaceState> from_, between_, at_row_;
  std::vector<double> inputs_, rates_, signal_before_;
  std::vector<std::int32_t> orders_;
  std::vector<core::PortOutput> outputs_;
  std::vector<bool> is_discrete_;  ///< ports of signals that change in steps
  std::vector<bool> is_signal_;    ///< ports of signals
  std::vector<bool> is_in_space_;  ///< ports of interfaces in space
  std::vector<double> recorded_before_, recorded_now_;
  std::vector<bool> is_recorded_straight_;
  core::RowSchedule rows_;
  std::unique_ptr<core::ProbedRest> rest_;  ///< null: it starts under what lines hold

  core::Statistics statistics_{};
  double longest_step_ = 0.0, largest_ratio_ = 0.0;
  std::vector<std::string> warnings_;
};

}  // namespace tieline::fmi
