// Sets of points of which one side or both take motion, against the structure in one piece; and sides that lead.

#include <gtest/gtest.h>

#include "support/spinning_pair.hpp"

namespace tieline::support {
namespace glue_sets_test {

const std::string kStock =
    "<Material name=\"steel\" youngs_modulus=\"210e9\" shear_modulus=\"80e9\" density=\"7800\"/><Section name=\"bar\" "
    "radius=\"0.01\"/>";

/// A comb of beams along x, from a bar along y at x = 0 (its root, which is held or ends at a cut) to one at x = 0.4.
/// All loads are in the plane, so that rotations add up as numbers do.
std::string frame(const std::string& name, double x0, const std::vector<double>& ys, const std::string& more) {
  std::string nodes, beams;
  for (std::size_t i = 0; i < ys.size(); ++i) {
    nodes += fmt::format("<Node name=\"r{0}\" position=\"{1}, {2}, 0\"/><Node name=\"t{0}\" position=\"{3}, {2}, 0\"/>",
                         i, x0, ys[i], x0 + 0.4);
    beams += fmt::format("<Beam name=\"x{0}\" from=\"r{0}\" to=\"t{0}\" section=\"bar\" material=\"steel\"/>", i);
    if (i == 0) continue;
    for (const char* end : {"r", "t"}) {
      beams += fmt::format("<Beam name=\"y{0}{1}\" from=\"{0}{2}\" to=\"{0}{1}\" section=\"bar\" material=\"steel\"/>",
                           end, i, i - 1);
    }
  }
  return fmt::format(
      "<Component name=\"{}\" kind=\"structure\" step=\"5e-4\"><Structure>{}{}{}<Damping mass=\"2\" "
      "stiffness=\"2e-5\"/>{}</Structure></Component>",
      name, kStock, nodes, beams, more);
}
std::string interface(const std::string& name, const std::string& end, std::size_t count, bool takes_motion) {
  std::string nodes;
  for (std::size_t i = 0; i < count; ++i) nodes += fmt::format("{}{} ", end, i);
  return fmt::format("<Interface name=\"{}\" nodes=\"{}\" {}/>", name, nodes,
                     takes_motion ? "causality=\"motion\"" : "");
}
const std::vector<double> kPlaces{0.0, 0.1, 0.25, 0.3};

std::string held() { return "<Support node=\"r0\"/><Support node=\"r3\"/><Sensor name=\"root\" node=\"t2\"/>"; }
std::string loaded(std::size_t last) {
  return fmt::format(
      "<Load node=\"t{0}\" force=\"{{300*sin(60*t)}}, {{200*sin(90*t)}}, 0\"/><Sensor name=\"end\" node=\"t{0}\"/>",
      last);
}

struct Sides {
  bool left = false, right = false;  ///< which take motion
  std::string connection = "coupling=\"glue\"", gluing = "<Gluing/>";
  std::vector<double> right_places = kPlaces;
  bool is_swapped = false;
};

std::string model(const Sides& of, double stop = 0.04) {
  const std::size_t n = of.right_places.size();
  const std::string left = frame("left", 0.0, kPlaces, held() + interface("rail", "t", 4, of.left));
  const std::string right = frame("right", 0.4, of.right_places, loaded(n - 1) + interface("rail", "r", n, of.right));
  return fmt::format(
      "<CompositeModel name=\"sets\"><Components>{}</Components><Connections><Connection name=\"j\" from=\"{}.rail\" "
      "to=\"{}.rail\" {}/></Connections>{}<Simulation stop=\"{}\" write_interval=\"2e-3\"/></CompositeModel>",
      left + right, of.is_swapped ? "right" : "left", of.is_swapped ? "left" : "right", of.connection, of.gluing, stop);
}

/// Largest difference between two runs, as a share of the largest displacement.
double off(const RunRecord& run, const RunRecord& other) {
  double worst = 0.0, size = 0.0;
  for (const char* variable : {"left.root.displacement.x", "left.root.displacement.y", "right.end.displacement.x",
                               "right.end.displacement.y", "right.end.rotation.z"}) {
    const auto &a = run.values(variable), &b = other.values(variable);
    EXPECT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      worst = std::max(worst, std::abs(a[i] - b[i]));
      size = std::max(size, std::abs(b[i]));
    }
  }
  return worst / size;
}

/// Newmark's steps of a comb of two rows in one piece, each of whose halves has its bar at the cut.
const RunRecord& whole() {
  static const RunRecord run = [] {
    // Both bars at the cut are there: of twice the mass and stiffness.
    std::string nodes, beams;
    for (std::size_t i = 0; i < kPlaces.size(); ++i) {
      for (int row = 0; row < 3; ++row) {
        nodes += fmt::format("<Node name=\"n{}{}\" position=\"{}, {}, 0\"/>", row, i, 0.4 * row, kPlaces[i]);
      }
      for (int row = 0; row < 2; ++row) {
        beams +=
            fmt::format("<Beam name=\"x{0}{1}\" from=\"n{0}{1}\" to=\"n{2}{1}\" section=\"bar\" material=\"steel\"/>",
                        row, i, row + 1);
      }
      if (i == 0) continue;
      for (const auto& [row, twin] : {std::pair{0, ""}, std::pair{1, ""}, std::pair{1, "b"}, std::pair{2, ""}}) {
        beams += fmt::format(
            "<Beam name=\"y{0}{1}{3}\" from=\"n{0}{2}\" to=\"n{0}{1}\" section=\"bar\" material=\"steel\"/>", row, i,
            i - 1, twin);
      }
    }
    return run_text(fmt::format(
        "<CompositeModel name=\"whole\"><Components><Component name=\"w\" kind=\"structure\" step=\"5e-4\"><Structure>"
        "{}{}{}<Damping mass=\"2\" stiffness=\"2e-5\"/><Support node=\"n00\"/><Support node=\"n03\"/><Sensor "
        "name=\"root\" node=\"n12\"/><Load node=\"n23\" force=\"{{300*sin(60*t)}}, {{200*sin(90*t)}}, 0\"/><Sensor "
        "name=\"end\" node=\"n23\"/></Structure></Component></Components><Simulation stop=\"0.04\" "
        "write_interval=\"2e-3\"/></CompositeModel>",
        kStock, nodes, beams));
  }();
  return run;
}

double off_whole(const RunRecord& run) {
  double worst = 0.0, size = 0.0;
  for (const auto& [own, there] : {std::pair{"left.root.displacement.y", "w.root.displacement.y"},
                                   std::pair{"right.end.displacement.x", "w.end.displacement.x"},
                                   std::pair{"right.end.displacement.y", "w.end.displacement.y"}}) {
    const auto &a = run.values(own), &b = whole().values(there);
    EXPECT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      worst = std::max(worst, std::abs(a[i] - b[i]));
      size = std::max(size, std::abs(b[i]));
    }
  }
  return worst / size;
}

TEST(GluedSets, OfMotionAreTheStructureInOnePiece) {
  for (const auto& [left, right] : {std::pair{false, true}, std::pair{true, false}, std::pair{true, true}}) {
    for (const char* how : {"", "update=\"iqn_ils\""}) {
      const RunRecord run = run_text(model({.left = left, .right = right, .gluing = fmt::format("<Gluing {}/>", how)}));
      // The same method in time with the same steps: but for rounding and the tolerance of gluing.
      EXPECT_LT(off_whole(run), 1e-6) << left << right << how;
      EXPECT_LT(run.connection("j").drift, 1e-8) << left << right << how;
    }
  }
}

TEST(GluedSets, AreTheSameWhicheverSideTakesMotion) {
  const RunRecord forces = run_text(model({}));
  for (const auto& [left, right] : {std::pair{false, true}, std::pair{true, false}, std::pair{true, true}}) {
    const RunRecord run = run_text(model({.left = left, .right = right}));
    EXPECT_LT(off(run, forces), 1e-6) << left << right;
  }
}

TEST(GluedSets, ThatDoNotMatchFollowTheMeansOfTheirNeighbours) {
  // Three points among four: each is a mean of its neighbours, whichever side takes motion.
  const std::vector<double> places{0.05, 0.175, 0.275};
  const RunRecord forces = run_text(model({.right_places = places}));
  for (const auto& [left, right] : {std::pair{false, true}, std::pair{true, false}, std::pair{true, true}}) {
    const RunRecord run = run_text(model({.left = left, .right = right, .right_places = places}));
    EXPECT_LT(off(run, forces), 1e-6) << left << right;
  }
}

TEST(GluedSets, AreTheSameWhicheverSideLeads) {
  const auto plain = [](bool left, bool right, const std::vector<double>& places) {
    return run_text(model({.left = left, .right = right, .right_places = places}, 0.02));
  };
  for (const auto& [left, right] : {std::pair{false, true}, std::pair{true, true}}) {
    const RunRecord reference = plain(left, right, kPlaces);
    for (const char* leads : {"from", "to"}) {
      for (const bool is_swapped : {false, true}) {
        // Between accelerations only motions lead.
        const bool leads_by_force = !left && (std::string(leads) == "from") != is_swapped;
        if (leads_by_force) continue;
        const RunRecord run = run_text(model({.left = left,
                                              .right = right,
                                              .connection = fmt::format("coupling=\"glue\" leads=\"{}\"", leads),
                                              .is_swapped = is_swapped},
                                             0.02));
        EXPECT_LT(off(run, reference), 1e-6) << left << right << leads << is_swapped;
        // Four points of six axes: what leads is all that is sought.
        EXPECT_EQ(run.report.gluings.at(0).unknowns, 24U) << left << right << leads;
      }
    }
    EXPECT_EQ(reference.report.gluings.at(0).unknowns, left ? 72U : 48U);
  }
}

TEST(GluedSets, RelaxToTheSameMotion) {
  for (const bool is_swapped : {false, true}) {
    const Sides plain{.right = true, .is_swapped = is_swapped};
    Sides relaxed = plain;
    relaxed.gluing = "<Gluing update=\"aitken\" iterations=\"200\"/>";
    const RunRecord run = run_text(model(relaxed, 0.02));
    EXPECT_LT(off(run, run_text(model(plain, 0.02))), 1e-6) << is_swapped;
    EXPECT_EQ(run.report.gluings.at(0).probes, 0U);
  }
}

std::string complaint(const std::string& text) {
  try {
    run_text(text);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(GluedSets, WithMorePointsThanLeadThemAreRefused) {
  const std::vector<double> places{0.05, 0.175, 0.275};
  // Four that take motion, from three: what lies between is not known.
  const std::string led =
      complaint(model({.left = true, .connection = "coupling=\"glue\" leads=\"to\"", .right_places = places}, 0.01));
  EXPECT_NE(led.find("the from side has 4 points that get their motion from fewer"), led.npos) << led;
  const std::string relaxed =
      complaint(model({.left = true, .gluing = "<Gluing update=\"aitken\"/>", .right_places = places}, 0.01));
  EXPECT_NE(relaxed.find("the from side has 4 points that get their motion from fewer"), relaxed.npos) << relaxed;
  // Three that take it from four are fine.
  EXPECT_EQ(
      complaint(model({.right = true, .connection = "coupling=\"glue\" leads=\"to\"", .right_places = places}, 0.01)),
      "");
}

TEST(LeadingSides, InSpaceGiveTheSystemInOnePiece) {
  SpinningPair pair;
  pair.world = {{300.0, -200.0, 150.0}, core::rotation_from_angles(Eigen::Vector3d(0.7, -0.4, 2.0))};
  const RunRecord whole = run_text(pair.whole());
  for (const bool is_swapped : {false, true}) {
    pair.is_swapped = is_swapped;
    for (const char* leads : {"from", "to"}) {
      pair.coupling = fmt::format("coupling=\"glue\" leads=\"{}\"", leads);
      pair.gluing = "<Gluing step=\"0.01\"/>";
      const RunRecord run = run_text(pair.apart());
      EXPECT_LT(error_of(pair, run, whole), 1e-6) << leads << is_swapped;
      EXPECT_LT(run.connection("j").drift, 1e-7) << leads << is_swapped;
      EXPECT_EQ(run.report.gluings.at(0).unknowns, 18U);
      EXPECT_EQ(run.report.gluings.at(0).probes, 0U);
    }
  }
}

TEST(LeadingSides, RelaxFromEitherSide) {
  SpinningPair pair;
  const RunRecord whole = run_text(pair.whole());
  // The bushing follows a trial force stiffly: its motion leads well, and its force does where the step is long.
  pair.coupling = "coupling=\"glue\" leads=\"to\"";
  pair.gluing = "<Gluing step=\"0.005\" update=\"aitken\" iterations=\"60\"/>";
  EXPECT_LT(error_of(pair, run_text(pair.apart()), whole), 1e-6);
  pair.coupling = "coupling=\"glue\" leads=\"from\"";
  EXPECT_LT(error_of(pair, run_text(pair.apart()), whole), 1e-6);
}

TEST(LeadingSides, WhereBothTakeMotionGiveIt) {
  SpinningPair pair;
  pair.has_two_bushings = true;
  pair.coupling = "coupling=\"glue\"";
  pair.gluing = "<Gluing step=\"0.01\"/>";
  const RunRecord plain = run_text(pair.apart());
  for (const char* leads : {"from", "to"}) {
    pair.coupling = fmt::format("coupling=\"glue\" leads=\"{}\"", leads);
    const RunRecord run = run_text(pair.apart());
    for (const char* variable : {"a.a.position.y", "b.b.position.y", "b.b.orientation.z"}) {
      const auto &own = run.values(variable), &there = plain.values(variable);
      for (std::size_t i = 0; i < own.size(); ++i) EXPECT_NEAR(own[i], there[i], 1e-8) << variable << leads;
    }
    EXPECT_EQ(run.report.gluings.at(0).unknowns, 18U);
  }
}

TEST(LeadingSides, HaveTheSameBitsWithAnyThreadsAndAfterASnapshot) {
  for (const bool has_two : {false, true}) {
    SpinningPair pair;
    pair.has_two_bushings = has_two;
    pair.coupling = "coupling=\"glue\" leads=\"from\"";
    pair.gluing = "<Gluing step=\"0.01\"/>";
    const ModelFiles files(pair.apart());
    Simulation one = Simulation::load(files.path()), two = Simulation::load(files.path());
    Simulation three = Simulation::load(files.path());
    one.advance_to(0.05, {.threads = 1});
    const std::string state = one.save();
    one.advance_to(0.1, {.threads = 1});
    two.advance_to(0.1, {.threads = 3});
    three.restore(state);
    three.advance_to(0.1, {.threads = 2});
    EXPECT_EQ(present_values(one), present_values(two)) << has_two;
    EXPECT_EQ(present_values(one), present_values(three)) << has_two;
  }
}

std::string axis_pair(const std::string& connection, const std::string& gluing, bool has_two) {
  const std::string a =
      has_two
          ? "<Ground name=\"g\"/><Mass name=\"m\" mass=\"1\" velocity=\"1\"/><Spring name=\"k\" from=\"g\" to=\"m\" "
            "stiffness=\"100\"/><Node name=\"n\"/><Spring name=\"s\" from=\"m\" to=\"n\" stiffness=\"40\"/><Damper "
            "name=\"e\" from=\"m\" to=\"n\" damping=\"4\"/><Interface name=\"end\" node=\"n\" "
            "causality=\"motion\"/>"
          : "<Ground name=\"g\"/><Mass name=\"m\" mass=\"1\" velocity=\"1\"/><Spring name=\"k\" from=\"g\" to=\"m\" "
            "stiffness=\"100\"/><Interface name=\"end\" node=\"m\"/>";
  return fmt::format(
      "<CompositeModel name=\"axis\"><Components><Component name=\"a\" "
      "kind=\"network\"><Network>{}</Network></Component>"
      "<Component name=\"b\" kind=\"network\"><Network><Node name=\"n\"/><Mass name=\"m\" mass=\"0.5\"/><Spring "
      "name=\"s\" from=\"n\" to=\"m\" stiffness=\"60\"/><Damper name=\"e\" from=\"n\" to=\"m\" "
      "damping=\"6\"/><Interface "
      "name=\"end\" node=\"n\" causality=\"motion\"/></Network></Component></Components><Connections><Connection "
      "name=\"j\" from=\"a.end\" to=\"b.end\" {}/></Connections>{}<Simulation stop=\"0.5\" write_interval=\"0.02\" "
      "tolerance=\"1e-11\"/></CompositeModel>",
      a, connection, gluing);
}

TEST(LeadingSides, OnOneAxisGiveTheSameMotion) {
  for (const bool has_two : {false, true}) {
    const RunRecord plain = run_text(axis_pair("coupling=\"glue\"", "<Gluing step=\"0.01\"/>", has_two));
    for (const char* leads : {"from", "to"}) {
      const RunRecord run =
          run_text(axis_pair(fmt::format("coupling=\"glue\" leads=\"{}\"", leads), "<Gluing step=\"0.01\"/>", has_two));
      for (const char* variable : {"a.m.position", "b.m.position"}) {
        const auto &own = run.values(variable), &there = plain.values(variable);
        for (std::size_t i = 0; i < own.size(); ++i)
          EXPECT_NEAR(own[i], there[i], 1e-8) << variable << leads << has_two;
      }
      EXPECT_EQ(run.report.gluings.at(0).unknowns, 3U) << leads << has_two;
    }
  }
}

TEST(LeadingSides, AreRefusedWhereNoneCanLead) {
  SpinningPair pair;
  pair.coupling = "coupling=\"glue\" leads=\"from\" joint=\"revolute\"";
  pair.gluing = "<Gluing step=\"0.01\" update=\"broyden\"/>";
  const std::string message = complaint(pair.apart());
  EXPECT_NE(message.find("joint=\"revolute\" leaves motions free"), message.npos) << message;
  EXPECT_NE(message.find("update=\"broyden\" corrects a matrix"), message.npos) << message;
  const std::string forces = complaint(model({.connection = "coupling=\"glue\" leads=\"to\""}));
  EXPECT_NE(forces.find("both take force: none of them can be computed"), forces.npos) << forces;
  pair.coupling = "coupling=\"sampled\" leads=\"from\"";
  pair.gluing.clear();
  const std::string sampled = complaint(pair.apart());
  EXPECT_NE(sampled.find("'leads' does not apply to coupling=\"sampled\""), sampled.npos) << sampled;
}

}  // namespace glue_sets_test
}  // namespace tieline::support
