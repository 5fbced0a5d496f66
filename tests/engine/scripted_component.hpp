#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/component.hpp"

namespace tieline::engine {

/// A component for tests: ports are inputs and outputs of signals, every output is a given function of time, steps
/// have a fixed length, and everything that it is asked to do is written down.
class ScriptedComponent final : public core::Component {
 public:
  ScriptedComponent(std::string name, int inputs, int outputs, double step)
      : Component(std::move(name)), step_length_(step) {
    for (int i = 0; i < inputs + outputs; ++i) {
      core::Port port;
      port.name = (i < inputs ? "in" : "out") + std::to_string(i < inputs ? i : i - inputs);
      port.domain = core::Domain::signal;
      port.causality = i < inputs ? core::Causality::input : core::Causality::output;
      ports_.push_back(std::move(port));
    }
  }

  // What it does; to be set before the start.
  std::function<double(double)> value = [](double t) { return t; };
  double fails_at = std::numeric_limits<double>::infinity();  ///< the first window that ends after this time fails
  /// Where it is set, an output depends on what it was and on the inputs; `value` is the first one.
  std::function<double(double, const std::vector<double>&)> reaction{};
  std::function<void(const core::Window&)> on_window{};  ///< called as a window begins
  /// When it asks to end the run; windows after that change nothing.
  double ends_at = std::numeric_limits<double>::infinity();
  bool is_copyable = true;
  bool is_savable = true;  ///< at save points

  // What was asked of it.
  std::vector<core::Window> windows{};
  std::vector<double> steps{};  ///< ends of single steps
  int starts = 0;
  /// What each input said at the end of each step.
  std::vector<std::vector<double>> seen{};
  /// Inputs that did not cover the end of a window.
  int uncovered = 0;

  [[nodiscard]] core::Port& port(const std::string& wanted) {
    for (core::Port& candidate : ports_) {
      if (candidate.name == wanted) return candidate;
    }
    std::abort();
  }

  [[nodiscard]] std::span<core::Port> ports() override { return ports_; }
  [[nodiscard]] core::Capabilities capabilities() const override {
    core::Capabilities result;
    result.can_snapshot = is_copyable;
    result.can_save_at_save_points = is_savable;
    if (!is_copyable) result.snapshot_obstacle = "the script forbids it";
    return result;
  }
  [[nodiscard]] std::vector<core::Column> columns() const override { return {}; }
  void plan_recording(core::RecordPlan) override {}
  void current_values(std::span<double>) override {}

  core::Result<void> start(double t0) override {
    time_ = t0;
    state_ = value(t0);
    ending_.reset();
    ++starts;
    windows.clear(), steps.clear(), seen.clear();
    publish();
    return {};
  }
  core::Result<void> advance(const core::Window& window) override {
    windows.push_back(window);
    if (on_window) on_window(window);
    for (const core::Port& port : ports_) {
      if (port.is_connected && port.causality == core::Causality::input && !port.incoming.extrapolates() &&
          !port.incoming.covers(window.horizon)) {
        ++uncovered;
      }
    }
    if (window.end > fails_at) {
      return core::Error{.message = "as the script says", .component = name(), .time = window.begin};
    }
    while (time_ < window.end) {
      if (auto stepped = step(window.end); !stepped) return stepped.error();
    }
    if (!ending_ && time_ >= ends_at) {
      ending_ = core::Ending{.time = ends_at, .component = name(), .reason = "as the script says"};
    }
    return {};
  }
  core::Result<double> step(double limit) override {
    time_ = limit - time_ <= 1.000001 * step_length_ ? limit : time_ + step_length_;
    steps.push_back(time_);
    std::vector<double> inputs;
    for (const core::Port& port : ports_) {
      if (port.causality == core::Causality::input) inputs.push_back(port.w(time_, wave::Side::left).value);
    }
    if (reaction) state_ = reaction(state_, inputs);
    seen.push_back(std::move(inputs));
    publish();
    return time_;
  }
  [[nodiscard]] double time() const override { return time_; }

  core::Result<void> save(core::ArchiveWriter& archive) const override {
    archive.tag(name());
    archive.put(time_);
    archive.put(state_);
    for (const core::Port& port : ports_) core::save_track(archive, port.incoming);
    return {};
  }
  core::Result<void> restore(core::ArchiveReader& archive) override {
    archive.expect_tag(name());
    archive.get(time_);
    archive.get(state_);
    for (core::Port& port : ports_) core::restore_track(archive, port.incoming);
    return {};
  }
  [[nodiscard]] const core::Ending* ending() const override { return ending_ ? &*ending_ : nullptr; }
  [[nodiscard]] core::Statistics statistics() const override { return {.steps = steps.size()}; }

 private:
  void publish() {
    constexpr double kDifference = 1e-4;
    const double rate = (value(time_ + kDifference) - value(time_ - kDifference)) / (2.0 * kDifference);
    for (core::Port& port : ports_) {
      if (port.causality == core::Causality::output && port.is_connected) {
        port.outbox.push_back(
            {.t = time_, .flow = reaction ? state_ : value(time_), .flow_rate = reaction ? 0.0 : rate});
      }
    }
  }

  double step_length_;
  double time_ = 0.0;
  double state_ = 0.0;
  std::optional<core::Ending> ending_{};
  std::vector<core::Port> ports_;
};

}  // namespace tieline::engine
