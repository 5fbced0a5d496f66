// Equilibria against closed forms.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>

#include "components/multibody_system.hpp"
#include "core/equilibrium.hpp"

namespace tieline::components {
namespace statics_test {

using Eigen::Vector3d;
using std::numbers::pi;

/// A system brought to rest; nothing is connected.
class AtRest {
 public:
  explicit AtRest(const std::string& content, const std::string& attributes = "gravity='0, 0, -9.81'")
      : run_(content, attributes + " start='equilibrium'") {
    const auto settled = run_.system().equilibrium()->settle(0.0, {});
    is_settled_ = static_cast<bool>(settled);
    if (!settled) message_ = settled.error().message;
    EXPECT_TRUE(run_.component().start(0.0));
  }
  [[nodiscard]] bool is_settled() const { return is_settled_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  MultibodyRun& run() { return run_; }

 private:
  MultibodyRun run_;
  bool is_settled_ = false;
  std::string message_;
};

TEST(Statics, WeightOnATieSinksByItsClosedForm) {
  AtRest rest("<Body name='b' mass='2' inertia='1, 1, 1'/><Tie name='t' from='ground' to='b' stiffness='1e3, 10'/>");
  ASSERT_TRUE(rest.is_settled()) << rest.message();
  EXPECT_NEAR(rest.run().get("b.position.z"), -2.0 * 9.81 / 1e3, 1e-12);
  rest.run().run_to(0.5);
  EXPECT_NEAR(rest.run().get("b.position.z"), -2.0 * 9.81 / 1e3, 1e-12);
}

// From the horizontal: far from where it ends.
TEST(Statics, PendulumHangsDown) {
  AtRest rest(
      "<Body name='arm' mass='1' inertia='0.1, 0.1, 0.1' center='0.5, 0, 0'/>"
      "<Frame name='pivot' angles='{pi/2}, 0, 0'/><Body name='a' mass='1' inertia='1, 1, 1' position='0, 0, 3'/>"
      "<Tie name='hold' from='ground' to='a' stiffness='100, 100' relaxed='at_start'/>"
      "<Joint name='pin' kind='spherical' from='ground' to='arm'/>");
  ASSERT_TRUE(rest.is_settled()) << rest.message();
  const Eigen::Quaterniond q(rest.run().get("arm.orientation.w"), rest.run().get("arm.orientation.x"),
                             rest.run().get("arm.orientation.y"), rest.run().get("arm.orientation.z"));
  EXPECT_LT((q * Vector3d::UnitX() + Vector3d::UnitZ()).norm(), 1e-8);
}

// A ball that is let go above a plane comes to lie where Hertz's force carries it.
TEST(Statics, BallLiesOnThePlane) {
  AtRest rest(
      "<Body name='b' mass='1' position='0, 0, 0.02'><Sphere radius='0.01' density='1'/></Body>"
      "<Contact name='c' from='ground' to='b' radius_to='0.01' stiffness='1e7'/>");
  ASSERT_TRUE(rest.is_settled()) << rest.message();
  const double weight = 9.81 * (1.0 + 4.0 / 3.0 * pi * 1e-6);
  EXPECT_NEAR(0.01 - rest.run().get("b.position.z"), std::pow(weight / 1e7, 2.0 / 3.0), 1e-9);
}

TEST(Statics, BeamSagsByItsClosedForm) {
  AtRest rest(
      "<Beam name='b' length='2' radius='0.01' youngs_modulus='210e9' density='7800' elements='3'/>"
      "<Joint name='wall' kind='fixed' from='ground' to='b'/>");
  ASSERT_TRUE(rest.is_settled()) << rest.message();
  const double area = pi * 1e-4, moment = pi / 4.0 * 1e-8;
  const double sag = 7800.0 * area * 9.81 * 16.0 / (8.0 * 210e9 * moment);
  EXPECT_NEAR(rest.run().get("b.node3.position.z"), -sag, 1e-9 * sag);
  EXPECT_NEAR(rest.run().get("wall.force.z"), 7800.0 * area * 2.0 * 9.81, 1e-7);
}

TEST(Statics, NothingHoldsAFallingBody) {
  AtRest rest("<Body name='loose' mass='1' inertia='1, 1, 1'/>");
  EXPECT_FALSE(rest.is_settled());
  EXPECT_NE(rest.message().find("'loose'"), std::string::npos) << rest.message();
}

}  // namespace statics_test
}  // namespace tieline::components
