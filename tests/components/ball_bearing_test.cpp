// Ball bearings whose balls move, against quasi-static theory, closed forms and laws of conservation.

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <numbers>

#include "bearings/equilibrium.hpp"
#include "components/multibody_files.hpp"
#include "components/multibody_system.hpp"

namespace tieline::components {
namespace ball_bearing_test {

using solvers::Method;
using std::numbers::pi;

/// Types come from the library of the source, whatever is installed.
const bool kHasTypes = ::setenv("TIELINE_LIBRARY", TIELINE_SOURCE_DIR "/library", 1) == 0;

constexpr double kSpeed = 5000.0 * pi / 30.0;

/// An inner ring that the bearing makes, held by a stiff tie to the ground that lets it turn; the outer ring is fixed.
std::string bearing(const std::string& attributes, const std::string& content = "") {
  return "<BallBearing name='b' outer='ground' " + attributes + ">" + content + "</BallBearing>";
}

/// The spindle's bearing by hand, in the 6214's numbers.
bearings::Bearing spindle_bearing() {
  bearings::Bearing b;
  b.balls = 11, b.ball_diameter = 0.016669, b.pitch_diameter = 0.0975;
  b.inner_conformity = b.outer_conformity = 0.515, b.clearance = 20e-6;
  b.bore = 0.07, b.outside_diameter = 0.125, b.width = 0.024;
  b.inner_shoulder_diameter = 0.08668, b.outer_shoulder_diameter = 0.10769;
  return b;
}

/// A ring under a load, released near its balance and left to come to rest; `record` is read at the end.
std::unique_ptr<MultibodyRun> settled(const std::string& type, const std::string& load, double t = 0.02) {
  // Held parallel: heavy damping of its motion, and no tilting.
  auto run = std::make_unique<MultibodyRun>(
      bearing("type='" + type + "' start_load='" + load + "' cage='no'") +
          "<Tie name='guide' from='ground' to='b.inner_ring' stiffness='0,0,0,1e3,1e7,1e7' "
          "damping='3e3,3e3,3e3,10,500,500'/>"
          "<Load name='load' frame='b.inner_ring' force='" +
          load + "'/>",
      "", 1e-8, Method::cvode_bdf);
  run->run_to(t);
  return run;
}

TEST(BallBearing, TypesAreFound) { EXPECT_TRUE(kHasTypes); }

TEST(BallBearing, BallLoadsAtRestAreThoseOfQuasiStaticTheory) {
  // 100 N along the axis alone: all balls alike, 41.85 N each at 12.55 degrees, 9.56 µm of approach from the free
  // position at A sin(alpha0).
  const auto axial = settled("6214", "100, 0, 0");
  for (int i = 1; i <= 11; ++i) {
    EXPECT_NEAR(axial->get(fmt::format("b.ball{}.inner.force", i)), 41.85, 0.01 * 41.85) << i;
    EXPECT_NEAR(axial->get(fmt::format("b.ball{}.outer.angle", i)) * 180.0 / pi, 12.55, 0.05) << i;
  }
  const double free = 0.50007e-3 * std::sin(std::acos(1.0 - 20e-6 / 1.00014e-3));
  EXPECT_NEAR(axial->get("b.displacement.x") - free, 9.56e-6, 0.03e-6);
  // 1286 N across it.
  const auto radial = settled("6214", "100, 1286, 0");
  EXPECT_NEAR(radial->get("b.ball1.inner.force"), 631.0, 6.3);
  EXPECT_NEAR(radial->get("b.ball2.inner.force"), 392.0, 4.0);
  EXPECT_NEAR(radial->get("b.displacement.y"), 20.9e-6, 0.2e-6);
  // Against the theory itself, which knows neither states nor time.
  bearings::LoadCase load_case{.is_parallel = true};
  load_case.load << 100.0, 1286.0, 0.0, 0.0, 0.0;
  const auto balance = bearings::in_balance(spindle_bearing(), load_case);
  ASSERT_TRUE(balance);
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_NEAR(radial->get(fmt::format("b.ball{}.inner.force", i + 1)), balance->balls[i].inner.force, 1.0) << i;
  }
  EXPECT_NEAR(radial->get("b.ball1.inner.pressure"), balance->balls[0].inner.pressure,
              2e-3 * balance->balls[0].inner.pressure);
  EXPECT_NEAR(radial->get("b.ball1.outer.half_length"), balance->balls[0].outer.half_length, 1e-6);
  EXPECT_NEAR(radial->get("b.ball1.outer.half_width"), balance->balls[0].outer.half_width, 1e-7);
}

TEST(BallBearing, StribeckLimitAtZeroClearance) {
  const auto run = std::make_unique<MultibodyRun>(
      bearing("type='6214' clearance='1e-9' start_load='0, 1000, 0' cage='no'") +
          "<Tie name='guide' from='ground' to='b.inner_ring' stiffness='1e6,0,0,1e3,1e7,1e7' "
          "damping='3e3,3e3,3e3,10,500,500'/>"
          "<Load name='load' frame='b.inner_ring' force='0, 1000, 0'/>",
      "", 1e-8, Method::cvode_bdf);
  run->run_to(0.02);
  EXPECT_NEAR(run->get("b.ball1.inner.force"), 4.37 * 1000.0 / 11.0, 0.01 * 4.37 * 1000.0 / 11.0);
}

/// The inner ring turns and is held in the middle, or at a displacement along the axis.
std::string turning(const std::string& attributes, const std::string& content = "", double speed = kSpeed) {
  return fmt::format(
      "<Frame name='seat' position='109.06e-6, 0, 0' angles='{{{0}*t}}, 0, 0'/>"
      "<BallBearing name='b' outer='ground' inner='seat_ring' {1}>{2}</BallBearing>"
      "<Body name='seat_ring' position='109.06e-6, 0, 0' mass='0.33' inertia='5e-4, 2.7e-4, 2.7e-4' "
      "angular_velocity='{0}, 0, 0'/>"
      "<Tie name='drive' from='seat' to='seat_ring' stiffness='1e9,1e6' damping='5e3,30'/>",
      speed, attributes, content);
}

TEST(BallBearing, CageOfAFreeBearingTurnsWithTheKinematicSpeed) {
  MultibodyRun run(turning("type='6214'"), "", 1e-7, Method::cvode_bdf);
  run.run_to(0.02);
  // Rolling without slip at both contacts, whose angles differ by the centrifugal force.
  bearings::LoadCase load_case{.is_parallel = true, .rotation = {kSpeed, bearings::RaceControl::shared}};
  load_case.load[0] = run.get("b.outer.force.x");
  const auto balance = bearings::in_balance(spindle_bearing(), load_case);
  ASSERT_TRUE(balance);
  const double cage = balance->balls[0].balance.orbit_speed;
  EXPECT_NEAR(run.get("b.cage.speed"), cage, 2e-3 * cage);
  EXPECT_NEAR(run.get("b.ball1.inner.angle"), balance->balls[0].balance.inner_angle, 0.01);
  EXPECT_NEAR(cage * 30.0 / pi, 2081.0, 0.005 * 2081.0);
  // Centrifugal force: 43.8 N more on the outer ring, along the radius.
  const double more = run.get("b.ball1.outer.force") * std::cos(run.get("b.ball1.outer.angle")) -
                      run.get("b.ball1.inner.force") * std::cos(run.get("b.ball1.inner.angle"));
  EXPECT_NEAR(more, 43.6, 0.6);
  // The absolute spin of a ball about the axis.
  EXPECT_NEAR(run.get("b.ball1.angular_velocity.x"), -1271.0, 0.02 * 1271.0);
}

TEST(BallBearing, EnergyIsBalancedWithFrictionDampingAndCage) {
  MultibodyRun run(turning("type='6214' cage_guidance='outer_ring' drag_density='50'") +
                       "<Load name='push' frame='seat_ring' force='0, {1000*sin(300*t)}, -200'/>",
                   "gravity='0, 0, -9.81'", 1e-9, Method::cvode_bdf);
  run.run_to(0.01);
  EXPECT_GT(run.energies().dissipated, 1e-3);
  EXPECT_LT(std::abs(run.imbalance()), 1e-4 * run.energies().kinetic);
  // Nothing but friction and damping takes energy out of the drive.
  EXPECT_LT(std::abs(run.imbalance()), 1e-2 * run.energies().dissipated);
}

TEST(BallBearing, ShiftingTheBallsByOneChangesNothing) {
  const auto at = [&](double first) {
    MultibodyRun run(turning(fmt::format("type='6214' first_ball='{}'", first)) +
                         "<Load name='push' frame='seat_ring' force='0, 500, 300'/>",
                     "", 1e-9, Method::dopri5);
    run.run_to(0.001);
    return Eigen::Vector4d(run.get("b.force.y"), run.get("b.force.z"), run.get("b.displacement.y") * 1e8,
                           run.get("b.cage.speed"));
  };
  const Eigen::Vector4d one = at(0.1), other = at(0.1 + 2.0 * pi / 11.0);
  EXPECT_LT((one - other).norm(), 1e-5 * one.norm());
}

TEST(BallBearing, MomentumOfAnIsolatedBearingStays) {
  // Both rings free: what acts inside changes neither momentum nor angular momentum.
  MultibodyRun run(
      "<BallBearing name='b' type='7208B' inner_speed='300' start_load='500, 0, 0' "
      "cage_guidance='inner_ring' land_clearance='1e-5'/>",
      "", 1e-10, Method::dopri5);
  const auto momenta = [&] {
    Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
    const auto geometry = [&](const std::string& name, double mass, double axial, double radial) {
      const Eigen::Vector3d r = run.vector(name + ".position"), v = run.vector(name + ".velocity"),
                            w = run.vector(name + ".angular_velocity");
      const Eigen::Quaterniond q(run.get(name + ".orientation.w"), run.get(name + ".orientation.x"),
                                 run.get(name + ".orientation.y"), run.get(name + ".orientation.z"));
      const Eigen::Vector3d in_body = q.conjugate() * w;
      sum.head<3>() += mass * v;
      sum.tail<3>() +=
          mass * r.cross(v) + q * Eigen::Vector3d(axial * in_body.x(), radial * in_body.y(), radial * in_body.z());
    };
    for (const BodySpec& body : run.spec().bodies) {
      geometry(body.name, body.mass, body.inertia(0, 0), body.inertia(1, 1));
    }
    const BallBearingSpec& spec = run.spec().ball_bearings.at(0);
    geometry("b.cage", spec.cage_mass, spec.cage_axial_inertia, spec.cage_radial_inertia);
    const auto g = bearings::derive(spec.bearing);
    for (int i = 1; i <= spec.bearing.balls; ++i) {
      const std::string ball = fmt::format("b.ball{}", i);
      const Eigen::Vector3d r = run.vector(ball + ".position"), v = run.vector(ball + ".velocity");
      sum.head<3>() += g.ball_mass * v;
      sum.tail<3>() += g.ball_mass * r.cross(v) + g.ball_inertia * run.vector(ball + ".angular_velocity");
    }
    return sum;
  };
  const auto before = momenta();
  run.run_to(0.002);
  const auto after = momenta();
  EXPECT_LT((after - before).head<3>().norm(), 1e-8);
  EXPECT_LT((after - before).tail<3>().norm(), 1e-8 * before.tail<3>().norm() + 1e-10);
}

TEST(BallBearing, JacobianIsTheDerivativeOfTheRightSide) {
  for (const char* joints : {"constraints", "coordinates"}) {
    MultibodyRun run(
        "<Body name='shaft' mass='2' inertia='0.01, 0.02, 0.02' angular_velocity='400, 0, 0'/>"
        "<BallBearing name='b' type='HBU1' preload='15e-6' outer='ground' inner='shaft' "
        "cage_guidance='outer_ring' land_clearance='0' pocket_clearance='0' drag_density='20'>"
        "<Defect on='ball' ball='2' length='1e-3' depth='2e-6'/>"
        "<Defect on='outer_ring' angle='0.01' length='2e-3' depth='2e-6'/></BallBearing>"
        "<Load name='push' frame='shaft' force='200, 900, -300'/>",
        fmt::format("joints='{}'", joints), 1e-8, Method::cvode_bdf);
    run.run_to(2e-4);
    Multibody& system = run.system();
    const auto n = static_cast<std::size_t>(system.size());
    auto y = system.begin(0.0).value();
    for (std::size_t i = 0; i < n; ++i) y[i] += 3e-7 * std::sin(1.0 + 3.0 * static_cast<double>(i));
    std::vector<double> J(n * n), plus(n), minus(n);
    ASSERT_TRUE(system.jacobian(0.0, y, J));
    // Places are rounded, by more than 1e-8 of these steps.
    double rounding = 0.0;
    for (const double entry : J) rounding = std::max(rounding, 3e-8 * std::abs(entry));
    for (std::size_t j = 0; j < n; ++j) {
      // Differences of the whole, of a length at which Hertz's force is nearly straight.
      const double h = 2e-8;
      auto near = y;
      near[j] = y[j] + h;
      ASSERT_TRUE(system.rhs(0.0, wave::Side::left, near, plus));
      near[j] = y[j] - h;
      ASSERT_TRUE(system.rhs(0.0, wave::Side::left, near, minus));
      double largest = 0.0;
      for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(J[j * n + i]));
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_NEAR(J[j * n + i], (plus[i] - minus[i]) / (2.0 * h), 0.03 * largest + rounding)
            << joints << i << ", " << j;
      }
    }
  }
}

TEST(BallBearing, BothKindsOfJointsGiveTheSameMotion) {
  const auto run_with = [&](const char* joints) {
    MultibodyRun run(
        "<Body name='shaft' mass='2' inertia='0.01, 0.02, 0.02' angular_velocity='100, 0, 0'>"
        "<Frame name='end' position='0.1, 0, 0'/></Body>"
        "<Body name='disc' position='0.1, 0, 0' mass='1' inertia='0.01, 0.005, 0.005' "
        "angular_velocity='100, 0, 0'/><Joint name='hub' kind='fixed' from='shaft.end' to='disc'/>"
        "<BallBearing name='b' type='HBU1' outer='ground' inner='shaft'/>",
        fmt::format("joints='{}' gravity='0,0,-9.81'", joints), 1e-9, Method::dopri5);
    run.run_to(0.0005);
    return Eigen::Vector3d(run.get("disc.position.z") * 1e6, run.get("b.largest_force"), run.get("b.cage1.speed"));
  };
  const Eigen::Vector3d one = run_with("constraints"), other = run_with("coordinates");
  EXPECT_LT((one - other).norm(), 1e-4 * one.norm());
}

TEST(BallBearing, ContinuesBitByBitFromASnapshot) {
  const std::string model = turning("type='6214'", "<Defect on='ball' length='1e-3' depth='2e-6'/>");
  MultibodyRun run(model, "gravity='0, 0, -9.81'", 1e-7, Method::dopri5);
  run.run_to(0.0005);
  core::ArchiveWriter writer;
  ASSERT_TRUE(run.component().save(writer));
  run.run_to(0.001);
  const double first = run.get("b.ball3.inner.force"), cage = run.get("b.cage.position.y");
  core::ArchiveReader reader(writer.bytes());
  ASSERT_TRUE(run.component().restore(reader));
  run.run_to(0.001);
  EXPECT_EQ(run.get("b.ball3.inner.force"), first);
  EXPECT_EQ(run.get("b.cage.position.y"), cage);
}

TEST(BallBearing, TwoRowsCarryTheirPreload) {
  // HBU3-type: 20 µm of axial interference press every ball with 185 N.
  MultibodyRun run(
      "<BallBearing name='b' type='HBU3' inner_conformity='0.515' outer_conformity='0.525' "
      "contact_angle='{38*pi/180}' outer='ground' inner_mass='1.5' inner_inertia='2.2e-3, 1.5e-3'/>",
      "", 1e-8, Method::cvode_bdf);
  run.run_to(0.001);
  bearings::LoadCase none{.is_parallel = true};
  const auto balance = bearings::in_balance(run.spec().ball_bearings.at(0).bearing, none);
  ASSERT_TRUE(balance);
  for (int i = 1; i <= 26; ++i) {
    EXPECT_NEAR(run.get(fmt::format("b.ball{}.inner.force", i)), balance->balls[0].inner.force, 0.5) << i;
  }
  EXPECT_NEAR(balance->balls[0].inner.force, 185.0, 4.0);
}

/// A ring of 25 kg that is held parallel, at full speed under a radial and an axial load; and means over a while.
struct FrictionMeans {
  double grooves = 0.0, cages = 0.0, rubbing = 0.0;  ///< [W]
};
FrictionMeans friction_of(const std::string& attributes, const std::string& load, bool has_cage) {
  MultibodyRun run(
      fmt::format(
          "<Body name='ring' position='85e-6, 20e-6, 0' mass='25' inertia='0.06, 1, 1' angular_velocity='{0}, 0, 0'/>"
          "<BallBearing name='b' type='6214' outer='ground' inner='ring' cage_mass='0.08' "
          "cage_inertia='1.9e-4, 1.0e-4' pocket_clearance='0.15e-3' cage='{1}' {2}/>"
          "<Frame name='belt' angles='{{{0}*t}}, 0, 0'/>"
          "<Tie name='guide' from='belt' to='ring' stiffness='0,0,0,0,1e9,1e9' damping='4e3,3e3,3e3,50,1e4,1e4'/>"
          "<Load name='load' frame='ring' force='{3}'/>",
          kSpeed, has_cage ? "yes" : "no", attributes, load),
      "gravity='0, 0, -9.81'", 1e-7, Method::cvode_bdf);
  FrictionMeans means;
  constexpr int kSamples = 300;
  for (int i = 0; i < kSamples; ++i) {
    // About one turn of the cage.
    run.run_to(0.03 + 1e-4 * i);
    means.grooves += (run.get("b.loss.inner") + run.get("b.loss.outer")) / kSamples;
    if (!has_cage) continue;
    means.cages += run.get("b.loss.cage") / kSamples;
    for (int ball = 1; ball <= 11; ++ball) {
      const std::string name = fmt::format("b.ball{}", ball);
      // The ball's surface runs across its pocket with its spin against the cage, far above slip speeds.
      means.rubbing += 0.05 * run.get(name + ".pocket_force") * 0.0083345 *
                       (run.vector(name + ".angular_velocity") - run.vector("b.cage.angular_velocity")).norm() /
                       kSamples;
    }
  }
  return means;
}

// Another program of the same laws finds 4 W in the grooves, and 10.7 W with drier friction; it states them without
// what the pockets take, and lets the ring ring.
TEST(BallBearing, FrictionOfGroovesIsThatOfAnotherProgram) {
  EXPECT_NEAR(friction_of("friction='0.06' slip_speed='0.1'", "100, 1286, 0", false).grooves, 4.0, 0.5);
  EXPECT_NEAR(friction_of("friction='0.1' slip_speed='0.02'", "100, 1286, 0", false).grooves, 10.7, 0.75);
}

// What the front bearing of the spindle carries: there the axial load is 168 N, which presses more balls to the inner
// ring. Pockets add as much again: friction of 0.05 at the speed of the balls' surfaces.
TEST(BallBearing, FrictionInTheSpindleIsThatOfItsLoads) {
  const FrictionMeans means = friction_of("", "168, 1271, 0", true);
  EXPECT_NEAR(means.grooves, 5.05, 0.25);
  EXPECT_NEAR(means.cages, means.rubbing, 0.05 * means.rubbing);
  EXPECT_NEAR(means.cages, 4.8, 1.0);
}

// The dynamic figures of another program of the same laws: a ring of 25 kg that cannot tilt, at full speed under its
// weight, 1286 N across and 100 N along the axis, over two turns of the cage once vibrations of the start have gone.
TEST(BallBearing, MovesAsInAnotherProgram) {
  MultibodyRun run(
      fmt::format("<Body name='ring' position='30e-6, 20e-6, -4e-6' mass='25' inertia='0.06, 1, 1' "
                  "angular_velocity='{0}, 0, 0'/>"
                  "<BallBearing name='b' type='6214' outer='ground' inner='ring' cage_mass='0.08' "
                  "cage_inertia='1.9e-4, 1.0e-4' pocket_clearance='0.15e-3'/>"
                  "<Frame name='belt' angles='{{{0}*t}}, 0, 0'/>"
                  "<Tie name='guide' from='belt' to='ring' stiffness='0,0,0,0,1e9,1e9' damping='0,0,0,50,1e4,1e4'/>"
                  "<Load name='load' frame='ring' force='100, 1286, 0'/>",
                  kSpeed),
      "gravity='0, 0, -9.81'", 1e-7, Method::cvode_bdf);
  constexpr int kSamples = 576;
  double inner = 0.0, outer = 0.0, least = 1e9, slip = 0.0, pocket = 0.0, cage = 0.0, loaded = 0.0;
  Eigen::Vector3d mean = Eigen::Vector3d::Zero(), squares = Eigen::Vector3d::Zero();
  for (int i = 0; i < kSamples; ++i) {
    run.run_to(0.142 + 1e-4 * i);
    for (int ball = 1; ball <= 11; ++ball) {
      const std::string name = fmt::format("b.ball{}", ball);
      const double on_inner = run.get(name + ".inner.force"), on_outer = run.get(name + ".outer.force");
      inner = std::max(inner, on_inner);
      outer = std::max(outer, on_outer);
      least = std::min(least, on_outer);
      pocket = std::max(pocket, run.get(name + ".pocket_force"));
      loaded += on_inner > 5.0 ? 1.0 / (11 * kSamples) : 0.0;
      if (on_inner > 50.0) slip = std::max({slip, run.get(name + ".inner.slip"), run.get(name + ".outer.slip")});
    }
    const Eigen::Vector3d place = run.vector("b.displacement");
    mean += place / kSamples;
    squares += place.cwiseAbs2() / kSamples;
    cage += run.get("b.cage.speed") / kSamples;
  }
  EXPECT_NEAR(inner, 660.0, 3.0);
  EXPECT_NEAR(outer, 703.0, 3.0);
  EXPECT_GT(least, 30.0);
  EXPECT_NEAR(loaded, 0.37, 0.01);
  EXPECT_NEAR(mean.x(), 32.7e-6, 0.5e-6);
  EXPECT_NEAR(mean.y(), 21.16e-6, 0.05e-6);
  EXPECT_NEAR(mean.z(), -3.94e-6, 0.1e-6);
  EXPECT_NEAR(std::sqrt(squares.y() - mean.y() * mean.y()), 0.2e-6, 0.05e-6);
  EXPECT_NEAR(cage * 30.0 / pi, 2082.0, 1.0);
  // Spikes of 12 to 22 N, which are chaotic; and slip of up to 0.24 m/s.
  EXPECT_GT(pocket, 10.0);
  EXPECT_LT(pocket, 22.0);
  EXPECT_NEAR(slip, 0.24, 0.01);
}

TEST(BallBearing, DefectOfTheOuterRingIsPassedAtItsFrequency) {
  MultibodyRun run(turning("type='6214'", "<Defect on='outer_ring' angle='1.2' length='1e-3' depth='3e-6'/>"), "", 1e-7,
                   Method::cvode_bdf);
  std::vector<double> dips;
  double last = 1e9, last_last = 1e9;
  for (double t = 2e-4; t < 0.0095; t += 4e-5) {
    run.run_to(t);
    double least = 1e9;
    for (int i = 1; i <= 11; ++i) least = std::min(least, run.get(fmt::format("b.ball{}.outer.force", i)));
    if (last < 40.0 && last < last_last && last <= least && (dips.empty() || t - dips.back() > 1e-3)) dips.push_back(t);
    last_last = last, last = least;
  }
  ASSERT_GE(dips.size(), 3u);
  const double frequency = static_cast<double>(dips.size() - 1) / (dips.back() - dips.front());
  EXPECT_NEAR(frequency, 381.5, 15.0);
}

TEST(BearingStiffness, ForcesFollowFromItsEnergy) {
  MultibodyRun run(
      "<Body name='shaft' position='0, 12e-6, 5e-6' angles='0, 2e-4, -1e-4' mass='2' "
      "inertia='0.01, 0.02, 0.02' velocity='0.01, 0.05, 0' angular_velocity='300, 1, 2'/>"
      "<BearingStiffness name='s' type='7208B' outer='ground' inner='shaft' virtual_balls='24'/>"
      "<Load name='push' frame='shaft' force='800, 0, 0'/>",
      "", 1e-11);
  run.run_to(0.005);
  EXPECT_LT(std::abs(run.imbalance()), 1e-8 * run.energies().kinetic);
  MultibodyRun matrix(
      "<Body name='shaft' mass='2' inertia='0.01, 0.02, 0.02' velocity='0.01, 0.05, 0' "
      "angular_velocity='300, 1, 2'/>"
      "<BearingStiffness name='s' stiffness='1e8,2e8,2e8,1e5,1e5' outer='ground' inner='shaft'/>",
      "", 1e-11);
  matrix.run_to(0.005);
  EXPECT_LT(std::abs(matrix.imbalance()), 1e-8 * matrix.energies().kinetic);
}

TEST(BearingStiffness, MatrixIsThatOfQuasiStaticTheoryAtItsLoad) {
  MultibodyRun run(
      "<Body name='shaft' mass='2' inertia='0.01, 0.02, 0.02'/>"
      "<BearingStiffness name='s' type='6214' law='matrix' load='100, 1286, 0' outer='ground' "
      "inner='shaft'/>"
      "<Load name='push' frame='shaft' force='100, 1286, 0'/>"
      "<Tie name='parallel' from='ground' to='shaft' stiffness='0,0,0,0,1e9,1e9' damping='0,0,0,0,1e4,1e4'/>",
      "", 1e-9);
  run.run_to(0.2);
  EXPECT_NEAR(run.get("s.displacement.y"), 20.9e-6, 0.1e-6);
}

class BearingFiles : public MultibodyFiles {};

TEST_F(BearingFiles, ProblemsAreNamedAtOnceAtTheirPlaces) {
  read(
      "<BallBearing name='a' type='6124' inner_speed='{1/0}' slices='0'/>\n"
      "<BallBearing name='b' type='6214' balls='40' inner_conformity='0.4'/>\n"
      "<BallBearing name='c' type='6214' design='angular_contact' contact_angle='-0.2'/>\n"
      "<BallBearing name='d' type='6214' inner_speed='{0/0}'/>\n"
      "<Body name='shaft' position='0, 5e-4, 0' mass='1' inertia='1,1,1'/>\n"
      "<BallBearing name='e' type='6214' outer='ground' inner='shaft'/>\n"
      "<BallBearing name='f' type='6214' cage='maybe' frction='0.1'><Defect length='1'/></BallBearing>\n"
      "<BallBearing name='g' balls='8' ball_diameter='0.01' pitch_diameter='0.05'/>\n"
      "<BearingStiffness name='h' outer='ground' inner='shft' stiffness='1,2'/>");
  const std::string text = said();
  for (const char* part :
       {"system.xml:2:23: error: there is no bearing '6124'", "did you mean '6214'",
        "system.xml:2:35: error: '{1/0}' is inf", "slices = 0 must be at least 1", "40 balls of 0.016669 m do not fit",
        "inner_conformity must be greater than 0.5", "contact_angle must be greater than 0 and less than 1.396",
        "system.xml:5", "the rings overlap at the start: a ball of 0.01667 m would be squeezed by",
        "no attribute 'frction' (did you mean 'friction'?)", "needs the attribute 'depth'",
        "the inner ring is neither a frame nor does its mass follow", "the outer ring is neither",
        "there is no frame 'shft' (did you mean 'shaft'?)", "stiffness must be 5 or 15 numbers, found 2"}) {
    EXPECT_NE(text.find(part), text.npos) << part << "\nis not in\n" << text;
  }
}

TEST_F(BearingFiles, WhatABearingLacksOrCannotDoIsSaidOnce) {
  read(
      "<BallBearing name='a'/>\n"
      "<BallBearing name='b' type='6214' ball_material='wood'/>\n"
      "<BallBearing name='c' type='6214' inner_speed='1e6'/>\n"
      "<BallBearing name='d' type='6214' start_load='nan,1000,0'/>\n"
      "<Body name='shaft' mass='1' inertia='1,1,1'/>\n"
      "<BearingStiffness name='e' outer='ground' inner='shaft' stiffness='-1e8,1e8,1e8,1e4,1e4'/>\n"
      "<BearingStiffness name='f' outer='ground' inner='shaft' stiffness='1e8,1e8,1e8,1e4,1e4'/>\n"
      "<BallBearing name='g' type='6214' model='stiffness' inner_speed='1e6'/>");
  const std::string text = said();
  const auto count = [&](const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  for (const char* part :
       {"system.xml:2:1: error: state type, or balls, ball_diameter and pitch_diameter", "system.xml:3:35: error",
        "system.xml:4:35: error: a speed of 1e+06 rad/s is too high for bearing 'c'", "system.xml:5:35: error",
        "system.xml:7:57: error: stiffness must have no negative eigenvalue"}) {
    EXPECT_EQ(count(part), 1) << part << "\nis not once in\n" << text;
  }
  EXPECT_EQ(count("error:"), 5) << text;
}

}  // namespace ball_bearing_test
}  // namespace tieline::components
