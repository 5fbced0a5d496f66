// Processes in models: components of kind "process", and settings of a run.

#include "kinds/process_options.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kinds/process_files.hpp"

namespace tieline::kinds {
namespace process_options_test {

using model::Component;
using model::options_as;
using model::ProcessSettings;
using model::Routing;
using model::Transport;

class Process : public test::ProcessTest {};

TEST_F(Process, EverythingIsRead) {
  folder.write("work/a.in", "");
  const auto model = read(R"(
<Component name="bearing" kind="process" tool="beast" file="work/a.in" command="beast --serial" folder="work"
           exact_step="true" transport="tcp" start_deadline="{2*60}" isolate="true" largest_step="1e-6">
  <Environment name="LICENCE" value="27000@host"/>
  <Environment name="SPEED" value="{n} rpm"/>
  <Parameter name="n" value="{10*k}" unit="1/min"/>
</Component>)");
  const Component& bearing = model.components.front();
  EXPECT_EQ(bearing.tool, "beast");
  const auto& program = options_as<ProcessOptions>(bearing);
  EXPECT_EQ(program.command, "beast --serial");
  EXPECT_EQ(program.folder, folder.path("work"));
  EXPECT_TRUE(program.exact_step);
  EXPECT_EQ(bearing.process.transport, Transport::tcp);
  EXPECT_EQ(bearing.process.start_deadline, 120.0);
  EXPECT_EQ(bearing.settings.isolate, true);
  ASSERT_EQ(program.environment.size(), 2U);
  EXPECT_EQ(program.environment[1].name, "SPEED");
  EXPECT_EQ(program.environment[1].value, "{n} rpm");
}

TEST_F(Process, NothingHasToBeStated) {
  const auto model = read("<Component name=\"a\" kind=\"process\"/>");
  const auto& program = options_as<ProcessOptions>(model.components.front());
  EXPECT_TRUE(program.folder.empty());
  EXPECT_FALSE(program.exact_step);
  const model::OwnProcess& process = model.components.front().process;
  EXPECT_FALSE(process.transport.has_value());
  EXPECT_FALSE(process.start_deadline.has_value());
  EXPECT_FALSE(model.components.front().settings.isolate.has_value());
  const ProcessSettings& all = model.simulation.processes;
  EXPECT_EQ(all.routing, Routing::direct);
  EXPECT_EQ(all.transport, Transport::automatic);
  EXPECT_EQ(all.start_deadline, 60.0);
  EXPECT_EQ(all.silence_deadline, 10.0);
  EXPECT_EQ(all.stall_deadline, 600.0);
  EXPECT_EQ(all.shutdown_deadline, 5.0);
}

TEST_F(Process, TypesStateWhatComponentsDoNot) {
  folder.write("tools/parts.xml",
               R"(<Library name="parts"><Type name="Bearing" kind="process" command="beast" folder="." transport="tcp"
    exact_step="true"><Environment name="A" value="type"/><Environment name="B" value="type"/></Type></Library>)");
  const auto model = read(
      "<Component name=\"a\" type=\"parts.Bearing\" exact_step=\"false\"><Environment name=\"A\" "
      "value=\"own\"/></Component>",
      "", "<Libraries><Uses library=\"tools/parts.xml\"/></Libraries>");
  const Component& component = model.components.front();
  const auto& program = options_as<ProcessOptions>(component);
  EXPECT_EQ(program.folder.lexically_normal(), folder.path("tools/"));
  EXPECT_EQ(component.process.transport, Transport::tcp);
  EXPECT_FALSE(program.exact_step);
  ASSERT_EQ(program.environment.size(), 2U);
  EXPECT_EQ(program.environment[0].value, "own");
  EXPECT_EQ(program.environment[1].name, "B");
}

TEST_F(Process, IsolationOfANestedModelHoldsForAllInIt) {
  const auto model = read(R"(
<Component name="sub" kind="composite" isolate="true"><CompositeModel name="n"><Components>
  <Component name="a" kind="network"><Network/></Component>
  <Component name="b" kind="network" isolate="false"><Network/></Component>
</Components></CompositeModel></Component>)");
  EXPECT_EQ(model.components[0].settings.isolate, true);
  EXPECT_EQ(model.components[1].settings.isolate, false);
}

TEST_F(Process, SettingsOfARunAreRead) {
  const auto model =
      read("", R"(<Processes routing="master" transport="shared_memory" start_deadline="{k}" silence_deadline="1"
    stall_deadline="2" shutdown_deadline="0.5"/>)");
  const ProcessSettings& all = model.simulation.processes;
  EXPECT_EQ(all.routing, Routing::master);
  EXPECT_EQ(all.transport, Transport::shared_memory);
  EXPECT_EQ(all.start_deadline, 3.0);
  EXPECT_EQ(all.silence_deadline, 1.0);
  EXPECT_EQ(all.stall_deadline, 2.0);
  EXPECT_EQ(all.shutdown_deadline, 0.5);
}

TEST_F(Process, WrongSettingsAreReportedAtTheirPlaces) {
  const std::string said = errors_of(
      "<Component name=\"a\" kind=\"process\" start_deadline=\"0\" exact_step=\"yes\" transport=\"udp\" "
      "folder=\"none\"/>",
      "<Processes silence_deadline=\"-1\" routing=\"ring\"/>");
  EXPECT_TRUE(holds(said, "model.xml:4:36: error: start_deadline = 0 must be greater than 0")) << said;
  EXPECT_TRUE(holds(said, "model.xml:4:55: error: exact_step=\"yes\" is not known")) << said;
  EXPECT_TRUE(holds(said, "model.xml:4:72: error: transport=\"udp\" is not known")) << said;
  EXPECT_TRUE(holds(said, "model.xml:4:88: error: there is no folder 'none'")) << said;
  EXPECT_TRUE(holds(said, "model.xml:5:45: error: silence_deadline = -1 must be greater than 0")) << said;
  EXPECT_TRUE(holds(said, "model.xml:5:67: error: routing=\"ring\" is not known")) << said;
}

TEST_F(Process, WrongVariablesAreReported) {
  const std::string said = errors_of(R"(<Component name="a" kind="process">
<Environment name="TIELINE_X" value=""/>
<Environment name="A" value="1"/>
<Environment name="A" value="2"/>
<Environment name="a-b" value=""/>
</Component>)");
  EXPECT_TRUE(holds(said, "model.xml:5:14: error: variables that start with TIELINE_ are reserved")) << said;
  EXPECT_TRUE(holds(said, "model.xml:7:14: error: variable 'A' appears twice")) << said;
  EXPECT_TRUE(holds(said, "model.xml:8:14: error: ")) << said;
}

TEST_F(Process, OtherKindsAreNotStarted) {
  const std::string said = errors_of(
      "<Component name=\"a\" kind=\"network\" folder=\".\" exact_step=\"true\" command=\"x\" transport=\"tcp\">"
      "<Environment name=\"A\" value=\"\"/><Network/></Component>");
  EXPECT_TRUE(holds(said, "the attribute 'folder' is for components of kind 'process'; 'a' is of kind 'network'"))
      << said;
  EXPECT_TRUE(holds(said, "the attribute 'exact_step' is for")) << said;
  EXPECT_TRUE(holds(said, "the attribute 'command' is for")) << said;
  EXPECT_TRUE(holds(said, "<Environment> is for")) << said;
  EXPECT_FALSE(holds(said, "transport")) << said;  // an isolated component has a process, too
}

TEST_F(Process, CommandsAreTriedWhenTheModelIsChecked) {
  EXPECT_TRUE(holds(errors_of("<Component name=\"a\" kind=\"process\" command=\"cd x &amp;&amp; y\"/>"),
                    "model.xml:4:36: error: no shell runs this command, so '&&' is not valid in it"));
  EXPECT_TRUE(holds(errors_of("<Component name=\"a\" kind=\"process\" command=\"x {modle_file}\"/>"),
                    "component 'a' has no parameter 'modle_file', and it is not a keyword of commands (did you mean "
                    "'model_file'?)"));
  EXPECT_TRUE(holds(errors_of("<Component name=\"a\" kind=\"process\" command=\"x {model_file}\"/>"),
                    "the command asks for {model_file}, but component 'a' has no attribute 'file'"));
  EXPECT_TRUE(
      holds(errors_of("<Component name=\"a\" kind=\"process\" command=\"x {k\"/>"), "'{' is not matched in '{k'"));
}

TEST_F(Process, OptionsOfAnotherKindAreTheDefaults) {
  const auto model = read("<Component name=\"a\" kind=\"network\"><Network/></Component>");
  EXPECT_EQ(model.components.front().options, nullptr);
  EXPECT_TRUE(options_as<ProcessOptions>(model.components.front()).command.empty());
}

}  // namespace process_options_test
}  // namespace tieline::kinds
