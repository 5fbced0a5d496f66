#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/archive.hpp"
#include "core/result.hpp"
#include "fmi/fmu_spec.hpp"
#include "fmi/values.hpp"

namespace tieline::fmi {

class Instance;

/// Which clocks of an instance (FMI 3.0) tick in the present instant of an event, how often each triggered one has
/// ticked so far, and the values that variables with clocks had at the last tick: they may be read and set only while a
/// clock of theirs ticks, and while the FMU is initialized (section 2.2.6.2 of the standard).
///
/// The instance owns it and reports to it: `open` at the start of an event, `note_set` where clocks are set,
/// `before_update` and `after_update` around fmi3UpdateDiscreteStates, which ends an instant and all ticks in it.
/// ValueReader and ValueWriter ask it. One thread at a time.
class ClockState {
 public:
  /// Of what a run exchanges and records; nothing where no clock matters to it.
  [[nodiscard]] static std::unique_ptr<ClockState> make(const FmuSpec& spec);
  explicit ClockState(const FmuSpec& spec);

  /// Clocks may begin to tick from now on, in the same event.
  void open() { is_open_ = true; }
  void note_set(std::span<const std::uint32_t> references, std::span<const bool> ticks);
  core::Result<void> before_update(Instance& instance);
  void after_update(bool needs_update);
  /// Keeps all values, which may be read as long as the FMU is initialized.
  core::Result<void> keep_all(Instance& instance);

  /// Asks which triggered output clocks tick; outside events nothing is asked.
  core::Result<void> poll(Instance& instance);
  /// A triggered input clock: it ticks if this number is a new one and an event is being handled.
  core::Result<void> take(Instance& instance, std::uint32_t reference, std::int64_t ticks);
  /// Of a triggered clock, so far.
  [[nodiscard]] std::int64_t ticks(std::uint32_t reference) const;
  /// Whether variables with these clocks may be read and set now.
  [[nodiscard]] bool is_open_to(const Instance& instance, std::span<const std::uint32_t> clocks) const;
  /// As of the last tick.
  [[nodiscard]] double held(const Scalar& scalar) const;

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  /// Variables with the same clocks.
  struct Lot {
    std::vector<std::uint32_t> clocks{};  ///< references
    ValueBatches batches;
    std::vector<double> values{};
  };
  [[nodiscard]] bool is_active(std::span<const std::uint32_t> clocks) const;

  std::vector<Lot> lots_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<std::size_t, std::size_t>> places_;  ///< in the lots
  std::vector<std::uint32_t> outputs_;     ///< triggered clocks that go out: references
  std::unique_ptr<bool[]> answers_;        ///< of each of these
  std::vector<std::uint32_t> references_;  ///< of all triggered clocks
  std::vector<std::int64_t> ticks_;        ///< of each of these
  std::vector<std::uint32_t> active_;      ///< references of those that tick
  bool is_open_ = false;
};

}  // namespace tieline::fmi
