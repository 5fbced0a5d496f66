#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/archive.hpp"
#include "core/interface_set.hpp"
#include "core/result.hpp"
#include "fmi/fmu_spec.hpp"
#include "fmi/values.hpp"

namespace tieline::fmi {

class Instance;

/// What the model states of the start of a signal that comes in, by number; NaN if it states nothing, empty for
/// anything but such a signal.
[[nodiscard]] std::vector<double> stated_starts(const FmuSpec& spec, const InterfaceMap& map);

/// Whether anything comes in at a port.
[[nodiscard]] inline bool is_live(const core::Port& port) { return port.is_connected || !port.incoming.empty(); }

/// The interfaces of an FMU's instance as ports: reads their motion and outputs, and sets the forces on them as
/// the laws of the ports say. What is in space is turned and moved by the component's placement.
///
/// `read_motion` and `write_inputs` go before and after one another without iteration where no motion depends on an
/// input at the same time; `settle` does whatever is needed. One thread at a time.
class InterfaceExchange {
 public:
  /// With ports of its own.
  InterfaceExchange(const FmuSpec& spec, const core::Pose& placement);
  /// With ports among those of several FMUs, from interface `first` on; the set must outlive this.
  InterfaceExchange(const FmuSpec& spec, const core::Pose& placement, core::InterfaceSet& set, std::size_t first);

  [[nodiscard]] core::InterfaceSet& set() { return *set_; }
  [[nodiscard]] const core::InterfaceSet& set() const { return *set_; }
  [[nodiscard]] std::size_t size() const { return maps_.size(); }
  [[nodiscard]] std::span<core::Port> ports_of(std::size_t i) { return set_->ports_of(first_ + i); }
  [[nodiscard]] std::span<core::InterfaceState> states() { return states_; }
  [[nodiscard]] std::span<const core::InterfaceState> states() const { return states_; }
  [[nodiscard]] const InterfaceMap& map(std::size_t i) const { return maps_[i]; }
  /// Everything that is read at once for the laws, and the positions of flows in it: three numbers of velocity and
  /// three of angular velocity in space, one along an axis.
  [[nodiscard]] std::span<const Scalar> motion_scalars() const { return motion_scalars_; }

  /// Those numbers as they were read last.
  [[nodiscard]] std::span<const double> motion_numbers() const { return motion_numbers_; }
  /// Indices of the variables that are set and of those that are read for the laws, each once.
  [[nodiscard]] const std::vector<std::uint32_t>& input_variables() const { return input_variables_; }
  [[nodiscard]] const std::vector<std::uint32_t>& motion_variables() const { return motion_variables_; }
  /// References of all inputs in their order; nothing if some are parts of arrays, or no doubles.
  [[nodiscard]] const std::optional<std::vector<std::uint32_t>>& input_references() const { return input_references_; }

  /// The motion of the interfaces, and the efforts of those that take motion.
  core::Result<void> read_motion(Instance& instance);
  /// What signals go out.
  core::Result<void> read_signals(Instance& instance);
  /// All inputs: signals at t, and what the laws give for the states.
  core::Result<void> write_inputs(Instance& instance, double t, wave::Side side);
  /// The same numbers, for who sets them at other times. `inputs` has `input_count` places.
  void fill_inputs(double t, wave::Side side, std::span<double> inputs);
  /// From now on a number of an input signal is given here, whatever its port says.
  void give(std::size_t interface, std::size_t member, double value);
  /// Discrete ones only outside continuous-time mode, where they may not change.
  core::Result<void> write_inputs(Instance& instance, std::span<const double> inputs);
  [[nodiscard]] std::size_t input_count() const { return writer_.size(); }
  /// How inputs change with time, for an FMU that takes that.
  core::Result<void> write_input_rates(Instance& instance, std::span<const std::int32_t> orders,
                                       std::span<const double> rates);
  /// Changes of inputs as those of the FMU's own numbers.
  void to_own_changes(std::span<double> inputs) const;
  /// By how much a number of motion changes with the FMU's own.
  [[nodiscard]] double motion_factor(std::size_t number) const { return motion_relations_[number].factor; }
  /// Where the inputs of an interface begin among all.
  [[nodiscard]] std::size_t first_input(std::size_t i) const { return places_[i].input; }
  [[nodiscard]] std::size_t count_inputs(std::size_t i) const { return places_[i].input_count; }
  /// The load on an interface in space, into its places among the inputs.
  void fill_wrench(std::size_t i, const core::Wrench& wrench, std::span<double> inputs) const;

  /// The motion of an interface in space that takes it, into its places among the inputs.
  void fill_motion(std::size_t i, const core::SpaceState& state, std::span<double> inputs);
  /// Whether an interface in space takes motion, so that what the FMU computes of it is read after it was set.
  [[nodiscard]] bool has_led() const { return has_led_; }
  /// Sets what comes in at t, and reads what follows from it.
  core::Result<void> pass_through(Instance& instance, double t, wave::Side side);

  /// An error if a connection's law is not one that an FMU with the law inside can have.
  [[nodiscard]] core::Result<void> check_laws() const;

  /// Whether motion follows inputs at once, as the description says; nothing if it does not say.
  [[nodiscard]] std::optional<bool> declared_feedthrough() const { return declared_feedthrough_; }
  /// Finds out by trying, the instance being where it starts.
  core::Result<bool> find_feedthrough(Instance& instance, double t);
  /// What motion that comes in brings about is read after it was set: the same order.
  void set_feedthrough(bool has) { has_feedthrough_ = has || has_led_; }
  [[nodiscard]] bool has_feedthrough() const { return has_feedthrough_; }
  /// Reads motion and sets inputs so that all laws hold.
  core::Result<void> settle(Instance& instance, double t, wave::Side side);

  /// Takes numbers in the order of `motion_scalars` into states.
  void take_motion(std::span<const double> numbers, std::span<core::InterfaceState> states);
  /// The rates of flows from those of the numbers read.
  void take_rates(std::span<const double> rates, std::span<core::InterfaceState> states) const;
  /// The outputs of the ports.
  void observe(double t, wave::Side side, std::span<core::PortOutput> outputs);
  /// From now on what it shows stays as it is: rates are zero.
  void hold_still();
  /// Inputs at which nothing comes in keep what they start with, whatever their ports say.
  void show_resting_inputs(std::span<core::PortOutput> outputs) const;

  /// Which of two equal quaternions was published last.
  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  /// Where the numbers of an interface stand among those that are read, and among the inputs.
  struct Places {
    std::size_t position = 0, orientation = 0, flow = 0, angular_velocity = 0, flow_rate = 0, angular_acceleration = 0,
                effort = 0, torque = 0, signal = 0;
    std::size_t input = 0, input_count = 0;
  };
  /// What is read and set, in the order of the interfaces.
  struct Layout {
    std::vector<Places> places{};
    std::vector<Scalar> motion{}, signals{}, inputs{};
    std::vector<core::Relation> motion_relations{}, input_relations{};
    std::vector<std::size_t> loop{};        ///< inputs that follow from motion
    std::vector<std::size_t> continuous{};  ///< inputs that may change at any time
  };
  static Layout layout_of(const FmuSpec& spec);
  InterfaceExchange(const FmuSpec& spec, const core::Pose& placement, std::unique_ptr<core::InterfaceSet> own,
                    core::InterfaceSet* set, std::size_t first, Layout layout);
  void take_space(std::size_t i, std::span<const double> numbers, core::InterfaceState& state);
  /// Of an interface in space that takes motion: what it reads, and what it is given.
  void take_load(std::size_t i, std::span<const double> numbers, core::InterfaceState& state) const;
  void fill_space(std::size_t i, double t, wave::Side side, std::span<double> inputs);
  /// Orientation of the frame that the FMU reports.
  [[nodiscard]] Eigen::Quaterniond own_turn(std::size_t i, const core::InterfaceState& state) const;
  core::Result<void> solve_loop(Instance& instance, double t, wave::Side side);
  /// Inputs minus what the laws say, once the inputs are set.
  core::Result<void> find_defect(Instance& instance, double t, wave::Side side, Eigen::VectorXd& defect);

  std::vector<InterfaceMap> maps_;
  std::unique_ptr<core::InterfaceSet> own_set_;
  core::InterfaceSet* set_;
  std::size_t first_;  ///< of the own interfaces in the set
  core::Pose placement_;
  Eigen::Matrix3d turn_;  ///< from the FMU's world to ours
  std::vector<core::InterfaceState> states_;
  std::vector<Places> places_;
  std::vector<Scalar> motion_scalars_;
  std::vector<std::size_t> loop_;
  ValueReader motion_, signals_;
  ValueWriter writer_, continuous_writer_;
  std::vector<std::size_t> continuous_;  ///< inputs that may change at any time
  std::vector<double> motion_numbers_, signal_numbers_, inputs_, lawful_, continuous_inputs_;
  std::vector<core::Relation> motion_relations_, input_relations_;  ///< one for each number
  std::vector<double> own_rates_;                                   ///< of inputs
  std::vector<double> rest_;    ///< inputs where nothing comes in: as they start, or as they were given
  std::vector<bool> is_given_;  ///< by input
  std::vector<Eigen::Quaterniond> last_turns_;
  std::optional<std::vector<std::uint32_t>> input_references_;
  std::vector<std::uint32_t> input_variables_, motion_variables_;
  std::optional<bool> declared_feedthrough_;
  bool has_feedthrough_ = false;
  bool has_led_ = false;         ///< an interface in space takes motion
  Eigen::MatrixXd loop_matrix_;  ///< inverse of the defect's derivative, as it was found last; may be empty
};

/// What is recorded of an FMU: the quantities of its interfaces, and the variables that were chosen.
[[nodiscard]] std::vector<core::Column> columns_of(const FmuSpec& spec, const core::InterfaceSet& set);
/// Signals have the units of their variables; `columns` begins with those of the FMU's interfaces.
void set_signal_units(const FmuSpec& spec, std::span<core::Column> columns);
void add_recorded_columns(const FmuSpec& spec, std::vector<core::Column>& columns);

}  // namespace tieline::fmi
