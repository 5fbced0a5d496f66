#include "lines/line_end.hpp"

namespace tieline::lines {
namespace {

// What is known by other means must have at most this share of a position's rounding to replace it, and agree with it
// to so many roundings.
constexpr double kFiner = 0.25;
constexpr double kSamePlace = 16.0;

}  // namespace

void LineEnd::send_first(wave::Sample first, std::vector<wave::Knot>& out) {
  start_position = first.position;
  last_sample_time = first.t;
  largest_wave = 0.0;
  first.position = 0.0;
  sender.start(first, out);
}

/// Far from the origin a position has lost digits that the impulse may still have: a component that obeys the port's
/// law says the same by both.
double LineEnd::finest_displacement(const core::Port& own, const wave::Sample& sample, double by_position,
                                    double rounding) const {
  const double Z = sender.law().impedance;
  const double integral = own.incoming.at(sample.t, wave::Side::left).integral;
  const double by_impulse = (integral - sample.impulse) / Z;
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  const bool is_finer = kUnit * (std::abs(integral) + std::abs(sample.impulse)) < kFiner * Z * rounding;
  return is_finer && std::abs(by_impulse - by_position) <= kSamePlace * rounding ? by_impulse : by_position;
}

void LineEnd::fill_account(Tick tick, const wave::Sample& last, wave::EndAccount& account) const {
  account.tick = tick;
  account.t = last.t;
  account.displacement = last.position - start_position;
  account.work = last.work;
  account.force = last.effort;
  account.emitted_integral = sender.emitted_integral();
  account.emitted_energy = sender.emitted_energy();
  account.arrived_integral = receiver.arrived_integral();
  account.arrived_energy = receiver.arrived_energy();
  account.passed_energy = receiver.passed_energy();
  account.recent_integral = receiver.recent_integral();
}

}  // namespace tieline::lines
