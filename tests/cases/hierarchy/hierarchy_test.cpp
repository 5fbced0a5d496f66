// Nested models give the same run as the flat model; parameters reach every level.

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace hierarchy_hierarchy_test {

std::string mass(const std::string& name, const std::string& value, const std::string& extra = "") {
  return fmt::format(
      "<Component name=\"{}\" kind=\"network\"><Network><Mass name=\"body\" mass=\"{}\"/>{}<Interface name=\"left\" "
      "node=\"body\"/><Interface name=\"right\" node=\"body\"/></Network></Component>",
      name, value, extra);
}

std::string line(const std::string& name, const std::string& from, const std::string& to) {
  return fmt::format(
      "<Connection name=\"{}\" from=\"{}\" to=\"{}\" coupling=\"line\" stiffness=\"{{k}}\" delay=\"1e-4\"/>", name,
      from, to);
}

const std::string kPush = "<Load name=\"push\" node=\"body\" force=\"{100*smoothstep(t, 0, 1e-3)}\"/>";
const std::string kSettings = "<Simulation stop=\"0.01\" tolerance=\"1e-9\" write_interval=\"1e-4\"/>";

/// The record with every "a.b" of a nested component spelt "a_b", as in the flat model.
RunRecord flattened(RunRecord run, const std::vector<std::string>& nested) {
  RunRecord result;
  for (auto& [name, series] : run.series) {
    std::string flat = name;
    for (const auto& component : nested) {
      const auto at = flat.find(component + ".");
      if (at == flat.npos) continue;
      for (std::size_t i = at; i < at + component.size(); ++i) flat[i] = flat[i] == '.' ? '_' : flat[i];
    }
    result.series[flat] = std::move(series);
  }
  return result;
}

TEST(Hierarchy, NestedModelsGiveTheSameBitsAsTheFlatModel) {
  ModelFiles files;
  files.write("leaf.xml",
              "<CompositeModel name=\"leaf\"><Parameters><Parameter name=\"m\" value=\"1\"/></Parameters>"
              "<Components>" +
                  mass("p", "{m}") + mass("q", "{2*m}") +
                  "</Components><Interfaces><Interface name=\"in\" of=\"p.left\"/><Interface name=\"out\" "
                  "of=\"q.right\"/></Interfaces><Connections>" +
                  line("inner", "p.right", "q.left") + "</Connections></CompositeModel>");
  files.write("branch.xml",
              "<CompositeModel name=\"branch\"><Components><Component name=\"leaf\" kind=\"composite\" "
              "file=\"leaf.xml\"><Parameter name=\"m\" value=\"{w}\"/></Component>" +
                  mass("tip", "0.5") +
                  "</Components><Interfaces><Interface name=\"foot\" of=\"leaf.in\"/></Interfaces><Connections>" +
                  line("twig", "leaf.out", "tip.left") + "</Connections></CompositeModel>");
  const auto nested = files.write(
      "nested.xml",
      "<CompositeModel name=\"nested\"><Parameters><Parameter name=\"k\" value=\"1e6\"/><Parameter name=\"w\" "
      "value=\"3\"/></Parameters><Components><Component name=\"b1\" kind=\"composite\" file=\"branch.xml\"/>"
      "<Component name=\"b2\" kind=\"composite\" file=\"branch.xml\"><Parameter name=\"w\" value=\"{2*w}\"/>"
      "</Component>" +
          mass("root", "4", kPush) + "</Components><Connections>" + line("one", "root.left", "b1.foot") +
          line("two", "root.right", "b2.foot") + "</Connections>" + kSettings + "</CompositeModel>");
  std::string components, connections;
  for (const auto& [branch, w] : {std::pair{std::string("b1"), 3.0}, std::pair{std::string("b2"), 6.0}}) {
    components += mass(branch + "_leaf_p", fmt::format("{}", w)) + mass(branch + "_leaf_q", fmt::format("{}", 2 * w)) +
                  mass(branch + "_tip", "0.5");
    connections += line(branch + "_leaf_inner", branch + "_leaf_p.right", branch + "_leaf_q.left") +
                   line(branch + "_twig", branch + "_leaf_q.right", branch + "_tip.left");
  }
  const auto flat =
      files.write("flat.xml",
                  "<CompositeModel name=\"flat\"><Parameters><Parameter name=\"k\" value=\"1e6\"/>"
                  "</Parameters><Components>" +
                      mass("root", "4", kPush) + components + "</Components><Connections>" + connections +
                      line("one", "root.left", "b1_leaf_p.left") + line("two", "root.right", "b2_leaf_p.left") +
                      "</Connections>" + kSettings + "</CompositeModel>");
  const RunRecord deep =
      flattened(run_model(nested), {"b1.leaf.p", "b1.leaf.q", "b1.tip", "b2.leaf.p", "b2.leaf.q", "b2.tip",
                                    "b1.leaf.inner", "b1.twig", "b2.leaf.inner", "b2.twig"});
  EXPECT_TRUE(have_same_bits(run_model(flat), deep));
}

/// 1 / mass of a body that is pushed with 1 N for 1 s.
double pushed_mass(Simulation& simulation, const std::string& component) {
  return 1.0 / simulation.get(component + ".body.velocity");
}

struct Levels : ::testing::Test {
  Levels() {
    const std::string body =
        "<Network><Parameters><Parameter name=\"m\" value=\"{2*base}\"/></Parameters><Mass name=\"body\" "
        "mass=\"{m}\"/><Load name=\"push\" node=\"body\" force=\"1\"/></Network>";
    files.write("part.xml", body);
    files.write("inner.xml",
                "<CompositeModel name=\"inner\"><Parameters><Parameter name=\"base\" value=\"{outer+1}\"/></Parameters>"
                "<Components><Component name=\"part\" kind=\"network\" file=\"part.xml\"/></Components>"
                "</CompositeModel>");
    files.write("middle.xml",
                "<CompositeModel name=\"middle\"><Parameters><Parameter name=\"outer\" value=\"{top*10}\"/>"
                "</Parameters><Components><Component name=\"inner\" kind=\"composite\" file=\"inner.xml\"/>"
                "</Components></CompositeModel>");
    file = files.write("outer.xml",
                       "<CompositeModel name=\"outer\"><Parameters><Parameter name=\"top\" value=\"3\"/></Parameters>"
                       "<Components><Component name=\"middle\" kind=\"composite\" file=\"middle.xml\"/><Component "
                       "name=\"other\" kind=\"composite\" file=\"middle.xml\"><Parameter name=\"outer\" "
                       "value=\"{top+1}\"/></Component></Components><Simulation stop=\"1\"/></CompositeModel>");
  }
  std::pair<double, double> masses(const std::map<std::string, std::string>& settings) {
    Simulation simulation = Simulation::load(file);
    for (const auto& [name, value] : settings) simulation.set(name, value);
    simulation.advance_to(1.0);
    return {std::round(1e6 * pushed_mass(simulation, "middle.inner.part")) / 1e6,
            std::round(1e6 * pushed_mass(simulation, "other.inner.part")) / 1e6};
  }
  ModelFiles files;
  std::filesystem::path file;
};

using Masses = std::pair<double, double>;

TEST_F(Levels, ParametersFollowTheHierarchy) { EXPECT_EQ(masses({}), Masses(62.0, 10.0)); }

TEST_F(Levels, SetReachesEveryLevel) {
  EXPECT_EQ(masses({{"top", "5"}}), Masses(102.0, 14.0));
  EXPECT_EQ(masses({{"middle.outer", "7"}}), Masses(16.0, 10.0));
  EXPECT_EQ(masses({{"other.outer", "7"}}), Masses(62.0, 16.0));
  EXPECT_EQ(masses({{"middle.inner.base", "0.25"}}), Masses(0.5, 10.0));
  EXPECT_EQ(masses({{"middle.inner.part.m", "0.125"}, {"other.inner.part.m", "{4*8}"}}), Masses(0.125, 32.0));
  EXPECT_EQ(masses({{"top", "5"}, {"other.inner.base", "1.5"}}), Masses(102.0, 3.0));
}

TEST_F(Levels, SetOfAnUnknownNameSuggestsTheNearest) {
  Simulation simulation = Simulation::load(file);
  try {
    simulation.set("middle.inner.bsae", 1.0);
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("base"), std::string::npos) << error.what();
  }
  // What failed leaves no trace.
  simulation.set("middle.inner.base", 0.25);
  simulation.advance_to(1.0);
  EXPECT_NEAR(pushed_mass(simulation, "middle.inner.part"), 0.5, 1e-9);
}

}  // namespace hierarchy_hierarchy_test
}  // namespace tieline::support
