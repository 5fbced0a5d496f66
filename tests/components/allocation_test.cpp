// What a stepper calls again and again allocates nothing.

#include <gtest/gtest.h>

#include "components/blocks/blocks.hpp"
#include "components/multibody/multibody.hpp"
#include "components/multibody/reader.hpp"
#include "components/network/network.hpp"
#include "components/network_builder.hpp"
#include "components/structure_run.hpp"
#include "document/xml.hpp"
#include "support/allocation_count.hpp"

namespace tieline::components {
namespace allocation_test {

document::TimeFunction compile(const std::string& text, const std::vector<std::string>& inputs) {
  document::Diagnostics diagnostics;
  auto function = document::TimeFunction::compile(text, {}, document::Scope{}, inputs, {}, diagnostics);
  EXPECT_TRUE(function) << diagnostics.describe();
  return function.value_or(document::TimeFunction{});
}

/// Calls everything on the step path, once to fill buffers and then under the counter.
void expect_no_allocation(OdeModel& model) {
  auto y = model.begin(0.0).value();
  std::vector<double> ydot(y.size()), jacobian(y.size() * y.size()), row(model.columns().size());
  std::vector<double> guards(static_cast<std::size_t>(model.guard_count())), through(model.ports().size());
  std::vector<PortOutput> outputs(model.ports().size());
  std::size_t before = 0;
  for (int k = 0; k < 20; ++k) {
    if (k == 1) before = allocation_count;
    const double t = 0.05 * k;
    EXPECT_TRUE(model.rhs(t, wave::Side::right, y, ydot));
    EXPECT_TRUE(model.sparse_jacobian() ? model.evaluate_sparse_jacobian(t, y) : model.jacobian(t, y, jacobian));
    model.guards(t, y, guards);
    model.observe(t, wave::Side::left, y, ydot, outputs);
    Powers powers{.through_ports = through};
    model.powers(t, y, powers);
    model.record(t, wave::Side::left, y, ydot, row);
    (void)model.next_break(t);
    (void)model.energy(t, y);
  }
  EXPECT_EQ(allocation_count, before);
}

TEST(StepPath, NetworkAllocatesNothing) {
  NetworkBuilder b;
  const int ground = b.ground();
  const int mass = b.mass("m", 1.0, 0.0, 1.0);
  const int first = b.node("a"), second = b.node("b"), base = b.node("base");
  b.damper(ground, first, 1.0), b.damper(first, second, 2.0), b.spring(second, mass, 10.0);
  b.hertz(ground, mass, 1e3, 0.3, 0.1), b.stops(base, mass, 1e3, 2.0, -0.01, 0.01);
  b.spec.inputs.push_back({"u", 0.5});
  b.spec.loads.push_back({"load", second, compile("{u*sin(5*t)*step(t-0.2)}", {"u"})});
  b.spec.motions.push_back({.name = "drive", .node = base, .position = compile("{0.01*sin(t)}", {"u"})});
  b.interface("port", mass);
  Network network(b.spec);
  network.ports()[0].law.impedance = 3.0;
  fill_sine(network.ports()[0].incoming, 1.0, 4.0, 0.0, 0.0, 1.0, 20);
  expect_no_allocation(network);
}

TEST(StepPath, BlocksAllocateNothing) {
  BlocksSpec spec;
  spec.blocks.push_back({"source", SourceBlock{compile("{sin(5*t)}", {})}, {}});
  spec.blocks.push_back({"pid", PidBlock{.kp = 1.0, .ki = 2.0, .kd = 0.1, .filter = 0.1, .upper = 0.5}, {0}});
  spec.blocks.push_back({"lag", TransferFunctionBlock{{1.0}, {0.1, 1.0}}, {1}});
  spec.outputs.push_back({"out", 2});
  Blocks blocks(spec);
  expect_no_allocation(blocks);
}

TEST(StepPath, FunctionsOfSignalsAllocateNothing) {
  BlocksSpec spec;
  spec.blocks.push_back({"u", InputBlock{0.5}, {}});
  spec.blocks.push_back({"f", SourceBlock{compile("{u*abs(u)*sin(5*t) + step(u - 0.2)}", {"u"})}, {0}});
  spec.blocks.push_back({"p", ProductBlock{}, {0, 1, 1}});
  spec.blocks.push_back({"s", SwitchBlock{.threshold = 0.1}, {1, 2, 0}});
  spec.blocks.push_back({"x", IntegratorBlock{}, {3}});
  spec.outputs.push_back({"out", 3});
  Blocks blocks(spec);
  fill_sine(blocks.ports()[0].incoming, 1.0, 4.0, 0.0, 0.0, 1.0, 20);
  expect_no_allocation(blocks);
}

TEST(MultibodyAllocation, NothingOnTheStepPathAllocates) {
  const std::string beam =
      "<Beam name='beam' length='1' radius='0.01' youngs_modulus='1e9' density='1000'/>"
      "<Joint name='root' kind='fixed' from='ground' to='beam'/>";
  // A loop and a drive, for joint coordinates.
  const std::string loop =
      "<Body name='d' mass='1' inertia='1, 1, 1.5' position='0, 1, 0'><Frame name='f' position='1, 0, 0'/></Body>"
      "<Frame name='up' position='0, 1, 0'/>"
      "<Joint name='driven' kind='cylindrical' from='up' to='d' drive='{0.1*t}'/>"
      "<Body name='e' mass='1' inertia='1, 1, 1.5' position='1, 1, 0'><Frame name='f' position='0, 0, -1'/></Body>"
      "<Joint name='n' kind='spherical' from='d.f' to='e'/><Frame name='low' position='1, 1, -1'/>"
      "<Joint name='o' kind='spherical' from='low' to='e.f'/>";
  for (const char* flavour : {"constraints", "forces", "coordinates"}) {
    document::Diagnostics diagnostics;
    const std::string special = std::string_view(flavour) == "coordinates" ? loop : beam;
    const auto document = document::Document::parse(
        std::string("<Multibody joints='") + flavour +
            "' gravity='0, 0, -9.81'><Body name='a' mass='1' inertia='1, 1, 1.5'><Frame name='f' position='1, 0, 0'/>"
            "</Body><Body name='b' mass='1' inertia='1, 1, 1.5' position='1, 0, 0'/><Joint name='j' from='ground' "
            "to='a'/>"
            "<Joint name='k' kind='universal' from='a.f' to='b'/>"
            "<Tie name='t' from='ground' to='b' stiffness='10, 1' damping='1, 1' relaxed='at_start'/>"
            "<Spring name='s' from='ground' to='b' stiffness='3' damping='1' series_stiffness='2'/>"
            "<Contact name='c' from='ground' to='b' radius_to='0.1' stiffness='1e4' friction='0.1'/>"
            "<Load name='l' frame='b' force='{sin(t)}, 0, 0'/><JointLoad name='m' joint='j' effort='{t}'/>" +
            special +
            "<Interface name='i' frame='b'/><Interface name='q' joint='j'/><SignalOutput name='y' of='j.angle'/>"
            "</Multibody>",
        "s.xml", diagnostics);
    ASSERT_TRUE(document) << diagnostics.describe();
    Multibody system(read_multibody(document->root(), document::Scope(), diagnostics));
    EXPECT_EQ(diagnostics.describe(), "");
    expect_no_allocation(system);
  }
}

TEST(StructureAllocation, StepsAllocateNothingOnceTheirLengthsAreKnown) {
  StructureRun run(
      "<Material name='steel' youngs_modulus='210e9' density='7800'/><Section name='bar' radius='0.02'/>"
      "<Node name='a' position='0, 0, 0'/><Node name='b' position='1, 0, 0'/><Support node='a'/><Damping mass='1'/>"
      "<Beam name='ab' from='a' to='b' section='bar' material='steel' elements='4'/><Sensor name='s' node='b'/>"
      "<Interface name='seat' node='b'/><Load node='b' force='0, {sin(30*t)}, 0'/>");
  for (core::Port& port : run.component().ports()) {
    if (port.domain == core::Domain::signal) continue;
    port.law.impedance = 100.0;
    port.is_connected = true;
    port.outbox.reserve(1000);
    fill_sine(port.incoming, 1.0, 4.0, 0.0, 0.0, 1.0, 20);
  }
  run.start();
  run.run_to(0.01), run.run_to(0.0101);
  const std::size_t before = allocation_count;
  for (int i = 1; i <= 20; ++i) {
    const double t = 0.0101 + 0.0005 * i;
    ASSERT_TRUE(run.component().advance({.begin = run.component().time(), .end = t, .horizon = t}));
  }
  EXPECT_EQ(allocation_count, before);
}

TEST(StepPath, BallBearingsAllocateNothing) {
  document::Diagnostics diagnostics;
  const auto document = document::Document::parse(
      "<Multibody gravity='0, 0, -9.81'><BallBearing name='b' design='angular_contact' arrangement='back_to_back' "
      "balls='9' ball_diameter='0.01' pitch_diameter='0.05' contact_angle='0.6' row_spacing='0.02' preload='1e-5' "
      "inner_mass='0.2' inner_inertia='1e-4, 6e-5' outer='ground' inner_speed='300' cage_guidance='outer_ring' "
      "land_clearance='0' pocket_clearance='0'><Defect on='ball' length='1e-3' "
      "depth='1e-6'/></BallBearing></Multibody>",
      "system.xml", diagnostics);
  const MultibodySpec spec = read_multibody(document->root(), document::Scope(), diagnostics);
  ASSERT_EQ(diagnostics.describe(), "");
  Multibody system(spec);
  expect_no_allocation(system);
}

}  // namespace allocation_test
}  // namespace tieline::components
