// Instance: saved states.

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "fmi/instance.hpp"
#include "fmi/instance_calls.hpp"

namespace tieline::fmi {
namespace {

/// Before the FMU's own bytes: what it does not contain.
struct Head {
  std::uint32_t version = 0;  ///< of FMI
  Phase phase = Phase::instantiated;
  double time = 0.0;  ///< [s]
};

}  // namespace

core::Result<void> Instance::save(SavedState& state) {
  constexpr Call kCall{"GetFMUstate", "GetFMUState"};
  if (!may(kLiving & ~phase_mask(Phase::failed))) return refusal(kCall);
  if (state.owner_ != self_) state.release();
  const bool is_new = state.handle_ == nullptr;
  const int status = two_ != nullptr ? int{two_->fmi2GetFMUstate(handle_, &state.handle_)}
                                     : int{three_->fmi3GetFMUState(handle_, &state.handle_)};
  if (auto saved = answer(status, kCall); !saved) {
    // What a failed call leaves behind belongs to nobody.
    if (is_new) state.handle_ = nullptr;
    return saved;
  }
  keep_state(state, is_new);
  state.phase_ = phase_;
  state.time_ = time_;
  return {};
}

void Instance::keep_state(SavedState& state, bool is_new) {
  state.owner_ = self_;
  if (is_new && state.handle_ != nullptr) saved_.push_back(state.handle_);
}

core::Result<void> Instance::restore(const SavedState& state) {
  constexpr Call kCall{"SetFMUstate", "SetFMUState"};
  if (!may(kLiving)) return refusal(kCall);
  if (state.owner_ != self_ || state.handle_ == nullptr) {
    return error(core::ErrorCode::bad_input, "the saved state does not belong to this instance");
  }
  const int status = two_ != nullptr ? int{two_->fmi2SetFMUstate(handle_, state.handle_)}
                                     : int{three_->fmi3SetFMUState(handle_, state.handle_)};
  if (auto restored = answer(status, kCall); !restored) return restored;
  phase_ = state.phase_;
  time_ = state.time_;
  return {};
}

void Instance::free_state(void* handle) {
  std::erase(saved_, handle);
  if (phase_ == Phase::lost) return;
  // A state that an FMU does not free is lost memory, not a reason to stop.
  const int status =
      two_ != nullptr ? int{two_->fmi2FreeFMUstate(handle_, &handle)} : int{three_->fmi3FreeFMUState(handle_, &handle)};
  if (status == static_cast<int>(Status::fatal)) lose();
}

core::Result<std::vector<std::byte>> Instance::serialize(const SavedState& state) {
  constexpr Call kSize{"SerializedFMUstateSize", "SerializedFMUStateSize"};
  constexpr Call kCall{"SerializeFMUstate", "SerializeFMUState"};
  if (!may(kLiving & ~phase_mask(Phase::failed))) return refusal(kCall);
  if (state.owner_ != self_ || state.handle_ == nullptr) {
    return error(core::ErrorCode::bad_input, "the saved state does not belong to this instance");
  }
  std::size_t size = 0;
  const int sized = two_ != nullptr ? int{two_->fmi2SerializedFMUstateSize(handle_, state.handle_, &size)}
                                    : int{three_->fmi3SerializedFMUStateSize(handle_, state.handle_, &size)};
  if (auto answered = answer(sized, kSize); !answered) return std::move(answered.error());
  const Head head{static_cast<std::uint32_t>(version()), state.phase_, state.time_};
  std::vector<std::byte> bytes(sizeof head + size);
  std::memcpy(bytes.data(), &head, sizeof head);
  std::byte* const place = bytes.data() + sizeof head;
  const int status =
      two_ != nullptr
          ? int{two_->fmi2SerializeFMUstate(handle_, state.handle_, reinterpret_cast<char*>(place), size)}
          : int{three_->fmi3SerializeFMUState(handle_, state.handle_, reinterpret_cast<std::uint8_t*>(place), size)};
  if (auto written = answer(status, kCall); !written) return std::move(written.error());
  return bytes;
}

core::Result<void> Instance::deserialize(std::span<const std::byte> bytes, SavedState& state) {
  constexpr Call kCall{"DeSerializeFMUstate", "DeserializeFMUState"};
  if (!may(kLiving & ~phase_mask(Phase::failed))) return refusal(kCall);
  Head head;
  if (bytes.size() >= sizeof head) std::memcpy(&head, bytes.data(), sizeof head);
  if (head.version != static_cast<std::uint32_t>(version()) || head.phase >= Phase::failed) {
    return error(core::ErrorCode::bad_input, "these bytes are not a saved state of this FMU");
  }
  if (state.owner_ != self_) state.release();
  const bool is_new = state.handle_ == nullptr;
  const std::span<const std::byte> own = bytes.subspan(sizeof head);
  const int status = two_ != nullptr
                         ? int{two_->fmi2DeSerializeFMUstate(handle_, reinterpret_cast<const char*>(own.data()),
                                                             own.size(), &state.handle_)}
                         : int{three_->fmi3DeserializeFMUState(
                               handle_, reinterpret_cast<const std::uint8_t*>(own.data()), own.size(), &state.handle_)};
  if (auto read = answer(status, kCall); !read) {
    if (is_new) state.handle_ = nullptr;
    return read;
  }
  keep_state(state, is_new);
  state.phase_ = head.phase;
  state.time_ = head.time;
  return {};
}

}  // namespace tieline::fmi
