#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assembly/checked_model.hpp"
#include "checkpoints/fingerprint.hpp"
#include "core/component.hpp"
#include "core/result.hpp"
#include "core/time_grid.hpp"
#include "model/reader.hpp"
#include "results/writer.hpp"

namespace tieline::assembly {
struct Assembly;
}  // namespace tieline::assembly

namespace tieline::checkpoints {

/// Which model a run is of, as far as it decides the run's bits. Stop time and save interval are not part of it.
struct ModelIdentity {
  std::string version{};                     ///< of tieline: the state's layout is its own
  std::string file{};                        ///< absolute path of the model
  std::vector<model::Override> overrides{};  ///< of its parameters
  std::vector<ModelFile> files{};            ///< all that it consists of; paths relative to the model's folder
  std::string resolved{};                    ///< as it ran, XML, paths relative to the model's folder
};

/// The state of a whole run at a save point, with what it takes to continue from there: the contents of
/// `checkpoint.bin`.
struct Checkpoint {
  ModelIdentity model{};
  double stop = 0.0;                       ///< wanted [s]
  double save_interval = 0.0;              ///< between save points [s]
  double every = 0.0;                      ///< between checkpoints [s], a multiple of the save interval
  double time = 0.0;                       ///< of the save point [s]
  core::Tick tick = 0;                     ///< the same, on the schedule
  std::string schedule{};                  ///< of the run, in words: ticks, windows, rows
  std::vector<double> resumed_from{};      ///< where the run continued from a checkpoint before [s]
  std::vector<results::TableRows> rows{};  ///< of the results that count
  std::string engine{};                    ///< its state
};

/// Name of the checkpoint in a result folder.
inline constexpr std::string_view kCheckpointFileName = "checkpoint.bin";

/// The form on disk: a magic word, the format's number, length and fingerprint of what follows, and that.
[[nodiscard]] std::string encode(const Checkpoint& checkpoint);
/// `source` is what an error calls the bytes. Whatever is damaged or cut short is an error.
core::Result<Checkpoint> decode(std::string_view bytes, std::string_view source);
/// The checkpoint in a result folder.
core::Result<Checkpoint> read_checkpoint(const std::filesystem::path& folder);

/// What identifies a model that was read and checked.
[[nodiscard]] ModelIdentity identity_of(const assembly::CheckedModel& checked,
                                        std::span<const model::Override> overrides);
/// Why a run of `now` cannot continue from a checkpoint of `before`, in words; empty if it can.
[[nodiscard]] std::string difference(const ModelIdentity& before, const ModelIdentity& now);

/// The first line in which two texts differ, in words; empty if they are equal.
[[nodiscard]] std::string first_difference(std::string_view before, std::string_view now);
/// When the windows of an assembled run end and rows are due, in words: equal where the schedules are.
[[nodiscard]] std::string schedule_of(const assembly::Assembly& assembly, const model::SimulationSettings& settings);

/// Components that cannot be saved at save points, all of them, with the reason; empty if all can.
[[nodiscard]] std::string obstacles_to_saving(std::span<core::Component* const> components);

/// Removes the checkpoint, and then the report, that an earlier run left in a folder; its results stay.
void forget_outcome(const std::filesystem::path& folder);
/// Puts the results that a resumed run has prepared in a folder of their own in the place of those in `folder`. At any
/// moment `folder` holds what `saved`, which was read from `saved_folder`, goes with, if it did before.
core::Result<void> put_in_place(const std::filesystem::path& prepared, const std::filesystem::path& folder,
                                const std::filesystem::path& saved_folder, const Checkpoint& saved);

/// `every` where it is a whole multiple of `save_interval`, within rounding; else an error with the nearest that are.
core::Result<void> check_multiple(double every, double save_interval);

}  // namespace tieline::checkpoints
