// Example 2 of Wang, Ma and Hulbert, "A Gluing Algorithm for Distributed Simulation of Multibody Systems": a double
// pendulum, cut at its inner joint, against Lagrange's equations of the whole.

#include <numbers>

#include "support/model_run.hpp"
#include "support/planar_chain.hpp"

namespace tieline::support {
namespace glue_pendulum_test {

const std::filesystem::path kModel =
    std::filesystem::path(TIELINE_SOURCE_DIR) / "examples" / "double-pendulum" / "glued.xml";

// The published scheme, with the gluing matrix as it is by default.
const std::string kPublished =
    "compatibility=\"displacement\" forces=\"constant\" tolerance=\"0\" absolute_tolerance=\"1e-10\" iterations=\"6\" ";

PlanarChain reference() {
  return {{{10.0, 1.0}, {20.0, 2.0}}, 0.0, [](double t) { return 200.0 * std::sin(2.0 * std::numbers::pi * t); }};
}

RunRecord run_with(const std::string& gluing, double step, double stop, double interval,
                   const std::string& joint = "spherical") {
  std::ifstream file(kModel);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto replace = [&](const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    if (at == text.npos) throw std::runtime_error("the example no longer holds " + from);
    text.replace(at, from.size(), to);
  };
  const auto first = text.find("<Gluing"), last = text.find("/>", first);
  text.replace(first, last + 2 - first, "<Gluing step=\"{H}\" " + gluing + "/>");
  replace("stop=\"3\"", fmt::format("stop=\"{}\"", stop));
  replace("joint=\"spherical\"", fmt::format("joint=\"{}\"", joint));
  const auto begin = text.find("write_interval=\""), end = text.find('"', begin + 16);
  text.replace(begin, end + 1 - begin, fmt::format("write_interval=\"{}\"", interval));
  ModelFiles files(text);
  for (const char* part : {"bar1.xml", "bar2.xml"}) {
    std::ifstream source(kModel.parent_path() / part);
    files.write(part, {std::istreambuf_iterator<char>(source), {}});
  }
  return run_model(files.path(), {}, [&](Simulation& simulation) { simulation.set("H", step); });
}

/// Largest errors of the middle of bar 2 [m] and of the joint force [N], as shares of the largest values.
struct Errors {
  double position = 0.0, force = 0.0;
};

Errors errors_of(const RunRecord& run, double reference_step) {
  PlanarChain exact = reference();
  const auto& times = run.times("two.bar.center.position.x");
  double largest_position = 0.0, largest_force = 0.0;
  Errors off;
  for (std::size_t i = 1; i < times.size(); ++i) {
    exact.run_to(times[i], reference_step);
    const Eigen::Vector2d middle(std::cos(exact.angles[0]) + std::cos(exact.angles[1]),
                                 std::sin(exact.angles[0]) + std::sin(exact.angles[1]));
    const Eigen::Vector2d force = exact.joint_force(1);
    const auto value = [&](const std::string& name) { return run.values(name)[i]; };
    off.position = std::max({off.position, std::abs(value("two.bar.center.position.x") - middle.x()),
                             std::abs(value("two.bar.center.position.y") - middle.y())});
    off.force = std::max(
        {off.force, std::abs(value("two.A.force.x") - force.x()), std::abs(value("two.A.force.y") - force.y())});
    largest_position = std::max(largest_position, middle.norm());
    largest_force = std::max(largest_force, force.norm());
  }
  return {off.position / largest_position, off.force / largest_force};
}

TEST(GluedPendulum, AgreesWithLagrangesEquations) {
  const double stop = kIsInstrumented ? 0.3 : 3.0;
  const Errors off = errors_of(run_with("", 1e-3, stop, 1e-2), 1e-4);
  EXPECT_LT(off.position, 1e-6);
  EXPECT_LT(off.force, 1e-6);
}

TEST(GluedPendulum, HasOrderFiveInMotionAndThreeInForce) {
  std::vector<Errors> off;
  for (const double step : {2e-2, 1e-2, 5e-3})
    off.push_back(errors_of(run_with("tolerance=\"1e-12\"", step, 1.2, 0.1), 1e-4));
  for (std::size_t i = 1; i < off.size(); ++i) {
    EXPECT_GT(std::log2(off[i - 1].position / off[i].position), 4.5);
    EXPECT_GT(std::log2(off[i - 1].force / off[i].force), 2.7);
    EXPECT_LT(std::log2(off[i - 1].force / off[i].force), 3.5);
  }
}

TEST(GluedPendulum, OfPublishedSchemeNeedsFewCorrections) {
  const RunRecord every_step = run_with(kPublished + "refresh=\"every_step\" update=\"none\"", 1e-2, 3.0, 1e-2);
  ASSERT_EQ(every_step.report.gluings.size(), 1U);
  EXPECT_EQ(every_step.report.gluings[0].steps, 300U);
  EXPECT_LE(every_step.report.gluings[0].most_corrections, 6U);
  const RunRecord lazy = run_with(kPublished, 1e-2, 3.0, 1e-2);
  EXPECT_LE(lazy.report.gluings[0].refreshes, 61U);
  EXPECT_LT(lazy.connection("A").drift, 1e-10);
  // The same numbers, however they were found.
  EXPECT_LT(largest_difference(every_step, lazy, "two.bar.center.position.x"), 1e-6);
}

// A probe far below what rounding leaves of positions is raised until its response is real.
TEST(GluedPendulum, OfPublishedSchemeProbesWithAnyForce) {
  const std::string scheme = kPublished + "refresh=\"every_step\" update=\"none\" ";
  const RunRecord usual = run_with(scheme, 1e-2, 0.3, 1e-2);
  for (const char* probe : {"1e-9", "1e-14"}) {
    const std::string sizes = fmt::format("perturbation=\"1e-12\" least_perturbation=\"{}\"", probe);
    const RunRecord run = run_with(scheme + sizes, 1e-2, 0.3, 1e-2);
    EXPECT_LE(run.report.gluings.at(0).most_corrections, 3U) << probe;
    EXPECT_LT(largest_difference(usual, run, "two.bar.center.position.x"), 1e-9) << probe;
  }
}

TEST(GluedPendulum, NeedsNoMoreProbingsThanPublished) {
  // 61 in 300 steps, with the matrix as it was in between; also where the axes of a hinge agree as well.
  for (const char* joint : {"spherical", "revolute"}) {
    for (const std::string& settings : {kPublished + "update=\"none\"", kPublished, std::string()}) {
      const RunRecord run = run_with(settings, 1e-2, 3.0, 1e-2, joint);
      EXPECT_EQ(run.report.gluings[0].steps, 300U);
      EXPECT_LE(run.report.gluings[0].refreshes, 61U) << joint << " " << settings;
    }
  }
}

TEST(GluedPendulum, HasTheForceOfAnyStart) {
  // From rest in any position, with and without weight, cut at a ball or at a hinge.
  struct Case {
    double first, second, gravity;
  };
  const double stop = kIsInstrumented ? 0.05 : 0.8;
  for (const auto& [first, second, gravity] : {Case{0.0, 0.0, 0.0}, Case{0.0, 0.0, 9.81}, Case{-1.2, 0.4, 9.81}}) {
    PlanarChain exact = {
        {{10.0, 1.0}, {20.0, 2.0}}, gravity, [](double t) { return 200.0 * std::sin(2.0 * std::numbers::pi * t); }};
    exact.angles = Eigen::Vector2d(first, second);
    const auto bars = [&](const std::string& content) {
      return fmt::format("<Multibody gravity=\"0, {}, 0\">{}</Multibody>", -gravity, content);
    };
    const std::string one = fmt::format(
        "<Component name=\"one\" kind=\"multibody\">{}</Component>",
        bars(fmt::format("<Body name=\"bar\" angles=\"0, 0, {}\" mass=\"10\" center=\"0.5, 0, 0\" inertia=\"0.01, "
                         "{{10/12}}, {{10/12}}\"><Frame name=\"A\" position=\"1, 0, 0\"/></Body><Joint name=\"hinge\" "
                         "from=\"ground\" to=\"bar\"/><JointLoad name=\"motor\" joint=\"hinge\" "
                         "effort=\"{{200*sin(2*pi*t)}}\"/><Interface name=\"A\" frame=\"bar.A\"/>",
                         first)));
    const std::string two = fmt::format(
        "<Component name=\"two\" kind=\"multibody\">{}</Component>",
        bars(fmt::format("<Body name=\"bar\" position=\"{{cos({0})}}, {{sin({0})}}, 0\" angles=\"0, 0, {1}\" "
                         "mass=\"20\" center=\"1, 0, 0\" inertia=\"0.08, {{80/12}}, {{80/12}}\"/><Interface "
                         "name=\"A\" frame=\"bar\"/>",
                         first, second)));
    std::vector<RunRecord> runs;
    for (const char* joint : {"spherical", "revolute"}) {
      runs.push_back(run_text(
          fmt::format("<CompositeModel name=\"p\"><Components>{}{}</Components><Connections><Connection name=\"A\" "
                      "from=\"one.A\" to=\"two.A\" coupling=\"glue\" joint=\"{}\"/></Connections><Gluing "
                      "step=\"5e-4\"/><Simulation stop=\"{}\" tolerance=\"1e-9\" "
                      "write_interval=\"1e-2\"/></CompositeModel>",
                      one, two, joint, stop)));
    }
    const auto& times = runs[0].times("two.A.force.x");
    double largest = 0.0, off = 0.0;
    for (std::size_t i = 1; i < times.size(); ++i) {
      exact.run_to(times[i], 1e-4);
      const Eigen::Vector2d force = exact.joint_force(1);
      largest = std::max(largest, force.norm());
      for (const RunRecord& run : runs) {
        off = std::max({off, std::abs(run.values("two.A.force.x")[i] - force.x()),
                        std::abs(run.values("two.A.force.y")[i] - force.y())});
      }
    }
    EXPECT_LT(off / largest, 1e-6) << first << " " << gravity;
  }
}

TEST(GluedPendulum, WithCubicForcesHasOrderSevenInMotionAndFourInForce) {
  std::vector<Errors> off;
  for (const double step : {4e-2, 2e-2})
    off.push_back(errors_of(run_with("tolerance=\"1e-12\" forces=\"cubic\"", step, 1.2, 0.4), 1e-4));
  EXPECT_GT(std::log2(off[0].position / off[1].position), 6.0);
  EXPECT_GT(std::log2(off[0].force / off[1].force), 3.5);
}

TEST(GluedPendulum, IsTheSameWithAnyUpdateOfTheMatrix) {
  const RunRecord broyden = run_with("", 1e-2, 1.0, 1e-2);
  for (const char* update : {"none", "iqn_ils"}) {
    const RunRecord other = run_with(fmt::format("update=\"{}\"", update), 1e-2, 1.0, 1e-2);
    EXPECT_LT(largest_difference(broyden, other, "two.bar.center.position.x"), 1e-8);
  }
}

TEST(GluedPendulum, WithControlledStepsKeepsItsTolerance) {
  const RunRecord run = run_with("step_tolerance=\"1e-6\"", 1e-2, 3.0, 1e-2);
  EXPECT_LT(errors_of(run, 1e-4).position, 1e-5);
  EXPECT_LT(run.report.gluings[0].shortest_step, run.report.gluings[0].longest_step);
}

TEST(GluedPendulum, HasTheSameBitsWithAnyThreadsAndAfterASnapshot) {
  Simulation one = Simulation::load(kModel), two = Simulation::load(kModel), three = Simulation::load(kModel);
  one.advance_to(0.5, {.threads = 1});
  const std::string state = one.save();
  one.advance_to(1.0, {.threads = 1});
  two.advance_to(1.0, {.threads = 4});
  EXPECT_EQ(present_values(one), present_values(two));
  three.restore(state);
  three.advance_to(1.0, {.threads = 2});
  EXPECT_EQ(present_values(one), present_values(three));
}

}  // namespace glue_pendulum_test
}  // namespace tieline::support
