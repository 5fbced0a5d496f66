// Rigid bodies, forces and joints against closed forms and conservation laws.

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>

#include "components/multibody_system.hpp"
#include "support/planar_chain.hpp"

namespace tieline::components {
namespace multibody_test {

using Eigen::Vector3d;
using std::numbers::pi;

TEST(Multibody, FreeFallWithSpinIsAParabola) {
  MultibodyRun run(
      "<Body name='b' mass='2' inertia='1, 1, 1' velocity='1, 2, 3' angular_velocity='0, 0, 628.3185307179586'/>",
      "gravity='0, 0, -9.81'", 1e-9);
  run.run_to(1.0);
  EXPECT_NEAR(run.get("b.position.x"), 1.0, 1e-9);
  EXPECT_NEAR(run.get("b.position.y"), 2.0, 1e-9);
  EXPECT_NEAR(run.get("b.position.z"), 3.0 - 0.5 * 9.81, 1e-9);
  EXPECT_NEAR(run.get("b.orientation.w"), std::cos(0.5 * 628.3185307179586), 1e-6);
}

// Ten thousand turns.
TEST(Multibody, QuaternionsKeepTheirLength) {
  MultibodyRun run("<Body name='b' mass='1' inertia='1, 2, 2.5' angular_velocity='6283.185307179586, 0, 0'/>", "",
                   1e-8);
  run.run_to(10.0);
  double length = 0.0;
  for (const char* part : {"w", "x", "y", "z"}) length += std::pow(run.get(std::string("b.orientation.") + part), 2);
  EXPECT_NEAR(length, 1.0, 1e-9);
}

// Spin about the middle axis turns over again and again.
TEST(Multibody, AsymmetricTopKeepsEnergyAndMomentum) {
  MultibodyRun run("<Body name='b' mass='1' inertia='1, 2, 3' angular_velocity='0, 5, 0.005'/>", "", 1e-11);
  const auto momentum = [&] {
    const Eigen::Quaterniond q(run.get("b.orientation.w"), run.get("b.orientation.x"), run.get("b.orientation.y"),
                               run.get("b.orientation.z"));
    const Vector3d spin = q.conjugate() * run.vector("b.angular_velocity");
    return Vector3d(q * Vector3d(1.0 * spin.x(), 2.0 * spin.y(), 3.0 * spin.z()));
  };
  const Vector3d before = momentum();
  bool has_turned_over = false;
  for (int i = 1; i <= 40; ++i) {
    run.run_to(0.5 * i);
    has_turned_over = has_turned_over || run.get("b.orientation.w") < 0.0;
    EXPECT_LT((momentum() - before).norm(), 1e-8 * before.norm());
    EXPECT_LT(std::abs(run.imbalance()), 1e-8 * run.energy());
  }
  EXPECT_TRUE(has_turned_over);
}

// The time of a whole turn over and back is 4 K(k) / p, by Jacobi's elliptic functions.
TEST(Multibody, AsymmetricTopTurnsOverInItsTime) {
  const double I[] = {1.0, 2.0, 3.0}, w[] = {0.0, 5.0, 0.005};
  double twice_energy = 0.0, momentum2 = 0.0;
  for (int i = 0; i < 3; ++i) twice_energy += I[i] * w[i] * w[i], momentum2 += I[i] * I[i] * w[i] * w[i];
  const double p = std::sqrt((I[2] - I[1]) * (momentum2 - twice_energy * I[0]) / (I[0] * I[1] * I[2]));
  const double k = std::sqrt((I[1] - I[0]) * (twice_energy * I[2] - momentum2) /
                             ((I[2] - I[1]) * (momentum2 - twice_energy * I[0])));
  const double period = 4.0 * std::comp_ellint_1(k) / p;
  MultibodyRun run("<Body name='b' mass='1' inertia='1, 2, 3' angular_velocity='0, 5, 0.005'/>", "", 1e-12);
  const auto spin = [&] {
    const Eigen::Quaterniond q(run.get("b.orientation.w"), run.get("b.orientation.x"), run.get("b.orientation.y"),
                               run.get("b.orientation.z"));
    return Vector3d(q.conjugate() * run.vector("b.angular_velocity"));
  };
  run.run_to(0.5 * period);
  EXPECT_NEAR(spin().y(), -5.0, 1e-5);
  run.run_to(period);
  EXPECT_NEAR(spin().y(), 5.0, 1e-5);
  EXPECT_NEAR(spin().z(), 0.005, 1e-5);
}

const std::string kArm =
    "<Body name='arm' mass='1' inertia='0.02, 0.02, 0.02' center='0.5, 0, 0' angles='0, 0, 0'/>"
    "<Joint name='pin' kind='revolute' from='ground' to='arm'/>";

/// Period of the pendulum of `kArm`, swinging in a plane with gravity along -y, for small angles.
double small_period() { return 2.0 * pi * std::sqrt((0.02 + 0.25) / (9.81 * 0.5)); }

// From the horizontal, i.e. an amplitude of 90 degrees: T / T0 = 1.1803406.
TEST(Multibody, PendulumHasItsPeriod) {
  for (const char* flavour : {"joints='constraints' gravity='0, -9.81, 0'",
                              "joints='forces' joint_stiffness='1e7' joint_damping='0' gravity='0, -9.81, 0'"}) {
    const bool is_stiff = std::string(flavour).find("forces") != std::string::npos;
    MultibodyRun run(kArm, flavour, 1e-10);
    run.run_to(1.18034059901609 * small_period());
    EXPECT_NEAR(run.get("pin.angle"), 0.0, is_stiff ? 1e-4 : 1e-6) << flavour;
    EXPECT_LT(std::abs(run.imbalance()), 1e-7) << flavour;
  }
}

TEST(Multibody, JointsKeepTheirPlaces) {
  MultibodyRun run(
      "<Body name='a' mass='1' inertia='0.02, 0.03, 0.04' center='0.25, 0, 0'><Frame name='end' position='0.5, 0, 0' "
      "angles='0.3, 0.2, 0.1'/></Body>"
      "<Body name='b' mass='2' inertia='0.05, 0.03, 0.04' position='0.5, 0, 0' angles='0.3, 0.2, 0.1'"
      " center='0.1, 0.2, 0.3'/>"
      "<Joint name='ball' kind='spherical' from='ground' to='a'/>"
      "<Joint name='hinge' kind='revolute' from='a.end' to='b'/>",
      "gravity='0, 0, -9.81'", 1e-9);
  for (int i = 1; i <= 10; ++i) {
    run.run_to(0.3 * i);
    EXPECT_LT(run.vector("a.position").norm(), 1e-12);
    EXPECT_LT(std::abs(run.imbalance()), 1e-6);
  }
}

// The reaction of a hanging weight, and of one that swings through the lowest point.
TEST(Multibody, ReactionsAreThoseOfStatics) {
  MultibodyRun run(
      "<Body name='arm' mass='3' inertia='0.1, 0.1, 0.1' center='0, -1, 0'/><Joint name='pin' from='ground' to='arm'/>",
      "gravity='0, -9.81, 0'");
  EXPECT_NEAR(run.get("pin.force.y"), 3.0 * 9.81, 1e-9);
  EXPECT_NEAR(run.get("pin.force.x"), 0.0, 1e-12);
}

TEST(Multibody, DrivenJointFollowsAndPays) {
  MultibodyRun run(
      "<Body name='wheel' mass='1' inertia='0.1, 0.1, 0.2'/>"
      "<Joint name='axle' from='ground' to='wheel' drive='{2*sin(3*t)}'/>");
  run.run_to(0.7);
  EXPECT_NEAR(run.get("axle.angle"), 2.0 * std::sin(2.1), 1e-9);
  EXPECT_NEAR(run.get("axle.torque.z"), -0.2 * 18.0 * std::sin(2.1), 1e-6);
  EXPECT_LT(std::abs(run.imbalance()), 1e-7);
}

TEST(Multibody, AnglesGoRoundAndRound) {
  MultibodyRun run(
      "<Body name='wheel' mass='1' inertia='0.1, 0.1, 0.2' angular_velocity='0, 0, 10'/>"
      "<Joint name='axle' from='ground' to='wheel'/>");
  for (int i = 1; i <= 20; ++i) {
    run.run_to(0.5 * i);
    EXPECT_NEAR(run.get("axle.angle"), 5.0 * i, 1e-8);
  }
}

TEST(Multibody, RedundantConditionsAreNamed) {
  MultibodyRun run(
      "<Body name='door' mass='1' inertia='0.1, 0.1, 0.2'><Frame name='top' position='0, 0, 1'/></Body>"
      "<Frame name='upper' position='0, 0, 1'/>"
      "<Joint name='lower_hinge' from='ground' to='door'/><Joint name='upper_hinge' from='upper' to='door.top'/>",
      "gravity='0, -1, -9.81'");
  EXPECT_EQ(run.system().doubts().size(), 5U);
  EXPECT_NEAR(run.get("lower_hinge.force.z") + run.get("upper_hinge.force.z"), 9.81, 1e-9);
}

// Two bars stretched out between fixed points: where nothing can move sidewise at first, a condition seems to follow
// from the others, but does not. The run ends rather than let a joint come apart.
TEST(Multibody, JointsDoNotComeApartUnseen) {
  MultibodyRun run(
      "<Body name='a' mass='1' inertia='0.1, 0.1, 0.1' angular_velocity='0, 0, 1'><Frame name='e' position='1, 0, 0'/>"
      "</Body><Body name='b' mass='1' inertia='0.1, 0.1, 0.1' position='1, 0, 0' velocity='0, 1, 0' "
      "angular_velocity='0, 0, -1'><Frame name='e' position='1, 0, 0'/></Body><Frame name='end' position='2, 0, 0'/>"
      "<Joint name='p' from='ground' to='a'/><Joint name='q' from='a.e' to='b'/>"
      "<Joint name='r' kind='spherical' from='end' to='b.e'/>");
  EXPECT_FALSE(run.system().doubts().empty());
  EXPECT_FALSE(run.component().advance({.begin = 0.0, .end = 1.0, .horizon = 1.0}));
}

// Free-free on a tie: sqrt(2 k / m).
TEST(Multibody, TwoBodiesOnATieVibrate) {
  const double k = 1e6, m = 1.0;
  MultibodyRun run(
      "<Body name='a' mass='1' inertia='1, 1, 1' velocity='1, 0, 0'/><Body name='b' mass='1' inertia='1, 1, 1'/>"
      "<Tie name='tie' from='a' to='b' stiffness='1e6, 1e4'/>");
  const double omega = std::sqrt(2.0 * k / m), t = 0.01;
  run.run_to(t);
  EXPECT_NEAR(run.get("a.position.x") - run.get("b.position.x"), std::sin(omega * t) / omega, 1e-9);
  EXPECT_LT(std::abs(run.imbalance()), 1e-9);
}

TEST(Multibody, TiesKeepMomentumAndEnergyInLargeRotations) {
  MultibodyRun run(
      "<Body name='a' mass='1' inertia='0.1, 0.2, 0.25' velocity='1, 0, 2' angular_velocity='3, -2, 1'/>"
      "<Body name='b' mass='2' inertia='0.3, 0.2, 0.25' angles='0.4, 0.5, -0.6' position='0.2, 0.1, 0'/>"
      "<Tie name='tie' from='a' to='b' stiffness='100, 80, 120, 20, 30, 25' damping='0.1, 0.05'/>"
      "<Tie name='hinge' from='a' to='b' stiffness='10, 10' free_axes='rz'/>"
      "<Spring name='s' from='a' to='b' stiffness='50' free_length='0.1' damping='1' series_stiffness='30'/>",
      "", 1e-11);
  const auto momentum = [&] { return Vector3d(run.vector("a.velocity") + 2.0 * run.vector("b.velocity")); };
  const Vector3d before = momentum();
  run.run_to(2.0);
  EXPECT_LT((momentum() - before).norm(), 1e-12);
  EXPECT_LT(std::abs(run.imbalance()), 1e-8);
  EXPECT_GT(run.energies().dissipated, 0.1);
}

// Deepest penetration D = (5 m v^2 / 4 K)^0.4.
TEST(Multibody, BallOnAPlaneIsHertzian) {
  const double v = 1.4, K = 1e10;
  MultibodyRun run(
      "<Body name='ball' mass='1' inertia='0.01, 0.01, 0.01' position='0, 0, 0.05' velocity='0, 0, -1.4'/>"
      "<Contact name='c' from='ground' to='ball' radius_to='0.05' stiffness='1e10'/>",
      "", 1e-10);
  const double depth = std::pow(1.25 * v * v / K, 0.4);
  run.run_to(1.4716 * depth / v);
  EXPECT_NEAR(run.get("c.overlap"), depth, 1e-4 * depth);
  run.run_to(6.0 * depth / v);
  EXPECT_NEAR(run.get("ball.velocity.z"), v, 1e-7);
}

// A ball that slides begins to roll at 5/7 of its speed.
TEST(Multibody, SlidingBallComesToRoll) {
  MultibodyRun run(
      "<Body name='ball' position='0, 0, 0.1' velocity='2, 0, 0'><Sphere radius='0.1' density='1000'/></Body>"
      "<Contact name='c' from='ground' to='ball' radius_to='0.1' stiffness='1e8' damping='1' friction='0.3' "
      "slip_speed='1e-4'/>",
      "gravity='0, 0, -9.81'", 1e-8);
  run.run_to(0.5);
  EXPECT_NEAR(run.get("ball.velocity.x"), 10.0 / 7.0, 2e-3);
  EXPECT_NEAR(run.get("ball.angular_velocity.y"), 100.0 / 7.0, 2e-2);
  EXPECT_LT(std::abs(run.imbalance()), 1e-4 * 8.0);
}

TEST(Multibody, WorldAxesDoNotMatter) {
  const std::string system =
      "<Body name='a' mass='1' inertia='0.1, 0.2, 0.25, 0.02, -0.01, 0.03' center='0.1, 0.2, 0' velocity='1, 0, 2' "
      "angular_velocity='3, -2, 1'><Frame name='f' position='0.3, 0, 0.1' angles='0.4, 0.1, 0.2'/></Body>"
      "<Body name='b' mass='2' inertia='0.3, 0.2, 0.25' position='0.3, 0, 0.1' angles='0.4, 0.1, 0.2' "
      "velocity='1.1, 0.6, 2.6' angular_velocity='3, -2, 1'/>"
      "<Joint name='u' kind='universal' from='a.f' to='b'/>"
      "<Load name='l' frame='b' force='{sin(9*t)}, 2, 0' torque='0, {t}, 0.3'/>"
      "<Frame name='led' position='{0.1*sin(5*t)}, 0, 1' angles='0, {t}, 0'/>"
      "<Tie name='tie' from='led' to='a' stiffness='20, 3' damping='1, 0.2' relaxed='at_start'/>";
  const core::Pose pose{{3.0, -7.0, 11.0}, core::rotation_by({1.1, -0.7, 2.0})};
  MultibodyRun first(system, "", 1e-11), second(system, "", 1e-11, solvers::Method::dopri5, pose);
  first.run_to(1.0);
  second.run_to(1.0);
  for (const char* body : {"a", "b"}) {
    const std::string name(body);
    EXPECT_LT((pose.orientation * first.vector(name + ".position") + pose.position - second.vector(name + ".position"))
                  .norm(),
              1e-9);
    EXPECT_LT((pose.orientation * first.vector(name + ".velocity") - second.vector(name + ".velocity")).norm(), 1e-8);
  }
  EXPECT_LT(std::abs(first.imbalance()), 1e-6);
}

/// A system with every kind of element, in motion.
std::string everything() {
  return "<Body name='a' mass='1' inertia='0.1, 0.2, 0.25, 0.02, -0.01, 0.03' center='0.1, 0.2, 0' velocity='1, 0, 2' "
         "angular_velocity='3, -2, 1'><Frame name='f' position='0.3, 0, 0.1' angles='0.4, 0.1, 0.2'/></Body>"
         "<Body name='b' mass='2' inertia='0.3, 0.2, 0.25' position='0.3, 0, 0.1' angles='0.4, 0.1, 0.2' "
         "velocity='1.1, 0.6, 2.6' angular_velocity='3, -2, 1'><Frame name='g' position='0, 0.2, 0'/></Body>"
         "<Body name='c' mass='1' inertia='0.2, 0.2, 0.2' position='0.5, 0.3, -0.2' velocity='0.1, 0.1, 0.2'/>"
         "<Joint name='u' kind='revolute' from='a.f' to='b'/>"
         "<Load name='l' frame='b' force='{sin(9*t)}, 2, 0' torque='0, {t}, 0.3' axes='a'/>"
         "<JointLoad name='m' joint='u' effort='1' speed='2' gain='0.5'/>"
         "<Tie name='tie' from='b.g' to='c' stiffness='200, 30' damping='1, 0.2' relaxed='at_start'/>"
         "<Tie name='hinge' from='c' to='ground' stiffness='20, 10' damping='0.1, 0.1' free_axes='ry'/>"
         "<Spring name='s' from='a' to='c' stiffness='50' free_length='0.1' damping='1' series_stiffness='30'/>"
         "<Contact name='k' kind='sphere-sphere' from='a' to='c' radius_from='0.5' radius_to='0.3' stiffness='1e3' "
         "damping='0.2' friction='0.3' slip_speed='0.5'/>";
}

TEST(Multibody, JacobianIsThatOfTheRightHandSide) {
  for (const char* flavour : {"joints='constraints' gravity='0, 0, -9.81'", "joints='forces' joint_stiffness='1e4'"}) {
    SCOPED_TRACE(flavour);
    MultibodyRun run(everything(), flavour);
    run.run_to(0.01);
    expect_jacobian_of_right_side(run.system(), run.component().time(), 1e-3, 1e-6);
  }
}

TEST(Multibody, NamesDoNotMatter) {
  std::string renamed = everything();
  for (const auto& [name, other] : {std::pair{"a", "zeta"}, {"b", "mass"}, {"c", "alpha"}, {"u", "x"}, {"tie", "b"}}) {
    for (const char* end : {"'", "."}) {
      const std::string from = std::string("'") + name + end, to = std::string("'") + other + end;
      for (std::size_t at = 0; (at = renamed.find(from, at)) != std::string::npos; at += to.size()) {
        renamed.replace(at, from.size(), to);
      }
    }
  }
  MultibodyRun first(everything(), "gravity='0, 0, -9.81'"), second(renamed, "gravity='0, 0, -9.81'");
  first.run_to(0.2);
  second.run_to(0.2);
  EXPECT_EQ(first.vector("c.position"), second.vector("alpha.position"));
  EXPECT_EQ(first.vector("a.angular_velocity"), second.vector("zeta.angular_velocity"));
}

TEST(Multibody, EverySolverGivesTheSameMotion) {
  for (const char* flavour : {"joints='constraints'", "joints='forces' joint_stiffness='1e6' joint_damping='100'"}) {
    std::vector<Vector3d> ends;
    for (const auto method : {solvers::Method::dopri5, solvers::Method::radau5, solvers::Method::cvode_bdf}) {
      MultibodyRun run(everything(), flavour, 1e-9, method);
      run.run_to(0.3);
      ends.push_back(run.vector("c.position"));
      EXPECT_LT(std::abs(run.imbalance()), 1e-5) << flavour << solvers::name_of(method);
    }
    EXPECT_LT((ends[1] - ends[0]).norm(), 1e-7) << flavour;
    EXPECT_LT((ends[2] - ends[0]).norm(), 1e-6) << flavour;
  }
}

/// Bars one behind the other along x, hinged about z, the first one to the ground.
std::string chain_of_bars(const std::vector<support::PlanarChain::Bar>& bars) {
  std::string text;
  double x = 0.0;
  std::string before = "ground";
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const auto [m, l] = bars[i];
    const std::string name = fmt::format("bar{}", i + 1);
    text += fmt::format(
        "<Body name='{0}' mass='{1}' inertia='{2}, {3}, {3}' center='{4}, 0, 0' position='{5}, 0, 0'>"
        "<Frame name='end' position='{6}, 0, 0'/></Body><Joint name='hinge{7}' from='{8}' to='{0}'/>",
        name, m, 1e-3 * m * l * l, m * l * l / 12.0, 0.5 * l, x, l, i + 1, before);
    before = name + ".end";
    x += l;
  }
  return text;
}

TEST(Multibody, TriplePendulumIsRight) {
  const std::vector<support::PlanarChain::Bar> bars(3, {1.0, 0.5});
  support::PlanarChain exact(bars, 9.81);
  exact.run_to(1.0, 1e-4);
  for (const auto method : {solvers::Method::dopri5, solvers::Method::radau5, solvers::Method::cvode_bdf}) {
    MultibodyRun run(chain_of_bars(bars), "gravity='0, -9.81, 0'", 1e-12, method);
    run.run_to(1.0);
    double angle = 0.0;
    for (int i = 0; i < 3; ++i) {
      angle += run.get(fmt::format("hinge{}.angle", i + 1));
      EXPECT_NEAR(std::remainder(angle - exact.angles[i], 2.0 * pi), 0.0,
                  method == solvers::Method::cvode_bdf ? 1e-7 : 1e-8)
          << solvers::name_of(method) << i;
    }
  }
}

// With joints as springs the pendulum is as right as the springs are stiff: by force over stiffness, times a few.
TEST(Multibody, TriplePendulumOnStiffSpringsIsRight) {
  const std::vector<support::PlanarChain::Bar> bars(3, {1.0, 0.5});
  support::PlanarChain exact(bars, 9.81);
  MultibodyRun run(chain_of_bars(bars),
                   "gravity='0, -9.81, 0' joints='forces' joint_stiffness='1e11' joint_damping='1e6'", 1e-11,
                   solvers::Method::radau5);
  for (const double t : {0.25, 0.5, 0.75, 1.0}) {
    run.run_to(t);
    exact.run_to(t, 1e-4);
    for (int bar = 1; bar < 3; ++bar) {
      Vector3d root = Vector3d::Zero();
      for (int i = 0; i < bar; ++i) root += 0.5 * Vector3d(std::cos(exact.angles[i]), std::sin(exact.angles[i]), 0.0);
      EXPECT_LT((run.vector(fmt::format("bar{}.position", bar + 1)) - root).norm(), 1e-8) << t << ", " << bar;
    }
  }
}

// [Wang2003], example 2, with the angles and torques counted clockwise there.
TEST(Multibody, DrivenDoublePendulumHasTheFiguresOfThePaper) {
  const auto torque = [](double t) { return 200.0 * std::sin(2.0 * pi * t); };
  const std::vector<support::PlanarChain::Bar> bars{{10.0, 1.0}, {20.0, 2.0}};
  MultibodyRun run(chain_of_bars(bars) + "<JointLoad name='tau' joint='hinge1' effort='{200*sin(2*pi*t)}'/>", "",
                   1e-12);
  support::PlanarChain exact(bars, 0.0, torque);
  const struct {
    double t, theta1, theta2;
  } figures[] = {{0.5, -1.16290161, 0.58001472},
                 {1.0, -2.33634662, 0.36071066},
                 {2.0, -6.06321869, -1.02109386},
                 {3.0, -10.28424657, -0.28470437}};
  for (const auto& [t, theta1, theta2] : figures) {
    run.run_to(t);
    exact.run_to(t, 1e-4);
    const double first = run.get("hinge1.angle"), second = first + run.get("hinge2.angle");
    EXPECT_NEAR(first, -theta1, 1e-7) << t;
    EXPECT_NEAR(std::remainder(second + theta2, 2.0 * pi), 0.0, 1e-7) << t;
    EXPECT_NEAR(first, exact.angles[0], 1e-8) << t;
  }
}

// Slow precession: Omega = m g l / (I_s w_s) to first order.
TEST(Multibody, HeavyTopPrecesses) {
  const double inertia = 0.02, spin = 300.0, m = 1.0, l = 0.1;
  const double expected = m * 9.81 * l / (inertia * spin);
  // Starts in steady precession, horizontally, so that it does not nod.
  MultibodyRun run(
      fmt::format("<Body name='top' mass='1' inertia='0.02, 0.012, 0.012' center='0.1, 0, 0' "
                  "angular_velocity='{}, 0, {}'/><Joint name='foot' kind='spherical' from='ground' to='top'/>",
                  spin, expected),
      "gravity='0, 0, -9.81'", 1e-10);
  const double t = 0.25 * 2.0 * pi / expected;
  run.run_to(t);
  const Eigen::Quaterniond q(run.get("top.orientation.w"), run.get("top.orientation.x"), run.get("top.orientation.y"),
                             run.get("top.orientation.z"));
  const Vector3d axis = q * Vector3d::UnitX();
  EXPECT_NEAR(std::atan2(axis.y(), axis.x()), 0.5 * pi, 0.025 * 0.5 * pi);
  EXPECT_NEAR(axis.z(), 0.0, 1e-2);
  EXPECT_LT(std::abs(run.imbalance()), 1e-6 * run.energy());
}

// Tolerances of 8.334e-10 m, 1e-7, 1e-5 m/s and 1.2e-3 rad/s follow from one number of 1e-7, and hold.
TEST(Multibody, ScrewIsACylindricalJointWithADrive) {
  for (const char* flavour : {"", "joints='forces' joint_stiffness='1e8' joint_damping='1e4'"}) {
    MultibodyRun run(
        "<Body name='nut' mass='2' inertia='0.1, 0.1, 0.2' angular_velocity='0, 0, 3' velocity='0, 0, 1'/>"
        "<Joint name='thread' kind='cylindrical' from='ground' to='nut' drive='{sin(t)}' coordinate='distance'/>",
        flavour);
    run.run_to(0.8);
    const double to = *flavour == 0 ? 1e-8 : 1e-6;
    EXPECT_NEAR(run.get("thread.position"), std::sin(0.8), to);
    EXPECT_NEAR(run.get("thread.angle"), 2.4, to);
  }
}

TEST(Multibody, TolerancesCountFromStatedScales) {
  const std::string scales = "length_scale='8.334e-3' velocity_scale='100' gravity='0, -9.81, 0' joints='constraints'";
  MultibodyRun fine(kArm, scales, 1e-11), coarse(kArm, scales, 1e-7), own(kArm, "gravity='0, -9.81, 0'", 1e-7);
  const auto stated = coarse.system().stated_scales();
  EXPECT_NEAR(1e-7 * stated[0], 8.334e-10, 1e-16);
  EXPECT_NEAR(1e-7 * stated[4], 1e-7, 1e-16);
  EXPECT_NEAR(1e-7 * stated[7], 1e-5, 1e-12);
  EXPECT_NEAR(1e-7 * stated[10], 1.2e-3, 1e-6);
  EXPECT_TRUE(own.system().stated_scales().empty());
  fine.run_to(1.0), coarse.run_to(1.0);
  const double off = (fine.vector("arm.position") - coarse.vector("arm.position")).norm();
  EXPECT_LT(std::abs(fine.get("pin.angle") - coarse.get("pin.angle")) + off, 1e-5);
  EXPECT_LT(coarse.component().statistics().steps, fine.component().statistics().steps / 2);
}

// The ball of [Fritzson2007], 3.2.1: dropped from 0.1 m on a floor of 100 kg on a spring; gravity acts on the ball
// only.
TEST(Multibody, BallBouncesOffAFloor) {
  MultibodyRun run(
      "<Body name='floor' mass='100' inertia='1, 1, 1'/><Body name='ball' mass='1' inertia='1, 1, 1' position='0, 0, "
      "0.11'/>"
      "<Joint name='guide' kind='prismatic' from='ground' to='floor'/>"
      "<Spring name='under' from='below' to='floor' stiffness='1000'/><Frame name='below' position='0, 0, -1'/>"
      "<Load name='weight' frame='ball' force='0, 0, -9.81'/>"
      "<Contact name='c' from='floor' to='ball' radius_to='0.01' stiffness='1e10'/>",
      "", 1e-9);
  const double speed = std::sqrt(2.0 * 9.81 * 0.1), touch = speed / 9.81, reduced = 100.0 / 101.0;
  const double deepest = std::pow(5.0 * reduced * speed * speed / (4.0 * 1e10), 0.4);
  EXPECT_NEAR(deepest, 1.43e-4, 1e-6);
  double overlap = 0.0, since = 0.0, until = 0.0;
  for (double t = touch - 2e-5; t < touch + 5e-4; t += 1e-6) {
    run.run_to(t);
    const double now = run.get("c.overlap");
    overlap = std::max(overlap, now);
    if (now > 0.0 && since == 0.0) since = t;
    if (now > 0.0) until = t;
  }
  EXPECT_NEAR(overlap, deepest, 1e-3 * deepest);
  EXPECT_NEAR(until - since, 2.9432 * deepest / speed, 3e-6);
  EXPECT_LT(std::abs(run.imbalance()), 1e-6);
}

// Two free bodies of 1 kg on a tie of 1e10 N/m.
TEST(Multibody, TiedPairHasItsFrequency) {
  MultibodyRun run(
      "<Body name='a' mass='1' inertia='1, 1, 1'/><Body name='b' mass='1' inertia='1, 1, 1'/>"
      "<Tie name='t' from='a' to='b' stiffness='1e10, 1e6'/>");
  Multibody& system = run.system();
  const auto y = system.begin(0.0).value();
  Eigen::MatrixXd J(system.size(), system.size());
  ASSERT_TRUE(system.jacobian(0.0, y, {J.data(), y.size() * y.size()}));
  double highest = 0.0;
  for (const auto& lambda : J.eigenvalues()) highest = std::max(highest, lambda.imag());
  EXPECT_NEAR(highest / (2.0 * pi), 22508.0, 0.5);
}

}  // namespace multibody_test
}  // namespace tieline::components
