#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "components/ode_model.hpp"
#include "core/spatial.hpp"

namespace tieline::railway {

/// A wind across the track; positive towards +y (to the left).
struct CrossWind {
  double speed = 0.0;  ///< [m/s]
  double start = 0.0;  ///< [s]
  double rise = 0.0;   ///< time in which it rises, smoothly [s]; 0: it is there from `start` on
};
/// (1 - cos)/2 of a duration, on top of the wind.
struct Gust {
  double speed = 0.0, start = 0.0, duration = 1.0;
};
/// Another train that comes on the left track.
struct Meeting {
  double distance = 5.0;                        ///< between the middles of the tracks [m]
  double speed = 0.0;                           ///< of the other train [m/s]
  double length = 76.0;                         ///< of the other train [m]
  double ahead = 0.0;                           ///< of its nose before the middle of the car at the start [m]
  double pressure = 650.0;                      ///< half of the wave from peak to peak at 350 km/h and 5 m [Pa]
  double wave_length = 4.0;                     ///< from the nose to the peak [m]
  double car_length = 25.0, side_height = 3.0;  ///< [m]
};

/// Coefficients of a car in a flow, by the yaw angle of the wind in degrees and the posture of the car: a surrogate of
/// a computation of the flow, in the range of published wind tunnel figures of head cars.
struct AeroSpec {
  std::string interface_name = "car";
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of the reference point [m]
  double speed = 0.0;                                  ///< of the train [m/s]
  double density = 1.225;                              ///< [kg/m^3]
  double area = 11.2;                                  ///< reference [m^2]
  double drag = 0.15;
  double side_slope = 0.070;        ///< of the side force coefficient [1/degree]
  double lift = -0.02;              ///< without wind
  double lift_slope = 0.040;        ///< [1/degree]
  double side_by_roll = -0.4;       ///< [1/rad]
  double lift_by_gap = -0.5;        ///< by the share of the gap below the car by which it is wider
  double gap = 0.376;               ///< below the car [m]
  double centre_ahead = 3.0;        ///< of the side force before the reference point [m]
  double centre_height = 1.94;      ///< of side force and drag above it [m]
  double lag = 0.0;                 ///< with which forces follow the flow [s]
  double shedding = 0.0;            ///< of vortices: share of side force and lift
  double shedding_frequency = 0.0;  ///< [Hz]
  bool is_frozen = false;           ///< as if the car stood still: what is computed without coupling
  std::vector<CrossWind> winds{};
  std::vector<Gust> gusts{};
  std::vector<Meeting> meetings{};
};

/// The flow around a car; `kind="aero"`. It takes the motion of the car at one interface in space and gives forces and
/// torques on it, as a program that computes the flow would.
///
/// States: the coefficients of side force and lift, which follow those of the present flow with a lag.
class Aero final : public components::OdeModel {
 public:
  explicit Aero(AeroSpec spec);

  [[nodiscard]] int size() const override { return 2; }
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override;
  [[nodiscard]] std::span<core::Port> ports() override { return ports_; }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override { return {&*interface_}; }
  core::Result<std::vector<double>> begin(double t0) override;
  [[nodiscard]] std::vector<int> scale_classes() const override { return {2, 2}; }
  [[nodiscard]] std::vector<double> stated_scales() const override { return {1.0, 1.0}; }
  void natural_sizes(double, wave::Side, double, std::span<double> sizes) const override { sizes[0] = sizes[1] = 1e-6; }
  void observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
               std::span<components::PortOutput> outputs) override;
  void powers(double t, std::span<const double> y, components::Powers& powers) override;
  [[nodiscard]] std::vector<core::Column> columns() const override;
  void record(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
              std::span<double> values) override;
  [[nodiscard]] double next_break(double t) const override;
  bool on_break(double, std::span<double>) override { return false; }
  void on_guard(int, double, std::span<double>) override {}
  [[nodiscard]] std::optional<core::Energy> energy(double, std::span<const double>) const override {
    return core::Energy{};
  }
  void save_modes(core::ArchiveWriter&) const override {}
  void restore_modes(core::ArchiveReader&) override {}

  /// Force and torque of passing trains at the reference point of a car that stands as it should.
  [[nodiscard]] core::Wrench meeting_load(double t) const;
  [[nodiscard]] double wind(double t, wave::Side side) const;  ///< [m/s]

 private:
  struct Coefficients {
    double side = 0.0, lift = 0.0, yaw_angle = 0.0, pressure = 0.0;
  };
  /// Of the present flow, without lag.
  [[nodiscard]] Coefficients now(double t, wave::Side side, const core::SpaceState& car) const;
  [[nodiscard]] core::SpaceState car(double t, wave::Side side) const;
  [[nodiscard]] core::Wrench load(double t, const Coefficients& flow, std::span<const double> y) const;

  AeroSpec spec_;
  std::vector<core::Port> ports_;
  std::optional<core::SpatialInterface> interface_;
  double t0_ = 0.0;
};

}  // namespace tieline::railway
