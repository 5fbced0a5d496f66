#pragma once

#include <atomic>
#include <string>

#include "participant/fleet.hpp"
#include "participant/tool_component.hpp"

namespace tieline::processes {

/// Reaches a tool through the fleet that it is a member of. Calls wait for the tool's answers, at most for the stall
/// deadline, and end with the run.
class FleetDriver final : public participant::ToolDriver {
 public:
  /// `cancel` is where the present run's request to stop is found.
  FleetDriver(std::size_t member, double patience, const std::atomic<const std::atomic<bool>*>& cancel)
      : member_(member), patience_(patience), cancel_(cancel) {}
  /// Before any call.
  void join(participant::Fleet& fleet, bool has_begun) {
    fleet_ = &fleet;
    has_begun_ = has_begun;
  }
  /// What the tool is to begin with; empty: as it has registered.
  [[nodiscard]] std::string take_first_state() { return std::move(first_state_); }
  [[nodiscard]] bool has_begun() const override { return has_begun_; }

  core::Result<transport::Driven> drive(double begin, double end, bool is_save_point,
                                        core::InterfaceSet& interfaces) override;
  core::Result<void> keep(std::uint64_t number) override;
  core::Result<void> put_back(std::uint64_t number) override;
  core::Result<std::string> save() override;
  core::Result<void> restore(const std::string& state) override;

 private:
  core::Result<transport::ReceivedMessage> answer(transport::Message type);
  core::Result<void> ask(transport::Message type, std::uint64_t number);
  [[nodiscard]] core::Error unreadable() const;

  std::size_t member_;
  double patience_;  ///< [s]
  const std::atomic<const std::atomic<bool>*>& cancel_;
  participant::Fleet* fleet_ = nullptr;
  bool has_begun_ = false;
  std::string first_state_;
};

}  // namespace tieline::processes
