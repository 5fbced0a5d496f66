#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tieline/simulation.hpp"

#include "assembly/assembly.hpp"
#include "processes/participation.hpp"
#include "reporting/run_summary.hpp"
#include "simulation/checkpointing.hpp"
#include "simulation/problems.hpp"
#include "simulation/recording.hpp"

namespace tieline::simulation {

/// One run from its model to its report: what the class `Simulation` hands on to. Call order and errors as there.
class Run {
 public:
  explicit Run(std::filesystem::path model);
  /// A model built in code.
  explicit Run(std::shared_ptr<const document::Document> model);
  /// Continues from the checkpoint that was read from a folder.
  Run(checkpoints::Checkpoint saved, const std::filesystem::path& folder, const std::filesystem::path& model);

  void set(const std::vector<Setting>& settings);
  void set_stop(double stop);
  /// In place of the model's [s]. A later start does not compute what would have happened before.
  void set_start(double start);
  void checkpoint_every(double interval);
  void record_to(const std::filesystem::path& folder, bool may_be_another = false);
  [[nodiscard]] const std::optional<std::filesystem::path>& result_folder() const { return recording_.folder(); }
  void trace_to(const std::filesystem::path& file);
  void use_processes(const ProcessOptions& options);
  void open_input(const std::string& name);
  /// An open interface along one axis becomes the end of a line whose other end is outside of the run. `end` is
  /// borrowed until the run ends. Throws ModelError as `open_input` does.
  void open_line(const std::string& name, double impedance, assembly::OuterEnd& end);
  /// The same for a force, a motion or a signal that the outside knows as a function of time.
  void open_track(const std::string& name, assembly::OuterEnd& source);
  /// An open interface in space, and what the outside does there. Throws ModelError where there is none.
  void open_space(const assembly::OuterSpace& space);
  /// Nothing is computed by other processes: FMUs are loaded into this one. Programs remain an error.
  void compute_here();

  void start(const RunSettings& settings);
  void advance_to(double t, const RunSettings& settings);
  void set_input(const std::string& name, std::optional<double> value, double rate = 0.0);
  void finish();

  [[nodiscard]] bool has_started() const { return is_started_; }
  [[nodiscard]] double time() const;
  [[nodiscard]] const model::SimulationSettings& settings() const { return checked_.model.simulation; }
  [[nodiscard]] std::optional<double> last_checkpoint() const { return checkpointing_.last(); }
  [[nodiscard]] double get(std::string_view variable) const;
  [[nodiscard]] std::vector<std::string> variables() const;
  /// Where a variable is. Throws std::out_of_range with the nearest name.
  [[nodiscard]] assembly::VariablePlace place_of(std::string_view variable) const;
  /// Values of several variables at `time()`.
  void read(std::span<const assembly::VariablePlace> places, std::span<double> values) const;
  /// A component has asked to end the simulation.
  [[nodiscard]] std::optional<core::Ending> ending() const;
  /// The nearest time at which windows of all components end, where it is closer than `most` [s]; otherwise `t`.
  [[nodiscard]] double snapped(double t, double most) const;
  /// Where all would be computed, as tables. Throws ModelError and RunError.
  [[nodiscard]] std::string plan();
  /// The other host that this run has failed of; empty: none.
  [[nodiscard]] std::string lost_host() const;
  /// Why the state cannot be saved at any time; empty if it can.
  [[nodiscard]] std::string snapshot_obstacle() const;
  [[nodiscard]] const assembly::CheckedModel& checked() const { return checked_; }
  /// A component of a run that has started, by its number in the model.
  [[nodiscard]] core::Component& component(std::size_t index) const { return *assembly_->components[index]; }
  [[nodiscard]] std::string save() const;
  void restore(std::string_view state);
  [[nodiscard]] results::RunReport report() const;
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] std::string brief() const;
  [[nodiscard]] std::vector<Warning> warnings() const;

 private:
  void check();
  /// What was asked for beside the model's own settings.
  void apply_options();
  void require_not_started(const std::string& what) const;
  void require_started() const;
  [[nodiscard]] double value_at(const assembly::VariablePlace& place) const;
  void warn(std::string sentence) { model_warnings_.push_back(warning_of(std::move(sentence))); }

  void check_options();
  /// Reads what components took, where hosts are chosen by it.
  void read_costs();
  void build();
  void begin_recording();
  void launch_processes();
  [[noreturn]] void fail(const core::Error& error);

  /// Where `t` lies on the schedule; throws RunError if the run cannot get there.
  [[nodiscard]] lines::ScheduledTime target_of(double t) const;
  void refuse_between_bounds(double t, const lines::ScheduledTime& target) const;
  /// Runs to a time, with a halt at each checkpoint on the way.
  core::Result<void> run_to(const lines::ScheduledTime& target, const engine::RunOptions& options);

  std::shared_ptr<const document::Document> document_;  ///< of a model built in code; null: it is in a file
  std::filesystem::path file_;
  document::DocumentCache documents_;  ///< for settings that are changed: files are parsed once
  std::vector<model::Override> overrides_;
  std::optional<double> start_, stop_;  ///< [s]
  Checkpointing checkpointing_;
  Recording recording_;
  processes::ParticipationOptions process_options_;
  std::vector<std::string> live_;               ///< numbers that may be set during the run
  std::map<std::string, double> first_values_;  ///< of these, set before the start
  std::vector<assembly::OuterPlace> outer_;
  std::vector<assembly::OuterSpace> outer_spaces_;
  bool is_all_here_ = false;
  std::filesystem::path costs_;  ///< result folder of an earlier run; empty: that of this one

  assembly::CheckedModel checked_;
  std::vector<Warning> model_warnings_;
  std::optional<double> stated_save_interval_;  ///< by the model [s]

  std::optional<assembly::Assembly> assembly_;
  std::unique_ptr<processes::Participation> participation_;  ///< null: all is computed here
  const std::atomic<bool>* cancel_ = nullptr;                ///< of the present call
  reporting::EnergyState initial_energy_;
  mutable std::vector<std::vector<double>> rows_;  ///< by component, for `read`
  bool is_started_ = false;
  bool has_advanced_ = false;
  bool is_finished_ = false;
  std::optional<core::Error> error_;
  double wall_seconds_ = 0.0;
  int threads_ = 0;
  /// A time that was asked for, and the time on the schedule that it is within rounding [s].
  struct {
    double asked = 0.0;
    double reached = std::numeric_limits<double>::quiet_NaN();
  } same_time_;
};

}  // namespace tieline::simulation
