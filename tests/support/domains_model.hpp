#pragma once

#include <string>
#include <vector>

#include "support/mixed_model.hpp"

namespace tieline::support {

/// All domains in one model: oil that turns a machine, which loads a circuit and heats a body; orifices with and
/// without masses beside them, contacts, switched loads, lines, a sampled coupling, a signal, and prescribed ends.
struct DomainsModel {
  double stop = 0.02;
  std::string simulation_settings{};

  [[nodiscard]] std::vector<std::string> components() const {
    return {
        R"(<Component name="station" kind="network"><Network><SignalInput name="u"/><Tank name="tank" pressure="1e5"/>
  <Volume name="supply" volume="1e-3" bulk_modulus="1.4e9" pressure="8e6"/><Node name="mid" domain="hydraulic"/>
  <Pump name="pump" from="tank" to="supply" displacement="1.2e-5" speed="157" leakage="1e-12"/>
  <Orifice name="in" from="supply" to="mid" area="1e-5"/><Orifice name="out" from="mid" to="tank" area="8e-6"/>
  <Valve name="valve" from="mid" to="supply" area="5e-6" opening="{0.5 + u}"/>
  <Interface name="port" node="supply"/></Network></Component>)",
        R"(<Component name="machine" kind="network"><Network><Tank name="tank"/>
  <Volume name="oil" volume="2e-4" bulk_modulus="1.4e9" pressure="8e6"/><Inertia name="rotor" inertia="0.01"/>
  <Pump name="drive" from="oil" to="tank" displacement="1e-6" shaft="rotor"/>
  <Ground name="frame" domain="rotation"/><Damper name="bearing" from="frame" to="rotor" damping="0.02"/>
  <Interface name="port" node="oil"/><Interface name="flange" node="rotor"/>
  <SignalOutput name="speed" of="rotor.angular_velocity"/></Network></Component>)",
        R"(<Component name="generator" kind="network"><Network><Capacitor name="clamp" capacitance="1e-4"/>
  <Inertia name="rotor" inertia="0.002"/><HeatCapacity name="winding" heat_capacity="5" temperature="300"/>
  <Motor name="machine" from="clamp" shaft="rotor" torque_constant="0.2" resistance="0.4" inductance="2e-3" heat_to="winding"/>
  <Node name="foot" domain="thermal"/><ThermalResistance name="gap" from="winding" to="foot" resistance="0.08"/>
  <Interface name="flange" node="rotor"/><Interface name="plug" node="clamp"/><Interface name="heat" node="foot"/></Network></Component>)",
        R"(<Component name="grid" kind="network"><Network><Node name="near" domain="electrical"/>
  <Capacitor name="far" capacitance="2e-4"/><Resistor name="cable" from="near" to="far" resistance="2"/>
  <Ground name="earth" domain="electrical"/><Resistor name="load" from="far" to="earth" resistance="5"/>
  <CurrentSource name="pulse" node="far" current="{3*pulse(t, 2.05e-3, 7e-3)}"/><Interface name="plug" node="near"/></Network></Component>)",
        R"(<Component name="plate" kind="network"><Network><HeatCapacity name="metal" heat_capacity="20" temperature="300"/>
  <Node name="seat" domain="thermal"/><ThermalResistance name="gap" from="seat" to="metal" resistance="0.04"/>
  <Interface name="heat" node="seat"/><Interface name="sun" node="metal"/></Network></Component>)",
        R"(<Component name="rocker" kind="network"><Network><Mass name="held" mass="1"/><Mass name="body" mass="2" position="1e-3"/>
  <Spring name="spring" from="held" to="body" stiffness="2e5" free_length="0"/>
  <Clearance name="play" from="held" to="body" stiffness="1e6" damping="50" gap="1e-3"/>
  <Interface name="root" node="held"/></Network></Component>)",
        R"(<Component name="governor" kind="blocks"><Blocks><Input name="speed"/><Gain name="scaled" input="speed" gain="-1e-3"/>
  <TransferFunction name="filtered" input="scaled" numerator="1" denominator="1e-3,1"/><Output name="u" of="filtered"/></Blocks></Component>)"};
  }

  [[nodiscard]] std::vector<std::string> connections() const {
    return {
        R"(<Connection name="hose" from="station.port" to="machine.port" coupling="line" impedance="3e9" delay="3e-4"/>)",
        R"(<Connection name="shaft" from="machine.flange" to="generator.flange" coupling="line" stiffness="2e3" delay="1e-4"/>)",
        R"(<Connection name="plug" from="generator.plug" to="grid.plug" coupling="sampled"/>)",
        R"(<Connection name="contact" from="generator.heat" to="plate.heat" coupling="line" heat_capacity="0.5" resistance="0.02"/>)",
        R"(<Connection name="sensor" from="machine.speed" to="governor.speed" delay="2e-4"/>)",
        R"(<Connection name="command" from="governor.u" to="station.u" delay="5e-4"/>)",
        R"(<Open interface="plate.sun" as="force" value="{50*step(t - 4.03e-3) + 20*sin(900*t)}"/>)",
        R"(<Open interface="rocker.root" as="motion" value="{0.3*sin(2000*t) + 0.1*step(t - 6.1e-3)}"/>)"};
  }

  [[nodiscard]] std::string text(const std::vector<std::string>& components,
                                 const std::vector<std::string>& connections) const {
    return listed_model("domains", components, connections, stop, simulation_settings);
  }
  [[nodiscard]] std::string text() const { return text(components(), connections()); }
};

}  // namespace tieline::support
