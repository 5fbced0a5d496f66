#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assembly/assembly.hpp"
#include "checkpoints/checkpoint.hpp"

namespace tieline::simulation {

/// The checkpoints of a run: the one that it continues from, and those that it writes.
///
/// Call order: options; `identify` and `compare_with_saved` before the run is built; `plan` with the assembly, `resume`
/// once its engine has started, `replace_results` when nothing else can fail; then `next_halt` and `write_if_due`
/// around each run of the engine.
class Checkpointing {
 public:
  Checkpointing() = default;
  /// Continues from the checkpoint that was read from a folder.
  Checkpointing(checkpoints::Checkpoint saved, std::filesystem::path folder);

  /// Between checkpoints [s]; none: there are none.
  void set_interval(std::optional<double> interval) { every_ = interval; }
  [[nodiscard]] std::optional<double> interval() const { return every_; }
  [[nodiscard]] bool resumes() const { return saved_.has_value(); }
  [[nodiscard]] const std::optional<checkpoints::Checkpoint>& saved() const { return saved_; }
  /// When the run can be resumed from [s].
  [[nodiscard]] std::optional<double> last() const;
  /// Where the run was resumed, each time [s].
  [[nodiscard]] std::vector<double> resumed_from() const;
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double seconds() const { return seconds_; }  ///< that writing took

  /// The save interval of the model, or what takes its place [s].
  [[nodiscard]] std::optional<double> save_interval_for(std::optional<double> stated) const;
  /// Throws ModelError if checkpoints are not at save points.
  void check_interval(const model::SimulationSettings& settings) const;

  void identify(checkpoints::ModelIdentity identity) { identity_ = std::move(identity); }
  [[nodiscard]] const checkpoints::ModelIdentity& identity() const { return identity_; }
  /// Throws ModelError if the run cannot continue from what was saved.
  void compare_with_saved(const model::SimulationSettings& settings) const;
  /// Throws ModelError if a component cannot be saved. Returns whether there will be a checkpoint at all.
  bool plan(const assembly::Assembly& assembly, const model::SimulationSettings& settings);
  /// Where the results of a resumed run are put together before they replace the earlier ones.
  [[nodiscard]] static std::filesystem::path working_folder(const std::filesystem::path& folder);
  /// Continues from the saved state, with the earlier results up to then in a new file in the working folder. Throws
  /// ModelError and RunError.
  void resume(assembly::Assembly& assembly, const model::SimulationSettings& settings);
  /// The new file replaces the earlier results, whose report goes with them. Throws RunError.
  void replace_results(const std::filesystem::path& folder);

  /// Where the engine is to halt on its way to `target`: save points, on which every component lands in any case.
  [[nodiscard]] lines::ScheduledTime next_halt(const engine::Engine& engine, const lines::ScheduledTime& target) const;
  /// Whether a checkpoint was written.
  core::Result<bool> write_if_due(const assembly::Assembly& assembly, const model::SimulationSettings& settings,
                                  const std::filesystem::path& folder);

 private:
  [[noreturn]] void refuse(std::string_view why) const;
  [[nodiscard]] bool is_due(const engine::Engine& engine) const;

  std::optional<double> every_;                   ///< between checkpoints [s]
  std::optional<checkpoints::Checkpoint> saved_;  ///< what this run continues from
  std::filesystem::path saved_folder_;
  core::Tick every_ticks_ = 0;           ///< between checkpoints; 0: there are none
  checkpoints::ModelIdentity identity_;  ///< where there are checkpoints
  std::optional<double> last_;           ///< that this run has written [s]
  std::uint64_t count_ = 0;
  double seconds_ = 0.0;
};

/// Throws RunError if the state does not fit.
void restore_engine(engine::Engine& engine, std::string_view state);

}  // namespace tieline::simulation
