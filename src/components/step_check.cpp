#include "components/step_check.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::components {
namespace {

// Steps whose lengths differ by less than this share count as equal.
constexpr double kEqualSteps = 1e-6;
// Smaller states are none [SI].
constexpr double kSmallestSize = 1e-30;
// From the sum of what Simpson's rule finds, which is coarser than the steps, to the error: calibrated in docs/audit.md.
constexpr double kFactor = 0.3;

}  // namespace

void StepCheck::start(std::size_t size, std::vector<int> classes) {
  for (Point& point : points_) point.y.assign(size, 0.0), point.f.assign(size, 0.0);
  classes_ = std::move(classes);
  classes_.resize(size, 0);
  const int most = classes_.empty() ? 0 : *std::max_element(classes_.begin(), classes_.end());
  sizes_.assign(static_cast<std::size_t>(most) + 1, 0.0);
  errors_.assign(sizes_.size(), 0.0);
  defects_.assign(sizes_.size(), 0.0);
  known_ = 0;
  step_ = 0.0;
}

void StepCheck::note(double t, std::span<const double> y, std::span<const double> f) {
  std::swap(points_[0], points_[1]);
  std::swap(points_[1], points_[2]);
  Point &first = points_[0], &middle = points_[1], &last = points_[2];
  last.t = t;
  std::copy(y.begin(), y.end(), last.y.begin());
  std::copy(f.begin(), f.end(), last.f.begin());
  for (std::size_t i = 0; i < y.size(); ++i) {
    double& size = sizes_[static_cast<std::size_t>(classes_[i])];
    size = std::max(size, std::abs(y[i]));
  }
  known_ = std::min(known_ + 1, 3);
  if (known_ < 3) return;
  const double h = last.t - middle.t;
  if (!(std::abs(middle.t - first.t - h) <= kEqualSteps * h)) return;
  step_ = std::max(step_, h);
  std::fill(defects_.begin(), defects_.end(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double rule = h / 3.0 * (first.f[i] + 4.0 * middle.f[i] + last.f[i]);
    double& largest = defects_[static_cast<std::size_t>(classes_[i])];
    largest = std::max(largest, std::abs(last.y[i] - first.y[i] - rule));
  }
  // Every step is part of two triples.
  for (std::size_t c = 0; c < errors_.size(); ++c) errors_[c] += 0.5 * defects_[c];
}

core::StepErrors StepCheck::errors() const {
  double share = 0.0;
  for (std::size_t c = 0; c < sizes_.size(); ++c) {
    if (sizes_[c] > kSmallestSize) share = std::max(share, errors_[c] / sizes_[c]);
  }
  // Local errors go with the fifth power of the step, their sum with the fourth.
  return {.estimate = kFactor * share, .step = step_, .order = 4.0};
}

void StepCheck::save(core::ArchiveWriter& archive) const {
  for (const Point& point : points_) {
    archive.put(point.t);
    archive.put_span<double>(point.y);
    archive.put_span<double>(point.f);
  }
  archive.put_span<double>(sizes_);
  archive.put_span<double>(errors_);
  archive.put(known_), archive.put(step_);
}

void StepCheck::restore(core::ArchiveReader& archive) {
  for (Point& point : points_) {
    archive.get(point.t);
    archive.get_span<double>(point.y);
    archive.get_span<double>(point.f);
  }
  archive.get_span<double>(sizes_);
  archive.get_span<double>(errors_);
  archive.get(known_), archive.get(step_);
}

}  // namespace tieline::components
