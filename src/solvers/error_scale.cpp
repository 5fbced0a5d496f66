#include "solvers/error_scale.hpp"

namespace tieline::solvers {
namespace {

// A failed test adds four doubts and an accepted step removes one: sound step control fails in a small part of its
// steps.
constexpr int kDoubtPerFailure = 4;
constexpr int kMostDoubt = 16;

}  // namespace

ErrorScale::ErrorScale(int size, double relative_tolerance, std::span<const int> classes,
                       std::span<const double> stated, std::span<const double> largest)
    : relative_tolerance_(relative_tolerance),
      class_of_(size, 0),
      scale_(size, kScaleFloor),
      limit_(size, std::numeric_limits<double>::infinity()),
      largest_(size, std::numeric_limits<double>::infinity()),
      noise_(size, 0.0) {
  if (static_cast<int>(largest.size()) == size) std::copy(largest.begin(), largest.end(), largest_.begin());
  // Classes may be any numbers; here they become 0, 1, ... in the order of their values.
  if (static_cast<int>(classes.size()) == size) {
    std::vector<int> values(classes.begin(), classes.end());
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (int i = 0; i < size; ++i) {
      class_of_[i] = static_cast<int>(std::lower_bound(values.begin(), values.end(), classes[i]) - values.begin());
    }
    class_largest_.assign(values.size(), 0.0);
  }
  if (class_largest_.empty()) class_largest_.assign(1, 0.0);
  if (stated.empty()) return;
  is_stated_ = true;
  std::copy(stated.begin(), stated.end(), scale_.begin());
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    double& of_class = class_largest_[class_of_[i]];
    of_class = std::max(of_class, scale_[i]);
  }
}

bool ErrorScale::is_doubtful_after_failure() {
  doubt_ += kDoubtPerFailure;
  if (doubt_ < kMostDoubt) return false;
  doubt_ = 0;
  return true;
}

void ErrorScale::note(std::span<const double> y) {
  if (doubt_ > 0) --doubt_;
  if (is_stated_) return;
  bool has_class_grown = false;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double value = std::min(std::abs(y[i]), largest_[i]);
    if (!(value > scale_[i])) continue;
    scale_[i] = value;
    double& largest = class_largest_[class_of_[i]];
    if (value > largest) {
      largest = value;
      has_class_grown = true;
    }
  }
  if (has_class_grown) spread_classes();
}

void ErrorScale::limit(std::span<const double> sizes) {
  for (std::size_t i = 0; i < sizes.size(); ++i) limit_[i] = std::max(sizes[i], kScaleFloor);
}

void ErrorScale::spread_classes() {
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    scale_[i] = std::max(scale_[i], kScaleShare * class_largest_[class_of_[i]]);
  }
}

void ErrorScale::suggest(std::span<const double> magnitudes) {
  if (is_stated_) return;
  for (std::size_t i = 0; i < magnitudes.size(); ++i) {
    if (class_largest_[class_of_[i]] == 0.0 && magnitudes[i] > scale_[i]) scale_[i] = magnitudes[i];
  }
  // Only now, so that all members of an unknown class are taken alike.
  for (std::size_t i = 0; i < magnitudes.size(); ++i) {
    double& largest = class_largest_[class_of_[i]];
    if (scale_[i] > kScaleFloor) largest = std::max(largest, scale_[i]);
  }
  spread_classes();
}

bool ErrorScale::is_known() const {
  return std::all_of(class_largest_.begin(), class_largest_.end(), [](double largest) { return largest > 0.0; });
}

void ErrorScale::set_noise(std::span<const double> noise) {
  std::copy(noise.begin(), noise.end(), noise_.begin());
  has_noise_ = true;
}

ScaledError ErrorScale::norm(std::span<const double> error, std::span<const double> y, double h) const {
  ScaledError largest;
  for (int i = 0; i < static_cast<int>(error.size()); ++i) {
    const double quotient = std::abs(error[i]) / tolerance(i, y[i], h);
    if (!(quotient <= largest.value)) {
      largest = {quotient, i};
      if (std::isnan(quotient)) break;
    }
  }
  return largest;
}

void ErrorScale::save(core::ArchiveWriter& archive) const {
  archive.tag("scale");
  archive.put(has_noise_);
  archive.put(doubt_);
  archive.put_span(std::span<const double>(scale_));
  archive.put_span(std::span<const double>(noise_));
  archive.put_span(std::span<const double>(class_largest_));
}

void ErrorScale::restore(core::ArchiveReader& archive) {
  archive.expect_tag("scale");
  archive.get(has_noise_);
  archive.get(doubt_);
  archive.get_span(std::span<double>(scale_));
  archive.get_span(std::span<double>(noise_));
  archive.get_span(std::span<double>(class_largest_));
}

}  // namespace tieline::solvers
