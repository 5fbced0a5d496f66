// Hydraulic, electrical and thermal parts of networks against closed forms, from their XML.

#include <cmath>
#include <gtest/gtest.h>

#include "components/model_driver.hpp"
#include "components/network/grammar.hpp"
#include "components/network/network.hpp"
#include "components/network/reader.hpp"
#include "components/reader_support.hpp"

namespace tieline::components {
namespace network_domains_test {

Reading<decltype(&read_network)> reading(const std::string& content) {
  return {"<Network>\n" + content + "\n</Network>", network_grammar(), &read_network};
}

/// A network that has been read without a complaint, and is driven by fixed steps.
struct Driven {
  explicit Driven(const std::string& content) : read(reading(content)), network(checked(read)), driver(network, 0.0) {
    start_energy = present();
  }

  static NetworkSpec checked(const Reading<decltype(&read_network)>& read) {
    EXPECT_TRUE(read.diagnostics.all().empty()) << read.diagnostics.describe();
    return read.spec;
  }
  double value(const std::string& name) { return driver.value(name); }
  double present() {
    const auto energy = network.energy(driver.t(), driver.y());
    return energy->kinetic + energy->potential;
  }
  /// Energy that came from nowhere [J].
  double imbalance() { return present() + driver.dissipated - driver.supplied - start_energy; }

  Reading<decltype(&read_network)> read;
  Network network;
  ModelDriver driver;
  double start_energy = 0.0;
};

TEST(NetworkElectrical, ResistorChargesCapacitor) {
  Driven run(
      "<VoltageSource name='u' voltage='10'/><Capacitor name='c' capacitance='1e-3' voltage='2'/>"
      "<Resistor name='r' from='u' to='c' resistance='50'/>");
  run.driver.run_to(0.08, 1e-4);
  const double voltage = 10.0 - 8.0 * std::exp(-0.08 / 0.05);
  EXPECT_NEAR(run.value("c.voltage"), voltage, 1e-9);
  EXPECT_NEAR(run.value("r.current"), (10.0 - voltage) / 50.0, 1e-10);
  EXPECT_NEAR(run.value("r.voltage_drop"), 10.0 - voltage, 1e-9);
  EXPECT_NEAR(run.value("u.current"), (10.0 - voltage) / 50.0, 1e-10);
}

TEST(NetworkElectrical, InductorTakesItsTime) {
  Driven run(
      "<VoltageSource name='u' voltage='10'/><Node name='n' domain='electrical'/><Ground name='g' domain='electrical'/>"
      "<Inductor name='l' from='u' to='n' inductance='0.2' current='0.1'/>"
      "<Resistor name='r' from='n' to='g' resistance='4'/>");
  run.driver.run_to(0.06, 1e-4);
  const double current = 2.5 + (0.1 - 2.5) * std::exp(-0.06 * 4.0 / 0.2);
  EXPECT_NEAR(run.value("l.current"), current, 1e-9);
  EXPECT_NEAR(run.value("n.voltage"), 4.0 * current, 1e-8);
}

TEST(NetworkElectrical, ResonantCircuitRings) {
  const double L = 0.01, C = 1e-5, R = 5.0, u0 = 20.0;
  Driven run(
      "<Capacitor name='c' capacitance='1e-5' voltage='20'/><Node name='n' domain='electrical'/>"
      "<Ground name='g' domain='electrical'/><Inductor name='l' from='c' to='n' inductance='0.01'/>"
      "<Resistor name='r' from='n' to='g' resistance='5'/>");
  const double t = 0.004;
  run.driver.run_to(t, 1e-6);
  const double decay = R / (2.0 * L), omega = std::sqrt(1.0 / (L * C) - decay * decay);
  const double voltage = u0 * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
  EXPECT_NEAR(run.value("c.voltage"), voltage, 1e-8 * u0);
  EXPECT_NEAR(run.imbalance(), 0.0, 1e-9 * 0.5 * C * u0 * u0);
}

TEST(NetworkElectrical, SeriesCapacitorDischargesThroughBothResistances) {
  Driven run(
      "<Node name='n' domain='electrical'/><Ground name='g' domain='electrical'/>"
      "<SeriesCapacitor name='c' from='n' to='g' capacitance='1e-3' resistance='10' voltage='5'/>"
      "<Resistor name='r' from='n' to='g' resistance='40'/>");
  run.driver.run_to(0.03, 1e-5);
  const double voltage = 5.0 * std::exp(-0.03 / 0.05);
  EXPECT_NEAR(run.value("c.voltage"), voltage, 1e-9);
  EXPECT_NEAR(run.value("n.voltage"), 0.8 * voltage, 1e-9);
  EXPECT_NEAR(run.value("c.current"), -voltage / 50.0, 1e-10);
  EXPECT_NEAR(run.imbalance(), 0.0, 1e-10);
}

TEST(NetworkElectrical, CurrentSourceChargesLinearly) {
  Driven run(
      "<Capacitor name='a' capacitance='2'/><Capacitor name='b' capacitance='4'/>"
      "<CurrentSource name='i' node='a' from='b' current='{3*t}'/>");
  run.driver.run_to(2.0, 0.01);
  EXPECT_NEAR(run.value("a.voltage"), 3.0, 1e-10);
  EXPECT_NEAR(run.value("b.voltage"), -1.5, 1e-10);
}

// J w' = k i - c w, with i = (u - k w) / R: a first-order rise with J / (c + k^2 / R).
TEST(NetworkMotor, WithoutInductanceRisesWithItsTimeConstant) {
  const double k = 0.2, R = 0.5, J = 0.01, c = 0.004, u = 24.0;
  Driven run(
      "<VoltageSource name='u' voltage='24'/><Inertia name='rotor' inertia='0.01'/>"
      "<Ground name='frame' domain='rotation'/><Damper name='bearing' from='frame' to='rotor' damping='0.004'/>"
      "<Motor name='motor' from='u' shaft='rotor' torque_constant='0.2' resistance='0.5'/>");
  const double t = 0.1;
  run.driver.run_to(t, 1e-4);
  const double rate = (c + k * k / R) / J;
  const double speed = k * u / R / (c + k * k / R) * (1.0 - std::exp(-rate * t));
  EXPECT_NEAR(run.value("rotor.angular_velocity"), speed, 1e-8 * speed);
  EXPECT_NEAR(run.value("motor.current"), (u - k * speed) / R, 1e-8);
  EXPECT_NEAR(run.value("motor.torque"), k * (u - k * speed) / R, 1e-8);
  EXPECT_NEAR(run.imbalance(), 0.0, 1e-8 * u * u / R * t);
}

// Electrical and mechanical time constants together: J L w'' + (J R + c L) w' + (c R + k^2) w = k u.
TEST(NetworkMotor, WithInductanceFollowsTheSecondOrderSystem) {
  const double k = 0.2, R = 0.5, L = 0.02, J = 0.01, u = 24.0, t = 0.15;
  Driven run(
      "<VoltageSource name='u' voltage='24'/><Inertia name='rotor' inertia='0.01'/>"
      "<Motor name='motor' from='u' shaft='rotor' torque_constant='0.2' resistance='0.5' inductance='0.02'/>");
  run.driver.run_to(t, 1e-4);
  const double decay = R / (2.0 * L), omega = std::sqrt(k * k / (J * L) - decay * decay);
  const double speed =
      u / k * (1.0 - std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t)));
  EXPECT_NEAR(run.value("rotor.angular_velocity"), speed, 1e-8 * u / k);
  EXPECT_NEAR(run.imbalance(), 0.0, 1e-8 * u * u / R * t);
}

TEST(NetworkMotor, FedThroughAResistanceWithoutCapacitor) {
  Driven run(
      "<VoltageSource name='u' voltage='24'/><Node name='clamp' domain='electrical'/>"
      "<Resistor name='cable' from='u' to='clamp' resistance='0.3'/><Inertia name='rotor' inertia='0.01'/>"
      "<Motor name='motor' from='clamp' shaft='rotor' torque_constant='0.2' resistance='0.5'/>");
  run.driver.run_to(0.1, 1e-4);
  const double rate = 0.04 / 0.8 / 0.01;
  const double speed = 120.0 * (1.0 - std::exp(-rate * 0.1));
  EXPECT_NEAR(run.value("rotor.angular_velocity"), speed, 1e-8 * speed);
  EXPECT_NEAR(run.value("cable.current"), (24.0 - 0.2 * speed) / 0.8, 1e-8);
}

TEST(NetworkHydraulic, LaminarOrificeFillsAVolume) {
  Driven run(
      "<PressureSource name='pump' pressure='1e7'/><Volume name='v' volume='1e-3' bulk_modulus='1e9'/>"
      "<Orifice name='o' from='pump' to='v' resistance='1e10'/>");
  run.driver.run_to(0.02, 1e-5);
  EXPECT_NEAR(run.value("v.pressure"), 1e7 * (1.0 - std::exp(-2.0)), 1e-2);
  EXPECT_NEAR(run.value("o.flow"), 1e-3 * std::exp(-2.0), 1e-12);
}

TEST(NetworkHydraulic, OrificeObeysTheSquareRootAndTurnsLaminar) {
  const double K = 0.7 * 1e-5 * std::sqrt(2.0 / 870.0);
  for (const double drop : {1e6, 2e7, -3e6}) {
    Driven run("<PressureSource name='a' pressure='" + std::to_string(drop) +
               "'/><Tank name='t'/><Orifice name='o' from='a' to='t' area='1e-5' transition='100'/>");
    EXPECT_NEAR(run.value("o.flow") / (K * std::copysign(std::sqrt(std::abs(drop)), drop)), 1.0, 1e-8) << drop;
  }
  Driven slow(
      "<PressureSource name='a' pressure='1'/><Tank name='t'/>"
      "<Orifice name='o' from='a' to='t' area='1e-5' transition='1e4'/>");
  EXPECT_NEAR(slow.value("o.flow") / (K / std::sqrt(1e4)), 1.0, 1e-8);
}

// Two orifices in a row carry one flow: with K1 = 2 K2 the drops are as 1 to 4. The node between them stores nothing.
TEST(NetworkHydraulic, OrificesInARowShareThePressure) {
  Driven run(
      "<PressureSource name='a' pressure='5e6'/><Node name='n' domain='hydraulic'/><Tank name='t'/>"
      "<Orifice name='o1' from='a' to='n' area='2e-5' transition='1'/>"
      "<Orifice name='o2' from='n' to='t' area='1e-5' transition='1'/>");
  EXPECT_NEAR(run.value("n.pressure"), 4e6, 1.0);
  EXPECT_NEAR(run.value("o1.flow"), run.value("o2.flow"), 1e-12 * run.value("o1.flow"));
}

// A volume that empties through an orifice: sqrt(p) falls linearly.
TEST(NetworkHydraulic, VolumeEmptiesThroughAnOrifice) {
  const double K = 0.7 * 1e-6 * std::sqrt(2.0 / 870.0), capacity = 1e-3 / 1.5e9, p0 = 1e7, t = 0.05;
  Driven run(
      "<Volume name='v' volume='1e-3' bulk_modulus='1.5e9' pressure='1e7'/><Tank name='t'/>"
      "<Orifice name='o' from='v' to='t' area='1e-6' transition='1'/>");
  run.driver.run_to(t, 1e-4);
  const double root = std::sqrt(p0) - K * t / (2.0 * capacity);
  ASSERT_GT(root, 0.0);
  EXPECT_NEAR(run.value("v.pressure") / (root * root), 1.0, 1e-8);
  EXPECT_NEAR(run.imbalance(), 0.0, 1e-7 * 0.5 * capacity * p0 * p0);
}

TEST(NetworkHydraulic, ValveFollowsItsSignalWithinItsRange) {
  Driven run(
      "<PressureSource name='a' pressure='4e6'/><Tank name='t'/>"
      "<Valve name='v' from='a' to='t' area='1e-5' transition='1' opening='{2*t - 0.5}'/>");
  const double full = 0.7 * 1e-5 * std::sqrt(2.0 / 870.0) * 2e3;
  EXPECT_NEAR(run.value("v.flow"), 0.0, 1e-15);
  run.driver.run_to(0.5, 0.01);
  EXPECT_NEAR(run.value("v.flow"), 0.5 * full, 1e-9 * full);
  run.driver.run_to(1.0, 0.01);
  EXPECT_NEAR(run.value("v.flow"), full, 1e-9 * full);
  EXPECT_EQ(run.network.next_break(0.0), 0.25);  // where it begins to open, and
  EXPECT_EQ(run.network.next_break(0.25), 0.75);
}

TEST(NetworkHydraulic, ServoValveConnectsCrosswise) {
  const std::string text =
      "<PressureSource name='p' pressure='2e6'/><Tank name='t'/><PressureSource name='a' pressure='1e6'/>"
      "<PressureSource name='b' pressure='1e6'/><ServoValve name='s' supply='p' tank='t' a='a' b='b' area='1e-5' "
      "transition='1' opening='";
  const double half = 0.5 * 0.7 * 1e-5 * std::sqrt(2.0 / 870.0) * 1e3;
  Driven forward(text + "0.5'/>");
  EXPECT_NEAR(forward.value("s.supply_a.flow"), half, 1e-9 * half);
  EXPECT_NEAR(forward.value("s.b_tank.flow"), half, 1e-9 * half);
  EXPECT_NEAR(forward.value("s.supply_b.flow"), 0.0, 1e-15);
  Driven backward(text + "{-0.5}'/>");
  EXPECT_NEAR(backward.value("s.supply_b.flow"), half, 1e-9 * half);
  EXPECT_NEAR(backward.value("s.a_tank.flow"), half, 1e-9 * half);
  EXPECT_NEAR(backward.value("s.supply_a.flow"), 0.0, 1e-15);
}

// The pump's torque against the pressure, and energy from the shaft into the volume.
TEST(NetworkHydraulic, PumpOnAShaftExchangesEnergy) {
  Driven run(
      "<Inertia name='wheel' inertia='2' angular_velocity='100'/><Tank name='t'/>"
      "<Volume name='v' volume='0.01' bulk_modulus='1e9'/>"
      "<Pump name='pump' from='t' to='v' shaft='wheel' displacement='1e-5'/>");
  // J w' = -D p, C p' = D w: an oscillation with D / sqrt(J C).
  const double omega = 1e-5 / std::sqrt(2.0 * 0.01 / 1e9), t = 0.7 / omega;
  run.driver.run_to(t, 1e-3 / omega);
  EXPECT_NEAR(run.value("wheel.angular_velocity"), 100.0 * std::cos(0.7), 1e-8);
  EXPECT_NEAR(run.value("v.pressure"), 100.0 * std::sqrt(2.0 / (0.01 / 1e9)) * std::sin(0.7), 1.0);
  EXPECT_NEAR(run.value("pump.torque"), -1e-5 * run.value("v.pressure"), 1e-9);
  EXPECT_NEAR(run.imbalance(), 0.0, 1e-6);
}

TEST(NetworkHydraulic, PumpAtPrescribedSpeedLeaks) {
  Driven run(
      "<Tank name='t'/><Node name='n' domain='hydraulic'/>"
      "<Pump name='pump' from='t' to='n' speed='150' displacement='1e-5' leakage='1e-12'/>"
      "<Orifice name='o' from='n' to='t' resistance='1e10'/>");
  const double pressure = 1.5e-3 / (1e-12 + 1e-10);
  EXPECT_NEAR(run.value("n.pressure"), pressure, 1e-9 * pressure);
  EXPECT_NEAR(run.value("o.flow"), 1e-10 * pressure, 1e-15);
  EXPECT_NEAR(run.value("pump.leakage.flow"), -1e-12 * pressure, 1e-15);
}

TEST(NetworkHydraulic, CylinderHoldsAForceAndMovesWithTheFlow) {
  Driven held(
      "<PressureSource name='a' pressure='1e7'/><PressureSource name='b' pressure='2e6'/>"
      "<Ground name='frame'/><Mass name='m' mass='5'/><Cylinder name='c' a='a' b='b' rod='m' area_a='2e-3' "
      "area_b='1.5e-3'/><Load name='load' node='m' force='-17000'/>");
  EXPECT_NEAR(held.value("c.force"), 2e4 - 3e3, 1e-9);
  held.driver.run_to(0.1, 1e-2);
  EXPECT_NEAR(held.value("m.position"), 0.0, 1e-12);

  // A prescribed flow into a chamber that stores nothing moves the rod at q / A; here through the oil's spring, slowly.
  Driven moved(
      "<Volume name='a' volume='1e-6' bulk_modulus='1e9'/><Mass name='m' mass='1'/><Ground name='g'/>"
      "<Cylinder name='c' a='a' rod='m' area_a='1e-3'/><FlowSource name='q' node='a' "
      "flow='{1e-4*smoothstep(t,0,0.1)}'/>"
      "<Damper name='d' from='g' to='m' damping='3e4'/>");
  moved.driver.run_to(0.5, 1e-6 * 20);
  EXPECT_NEAR(moved.value("m.velocity"), 0.1, 1e-6);
  EXPECT_NEAR(moved.value("c.flow_a"), 1e-4, 1e-9);
  EXPECT_NEAR(moved.value("a.pressure"), 3e6, 30.0);
}

TEST(NetworkThermal, CapacityCoolsThroughAResistance) {
  Driven run(
      "<HeatCapacity name='body' heat_capacity='500' temperature='400'/><TemperatureSource name='room' "
      "temperature='300'/><ThermalResistance name='r' from='body' to='room' resistance='0.2'/>"
      "<HeatSource name='lamp' node='body' heat_flow='100'/>");
  run.driver.run_to(60.0, 0.1);
  const double temperature = 320.0 + 80.0 * std::exp(-60.0 / 100.0);
  EXPECT_NEAR(run.value("body.temperature"), temperature, 1e-8);
  EXPECT_NEAR(run.value("r.heat_flow"), (temperature - 300.0) / 0.2, 1e-7);
  EXPECT_NEAR(run.value("energy.heat"), 500.0 * (temperature - 400.0), 1e-5);
  EXPECT_NEAR(run.imbalance(), 0.0, 1e-5);
}

// First law: what the resistor, the damper and the orifice lose is what the body gains.
TEST(NetworkThermal, LossesComeBackAsHeat) {
  Driven electrical(
      "<Capacitor name='c' capacitance='0.1' voltage='20'/><Ground name='g' domain='electrical'/>"
      "<HeatCapacity name='body' heat_capacity='50'/>"
      "<Resistor name='r' from='c' to='g' resistance='5' heat_to='body'/>");
  electrical.driver.run_to(5.0, 0.01);
  EXPECT_NEAR(electrical.value("energy.heat"), 20.0 * (1.0 - std::exp(-20.0)), 1e-6);
  EXPECT_NEAR(electrical.imbalance(), 0.0, 1e-7);

  Driven mechanical(
      "<Mass name='m' mass='2' velocity='3'/><Ground name='g'/><HeatCapacity name='body' heat_capacity='50'/>"
      "<Damper name='d' from='g' to='m' damping='4' heat_to='body'/>");
  mechanical.driver.run_to(10.0, 0.01);
  EXPECT_NEAR(mechanical.value("energy.heat"), 9.0, 1e-7);

  Driven hydraulic(
      "<Volume name='v' volume='1e-3' bulk_modulus='1e9' pressure='1e7'/><Tank name='t'/>"
      "<HeatCapacity name='oil' heat_capacity='2000'/>"
      "<Orifice name='o' from='v' to='t' area='1e-6' transition='1e5' heat_to='oil'/>");
  hydraulic.driver.run_to(1.0, 1e-4);
  EXPECT_NEAR(hydraulic.value("energy.heat"), 50.0, 1e-3);
  EXPECT_NEAR(hydraulic.imbalance(), 0.0, 1e-5);

  Driven motor(
      "<VoltageSource name='u' voltage='24'/><Inertia name='rotor' inertia='0.01'/>"
      "<HeatCapacity name='winding' heat_capacity='100'/>"
      "<Motor name='m' from='u' shaft='rotor' torque_constant='0.2' resistance='0.5' heat_to='winding'/>");
  motor.driver.run_to(2.0, 1e-3);
  // Of the energy that speeds up an inertia through a resistance, half is heat.
  EXPECT_NEAR(motor.value("energy.heat"), 0.5 * 0.01 * 120.0 * 120.0, 1e-4);
}

TEST(NetworkDomainsReader, SaysWhatDoesNotFit) {
  const auto read = reading(
      "<Volume name='v' volume='1e-3' bulk_modulus='1e9'/>\n"
      "<Capacitor name='c' capacitance='1'/>\n"
      "<Mass name='m' mass='1'/>\n"
      "<Resistor name='r' from='v' to='v2' resistance='1'/>\n"
      "<Spring name='s' from='c' to='c' stiffness='1'/>\n"
      "<Orifice name='o' from='v' to='c' resistance='1'/>\n"
      "<Motor name='e' from='c' shaft='m' torque_constant='1' resistance='1'/>\n"
      "<Load name='l' node='v' force='1'/>\n"
      "<Ground name='cold' domain='thermal'/>\n"
      "<Node name='n' domain='electrical'/>\n"
      "<Node name='h' domain='thermal'/>\n"
      "<Damper name='d' from='m' to='m' damping='1' heat_to='h'/>\n"
      "<Interface name='i' node='v' causality='pressure'/>\n"
      "<Interface name='j' node='v' causality='voltage'/>\n"
      "<SignalOutput name='out' of='v.presure'/>");
  read.expect_error(5, {"there is no node 'v2'", "'v'"});
  read.expect_error(7, {"both ends must be of one domain"});
  read.expect_error(8, {"'m' is a translation node", "needs a rotation node"});
  read.expect_error(9, {"is hydraulic", "FlowSource"});
  read.expect_error(10, {"TemperatureSource"});
  read.expect_error(11, {"nothing determines the voltage of the node 'n'", "Capacitor"});
  read.expect_error(13, {"'h' stores no heat"});
  read.expect_error(14, {"'v' takes flow"});
  read.expect_error(15, {"takes 'flow' or 'pressure', not 'voltage'"});
  read.expect_error(16, {"presure", "pressure"});
}

TEST(NetworkDomains, TwoMasslessSidesOfADeviceAreRefused) {
  auto read = reading(
      "<Node name='n' domain='hydraulic'/><Tank name='t'/><Orifice name='o' from='n' to='t' resistance='1'/>"
      "<Ground name='g'/><Node name='x'/><Damper name='d' from='g' to='x' damping='1'/>"
      "<Cylinder name='c' a='n' rod='x' area_a='1'/>");
  Network network(read.spec);
  const auto begun = network.begin(0.0);
  ASSERT_FALSE(begun);
  EXPECT_NE(begun.error().message.find("'c' joins the nodes"), std::string::npos);
}

// Jacobian by differences, for a network with everything that is linear or smooth.
TEST(NetworkDomains, JacobianMatchesDifferences) {
  auto read = reading(
      "<VoltageSource name='u' voltage='24'/><Node name='k' domain='electrical'/>"
      "<Resistor name='cable' from='u' to='k' resistance='0.3'/>"
      "<SeriesCapacitor name='sc' from='k' to='u' capacitance='1e-2' resistance='2' voltage='3'/>"
      "<Inertia name='rotor' inertia='0.01' angular_velocity='20'/>"
      "<Motor name='m1' from='k' shaft='rotor' torque_constant='0.2' resistance='0.5'/>"
      "<Motor name='m2' from='k' shaft='rotor' torque_constant='0.1' resistance='0.4' inductance='0.02' current='3'/>"
      "<Tank name='t'/><Volume name='v' volume='1e-3' bulk_modulus='1e6' pressure='2e3'/>"
      "<Node name='n' domain='hydraulic'/>"
      "<Pump name='p' from='t' to='n' shaft='rotor' displacement='1e-3'/>"
      "<Orifice name='o1' from='n' to='v' area='1e-3' transition='50'/>"
      "<Orifice name='o2' from='v' to='t' area='1e-3' transition='50'/>"
      "<Mass name='rod' mass='2' velocity='0.1'/><Cylinder name='c' a='v' rod='rod' area_a='1e-2'/>");
  ASSERT_TRUE(read.diagnostics.all().empty()) << read.diagnostics.describe();
  Network network(read.spec);
  const auto begun = network.begin(0.0);
  ASSERT_TRUE(begun);
  std::vector<double> y = *begun;
  const std::size_t n = y.size();
  std::vector<double> J(n * n), plus(n), minus(n);
  ASSERT_TRUE(network.jacobian(0.0, y, J));
  for (std::size_t c = 0; c < n; ++c) {
    const double h = 1e-5 * std::max(1.0, std::abs(y[c]));
    std::vector<double> shifted = y;
    shifted[c] = y[c] + h;
    ASSERT_TRUE(network.rhs(0.0, wave::Side::left, shifted, plus));
    shifted[c] = y[c] - h;
    ASSERT_TRUE(network.rhs(0.0, wave::Side::left, shifted, minus));
    for (std::size_t r = 0; r < n; ++r) {
      const double difference = (plus[r] - minus[r]) / (2.0 * h);
      EXPECT_NEAR(J[c * n + r], difference, 1e-6 * (1.0 + std::abs(difference))) << r << ", " << c;
    }
  }
}

}  // namespace network_domains_test
}  // namespace tieline::components
