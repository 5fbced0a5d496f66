// What holds for any motion of two bodies on a line in space: conservation, independence of the world's axes, the same
// bits for any number of threads and across snapshots, and the line on one axis as a special case.

#include <gtest/gtest.h>

#include "support/exact_pair.hpp"
#include "support/pair_model.hpp"
#include "support/spatial_pair.hpp"
#include "support/spinning_pair.hpp"

namespace tieline::support {
namespace spatial_line_laws_test {

using Eigen::Quaterniond;
using Eigen::Vector3d;

/// Bodies without any symmetry, joined at a point beside both centres, that tumble together and vibrate.
SpatialPair crooked_pair(double stop) {
  SpatialPair pair;
  pair.stop = stop;
  pair.stiffness = 1e7;
  pair.stiffness_rotation = 1e5;
  const core::Pose joint{{0.1, 0.02, -0.03}, core::rotation_by({0.3, -0.2, 0.5})};
  const Vector3d omega(40.0, -15.0, 25.0);
  for (RigidBodySpec* body : {&pair.from, &pair.to}) {
    const bool is_to = body == &pair.to;
    body->mass = is_to ? 3.0 : 5.0;
    body->inertia << 0.02, 0.003, -0.001, 0.003, 0.035, 0.002, -0.001, 0.002, 0.03;
    body->pose = {is_to ? Vector3d(0.25, -0.04, 0.05) : Vector3d(0.0, 0.0, 0.0),
                  core::rotation_by(is_to ? Vector3d(1.0, 0.2, -0.4) : Vector3d(-0.2, 0.6, 0.1))};
    body->angular_velocity = omega + (is_to ? Vector3d(0.3, 0.2, -0.1) : Vector3d(-0.2, 0.1, 0.3));
    body->velocity = Vector3d(1.0, -2.0, 0.5) + body->angular_velocity.cross(body->pose.position - joint.position);
    const Quaterniond back = body->pose.orientation.conjugate();
    body->interfaces = {{"end", {back * (joint.position - body->pose.position), back * joint.orientation}}};
  }
  return pair;
}

bool have_same_bits(SpatialRun& a, SpatialRun& b) {
  return a.values(0) == b.values(0) && a.values(1) == b.values(1) && a.audit().last().energy == b.audit().last().energy;
}

TEST(SpatialLaws, MomentumAndEnergyAreConserved) {
  const SpatialPair pair = crooked_pair(0.02);
  SpatialRun run(pair);
  run.run_to(0.0);
  struct Sums {
    Vector3d momentum = Vector3d::Zero(), angular = Vector3d::Zero();
  };
  const auto sums = [&] {
    Sums result;
    for (std::size_t i = 0; i < 2; ++i) {
      const RigidBodySpec& spec = i == 0 ? pair.from : pair.to;
      const BodyState s = run.state(i);
      result.momentum += spec.mass * s.velocity;
      result.angular += s.position.cross(spec.mass * s.velocity) +
                        s.orientation * (spec.inertia * (s.orientation.conjugate() * s.angular_velocity));
    }
    // The line is a bar of its own: it lies at the joint, and turns with the frame of its torques.
    const coupling::SpatialBalance& line = run.audit().last();
    const Vector3d momentum(line.momentum[0], line.momentum[1], line.momentum[2]);
    const Vector3d spin(line.angular_momentum[0], line.angular_momentum[1], line.angular_momentum[2]);
    const core::Pose& local = pair.from.interfaces.front().second;
    const BodyState from = run.state(0);
    result.momentum += momentum;
    result.angular += (from.position + from.orientation * local.position).cross(momentum) +
                      (from.orientation * local.orientation) * spin;
    return result;
  };
  const Sums before = sums();
  const double energy = run.energy();
  for (int k = 1; k <= 4; ++k) {
    run.run_to(pair.stop * k / 4.0);
    const Sums now = sums();
    EXPECT_LT((now.momentum - before.momentum).norm(), 1e-10 * before.momentum.norm());
    EXPECT_LT((now.angular - before.angular).norm(), 1e-6 * before.angular.norm());
    EXPECT_NEAR(run.energy(), energy, 1e-8 * energy);
  }
  EXPECT_LT(run.audit().largest_residual(), 1e-6 * run.audit().largest_energy());
}

TEST(SpatialLaws, WorldAxesDoNotMatter) {
  const SpatialPair pair = crooked_pair(0.01);
  SpatialPair moved = pair;
  const Quaterniond turn = core::rotation_by({1.1, -0.7, 2.0});
  const Vector3d shift(3.0, -7.0, 11.0);
  for (RigidBodySpec* body : {&moved.from, &moved.to}) {
    body->pose = {turn * body->pose.position + shift, turn * body->pose.orientation};
    body->velocity = turn * body->velocity;
    body->angular_velocity = turn * body->angular_velocity;
  }
  SpatialRun first(pair), second(moved);
  first.run_to(pair.stop);
  second.run_to(pair.stop);
  for (std::size_t i = 0; i < 2; ++i) {
    const BodyState a = first.state(i), b = second.state(i);
    EXPECT_LT((turn * a.position + shift - b.position).norm(), 1e-8) << i;
    EXPECT_LT((turn * a.velocity - b.velocity).norm(), 1e-7 * a.velocity.norm()) << i;
    EXPECT_LT((turn * a.angular_velocity - b.angular_velocity).norm(), 1e-7 * a.angular_velocity.norm()) << i;
    EXPECT_LT(core::rotation_vector((turn * a.orientation).conjugate() * b.orientation).norm(), 1e-8) << i;
  }
}

TEST(SpatialLaws, UniformMotionStartsUndisturbed) {
  SpatialPair pair;
  pair.stop = 2e-3;
  const Vector3d velocity(3.0, -2.0, 1.0), omega(0.0, 0.0, 523.0);
  for (RigidBodySpec* body : {&pair.from, &pair.to}) {
    body->pose.position = body == &pair.from ? Vector3d(0.0, 0.0, -0.1) : Vector3d(0.0, 0.0, 0.2);
    body->interfaces = {{"end", {-body->pose.position, core::rotation_by({0.4, 0.1, 0.0})}}};
    body->inertia = Vector3d(0.02, 0.02, 0.01).asDiagonal();
    body->velocity = velocity;
    body->angular_velocity = omega;
  }
  SpatialRun run(pair);
  run.run_to(pair.stop);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_LT((run.state(i).velocity - velocity).norm(), 1e-12 * velocity.norm());
    EXPECT_LT((run.state(i).angular_velocity - omega).norm(), 1e-12 * omega.norm());
  }
  EXPECT_LT(run.twist().norm(), 1e-13);
}

TEST(SpatialLaws, AnyNumberOfThreadsGivesTheSameBits) {
  for (const core::FreeAxes& free : {core::FreeAxes{}, core::FreeAxes{false, true, false}}) {
    SpatialPair pair = crooked_pair(2e-3);
    pair.free = free;
    SpatialRun single(pair);
    single.run_to(pair.stop);
    for (const int threads : {2, 8}) {
      SpatialRun other(pair);
      other.run_to(pair.stop, threads);
      EXPECT_TRUE(have_same_bits(single, other)) << threads;
    }
  }
}

TEST(SpatialLaws, SnapshotsContinueWithTheSameBits) {
  for (const double save_interval : {0.0, 5e-4}) {
    SpatialPair pair = crooked_pair(2e-3);
    pair.damping = save_interval > 0.0 ? 0.1 : 0.0;
    pair.save_interval = save_interval;
    SpatialRun run(pair), other(pair);
    run.run_to(1e-3);
    core::ArchiveWriter archive;
    ASSERT_TRUE(run.engine().save(archive));
    run.run_to(pair.stop, 2);
    other.run_to(5e-4);
    core::ArchiveReader reader(archive.bytes());
    ASSERT_TRUE(other.engine().restore(reader));
    EXPECT_TRUE(reader.at_end());
    other.run_to(pair.stop);
    EXPECT_TRUE(have_same_bits(run, other));
    EXPECT_EQ(run.audit().largest_residual(), other.audit().largest_residual());
  }
}

/// A pair that moves along one axis of space.
SpatialPair straight_pair(const Pair& pair, const Line& line, double stop, int axis) {
  SpatialPair result;
  result.stop = stop;
  result.stiffness = line.impedance / line.delay;
  result.delay = line.delay;
  for (RigidBodySpec* body : {&result.from, &result.to}) {
    const Load load = body == &result.from ? pair.load1 : pair.load2;
    body->mass = body == &result.from ? pair.mass1 : pair.mass2;
    body->velocity[axis] = body == &result.from ? pair.velocity1 : pair.velocity2;
    body->interfaces = {{"end", {}}};
    body->loads = {{.wrench = [=](double t) {
      core::Wrench wrench;
      wrench.force[axis] = load.value(t);
      return wrench;
    }}};
  }
  return result;
}

TEST(SpatialLaws, EveryTranslationIsTheLineOnOneAxis) {
  const Pair pair{.mass1 = 10.0, .mass2 = 5.0, .velocity2 = 0.1, .load1 = Load::constant(1000.0)};
  const Line line = Line::from_stiffness(1e8, 1e-5);
  constexpr double kStop = 2e-3;
  const PairSolution exact = solve_on_line(pair, line);
  const PairState end = exact.at(kStop);
  for (int axis = 0; axis < 3; ++axis) {
    SpatialPair model = straight_pair(pair, line, kStop, axis);
    model.tolerance = 1e-10;
    SpatialRun run(model);
    run.run_to(kStop);
    EXPECT_NEAR(run.state(0).position[axis], end.x1, 1e-8 * std::abs(end.x1));
    EXPECT_NEAR(run.state(1).position[axis], end.x2, 1e-8 * std::abs(end.x2));
    EXPECT_NEAR(run.state(1).velocity[axis], end.v2, 1e-8 * std::abs(end.v2));
  }
  // With fixed steps the same samples go the same way as through a component with one axis, which solves for other
  // states: the steps' errors differ.
  PairModel flat{.pair = pair, .line = line, .solver = "rk4", .step = 1e-6, .stop = kStop, .write_interval = kStop};
  const RunRecord reference = run_text(flat.text());
  SpatialPair model = straight_pair(pair, line, kStop, 0);
  model.method = solvers::Method::rk4;
  model.fixed_step = 1e-6;
  SpatialRun run(model);
  run.run_to(kStop);
  EXPECT_NEAR(run.state(0).position.x(), reference.of("body1.body.position").values.back(), 1e-11 * std::abs(end.x1));
  EXPECT_NEAR(run.state(1).velocity.x(), reference.of("body2.body.velocity").values.back(), 1e-11 * std::abs(end.v2));
}

/// With fixed steps, so that no solver decides by how large things are; every kind of free rotations.
TEST(SpatialLaws, SeeTheSameWhereverThePairIsAndHoweverFastItFlies) {
  for (const char* free : {"", "free_axes=\"ry\"", "free_axes=\"rx, rz\"", "free_axes=\"rx, ry, rz\""}) {
    SpinningPair pair;
    pair.coupling = fmt::format("coupling=\"line\" delay=\"1e-3\" stiffness=\"500\" {} {}",
                                std::string(free).size() > 20 ? "" : "stiffness_rotation=\"40\"", free);
    pair.component = "solver=\"rk4\" step=\"2.5e-4\"";
    pair.simulation.clear();
    pair.drift.setZero();
    const RunRecord reference = run_text(pair.on_line());
    EXPECT_GT(largest_value(reference, "b.end.force.x"), 1.0) << free;
    SpinningPair other = pair;
    other.world.orientation = core::rotation_by({1.1, -0.7, 2.0});
    EXPECT_LT(differs(pair, reference, other, run_text(other.on_line())), 1e-12) << "turned " << free;
    other.world.position = {3000.0, -2000.0, 1500.0};
    EXPECT_LT(differs(pair, reference, other, run_text(other.on_line())), 1e-9)
        << "shifted by some kilometres, whose rounding is 5e-13 m " << free;
    other = pair;
    other.drift = {20.0, -30.0, 10.0};
    EXPECT_LT(differs(pair, reference, other, run_text(other.on_line())), 1e-11) << "moving " << free;
    // Which axis of a cross is in which end follows from the direction of the connection.
    if (std::string(free).find("rx, rz") != std::string::npos && std::string(free).size() < 20) continue;
    other = pair;
    other.is_swapped = true;
    // A hinge's frame turns with `to`: swapped, its torques differ by the second order of the elastic angle.
    const double tolerance = std::string(free) == "free_axes=\"ry\"" ? 1e-3 : 1e-13;
    EXPECT_LT(differs(pair, reference, other, run_text(other.on_line())), tolerance) << "swapped " << free;
  }
}

}  // namespace spatial_line_laws_test
}  // namespace tieline::support
