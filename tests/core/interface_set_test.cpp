#include "core/interface_set.hpp"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

#include "core/state_publisher.hpp"

namespace tieline::core {
namespace interface_set_test {

using Eigen::Vector3d;

/// A body that turns about a moving axis: its orientation by integrating finely, so that nothing of the code under
/// test is used.
InterfaceState turning_body(double t) {
  const auto omega = [](double s) { return Vector3d(0.3 + s, 1.0 - 0.5 * s * s, std::sin(s)); };
  InterfaceState state;
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
  constexpr int kSteps = 4000;
  for (int k = 0; k < kSteps; ++k) {
    const Vector3d w = omega((k + 0.5) * t / kSteps) * (t / kSteps);
    q = Eigen::Quaterniond(Eigen::AngleAxisd(w.norm(), w.norm() > 0.0 ? w.normalized() : Vector3d::UnitX())) * q;
  }
  state.pose.orientation = q.normalized();
  state.motion.angular_velocity = omega(t);
  state.motion.angular_acceleration = {1.0, -t, std::cos(t)};
  state.pose.position = {std::sin(t), t * t, 1.0};
  state.motion.velocity = {std::cos(t), 2.0 * t, 0.0};
  state.motion.acceleration = {-std::sin(t), 2.0, 0.0};
  return state;
}

double error_in_the_middle(double h, bool reports_rates) {
  const InterfaceShape shape{.name = "hub", .domain = Domain::mechanical3d, .reports_rates = reports_rates};
  InterfaceState middle;
  interpolate(shape, turning_body(0.5), 0.5, turning_body(0.5 + h), 0.5 + h, 0.5 + 0.5 * h, middle);
  const InterfaceState exact = turning_body(0.5 + 0.5 * h);
  return (middle.motion.angular_velocity - exact.motion.angular_velocity).norm() +
         (middle.motion.velocity - exact.motion.velocity).norm() +
         middle.pose.orientation.angularDistance(exact.pose.orientation) +
         (middle.pose.position - exact.pose.position).norm();
}

TEST(InterfaceStates, VelocitiesBetweenStepsHaveThirdOrderOrFifthWithRates) {
  // The middle of a parabola for the velocity is better by one order than the rest of it.
  EXPECT_GT(std::log2(error_in_the_middle(0.2, false) / error_in_the_middle(0.1, false)), 2.8);
  EXPECT_GT(std::log2(error_in_the_middle(0.4, true) / error_in_the_middle(0.2, true)), 3.8);
  EXPECT_LT(error_in_the_middle(0.1, true), 1e-6);
}

TEST(InterfaceStates, NumbersGoThereAndBack) {
  for (const bool reports_rates : {false, true}) {
    const InterfaceShape shape{.name = "hub", .domain = Domain::mechanical3d, .reports_rates = reports_rates};
    const InterfaceState state = turning_body(0.7);
    const auto numbers = numbers_of(shape, state);
    const auto back = state_from(shape, numbers);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->reports_rates, reports_rates);
    EXPECT_EQ(numbers_of(shape, back->state), numbers);
    auto spoilt = numbers;
    spoilt[2] = std::nan("");
    EXPECT_FALSE(state_from(shape, spoilt));
    spoilt = numbers;
    spoilt.push_back(1.0);
    EXPECT_FALSE(state_from(shape, spoilt));
  }
}

TEST(InterfaceSet, SaysWhatCannotBe) {
  const auto problem = [](Domain domain, Causality causality, int size) {
    return problem_with({.name = "a", .domain = domain, .causality = causality, .size = size}).value_or("");
  };
  EXPECT_EQ(problem(Domain::translation, Causality::takes_motion, 1), "");
  EXPECT_EQ(problem(Domain::signal, Causality::output, 3), "");
  EXPECT_EQ(problem(Domain::mechanical3d, Causality::takes_motion, 1), "");
  EXPECT_NE(problem(Domain::signal, Causality::takes_force, 1), "");
  EXPECT_NE(problem(Domain::translation, Causality::input, 1), "");
  EXPECT_NE(problem(Domain::translation, Causality::takes_force, 2), "");
  EXPECT_NE(problem(Domain::signal, Causality::input, 0), "");
}

TEST(RotationVectors, RatesAndAnglesBelongTogether) {
  const Vector3d phi(0.3, -0.8, 0.5), omega(1.0, 2.0, -0.4);
  EXPECT_LT((turned_average(phi, rotation_vector_rate(phi, omega)) - omega).norm(), 1e-14);
  const Vector3d small = 1e-6 * phi;
  EXPECT_LT((turned_average(small, rotation_vector_rate(small, omega)) - omega).norm(), 1e-14);
}

/// What interfaces of a tool publish over two steps, each on a body; all bodies but the second turn alike.
std::vector<std::vector<wave::Sample>> published(const std::vector<std::size_t>& bodies, bool reports_rates) {
  std::vector<InterfaceShape> shapes;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    shapes.push_back({.name = "p" + std::to_string(i), .domain = Domain::mechanical3d, .reports_rates = reports_rates});
  }
  const auto state_of = [&](std::size_t i, double t) {
    const double later = bodies[i] == 1 ? 0.7 : 0.0;
    InterfaceState state = turning_body(t + later);
    const Vector3d arm = state.pose.orientation * Vector3d(0.1, 0.2 * static_cast<double>(bodies[i]), 0.3);
    state.pose.position += arm;
    state.motion.velocity += state.motion.angular_velocity.cross(arm);
    return state;
  };
  const auto states = [&](double t) {
    std::vector<InterfaceState> all;
    for (std::size_t i = 0; i < bodies.size(); ++i) all.push_back(state_of(i, t));
    return all;
  };
  InterfaceSet interfaces(shapes);
  StatePublisher publisher(interfaces, states(0.0), 0.0, true);
  publisher.publish_start();
  for (const double t : {0.1, 0.25}) {
    const double begin = publisher.time();
    for (std::size_t i = 0; i < bodies.size(); ++i) publisher.next(i) = state_of(i, t);
    publisher.begin_step(t);
    publisher.publish(begin + 0.4 * (t - begin));
    publisher.publish(t);
    publisher.end_step();
  }
  std::vector<std::vector<wave::Sample>> samples;
  for (const Port& port : interfaces.ports()) samples.push_back(port.outbox);
  return samples;
}

TEST(StatePublisher, InterfacesOfOneBodyPublishWhatEachWouldAlone) {
  for (const bool reports_rates : {false, true}) {
    // Bodies 0 and 2 turn alike.
    const auto together = published({0, 1, 2, 0, 2}, reports_rates);
    std::size_t port = 0;
    for (const std::size_t body : {0, 1, 2, 0, 2}) {
      for (const auto& alone : published({body}, reports_rates)) {
        const auto& shared = together[port++];
        ASSERT_EQ(shared.size(), alone.size());
        ASSERT_EQ(alone.size(), 5U);
        EXPECT_EQ(std::memcmp(shared.data(), alone.data(), alone.size() * sizeof(wave::Sample)), 0);
      }
    }
  }
}

}  // namespace interface_set_test
}  // namespace tieline::core
