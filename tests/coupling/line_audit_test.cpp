// The energy account of a line whose ends are moved by hand: everything about it is known.

#include "coupling/line_audit.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tieline::coupling {
namespace line_audit_test {

constexpr double kZ = 200.0;  // [N s/m]
constexpr double kT = 0.5;    // [s]

/// A line between two ends that are moved by prescribed motions: the waves then follow without any solver.
class DrivenLine {
 public:
  DrivenLine(double damping, double initial_force) : law_{kZ, kT, damping} {
    for (auto* end : {&from_, &to_}) {
      end->sender = {law_, wave::Interpolation::quintic};
      end->receiver = {law_, wave::Interpolation::quintic};
    }
    from_.receiver.start(from_.track, 0.0, -initial_force, velocity_from(0.0), velocity_to(0.0));
    to_.receiver.start(to_.track, 0.0, initial_force, velocity_to(0.0), velocity_from(0.0));
    audit = LineAudit(law_);
    audit.start(from_.receiver, to_.receiver);
    first(from_, to_, velocity_from(0.0), rate_from(0.0));
    first(to_, from_, velocity_to(0.0), rate_to(0.0));
  }

  /// One window of `steps` steps at both ends.
  void window(std::int64_t tick, double length, int steps) {
    const double begin = static_cast<double>(tick - 1) * length;
    const double end_of_window = begin + length;
    std::vector<wave::Knot> left, right;
    for (int i = 1; i <= steps; ++i) {
      const double t = begin + length * i / steps;
      const double before = begin + length * (i - 1) / steps;
      advance(from_, before, t, position_from, velocity_from, rate_from, left);
      advance(to_, before, t, position_to, velocity_to, rate_to, right);
    }
    to_.receiver.accept(to_.track, left, end_of_window, end_of_window + kT, from_.sender.emitted_energy());
    from_.receiver.accept(from_.track, right, end_of_window, end_of_window + kT, to_.sender.emitted_energy());
    for (auto* end : {&from_, &to_}) end->receiver.settle(end->track, end_of_window);
    audit.add_from() = account(from_, tick, end_of_window, position_from(end_of_window));
    audit.add_to() = account(to_, tick, end_of_window, position_to(end_of_window));
  }

  LineAudit audit;

 private:
  struct End {
    wave::LineSender sender;
    wave::LineReceiver receiver;
    wave::Track track;
    double work = 0.0;
  };

  static double position_from(double t) { return 0.01 * (1.0 - std::cos(3.0 * t)); }
  static double velocity_from(double t) { return 0.03 * std::sin(3.0 * t); }
  static double rate_from(double t) { return 0.09 * std::cos(3.0 * t); }
  static double position_to(double t) { return 0.005 * std::sin(2.0 * t) * std::sin(2.0 * t); }
  static double velocity_to(double t) { return 0.01 * std::sin(4.0 * t); }
  static double rate_to(double t) { return 0.04 * std::cos(4.0 * t); }

  [[nodiscard]] wave::Sample sample(const End& end, double t, double x, double v, double a, wave::Side side) const {
    const wave::TrackValue w = end.track.at(t, side);
    return {.t = t,
            .position = x,
            .flow = v,
            .flow_rate = a,
            .effort = w.value - kZ * v,
            .effort_rate = w.rate - kZ * a,
            .impulse = w.integral - kZ * x,
            .work = end.work};
  }
  void first(End& end, End& other, double v, double a) {
    std::vector<wave::Knot> knots;
    end.sender.start(sample(end, 0.0, 0.0, v, a, wave::Side::right), knots);
    other.receiver.accept(other.track, knots, 0.0, kT, 0.0);
  }
  template <class X, class V, class A>
  void advance(End& end, double before, double t, X&& x, V&& v, A&& a, std::vector<wave::Knot>& knots) {
    // Work by Simpson's rule on 20 parts: independent of the waves' own integrals.
    const int parts = 20;
    const double h = (t - before) / parts;
    for (int i = 0; i < parts; ++i) {
      const auto power = [&](double s, wave::Side side) { return (end.track.at(s, side).value - kZ * v(s)) * v(s); };
      const double s = before + h * i;
      end.work +=
          h / 6.0 *
          (power(s, wave::Side::right) + 4.0 * power(s + 0.5 * h, wave::Side::left) + power(s + h, wave::Side::left));
    }
    end.sender.emit(sample(end, t, x(t), v(t), a(t), wave::Side::left), knots);
    if (end.track.next_break(t - 1e-9) == t)
      end.sender.emit(sample(end, t, x(t), v(t), a(t), wave::Side::right), knots);
  }
  [[nodiscard]] wave::EndAccount account(const End& end, std::int64_t tick, double t, double displacement) const {
    return {.tick = tick,
            .t = t,
            .displacement = displacement,
            .work = end.work,
            .emitted_integral = end.sender.emitted_integral(),
            .emitted_energy = end.sender.emitted_energy(),
            .arrived_integral = end.receiver.arrived_integral(),
            .arrived_energy = end.receiver.arrived_energy(),
            .passed_energy = end.receiver.passed_energy(),
            .recent_integral = end.receiver.recent_integral()};
  }

  wave::LineLaw law_;
  End from_, to_;
};

class LineEnergyAccount : public ::testing::TestWithParam<std::tuple<double, double>> {};

TEST_P(LineEnergyAccount, Balance) {
  const auto [damping, force] = GetParam();
  DrivenLine line(damping, force);
  int balances = 0;
  for (int n = 1; n <= 40; ++n) {
    line.window(n, kT / 2.0, 16);
    while (line.audit.next()) ++balances;
  }
  EXPECT_EQ(balances, 40);
  EXPECT_GT(line.audit.largest_energy(), 0.05);
  // Pieces of a sixteenth of a delay carry these sines to about 1e-9.
  EXPECT_LE(line.audit.largest_residual(), 1e-7 * line.audit.largest_energy());
  EXPECT_LE(line.audit.largest_drift(), 1e-9 * line.audit.largest_displacement());
  EXPECT_GT(line.audit.last().energy, 0.0);
  if (damping == 0.0) {
    EXPECT_EQ(line.audit.last().dissipated, 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(LineAudit, LineEnergyAccount,
                         ::testing::Combine(::testing::Values(0.0, 0.3), ::testing::Values(0.0, 25.0)));

wave::EndAccount account_at(std::int64_t tick) { return {.tick = tick, .t = 0.1 * static_cast<double>(tick)}; }

TEST(LineAudit, BalancesOnlyWhatBothEndsHave) {
  LineAudit audit(wave::LineLaw{kZ, kT, 0.0});
  for (const std::int64_t tick : {1, 2, 3, 4, 6}) audit.add_from() = account_at(tick);
  EXPECT_FALSE(audit.next());
  for (const std::int64_t tick : {2, 4, 6, 8}) audit.add_to() = account_at(tick);
  std::vector<double> times;
  while (audit.next()) times.push_back(audit.last().t);
  EXPECT_EQ(times, (std::vector<double>{0.2, 0.4, 0.1 * 6}));
  audit.add_from() = account_at(8);
  EXPECT_TRUE(audit.next());
  EXPECT_EQ(audit.last().t, 0.8);
}

// Windows that were cut between two ticks end at a time of their own.
TEST(LineAudit, TwoTimesOfOneTickAreTwo) {
  LineAudit audit(wave::LineLaw{kZ, kT, 0.0});
  audit.add_from() = {.tick = 9, .t = 0.9};
  audit.add_from() = {.tick = 9, .t = 0.95};
  audit.add_to() = {.tick = 9, .t = 0.95};
  ASSERT_TRUE(audit.next());
  EXPECT_EQ(audit.last().t, 0.95);
  EXPECT_FALSE(audit.next());
}

// A wrong entry in one account shows.
TEST(LineAudit, MissingWorkIsAResidual) {
  LineAudit audit(wave::LineLaw{kZ, kT, 0.0});
  wave::EndAccount from = account_at(1), to = account_at(1);
  from.work = -3.0;
  to.work = 1.0;
  from.emitted_energy = 2.0;
  audit.add_from() = from;
  audit.add_to() = to;
  const LineBalance& balance = audit.last();
  ASSERT_TRUE(audit.next());
  EXPECT_DOUBLE_EQ(balance.energy, 2.0);
  EXPECT_DOUBLE_EQ(balance.energy_residual, 0.0);
  from = account_at(2), to = account_at(2);
  from.emitted_energy = 2.5;
  from.work = -3.0;
  to.work = 1.0;
  to.displacement = 0.125;
  audit.add_from() = from;
  audit.add_to() = to;
  ASSERT_TRUE(audit.next());
  EXPECT_DOUBLE_EQ(balance.energy_residual, -0.5);
  EXPECT_DOUBLE_EQ(balance.drift, 0.125);
  EXPECT_DOUBLE_EQ(audit.largest_residual(), 0.5);
}

}  // namespace line_audit_test
}  // namespace tieline::coupling
