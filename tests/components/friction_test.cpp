// Dry friction of contacts: bodies that stick stay, and slip where the load exceeds Coulomb's limit.

#include <fmt/format.h>

#include "components/multibody_system.hpp"

namespace tieline::components {
namespace friction_test {

constexpr double kGravity = 9.81;
constexpr double kFriction = 0.5;

/// A ball that cannot roll, 1 kg, on a plane, pressed in as far as its weight asks for; `more` acts on it.
std::string block(const std::string& more, const std::string& velocity = "0", const std::string& contact = "") {
  const double overlap = std::pow(kGravity / 1e7, 1.0 / 1.5);
  return fmt::format(
      "<Body name='b' position='0, 0, {:.17g}' velocity='{}, 0, 0' mass='1' inertia='1e12, 1e12, 1e12'/>"
      "<Contact name='c' from='ground' to='b' radius_to='0.1' stiffness='1e7' damping='0.5' friction='0.5' {}/>{}",
      0.1 - overlap, velocity, contact, more);
}

std::string push(const std::string& force) { return "<Load name='F' frame='b' force='" + force + ", 0, 0'/>"; }

constexpr const char* kWeight = "gravity='0, 0, -9.81'";

TEST(Friction, ABodyThatSticksStays) {
  for (const double share : {0.1, 0.4, 0.8}) {
    for (const double tolerance : {1e-6, 1e-8}) {
      MultibodyRun run(block(push(fmt::format("{}", share * kFriction * kGravity))), kWeight, tolerance,
                       solvers::Method::radau5);
      run.run_to(10.0);
      EXPECT_LT(std::abs(run.get("b.position.x")), 1e-9) << share;
      EXPECT_LT(std::abs(run.get("b.position.y")), 1e-12);
      EXPECT_NEAR(run.get("c.force.x"), -share * kFriction * kGravity, 1e-6 * kGravity) << share;
      EXPECT_LT(run.component().statistics().steps, 20000U);
    }
  }
}

TEST(Friction, ALoadThatComesLaterIsBorneWithinTheStickDistance) {
  MultibodyRun run(block(push("{0.6*0.5*9.81*step(t-0.1)}")), kWeight, 1e-8, solvers::Method::radau5);
  run.run_to(0.5);
  const double rest = run.get("b.position.x");
  EXPECT_NEAR(rest, 0.6 * 1e-7, 1e-10);
  run.run_to(10.0);
  EXPECT_NEAR(run.get("b.position.x"), rest, 1e-11);
}

TEST(Friction, TwoContactsShareALoadFromTheStart) {
  // A plank on two balls' worth of points, pushed sideways and turned: both points hold.
  const std::string plank =
      "<Body name='b' position='0, 0, 0' mass='2' inertia='1e12, 1e12, 0.1'><Frame name='l' position='-0.5, 0, 0.1'/>"
      "<Frame name='r' position='0.5, 0, 0.1'/></Body><Load name='F' frame='b' force='2, 3, 0' torque='0, 0, 0.7'/>";
  const double p = std::pow(9.81 / 1e7, 1.0 / 1.5);
  const std::string contacts = fmt::format(
      "<Frame name='floor' position='0, 0, {:.17g}'/>"
      "<Contact name='c' from='floor' to='b.l' radius_to='0.1' stiffness='1e7' damping='0.5' friction='0.5'/>"
      "<Contact name='d' from='floor' to='b.r' radius_to='0.1' stiffness='1e7' damping='0.5' friction='0.5'/>",
      p);
  MultibodyRun run(plank + contacts, kWeight, 1e-8, solvers::Method::radau5);
  const Eigen::Vector3d start = run.vector("b.position");
  run.run_to(10.0);
  EXPECT_LT((run.vector("b.position") - start).head<2>().norm(), 1e-9);
  EXPECT_LT(std::abs(run.get("b.orientation.z")), 1e-9);
  EXPECT_NEAR(run.get("c.force.x") + run.get("d.force.x"), -2.0, 1e-6);
  EXPECT_NEAR(run.get("c.force.y") + run.get("d.force.y"), -3.0, 1e-6);
}

TEST(Friction, AVaryingLoadBelowTheLimitDoesNotMakeItWander) {
  MultibodyRun run(block(push("{0.5*9.81*(0.3 + 0.4*sin(20*t))}")), kWeight, 1e-8, solvers::Method::radau5);
  const double period = 2.0 * M_PI / 20.0;
  run.run_to(period);
  const double first = run.get("b.position.x");
  run.run_to(11.0 * period);
  EXPECT_NEAR(run.get("b.position.x"), first, 1e-12);
}

TEST(Friction, SlipsWhereTheLoadExceedsTheLimit) {
  // The load grows by 1 N/s: at 4.905 s it exceeds mu m g, and then a = (F - mu m g) / m = s, s later.
  MultibodyRun run(block(push("{t}")), kWeight, 1e-8, solvers::Method::radau5);
  run.run_to(4.85);
  EXPECT_LT(std::abs(run.get("b.position.x")), 1e-6);
  const double s = 1.0;
  run.run_to(kFriction * kGravity + s);
  // Up to four slip speeds the friction is full, above it lacks less than 3 %, and less and less.
  EXPECT_NEAR(run.get("b.velocity.x"), 0.5 * s * s, 5e-3);
  EXPECT_NEAR(run.get("b.position.x"), s * s * s / 6.0, 5e-3);
}

TEST(Friction, ComesToRestWhereCoulombSays) {
  for (const solvers::Method method : {solvers::Method::dopri5, solvers::Method::radau5}) {
    MultibodyRun run(block("", "1"), kWeight, 1e-8, method);
    const double stops = 1.0 / (kFriction * kGravity);
    run.run_to(0.9 * stops);
    EXPECT_NEAR(run.get("b.velocity.x"), 0.1, 1e-4);
    run.run_to(stops + 0.1);
    const double rest = run.get("b.position.x");
    EXPECT_NEAR(rest, 0.5 * stops, 1e-4);
    EXPECT_LT(std::abs(run.get("b.velocity.x")), 1e-9);
    run.run_to(stops + 1.0);
    EXPECT_NEAR(run.get("b.position.x"), rest, 1e-9);
    EXPECT_LT(std::abs(run.imbalance()), 1e-6);
  }
}

TEST(Friction, NeverExceedsItsLimit) {
  MultibodyRun run(block(push("{6*sin(5*t)}"), "0.02"), kWeight, 1e-8, solvers::Method::radau5);
  for (int i = 1; i <= 400; ++i) {
    run.run_to(0.01 * i);
    EXPECT_LE(std::abs(run.get("c.force.x")), kFriction * run.get("c.normal_force") * (1.0 + 1e-6));
  }
}

TEST(Friction, SlippingIsTheLawThatIsDocumented) {
  // Faster than the slip speed: mu N v / sqrt(v^2 + vs^2).
  for (const double v : {0.11, 0.3, 1.0}) {
    MultibodyRun run(block("", fmt::format("{}", v), "slip_speed='0.1'"), kWeight, 1e-8, solvers::Method::radau5);
    const double expected = kFriction * run.get("c.normal_force") * v / std::hypot(v, 0.1);
    EXPECT_NEAR(run.get("c.force.x"), -expected, 1e-12 * expected);
  }
}

TEST(Friction, StateOfSticksIsPartOfASnapshot) {
  const std::string system = block(push("{2 + 4*sin(9*t)}"));
  MultibodyRun first(system, kWeight, 1e-8, solvers::Method::radau5),
      second(system, kWeight, 1e-8, solvers::Method::radau5);
  first.run_to(0.37);
  core::ArchiveWriter writer;
  ASSERT_TRUE(first.component().save(writer));
  const std::string bytes = std::move(writer).take();
  core::ArchiveReader reader(bytes);
  ASSERT_TRUE(second.component().restore(reader));
  first.run_to(1.1);
  second.run_to(1.1);
  EXPECT_EQ(first.get("b.position.x"), second.get("b.position.x"));
  EXPECT_EQ(first.get("c.force.x"), second.get("c.force.x"));
}

}  // namespace friction_test
}  // namespace tieline::components
