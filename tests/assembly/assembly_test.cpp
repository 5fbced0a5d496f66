#include "assembly/assembly.hpp"

#include <gtest/gtest.h>

#include "assembly/connection_figures.hpp"
#include "support/mixed_model.hpp"
#include "support/model_run.hpp"

namespace tieline::assembly {
namespace assembly_test {

using support::MixedModel;
using support::ModelFiles;

TEST(Assembly, JoinsWhatHasNoDelayAndNothingElse) {
  const ModelFiles files(MixedModel{}.text());
  document::Diagnostics diagnostics;
  const auto checked = check_model(files.path(), {}, diagnostics);
  ASSERT_TRUE(checked && !diagnostics.has_errors()) << diagnostics.describe();
  const auto assembly = assemble(*checked, {}, diagnostics);
  ASSERT_TRUE(assembly.has_value()) << diagnostics.describe();
  const auto node = [&](const std::string& name) {
    for (std::size_t i = 0; i < checked->model.components.size(); ++i) {
      if (checked->model.components[i].name == name) return checked->node_of_component[i];
    }
    return -1;
  };
  EXPECT_EQ(node("controller"), node("m0"));
  EXPECT_EQ(node("m5"), node("tail"));
  EXPECT_NE(node("m0"), node("m1"));
  EXPECT_NE(node("m3"), node("controller"));
  EXPECT_NE(node("monitor"), node("tail"));
  EXPECT_EQ(assembly->engine->node_count(), 7U);
}

TEST(Assembly, WindowsAreHalfTheShortestDelay) {
  const ModelFiles files(MixedModel{}.text());
  document::Diagnostics diagnostics;
  const auto checked = check_model(files.path(), {}, diagnostics);
  ASSERT_TRUE(checked.has_value());
  const auto assembly = assemble(*checked, {}, diagnostics);
  ASSERT_TRUE(assembly.has_value());
  const auto window = [&](std::size_t component) {
    return assembly->engine->window_length(static_cast<std::size_t>(checked->node_of_component[component]));
  };
  EXPECT_NEAR(window(0), 5e-5, 1e-15);  // m0: 1e-4
  EXPECT_NEAR(window(1), 5e-5, 1e-15);  // m1: 1e-4 and 1.7e-4
  EXPECT_NEAR(window(3), 5e-5, 1e-15);  // m3: 1e-4, 1e-3, and signals
  EXPECT_NEAR(window(4), 1e-4, 1e-15);  // m4: 1e-3 and 2e-4
}

std::string problems_of(const std::string& text) {
  const ModelFiles files(text);
  document::Diagnostics diagnostics;
  const auto checked = check_model(files.path(), {}, diagnostics);
  if (checked && !diagnostics.has_errors()) (void)assemble(*checked, {}, diagnostics);
  return diagnostics.has_errors() ? diagnostics.describe() : "";
}

std::string with_mass_settings(const std::string& settings, const std::string& connection) {
  return fmt::format(
      "<CompositeModel name=\"m\"><Components><Component name=\"a\" kind=\"network\" {0}><Network><Mass name=\"b\" "
      "mass=\"1\"/><Interface name=\"end\" node=\"b\"/></Network></Component><Component name=\"c\" kind=\"network\">"
      "<Network><Mass name=\"b\" mass=\"1\"/><Interface name=\"end\" node=\"b\"/></Network></Component></Components>"
      "<Connections>{1}</Connections><Simulation stop=\"1\"/></CompositeModel>",
      settings, connection);
}

TEST(Assembly, NamesWhatCannotBeBuilt) {
  const std::string line =
      "<Connection name=\"rod\" from=\"a.end\" to=\"c.end\" coupling=\"line\" stiffness=\"1e6\" delay=\"1e-3\"/>";
  EXPECT_EQ(problems_of(with_mass_settings("", line)), "");
  EXPECT_NE(problems_of(with_mass_settings("solver=\"rk4\"", line))
                .find("component 'a' is solved by rk4, which needs a step"),
            std::string::npos);
  EXPECT_NE(problems_of(with_mass_settings("window=\"2e-3\"", line)).find("component 'a'"), std::string::npos);
  EXPECT_NE(
      problems_of(with_mass_settings(
                      "", "<Connection name=\"rod\" from=\"a.end\" to=\"c.end\" coupling=\"line\" delay=\"1e-3\"/>"))
          .find("a line is given by exactly one of"),
      std::string::npos);
  // Two masses that both take force cannot be sampled.
  EXPECT_NE(
      problems_of(with_mass_settings("", "<Connection name=\"j\" from=\"a.end\" to=\"c.end\" coupling=\"sampled\"/>")),
      "");
}

TEST(Assembly, DescribesConnections) {
  const ModelFiles files(MixedModel{}.text());
  document::Diagnostics diagnostics;
  const auto checked = check_model(files.path(), {}, diagnostics);
  ASSERT_TRUE(checked.has_value());
  std::map<std::string, std::string> words;
  for (std::size_t i = 0; i < checked->model.connections.size(); ++i) {
    words[checked->model.connections[i].name] = describe_connection(*checked, i);
  }
  EXPECT_EQ(
      words.at("line0"),
      "line: T = 0.0001 s, Z = 100 N s/m, k = 1e+06 N/m, parasitic mass 0.01 kg, first frequency 5000 Hz, damping 0");
  EXPECT_EQ(words.at("command"), "signal, undelayed");
  EXPECT_EQ(words.at("sensor"), "signal, delayed by 0.0003 s");
  EXPECT_EQ(words.at("tip"), "sampled: furthest_behind, hermite");
}

TEST(Assembly, DescribesGluedConnections) {
  const auto set = [](const char* name, int size) {
    return fmt::format(
        "<Component name=\"{}\" kind=\"process\" command=\"none\"><Interface name=\"edge\" "
        "domain=\"mechanical3d\" size=\"{}\"/></Component>",
        name, size);
  };
  const ModelFiles files(
      "<CompositeModel name=\"m\"><Components>" + set("a", 4) + set("b", 3) + set("c", 3) +
      "<Component name=\"sub\" kind=\"composite\"><CompositeModel name=\"s\"><Components>" + set("d", 2) + set("e", 2) +
      "</Components><Connections><Connection name=\"slide\" from=\"d.edge[2]\" to=\"e.edge[1]\" "
      "coupling=\"glue\" joint=\"prismatic\" axis=\"x\"/></Connections><Gluing step_tolerance=\"1e-4\" "
      "update=\"none\"/></CompositeModel></Component></Components><Connections>"
      "<Connection name=\"seam\" from=\"a.edge\" to=\"b.edge\" coupling=\"glue\" joint=\"spherical\"/>"
      "<Connection name=\"pin\" from=\"b.edge[1]\" to=\"c.edge[3]\" coupling=\"glue\" joint=\"revolute\"/>"
      "</Connections><Gluing step=\"1e-3\" compatibility=\"velocity\" forces=\"linear\"/>"
      "<Simulation stop=\"1\"/></CompositeModel>");
  document::Diagnostics diagnostics;
  const auto checked = check_model(files.path(), {}, diagnostics);
  ASSERT_TRUE(checked.has_value());
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  std::map<std::string, std::string> words;
  for (std::size_t i = 0; i < checked->model.connections.size(); ++i) {
    words[checked->model.connections[i].name] = describe_connection(*checked, i);
  }
  EXPECT_EQ(words.at("seam"),
            "glued, 4 points to 3, spherical: compatibility velocity, forces linear, update broyden, step 0.001 s");
  EXPECT_EQ(words.at("pin"),
            "glued, revolute about z: compatibility velocity, forces linear, update broyden, step 0.001 s");
  EXPECT_EQ(words.at("sub.slide"),
            "glued, prismatic along x: compatibility auto, forces auto, update none, step by tolerance 0.0001");
}

}  // namespace assembly_test
}  // namespace tieline::assembly
