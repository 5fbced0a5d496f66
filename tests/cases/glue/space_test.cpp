// Bodies and structures glued in space: joints, sets of points, starts at rest; against the same in one piece.

#include "support/model_run.hpp"

namespace tieline::support {
namespace glue_space_test {

std::string model(const std::string& components, const std::string& connections, const std::string& more,
                  const std::string& simulation) {
  return fmt::format(
      "<CompositeModel name=\"glued\"><Components>{}</Components><Connections>{}</Connections>{}<Simulation {}/>"
      "</CompositeModel>",
      components, connections, more, simulation);
}
std::string bodies(const std::string& name, const std::string& content, const std::string& attributes = "") {
  return fmt::format(
      "<Component name=\"{}\" kind=\"multibody\"><Multibody gravity=\"0, 0, -9.81\" {}>{}</Multibody></Component>",
      name, attributes, content);
}

double off(const RunRecord& run, const std::string& variable, const RunRecord& whole, const std::string& there) {
  double largest = 0.0;
  const auto &a = run.values(variable), &b = whole.values(there);
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Two bodies that turn and fly in space, the second joined to the first 0.3 m away from its centre of mass.
const std::string kFirst =
    "<Body name=\"p\" mass=\"2\" inertia=\"0.03, 0.05, 0.04\" velocity=\"1, 0, 3\" angular_velocity=\"{w}\"><Frame "
    "name=\"seat\" position=\"0.3, 0, 0\" angles=\"0.2, 0.4, 0.1\" record=\"yes\"/></Body>";
std::string second(const std::string& velocity, const std::string& turning) {
  // Its frame at the joint is its own; the centre of mass is 0.2 m off.
  return "<Body name=\"q\" mass=\"1\" center=\"0.2, 0.05, 0\" inertia=\"0.01, 0.02, 0.015\" position=\"0.3, 0, 0\" "
         "angles=\"0.2, 0.4, 0.1\" velocity=\"" +
         velocity + "\" angular_velocity=\"" + turning + "\"><Frame name=\"f\" record=\"yes\"/></Body>";
}

struct JointCase {
  const char* joint;
  const char* whole;  ///< <Joint kind> in one piece; its axis is z of the frames
};

TEST(GluedJoints, MoveAsJointsInOnePiece) {
  // The first body turns at w about its centre: the seat moves at v + w x r.
  const std::string w = "2, -1, 4", v_seat = "1, {0.3*4}, {3 + 0.3*1}";
  for (const auto& [joint, kind] :
       {JointCase{"fixed", "fixed"}, JointCase{"revolute", "revolute"}, JointCase{"spherical", "spherical"},
        JointCase{"prismatic", "prismatic"}, JointCase{"cylindrical", "cylindrical"}}) {
    std::string p = kFirst;
    p.replace(p.find("{w}"), 3, w);
    const std::string q = second(v_seat, w);
    const std::string run_settings = "stop=\"0.5\" write_interval=\"0.05\" tolerance=\"1e-11\"";
    const RunRecord whole = run_text(
        model(bodies("w", p + q + fmt::format("<Joint name=\"j\" kind=\"{}\" from=\"p.seat\" to=\"q.f\"/>", kind)), "",
              "", run_settings));
    const RunRecord run = run_text(
        model(bodies("a", p + "<Interface name=\"seat\" frame=\"p.seat\"/>") +
                  bodies("b", q + "<Interface name=\"f\" frame=\"q.f\"/>"),
              fmt::format("<Connection name=\"j\" from=\"a.seat\" to=\"b.f\" coupling=\"glue\" joint=\"{}\"/>", joint),
              "<Gluing step=\"5e-3\"/>", run_settings));
    for (const char* axis : {"x", "y", "z"}) {
      EXPECT_LT(off(run, fmt::format("a.p.seat.position.{}", axis), whole, fmt::format("w.p.seat.position.{}", axis)),
                1e-6)
          << joint;
      EXPECT_LT(off(run, fmt::format("b.q.f.position.{}", axis), whole, fmt::format("w.q.f.position.{}", axis)), 1e-6)
          << joint;
      EXPECT_LT(off(run, fmt::format("b.q.f.orientation.{}", axis), whole, fmt::format("w.q.f.orientation.{}", axis)),
                1e-6)
          << joint;
    }
    EXPECT_LT(run.connection("j").energy_residual_relative, 1e-4) << joint;
  }
}

std::string structure(const std::string& name, const std::string& content, const std::string& attributes = "",
                      const std::string& step = "step=\"1e-4\"") {
  return fmt::format(
      "<Component name=\"{}\" kind=\"structure\" {}><Structure {}><Material name=\"steel\" youngs_modulus=\"210e9\" "
      "poissons_ratio=\"0.3\" density=\"7850\"/><Section name=\"rod\" radius=\"0.02\"/>{}</Structure></Component>",
      name, step, attributes, content);
}
std::string beam(const std::string& name, const std::string& from, const std::string& to, int elements) {
  return fmt::format("<Beam name=\"{}\" from=\"{}\" to=\"{}\" section=\"rod\" material=\"steel\" elements=\"{}\"/>",
                     name, from, to, elements);
}
const std::string kA = "<Node name=\"a\" position=\"0, 0, 0\"/>", kB = "<Node name=\"b\" position=\"1, 0, 0\"/>",
                  kC = "<Node name=\"c\" position=\"1.8, 0, 0\"/>";

TEST(GluedSets, OfMatchingPointsAreOne) {
  // Two beams along each other, glued at all inner nodes, listed in different orders.
  const std::string load = "<Support node=\"a\"/><Load node=\"b\" force=\"0, 0, {50*sin(300*t)}\"/>";
  const std::string glued = model(
      structure(
          "one",
          kA + kB + beam("x", "a", "b", 4) + load +
              "<Interface name=\"edge\" nodes=\"x.node1, x.node2, x.node3, b\"/><Sensor name=\"tip\" node=\"b\"/>") +
          structure("two", kA + kB + beam("y", "a", "b", 4) +
                               "<Interface name=\"edge\" nodes=\"b, y.node3, y.node1, y.node2\"/>"),
      "<Connection name=\"seam\" from=\"one.edge\" to=\"two.edge\" coupling=\"glue\"/>", "",
      "stop=\"0.02\" write_interval=\"1e-3\"");
  // In one piece the second beam has an end of its own at a.
  std::string nodes;
  for (int i = 1; i <= 3; ++i) nodes += fmt::format("<Node name=\"n{}\" position=\"{}, 0, 0\"/>", i, 0.25 * i);
  std::string beams;
  const std::vector<std::string> first{"a", "n1", "n2", "n3", "b"}, other{"a2", "n1", "n2", "n3", "b"};
  for (std::size_t i = 0; i < 4; ++i) {
    beams +=
        beam(fmt::format("x{}", i), first[i], first[i + 1], 1) + beam(fmt::format("y{}", i), other[i], other[i + 1], 1);
  }
  const RunRecord whole = run_text(model(structure("w", kA + "<Node name=\"a2\" position=\"0, 0, 0\"/>" + nodes + kB +
                                                            beams + load + "<Sensor name=\"tip\" node=\"b\"/>"),
                                         "", "", "stop=\"0.02\" write_interval=\"1e-3\""));
  const RunRecord run = run_text(glued);
  const double size = largest_value(whole, "w.tip.displacement.z");
  EXPECT_LT(off(run, "one.tip.displacement.z", whole, "w.tip.displacement.z"), 1e-10 * size);
  EXPECT_EQ(run.report.gluings[0].unknowns, 24U);
}

TEST(GluedSets, OfDifferentPointsAreJoinedByWeights) {
  // A coarse and a fine beam: what is interpolated keeps the energy balance, and the motion is close to that of fine
  // ones.
  const auto run_with = [](int fine) {
    std::string nodes, inner;
    for (int i = 1; i < fine; ++i) inner += fmt::format("{}y.node{}", i > 1 ? ", " : "", i);
    return run_text(model(
        structure("one", kA + kB + beam("x", "a", "b", 4) +
                             "<Support node=\"a\"/><Load node=\"b\" force=\"0, 0, "
                             "{50*sin(300*t)}\"/><Interface name=\"edge\" nodes=\"x.node1, x.node2, x.node3\"/><Sensor "
                             "name=\"tip\" node=\"b\"/>") +
            structure("two",
                      kA + kB + beam("y", "a", "b", fine) + "<Interface name=\"edge\" nodes=\"" + inner + "\"/>"),
        "<Connection name=\"seam\" from=\"one.edge\" to=\"two.edge\" coupling=\"glue\"/>", "",
        "stop=\"0.02\" write_interval=\"1e-3\""));
  };
  const RunRecord matching = run_with(4), apart = run_with(7);
  EXPECT_EQ(apart.report.gluings[0].unknowns, 18U);
  const double size = largest_value(matching, "one.tip.displacement.z");
  EXPECT_LT(largest_difference(matching, apart, "one.tip.displacement.z"), 2e-2 * size);
  EXPECT_LT(std::abs(apart.report.energy_balance_relative), 1e-9);
}

TEST(GluedStatics, AreThoseOfTheWhole) {
  const std::string run = "stop=\"1\" write_interval=\"0.1\"", is_static = "analysis=\"static\"";
  const std::string force =
      "<Support node=\"c\"/><Load node=\"b\" force=\"0, {300*t}, {-200*t}\" torque=\"{20*t}, 0, 0\"/><Sensor "
      "name=\"t\" "
      "node=\"b\"/>";
  const RunRecord whole = run_text(model(
      structure("w", kA + kB + kC + beam("x", "a", "b", 3) + beam("y", "b", "c", 2) + "<Support node=\"a\"/>" + force,
                is_static, ""),
      "", "", run));
  const RunRecord glued = run_text(model(
      structure("one", kA + kB + beam("x", "a", "b", 3) + "<Support node=\"a\"/><Interface name=\"end\" node=\"b\"/>",
                is_static, "") +
          structure("two", kB + kC + beam("y", "b", "c", 2) + "<Interface name=\"end\" node=\"b\"/>" + force, is_static,
                    ""),
      "<Connection name=\"j\" from=\"one.end\" to=\"two.end\" coupling=\"glue\"/>", "<Gluing step=\"0.1\"/>", run));
  for (const char* quantity : {"displacement.y", "displacement.z", "rotation.x"}) {
    const double size = largest_value(whole, fmt::format("w.t.{}", quantity));
    EXPECT_GT(size, 0.0);
    EXPECT_LT(off(glued, fmt::format("two.t.{}", quantity), whole, fmt::format("w.t.{}", quantity)), 1e-8 * size);
  }
  EXPECT_EQ(glued.report.gluings[0].compatibility, "displacement");
}

TEST(GluedStatics, OfFloatingMembersAreRefusedWithTheirMotions) {
  const ModelFiles files(model(
      structure("one", kA + kB + beam("x", "a", "b", 3) + "<Support node=\"a\"/><Interface name=\"end\" node=\"b\"/>",
                "analysis=\"static\"", "") +
          structure("adrift", kB + kC + beam("y", "b", "c", 2) + "<Interface name=\"end\" node=\"b\"/>",
                    "analysis=\"static\"", ""),
      "<Connection name=\"j\" from=\"one.end\" to=\"adrift.end\" coupling=\"glue\"/>", "<Gluing step=\"0.1\"/>",
      "stop=\"1\" write_interval=\"0.1\""));
  std::string message;
  try {
    run_model(files.path());
  } catch (const std::exception& problem) {
    message = problem.what();
  }
  EXPECT_NE(message.find("adrift"), std::string::npos) << message;
  EXPECT_NE(message.find("translation"), std::string::npos) << message;
}

TEST(GluedEquilibrium, StartsAtRestAndFillsLines) {
  // A hanging beam in two parts, with a weight on a line below: nothing moves.
  const std::string start = "gravity=\"0, 0, -9.81\" start=\"equilibrium\"";
  const RunRecord run = run_text(model(
      structure("one", kA + kB + beam("x", "a", "b", 3) + "<Support node=\"a\"/><Interface name=\"end\" node=\"b\"/>",
                start) +
          structure("two",
                    kB + kC + beam("y", "b", "c", 2) +
                        "<Interface name=\"end\" node=\"b\"/><Interface name=\"tip\" node=\"c\"/><Sensor name=\"s\" "
                        "node=\"c\"/>",
                    start) +
          bodies("load",
                 "<Body name=\"m\" mass=\"3\" inertia=\"0.1, 0.1, 0.1\" position=\"1.8, 0, 0\"><Frame name=\"f\" "
                 "record=\"yes\"/></Body><Interface name=\"hook\" frame=\"m.f\"/>",
                 "start=\"equilibrium\""),
      "<Connection name=\"j\" from=\"one.end\" to=\"two.end\" coupling=\"glue\"/><Connection name=\"rod\" "
      "from=\"two.tip\" "
      "to=\"load.hook\" coupling=\"line\" stiffness=\"1e6\" stiffness_rotation=\"1e4\" delay=\"1e-3\"/>",
      "", "stop=\"0.05\" write_interval=\"1e-3\""));
  const auto& z = run.values("two.s.displacement.z");
  EXPECT_LT(z.front(), -1e-4);
  for (const double value : z) EXPECT_NEAR(value, z.front(), 1e-7);
  // What the line carries at once is the weight below it.
  EXPECT_NEAR(run.values("load.hook.force.z").front(), 3.0 * 9.81, 1e-5);
  EXPECT_NEAR(run.values("load.hook.force.z").back(), 3.0 * 9.81, 1e-2);
  // And the glued joint that of everything beyond it: beam and load.
  const double beam_weight = 7850.0 * 3.14159265358979 * 0.02 * 0.02 * 0.8 * 9.81;
  EXPECT_NEAR(run.values("two.end.force.z").back(), 3.0 * 9.81 + beam_weight, 0.05);
}

}  // namespace glue_space_test
}  // namespace tieline::support
