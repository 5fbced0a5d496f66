// Cuts that some directions cross for nothing: planar mechanisms, loops of joints, supports on both sides. What no
// force can change carries none, and the rest is as in one piece.

#include <cmath>
#include <numbers>

#include "support/model_run.hpp"

namespace tieline::support {
namespace glue_rank_test {

std::string model(const std::string& components, const std::string& connections, const std::string& gluing,
                  const std::string& simulation) {
  return fmt::format(
      "<CompositeModel name=\"rank\"><Components>{}</Components><Connections>{}</Connections>{}<Simulation {}/>"
      "</CompositeModel>",
      components, connections, gluing, simulation);
}
std::string bodies(const std::string& name, const std::string& content, const std::string& placement = "",
                   const std::string& gravity = "0, -9.81, 0") {
  return fmt::format("<Component name=\"{}\" kind=\"multibody\">{}<Multibody gravity=\"{}\">{}</Multibody></Component>",
                     name, placement, gravity, content);
}
std::string glue(const std::string& name, const std::string& from, const std::string& to, const std::string& joint) {
  return fmt::format("<Connection name=\"{}\" from=\"{}\" to=\"{}\" coupling=\"glue\" joint=\"{}\"/>", name, from, to,
                     joint);
}

/// A thin bar from one point of the plane x-y to another, with frames at its ends s and e.
std::string bar(const std::string& name, double mass, double x1, double y1, double x2, double y2) {
  const double length = std::hypot(x2 - x1, y2 - y1), across = mass * length * length / 12.0;
  return fmt::format(
      "<Body name=\"{}\" position=\"{:.17g}, {:.17g}, 0\" angles=\"0, 0, {:.17g}\" mass=\"{}\" inertia=\"{}, {}, {}\">"
      "<Frame name=\"s\" position=\"{:.17g}, 0, 0\"/><Frame name=\"e\" position=\"{:.17g}, 0, 0\" record=\"yes\"/>"
      "</Body>",
      name, 0.5 * (x1 + x2), 0.5 * (y1 + y2), std::atan2(y2 - y1, x2 - x1), mass, 0.1 * across, across, across,
      -0.5 * length, 0.5 * length);
}

/// Crank, coupler and rocker on two hinges 1.2 m apart, at rest, with a motor at the crank.
struct FourBar {
  std::string crank, coupler, rocker;
  FourBar() {
    const double angle = 1.1, bx = 0.5 * std::cos(angle), by = 0.5 * std::sin(angle);
    // C is 1.1 m from B and 0.9 m from D.
    const double d = std::hypot(1.2 - bx, by), along = (1.1 * 1.1 - 0.9 * 0.9 + d * d) / (2.0 * d);
    const double up = std::sqrt(1.1 * 1.1 - along * along), ex = (1.2 - bx) / d, ey = -by / d;
    const double cx = bx + along * ex - up * ey, cy = by + along * ey + up * ex;
    crank = bar("crank", 1.5, 0.0, 0.0, bx, by);
    coupler = bar("coupler", 4.0, bx, by, cx, cy);
    rocker = bar("rocker", 2.5, 1.2, 0.0, cx, cy);
  }
  [[nodiscard]] std::string drive() const {
    return "<Joint name=\"A\" from=\"ground\" to=\"crank.s\"/><JointLoad name=\"motor\" joint=\"A\" "
           "effort=\"{6*sin(4*t)}\"/>";
  }
  [[nodiscard]] std::string right() const {
    return rocker + "<Frame name=\"Dg\" position=\"1.2, 0, 0\"/><Joint name=\"D\" from=\"Dg\" to=\"rocker.s\"/>";
  }
  /// A universal joint at B and a ball at C say each condition once.
  [[nodiscard]] std::string whole() const {
    std::string turned = coupler;
    turned.replace(turned.find("<Frame"), 0, "<Frame name=\"u\" position=\"-0.55, 0, 0\" angles=\"0, 0, {pi/2}\"/>");
    return crank + turned + drive() + right() +
           "<Joint name=\"B\" kind=\"universal\" from=\"crank.e\" to=\"coupler.u\"/><Joint name=\"C\" "
           "kind=\"spherical\" from=\"coupler.e\" to=\"rocker.e\"/>";
  }
};

/// Largest difference of a variable against that of another run, as a share of that one's largest value.
double off(const RunRecord& run, const std::string& variable, const RunRecord& whole, const std::string& there,
           double least = 0.0) {
  double largest = 0.0;
  const auto &a = run.values(variable), &b = whole.values(there);
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest / std::max(least, largest_value(whole, there));
}

const std::string kRun = "stop=\"0.5\" tolerance=\"1e-10\" write_interval=\"0.02\"";

TEST(GluedRank, OfAPlanarMechanismLeavesNoForceOutOfItsPlane) {
  const FourBar four;
  const RunRecord whole = run_text(model(bodies("w", four.whole()), "", "", kRun));
  const std::string left = four.crank + four.coupler + four.drive() +
                           "<Joint name=\"B\" from=\"crank.e\" to=\"coupler.s\"/><Interface name=\"C\" "
                           "frame=\"coupler.e\"/>";
  const std::string right = four.right() + "<Interface name=\"C\" frame=\"rocker.e\"/>";
  for (const char* joint : {"revolute", "spherical"}) {
    const RunRecord run = run_text(
        model(bodies("x", left) + bodies("y", right), glue("C", "x.C", "y.C", joint), "<Gluing step=\"1e-3\"/>", kRun));
    for (const char* axis : {"x", "y"}) {
      EXPECT_LT(
          off(run, fmt::format("y.rocker.e.position.{}", axis), whole, fmt::format("w.rocker.e.position.{}", axis)),
          1e-8);
      EXPECT_LT(off(run, fmt::format("y.C.force.{}", axis), whole, fmt::format("w.C.force.{}", axis)), 1e-6) << joint;
    }
    const double force = largest_value(whole, "w.C.force.y");
    EXPECT_LT(largest_value(run, "y.C.force.z"), 1e-9 * force) << joint;
    ASSERT_EQ(run.report.gluings[0].notes.size(), 1U) << joint;
    const std::string& note = run.report.gluings[0].notes[0];
    EXPECT_EQ(note, std::string(joint) == "spherical"
                        ? "connection 'C': both sides are rigid along z; force there is taken as 0"
                        : "connection 'C': both sides are rigid along z and about x and y of the first interface; "
                          "force and torque there are taken as 0");
    EXPECT_TRUE(run.report.warnings.empty()) << joint << ": " << run.report.warnings[0];
  }
}

TEST(GluedRank, IsFoundInAPlaneThatIsOblique) {
  // The same, turned by 30 degrees about x and moved 40 m away: the rigid direction is no axis.
  const FourBar four;
  const std::string place = "<Placement position=\"40, -3, 7\" angles=\"{pi/6}, 0, 0\"/>";
  const std::string gravity = fmt::format("0, {:.17g}, {:.17g}", -9.81 * std::cos(std::numbers::pi / 6.0),
                                          -9.81 * std::sin(std::numbers::pi / 6.0));
  const RunRecord whole = run_text(model(bodies("w", four.whole(), place, gravity), "", "", kRun));
  const std::string left = four.crank + four.coupler + four.drive() +
                           "<Joint name=\"B\" from=\"crank.e\" to=\"coupler.s\"/><Interface name=\"C\" "
                           "frame=\"coupler.e\"/>";
  const std::string right = four.right() + "<Interface name=\"C\" frame=\"rocker.e\"/>";
  const RunRecord run = run_text(model(bodies("x", left, place, gravity) + bodies("y", right, place, gravity),
                                       glue("C", "x.C", "y.C", "spherical"), "<Gluing step=\"1e-3\"/>", kRun));
  const auto &fy = run.values("y.C.force.y"), &fz = run.values("y.C.force.z");
  const double force = largest_value(whole, "w.C.force.y"), sine = std::sin(std::numbers::pi / 6.0);
  for (std::size_t i = 0; i < fy.size(); ++i) {
    EXPECT_LT(std::abs(fz[i] * std::sqrt(1.0 - sine * sine) - fy[i] * sine), 1e-8 * force) << i;
  }
  for (const char* axis : {"x", "y", "z"}) {
    EXPECT_LT(off(run, fmt::format("y.C.force.{}", axis), whole, fmt::format("w.C.force.{}", axis), force), 1e-6);
  }
  ASSERT_EQ(run.report.gluings[0].notes.size(), 1U);
  EXPECT_NE(run.report.gluings[0].notes[0].find("rigid along (0, -0.5, 0.866)"), std::string::npos)
      << run.report.gluings[0].notes[0];
}

TEST(GluedRank, HasTheSameBitsWithAnyThreadsAndAfterASnapshot) {
  const FourBar four;
  const ModelFiles files(
      model(bodies("x", four.crank + four.coupler + four.drive() +
                            "<Joint name=\"B\" from=\"crank.e\" to=\"coupler.s\"/><Interface name=\"C\" "
                            "frame=\"coupler.e\"/>") +
                bodies("y", four.right() + "<Interface name=\"C\" frame=\"rocker.e\"/>"),
            glue("C", "x.C", "y.C", "revolute"), "<Gluing step=\"2e-3\"/>", kRun));
  Simulation one = Simulation::load(files.path()), two = Simulation::load(files.path()),
             three = Simulation::load(files.path());
  one.advance_to(0.2, {.threads = 1});
  const std::string state = one.save();
  one.advance_to(0.4, {.threads = 1});
  two.advance_to(0.4, {.threads = 4});
  EXPECT_EQ(present_values(one), present_values(two));
  three.restore(state);
  three.advance_to(0.4, {.threads = 2});
  EXPECT_EQ(present_values(one), present_values(three));
}

TEST(GluedRank, OfALoopOfThreeHingesIsThatOfTheLoop) {
  // A four-bar whose bars are components of their own: B and C close the loop between hinges A and D.
  const FourBar four;
  const RunRecord whole = run_text(model(bodies("w", four.whole()), "", "", kRun));
  const RunRecord run = run_text(model(
      bodies("x", four.crank + four.drive() + "<Interface name=\"B\" frame=\"crank.e\"/>") +
          bodies("m", four.coupler + "<Interface name=\"B\" frame=\"coupler.s\"/><Interface name=\"C\" "
                                     "frame=\"coupler.e\"/>") +
          bodies("y", four.right() + "<Interface name=\"C\" frame=\"rocker.e\"/>"),
      glue("B", "x.B", "m.B", "revolute") + glue("C", "m.C", "y.C", "revolute"), "<Gluing step=\"1e-3\"/>", kRun));
  for (const char* axis : {"x", "y"}) {
    EXPECT_LT(off(run, fmt::format("y.C.force.{}", axis), whole, fmt::format("w.C.force.{}", axis)), 1e-6);
    EXPECT_LT(off(run, fmt::format("m.B.force.{}", axis), whole, fmt::format("w.B.force.{}", axis)), 1e-6);
  }
  EXPECT_LT(largest_value(run, "y.C.force.z"), 1e-7 * largest_value(whole, "w.C.force.y"));
  ASSERT_EQ(run.report.gluings[0].notes.size(), 1U);
  EXPECT_NE(run.report.gluings[0].notes[0].find("constrain some directions more than once"), std::string::npos)
      << run.report.gluings[0].notes[0];
}

TEST(GluedRank, OfBodiesThatBothHangOnOneAxisIsThatOfOneBody) {
  // A weld between two bodies on hinges along the same axis: all but the rotation is held on both sides.
  const auto hung = [](const std::string& name, double mass, double offset) {
    return fmt::format(
        "<Body name=\"b\" position=\"{0}, 0, 0\" mass=\"{1}\" inertia=\"0.2, 0.3, 0.4\"><Frame name=\"h\" "
        "position=\"-{0}, 0, 0\"/><Frame name=\"tip\" position=\"{2}, 0, 0\" record=\"yes\"/></Body><Joint "
        "name=\"hinge\" from=\"ground\" to=\"b.h\"/>{3}",
        offset, mass, 1.0 - offset, name);
  };
  const std::string end = "<Interface name=\"tip\" frame=\"b.tip\"/>";
  const RunRecord run = run_text(model(bodies("a", hung(end, 2.0, 0.4)) + bodies("b", hung(end, 3.0, 0.7)),
                                       glue("weld", "a.tip", "b.tip", "fixed"), "<Gluing step=\"2e-3\"/>", kRun));
  const RunRecord whole = run_text(
      model(bodies("w",
                   "<Body name=\"b\" mass=\"5\" center=\"{(2*0.4 + 3*0.7)/5}, 0, 0\" inertia=\"1, 1, {0.4 + 0.4 + "
                   "2*0.4^2 + 3*0.7^2 - (2*0.4 + 3*0.7)^2/5}\"><Frame name=\"tip\" position=\"1, 0, 0\" "
                   "record=\"yes\"/></Body><Joint name=\"hinge\" from=\"ground\" to=\"b\"/>"),
            "", "", kRun));
  for (const char* axis : {"x", "y"}) {
    EXPECT_LT(off(run, fmt::format("a.b.tip.position.{}", axis), whole, fmt::format("w.b.tip.position.{}", axis)),
              1e-8);
  }
  EXPECT_LT(largest_value(run, "b.tip.force.z"), 1e-9 * largest_value(run, "b.tip.force.y"));
  ASSERT_EQ(run.report.gluings[0].notes.size(), 1U);
}

TEST(GluedRank, OfStructuresOnSupportsLeavesTheSupportsAlone) {
  // Two beams whose common node is supported in all but rotation about y, on both sides: the moment is all that passes.
  const auto beam = [](const std::string& name, double from, double to, const std::string& more) {
    return fmt::format(
        "<Component name=\"{}\" kind=\"structure\" step=\"1e-4\"><Structure><Material name=\"steel\" "
        "youngs_modulus=\"210e9\" poissons_ratio=\"0.3\" density=\"7850\"/><Section name=\"rod\" radius=\"0.02\"/>"
        "<Node name=\"a\" position=\"{}, 0, 0\"/><Node name=\"b\" position=\"{}, 0, 0\"/><Beam name=\"x\" from=\"a\" "
        "to=\"b\" section=\"rod\" material=\"steel\" elements=\"3\"/>{}</Structure></Component>",
        name, from, to, more);
  };
  const std::string pin = "directions=\"x, y, z, rx, rz\"/>";
  const std::string run_for = "stop=\"0.02\" write_interval=\"1e-3\"";
  const std::string load =
      "<Load node=\"x.node2\" force=\"0, 0, {80*sin(400*t)}\"/><Sensor name=\"mid\" "
      "node=\"x.node2\"/>";
  const std::string glued =
      model(beam("one", 0.0, 1.0,
                 "<Support node=\"a\"/><Support node=\"b\" " + pin + load +
                     "<Interface name=\"e\" "
                     "node=\"b\"/>") +
                beam("two", 1.0, 1.6, "<Support node=\"a\" " + pin + "<Interface name=\"e\" node=\"a\"/>"),
            "<Connection name=\"seam\" from=\"one.e\" to=\"two.e\" coupling=\"glue\"/>", "", run_for);
  const RunRecord run = run_text(glued);
  std::string nodes =
      "<Node name=\"c\" position=\"1.6, 0, 0\"/><Beam name=\"y\" from=\"b\" to=\"c\" section=\"rod\" "
      "material=\"steel\" elements=\"3\"/>";
  const RunRecord whole = run_text(
      model(beam("w", 0.0, 1.0, nodes + "<Support node=\"a\"/><Support node=\"b\" " + pin + load), "", "", run_for));
  EXPECT_LT(off(run, "one.mid.displacement.z", whole, "w.mid.displacement.z"), 1e-9);
  ASSERT_EQ(run.report.gluings[0].notes.size(), 1U);
  EXPECT_NE(run.report.gluings[0].notes[0].find("rigid along x, y and z and about x and z"), std::string::npos)
      << run.report.gluings[0].notes[0];
}

TEST(GluedRest, HoldsBodiesThatHang) {
  // Two bodies on a string of balls: at rest, with the weight of the lower one between them.
  const std::string upper =
      "<Body name=\"b\" position=\"0, 0, -0.4\" mass=\"3\" inertia=\"1, 1, 1\"><Frame name=\"t\" position=\"0, 0, "
      "0.4\"/><Frame name=\"l\" position=\"0, 0, -0.4\" record=\"yes\"/></Body><Joint name=\"j\" kind=\"spherical\" "
      "from=\"ground\" to=\"b.t\"/><Interface name=\"e\" frame=\"b.l\"/>";
  const std::string lower =
      "<Body name=\"b\" position=\"0, 0, -1.3\" mass=\"7\" inertia=\"1, 1, 1\"><Frame name=\"t\" position=\"0, 0, "
      "0.5\" record=\"yes\"/></Body><Interface name=\"e\" frame=\"b.t\"/>";
  for (const char* joint : {"spherical", "revolute", "fixed"}) {
    for (const char* gluing : {"<Gluing step=\"1e-2\"/>", "<Gluing step=\"5e-4\"/>",
                               "<Gluing step=\"1e-2\" compatibility=\"displacement\"/>",
                               "<Gluing step=\"1e-2\" compatibility=\"acceleration\"/>"}) {
      const RunRecord run =
          run_text(model(bodies("p", upper, "", "0, 0, -9.81") + bodies("q", lower, "", "0, 0, -9.81"),
                         glue("g", "p.e", "q.e", joint), gluing, "stop=\"0.3\" write_interval=\"0.05\""));
      EXPECT_LT(largest_deviation(run, "q.e.force.z", [](double) { return 7.0 * 9.81; }), 1e-6) << joint << gluing;
      EXPECT_LT(largest_deviation(run, "q.b.t.position.z", [](double) { return -0.8; }), 1e-10) << joint << gluing;
      EXPECT_EQ(run.report.verdict, results::Verdict::trust) << joint << gluing;
    }
  }
}

TEST(GluedRest, HoldsMassesWhoseInnerForcesCancel) {
  // Each mass rests on a spring of its own under its own load of 1e4 N: nothing is left for the glue.
  const auto resting = [](const std::string& name, double mass) {
    return fmt::format(
        "<Component name=\"{}\" kind=\"network\"><Network><Ground name=\"g\"/><Mass name=\"m\" mass=\"{}\"/><Spring "
        "name=\"k\" from=\"g\" to=\"m\" stiffness=\"1e6\" free_length=\"0.01\"/><Load name=\"f\" node=\"m\" "
        "force=\"-1e4\"/><Interface name=\"e\" node=\"m\"/></Network></Component>",
        name, mass);
  };
  const std::string text =
      model(resting("a", 1.0) + resting("b", 3.0), "<Connection name=\"g\" from=\"a.e\" to=\"b.e\" coupling=\"glue\"/>",
            "<Gluing step=\"1e-2\"/>", "stop=\"0.5\" write_interval=\"0.1\"");
  const RunRecord run = run_text(text);
  EXPECT_LT(largest_value(run, "b.e.force"), 1e-6);
  EXPECT_EQ(run.report.verdict, results::Verdict::trust);
}

}  // namespace glue_rank_test
}  // namespace tieline::support
