#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/ode_model.hpp"
#include "core/relation.hpp"

namespace tieline::components {

/// A number that goes from an output to an input of joined equations without delay.
struct JoinedSignal {
  std::size_t from_member = 0, from_port = 0;  ///< the port's number among those of the member
  std::size_t to_member = 0, to_port = 0;
  std::string name{};  ///< of its connection, for messages
  core::Relation relation{};
};

/// Equations of several components as one system: signals between them are right at every evaluation, also where they
/// depend on one another at once.
///
/// The signals are the unknowns of "input = output", solved by Newton's method at every evaluation of the right-hand
/// side; their rates follow from the same derivative. It is found by differences, kept as long as it serves, and part
/// of snapshots, since roundings depend on it. A correction that makes matters worse is halved. Modes of members change
/// by their guards, one after the other, until none is due.
/// Members must be MovablePorts. Call order as OdeModel says. One thread at a time; `rhs`, `observe` and `record` do
/// not allocate.
class JoinedModel final : public OdeModel {
 public:
  JoinedModel(std::vector<std::unique_ptr<OdeModel>> members, std::vector<JoinedSignal> signals);

  [[nodiscard]] std::span<core::Port> ports_of(std::size_t member);
  /// Of member m: columns [first_column(m), first_column(m + 1)) of the whole.
  [[nodiscard]] std::size_t first_column(std::size_t member) const { return first_column_[member]; }

  // solvers::OdeSystem
  [[nodiscard]] int size() const override { return static_cast<int>(first_state_.back()); }
  [[nodiscard]] std::vector<Motion> motions() const override;
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override;
  bool jacobian(double t, std::span<const double> y, std::span<double> columns) override;
  [[nodiscard]] double unseen_input(double t, double t_end, double relative_tolerance) override;
  [[nodiscard]] int guard_count() const override;
  void guards(double t, std::span<const double> y, std::span<double> values) override;

  // OdeModel
  [[nodiscard]] std::span<core::Port> ports() override { return ports_; }
  core::Result<std::vector<double>> begin(double t0) override;
  [[nodiscard]] std::vector<int> scale_classes() const override;
  [[nodiscard]] std::vector<double> stated_scales() const override;
  void natural_sizes(double t, wave::Side side, double while_length, std::span<double> sizes) const override;
  [[nodiscard]] double position_origin(std::size_t port) const override;
  std::vector<Driven> choose_driven(double stretch) override;
  [[nodiscard]] wave::TrackValue driven_motion(std::size_t port, double t0, double t, wave::Side side) const override;
  void limit_sizes(std::span<const double> efforts, std::span<double> sizes) const override;
  [[nodiscard]] bool moves_by_states(std::size_t port) const override;
  [[nodiscard]] bool knows_what_moves() const override;
  void observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
               std::span<PortOutput> outputs) override;
  void powers(double t, std::span<const double> y, Powers& powers) override;
  [[nodiscard]] std::vector<core::Column> columns() const override;
  void record(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
              std::span<double> values) override;
  [[nodiscard]] double next_break(double t) const override;
  bool on_break(double t, std::span<double> y) override;
  void on_guard(int index, double t, std::span<double> y) override;
  [[nodiscard]] std::string guard_name(int index) const override;
  bool on_step(double t, std::span<const double> y) override;
  [[nodiscard]] std::optional<core::Error> failure() const override;
  [[nodiscard]] std::string snapshot_obstacle() const override;
  [[nodiscard]] double jump_work(double t) const override;
  [[nodiscard]] std::optional<core::Energy> energy(double t, std::span<const double> y) const override;
  void save_modes(core::ArchiveWriter& archive) const override;
  void restore_modes(core::ArchiveReader& archive) override;

 private:
  struct Member {
    std::unique_ptr<OdeModel> equations{};
    std::size_t first_port = 0, port_count = 0;
  };
  template <class T>
  [[nodiscard]] std::span<T> states_of(std::size_t member, std::span<T> y) const {
    return y.subspan(first_state_[member], first_state_[member + 1] - first_state_[member]);
  }
  [[nodiscard]] const Member& owner_of(std::size_t port) const;
  [[nodiscard]] core::Port& input_of(std::size_t signal);
  /// Gives the inputs what the unknowns say.
  void set_inputs();
  /// Evaluates a member with its inputs as they are; false if it cannot be.
  bool evaluate(std::size_t member, double t, wave::Side side, std::span<const double> y);
  /// Evaluates all members, and by how much inputs differ from outputs, or their rates do.
  bool find_defect(double t, wave::Side side, std::span<const double> y, bool of_rates, Eigen::VectorXd& defect);
  void find_derivative(double t, wave::Side side, std::span<const double> y);
  [[nodiscard]] bool solve(double t, wave::Side side, std::span<const double> y);
  [[nodiscard]] bool solve_values(double t, wave::Side side, std::span<const double> y);
  void solve_rates(double t, wave::Side side, std::span<const double> y);
  bool settle_modes(double t, std::span<double> y);
  [[nodiscard]] std::size_t first_guard(std::size_t member) const;
  /// The member that a guard belongs to, and the guard's number there.
  [[nodiscard]] std::pair<std::size_t, int> own_guard(int index) const;

  std::vector<Member> members_;
  std::vector<JoinedSignal> signals_;
  std::vector<core::Port> ports_;
  std::vector<std::size_t> first_state_, first_column_;  ///< by member, and the whole's number at the end
  bool is_unsolved_ = false;
  double unsolved_at_ = 0.0;  ///< [s]

  Eigen::VectorXd values_, rates_;  ///< of the signals: what is known of them
  Eigen::MatrixXd derivative_;      ///< of the defect by the values; empty: not known
  Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
  bool has_factors_ = false;
  Eigen::VectorXd defect_, moved_, change_, kept_;
  std::vector<double> ydot_, guard_values_, shifted_, shifted_rates_;
  std::vector<PortOutput> outputs_;
};

}  // namespace tieline::components
