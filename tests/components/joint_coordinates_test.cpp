// Bodies by the coordinates of their joints, against bodies with coordinates of their own and joints as conditions.

#include "components/multibody/joint_coordinates.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

#include "components/multibody_files.hpp"
#include "components/multibody_system.hpp"

namespace tieline::components {
namespace joint_coordinates_test {

using Eigen::Vector3d;
using std::numbers::pi;
using Kind = JointSpec::Kind;

constexpr Kind kKinds[] = {Kind::fixed,     Kind::revolute,    Kind::spherical,
                           Kind::prismatic, Kind::cylindrical, Kind::universal};

/// Numbers for systems of any shape, the same in each run.
class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double number(double from, double to) { return std::uniform_real_distribution<double>(from, to)(generator_); }
  int whole(int from, int to) { return std::uniform_int_distribution<int>(from, to)(generator_); }
  Vector3d vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  core::Pose pose(double size) { return {vector(size), core::rotation_by(vector(3.0))}; }

 private:
  std::mt19937 generator_;
};

/// Systems of bodies and joints that fit one another.
class Builder {
 public:
  explicit Builder(unsigned seed) : random_(seed) {
    spec_.gravity = {0.0, 0.0, -9.81};
    frame(kWorld, {});
  }
  int frame(int body, const core::Pose& local) {
    spec_.frames.push_back({.name = fmt::format("f{}", spec_.frames.size()), .body = body, .local = local});
    return static_cast<int>(spec_.frames.size()) - 1;
  }
  /// A body with a mass, a centre and an inertia of its own.
  int body(const core::Pose& pose) {
    BodySpec added{.name = fmt::format("b{}", spec_.bodies.size()), .mass = random_.number(0.5, 2.0)};
    added.center = random_.vector(0.2);
    const Eigen::Matrix3d R = core::rotation_by(random_.vector(3.0)).toRotationMatrix();
    const Vector3d principal(random_.number(0.04, 0.05), random_.number(0.05, 0.06), random_.number(0.06, 0.08));
    added.inertia = R * principal.asDiagonal() * R.transpose();
    added.pose = pose;
    added.angular_velocity = random_.vector(1.0);
    added.velocity = random_.vector(0.5);
    spec_.bodies.push_back(added);
    return static_cast<int>(spec_.bodies.size()) - 1;
  }
  /// A body on a joint to another one or the world, with any frames on both, displaced as the joint allows.
  int hang(Kind kind, int parent, bool is_reversed) {
    const core::Pose near = random_.pose(0.4), far = random_.pose(0.4);
    const double angle = random_.number(-2.0, 2.0), distance = random_.number(-0.3, 0.3);
    const Eigen::Quaterniond about_z(Eigen::AngleAxisd(angle, Vector3d::UnitZ()));
    core::Pose between{};
    if (kind == Kind::revolute || kind == Kind::cylindrical) between.orientation = about_z;
    if (kind == Kind::prismatic || kind == Kind::cylindrical) between.position = distance * Vector3d::UnitZ();
    if (kind == Kind::spherical) between.orientation = core::rotation_by(random_.vector(2.0));
    if (kind == Kind::universal) {
      between.orientation = about_z * Eigen::AngleAxisd(random_.number(-1.0, 1.0), Vector3d::UnitX());
    }
    if (is_reversed) between = core::inverse(between);
    const core::Pose before = parent == kWorld ? core::Pose{} : spec_.bodies[static_cast<std::size_t>(parent)].pose;
    const core::Pose pose = core::compose(core::compose(core::compose(before, near), between), core::inverse(far));
    const int added = body(pose), near_frame = frame(parent, near), far_frame = frame(added, far);
    JointSpec joint{.name = fmt::format("j{}", spec_.joints.size()), .kind = kind};
    joint.from = is_reversed ? far_frame : near_frame;
    joint.to = is_reversed ? near_frame : far_frame;
    spec_.joints.push_back(joint);
    return added;
  }
  MultibodySpec& spec() { return spec_; }
  Random& random() { return random_; }

 private:
  MultibodySpec spec_;
  Random random_;
};

MultibodySpec with(MultibodySpec spec, JointFlavour flavour) {
  spec.flavour = flavour;
  return spec;
}

/// Runs a system both ways and compares everything that is recorded, relative to one and its size.
void expect_same_results(const MultibodySpec& spec, double end, double share, double tolerance = 1e-11,
                         const std::string& but = "nothing") {
  MultibodyRun joints(with(spec, JointFlavour::coordinates), tolerance);
  MultibodyRun bodies(with(spec, JointFlavour::constraints), tolerance);
  for (const double t : {0.0, 0.5 * end, end}) {
    if (t > 0.0) joints.run_to(t), bodies.run_to(t);
    for (const core::Column& column : joints.component().columns()) {
      if (column.name.find(but) != column.name.npos) continue;
      const double expected = bodies.get(column.name);
      EXPECT_NEAR(joints.get(column.name), expected, share * (1.0 + std::abs(expected))) << column.name << " at " << t;
    }
  }
  EXPECT_LT(std::abs(joints.imbalance()), 1e3 * tolerance * (1.0 + std::abs(joints.energy())));
}

TEST(JointCoordinates, EveryJointAloneMovesAsItsConditionsSay) {
  for (const Kind kind : kKinds) {
    for (const bool is_reversed : {false, true}) {
      SCOPED_TRACE(fmt::format("kind {}, reversed {}", static_cast<int>(kind), is_reversed));
      Builder builder(static_cast<unsigned>(kind) + 1);
      builder.hang(kind, kWorld, is_reversed);
      expect_same_results(builder.spec(), 1.0, 1e-8);
    }
  }
}

TEST(JointCoordinates, EveryJointBetweenFreeBodiesMovesAsItsConditionsSay) {
  for (const Kind kind : kKinds) {
    for (const bool is_reversed : {false, true}) {
      SCOPED_TRACE(fmt::format("kind {}, reversed {}", static_cast<int>(kind), is_reversed));
      Builder builder(static_cast<unsigned>(kind) + 10);
      builder.hang(kind, builder.body(builder.random().pose(1.0)), is_reversed);
      expect_same_results(builder.spec(), 1.0, 1e-8);
    }
  }
}

/// Bodies on any joints, some trees on the ground and some free.
MultibodySpec forest(unsigned seed, int bodies) {
  Builder builder(seed);
  for (int i = 0; i < bodies; ++i) {
    const int parent = builder.random().whole(-1, i - 1);
    if (builder.random().whole(0, 5) == 0) {
      builder.body(builder.random().pose(1.0));
    } else {
      builder.hang(kKinds[builder.random().whole(0, 5)], parent, builder.random().whole(0, 1) == 1);
    }
  }
  return builder.spec();
}

TEST(JointCoordinates, AnyTreeMovesAsItsConditionsSay) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    expect_same_results(forest(seed, 7), 0.5, 1e-7, 1e-12);
  }
}

TEST(JointCoordinates, WorldAxesDoNotMatter) {
  const MultibodySpec spec = with(forest(3, 6), JointFlavour::coordinates);
  const core::Pose pose{{30.0, -7.0, 11.0}, core::rotation_by({1.1, -0.7, 2.0})};
  MultibodySpec turned = placed(spec, pose);
  turned.gravity = pose.orientation * spec.gravity;
  MultibodyRun first(spec, 1e-12), second(turned, 1e-12);
  first.run_to(0.5), second.run_to(0.5);
  for (const BodySpec& body : spec.bodies) {
    const Vector3d here = first.vector(body.name + ".position"), there = second.vector(body.name + ".position");
    EXPECT_LT((pose.orientation * here + pose.position - there).norm(), 1e-8);
  }
}

/// Bodies on a joint of which something else is asked as well, in a forest that moves.
TEST(JointCoordinates, ForcesAndLoadsActAsOnFreeBodies) {
  MultibodySpec spec = forest(5, 5);
  const auto on = [&](int body) {
    for (std::size_t i = 0; i < spec.frames.size(); ++i) {
      if (spec.frames[i].body == body) return static_cast<int>(i);
    }
    return 0;
  };
  TieSpec tie{.name = "tie", .from = on(0), .to = on(4), .holds_start = true};
  tie.stiffness.diagonal() << 50.0, 60.0, 70.0, 5.0, 6.0, 7.0;
  tie.damping.diagonal() << 1.0, 1.0, 1.0, 0.1, 0.1, 0.1;
  spec.ties.push_back(tie);
  spec.springs.push_back(
      {.name = "spring", .from = 0, .to = on(3), .stiffness = 80.0, .damping = 1.0, .maxwell_stiffness = 40.0});
  LoadSpec load{.name = "load", .frame = on(2), .axes = on(1)};
  load.force[0] = document::TimeFunction::constant(2.0);
  load.torque[1] = document::TimeFunction::constant(0.3);
  spec.loads.push_back(load);
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    if (!turns(spec.joints[j].kind)) continue;
    JointLoadSpec couple{.name = fmt::format("m{}", j), .joint = static_cast<int>(j), .gain = 0.2};
    couple.effort = document::TimeFunction::constant(0.5);
    couple.speed = document::TimeFunction::constant(2.0);
    spec.joint_loads.push_back(couple);
  }
  expect_same_results(spec, 0.5, 1e-7, 1e-12);
  MultibodyRun run(with(spec, JointFlavour::coordinates));
  expect_jacobian_of_right_side(run.system(), 0.1, 1e-3, 1e-6);
}

MultibodySpec read_system(const std::string& content, const std::string& attributes) {
  return MultibodyRun(content, attributes).spec();
}

/// A crank of 1, a coupler of 4, a rocker of 2.5 and a ground of 3.5, planar in space with four revolute joints.
std::string four_bar() {
  // The start is assembled for a crank that points up: A = (0, 1), C = (3.5, 0), |AB| = 4, |CB| = 2.5.
  const double d = std::hypot(3.5, 1.0), along = (16.0 - 6.25 + d * d) / (2.0 * d);
  const double up = std::sqrt(16.0 - along * along);
  const Vector3d A(0.0, 1.0, 0.0), C(3.5, 0.0, 0.0), e = (C - A) / d, n(-e.y(), e.x(), 0.0);
  const Vector3d B = A + along * e + up * n;
  const auto angle = [](const Vector3d& v) { return std::atan2(v.y(), v.x()); };
  return fmt::format(
      "<Body name='crank' mass='1' inertia='0.1, 0.1, 0.1' center='0.5, 0, 0' angles='0, 0, {0}' angular_velocity='0, "
      "0, 4'><Frame name='end' position='1, 0, 0'/></Body>"
      "<Body name='coupler' mass='2' inertia='0.1, 1, 1' center='2, 0, 0' position='0, 1, 0' angles='0, 0, {1}'>"
      "<Frame name='end' position='4, 0, 0'/></Body>"
      "<Body name='rocker' mass='1.5' inertia='0.1, 0.4, 0.4' center='1.25, 0, 0' position='3.5, 0, 0' angles='0, 0, "
      "{2}'><Frame name='end' position='2.5, 0, 0'/></Body><Frame name='foot' position='3.5, 0, 0'/>"
      "<Joint name='O' from='ground' to='crank'/><Joint name='A' from='crank.end' to='coupler'/>"
      "<Joint name='C' from='foot' to='rocker'/><Joint name='B' from='coupler.end' to='rocker.end'/>",
      0.5 * pi, angle(B - A), angle(B - C));
}

// The conditions out of the plane are redundant, and which of them bear something is arbitrary.
TEST(JointCoordinates, FourBarMovesAsItsConditionsSay) {
  const MultibodySpec spec = read_system(four_bar(), "gravity='0, -9.81, 0'");
  MultibodyRun joints(with(spec, JointFlavour::coordinates), 1e-11);
  MultibodyRun bodies(with(spec, JointFlavour::constraints), 1e-11);
  EXPECT_EQ(joints.system().doubts().size(), bodies.system().doubts().size());
  for (const double t : {0.5, 1.0, 2.0}) {
    joints.run_to(t), bodies.run_to(t);
    for (const char* name : {"coupler.position", "rocker.angular_velocity", "crank.velocity"}) {
      EXPECT_LT((joints.vector(name) - bodies.vector(name)).norm(), 1e-8) << name << t;
    }
    for (const char* name : {"O", "A", "B", "C"}) {
      for (const char* part : {".force.x", ".force.y", ".angle", ".angular_velocity"}) {
        const double expected = bodies.get(std::string(name) + part);
        EXPECT_NEAR(joints.get(std::string(name) + part), expected, 1e-7 * (1.0 + std::abs(expected))) << name << part;
      }
    }
    EXPECT_LT(std::abs(joints.imbalance()), 1e-7);
  }
}

TEST(JointCoordinates, RedundantConditionsOfLoopsAreNamed) {
  MultibodyRun run(four_bar(), "gravity='0, -9.81, 0' joints='coordinates'");
  int redundant = 0;
  for (const std::string& doubt : run.system().doubts()) {
    redundant += doubt.find("of joint 'B' is redundant with the other joints") != doubt.npos ? 1 : 0;
  }
  EXPECT_EQ(redundant, 3);
}

/// A crank with its axis along y, a rod on a universal and a spherical joint, and a slider along x: a loop in space
/// without redundant conditions.
std::string crank_slider() {
  return "<Body name='crank' mass='1' inertia='0.1, 0.1, 0.1' center='0.15, 0, 0' angles='0, -1.5707963267948966, 0' "
         "angular_velocity='0, 6, 0'>"
         "<Frame name='hub' angles='-1.5707963267948966, 0, 0'/>"
         "<Frame name='pin' position='0.3, 0.1, 0' angles='-1.5707963267948966, 0, 0'/></Body>"
         "<Frame name='axle' angles='-1.5707963267948966, 0, 0'/>"
         "<Body name='rod' mass='0.5' inertia='0.01, 0.05, 0.05' center='0.5, 0, 0' position='0, 0.1, 0.3' angles='0, "
         "0.3046926540153975, 0'>"
         "<Frame name='root' angles='0, -1.5707963267948966, 0'/><Frame name='end' position='1, 0, 0'/></Body>"
         "<Frame name='rail' position='0, 0.1, 0' angles='0, 1.5707963267948966, 0'/>"
         "<Body name='slider' mass='2' inertia='0.1, 0.1, 0.1' position='0.9539392014169457, 0.1, 0'>"
         "<Frame name='guide' angles='0, 1.5707963267948966, 0'/></Body>"
         "<Joint name='O' from='axle' to='crank.hub'/>"
         "<Joint name='A' kind='universal' from='crank.pin' to='rod.root'/>"
         "<Joint name='B' kind='spherical' from='rod.end' to='slider'/>"
         "<Joint name='S' kind='prismatic' from='rail' to='slider.guide'/>";
}

TEST(JointCoordinates, LoopInSpaceMovesAsItsConditionsSay) {
  const MultibodySpec spec = read_system(crank_slider(), "gravity='0, 0, -9.81'");
  // Only of the velocities, which are the crank's alone at first.
  EXPECT_EQ(MultibodyRun(with(spec, JointFlavour::coordinates)).system().doubts().size(), 1U);
  expect_same_results(spec, 1.5, 1e-7, 1e-12);
}

/// A platform on six legs: universal joints on the ground, legs that lengthen, spherical joints at the platform.
MultibodySpec hexapod(bool is_driven) {
  Builder builder(7);
  MultibodySpec& spec = builder.spec();
  const core::Pose above{{0.05, -0.03, 1.0}, core::rotation_by({0.05, 0.1, 0.2})};
  const int platform = builder.body(above);
  spec.bodies[0].mass = 20.0;
  spec.bodies[0].inertia = Vector3d(2.0, 2.0, 3.0).asDiagonal();
  for (int leg = 0; leg < 6; ++leg) {
    const double around = leg * pi / 3.0, off = leg % 2 == 0 ? 0.25 : -0.25;
    const Vector3d foot(std::cos(around), std::sin(around), 0.0);
    core::Pose head{};
    head.position = {0.6 * std::cos(around + off), 0.6 * std::sin(around + off), 0.0};
    const Vector3d top = core::compose(above, head).position, along = (top - foot).normalized();
    // z of the leg along it, x of it at right angles to the axis on the ground.
    const Vector3d axis(-std::sin(around), std::cos(around), 0.0), x = axis.cross(along).normalized();
    Eigen::Matrix3d R;
    R << x, along.cross(x), along;
    const Eigen::Quaterniond leaning(R);
    const int lower = builder.body({foot, leaning}), upper = builder.body({top, leaning});
    for (const int body : {lower, upper}) {
      spec.bodies[static_cast<std::size_t>(body)].center = {0.0, 0.0, body == lower ? 0.2 : -0.2};
    }
    // The foot turns about `axis`, its z, and then about x of the leg.
    Eigen::Matrix3d foot_axes;
    foot_axes << Vector3d::UnitZ().cross(axis), axis.cross(Vector3d::UnitZ().cross(axis)), axis;
    const auto add = [&](const char* name, Kind kind, int from, int to) {
      spec.joints.push_back({.name = fmt::format("{}{}", name, leg), .kind = kind, .from = from, .to = to});
    };
    add("foot", Kind::universal, builder.frame(kWorld, {foot, Eigen::Quaterniond(foot_axes)}),
        builder.frame(lower, {}));
    add("leg", Kind::prismatic, builder.frame(lower, {}), builder.frame(upper, {}));
    add("head", Kind::spherical, builder.frame(upper, {}), builder.frame(platform, head));
    const double length = (top - foot).norm();
    if (is_driven) {
      JointSpec& driven = spec.joints[spec.joints.size() - 2];
      driven.drive = document::TimeFunction::constant(length);
      driven.drives_distance = true;
    } else {
      spec.springs.push_back({.name = fmt::format("s{}", leg),
                              .from = spec.joints[spec.joints.size() - 3].from,
                              .to = spec.joints.back().to,
                              .stiffness = 2e3,
                              .damping = 5.0,
                              .preload = -40.0});
    }
  }
  for (BodySpec& body : spec.bodies) body.velocity = body.angular_velocity = Vector3d::Zero();
  spec.bodies[0].velocity = {0.1, 0.0, 0.3};
  return spec;
}

TEST(JointCoordinates, HexapodMovesAsItsConditionsSay) { expect_same_results(hexapod(false), 0.3, 1e-7, 1e-11); }

TEST(JointCoordinates, DrivenHexapodBearsAsItsConditionsSay) {
  MultibodySpec spec = hexapod(true);
  for (BodySpec& body : spec.bodies) body.velocity.setZero();
  expect_same_results(spec, 0.2, 1e-7, 1e-11);
}

/// A chain of bars with axes that alternate, so that it moves in space.
std::string chain_in_space(int links) {
  std::string text, before = "ground";
  for (int i = 0; i < links; ++i) {
    text += fmt::format(
        "<Body name='b{0}' mass='0.1' inertia='1e-5, 9e-5, 9e-5' center='0.05, 0, 0' position='{1}, 0, 0'>"
        "<Frame name='root' angles='{2}, 0, 0'/><Frame name='end' position='0.1, 0, 0' angles='{3}, 0, 0'/></Body>"
        "<Joint name='j{0}' from='{4}' to='b{0}.root'/>",
        i, 0.1 * i, 0.7 * i, 0.7 * (i + 1), before);
    before = fmt::format("b{}.end", i);
  }
  return text;
}

TEST(JointCoordinates, LongPendulumMovesAsItsConditionsSay) {
  const MultibodySpec spec = read_system(chain_in_space(10), "gravity='0, -9.81, 0'");
  expect_same_results(spec, 0.5, 1e-6, 1e-12);
}

// Runge and Kutta's method with steps of half the length has errors of a 16th.
TEST(JointCoordinates, ErrorsFallWithTheOrderOfTheSolver) {
  const MultibodySpec spec = with(read_system(chain_in_space(3), "gravity='0, -9.81, 0'"), JointFlavour::coordinates);
  Multibody system(spec);
  const auto end = [&](int steps) {
    std::vector<double> y = system.begin(0.0).value(), k1(y), k2(y), k3(y), k4(y), at(y);
    const double h = 0.4 / steps;
    for (int i = 0; i < steps; ++i) {
      const auto slope = [&](double c, const std::vector<double>& k, std::vector<double>& out) {
        for (std::size_t s = 0; s < y.size(); ++s) at[s] = y[s] + c * h * k[s];
        ASSERT_TRUE(system.rhs(0.0, wave::Side::left, at, out));
      };
      slope(0.0, k1, k1), slope(0.5, k1, k2), slope(0.5, k2, k3), slope(1.0, k3, k4);
      for (std::size_t s = 0; s < y.size(); ++s) y[s] += h / 6.0 * (k1[s] + 2.0 * k2[s] + 2.0 * k3[s] + k4[s]);
    }
    return y;
  };
  const auto exact = end(1600), coarse = end(100), fine = end(200);
  double first = 0.0, second = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    first += std::abs(coarse[i] - exact[i]), second += std::abs(fine[i] - exact[i]);
  }
  EXPECT_NEAR(std::log2(first / second), 4.0, 0.3);
}

TEST(JointCoordinates, EnergyIsKeptOverManySwings) {
  MultibodyRun run(with(read_system(chain_in_space(4), "gravity='0, -9.81, 0'"), JointFlavour::coordinates), 1e-11);
  run.run_to(10.0);
  EXPECT_LT(std::abs(run.imbalance()), 1e-8);
}

// An angle counts how often the joint has gone round, and its error does not grow with it.
TEST(JointCoordinates, AnglesGoRoundAndRound) {
  MultibodyRun run(
      "<Body name='wheel' mass='1' inertia='0.1, 0.1, 0.2' angular_velocity='0, 0, 1000'/>"
      "<Body name='arm' mass='0.1' inertia='0.01, 0.01, 0.01' center='0.1, 0, 0' angular_velocity='0, 0, 1000'/>"
      "<Joint name='axle' from='ground' to='wheel'/><Joint name='pin' from='wheel' to='arm'/>",
      "joints='coordinates' gravity='0, -9.81, 0'", 1e-9);
  run.run_to(2.0);
  EXPECT_NEAR(run.get("axle.angle"), 2000.0, 1e-6);
  EXPECT_LT(std::abs(run.imbalance()), 1e-3);
  MultibodyRun plain(
      "<Body name='wheel' mass='1' inertia='0.1, 0.1, 0.2' angular_velocity='0, 0, 10'/>"
      "<Joint name='axle' from='wheel' to='ground'/>",
      "joints='coordinates'");
  plain.run_to(7.0);
  EXPECT_NEAR(plain.get("axle.angle"), -70.0, 1e-9);
  EXPECT_NEAR(plain.get("wheel.orientation.w"), std::cos(35.0), 1e-9);
}

TEST(JointCoordinates, DrivenJointsFollowAndPay) {
  MultibodyRun run(
      "<Body name='arm' mass='1' inertia='0.1, 0.1, 0.2' center='0.3, 0, 0'><Frame name='end' position='0.6, 0, 0' "
      "angles='0.3, 0, 0'/></Body><Body name='fore' mass='1' inertia='0.1, 0.1, 0.2' center='0.2, 0.1, 0' "
      "position='0.6, 0, 0' angles='0.3, 0, 0'/>"
      "<Joint name='shoulder' from='ground' to='arm' drive='{0.8*sin(3*t)}'/>"
      "<Joint name='elbow' from='arm.end' to='fore'/>",
      "joints='coordinates' gravity='0, 0, -9.81'");
  run.run_to(0.7);
  EXPECT_NEAR(run.get("shoulder.angle"), 0.8 * std::sin(2.1), 1e-12);
  EXPECT_LT(std::abs(run.imbalance()), 1e-7);
}

// Stretched out at the start, where a condition seems to follow from the others, but does not.
TEST(JointCoordinates, JointsDoNotComeApartUnseen) {
  MultibodyRun run(
      "<Body name='a' mass='1' inertia='0.1, 0.1, 0.1' angular_velocity='0, 0, 1'><Frame name='e' position='1, 0, 0'/>"
      "</Body><Body name='b' mass='1' inertia='0.1, 0.1, 0.1' position='1, 0, 0' velocity='0, 1, 0' "
      "angular_velocity='0, 0, -1'><Frame name='e' position='1, 0, 0'/></Body><Frame name='end' position='2, 0, 0'/>"
      "<Joint name='p' from='ground' to='a'/><Joint name='q' from='a.e' to='b'/>"
      "<Joint name='r' kind='spherical' from='end' to='b.e'/>",
      "joints='coordinates'");
  EXPECT_FALSE(run.system().doubts().empty());
  EXPECT_FALSE(run.component().advance({.begin = 0.0, .end = 1.0, .horizon = 1.0}));
}

TEST(JointCoordinates, OpenJointIsNamed) {
  MultibodyRun closed("<Body name='a' mass='1' inertia='1, 1, 1'/><Joint name='pin' from='ground' to='a'/>");
  MultibodySpec spec = with(closed.spec(), JointFlavour::coordinates);
  spec.bodies[0].pose.position.x() = 0.1;
  Multibody system(spec);
  const auto begun = system.begin(0.0);
  ASSERT_FALSE(begun);
  EXPECT_NE(begun.error().message.find("joint 'pin' is not closed at the start"), std::string::npos);
}

TEST(JointCoordinates, JacobianIsThatOfTheRightHandSide) {
  for (const MultibodySpec& spec :
       {forest(2, 6), hexapod(false), read_system(crank_slider(), "gravity='0, 0, -9.81'")}) {
    MultibodyRun run(with(spec, JointFlavour::coordinates));
    expect_jacobian_of_right_side(run.system(), 0.0, 1e-4, 1e-6);
  }
}

TEST(JointCoordinates, ImplicitSolversGiveTheSameMotion) {
  const MultibodySpec spec = with(read_system(crank_slider(), "gravity='0, 0, -9.81'"), JointFlavour::coordinates);
  std::vector<Vector3d> ends;
  for (const auto method : {solvers::Method::dopri5, solvers::Method::radau5, solvers::Method::cvode_bdf}) {
    MultibodyRun run(spec, 1e-9, method);
    run.run_to(0.5);
    ends.push_back(run.vector("slider.position"));
  }
  EXPECT_LT((ends[1] - ends[0]).norm(), 1e-7);
  EXPECT_LT((ends[2] - ends[0]).norm(), 1e-6);
}

TEST(JointCoordinates, ContinueFromASnapshotWithTheSameBits) {
  for (const MultibodySpec& spec : {hexapod(true), forest(4, 6), read_system(four_bar(), "gravity='0, -9.81, 0'")}) {
    for (const auto method : {solvers::Method::dopri5, solvers::Method::radau5}) {
      MultibodyRun first(with(spec, JointFlavour::coordinates), 1e-8, method);
      MultibodyRun second(with(spec, JointFlavour::coordinates), 1e-8, method);
      first.run_to(0.1);
      core::ArchiveWriter writer;
      ASSERT_TRUE(first.component().save(writer));
      core::ArchiveReader reader(writer.bytes());
      ASSERT_TRUE(second.component().restore(reader));
      first.run_to(0.2), second.run_to(0.2);
      for (const core::Column& column : first.component().columns()) {
        EXPECT_EQ(first.get(column.name), second.get(column.name)) << column.name;
      }
    }
  }
}

/// Oscillations of a system at its start [rad/s], rising, without those that stand still.
std::vector<double> frequencies(const MultibodySpec& spec) {
  Multibody system(spec);
  const auto y = system.begin(0.0).value();
  Eigen::MatrixXd J(system.size(), system.size());
  EXPECT_TRUE(system.jacobian(0.0, y, {J.data(), y.size() * y.size()}));
  std::vector<double> result;
  for (const auto& lambda : J.eigenvalues()) {
    if (lambda.imag() > 1.0) result.push_back(lambda.imag());
  }
  std::sort(result.begin(), result.end());
  return result;
}

TEST(JointCoordinates, NaturalModesAreThoseOfTheConditions) {
  std::string hanging, before = "ground";
  for (int i = 0; i < 4; ++i) {
    hanging += fmt::format(
        "<Body name='b{0}' mass='{2}' inertia='0.01, 0.02, 0.02' center='0, -0.1, 0' position='0, {1}, 0'>"
        "<Frame name='end' position='0, -0.2, 0'/></Body>"
        "<Joint name='j{0}' kind='spherical' from='{3}' to='b{0}'/>",
        i, -0.2 * i, 1.0 + 0.1 * i, before);
    before = fmt::format("b{}.end", i);
  }
  const MultibodySpec spec = read_system(hanging, "gravity='0, -9.81, 0'");
  const auto joints = frequencies(with(spec, JointFlavour::coordinates));
  const auto bodies = frequencies(with(spec, JointFlavour::constraints));
  ASSERT_EQ(joints.size(), bodies.size());
  ASSERT_GE(joints.size(), 8U);
  for (std::size_t i = 0; i < joints.size(); ++i) EXPECT_NEAR(joints[i], bodies[i], 1e-5 * bodies[i]);
}

TEST_F(MultibodyFiles, BodiesThatDeformHaveNoJointCoordinates) {
  const std::string beam =
      "<Beam name='beam' length='1' radius='0.01' youngs_modulus='1e9' density='1000'/>"
      "<Joint name='root' from='ground' to='beam'/>";
  const MultibodySpec chosen = read(beam, "joints='automatic'");
  EXPECT_EQ(said(), "");
  EXPECT_EQ(chosen_flavour(chosen, false), JointFlavour::constraints);
  (void)read(beam, "joints='coordinates'");
  EXPECT_EQ(said(),
            "system.xml:1:12: error: joint coordinates are for rigid bodies, but body 'beam' deforms; use "
            "joints=\"constraints\"\n");
}

TEST(JointCoordinates, AreChosenWhereTheyPay) {
  MultibodySpec spec = read_system(chain_in_space(100), "");
  spec.flavour = JointFlavour::automatic;
  EXPECT_EQ(chosen_flavour(spec, false), JointFlavour::coordinates);
  EXPECT_EQ(chosen_flavour(spec, true), JointFlavour::constraints);
  spec.flavour = JointFlavour::forces;
  EXPECT_EQ(chosen_flavour(spec, false), JointFlavour::forces);
  MultibodySpec free = read_system("<Body name='a' mass='1' inertia='1, 1, 1'/>", "");
  free.flavour = JointFlavour::automatic;
  EXPECT_EQ(chosen_flavour(free, false), JointFlavour::constraints);
}

// A joint on a frame that is led: the pendulum of a moving pivot.
TEST(JointCoordinates, JointsOnPrescribedFramesMoveAsTheirConditionsSay) {
  const MultibodySpec spec = read_system(
      "<Frame name='led' position='{0.1*sin(5*t)}, {0.2*t}, 0' angles='{0.3*t}, {sin(t)}, 0'/>"
      "<Body name='a' mass='1' inertia='0.1, 0.2, 0.25' center='0.3, 0, 0'><Frame name='e' position='0.6, 0, "
      "0'/></Body>"
      "<Body name='b' mass='1' inertia='0.1, 0.2, 0.25' center='0.1, 0.1, 0' position='0.6, 0, 0'/>"
      "<Joint name='p' from='led' to='a'/><Joint name='q' kind='spherical' from='b' to='a.e'/>",
      "gravity='0, 0, -9.81'");
  MultibodyRun joints(with(spec, JointFlavour::coordinates), 1e-11),
      bodies(with(spec, JointFlavour::constraints), 1e-11);
  joints.run_to(1.0), bodies.run_to(1.0);
  for (const core::Column& column : joints.component().columns()) {
    const double expected = bodies.get(column.name);
    EXPECT_NEAR(joints.get(column.name), expected, 1e-7 * (1.0 + std::abs(expected))) << column.name;
  }
}

}  // namespace joint_coordinates_test
}  // namespace tieline::components
