#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/row_schedule.hpp"
#include "fmi/cs_member.hpp"
#include "fmi/exchange_plan.hpp"
#include "fmi/fmu_system.hpp"
#include "fmi/signal_loop.hpp"
#include "fmi/step_grid.hpp"

namespace tieline::fmi {

/// Co-simulation FMUs that nothing but signals without delay joins, or a single one, taken from one communication point
/// to the next. FMU by FMU the points are t0 + k h, with a step h of its own; all steps have a common measure.
///
/// At each point the FMUs that are due step (`jacobi`: all with what was known at the start; `gauss_seidel`: each with
/// what those before it have found), and then inputs and outputs are made to fit one another: what follows inputs at
/// once is read again, in the order of dependence that the descriptions state, and what depends on itself is solved.
/// All that is planned before the first step: a step is a list of calls, and allocates nothing.
///
/// Within a step inputs are held, or continue straight, or, where tracks say what they do meanwhile (`follow_inputs`),
/// as straight as these on average. What comes from outside is taken from the ports' tracks at the points; what goes
/// out is published there, and at the ends of windows between. A step may end beyond its window, since nothing from
/// there is needed for it.
///
/// Where FMUs have clocks, a point is also where one of these ticks and where an FMU has an event; events are handled
/// by all FMUs together, until no clock ticks any more, and all step with what was known at the start.
///
/// Order of calls and threads as for any component. Where there are several FMUs, others show their ports and columns.
class CsSystem final : public core::Component, public FmuSystem {
 public:
  CsSystem(std::string name, std::vector<CsPart> parts, std::vector<SignalLink> links = {});
  ~CsSystem() override;

  [[nodiscard]] std::span<core::Port> ports() override { return set_.ports(); }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override { return set_.spatial_interfaces(); }
  [[nodiscard]] core::Capabilities capabilities() const override;
  [[nodiscard]] std::vector<core::Column> columns() const override { return system_columns(); }
  void plan_recording(core::RecordPlan plan) override;
  void current_values(std::span<double> values) override;
  core::Result<void> start(double t0) override;
  core::Result<void> advance(const core::Window& window) override;
  core::Result<double> step(double limit) override;
  [[nodiscard]] double time() const override { return published_to_; }
  core::Result<void> save(core::ArchiveWriter& archive) const override;
  core::Result<void> restore(core::ArchiveReader& archive) override;
  [[nodiscard]] core::Statistics statistics() const override;
  [[nodiscard]] const core::Ending* ending() const override { return ending_ ? &*ending_ : nullptr; }

  [[nodiscard]] const std::vector<CsPart>& fmus() const { return parts_; }
  /// From the next start on, inputs from outside are those of the whole step and not of its start: their tracks must
  /// answer for times that are ahead.
  void follow_inputs() { follows_inputs_ = true; }
  [[nodiscard]] core::InterfaceSet& interfaces() override { return set_; }
  [[nodiscard]] std::size_t part_count() const override { return parts_.size(); }
  [[nodiscard]] std::size_t first_interface(std::size_t part) const override { return first_interface_[part]; }
  [[nodiscard]] const FmuSpec& spec_of(std::size_t part) const override { return parts_[part].spec; }
  [[nodiscard]] core::Statistics own_statistics(std::size_t part) const override;
  [[nodiscard]] std::vector<core::Column> system_columns() const override;

 private:
  /// An input or output of the net, and what it is.
  struct Number {
    Scalar scalar{};
    bool is_held = false;  ///< changes in steps
    bool is_clock = false, is_clocked = false;
    const core::Port* port = nullptr;  ///< that feeds an input from outside
  };
  /// A call that sets inputs, or reads outputs, of one FMU.
  struct Writing {
    ValueWriter writer;
    std::vector<std::uint32_t> inputs, sources;
    std::vector<const core::Port*> ports;
    std::vector<double> values;
    /// Of an FMU that takes discrete inputs at events alone: the others, where there are discrete ones.
    std::optional<ValueWriter> smooth{};
    std::vector<std::uint32_t> smooth_places{};
    std::vector<double> smooth_values{};
  };
  struct Reading {
    ValueReader reader;
    std::vector<std::uint32_t> outputs;
    std::vector<double> values;
  };
  struct Action {
    PlanStep::Kind kind = PlanStep::Kind::set;
    std::uint32_t member = 0;
    std::uint32_t index = 0;  ///< among writings, readings, loops or leads
  };
  /// How the inputs of an FMU continue within a step.
  struct Lead {
    ValueWriter writer;
    std::vector<std::uint32_t> inputs;
    std::vector<bool> is_known;               ///< at the step's end
    std::vector<const core::Port*> followed;  ///< whose track says what the input does; or null
    bool follows_all = false;
    std::vector<double> values, slopes;
    std::vector<std::uint32_t> references;  ///< of those that take derivatives; empty: none do
    std::vector<std::int32_t> orders;
  };
  /// Where the numbers of an FMU in a row come from: what was set or read at the point is not asked for again.
  struct RowSource {
    ValueReader reader;                                                    ///< of what nothing else reads
    std::vector<std::uint32_t> columns;                                    ///< of these
    std::vector<double> values;                                            ///< of these
    std::size_t interface_values = 0;                                      ///< of which so many are outputs, first
    std::vector<Scalar> scalars;                                           ///< those that are read
    std::vector<std::pair<std::uint32_t, std::uint32_t>> outputs, inputs;  ///< columns and numbers
    std::vector<std::pair<std::uint32_t, double>> resting;  ///< columns of inputs that nothing feeds, as they start
  };
  using Program = std::vector<Action>;
  static constexpr std::uint32_t kNoLead = 0xffffffff;

  // What is planned at the start.
  [[nodiscard]] static bool is_held(const CsPart& part, const Scalar& scalar);
  [[nodiscard]] static Number number_of(const CsPart& part, const Scalar& scalar, const core::Port* port = nullptr);
  void find_numbers();
  [[nodiscard]] SignalNet net_with(bool at_start) const;
  Program compile(const Plan& plan);
  std::uint32_t add_lead(std::uint32_t member, const std::vector<std::uint32_t>& known);
  core::Result<void> plan_steps();
  /// What inputs start with: where loops are sought from.
  core::Result<void> read_starts();

  // Points.
  core::Result<void> run(const Program& program, double t);
  core::Result<void> write(CsMember& member, Writing& writing, double t);
  core::Result<void> write_with_events(CsMember& member, Writing& writing, bool is_new);
  core::Result<void> read(CsMember& member, Reading& reading);
  core::Result<void> lead(CsMember& member, Lead& lead, double length);
  /// Gives the FMU what its inputs are at the end of a step that they were given for as a whole.
  core::Result<void> end_lead(CsMember& member, Lead& lead);
  core::Result<void> advance_member(const Action& action, double end);
  core::Result<void> handle_event(CsMember& member, std::uint32_t m);
  // Points where FMUs have clocks.
  void find_clocks();
  core::Result<void> plan_clocks();
  core::Result<void> next_clocked_point();
  /// Steps all towards `end`; the time that they have reached.
  core::Result<double> advance_together(double end);
  core::Result<void> advance_one(std::uint32_t m, double end);
  /// Passes on inputs and outputs until nothing changes.
  core::Result<void> pass_on(double t);
  /// The FMUs that are in event mode, and those that join them, until nothing happens any more.
  core::Result<void> settle_events(double t);

  /// Takes what comes from outside at the point that was reached, and publishes what follows it at once.
  core::Result<void> refresh();
  core::Result<void> next_point();
  /// Notes that an FMU has asked to end the simulation, if one has. One alone ends where it is, several at their common
  /// point, up to which they have stepped.
  void take_ending(double point);
  /// After that: shows what it showed last, without asking the FMUs for anything.
  void hold_until(double limit);
  /// Publishes and records up to t, which is not beyond the point that was reached.
  core::Result<void> publish_until(double t);
  void push_sample(std::size_t place, double t, double value);
  [[nodiscard]] double left_of(std::uint32_t output) const;

  // Rows.
  core::Result<void> plan_rows();
  core::Result<void> read_signal_row(std::vector<double>& row, double t);
  [[nodiscard]] bool is_row_due(double t) const;
  void write_rows(double t);
  core::Result<void> read_row(std::vector<double>& row, double t);
  core::Result<void> record_point();
  core::Result<void> record_inside(double t);
  core::Result<void> keep_row_before();

  std::vector<CsPart> parts_;
  core::InterfaceSet set_;
  std::vector<SignalLink> links_;
  std::vector<std::size_t> first_interface_;
  std::vector<std::unique_ptr<CsMember>> members_;
  core::Schedule schedule_;

  std::vector<Number> input_numbers_, output_numbers_;
  std::vector<std::uint32_t> input_members_, output_members_, sources_;
  std::vector<core::Relation> relations_;   ///< of inputs to their sources
  std::vector<std::size_t> input_columns_;  ///< of the inputs' values in rows
  std::vector<bool> has_resting_inputs_;    ///< by member: nothing comes in at some of its inputs
  std::vector<std::uint32_t> published_outputs_;
  std::vector<core::Port*> published_ports_;
  StepGrid grid_{};
  std::vector<Writing> writings_;
  std::vector<Reading> readings_;
  std::vector<SignalLoop> loops_;
  std::vector<Lead> leads_;
  bool follows_inputs_ = false;
  std::vector<Program> programs_, refreshes_;  ///< by set of members that are due
  std::vector<std::uint32_t> program_at_;      ///< by point, in turns

  bool has_clocks_ = false;
  std::vector<std::uint32_t> clock_order_;  ///< of steps: those that may stop for an event first
  Program passing_;                         ///< inputs and outputs within the system
  std::vector<bool> wants_event_;           ///< by member, after a step
  std::vector<double> passed_inputs_, passed_outputs_;
  bool has_warned_of_late_ticks_ = false;

  double t0_ = 0.0;
  std::int64_t point_ = 0;       ///< that was reached
  double reached_ = 0.0;         ///< its time [s]
  double from_ = 0.0;            ///< time of the point before [s]
  double published_to_ = 0.0;    ///< [s]
  bool is_fresh_ = false;        ///< what comes from outside has been taken at the point
  std::vector<bool> has_event_;  ///< by member, at the point
  bool has_events_ = false;
  std::vector<double> inputs_, outputs_, before_, left_;
  std::vector<double> last_published_;              ///< by published port
  std::vector<double> at_point_, at_point_before_;  ///< inputs that continue straight
  std::vector<std::int64_t> points_seen_;           ///< by member

  core::RowSchedule rows_;
  double row_interval_ = 0.0;
  std::int64_t next_row_ = 0;
  double rows_to_ = 0.0;                ///< rows are written up to here [s]
  std::vector<RowSource> row_sources_;  ///< by member; empty: not all interfaces are signals
  bool has_row_before_ = false, has_row_end_ = false;
  bool is_row_current_ = false;  ///< `row_end_` is that of the point that was reached
  std::vector<double> row_before_, row_end_;
  std::vector<bool> is_held_column_;
  std::vector<core::InterfaceState> states_;
  std::vector<core::PortOutput> port_outputs_;

  std::optional<core::Ending> ending_{};
  core::Statistics statistics_{};
  std::vector<std::uint64_t> member_steps_{};  ///< of each member
};

}  // namespace tieline::fmi
