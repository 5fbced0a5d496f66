#pragma once

#include <Eigen/Core>
#include <deque>
#include <span>
#include <vector>

#include "components/ode_model.hpp"
#include "core/spatial.hpp"
#include "railway/track_model.hpp"
#include "railway/track_spec.hpp"

namespace tieline::railway {

/// A slab track under a train that travels along it; `kind="track"`.
///
/// Its axes travel with the train: an interface is where a wheel touches a rail, which stays where it is in these axes
/// while the rail passes. It takes the force of the wheel and gives the motion of the rail's top there. Heights count
/// from where the track rests under the loads stated.
///
/// The window of rails and slabs moves on by a slab whenever the train has travelled as far; the motion is expanded
/// again in the shapes of the new window.
///
/// States: the coordinates of TrackModel and their rates. Call order and threads: as OdeModel says.
class Track final : public components::OdeModel {
 public:
  explicit Track(TrackSpec spec);

  // solvers::OdeSystem
  [[nodiscard]] std::vector<Motion> motions() const override;
  [[nodiscard]] int size() const override { return 2 * model_.size(); }
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override;

  // OdeModel
  [[nodiscard]] std::span<core::Port> ports() override { return ports_; }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override;
  core::Result<std::vector<double>> begin(double t0) override;
  [[nodiscard]] std::vector<int> scale_classes() const override;
  void natural_sizes(double t, wave::Side side, double while_length, std::span<double> sizes) const override;
  void observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
               std::span<components::PortOutput> outputs) override;
  void powers(double t, std::span<const double> y, components::Powers& powers) override;
  [[nodiscard]] std::vector<core::Column> columns() const override;
  void record(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
              std::span<double> values) override;
  [[nodiscard]] double next_break(double t) const override;
  bool on_break(double t, std::span<double> y) override;
  void on_guard(int, double, std::span<double>) override {}
  [[nodiscard]] std::optional<core::Energy> energy(double t, std::span<const double> y) const override;
  [[nodiscard]] core::Scene scene() const override;
  void save_modes(core::ArchiveWriter& archive) const override { archive.put(t0_), archive.put(shifts_); }
  void restore_modes(core::ArchiveReader& archive) override { archive.get(t0_), archive.get(shifts_); }

  [[nodiscard]] const TrackModel& model() const { return model_; }
  /// Where a wheel is in the window [m].
  [[nodiscard]] double place(std::size_t wheel, double t) const;

 private:
  struct End {
    core::SpatialInterface interface;
    std::size_t first_port = 0;
    double rest = 0.0;         ///< deflection that heights count from [m]
    Eigen::MatrixX3d shape{};  ///< of the last place
    core::Pose pose{};
    core::SpatialMotion motion{};                      ///< of the point that travels
    Eigen::Vector3d slopes = Eigen::Vector3d::Zero();  ///< of lateral, vertical displacement and twist by x
    Eigen::Vector3d bent = Eigen::Vector3d::Zero();    ///< lateral and vertical displacement, twist
    core::Wrench load{};
  };
  void split(std::span<const double> y) const;
  void move_ends(double t, const Eigen::VectorXd* accelerations) const;
  [[nodiscard]] double shift_time(std::int64_t shift) const;

  TrackSpec spec_;
  TrackModel model_;
  std::vector<core::Port> ports_;
  mutable std::deque<End> ends_;
  double t0_ = 0.0;
  std::int64_t shifts_ = 0;
  mutable Eigen::VectorXd q_, v_, a_;
};

}  // namespace tieline::railway
