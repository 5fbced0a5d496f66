#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "components/ode_model.hpp"
#include "core/equilibrium.hpp"
#include "core/interface_set.hpp"
#include "fmi/fmu_system.hpp"
#include "fmi/me_part.hpp"

namespace tieline::fmi {

/// A model-exchange FMU of a system.
struct MeMember {
  FmuSpec spec{};
  core::Pose placement{};
  RunFacts facts{};
  bool starts_in_equilibrium = false;
};

/// The equations of model-exchange FMUs, one or several that are joined by signals without delay, for one of our
/// solvers: at every stage the motion of their interfaces is read and the forces on them are set as the laws of the
/// ports say, so that no FMU ever sees a force that is held; signals are passed on until nothing changes any more, and
/// where they go round in circles at once, the loop is solved by Newton's method.
///
/// State events are guards, oriented by the side that each indicator was on when events were handled last; time events,
/// jumps of inputs and events that an FMU asks for after a step are breaks. Events are handled to the end in event
/// mode, by all FMUs together. Jacobians come from directional derivatives where a single FMU has them.
///
/// At rest (core::Equilibrium) all states stand still while springs pull at the interfaces: Newton's method on the
/// states, with differences as derivatives, at the time of the start; events are handled where it ends.
class MeModel final : public components::OdeModel, public FmuSystem, private core::Equilibrium {
 public:
  explicit MeModel(std::vector<MeMember> members, std::vector<SignalLink> links = {});
  ~MeModel() override;

  [[nodiscard]] int size() const override { return static_cast<int>(first_state_.back()); }
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override;
  bool jacobian(double t, std::span<const double> y, std::span<double> columns) override;
  [[nodiscard]] int guard_count() const override { return static_cast<int>(first_guard_.back()); }
  void guards(double t, std::span<const double> y, std::span<double> values) override;

  [[nodiscard]] std::span<core::Port> ports() override { return set_.ports(); }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override { return set_.spatial_interfaces(); }
  core::Result<std::vector<double>> begin(double t0) override;
  /// Where one of them is to start so.
  [[nodiscard]] core::Equilibrium* equilibrium() override;
  [[nodiscard]] std::vector<int> scale_classes() const override;
  [[nodiscard]] std::vector<double> stated_scales() const override;
  void natural_sizes(double t, wave::Side side, double while_length, std::span<double> sizes) const override;
  void observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
               std::span<components::PortOutput> outputs) override;
  void powers(double t, std::span<const double> y, components::Powers& powers) override;
  /// Those of all interfaces, part by part, then all recorded variables, part by part.
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
  [[nodiscard]] std::optional<core::Error> failure() const override;
  [[nodiscard]] const core::Ending* ending() const override { return ending_ ? &*ending_ : nullptr; }
  [[nodiscard]] std::string snapshot_obstacle() const override;
  void save_modes(core::ArchiveWriter& archive) const override;
  void restore_modes(core::ArchiveReader& archive) override;

  /// What it is made of.
  [[nodiscard]] const std::vector<MeMember>& members() const { return members_; }
  [[nodiscard]] core::InterfaceSet& interfaces() override { return set_; }
  [[nodiscard]] std::size_t part_count() const override { return members_.size(); }
  [[nodiscard]] std::size_t first_interface(std::size_t part) const override { return first_interface_[part]; }
  [[nodiscard]] const FmuSpec& spec_of(std::size_t part) const override { return members_[part].spec; }
  /// One solver takes the steps of all.
  [[nodiscard]] core::Statistics own_statistics(std::size_t) const override { return {}; }
  [[nodiscard]] std::vector<core::Column> system_columns() const override { return columns(); }

 private:
  [[nodiscard]] std::span<const double> part_of(std::span<const double> y, std::size_t part) const {
    return y.subspan(first_state_[part], first_state_[part + 1] - first_state_[part]);
  }
  [[nodiscard]] std::span<double> part_of(std::span<double> y, std::size_t part) const {
    return y.subspan(first_state_[part], first_state_[part + 1] - first_state_[part]);
  }
  /// Takes all to a time and state, with inputs that fit.
  bool evaluate(double t, wave::Side side, std::span<const double> y);
  /// Inputs that fit, all standing at one time.
  bool settle(double t, wave::Side side);
  bool pass_signals(double t, wave::Side side);
  bool pass_clocks(double t, wave::Side side);
  bool solve_loop(double t, wave::Side side);
  /// Sets all linked inputs, and returns by how much they differ from the outputs.
  bool loop_defect(double t, wave::Side side, const Eigen::VectorXd& inputs, Eigen::VectorXd& defect);
  [[nodiscard]] double output_of(const SignalLink& link) const;
  bool handle_event(double t, std::span<double> y);
  /// Ends the next step early where an indicator that is close to zero crosses it at once: it might come back before
  /// the end of a long one, and nothing would be seen of it. All then stand at (t, y) again.
  bool look_ahead(double t, std::span<const double> y);
  /// In which states change by their own size [s]; infinite where none does.
  [[nodiscard]] double time_of_change(std::span<const double> y, std::span<const double> ydot) const;
  /// All being in event mode: until nothing changes and no clock ticks any more. Whose states have changed is noted.
  bool settle_events(double t, std::vector<bool>& has_changed);
  core::Result<void> leave_initialization(double t0);
  /// Notes that one of them has asked to end the simulation, if one has; from then on nothing is computed any more.
  bool take_ending(double t);

  // At rest.
  /// The end of a spring, and whose interface it pulls at.
  struct RestEnd {
    core::SpringEnd spring{};
    std::size_t part = 0, interface = 0;  ///< of that part
  };
  /// How the rates of all states, and the places of all ends, change with the states.
  struct RestSlopes {
    Eigen::MatrixXd rates{}, places{};
  };
  core::Result<void> settle(double t0, std::span<const core::SpringEnd> ends) override;
  [[nodiscard]] core::EndPlace place(const core::SpringEnd& end) const override;
  void response(Eigen::MatrixXd& by_partners) override;
  core::Result<void> put_springs(std::span<const core::SpringEnd> ends);
  void pull_by_springs();
  [[nodiscard]] core::EndPlace place_now(const RestEnd& end) const;
  /// The rates of states under the springs, where these leave the ends.
  bool rest_rates(std::span<const double> y, Eigen::VectorXd& rates);
  bool rest_slopes(std::span<const double> y, const Eigen::VectorXd& rates, RestSlopes& slopes);
  /// The largest rate, and whose.
  struct Unrest {
    double value = 0.0;  ///< as a share of the state's nominal value [1/s]
    std::size_t state = 0;
  };
  [[nodiscard]] Unrest unrest(const Eigen::VectorXd& rates) const;
  [[nodiscard]] double rounding_of_rates(std::span<const double> y, const RestSlopes& slopes) const;
  core::Result<void> find_rest(std::vector<double>& y);
  [[nodiscard]] std::string name_of_state(std::size_t state) const;

  bool difference_jacobian(double t, std::span<const double> y, std::span<double> columns);
  /// Rates of the outputs of the interfaces, by differences along the solution; `ydot` is the slope at (t, y).
  void find_rates(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot);

  std::vector<MeMember> members_;
  core::InterfaceSet set_;
  std::vector<std::unique_ptr<MePart>> parts_;
  std::vector<SignalLink> links_;
  std::vector<std::size_t> first_interface_, first_state_, first_guard_;  ///< by part, and one behind the last
  std::vector<double> nominals_, y_, ydot_;
  double window_ = 0.0;
  double look_at_ = 0.0;        ///< a step ends here, to see which guards have become negative [s]
  std::vector<double> linked_;  ///< what each link carries
  std::vector<std::size_t> clock_links_, loop_links_;  ///< links to clocks, and the others
  std::vector<bool> is_stale_;                         ///< by part, while signals are passed on
  bool has_loop_ = false;                              ///< signals went round in circles before
  Eigen::MatrixXd loop_matrix_;
  std::vector<RestEnd> rest_ends_;
  std::optional<std::vector<double>> rest_;  ///< the equilibrium, where it was found
  double rest_time_ = 0.0;                   ///< [s]
  std::optional<core::Error> failure_{};     ///< of the system
  std::optional<core::Ending> ending_{};
};

}  // namespace tieline::fmi
