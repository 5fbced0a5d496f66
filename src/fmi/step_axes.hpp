#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "fmi/interface_exchange.hpp"
#include "fmi/mobility.hpp"
#include "fmi/substep_law.hpp"

namespace tieline::fmi {

/// What an interface did to one of its axes so far.
struct AxisEnergyAccount {
  double work = 0.0;            ///< on the FMU [J]
  double impulse = 0.0;         ///< of the law's mean efforts [N s]
  double injected = 0.0;        ///< work on the FMU beyond what the connection gave [J]
  double arrived = 0.0;         ///< energy of the waves that came in [J]
  double largest_defect = 0.0;  ///< by which the law was missed as a mean over a step [N]
  double largest_effort = 0.0;  ///< [N]
  double start_position = 0.0;  ///< [m]
  double start_integral = 0.0;  ///< of the wave [N s]
};

/// The axes of an FMU's interfaces over steps that it takes without asking: what it is given over a step, what its
/// motion has made of that, and the energy account of each axis. Forces are as SubstepLaw has them; an FMU with the law
/// inside gets the wave's mean, and one that takes motion the flow that fits the wave's mean and the effort that it is
/// about to report. One that takes motion in space gets the pose in the middle of the step and the mean velocities, or
/// all of it running straight where efforts are sloped; what it computes is read once it has been given the motion at
/// the step's end. Signals that vary continuously are given as their mean.
///
/// Along rotations flows and efforts are counted in the common frame as it is in the middle of the step.
///
/// Call order: `start`; for each step `begin_step` (which may be repeated), the FMU's step, new states in the exchange,
/// `end_step`. The exchange must outlive this. One thread at a time; nothing is allocated on the way.
class StepAxes {
 public:
  StepAxes(InterfaceExchange& exchange, const Description& description, EffortShape shape);

  /// The ports have their laws, and the exchange its first states.
  void start(double t0);

  /// The inputs over [t, end]: all values, and how they change, which only counts where efforts are sloped.
  void begin_step(double t, double end, std::span<double> inputs, std::span<double> rates);
  /// The same with one more effort, for trials.
  void fill_trial(Eigen::Index row, double more, std::span<double> inputs) const;
  /// The FMU will repeat the step from `from`, which gave the exchange's states: its inputs, corrected so
  /// that the laws hold with the means that it had. The states are those of the start again.
  void correct_step(std::span<const core::InterfaceState> from, std::span<double> inputs);
  /// The step from `from` has ended at `end`, where the exchange's states hold.
  void end_step(std::span<const core::InterfaceState> from, double end);

  /// Samples are published at t, perhaps not of what is in space: what lies between them and those before is now known.
  void note_published(double t, wave::Side side, bool is_space_published);

  /// Efforts that follow the laws, of which each axis is a row.
  [[nodiscard]] Eigen::Index rows() const { return law_.size(); }
  [[nodiscard]] std::size_t port_of(Eigen::Index row) const { return axes_[rows_[static_cast<std::size_t>(row)]].port; }
  [[nodiscard]] const SubstepLaw& law() const { return law_; }
  /// Flows of the rows, in the axes of the present step.
  void flows(std::span<const core::InterfaceState> states, Eigen::VectorXd& flows) const;
  /// Their means over the present step between two states.
  void mean_flows(std::span<const core::InterfaceState> from, std::span<const core::InterfaceState> to,
                  Eigen::VectorXd& flows) const;
  [[nodiscard]] const Mobility& mobility() const { return mobility_; }
  void state_mass(double mass);
  /// In the axes of the present step.
  void set_probed(const Eigen::MatrixXd& mobility);

  [[nodiscard]] const AxisEnergyAccount& account(std::size_t port) const { return accounts_[port]; }
  /// Efforts and flows went along their laws smoothly over [t, end], between two states: the energy account of an FMU
  /// that asks for the force on it.
  void add_smooth(std::size_t port, double length, double effort, double flow);
  /// What a sample contains of a step if it publishes its means.
  struct Means {
    double flow = 0.0, effort = 0.0;
  };
  /// Those of the last step; nothing for what is no axis.
  [[nodiscard]] std::optional<Means> means(std::size_t port) const;
  /// Whether an interface has given its connection energy that no step has taken from the FMU: something in there is
  /// faster than the steps, and its velocities at their ends are those of a motion that nobody follows.
  [[nodiscard]] bool is_rough() const;
  /// From the next step on the means of steps are published as constants, which carry just the energy that a step
  /// exchanged (as structures do), instead of the parabolas between the velocities at their ends.
  void publish_means() { publishes_means_ = true; }
  [[nodiscard]] bool publishes_means() const { return publishes_means_; }
  /// The impulse that a sample contains.
  [[nodiscard]] double impulse(std::size_t port, double t, wave::Side side, double position) const;

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  enum class Kind : unsigned char { effort, motion, led, wave };  ///< `led`: motion in space
  struct Axis {
    Kind kind = Kind::effort;
    std::size_t interface = 0, port = 0;
    int part = 0;           ///< 0 to 2 along, 3 to 5 about the axes of an interface in space; else 0
    Eigen::Index row = -1;  ///< of the law
    // Of the present step.
    double flow = 0.0, end_flow = 0.0, mean_flow = 0.0;
    double start_wave = 0.0, end_wave = 0.0, mean_wave = 0.0;
    double prescribed_flow = 0.0;  ///< flow, where it takes motion
    double mean_effort = 0.0;      ///< the same
    // Since the last published sample.
    double published_time = 0.0, published_wave = 0.0;  ///< and the wave that left then
    double left = 0.0;                                  ///< integral of the wave that leaves [N s]
    double kept = 0.0;                                  ///< work on the FMU less the energy that came [J]
  };
  /// A continuous signal that comes in.
  struct Input {
    std::size_t port = 0, place = 0;
  };
  void collect();
  void find_frames(double t, double end);
  void rotate_mobility();
  void look_at_waves(double t, double end);
  void fill_efforts(std::span<double> inputs, std::span<const double> efforts) const;
  void fill_others(std::span<double> inputs, std::span<double> rates) const;
  void fill_led(std::size_t interface, std::span<double> inputs, std::span<double> rates);
  /// Effort on the FMU, where it takes motion.
  [[nodiscard]] double effort_of(const Axis& axis, const core::InterfaceState& state) const;
  [[nodiscard]] double flow_of(const Axis& axis, const core::InterfaceState& state) const;
  [[nodiscard]] double mean_flow_of(const Axis& axis, const core::InterfaceState& from, core::InterfaceState& to) const;
  [[nodiscard]] double work_of(const Axis& axis, const core::InterfaceState& from,
                               const core::InterfaceState& to) const;
  [[nodiscard]] bool is_in_space(std::size_t interface) const;

  InterfaceExchange& exchange_;
  const Description& description_;
  EffortShape shape_;
  std::vector<Axis> axes_;
  std::vector<std::size_t> rows_;  ///< places of the axes that follow the law
  std::vector<Input> signals_;
  std::vector<std::size_t> led_;             ///< interfaces in space that take motion
  std::vector<double> led_end_, led_begin_;  ///< inputs at the ends of the step
  SubstepLaw law_;
  Mobility mobility_;        ///< in the axes of the bodies, with which it turns
  Eigen::MatrixXd to_body_;  ///< from the axes of the step to those of the bodies
  Eigen::MatrixXd turned_, half_turned_;
  std::vector<Eigen::Matrix3d> frames_;  ///< common frame of each interface in the middle of the step
  StepWaves waves_;
  Eigen::VectorXd flow_, mean_flow_, end_flow_;
  std::vector<double> efforts_, effort_rates_, last_efforts_;
  std::vector<AxisEnergyAccount> accounts_;  ///< by port
  double t_ = 0.0, end_ = 0.0;
  bool publishes_means_ = false;
  std::uint64_t steps_ = 0;
};

}  // namespace tieline::fmi
