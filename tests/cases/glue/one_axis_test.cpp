// Networks glued along one axis, against the same in one piece: sides that take force or motion, several at one
// interface, loops, lines outside, and what goes wrong.

#include "support/model_run.hpp"

namespace tieline::support {
namespace glue_one_axis_test {

std::string network(const std::string& name, const std::string& content, const std::string& attributes = "") {
  return fmt::format("<Component name=\"{}\" kind=\"network\" {}><Network>{}</Network></Component>", name, attributes,
                     content);
}
std::string glue(const std::string& name, const std::string& from, const std::string& to) {
  return fmt::format("<Connection name=\"{}\" from=\"{}\" to=\"{}\" coupling=\"glue\"/>", name, from, to);
}
std::string model(const std::string& components, const std::string& connections, const std::string& gluing,
                  const std::string& simulation = "stop=\"1\" write_interval=\"0.02\" tolerance=\"1e-11\"") {
  return fmt::format(
      "<CompositeModel name=\"glued\"><Components>{}</Components><Connections>{}</Connections>{}<Simulation {}/>"
      "</CompositeModel>",
      components, connections, gluing, simulation);
}

const std::string kHeld =
    "<Ground name=\"g\"/><Mass name=\"m\" mass=\"1\" velocity=\"1\"/><Spring name=\"k\" from=\"g\" to=\"m\" "
    "stiffness=\"100\"/>";

/// Largest difference of a variable against the same in one piece.
double off(const RunRecord& run, const std::string& variable, const RunRecord& whole, const std::string& there) {
  double largest = 0.0;
  const auto &a = run.values(variable), &b = whole.values(there);
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

std::string failure_of(const std::string& text) {
  const ModelFiles files(text);
  try {
    run_model(files.path());
  } catch (const std::exception& problem) {
    return problem.what();
  }
  return "";
}

/// Two masses that are one: 1 kg on a spring, and 2 kg with a damper.
TEST(GluedAxis, ForceMeetsForce) {
  const RunRecord whole = run_text(
      model(network("w",
                    "<Ground name=\"g\"/><Mass name=\"m\" mass=\"3\" velocity=\"1\"/><Spring name=\"k\" from=\"g\" "
                    "to=\"m\" stiffness=\"100\"/><Damper name=\"d\" from=\"g\" to=\"m\" damping=\"2\"/>"),
            "", ""));
  const std::string parts =
      network("a", kHeld + "<Interface name=\"end\" node=\"m\"/>") +
      network("b",
              "<Ground name=\"g\"/><Mass name=\"m\" mass=\"2\" velocity=\"1\"/><Damper name=\"d\" from=\"g\" "
              "to=\"m\" damping=\"2\"/><Interface name=\"end\" node=\"m\"/>");
  struct Case {
    const char* gluing;
    double error;
  };
  for (const auto& [gluing, error] :
       {Case{"<Gluing step=\"0.01\"/>", 1e-8}, Case{"<Gluing step=\"0.01\" forces=\"linear\"/>", 1e-5},
        Case{"<Gluing step=\"0.01\" forces=\"constant\"/>", 1e-2},
        Case{"<Gluing step=\"0.01\" compatibility=\"acceleration\" forces=\"linear\"/>", 1e-4},
        Case{"<Gluing step=\"0.01\" compatibility=\"acceleration\" forces=\"quadratic\"/>", 1e-6},
        Case{"<Gluing step=\"0.01\" compatibility=\"displacement\"/>", 1e-3},
        Case{"<Gluing step_tolerance=\"1e-5\"/>", 1e-5}}) {
    const RunRecord run = run_text(model(parts, glue("joint", "a.end", "b.end"), gluing));
    EXPECT_LT(off(run, "a.m.position", whole, "w.m.position"), error) << gluing;
    EXPECT_LT(off(run, "b.m.position", whole, "w.m.position"), error) << gluing;
    EXPECT_LT(run.connection("joint").drift, error) << gluing;
  }
}

std::string moved(const std::string& name, double mass, double stiffness) {
  return network(name, fmt::format("<Node name=\"n\"/><Mass name=\"m\" mass=\"{}\"/><Spring name=\"k\" from=\"n\" "
                                   "to=\"m\" stiffness=\"{}\"/><Damper name=\"d\" from=\"n\" to=\"m\" damping=\"0.5\"/>"
                                   "<Interface name=\"end\" node=\"n\" causality=\"motion\"/>",
                                   mass, stiffness));
}

TEST(GluedAxis, ForceMeetsMotion) {
  const RunRecord whole = run_text(
      model(network("w", kHeld + "<Mass name=\"m2\" mass=\"0.5\"/><Spring name=\"k2\" from=\"m\" to=\"m2\" "
                                 "stiffness=\"50\"/><Damper name=\"d\" from=\"m\" to=\"m2\" damping=\"0.5\"/>"),
            "", ""));
  const std::string parts = network("a", kHeld + "<Interface name=\"end\" node=\"m\"/>") + moved("b", 0.5, 50.0);
  for (const char* gluing : {"<Gluing step=\"0.01\"/>", "<Gluing step=\"0.01\" update=\"iqn_ils\"/>",
                             "<Gluing step=\"0.01\" update=\"aitken\" iterations=\"40\"/>"}) {
    for (const auto& connection : {glue("joint", "a.end", "b.end"), glue("joint", "b.end", "a.end")}) {
      const RunRecord run = run_text(model(parts, connection, gluing));
      EXPECT_LT(off(run, "a.m.position", whole, "w.m.position"), 1e-7) << gluing;
      EXPECT_LT(off(run, "b.m.position", whole, "w.m2.position"), 1e-7) << gluing;
    }
  }
}

TEST(GluedAxis, RelaxationNeedsAnOrder) {
  const std::string parts =
      network("a", kHeld + "<Interface name=\"end\" node=\"m\"/>") +
      network("b",
              "<Node name=\"n\"/><Mass name=\"m\" mass=\"0.5\"/><Spring name=\"k\" from=\"n\" to=\"m\" "
              "stiffness=\"50\"/><Interface name=\"end\" node=\"n\" causality=\"motion\"/><Interface name=\"far\" "
              "node=\"m\"/>") +
      moved("c", 0.1, 20.0);
  const std::string joints = glue("one", "a.end", "b.end") + glue("two", "b.far", "c.end");
  const std::string message =
      failure_of(model(parts, joints, "<Gluing step=\"0.01\" update=\"aitken\" iterations=\"40\"/>"));
  EXPECT_NE(message.find("'b'"), std::string::npos) << message;
  EXPECT_NE(message.find("does not support"), std::string::npos) << message;
  EXPECT_EQ(failure_of(model(parts, joints, "<Gluing step=\"0.01\"/>")), "");
}

TEST(GluedAxis, MotionMeetsMotion) {
  // Springs of 40 and 60 N/m in a row are one of 24 N/m.
  const std::string left =
      "<Ground name=\"g\"/><Mass name=\"m\" mass=\"1\" velocity=\"1\"/><Spring name=\"k\" from=\"g\" to=\"m\" "
      "stiffness=\"100\"/><Node name=\"n\"/><Spring name=\"s\" from=\"m\" to=\"n\" stiffness=\"40\"/><Damper "
      "name=\"e\" "
      "from=\"m\" to=\"n\" damping=\"4\"/><Interface name=\"end\" node=\"n\" causality=\"motion\"/>";
  const std::string right =
      "<Node name=\"n\"/><Mass name=\"m\" mass=\"2\"/><Spring name=\"s\" from=\"n\" to=\"m\" stiffness=\"60\"/><Damper "
      "name=\"e\" from=\"n\" to=\"m\" damping=\"6\"/><Interface name=\"end\" node=\"n\" causality=\"motion\"/>";
  const RunRecord whole = run_text(
      model(network("w", kHeld + "<Mass name=\"m2\" mass=\"2\"/><Spring name=\"s\" from=\"m\" to=\"m2\" "
                                 "stiffness=\"24\"/><Damper name=\"e\" from=\"m\" to=\"m2\" damping=\"2.4\"/>"),
            "", ""));
  const RunRecord run = run_text(
      model(network("a", left) + network("b", right), glue("joint", "a.end", "b.end"), "<Gluing step=\"0.01\"/>"));
  EXPECT_LT(off(run, "a.m.position", whole, "w.m.position"), 1e-6);
  EXPECT_LT(off(run, "b.m.position", whole, "w.m2.position"), 1e-6);
}

TEST(GluedAxis, SeveralMeetAtOneInterface) {
  const auto mass = [](const std::string& name, double m) {
    return network(name,
                   fmt::format("<Mass name=\"m\" mass=\"{}\" velocity=\"1\"/><Interface name=\"end\" node=\"m\"/>", m));
  };
  const std::string parts =
      network("a", kHeld + "<Interface name=\"end\" node=\"m\"/>") + mass("b", 2.0) + mass("c", 3.0);
  const RunRecord whole = run_text(
      model(network("w",
                    "<Ground name=\"g\"/><Mass name=\"m\" mass=\"6\" velocity=\"1\"/><Spring name=\"k\" from=\"g\" "
                    "to=\"m\" stiffness=\"100\"/>"),
            "", ""));
  const RunRecord run =
      run_text(model(parts, glue("one", "a.end", "b.end") + glue("two", "a.end", "c.end"), "<Gluing step=\"0.01\"/>"));
  for (const char* name : {"a", "b", "c"})
    EXPECT_LT(off(run, std::string(name) + ".m.position", whole, "w.m.position"), 1e-8);
  // The third side of a triangle says nothing new, which is known before the run.
  const std::string triangle = failure_of(
      model(parts, glue("one", "a.end", "b.end") + glue("two", "a.end", "c.end") + glue("three", "b.end", "c.end"),
            "<Gluing step=\"0.01\"/>"));
  EXPECT_NE(triangle.find("remove connection 'three'"), std::string::npos) << triangle;
}

TEST(GluedAxis, WhatIsSaidTwiceIsNamed) {
  // Two interfaces at one mass: the second connection repeats the first, which only a probe can detect.
  const std::string parts =
      network("a", kHeld + "<Interface name=\"end\" node=\"m\"/><Interface name=\"far\" node=\"m\"/>") +
      network("b",
              "<Mass name=\"m\" mass=\"2\" velocity=\"1\"/><Interface name=\"end\" node=\"m\"/><Interface "
              "name=\"far\" node=\"m\"/>");
  const RunRecord run =
      run_text(model(parts, glue("one", "a.end", "b.end") + glue("two", "a.far", "b.far"), "<Gluing step=\"0.01\"/>"));
  ASSERT_EQ(run.report.gluings[0].notes.size(), 1U);
  const std::string& note = run.report.gluings[0].notes[0];
  for (const char* name : {"'one'", "'two'"}) EXPECT_NE(note.find(name), std::string::npos) << note;
  // Both masses are one on the spring, and the two connections carry half of the force each.
  const RunRecord once = run_text(model(parts, glue("one", "a.end", "b.end"), "<Gluing step=\"0.01\"/>"));
  EXPECT_LT(off(run, "b.m.position", once, "b.m.position"), 1e-9);
  const auto &all = once.values("b.end.force"), &half = run.values("b.end.force");
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(2.0 * half[i], all[i], 1e-6) << i;
}

TEST(GluedAxis, NestsToAnyDepth) {
  // Masses of 1, 2, 3 and 4 kg, glued in three levels, each with settings of its own, on a spring of 1000 N/m.
  const auto mass = [](const std::string& name, double m, const std::string& more = "") {
    return network(name, fmt::format("<Mass name=\"m\" mass=\"{}\" velocity=\"1\"/>{}<Interface name=\"e\" node=\"m\"/>"
                                     "<Interface name=\"out\" node=\"m\"/>",
                                     m, more));
  };
  const auto nested = [](const std::string& components, const std::string& exported, const std::string& rest) {
    return fmt::format(
        "<CompositeModel name=\"n\"><Components>{}</Components><Interfaces><Interface name=\"e\" "
        "of=\"{}\"/></Interfaces>{}"
        "</CompositeModel>",
        components, exported, rest);
  };
  const auto run_with = [&](const std::string& exported) {
    ModelFiles files;
    files.write("inner.xml", nested(mass("a", 1.0) + mass("b", 2.0), exported,
                                    "<Connections>" + glue("j", "a.e", "b.e") + "</Connections>"));
    files.write("middle.xml",
                nested("<Component name=\"in\" kind=\"composite\" file=\"inner.xml\"/>" + mass("c", 3.0), "c.out",
                       "<Connections>" + glue("j", "in.e", "c.e") + "</Connections><Gluing step=\"2.5e-3\"/>"));
    const auto file = files.write(
        "model.xml",
        model("<Component name=\"mid\" kind=\"composite\" file=\"middle.xml\"/>" +
                  mass("d", 4.0, "<Ground name=\"g\"/><Spring name=\"k\" from=\"g\" to=\"m\" stiffness=\"1000\"/>"),
              glue("j", "mid.e", "d.e"), "<Gluing step=\"0.01\"/>"));
    return run_model(file);
  };
  const RunRecord run = run_with("b.out");
  EXPECT_EQ(run.report.gluings.size(), 3U);
  for (const char* name : {"mid.in.a", "mid.in.b", "mid.c", "d"}) {
    EXPECT_LT(
        largest_deviation(run, std::string(name) + ".m.position", [](double t) { return std::sin(10.0 * t) / 10.0; }),
        1e-7)
        << name;
  }
  // One interface cannot be glued at two levels.
  std::string message;
  try {
    run_with("b.e");
  } catch (const std::exception& problem) {
    message = problem.what();
  }
  EXPECT_NE(message.find("'mid.in.b.e' is already glued inside its nested model, by connection 'mid.in.j'"),
            std::string::npos)
      << message;
}

TEST(GluedAxis, LinesReachGluedMembers) {
  const std::string parts = network("a", kHeld + "<Interface name=\"end\" node=\"m\"/>") +
                            network("b",
                                    "<Mass name=\"m\" mass=\"2\" velocity=\"1\"/><Interface name=\"end\" node=\"m\"/>"
                                    "<Interface name=\"far\" node=\"m\"/>") +
                            network("c", "<Mass name=\"m\" mass=\"4\"/><Interface name=\"end\" node=\"m\"/>");
  const std::string line =
      "<Connection name=\"rod\" from=\"{}\" to=\"c.end\" coupling=\"line\" stiffness=\"1e4\" delay=\"1e-3\"/>";
  const RunRecord whole = run_text(
      model(network("w",
                    "<Ground name=\"g\"/><Mass name=\"m\" mass=\"3\" velocity=\"1\"/><Spring name=\"k\" from=\"g\" "
                    "to=\"m\" stiffness=\"100\"/><Interface name=\"end\" node=\"m\"/>") +
                network("c", "<Mass name=\"m\" mass=\"4\"/><Interface name=\"end\" node=\"m\"/>"),
            fmt::format(fmt::runtime(line), "w.end"), ""));
  const RunRecord run = run_text(model(
      parts, glue("joint", "a.end", "b.end") + fmt::format(fmt::runtime(line), "b.far"), "<Gluing step=\"2.5e-4\"/>"));
  EXPECT_LT(off(run, "b.m.position", whole, "w.m.position"), 1e-7);
  EXPECT_LT(off(run, "c.m.position", whole, "c.m.position"), 1e-7);
  EXPECT_LT(run.connection("rod").energy_residual_relative, 1e-5);
  EXPECT_LT(std::abs(run.report.energy_balance_relative), 1e-5);
}

TEST(GluedAxis, SampledPartnersMayBeMembers) {
  // A controller without delay makes a group with the mass it acts on, and that group is glued.
  const std::string parts =
      network("a",
              "<Mass name=\"m\" mass=\"1\" velocity=\"1\"/><Interface name=\"end\" node=\"m\"/><Interface "
              "name=\"other\" node=\"m\"/>") +
      moved("b", 0.5, 50.0) +
      network("c",
              "<Ground name=\"g\"/><Mass name=\"m\" mass=\"2\" velocity=\"1\"/><Spring name=\"k\" from=\"g\" "
              "to=\"m\" stiffness=\"100\"/><Interface name=\"end\" node=\"m\"/>");
  const RunRecord whole = run_text(
      model(network("w",
                    "<Ground name=\"g\"/><Mass name=\"m\" mass=\"3\" velocity=\"1\"/><Spring name=\"k\" from=\"g\" "
                    "to=\"m\" stiffness=\"100\"/><Mass name=\"m2\" mass=\"0.5\"/><Spring name=\"k2\" from=\"m\" "
                    "to=\"m2\" stiffness=\"50\"/><Damper name=\"d\" from=\"m\" to=\"m2\" damping=\"0.5\"/>"),
            "", ""));
  const RunRecord run =
      run_text(model(parts,
                     "<Connection name=\"sampled\" from=\"a.end\" to=\"b.end\" coupling=\"sampled\"/>" +
                         glue("joint", "a.other", "c.end"),
                     "<Gluing step=\"2e-3\"/>"));
  EXPECT_LT(off(run, "c.m.position", whole, "w.m.position"), 1e-4);
}

TEST(GluedAxis, SaysWhatCannotBeGlued) {
  const std::string a = network("a", kHeld + "<Interface name=\"end\" node=\"m\"/>");
  const auto b = [](const std::string& state, const std::string& attributes = "") {
    return network("b", "<Mass name=\"m\" mass=\"2\" " + state + "/><Interface name=\"end\" node=\"m\"/>", attributes);
  };
  const std::string joint = glue("joint", "a.end", "b.end");
  const std::string apart =
      failure_of(model(a + b("position=\"0.5\" velocity=\"1\""), joint, "<Gluing step=\"0.01\"/>"));
  EXPECT_NE(apart.find("'joint' are apart by 0.5"), std::string::npos) << apart;
  const std::string moving = failure_of(model(a + b("velocity=\"3\""), joint, "<Gluing step=\"0.01\"/>"));
  EXPECT_NE(moving.find("move apart by 2"), std::string::npos) << moving;
  const std::string multistep =
      failure_of(model(a + b("velocity=\"1\"", "solver=\"cvode-bdf\""), joint, "<Gluing step=\"0.01\"/>"));
  EXPECT_NE(multistep.find("'b'"), std::string::npos) << multistep;
  EXPECT_NE(multistep.find("cvode-bdf"), std::string::npos) << multistep;
  const std::string stepless = failure_of(model(a + b("velocity=\"1\""), joint, ""));
  EXPECT_NE(stepless.find("has no gluing step"), std::string::npos) << stepless;
  const std::string tight = failure_of(model(a + b("velocity=\"1\""), joint,
                                             "<Gluing step=\"0.3\" refresh=\"once\" update=\"none\" iterations=\"1\" "
                                             "tolerance=\"1e-15\" absolute_tolerance=\"0\"/>"));
  EXPECT_NE(tight.find("does not converge"), std::string::npos) << tight;
  EXPECT_NE(tight.find("'joint'"), std::string::npos) << tight;
}

TEST(GluedAxis, ResultsUpToAFailureAreReadable) {
  // The second mass is pulled by a force that is not a number from 0.55 s on.
  const ModelFiles files(model(network("a", kHeld + "<Interface name=\"end\" node=\"m\"/>") +
                                   network("b",
                                           "<Mass name=\"m\" mass=\"2\" velocity=\"1\"/><Load name=\"f\" node=\"m\" "
                                           "force=\"{sqrt(0.55 - t)}\"/><Interface name=\"end\" node=\"m\"/>"),
                               glue("joint", "a.end", "b.end"), "<Gluing step=\"0.01\"/>"));
  const TemporaryFolder folder;
  Simulation simulation = Simulation::load(files.path());
  simulation.record_to(folder.path());
  std::string message;
  try {
    simulation.advance_to(1.0, {});
  } catch (const std::exception& problem) {
    message = problem.what();
  }
  simulation.finish();
  EXPECT_NE(message.find("'b'"), std::string::npos) << message;
  EXPECT_NE(message.find("step 56"), std::string::npos) << message;
  const RunRecord run = read_run(folder.path());
  EXPECT_NEAR(run.times("a.m.position").back(), 0.54, 1e-9);
  EXPECT_EQ(run.report.outcome, results::Outcome::failed);
}

}  // namespace glue_one_axis_test
}  // namespace tieline::support
