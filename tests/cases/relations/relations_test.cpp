// What connections make of signals: scale, offset, units and sums, with and without delay, between blocks, networks,
// FMUs and other processes.

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace cases_relations_test {

std::string model(const std::string& components, const std::string& connections,
                  const std::string& simulation = "stop=\"1\" tolerance=\"1e-10\" write_interval=\"0.05\"") {
  return fmt::format(
      "<CompositeModel name=\"m\"><Components>{}</Components><Connections>\n{}</Connections><Simulation {}/>"
      "</CompositeModel>",
      components, connections, simulation);
}

/// A source of a function of time, by name.
std::string source(const std::string& name, const std::string& function) {
  return fmt::format(
      "<Component name=\"{}\" kind=\"blocks\"><Blocks><Source name=\"s\" value=\"{{{}}}\"/><Output name=\"y\" "
      "of=\"s\"/></Blocks></Component>",
      name, function);
}

/// Something that takes a signal and passes it on.
std::string sink(const std::string& attributes = "") {
  return "<Component name=\"to\" kind=\"blocks\" " + attributes +
         "><Blocks><Input name=\"u\"/><Gain name=\"g\" input=\"u\" gain=\"1\"/><Output name=\"y\" of=\"g\"/></Blocks>"
         "</Component>";
}

std::string errors_of(const std::string& text) {
  const ModelFiles files(text);
  try {
    (void)Simulation::load(files.path());
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Relations, ScaleAndShiftASignal) {
  const std::string parts = source("from", "sin(3*t)") + sink();
  const RunRecord at_once =
      run_text(model(parts, "<Connection from=\"from.y\" to=\"to.u\" scale=\"-2\" offset=\"5\"/>"));
  EXPECT_LT(largest_deviation(at_once, "to.y.value", [](double t) { return 5.0 - 2.0 * std::sin(3.0 * t); }), 1e-9);
  const RunRecord later =
      run_text(model(parts, "<Connection from=\"from.y\" to=\"to.u\" scale=\"-2\" offset=\"5\" delay=\"0.01\"/>"));
  const auto delayed = [](double t) { return 5.0 - 2.0 * std::sin(3.0 * std::max(0.0, t - 0.01)); };
  EXPECT_LT(largest_deviation(later, "to.y.value", delayed), 1e-8);
}

TEST(Relations, ConvertUnits) {
  const auto at_stop = [](const std::string& units, const std::string& delay = "") {
    const RunRecord run = run_text(
        model(source("from", "250*t") + sink(), "<Connection from=\"from.y\" to=\"to.u\" " + units + delay + "/>"));
    return run.values("to.y.value").back();
  };
  EXPECT_NEAR(at_stop("from_unit=\"mm\" to_unit=\"m\""), 0.25, 1e-12);
  EXPECT_NEAR(at_stop("from_unit=\"kN\" to_unit=\"N\" scale=\"0.5\" offset=\"7\""), 125007.0, 1e-6);
  EXPECT_NEAR(at_stop("from_unit=\"degC\" to_unit=\"K\""), 523.15, 1e-9);
  EXPECT_NEAR(at_stop("from_unit=\"K\" to_unit=\"degC\"", " delay=\"0.5\""), 125.0 - 273.15, 1e-9);
  EXPECT_NEAR(at_stop("from_unit=\"rpm\" to_unit=\"rad/s\""), 250.0 * M_PI / 30.0, 1e-9);
}

TEST(Relations, RefuseUnitsThatDoNotFit) {
  const auto problem = [](const std::string& attributes) {
    return errors_of(
        model(source("from", "t") + sink(), "<Connection from=\"from.y\" to=\"to.u\" " + attributes + "/>"));
  };
  const std::string other = problem("from_unit=\"N\" to_unit=\"m\"");
  EXPECT_NE(other.find("model.xml:2:"), other.npos) << other;
  EXPECT_NE(other.find("'from.y' is measured in 'N' (kg m/s^2), but 'to.u' in 'm' (m): these are different quantities"),
            other.npos)
      << other;
  EXPECT_NE(problem("from_unit=\"Hz\" to_unit=\"rad/s\"").find("different quantities"), std::string::npos);
  EXPECT_NE(problem("from_unit=\"furlong\" to_unit=\"m\"").find("from_unit=\"furlong\" is not a known unit"),
            std::string::npos);
  EXPECT_NE(problem("from_unit=\"mm\"").find("'to.u' does not state its unit: expected to_unit beside from_unit"),
            std::string::npos);
  const std::string line = errors_of(model(
      R"(<Component name="a" kind="network"><Network><Mass name="m" mass="1"/><Interface name="e" node="m"/></Network></Component>
      <Component name="b" kind="network"><Network><Mass name="m" mass="1"/><Interface name="e" node="m"/></Network></Component>)",
      "<Connection from=\"a.e\" to=\"b.e\" coupling=\"line\" delay=\"1e-3\" stiffness=\"1e5\" to_unit=\"mm\"/>"));
  EXPECT_NE(line.find("'to_unit' is for signals"), line.npos) << line;
}

TEST(Relations, AddSeveralOutputs) {
  const std::string parts = source("a", "sin(3*t)") + source("b", "t") + source("c", "1") + sink();
  const RunRecord run = run_text(model(parts, R"(<Connection from="a.y" to="to.u" adds="true"/>
    <Connection from="b.y" to="to.u" adds="true" scale="-3"/><Connection from="c.y" to="to.u" adds="true" offset="1"/>)"));
  EXPECT_LT(largest_deviation(run, "to.y.value", [](double t) { return std::sin(3.0 * t) - 3.0 * t + 2.0; }), 1e-9);
  const std::string unstated = errors_of(model(parts, R"(<Connection from="a.y" to="to.u" adds="true"/>
    <Connection from="b.y" to="to.u" adds="true"/><Connection from="c.y" to="to.u"/>)"));
  EXPECT_NE(unstated.find("already has a source"), unstated.npos) << unstated;
}

// Delays of the terms are their own; the sum of vectors is one of each number.
TEST(Relations, AddVectorsWithDelaysOfTheirOwn) {
  const std::string pair = R"(<Component name="NAME" kind="blocks"><Blocks><Source name="s" value="{t}, {2*t}"/>
    <Output name="y" of="s"/></Blocks></Component>)";
  const auto named = [&](const char* name) { return std::string(pair).replace(pair.find("NAME"), 4, name); };
  const std::string to = R"(<Component name="to" kind="blocks"><Blocks><Input name="u" size="2"/>
    <Gain name="g" input="u" gain="1"/><Output name="y" of="g"/></Blocks></Component>)";
  const RunRecord run = run_text(model(named("a") + named("b") + to, R"(
    <Connection from="a.y" to="to.u" adds="true" delay="0.1"/><Connection from="b.y" to="to.u" adds="true" delay="0.2"/>)"));
  const auto late = [](double t) { return std::max(0.0, t - 0.1) + std::max(0.0, t - 0.2); };
  EXPECT_LT(largest_deviation(run, "to.y[1].value", late), 1e-9);
  EXPECT_LT(largest_deviation(run, "to.y[2].value", [&](double t) { return 2.0 * late(t); }), 1e-9);
}

/// A mass on which a gain acts as a spring, the sign and half of its stiffness being those of connections.
std::string oscillator(const std::string& isolate, const std::string& delay, bool has_relations) {
  const std::string file = std::string(TIELINE_TEST_FMUS) + "/";
  const auto fmu = [&](const std::string& name, const std::string& of, const std::string& content) {
    return fmt::format(
        "<Component name=\"{}\" kind=\"fmu\" file=\"{}{}.fmu\" isolate=\"{}\"><Fmu "
        "mode=\"co_simulation\"/>{}</Component>",
        name, file, of, isolate, content);
  };
  const std::string gain = has_relations ? "200" : "-100";
  return model(fmu("m", "mass_fmi2", R"(<Start variable="k" value="0"/><Start variable="c" value="0"/>)") +
                   fmu("g", "feedthrough_fmi3", "<Start variable=\"gain\" value=\"" + gain + "\"/>"),
               fmt::format("<Connection from=\"m.x\" to=\"g.float64_in\"{0}{1}/><Connection from=\"g.float64_out\" "
                           "to=\"m.f\"{0}{2}/>",
                           delay, has_relations ? " scale=\"0.5\"" : "", has_relations ? " scale=\"-1\"" : ""),
               "stop=\"1\" step=\"1e-3\" write_interval=\"0.0173\"");
}

TEST(Relations, OfFmusChangeNothingElse) {
  for (const char* delay : {"", " delay=\"2e-3\""}) {
    const RunRecord plain = run_text(oscillator("false", delay, false));
    for (const char* isolate : {"false", "true"}) {
      const RunRecord related = run_text(oscillator(isolate, delay, true));
      // Factors of two are exact.
      EXPECT_TRUE(has_same_bits(plain.values("m.x.value"), related.values("m.x.value"))) << delay << isolate;
    }
  }
}

// A program applies the relation of what it sends itself; a sum in front of its input is computed with it.
TEST(Relations, OfProgramsAreTheirs) {
  const RunRecord run = run_text(fmt::format(R"(<CompositeModel name="gains"><Components>
    <Component name="s" kind="blocks"><Blocks><Source name="a" value="{{5*t}}"/><Source name="b" value="{{7*t}}"/>
      <Output name="ya" of="a"/><Output name="yb" of="b"/></Blocks></Component>
    <Component name="tool" kind="process" command="'{}/three_gains'">
      <Interface name="u" domain="signal" causality="input" size="3"/>
      <Interface name="y" domain="signal" causality="output" size="3"/></Component>
    <Component name="f" kind="blocks"><Blocks><Input name="u"/><Input name="w"/><Gain name="of_a" input="u" gain="1"/>
      <Gain name="of_b" input="w" gain="1"/></Blocks></Component></Components>
    <Connections>
      <Connection from="s.ya" to="tool.u[3]" delay="1e-3" scale="2" offset="1"/>
      <Connection from="s.yb" to="tool.u[2]" delay="1e-3" adds="true"/>
      <Connection from="s.ya" to="tool.u[2]" delay="2e-3" adds="true"/>
      <Connection from="tool.y[3]" to="f.u" delay="1e-3" scale="-1"/>
      <Connection from="tool.y[2]" to="f.w" delay="1e-3" from_unit="m" to_unit="km"/>
    </Connections><Simulation stop="0.02" write_interval="1e-3"/></CompositeModel>)",
                                             TIELINE_SIMULATORS));
  const auto& times = run.times("f.of_a.value");
  for (std::size_t i = 5; i < times.size(); ++i) {
    EXPECT_NEAR(run.values("f.of_a.value")[i], -3.0 * (10.0 * (times[i] - 2e-3) + 1.0), 1e-12);
    EXPECT_NEAR(run.values("f.of_b.value")[i], 2e-3 * (7.0 * (times[i] - 2e-3) + 5.0 * (times[i] - 3e-3)), 1e-15);
  }
}

TEST(Relations, AreTheSameBitsForThreadsAndProcesses) {
  const auto parts = [&](const std::string& isolate) {
    std::string text = source("a", "sin(3*t)") + source("b", "t^2") + sink();
    for (std::size_t at = text.find("kind="); at != text.npos; at = text.find("kind=", at + 30))
      text.insert(at, isolate);
    return model(text, R"(<Connection from="a.y" to="to.u" adds="true" delay="0.01" from_unit="mm" to_unit="m"/>
      <Connection from="b.y" to="to.u" adds="true" delay="0.02" scale="3"/>)");
  };
  const RunRecord here = run_text(parts(""));
  RunSettings threads;
  threads.threads = 2;
  EXPECT_TRUE(have_same_bits(here, run_text(parts(""), threads)));
  EXPECT_TRUE(have_same_bits(here, run_text(parts("isolate=\"true\" "))));
}

// Two FMUs whose outputs follow their inputs at once: u = 3 y + 4 with y = 0.2 (0.5 u - 1).
TEST(Relations, AreSolvedInAlgebraicLoops) {
  for (const char* mode : {"co_simulation", "model_exchange"}) {
    const auto gain = [&](const std::string& name, double value) {
      return fmt::format(
          "<Component name=\"{}\" kind=\"fmu\" file=\"{}/feedthrough_fmi3.fmu\" isolate=\"false\"><Fmu "
          "mode=\"{}\"/><Start variable=\"gain\" value=\"{}\"/></Component>",
          name, TIELINE_TEST_FMUS, mode, value);
    };
    const RunRecord run = run_text(model(gain("a", 1.0) + gain("b", 0.2), R"(
      <Connection from="a.float64_out" to="b.float64_in" scale="0.5" offset="-1"/>
      <Connection from="b.float64_out" to="a.float64_in" scale="3" offset="4"/>)",
                                         "stop=\"0.1\" step=\"1e-2\""));
    const double u = (4.0 - 0.6) / (1.0 - 0.3);
    EXPECT_NEAR(run.values("a.float64_out.value").back(), u, 1e-10) << mode;
    EXPECT_NEAR(run.values("b.float64_out.value").back(), 0.2 * (0.5 * u - 1.0), 1e-10) << mode;
  }
}

// A network with a feedback through a block that switches is one system; its signals have relations, too.
TEST(Relations, AreSolvedInJoinedEquations) {
  const auto loop = [](const std::string& gain, const std::string& scale) {
    return model(
        R"(<Component name="n" kind="network"><Network><Mass name="m" mass="1" position="0.1" velocity="0.3"/>
        <SignalInput name="f"/><Load name="l" node="m" force="{f}"/><SignalOutput name="x" of="m.position"/></Network></Component>
        <Component name="c" kind="blocks"><Blocks><Input name="x"/><Gain name="k" input="x" gain=")" +
            gain +
            R"("/><Constant name="zero" value="0"/><Switch name="s" condition="x" threshold="0" above="k" below="zero" hysteresis="1e-3"/>
        <Output name="f" of="s"/></Blocks></Component>)",
        "<Connection from=\"n.x\" to=\"c.x\"/><Connection from=\"c.f\" to=\"n.f\"" + scale + "/>");
  };
  const RunRecord plain = run_text(loop("-64", "")), related = run_text(loop("128", " scale=\"-0.5\""));
  EXPECT_LT(largest_difference(plain, related, "n.m.position"), 1e-12);
  EXPECT_GT(largest_value(plain, "n.m.position"), 0.1);
}

}  // namespace cases_relations_test
}  // namespace tieline::support
