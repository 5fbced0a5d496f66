#include "components/time_signal.hpp"

#include <array>
#include <utility>

namespace tieline::components {
namespace {

// Powers of two, so that t + k h carries no rounding of its own.
constexpr double kRateStep = 1.0 / (1 << 20);       // [s]
constexpr double kCurvatureStep = 1.0 / (1 << 14);  // [s]
// Forward differences on five points: the first derivative to order 4, the second to order 3.
constexpr std::array<double, 5> kFirst{-25.0 / 12.0, 4.0, -3.0, 4.0 / 3.0, -0.25};
constexpr std::array<double, 5> kSecond{35.0 / 12.0, -26.0 / 3.0, 9.5, -14.0 / 3.0, 11.0 / 12.0};

double towards(wave::Side side, double step) { return side == wave::Side::left ? -step : step; }

}  // namespace

TimeSignal::TimeSignal(document::TimeFunction function)
    : function_(std::move(function)), is_constant_(function_.is_constant()) {
  if (is_constant_) constant_ = function_.value(0.0, {});
}

double TimeSignal::shifted(double t, double shift, std::span<const double> inputs,
                           std::span<const double> input_rates) const {
  shifted_inputs_.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) shifted_inputs_[i] = inputs[i] + shift * input_rates[i];
  return function_.value(t + shift, shifted_inputs_);
}

double TimeSignal::rate(double t, wave::Side side, std::span<const double> inputs,
                        std::span<const double> input_rates) const {
  if (is_constant_) return 0.0;
  const double step = towards(side, kRateStep);
  double sum = 0.0;
  for (std::size_t k = 0; k < kFirst.size(); ++k) {
    sum += kFirst[k] * shifted(t, static_cast<double>(k) * step, inputs, input_rates);
  }
  return sum / step;
}

double TimeSignal::curvature(double t, wave::Side side, std::span<const double> inputs,
                             std::span<const double> input_rates) const {
  if (is_constant_) return 0.0;
  const double step = towards(side, kCurvatureStep);
  double sum = 0.0;
  for (std::size_t k = 0; k < kSecond.size(); ++k) {
    sum += kSecond[k] * shifted(t, static_cast<double>(k) * step, inputs, input_rates);
  }
  return sum / (step * step);
}

bool TimeSignal::update(double t, std::span<const double> inputs) {
  if (is_constant_) return false;
  const double before = function_.value(t, inputs);
  function_.update_switches(t, inputs);
  return function_.value(t, inputs) != before;
}

void TimeSignal::save(core::ArchiveWriter& archive) const {
  if (is_constant_) return;
  const std::vector<bool> switches = function_.switches();
  archive.put_span<char>(std::vector<char>(switches.begin(), switches.end()));
}

void TimeSignal::restore(core::ArchiveReader& archive) {
  if (is_constant_) return;
  const std::vector<char> switches = archive.get_vector<char>();
  function_.set_switches(std::vector<bool>(switches.begin(), switches.end()));
}

}  // namespace tieline::components
