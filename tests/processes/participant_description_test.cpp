#include "processes/participant_description.hpp"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

#include "kinds/registry.hpp"
#include "model/reader.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::processes {
namespace participant_description_test {

TEST(ParticipantDescription, ContainsTheSettingsOfTheModel) {
  const support::TemporaryFolder folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder.path() / name) << text;
  };
  write("corner.in", "");
  write("grid.txt", "");
  write("parts.xml",
        R"(<Library name="parts"><Type name="Bearing" kind="process" file="corner.in" exact_step="true">
<Parameters><Parameter name="speed" value="1" unit="rad/s"/><Parameter name="load" value="{2*speed}" unit="N"/></Parameters>
<InputFile path="grid.txt"/>
<Interface name="inner" domain="mechanical3d" position="0, 0, 1"/>
<Interface name="y" domain="signal" causality="output" size="2"/></Type></Library>)");
  write("model.xml", R"(<CompositeModel name="m"><Parameters><Parameter name="n" value="3"/></Parameters><Components>
<Component name="a" type="parts.Bearing" largest_step="1e-6"><Parameter name="speed" value="{n+1}"/>
<Placement position="1, 2, 3" angles="0, 0, 1.5707963267948966"/></Component>
</Components><Simulation start="1" stop="2"/></CompositeModel>)");
  document::Diagnostics diagnostics;
  auto model = model::read_model(folder.path() / "model.xml", {}, kinds::kind_descriptions(), diagnostics);
  ASSERT_TRUE(model && !diagnostics.has_errors()) << diagnostics.describe();
  model->components.front().placement = model->frames.front().pose;
  const auto description = describe_participant(*model, model->components.front(), folder.path() / "run");
  EXPECT_EQ(description.name, "a");
  EXPECT_EQ(description.kind, "process");
  EXPECT_EQ(description.model_file, folder.path() / "corner.in");
  ASSERT_EQ(description.input_files.size(), 1U);
  EXPECT_EQ(description.input_files.front(), folder.path() / "grid.txt");
  EXPECT_EQ(description.start, 1.0);
  EXPECT_EQ(description.stop, 2.0);
  EXPECT_EQ(description.largest_step, 1e-6);
  EXPECT_TRUE(description.exact_step);
  ASSERT_EQ(description.parameters.size(), 2U);
  EXPECT_EQ(description.parameters[0].name, "speed");
  EXPECT_EQ(std::get<double>(description.parameters[0].value), 4.0);
  EXPECT_EQ(description.parameters[0].unit, "rad/s");  // that of the type
  EXPECT_EQ(std::get<double>(description.parameters[1].value), 8.0);
  EXPECT_EQ(description.placement.position, Eigen::Vector3d(1.0, 2.0, 3.0));
  EXPECT_NEAR(description.placement.orientation.z(), std::sqrt(0.5), 1e-15);
  ASSERT_EQ(description.interfaces.size(), 2U);
  EXPECT_EQ(description.interfaces[0].pose.position, Eigen::Vector3d(0.0, 0.0, 1.0));
  EXPECT_EQ(description.interfaces[1].causality, core::Causality::output);
  EXPECT_EQ(description.interfaces[1].size, 2);
  EXPECT_EQ(description.run_folder, folder.path() / "run");
}

}  // namespace participant_description_test
}  // namespace tieline::processes
