#include "coupling/spatial_line.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::coupling {

std::optional<SpatialFigures> derive(const SpatialParameters& parameters, std::string& problem) {
  const auto translation = derive(parameters.translation, core::Domain::translation, problem);
  if (!translation) return std::nullopt;
  SpatialFigures figures{.translation = *translation, .rotation = {}, .free_rotation = parameters.free_rotation};
  const bool is_stated = parameters.stiffness_rotation || parameters.impedance_rotation;
  if (!figures.carries_torque()) {
    if (!is_stated && !parameters.damping_rotation) return figures;
    problem = "all rotation axes are free, so stiffness_rotation, impedance_rotation and damping_rotation do not apply";
    return std::nullopt;
  }
  LineParameters rotation = parameters.translation;
  rotation.damping = parameters.damping_rotation.value_or(rotation.damping);
  const bool has_material = rotation.youngs_modulus.has_value();
  if (is_stated) {
    rotation = {.delay = translation->law.delay,
                .stiffness = parameters.stiffness_rotation,
                .impedance = parameters.impedance_rotation,
                .damping = rotation.damping};
  } else if (!has_material) {
    problem =
        "the line's rotation is missing: expected stiffness_rotation or impedance_rotation, or all rotation axes "
        "free";
    return std::nullopt;
  }
  const auto derived = derive(rotation, core::Domain::rotation, problem);
  if (!derived) {
    problem = "rotation: " + problem;
    return std::nullopt;
  }
  figures.rotation = *derived;
  return figures;
}

const SpatialBalance& SpatialAudit::add(const std::array<LineBalance, 6>& axes) {
  SpatialBalance sum;
  sum.t = axes[0].t;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const LineBalance& axis = axes[i];
    sum.energy += axis.energy;
    sum.dissipated += axis.dissipated;
    sum.energy_residual += axis.energy_residual;
    double& drift = i < 3 ? sum.drift : sum.angular_drift;
    drift = i % 3 == 0 ? std::abs(axis.drift) : std::hypot(drift, axis.drift);
    (i < 3 ? sum.momentum[i] : sum.angular_momentum[i - 3]) = axis.momentum;
  }
  largest_residual_ = std::max(largest_residual_, std::abs(sum.energy_residual));
  largest_energy_ = std::max(largest_energy_, sum.energy);
  largest_drift_ = std::max(largest_drift_, sum.drift);
  largest_angular_drift_ = std::max(largest_angular_drift_, sum.angular_drift);
  return last_ = sum;
}

}  // namespace tieline::coupling
