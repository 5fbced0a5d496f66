#include "fmi/clock_state.hpp"

#include <algorithm>

#include "fmi/instance.hpp"

namespace tieline::fmi {

using core::Result;

std::unique_ptr<ClockState> ClockState::make(const FmuSpec& spec) {
  const Description& description = *spec.description;
  // Without event mode no clock ever ticks, and there is no time at which values could not be read.
  const bool has_events =
      spec.is_model_exchange || (description.co_simulation && description.co_simulation->has_event_mode);
  if (description.version != 3 || !has_events || description.clocks.empty()) return nullptr;
  return std::make_unique<ClockState>(spec);
}

ClockState::ClockState(const FmuSpec& spec) {
  const Description& description = *spec.description;
  std::map<std::vector<std::uint32_t>, std::vector<Scalar>> lots;
  const auto add = [&](const Scalar& scalar) {
    const Variable& variable = description.variables[scalar.variable];
    if (variable.clocks.empty() || !is_number(variable.type)) return;
    std::vector<std::uint32_t> clocks;
    for (const std::uint32_t clock : variable.clocks) clocks.push_back(description.variables[clock].reference);
    lots[clocks].push_back(scalar);
  };
  for (const InterfaceMap& map : spec.interfaces) {
    for (const Scalar& scalar : map.values) add(scalar);
  }
  for (const Scalar& scalar : spec.recorded) add(scalar);
  for (const auto& [clocks, scalars] : lots) {
    for (std::size_t k = 0; k < scalars.size(); ++k) {
      places_[{scalars[k].variable, scalars[k].element}] = {lots_.size(), k};
    }
    lots_.push_back({clocks, ValueBatches(description, scalars), std::vector<double>(scalars.size())});
  }
  for (const Variable& variable : description.variables) {
    if (variable.type != Type::clock || !is_signal(description, variable)) continue;
    references_.push_back(variable.reference);
    if (variable.causality == Causality::output) outputs_.push_back(variable.reference);
  }
  std::sort(references_.begin(), references_.end());
  ticks_.assign(references_.size(), 0);
  answers_ = std::make_unique<bool[]>(outputs_.size());
  active_.reserve(description.clocks.size());
}

bool ClockState::is_active(std::span<const std::uint32_t> clocks) const {
  return std::any_of(clocks.begin(), clocks.end(), [&](std::uint32_t clock) {
    return std::find(active_.begin(), active_.end(), clock) != active_.end();
  });
}

bool ClockState::is_open_to(const Instance& instance, std::span<const std::uint32_t> clocks) const {
  switch (instance.phase()) {
    case Phase::instantiated:
    case Phase::configuration:
    case Phase::initialization:
      return true;
    case Phase::event:
      return is_active(clocks);
    default:
      return false;
  }
}

void ClockState::note_set(std::span<const std::uint32_t> references, std::span<const bool> ticks) {
  is_open_ = true;
  for (std::size_t k = 0; k < references.size(); ++k) {
    const auto found = std::find(active_.begin(), active_.end(), references[k]);
    if (ticks[k] && found == active_.end()) active_.push_back(references[k]);
    if (!ticks[k] && found != active_.end()) active_.erase(found);
  }
}

Result<void> ClockState::poll(Instance& instance) {
  if (outputs_.empty() || !is_open_ || instance.phase() != Phase::event) return {};
  const std::span<bool> answers(answers_.get(), outputs_.size());
  if (auto got = instance.get_clocks(outputs_, answers); !got) return got;
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    if (!answers[k] || is_active(std::span(&outputs_[k], 1))) continue;
    active_.push_back(outputs_[k]);
    const auto at = std::lower_bound(references_.begin(), references_.end(), outputs_[k]) - references_.begin();
    ++ticks_[static_cast<std::size_t>(at)];
  }
  return {};
}

Result<void> ClockState::take(Instance& instance, std::uint32_t reference, std::int64_t ticks) {
  const auto at = std::lower_bound(references_.begin(), references_.end(), reference) - references_.begin();
  std::int64_t& so_far = ticks_[static_cast<std::size_t>(at)];
  if (ticks == so_far || instance.phase() == Phase::step || instance.phase() == Phase::continuous) return {};
  so_far = ticks;
  if (instance.phase() != Phase::event) return {};  // where the count begins
  constexpr bool kOn = true;
  return instance.set_clocks(std::span(&reference, 1), std::span(&kOn, 1));
}

std::int64_t ClockState::ticks(std::uint32_t reference) const {
  const auto found = std::lower_bound(references_.begin(), references_.end(), reference);
  const bool is_known = found != references_.end() && *found == reference;
  return is_known ? ticks_[static_cast<std::size_t>(found - references_.begin())] : 0;
}

double ClockState::held(const Scalar& scalar) const {
  const auto found = places_.find({scalar.variable, scalar.element});
  return found == places_.end() ? 0.0 : lots_[found->second.first].values[found->second.second];
}

Result<void> ClockState::keep_all(Instance& instance) {
  for (Lot& lot : lots_) {
    if (auto got = lot.batches.read(instance, lot.values); !got) return got;
  }
  return {};
}

Result<void> ClockState::before_update(Instance& instance) {
  if (auto polled = poll(instance); !polled) return polled;
  for (Lot& lot : lots_) {
    if (!is_active(lot.clocks)) continue;
    if (auto got = lot.batches.read(instance, lot.values); !got) return got;
  }
  return {};
}

void ClockState::after_update(bool needs_update) {
  active_.clear();
  is_open_ = needs_update;
}

void ClockState::save(core::ArchiveWriter& archive) const {
  archive.put_span<std::int64_t>(ticks_);
  for (const Lot& lot : lots_) archive.put_span<double>(lot.values);
}

void ClockState::restore(core::ArchiveReader& archive) {
  archive.get_span<std::int64_t>(ticks_);
  for (Lot& lot : lots_) archive.get_span<double>(lot.values);
  active_.clear();
  is_open_ = false;
}

}  // namespace tieline::fmi
