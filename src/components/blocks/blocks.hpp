#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "components/blocks/spec.hpp"
#include "components/blocks/unit.hpp"
#include "components/movable_ports.hpp"
#include "components/ode_model.hpp"

namespace tieline::components {

/// A diagram of signal blocks; `kind="blocks"`.
///
/// Blocks are evaluated in the order of their dependence, values first, then the derivatives of states, then rates, so
/// that an output's rate is right also where it comes through a loop. Limits, pieces of tables and switches of sources
/// are modes that change by guards; sample-and-holds change at their instants only, in the order of the diagram, after
/// sources and inputs have jumped. The diagram must have no algebraic loop.
///
/// Ports are in the order of interfaces_of(spec). Call order as OdeModel says. One thread at a time. `rhs`, `observe`,
/// `record` and `guards` do not allocate.
class Blocks final : public OdeModel, public MovablePorts {
 public:
  explicit Blocks(BlocksSpec spec);

  // solvers::OdeSystem
  [[nodiscard]] int size() const override { return size_; }
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override;
  bool jacobian(double t, std::span<const double> y, std::span<double> columns) override;
  [[nodiscard]] int guard_count() const override { return guard_count_; }
  void guards(double t, std::span<const double> y, std::span<double> values) override;
  [[nodiscard]] double unseen_input(double t, double t_end, double relative_tolerance) override;

  // OdeModel
  [[nodiscard]] std::span<core::Port> ports() override { return ports_; }
  void move_ports(std::span<core::Port> to) override;
  core::Result<std::vector<double>> begin(double t0) override;
  [[nodiscard]] std::vector<int> scale_classes() const override;
  void natural_sizes(double, wave::Side, double, std::span<double> sizes) const override;
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
  [[nodiscard]] std::optional<core::Energy> energy(double t, std::span<const double> y) const override;
  void save_modes(core::ArchiveWriter& archive) const override;
  void restore_modes(core::ArchiveReader& archive) override;

 private:
  struct Cell {
    std::unique_ptr<Unit> unit{};  ///< null for an input
    int port = -1;                 ///< of an input
    double start = 0.0;            ///< of an input
    std::vector<int> inputs{};
    int first_state = 0, state_count = 0;
    int first_guard = 0, guard_count = 0;
  };

  void read_input(const Cell& cell, int block, double t, wave::Side side);
  /// What a block sees, from the values and rates found so far.
  [[nodiscard]] UnitView view(const Cell& cell, double t, wave::Side side, std::span<const double> y);
  void evaluate_values(double t, wave::Side side, std::span<const double> y);
  void evaluate_derivatives(double t, wave::Side side, std::span<const double> y, std::span<double> ydot);
  void evaluate_rates(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot);
  /// Values, derivatives and, if a unit needs them or `with_rates`, rates.
  void evaluate(double t, wave::Side side, std::span<const double> y, std::span<double> ydot, bool with_rates);
  [[nodiscard]] bool needs_rates() const;
  void evaluate_guards(double t, wave::Side side, std::span<const double> y, std::span<double> values);
  void change_mode(int guard, double t, std::span<double> y);
  bool settle_modes(double t, std::span<double> y);

  BlocksSpec spec_;
  std::vector<core::Port> own_ports_;  ///< empty if they live elsewhere
  std::span<core::Port> ports_;
  std::vector<Cell> cells_;  ///< by block
  std::vector<int> order_;
  std::vector<int> loop_;  ///< of blocks, where the diagram cannot be evaluated
  int size_ = 0;
  int guard_count_ = 0;

  // Workspace of one evaluation.
  std::vector<double> values_, rates_;  ///< by block
  std::vector<double> u_, u_rate_;      ///< inputs of the block at hand
  std::vector<double> ydot_, guard_values_, tangents_;
};

}  // namespace tieline::components
