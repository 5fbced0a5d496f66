// Functions of signals in whole models: closed forms across components, with and without delay.

#include <cmath>
#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace signals_functions_test {

std::string model(const std::string& components, const std::string& connections, const std::string& simulation) {
  return fmt::format(
      "<CompositeModel name=\"functions\"><Components>{}</Components><Connections>{}</Connections><Simulation {}/>"
      "</CompositeModel>",
      components, connections, simulation);
}

std::string blocks(const std::string& name, const std::string& content) {
  return fmt::format("<Component name=\"{}\" kind=\"blocks\"><Blocks>{}</Blocks></Component>", name, content);
}

// m v' = -c v |v|: v = v0 / (1 + c v0 t / m). The law of the drag is in another component than the mass.
TEST(SignalFunctions, QuadraticDragInALoopAcrossComponents) {
  const std::string body = R"(<Component name="body" kind="network"><Network>
      <Mass name="m" mass="2" velocity="3"/> <SignalInput name="F"/> <Load name="drag" node="m" force="{F}"/>
      <SignalOutput name="v" of="m.velocity"/></Network></Component>)";
  const std::string ends = R"(<Connection from="body.v" to="law.vb"/><Connection from="law.F" to="body.F"/>)";
  const auto exact = [](double t) { return 3.0 / (1.0 + 0.7 * 3.0 / 2.0 * t); };
  for (const char* law :
       {R"(<Input name="vb"/><Source name="q" value="{-0.7*vb*abs(vb)}"/><Output name="F" of="q"/>)",
        R"(<Input name="vb"/><Gain name="g" input="vb" gain="-0.7"/><Source name="a" value="{abs(vb)}"/>
                             <Product name="q" inputs="g, a"/><Output name="F" of="q"/>)",
        R"(<Input name="vb"/><Gain name="g" input="vb" gain="2"/>
                             <Function name="q" inputs="g" value="{-0.175*g*abs(g)}"/><Output name="F" of="q"/>)"}) {
    for (const char* solver : {"dopri5", "radau5"}) {
      const RunRecord run =
          run_text(model(body + blocks("law", law), ends,
                         fmt::format("stop=\"2\" tolerance=\"1e-9\" write_interval=\"0.05\" solver=\"{}\"", solver)));
      EXPECT_LE(largest_deviation(run, "body.m.velocity", exact), 1e-7) << law << solver;
      EXPECT_LE(largest_deviation(run, "law.q.value", [&](double t) { return -0.7 * exact(t) * exact(t); }), 1e-7)
          << law << solver;
    }
  }
}

// x = c(t) - y^2 in one component, y = x / 2 in another: x = 2 (sqrt(1 + c) - 1). Taken for a delay-free chain it would
// lag behind.
TEST(SignalFunctions, NonlinearLoopsAtOnceAreSolved) {
  const RunRecord run = run_text(model(
      blocks("a", R"(<Input name="y"/><Source name="x" value="{2 + sin(3*t) - y^2}"/><Integrator name="i" input="x"/>
                           <Output name="o" of="x"/>)") +
          blocks("b", R"(<Input name="x"/><Gain name="g" input="x" gain="0.5"/><Output name="o" of="g"/>)"),
      R"(<Connection from="a.o" to="b.x"/><Connection from="b.o" to="a.y"/>)",
      "stop=\"2\" tolerance=\"1e-9\" write_interval=\"0.01\""));
  const auto exact = [](double t) { return 2.0 * (std::sqrt(3.0 + std::sin(3.0 * t)) - 1.0); };
  EXPECT_LE(largest_deviation(run, "a.o.value", exact), 1e-11);
  EXPECT_LE(largest_deviation(run, "b.o.value", [&](double t) { return 0.5 * exact(t); }), 1e-11);
}

// A heater with a thermostat in another component: 2 K/s up below 300 K, 1 K/s down above, with 0.4 K of hysteresis.
TEST(SignalFunctions, AThermostatSwitchesAtItsTimes) {
  const RunRecord run = run_text(model(
      R"(<Component name="oven" kind="network"><Network> <SignalInput name="P"/>
                 <HeatCapacity name="oven" heat_capacity="10" temperature="299"/>
                 <HeatSource name="heater" node="oven" heat_flow="{P}"/><SignalOutput name="T" of="oven.temperature"/>
               </Network></Component>)" +
          blocks("thermostat", R"(<Input name="T"/><Constant name="off" value="-10"/><Constant name="on" value="20"/>
                  <Switch name="s" condition="T" threshold="300" hysteresis="0.4" above="off" below="on"/>
                  <Output name="P" of="s"/>)"),
      R"(<Connection from="oven.T" to="thermostat.T"/><Connection from="thermostat.P" to="oven.P"/>)",
      "stop=\"5\" tolerance=\"1e-8\" write_interval=\"0.0137\""));
  const auto exact = [](double t) {
    if (t < 0.5) return 299.0 + 2.0 * t;
    const double phase = std::fmod(t - 0.5, 0.6);
    return phase < 0.4 ? 300.0 - phase : 299.6 + 2.0 * (phase - 0.4);
  };
  EXPECT_LE(largest_deviation(run, "oven.oven.temperature", exact), 1e-6);
}

// The same with losses, and a heater of so many watts that signals which start from zero change far below the rounding
// of others: 200 K above the room in the end, with a time constant of 100 s, between 349.15 K and 353.15 K.
TEST(SignalFunctions, LoopsOfLargeSignalsAreSolvedFromTheStart) {
  for (const double resistance : {0.1, 1e-4}) {
    const double power = 200.0 / resistance, capacity = 100.0 / resistance;
    const RunRecord run = run_text(model(
        fmt::format(R"(<Component name="oven" kind="network"><Network> <SignalInput name="P"/>
                 <HeatCapacity name="oven" heat_capacity="{}" temperature="293.15"/>
                 <TemperatureSource name="room" temperature="293.15"/>
                 <ThermalResistance name="loss" from="oven" to="room" resistance="{}"/>
                 <HeatSource name="heater" node="oven" heat_flow="{{P}}"/><SignalOutput name="T" of="oven.temperature"/>
               </Network></Component>)",
                    capacity, resistance) +
            blocks("thermostat",
                   fmt::format(R"(<Input name="T"/><Constant name="off" value="0"/><Constant name="on" value="{}"/>
                  <Switch name="s" condition="T" threshold="353.15" hysteresis="4" above="off" below="on"/>
                  <Output name="P" of="s"/>)",
                               power)),
        R"(<Connection from="oven.T" to="thermostat.T"/><Connection from="thermostat.P" to="oven.P"/>)",
        "stop=\"200\" tolerance=\"1e-8\" write_interval=\"0.37\""));
    const double up = 100.0 * std::log(200.0 / 140.0), down = 100.0 * std::log(60.0 / 56.0),
                 again = 100.0 * std::log(144.0 / 140.0);
    const auto exact = [&](double t) {
      if (t < up) return 293.15 + 200.0 * (1.0 - std::exp(-t / 100.0));
      const double phase = std::fmod(t - up, down + again);
      return phase < down ? 293.15 + 60.0 * std::exp(-phase / 100.0)
                          : 493.15 - 144.0 * std::exp(-(phase - down) / 100.0);
    };
    EXPECT_LE(largest_deviation(run, "oven.oven.temperature", exact), 1e-5) << resistance;
  }
}

// What comes with a delay is squared: the same as the square that comes with a delay.
TEST(SignalFunctions, DelayedSignalsAreFollowedWithinTheirPieces) {
  const RunRecord run = run_text(model(
      blocks("a", R"(<Source name="s" value="{sin(40*t)}"/><Output name="o" of="s"/>)") +
          blocks("b",
                 R"(<Input name="u" start="0"/><Source name="q" value="{u*u + cos(t)}"/><Integrator name="i" input="q"/>
                               <Output name="o" of="q"/>)") +
          blocks("c", R"(<Input name="u"/><Integrator name="i" input="u"/>)"),
      R"(<Connection from="a.o" to="b.u" delay="0.05"/><Connection from="b.o" to="c.u" delay="0.02"/>)",
      "stop=\"1\" tolerance=\"1e-8\" write_interval=\"0.01\""));
  const auto square = [](double t) { return t < 0.05 ? 0.0 : std::pow(std::sin(40.0 * (t - 0.05)), 2); };
  const auto integral = [](double t) {
    return t < 0.05 ? 0.0 : 0.5 * (t - 0.05) - std::sin(80.0 * (t - 0.05)) / 160.0;
  };
  EXPECT_LE(largest_deviation(run, "b.q.value", [&](double t) { return square(t) + std::cos(t); }), 1e-6);
  EXPECT_NEAR(run.values("b.i.value").back(), integral(1.0) + std::sin(1.0), 1e-6);
  // Until the delay has passed the first value holds.
  EXPECT_NEAR(run.values("c.i.value").back(), 0.02 * 1.0 + integral(0.98) + std::sin(0.98), 1e-6);
}

// x' = -1 above 0 and 1 below: from t = 1 on every switching causes the next one, and the run must not stand still.
TEST(SignalFunctions, ARelayWithoutHysteresisFailsByName) {
  const std::string relay = R"(<Constant name="fall" value="-1"/><Constant name="rise" value="1"/>
      <Switch name="relay" condition="x" above="fall" below="rise"/>)";
  const std::string alone = model(blocks("c", R"(<Integrator name="x" input="relay" start="1"/>)" + relay), "", "{}");
  const std::string apart =
      model(blocks("c", R"(<Input name="u"/><Integrator name="i" input="u" start="1"/><Output name="x" of="i"/>)") +
                blocks("law", R"(<Input name="x"/><Output name="u" of="relay"/>)" + relay),
            R"(<Connection from="c.x" to="law.x"/><Connection from="law.u" to="c.u"/>)", "{}");
  // Multistep solvers are not for components that are joined without delay.
  const std::pair<std::string, std::vector<const char*>> runs[] = {
      {alone, {"dopri5", "radau5", "cvode-adams", "cvode-bdf", "ida"}}, {apart, {"dopri5", "radau5"}}};
  for (const auto& [text, solvers] : runs) {
    for (const char* solver : solvers) {
      const std::string options = fmt::format("stop=\"3\" tolerance=\"1e-6\" solver=\"{}\"", solver);
      try {
        (void)run_text(fmt::format(fmt::runtime(text), options));
        ADD_FAILURE() << "it ran to its end with " << solver;
      } catch (const std::exception& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("block 'relay' switches back and forth"), std::string::npos) << solver << message;
        EXPECT_NE(message.find("t = 1 s"), std::string::npos) << solver << message;
      }
    }
  }
}

}  // namespace signals_functions_test
}  // namespace tieline::support
