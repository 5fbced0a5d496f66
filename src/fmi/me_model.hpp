#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "components/ode_model.hpp"
#include "fmi/fmu_spec.hpp"
#include "fmi/instance.hpp"
#include "fmi/interface_exchange.hpp"
#include "fmi/launch.hpp"
#include "fmi/values.hpp"

namespace tieline::fmi {

/// The equations of a model-exchange FMU, for our solvers: at every stage the motion of its interfaces is read and what
/// acts on them is set as the laws of the ports say, so that the FMU never sees a force that is held.
///
/// State events are guards, oriented by the side that each indicator was on when events were handled last; time events,
/// jumps of inputs and events that the FMU asks for after a step are breaks. Events are handled to the end in event
/// mode. Jacobians come from the FMU's directional derivatives where it has them.
class MeModel final : public components::OdeModel {
 public:
  MeModel(FmuSpec spec, const core::Pose& placement, RunFacts facts);
  ~MeModel() override;

  [[nodiscard]] int size() const override { return static_cast<int>(state_count_); }
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override;
  bool jacobian(double t, std::span<const double> y, std::span<double> columns) override;
  [[nodiscard]] int guard_count() const override { return static_cast<int>(orientation_.size()); }
  void guards(double t, std::span<const double> y, std::span<double> values) override;

  [[nodiscard]] std::span<core::Port> ports() override { return exchange_.set().ports(); }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override {
    return exchange_.set().spatial_interfaces();
  }
  core::Result<std::vector<double>> begin(double t0) override;
  [[nodiscard]] std::vector<int> scale_classes() const override;
  [[nodiscard]] std::vector<double> stated_scales() const override;
  void natural_sizes(double t, double while_length, std::span<double> sizes) const override;
  void observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
               std::span<components::PortOutput> outputs) override;
  void powers(double t, std::span<const double> y, components::Powers& powers) override;
  [[nodiscard]] std::vector<core::Column> columns() const override;
  void record(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
              std::span<double> values) override;
  [[nodiscard]] double next_break(double t) const override;
  bool on_break(double t, std::span<double> y) override;
  void on_guard(int index, double t, std::span<double> y) override;
  bool on_step(double t, std::span<const double> y) override;
  [[nodiscard]] std::optional<core::Energy> energy(double, std::span<const double>) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::optional<core::Error> failure() const override { return failure_; }
  [[nodiscard]] std::string snapshot_obstacle() const override;
  void save_modes(core::ArchiveWriter& archive) const override;
  void restore_modes(core::ArchiveReader& archive) override;

 private:
  /// Notes an error that no shorter step can mend; false in any case.
  bool refuse(const core::Error& error);
  [[nodiscard]] core::Result<void> initialize(double t0);
  /// Takes the instance to a time and state, with inputs that fit.
  bool evaluate(double t, wave::Side side, std::span<const double> y);
  bool handle_event(double t, std::span<double> y);
  void take_event(const EventResult& event);
  bool orient_guards();
  /// Rates of what the interfaces tell, by differences along the solution; `ydot` is the slope at (t, y).
  void find_rates(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot);
  [[nodiscard]] bool has_directional_derivatives() const;
  bool directional_jacobian(double t, std::span<const double> y, std::span<double> columns);
  bool difference_jacobian(double t, std::span<const double> y, std::span<double> columns);
  [[nodiscard]] bool keeps_discrete_state() const;
  [[nodiscard]] const ModelExchangeFacts& own_facts() const { return *spec_.description->model_exchange; }

  FmuSpec spec_;
  RunFacts facts_;
  InterfaceExchange exchange_;
  ValueReader recorded_;
  std::unique_ptr<Instance> instance_;
  std::size_t state_count_ = 0;
  std::optional<double> next_time_{};    ///< of a time event [s]
  std::optional<double> asked_event_{};  ///< after a step [s]
  std::vector<double> orientation_;      ///< of each indicator: 1 or -1
  std::vector<double> indicators_, nominals_, y_, ydot_;
  std::vector<double> numbers_, rates_;  ///< of motion
  std::vector<std::vector<double>> near_motion_, near_signals_;
  std::vector<int> state_of_motion_;  ///< index of the state that a number of motion is, or -1
  bool needs_rates_ = false;          ///< of what no state tells
  std::optional<core::Error> failure_{};
  /// States that the FMU keeps for repeated steps where it cannot write them down.
  struct Kept {
    std::uint64_t number = 0;
    SavedState state{};
  };
  mutable std::deque<Kept> kept_;
  mutable std::uint64_t kept_count_ = 0;
};

}  // namespace tieline::fmi
