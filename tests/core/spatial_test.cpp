#include "core/spatial.hpp"

#include <gtest/gtest.h>
#include <numbers>
#include <rapidcheck/gtest.h>

namespace tieline::core {
namespace spatial_test {

using Eigen::Quaterniond;
using Eigen::Vector3d;

Vector3d some_vector(double size) {
  const auto part = [&] { return size * *rc::gen::inRange(-1000, 1001) / 1000.0; };
  const double x = part(), y = part(), z = part();
  return {x, y, z};
}

double angle_between(const Quaterniond& a, const Quaterniond& b) { return rotation_vector(a.conjugate() * b).norm(); }

TEST(Spatial, AnglesTurnAboutXThenYThenZOfFixedAxes) {
  const double quarter = std::numbers::pi / 2.0;
  // x goes to y by a quarter about z; y to z by a quarter about x.
  EXPECT_LT((rotation_from_angles({0.0, 0.0, quarter}) * Vector3d::UnitX() - Vector3d::UnitY()).norm(), 1e-15);
  EXPECT_LT((rotation_from_angles({quarter, 0.0, 0.0}) * Vector3d::UnitY() - Vector3d::UnitZ()).norm(), 1e-15);
  // First about x, which leaves x; then about z.
  EXPECT_LT((rotation_from_angles({quarter, 0.0, quarter}) * Vector3d::UnitX() - Vector3d::UnitY()).norm(), 1e-15);
}

RC_GTEST_PROP(Spatial, AnglesAndRotationVectorsComeBack, ()) {
  const Vector3d angles = some_vector(1.5);
  RC_ASSERT((angles_of(rotation_from_angles(angles)) - angles).norm() < 1e-10);
  const Vector3d turn = some_vector(1.8);
  RC_ASSERT((rotation_vector(rotation_by(turn)) - turn).norm() < 1e-12);
}

TEST(Spatial, AQuarterTurnAboutYHasAngles) {
  const Quaterniond q = rotation_from_angles({0.3, std::numbers::pi / 2.0, 0.2});
  EXPECT_LT(angle_between(rotation_from_angles(angles_of(q)), q), 1e-7);
}

TEST(Spatial, MismatchNamesDistanceAndAngle) {
  const Pose from{{1.0, 2.0, 3.0}, rotation_by({0.1, 0.0, 0.0})};
  EXPECT_FALSE(describe_mismatch(from, from));
  const Pose to{{1.0, 2.0, 3.25}, rotation_by({0.6, 0.0, 0.0})};
  const auto text = describe_mismatch(from, to);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("0.25 m apart"), text->npos) << *text;
  EXPECT_NE(text->find("turned by 0.5 rad"), text->npos) << *text;
  // A hinge about x may stand at any angle.
  EXPECT_LT(difference(from, to, {true, false, false}).angle, 1e-15);
  EXPECT_NEAR(difference(from, to, {false, true, false}).angle, 0.5, 1e-12);
}

/// Angular velocity of a moving common frame by differences.
Vector3d measured_rate(const TurningFrame& from, const TurningFrame& to, const FreeAxes& free) {
  constexpr double kStep = 1e-5;
  const auto at = [&](double t) {
    return common_frame({rotation_by(t * from.angular_velocity) * from.orientation, from.angular_velocity},
                        {rotation_by(t * to.angular_velocity) * to.orientation, to.angular_velocity}, free)
        .orientation;
  };
  return rotation_vector(at(kStep) * at(-kStep).conjugate()) / (2.0 * kStep);
}

RC_GTEST_PROP(CommonFrame, ReportsItsAngularVelocity, ()) {
  const TurningFrame from{rotation_by(some_vector(1.5)), some_vector(5.0)};
  const TurningFrame to{rotation_by(some_vector(0.8)) * from.orientation, some_vector(5.0)};
  for (const FreeAxes& free : {FreeAxes{}, FreeAxes{true, false, false}, FreeAxes{false, false, true},
                               FreeAxes{true, true, false}, FreeAxes{true, false, true}, FreeAxes{false, true, true}}) {
    const TurningFrame frame = common_frame(from, to, free);
    RC_ASSERT((frame.angular_velocity - measured_rate(from, to, free)).norm() < 1e-6);
  }
}

// With two free axes the elastic angle follows the ends' relative angular velocity about the axis that carries torque,
// however far they are turned: the waves' integral and the orientations cannot drift apart.
RC_GTEST_PROP(CommonFrame, ElasticAngleOfACrossHasTheRateOfTheFlows, ()) {
  const TurningFrame from{rotation_by(some_vector(1.5)), some_vector(5.0)};
  const TurningFrame to{rotation_by(some_vector(0.7)) * from.orientation, some_vector(5.0)};
  constexpr double kStep = 1e-5;
  for (int carrying = 0; carrying < 3; ++carrying) {
    FreeAxes free{true, true, true};
    free[static_cast<std::size_t>(carrying)] = false;
    const auto angle_at = [&](double t) {
      return elastic_rotation(rotation_by(t * from.angular_velocity) * from.orientation,
                              rotation_by(t * to.angular_velocity) * to.orientation, free)[carrying];
    };
    const Vector3d n = common_frame(from, to, free).orientation * Vector3d::Unit(carrying);
    const double rate = n.dot(to.angular_velocity - from.angular_velocity);
    RC_ASSERT(std::abs((angle_at(kStep) - angle_at(-kStep)) / (2.0 * kStep) - rate) < 1e-6);
  }
}

TEST(CommonFrame, ACrossIsRelaxedAtAnyAnglesOfItsTwoAxes) {
  const Quaterniond from = rotation_by({0.3, 0.1, -0.2});
  for (const double first : {-1.4, 0.4, 2.0}) {
    for (const double second : {-1.0, 0.6}) {
      // Turned about x of `from`, then about the y that belongs to `to`.
      const Quaterniond to = from * rotation_by({first, 0.0, 0.0}) * rotation_by({0.0, second, 0.0});
      EXPECT_LT(elastic_rotation(from, to, {true, true, false}).norm(), 1e-15);
      const Quaterniond twisted = to * rotation_by({0.0, 0.0, 0.01});
      EXPECT_GT(std::abs(elastic_rotation(from, twisted, {true, true, false}).z()), 1e-3);
    }
  }
}

TEST(CommonFrame, LiesHalfWayOrOnTheHinge) {
  const Vector3d turn(0.1, -0.4, 0.2);
  const TurningFrame from{rotation_by({0.3, 0.1, -0.2}), Vector3d::Zero()};
  const TurningFrame to{from.orientation * rotation_by(turn), Vector3d::Zero()};
  EXPECT_LT(angle_between(common_frame(from, to, {}).orientation, from.orientation * rotation_by(0.5 * turn)), 1e-15);
  const Quaterniond hinge = common_frame(from, to, {false, true, false}).orientation;
  EXPECT_LT((hinge * Vector3d::UnitY() - from.orientation * Vector3d::UnitY()).norm(), 1e-15);
  // The sign of a quaternion has no meaning.
  TurningFrame same = to;
  same.orientation.coeffs() *= -1.0;
  EXPECT_LT(angle_between(common_frame(from, same, {}).orientation, common_frame(from, to, {}).orientation), 1e-15);
}

TEST(SpatialInterface, LooseEndFeelsNothing) {
  std::vector<Port> ports = SpatialInterface::make_ports("end");
  ASSERT_EQ(ports.size(), SpatialInterface::kPorts);
  const SpatialInterface interface("end", std::span<Port, SpatialInterface::kPorts>(ports.data(), ports.size()));
  SpatialMotion motion;
  motion.velocity = {1.0, 2.0, 3.0};
  motion.angular_velocity = {-1.0, 5.0, 0.5};
  const Wrench wrench = interface.wrench(0.0, wave::Side::right, {}, motion);
  EXPECT_EQ(wrench.force.norm() + wrench.torque.norm(), 0.0);
}

TEST(SpatialInterface, ImpedanceIsWhatTheWrenchLosesWithVelocity) {
  std::vector<Port> ports = SpatialInterface::make_ports("end");
  for (std::size_t i = 0; i < SpatialInterface::kAxes; ++i) {
    ports[i].law.impedance = i < 3 ? 100.0 : 10.0;
    ports[i].incoming.push({0.0, 0.0, 3.0 + static_cast<double>(i), 0.0});
    ports[i].incoming.push({1.0, 0.0, 3.0 + static_cast<double>(i), 0.0});
  }
  ports[4].law.impedance = 0.0;
  const SpatialInterface interface("end", std::span<Port, SpatialInterface::kPorts>(ports.data(), ports.size()));
  const Pose pose{Vector3d::Zero(), rotation_by({0.4, -0.7, 1.1})};
  const Eigen::Matrix<double, 6, 6> Z = interface.impedance({pose.orientation, Vector3d::Zero()});
  const Wrench at_rest = interface.wrench(0.5, wave::Side::left, pose, {});
  for (int i = 0; i < 6; ++i) {
    SpatialMotion motion;
    (i < 3 ? motion.velocity : motion.angular_velocity)[i % 3] = 1.0;
    const Wrench moved = interface.wrench(0.5, wave::Side::left, pose, motion);
    EXPECT_LT((at_rest.force - moved.force - Z.col(i).head<3>()).norm(), 1e-12);
    EXPECT_LT((at_rest.torque - moved.torque - Z.col(i).tail<3>()).norm(), 1e-12);
  }
}

/// An end whose ten tracks have a knot at each of the times, of a partner that turns and waves that change.
std::vector<Port> ports_of_a_turning_end(std::initializer_list<double> times) {
  std::vector<Port> ports = SpatialInterface::make_ports("end");
  for (std::size_t i = 0; i < SpatialInterface::kAxes; ++i) {
    ports[i].law.impedance = i < 3 ? 100.0 : 10.0;
    for (const double t : times) {
      const double phase = 3.0 * t + static_cast<double>(i);
      ports[i].incoming.push({t, 0.0, 50.0 * std::sin(phase), 150.0 * std::cos(phase)});
    }
  }
  for (std::size_t part = 0; part < 4; ++part) {
    wave::Track& track = ports[SpatialInterface::kAxes + part].incoming;
    track.set_interpolation(wave::Interpolation::quintic);
    for (const double t : times) {
      const double c = std::cos(t), s = std::sin(t);
      if (part == 0) track.push({t, c, -s, -c});
      if (part == 1) track.push({t, s, c, -s});
      if (part > 1) track.push({t, 0.0, 0.0, 0.0});
    }
  }
  return ports;
}

SpatialInterface interface_of(std::vector<Port>& ports) {
  SpatialInterface interface("end", std::span<Port, SpatialInterface::kPorts>(ports.data(), ports.size()));
  interface.couple(true, 0.05, {});
  return interface;
}

const SpatialMotion kMotion{{0.1, -0.2, 0.3}, {1.0, 0.5, -0.7}, {3.0, 2.0, 1.0}, {0.3, 0.2, 0.1}};

bool is_same(const Wrench& a, const Wrench& b) { return a.force == b.force && a.torque == b.torque; }

TEST(SpatialInterface, AnswersTheSameHoweverOftenItIsAsked) {
  std::vector<Port> ports = ports_of_a_turning_end({0.0, 0.1, 0.2, 0.3});
  const SpatialInterface asked = interface_of(ports);
  const Pose pose{Vector3d::Zero(), rotation_by({0.4, -0.7, 1.1})};
  const std::array times{0.05, 0.1, 0.15, 0.11, 0.05, 0.29, 0.2, 0.15, 0.05, 0.3};
  for (const wave::Side side : {wave::Side::left, wave::Side::right}) {
    for (const double t : times) {
      const SpatialInterface fresh = interface_of(ports);
      std::array<PortOutput, SpatialInterface::kPorts> outputs{}, expected{};
      EXPECT_TRUE(is_same(asked.wrench(t, side, pose, kMotion), fresh.wrench(t, side, pose, kMotion)));
      asked.observe(t, side, pose, kMotion, outputs);
      fresh.observe(t, side, pose, kMotion, expected);
      for (std::size_t i = 0; i < SpatialInterface::kAxes; ++i) {
        EXPECT_EQ(outputs[i].effort, expected[i].effort);
        EXPECT_EQ(outputs[i].effort_rate, expected[i].effort_rate);
        EXPECT_EQ(outputs[i].position, expected[i].position);
        // What the wrench was made of.
        EXPECT_EQ(asked.last_loads().effort[i], outputs[i].effort);
        EXPECT_EQ(asked.last_loads().flow[i], outputs[i].flow);
      }
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(asked.arrived(t, side)[i], ports[i].w(t, side).integral);
    }
  }
}

TEST(SpatialInterface, NoticesWhatHasComeInSince) {
  std::vector<Port> ports = ports_of_a_turning_end({0.0, 0.1});
  const SpatialInterface interface = interface_of(ports);
  const Pose pose{Vector3d::Zero(), rotation_by({0.4, -0.7, 1.1})};
  const Wrench before = interface.wrench(0.1, wave::Side::right, pose, kMotion);
  // The right side of a break comes later than the left one.
  ports[0].incoming.push({0.1, 0.0, ports[0].incoming.back().value + 8.0, 0.0});
  const Wrench after = interface.wrench(0.1, wave::Side::right, pose, kMotion);
  EXPECT_NEAR(after.force.x() - before.force.x(), 8.0, 1e-12);
  // Restored to something else.
  const std::vector<wave::Knot> knots{{0.0, 0.0, 1.0, 0.0}, {1.0, 0.0, 1.0, 0.0}};
  ports[1].incoming.assign(wave::Interpolation::linear, knots);
  EXPECT_NEAR(interface.wrench(0.1, wave::Side::right, pose, kMotion).force.y(), 1.0 + 100.0 * 0.2, 1e-12);
}

TEST(SpatialInterface, SumsTheLargestWavesAtCommonKnots) {
  std::vector<Port> ports = ports_of_a_turning_end({0.0, 0.1, 0.2, 0.3});
  const SpatialInterface interface = interface_of(ports);
  const auto sum_of_tracks = [&](double t0, double t1) {
    double sum = 0.0;
    for (std::size_t i = 0; i < SpatialInterface::kAxes; ++i) {
      if (ports[i].law.impedance > 0.0) sum += ports[i].incoming.largest_at_knots(t0, t1);
    }
    return sum;
  };
  for (const auto& [t0, t1] : {std::pair{0.0, 0.1}, {0.1, 0.3}, {0.2, 0.25}, {0.3, 0.3}}) {
    EXPECT_DOUBLE_EQ(interface.largest_at_knots(t0, t1), sum_of_tracks(t0, t1));
  }
  EXPECT_EQ(interface.largest_at_knots(0.15, 0.3), wave::Track::kNever) << "there is no knot";
  EXPECT_EQ(interface.largest_at_knots(0.4, 0.5), wave::Track::kNever) << "there is no knot";
  // Free axes carry nothing, whatever comes in.
  ports[5].law.impedance = 0.0;
  EXPECT_DOUBLE_EQ(interface.largest_at_knots(0.1, 0.3), sum_of_tracks(0.1, 0.3));
  ports[4].incoming.push({0.4, 0.0, 1.0, 0.0});
  EXPECT_EQ(interface.largest_at_knots(0.1, 0.3), wave::Track::kNever) << "one track has another knot";
}

TEST(SpatialInterface, KnowsHowFarItsInputsReachAndWhetherTheyMayBreak) {
  std::vector<Port> empty = SpatialInterface::make_ports("end");
  EXPECT_TRUE(interface_of(empty).arrivals().covers(1e9));

  std::vector<Port> ports = ports_of_a_turning_end({0.0, 0.1});
  const SpatialInterface interface = interface_of(ports);
  EXPECT_EQ(interface.arrivals().covered_to, 0.1);
  EXPECT_FALSE(interface.arrivals().may_break);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    EXPECT_EQ(interface.arrivals().covered_to, 0.1);
    ports[i].incoming.push({0.2, 0.0, 1.0, 0.0});
  }
  EXPECT_EQ(interface.arrivals().covered_to, 0.2);
  EXPECT_TRUE(interface.arrivals().covers(0.2));
  EXPECT_FALSE(interface.arrivals().covers(0.21));
  ports[8].incoming.push({0.2, 0.0, 2.0, 0.0});
  EXPECT_TRUE(interface.arrivals().may_break);
}

/// A body that turns steadily about an axis while its point flies along a parabola.
SpaceState flying(double t) {
  const Vector3d omega(3.0, -2.0, 4.0), v(5.0, 1.0, -2.0), a(0.0, 0.5, -9.81);
  return {{v * t + 0.5 * t * t * a, rotation_by(t * omega)}, {v + t * a, omega, a, Vector3d::Zero()}};
}

SpatialInterface led_interface(std::vector<Port>& ports, const std::vector<double>& times,
                               wave::Interpolation kind = wave::Interpolation::motion) {
  ports = SpatialInterface::make_ports("end", Causality::takes_motion);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (i < SpatialInterface::kAxes) ports[i].law = {0.0, 1.0};
    ports[i].incoming.set_interpolation(kind);
    ports[i].incoming.allow_extrapolation(true);
    ports[i].incoming.keep_integrals(i < 3 || i >= SpatialInterface::kAxes);
  }
  for (const double t : times) {
    const SpaceState state = flying(t);
    const Quaterniond& q = state.pose.orientation;
    const std::array<double, 4> parts{q.w(), q.x(), q.y(), q.z()};
    for (int i = 0; i < 3; ++i) {
      const auto k = static_cast<std::size_t>(i);
      ports[k].incoming.push({t, state.pose.position[i], state.motion.velocity[i], state.motion.acceleration[i]});
      ports[k + 3].incoming.push({t, 0.0, state.motion.angular_velocity[i], 0.0});
    }
    for (std::size_t i = 0; i < parts.size(); ++i) ports[SpatialInterface::kAxes + i].incoming.push({t, parts[i]});
  }
  return {"end", std::span<Port, SpatialInterface::kPorts>(ports)};
}

// Cubics follow parabolas and steady turns exactly, between samples and beyond them, also by more than half a turn.
TEST(SpatialInterface, JoinsGivenMotionsOnTheGroup) {
  for (const double step : {0.1, 0.9}) {
    std::vector<Port> ports;
    const SpatialInterface interface = led_interface(ports, {0.0, step, 2.0 * step});
    for (const double share : {0.0, 0.3, 1.0, 1.5, 2.0, 2.4}) {
      const double t = share * step;
      const SpaceState given = interface.given(t, wave::Side::left), exact = flying(t);
      EXPECT_NEAR(given.pose.orientation.norm(), 1.0, 1e-15);
      EXPECT_LT((given.pose.position - exact.pose.position).norm(), 1e-12) << t;
      EXPECT_LT(angle_between(given.pose.orientation, exact.pose.orientation), 1e-12) << t;
      EXPECT_LT((given.motion.velocity - exact.motion.velocity).norm(), 1e-12) << t;
      EXPECT_LT((given.motion.angular_velocity - exact.motion.angular_velocity).norm(), 1e-12) << t;
      // At a knot alone the accelerations are those that came in.
      EXPECT_LT((given.motion.acceleration - exact.motion.acceleration).norm(), 1e-10) << t;
      EXPECT_LT(given.motion.angular_acceleration.norm(), 1e-10) << t;
    }
  }
}

TEST(SpatialInterface, HoldsOrExtrapolatesWhatItWasGiven) {
  std::vector<Port> ports;
  const SpatialInterface held = led_interface(ports, {0.0, 0.1}, wave::Interpolation::hold);
  const SpaceState last = flying(0.1), later = held.given(0.15, wave::Side::left);
  EXPECT_LT((later.pose.position - (last.pose.position + 0.05 * last.motion.velocity)).norm(), 1e-14);
  EXPECT_EQ(later.motion.velocity, last.motion.velocity);
  EXPECT_LT(angle_between(later.pose.orientation, flying(0.15).pose.orientation), 1e-14);
  std::vector<Port> none;
  SpatialInterface idle = led_interface(none, {});
  idle.set_start({{1.0, 2.0, 3.0}, Quaterniond::Identity()});
  EXPECT_EQ(idle.given(7.0, wave::Side::left).pose.position, Vector3d(1.0, 2.0, 3.0));
}

// The derivatives that are given with the motion are those of the motion.
TEST(SpatialInterface, GivenRatesAreThoseOfTheGivenMotion) {
  const SpaceState from{{Vector3d(1.0, 2.0, 3.0), rotation_by({0.3, 0.2, -0.5})},
                        {Vector3d(1, 0, 2), Vector3d(2, -1, 3), Vector3d(0, 1, 0), Vector3d::Zero()}};
  const SpaceState to{{Vector3d(1.2, 2.1, 3.2), rotation_by({0.9, -0.2, 0.1})},
                      {Vector3d(2, 1, 1), Vector3d(1, 1, -2), Vector3d(1, 0, 0), Vector3d::Zero()}};
  const SpaceCurve curve(wave::Interpolation::motion, 0.0, from, 0.3, to);
  const double h = 1e-4, t = 0.17;
  const SpaceState before = curve.at(t - h), here = curve.at(t), after = curve.at(t + h);
  EXPECT_LT((curve.at(0.3).motion.angular_velocity - to.motion.angular_velocity).norm(), 1e-12);
  EXPECT_LT(angle_between(curve.at(0.3).pose.orientation, to.pose.orientation), 1e-13);
  const Vector3d turning = rotation_vector(after.pose.orientation * before.pose.orientation.conjugate()) / (2.0 * h);
  EXPECT_LT((turning - here.motion.angular_velocity).norm(), 1e-5);
  const Vector3d rate = (after.motion.angular_velocity - before.motion.angular_velocity) / (2.0 * h);
  EXPECT_LT((rate - here.motion.angular_acceleration).norm(), 1e-4);
}

}  // namespace spatial_test
}  // namespace tieline::core
