#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tieline::coupling {

/// A point as a mean of points of a set.
struct WeightedPoint {
  int index = 0;  ///< in the set
  double weight = 1.0;
};

/// A point of one set and the same place in the other.
struct PointPair {
  std::vector<WeightedPoint> from{}, to{};
};

/// How two sets of points that are to move as one are paired: point with point where they coincide, in any order;
/// otherwise each point of the smaller set with a mean of the nearest of the larger one, whose weights are exact for
/// any motion that is linear in space (a rigid one, a constant strain). Nothing, and the reason, where the sets do not
/// lie in each other.
[[nodiscard]] std::optional<std::vector<PointPair>> pair_points(std::span<const Eigen::Vector3d> from,
                                                                std::span<const Eigen::Vector3d> to,
                                                                std::string& problem);

}  // namespace tieline::coupling
