#include "fmi/state_keeper.hpp"

#include <algorithm>

#include "fmi/clock_state.hpp"

namespace tieline::fmi {
namespace {

// States of the past that an FMU is asked to keep at most.
constexpr std::size_t kMostKept = 64;

core::Error cannot(const char* obstacle) { return {.code = core::ErrorCode::unsupported, .message = obstacle}; }

}  // namespace

const char* StateKeeper::obstacle(core::SnapshotUse use) const {
  if (!can_save_) return "the FMU cannot save and restore its state (canGetAndSetFMUState)";
  if (!can_write_ && use == core::SnapshotUse::resume) {
    return "the FMU cannot serialize its state (canSerializeFMUState)";
  }
  return "";
}

core::Result<void> StateKeeper::save(Instance& instance, core::ArchiveWriter& archive) {
  if (const char* why = obstacle(archive.use()); *why != '\0') return cannot(why);
  SavedState state;
  if (auto saved = instance.save(state); !saved) return saved;
  if (instance.clock_state() != nullptr) instance.clock_state()->save(archive);
  has_saved_ = true;
  const bool is_written = archive.use() == core::SnapshotUse::resume;
  archive.put(is_written);
  if (!is_written) {
    if (kept_.size() >= kMostKept) kept_.pop_front();
    kept_.push_back({++count_, std::move(state)});
    archive.put(count_);
    return {};
  }
  auto bytes = instance.serialize(state);
  if (!bytes) return bytes.error();
  archive.put_span<std::byte>(*bytes);
  return {};
}

core::Result<void> StateKeeper::restore(Instance& instance, core::ArchiveReader& archive) {
  if (instance.clock_state() != nullptr) instance.clock_state()->restore(archive);
  if (archive.get<bool>()) {
    SavedState state;
    const auto bytes = archive.get_vector<std::byte>();
    if (auto read = instance.deserialize(bytes, state); !read) return read;
    return instance.restore(state);
  }
  const auto number = archive.get<std::uint64_t>();
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.number == number; });
  if (found == kept_.end()) return cannot("an earlier state of the FMU is no longer available");
  return instance.restore(found->state);
}

}  // namespace tieline::fmi
