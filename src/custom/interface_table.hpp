#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "tieline/component.hpp"

#include "core/archive.hpp"
#include "core/interface_set.hpp"

namespace tieline::custom {

/// The shapes that ports are made of. Throws std::invalid_argument if no interface can be like a declared one.
[[nodiscard]] std::vector<core::InterfaceShape> shapes_of(const std::vector<InterfaceDeclaration>& declared);
/// Columns of what interfaces do, signals with their units.
[[nodiscard]] std::vector<core::Column> interface_columns(const std::vector<InterfaceDeclaration>& declared,
                                                          const core::InterfaceSet& set);

/// The interfaces of a component in C++ as ports: keeps what it reports, in world axes, and gives it what the laws of
/// its ports say, in its own axes. The component never sees a wave.
class InterfaceTable final : public Interfaces {
 public:
  InterfaceTable(std::vector<InterfaceDeclaration> declared, const core::Pose& placement);

  [[nodiscard]] core::InterfaceSet& set() { return set_; }
  [[nodiscard]] const core::InterfaceSet& set() const { return set_; }
  [[nodiscard]] std::size_t size() const { return declared_.size(); }
  [[nodiscard]] const InterfaceDeclaration& declared(std::size_t i) const { return declared_[i]; }
  [[nodiscard]] std::span<core::InterfaceState> states() { return states_; }
  [[nodiscard]] const std::vector<std::size_t>& motion_in() const { return motion_in_; }
  [[nodiscard]] bool has_outputs() const { return has_outputs_; }

  /// From now on what takes motion moves at once as the law says for the force that was set.
  void follow_laws() { follows_laws_ = true; }
  [[nodiscard]] bool has_rate(std::size_t i) const { return has_rate_[i]; }
  /// A new evaluation: accelerations are not known, signals have arrived.
  void begin(double t, wave::Side side);
  /// Forces that the laws give for the motion that was set.
  void find_forces();
  void set_flow(std::size_t i, double flow) { states_[i].flow = flow; }

  /// Whether every rate that partners may ask for was set by the component.
  [[nodiscard]] bool knows_all_rates() const;
  /// The first interface of which nothing was reported; empty: all were.
  [[nodiscard]] std::string unreported() const;
  /// What changes with time, number by number; and its rates, where the component has not set them.
  void collect(std::vector<double>& numbers) const;
  void take_rates(std::span<const double> rates);
  /// Accelerations that were set, to be kept over other evaluations.
  struct Accelerations {
    std::vector<core::InterfaceState> states{};
    std::vector<bool> is_set{};
  };
  void keep_accelerations(Accelerations& kept) const;
  void put_accelerations(const Accelerations& kept);

  /// The outputs of all ports.
  void observe(double t, wave::Side side, std::span<core::PortOutput> outputs);

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

  /// Without the law's questions: poses and motions in world axes, from those of the component.
  [[nodiscard]] core::Pose pose_in_world(int interface, const Motion3d& motion) const;
  [[nodiscard]] core::SpatialMotion motion_in_world(const Motion3d& motion) const;
  [[nodiscard]] Load3d load_in_component(const core::Wrench& wrench) const;
  /// The interface with that number, if it is of this kind; throws std::logic_error.
  std::size_t expect(int interface, Causality causality, bool is_in_space, const char* call) const;

  [[nodiscard]] double force(int interface) const override;
  [[nodiscard]] Load3d load(int interface) const override;
  [[nodiscard]] double velocity(int interface) const override;
  [[nodiscard]] std::span<const double> signal(int interface) const override;
  [[nodiscard]] bool is_connected(int interface) const override;
  void set_motion(int interface, double position, double velocity) override;
  void set_motion(int interface, const Motion3d& motion) override;
  void set_acceleration(int interface, double acceleration) override;
  void set_acceleration(int interface, const Vector& acceleration, const Vector& angular_acceleration) override;
  void set_force(int interface, double position, double force) override;
  void set_signal(int interface, std::span<const double> values) override;

 private:
  /// What arrived at an interface.
  struct Arrived {
    double force = 0.0;
    Load3d load{};
    std::vector<double> values{};
  };

  std::vector<InterfaceDeclaration> declared_;
  core::Pose placement_;
  Eigen::Matrix3d turn_;  ///< from the component's axes to the world's
  core::InterfaceSet set_;
  std::vector<core::InterfaceState> states_;
  std::vector<Arrived> arrived_;
  std::vector<std::size_t> motion_in_;
  std::vector<bool> has_rate_, is_reported_;
  std::vector<double> effort_rates_;
  std::vector<Eigen::Quaterniond> last_turns_;
  bool has_outputs_ = false, follows_laws_ = false;
  double t_ = 0.0;
  wave::Side side_ = wave::Side::left;
};

}  // namespace tieline::custom
