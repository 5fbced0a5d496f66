#include "fmi/substep_law.hpp"

#include <cmath>
#include <utility>

namespace tieline::fmi {
namespace {

// The mean flow of a step counts early accelerations more than late ones: what it contains of them applies at a third.
constexpr double kCentre = 1.0 / 3.0;

void put(core::ArchiveWriter& archive, const Eigen::VectorXd& values) {
  archive.put_span<double>({values.data(), static_cast<std::size_t>(values.size())});
}
void get(core::ArchiveReader& archive, Eigen::VectorXd& values) {
  archive.get_span<double>({values.data(), static_cast<std::size_t>(values.size())});
}

}  // namespace

StepWaves::StepWaves(Eigen::Index axes)
    : begin(Eigen::VectorXd::Zero(axes)), end(Eigen::VectorXd::Zero(axes)), mean(Eigen::VectorXd::Zero(axes)) {}

SubstepLaw::SubstepLaw(Eigen::Index axes, EffortShape shape)
    : shape_(shape),
      impedance_(Eigen::VectorXd::Zero(axes)),
      mobility_(Eigen::MatrixXd::Zero(axes, axes)),
      product_(mobility_),
      system_(mobility_),
      factors_(axes) {
  for (Eigen::VectorXd* vector : {&flow_, &mean_wave_, &effort_, &effort_rate_, &right_side_, &wave_rate_, &defect_,
                                  &work_, &rise_, &predicted_, &other_[0], &other_[1], &other_[2]}) {
    vector->setZero(axes);
  }
}

void SubstepLaw::set_impedances(const Eigen::VectorXd& impedances) {
  impedance_ = impedances;
  factored_length_ = 0.0;
}

void SubstepLaw::set_mobility(const Eigen::MatrixXd& mobility) {
  mobility_ = mobility;
  factored_length_ = 0.0;
}

void SubstepLaw::factorise(double length) {
  factored_length_ = length;
  product_.noalias() = impedance_.asDiagonal() * mobility_;
  ratio_ = size() > 0 ? 0.5 * length * product_.cwiseAbs().rowwise().sum().maxCoeff() : 0.0;
  system_ = 0.5 * length * product_;
  if (shape_ == EffortShape::sloped) system_.noalias() += length * length / 12.0 * product_ * product_;
  system_.diagonal().array() += 1.0;
  factors_.compute(system_);
}

void SubstepLaw::predict(double length) {
  predicted_ = other_[0];
  if (ratio_ > kSharpRatio) return;
  const auto distance = [](double before, double after) { return (1.0 - kCentre) * before + kCentre * after; };
  // Steps before the first are taken to have been like it.
  const double first = lengths_[0] > 0.0 ? lengths_[0] : length;
  const double second = lengths_[1] > 0.0 ? lengths_[1] : first;
  const double third = lengths_[2] > 0.0 ? lengths_[2] : second;
  const double ahead = distance(first, length);
  predicted_ += 1.5 * ahead / distance(second, first) * (other_[0] - other_[1]) -
                0.5 * ahead / distance(third, second) * (other_[1] - other_[2]);
}

void SubstepLaw::begin(double length, const Eigen::VectorXd& flow, const StepWaves& waves) {
  length_ = length;
  flow_ = flow;
  mean_wave_ = waves.mean;
  if (length != factored_length_) factorise(length);
  if (shape_ == EffortShape::start) {
    effort_ = waves.begin - impedance_.cwiseProduct(flow);
    return;
  }
  predict(length);
  right_side_ = waves.mean - impedance_.cwiseProduct(flow + 0.5 * length * predicted_);
  if (shape_ == EffortShape::sloped) {
    wave_rate_ = (waves.end - waves.begin) / length - impedance_.cwiseProduct(predicted_);
    right_side_.noalias() += length * length / 12.0 * product_ * wave_rate_;
  }
  effort_ = factors_.solve(right_side_);
  if (shape_ == EffortShape::sloped) effort_rate_.noalias() = wave_rate_ - product_ * effort_;
}

void SubstepLaw::cut_short(double length, const Eigen::VectorXd& mean_wave) {
  // The effort's mean is now that of the first part.
  effort_ -= 0.5 * (length_ - length) * effort_rate_;
  length_ = length;
  mean_wave_ = mean_wave;
}

void SubstepLaw::correct(const Eigen::VectorXd& mean_flow) {
  defect_ = mean_wave_ - impedance_.cwiseProduct(mean_flow) - effort_;
  right_side_ = factors_.solve(defect_);
  effort_ += right_side_;
}

void SubstepLaw::end(const Eigen::VectorXd& mean_flow, const Eigen::VectorXd& end_flow) {
  defect_ = mean_wave_ - impedance_.cwiseProduct(mean_flow) - effort_;
  rise_ = (end_flow - flow_) / length_;
  // The slope meets the part of the flow that is odd about the middle of the step.
  work_ =
      length_ * effort_.cwiseProduct(mean_flow) + length_ * length_ * length_ / 12.0 * effort_rate_.cwiseProduct(rise_);
  std::swap(other_[2], other_[1]);
  std::swap(other_[1], other_[0]);
  other_[0] = 2.0 / length_ * (mean_flow - flow_);
  right_side_ = effort_ - length_ / 6.0 * effort_rate_;
  other_[0].noalias() -= mobility_ * right_side_;
  lengths_ = {length_, lengths_[0], lengths_[1]};
}

void SubstepLaw::save(core::ArchiveWriter& archive) const {
  for (const Eigen::VectorXd& other : other_) put(archive, other);
  archive.put(lengths_);
  archive.put_span<double>({mobility_.data(), static_cast<std::size_t>(mobility_.size())});
}

void SubstepLaw::restore(core::ArchiveReader& archive) {
  for (Eigen::VectorXd& other : other_) get(archive, other);
  archive.get(lengths_);
  archive.get_span<double>({mobility_.data(), static_cast<std::size_t>(mobility_.size())});
  factored_length_ = 0.0;
}

}  // namespace tieline::fmi
