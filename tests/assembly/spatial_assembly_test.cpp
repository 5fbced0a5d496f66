// Connections between interfaces in space: from the model to the engine, with bodies that are built by hand.

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "assembly/assembly.hpp"
#include "assembly/connection_figures.hpp"
#include "reporting/run_summary.hpp"
#include "support/rigid_body.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::assembly {
namespace spatial_assembly_test {

using Eigen::Vector3d;

/// Two bodies that meet at their interfaces `end`; the second one is pushed and turned.
CheckedModel two_bodies() {
  CheckedModel checked;
  checked.model.name = "bodies";
  checked.model.simulation.stop = 1e-3;
  for (const char* name : {"first", "second"}) {
    model::Component component;
    component.name = name;
    component.kind = "body";
    checked.model.components.push_back(component);
    const bool is_pushed = component.name == "second";
    kinds::Blueprint blueprint;
    blueprint.interfaces = {{.name = "end", .domain = core::Domain::mechanical3d}};
    blueprint.check = [](const std::vector<bool>&, document::Diagnostics&) {};
    blueprint.build = [=](const kinds::BuildRequest& request) {
      support::RigidBodySpec spec;
      spec.interfaces = {{"end", {}}};
      if (is_pushed) {
        spec.loads = {{.wrench = [](double) {
          core::Wrench wrench;
          wrench.force = {100.0, 0.0, 0.0};
          wrench.torque = {0.0, 10.0, 0.0};
          return wrench;
        }}};
      }
      return std::make_unique<components::OdeComponent>(request.name, std::make_unique<support::RigidBody>(spec),
                                                        request.choice);
    };
    checked.blueprints.emplace_back(std::move(blueprint));
  }
  model::Connection connection;
  connection.name = "joint";
  connection.coupling = model::Coupling::line;
  connection.from = {0, "end"};
  connection.to = {1, "end"};
  connection.delay = 1e-5;
  connection.line.stiffness = 1e7;
  connection.line.stiffness_rotation = 1e5;
  checked.model.connections.push_back(connection);
  return checked;
}

TEST(SpatialAssembly, JoinsInterfacesInSpaceAndReports) {
  CheckedModel checked = two_bodies();
  document::Diagnostics diagnostics;
  work_out(checked, diagnostics);
  auto assembly = assemble(checked, {}, diagnostics);
  ASSERT_TRUE(assembly) << diagnostics.describe();
  ASSERT_TRUE(assembly->engine->start());
  ASSERT_TRUE(assembly->engine->run_to(assembly->engine->windows().grid.stop_tick(), {.threads = 1}));
  assembly->engine->settle();

  // Both bodies and the line together move as the force on one of them says.
  std::vector<double> first(13), second(13);
  assembly->components[0]->current_values(first);
  assembly->components[1]->current_values(second);
  ASSERT_EQ(assembly->connection_index, std::vector<int>{0});
  const lines::Connection& line = assembly->engine->connection(0);
  ASSERT_EQ(line.columns()[4].name, "momentum.x");
  EXPECT_NEAR(first[3] + second[3] + line.values()[4], 100.0 * 1e-3, 1e-9);
  EXPECT_GT(first[11], 0.0);

  for (const char* variable : {"energy", "energy_residual", "drift", "angular_drift", "momentum.x", "dissipated"})
    EXPECT_TRUE(assembly->variables.find(std::string("connections.joint.") + variable)) << variable;
  const results::RunReport report = reporting::make_report(checked, *assembly, {});
  EXPECT_GT(report.connections[0].exchanges, 0U);
  EXPECT_LT(report.connections[0].energy_residual_relative, 1e-6);
  EXPECT_TRUE(report.connections[0].warnings.empty());
  EXPECT_EQ(report.connections[0].domain, core::Domain::mechanical3d);
}

TEST(SpatialAssembly, DescribesBothLinesAndFreeAxes) {
  CheckedModel checked = two_bodies();
  checked.model.connections[0].line.free_rotation = {false, true, false};
  document::Diagnostics diagnostics;
  work_out(checked, diagnostics);
  const std::string text = describe_connection(checked, 0);
  EXPECT_NE(text.find("line in space: T = 1e-05 s, Z = 100 N s/m"), text.npos) << text;
  EXPECT_NE(text.find("rotation: T = 1e-05 s, Z = 1 N m s/rad"), text.npos) << text;
  EXPECT_NE(text.find("free: ry"), text.npos) << text;
}

TEST(SpatialAssembly, MissingRotationIsReported) {
  CheckedModel checked = two_bodies();
  checked.model.connections[0].line.stiffness_rotation.reset();
  document::Diagnostics diagnostics;
  work_out(checked, diagnostics);
  EXPECT_FALSE(assemble(checked, {}, diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_NE(diagnostics.all()[0].message.find("stiffness_rotation or impedance_rotation"), std::string::npos);
}

/// The problems of a connection between two programs' interfaces in space, and of one on one axis.
std::string problems_of(const std::string& joint, const std::string& rod = "stiffness=\"1\"",
                        const std::string& turned = "0, 0, 0") {
  const support::TemporaryFolder folder;
  const auto file = folder.path() / "model.xml";
  std::ofstream(file) << R"(<CompositeModel name="m"><Components>
<Component name="a" kind="process" command="a"><Interface name="end" domain="mechanical3d"/><Interface name="x" domain="translation"/></Component>
<Component name="b" kind="process" command="b"><Interface name="end" domain="mechanical3d" angles=")"
                      << turned << R"("/><Interface name="x" domain="translation"/></Component>
</Components><Connections>
<Connection name="joint" from="a.end" to="b.end" delay="1e-5" )"
                      << joint << R"(/>
<Connection name="rod" from="a.x" to="b.x" coupling="line" delay="1e-5" )"
                      << rod << "/>\n</Connections><Simulation stop=\"1\"/></CompositeModel>";
  document::Diagnostics diagnostics;
  (void)check_model(file, {}, diagnostics);
  std::string errors;
  for (const document::Diagnostic& entry : diagnostics.all()) {
    if (entry.severity == document::Severity::error) errors += fmt::format("{}: {}\n", entry.place.line, entry.message);
  }
  return errors;
}

constexpr const char* kStiff = R"(coupling="line" stiffness="1" stiffness_rotation="2" damping_rotation="0.1" )";

TEST(SpatialCheck, AcceptsWhatALineInSpaceTakes) {
  EXPECT_EQ(problems_of(kStiff), "");
  EXPECT_EQ(problems_of(kStiff + std::string(R"(free_axes="rx, rz")")), "");
  EXPECT_EQ(problems_of(R"(coupling="line" impedance="1" impedance_rotation="2")"), "");
}

TEST(SpatialCheck, NamesWhatHasNoMeaning) {
  EXPECT_NE(problems_of(kStiff + std::string(R"(free_axes="rx, x")"))
                .find("5: 'x' is not a rotation axis; expected rx, ry or rz"),
            std::string::npos);
  for (const std::string axis : {"x", "ty"}) {
    const std::string free = problems_of(kStiff + fmt::format("free_axes=\"{}\"", axis));
    EXPECT_NE(free.find("expected rx, ry or rz, separated by commas (translations cannot be free; let a slider"),
              free.npos)
        << free;
  }
  EXPECT_EQ(problems_of(kStiff + std::string(R"(free_axes="rx, rx")")), "5: 'rx' is named twice\n");
  EXPECT_NE(problems_of(kStiff + std::string(R"(free_axes="ry" initial_torque="0, 50, 0")"))
                .find("5: initial_torque has 50 N m about ry, which is a free axis; expected 0 there"),
            std::string::npos);
  EXPECT_NE(problems_of(kStiff + std::string(R"(initial_force="1")")).find("5: 'initial_force' has no direction"),
            std::string::npos);
  EXPECT_NE(problems_of(R"(coupling="sampled")").find("5: a sampled coupling needs a side that takes motion"),
            std::string::npos);
  const std::string flat = problems_of(kStiff, R"(stiffness="1" stiffness_rotation="1" free_axes="ry")");
  EXPECT_NE(flat.find("6: 'stiffness_rotation' is only valid between interfaces in space"), std::string::npos) << flat;
  EXPECT_NE(flat.find("6: 'free_axes' is only valid"), std::string::npos) << flat;
}

TEST(SpatialCheck, AHingeMayStandAtAnyAngle) {
  EXPECT_NE(problems_of(kStiff, "stiffness=\"1\"", "0, 0.5, 0").find("turned by 0.5 rad"), std::string::npos);
  EXPECT_EQ(problems_of(kStiff + std::string(R"(free_axes="ry")"), "stiffness=\"1\"", "0, 0.5, 0"), "");
}

}  // namespace spatial_assembly_test
}  // namespace tieline::assembly
