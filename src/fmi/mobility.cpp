#include "fmi/mobility.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::fmi {
namespace {

// What a step counts for after each further one: a few dozen steps matter.
constexpr double kForgetting = 0.95;
// Two differences make a slope that one could have made by chance.
constexpr double kLeastWeight = 1.5;
// A mobility that changes by less than this share is left alone: the law need not be factorised again.
constexpr double kSameShare = 1e-3;
// Differences smaller than this share of what they are taken of are rounding.
constexpr double kRoundingShare = 1e-10;

}  // namespace

const char* name_of(MassSource source) {
  switch (source) {
    case MassSource::unknown:
      return "unknown";
    case MassSource::stated:
      return "stated";
    case MassSource::probed:
      return "probed";
    case MassSource::learnt:
      return "learnt";
  }
  return "unknown";
}

Mobility::Mobility(Eigen::Index axes)
    : matrix_(Eigen::MatrixXd::Zero(axes, axes)),
      last_effort_(Eigen::VectorXd::Zero(axes)),
      last_rise_(Eigen::VectorXd::Zero(axes)),
      sums_(static_cast<std::size_t>(axes)) {}

void Mobility::state(double mass) {
  matrix_ = Eigen::MatrixXd::Identity(matrix_.rows(), matrix_.cols()) / mass;
  source_ = MassSource::stated;
}

void Mobility::set_probed(const Eigen::MatrixXd& matrix) {
  matrix_ = matrix;
  source_ = MassSource::probed;
}

bool Mobility::learn(const Eigen::VectorXd& effort, const Eigen::VectorXd& flow_rise) {
  if (source_ == MassSource::stated || source_ == MassSource::probed) return false;
  bool has_changed = false;
  for (Eigen::Index k = 0; steps_ > 0 && k < effort.size(); ++k) {
    const double more_effort = effort[k] - last_effort_[k], more_rise = flow_rise[k] - last_rise_[k];
    if (std::abs(more_effort) <= kRoundingShare * std::abs(effort[k])) continue;
    Sums& sums = sums_[static_cast<std::size_t>(k)];
    sums.effort_squared = kForgetting * sums.effort_squared + more_effort * more_effort;
    sums.product = kForgetting * sums.product + more_effort * more_rise;
    sums.rate_squared = kForgetting * sums.rate_squared + more_rise * more_rise;
    sums.weight = kForgetting * sums.weight + 1.0;
    const double slope = sums.product / sums.effort_squared;
    if (sums.weight < kLeastWeight || !(slope > 0.0) || !std::isfinite(slope)) continue;
    if (std::abs(slope - matrix_(k, k)) <= kSameShare * slope) continue;
    matrix_(k, k) = slope;
    source_ = MassSource::learnt;
    has_changed = true;
  }
  last_effort_ = effort;
  last_rise_ = flow_rise;
  ++steps_;
  return has_changed;
}

std::optional<double> Mobility::mass(Eigen::Index axis) const {
  if (source_ == MassSource::unknown || !(matrix_(axis, axis) > 0.0)) return std::nullopt;
  return 1.0 / matrix_(axis, axis);
}

double Mobility::uncertainty(Eigen::Index axis) const {
  const Sums& sums = sums_[static_cast<std::size_t>(axis)];
  if (source_ != MassSource::learnt || !(sums.product > 0.0)) return 0.0;
  const double unexplained = sums.rate_squared - sums.product * sums.product / sums.effort_squared;
  const double variance = std::max(0.0, unexplained) / std::max(1.0, sums.weight - 1.0) / sums.effort_squared;
  return std::sqrt(variance) * sums.effort_squared / sums.product;
}

void Mobility::save(core::ArchiveWriter& archive) const {
  archive.put(source_), archive.put(steps_);
  archive.put_span<double>({matrix_.data(), static_cast<std::size_t>(matrix_.size())});
  archive.put_span<double>({last_effort_.data(), sums_.size()});
  archive.put_span<double>({last_rise_.data(), sums_.size()});
  archive.put_span<Sums>(sums_);
}

void Mobility::restore(core::ArchiveReader& archive) {
  archive.get(source_), archive.get(steps_);
  archive.get_span<double>({matrix_.data(), static_cast<std::size_t>(matrix_.size())});
  archive.get_span<double>({last_effort_.data(), sums_.size()});
  archive.get_span<double>({last_rise_.data(), sums_.size()});
  archive.get_span<Sums>(sums_);
}

}  // namespace tieline::fmi
