#pragma once

#include <cstdint>
#include <deque>

#include "core/archive.hpp"
#include "core/result.hpp"
#include "fmi/description.hpp"
#include "fmi/instance.hpp"

namespace tieline::fmi {

/// An FMU's state in snapshots: as bytes where the FMU can write it down; else, for trials within one run, kept by the
/// FMU under a number. One thread at a time.
class StateKeeper {
 public:
  explicit StateKeeper(const InterfaceFacts& facts)
      : can_save_(facts.can_get_and_set_state), can_write_(can_save_ && facts.can_serialize_state) {}

  /// Why no snapshot can be taken, in words; empty if it can.
  [[nodiscard]] const char* obstacle(core::SnapshotUse use) const;
  core::Result<void> save(Instance& instance, core::ArchiveWriter& archive);
  core::Result<void> restore(Instance& instance, core::ArchiveReader& archive);
  /// Before the instance is freed.
  void clear() {
    kept_.clear();
    has_saved_ = false;
  }
  /// Whether the instance may be put back to an earlier time: FMUs want to know (noSetFMUStatePriorToCurrentPoint).
  [[nodiscard]] bool may_go_back() const { return has_saved_; }

 private:
  struct Kept {
    std::uint64_t number = 0;
    SavedState state{};
  };
  bool can_save_, can_write_;
  std::deque<Kept> kept_;
  std::uint64_t count_ = 0;  ///< kept so far
  bool has_saved_ = false;   ///< since the instance was made
};

}  // namespace tieline::fmi
