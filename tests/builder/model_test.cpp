// Models built in code.

#include "tieline/model.hpp"

#include <gtest/gtest.h>
#include <sstream>

#include "custom/test_kinds.hpp"
#include "support/model_run.hpp"

namespace tieline {
namespace model_test {

void add_mass(Model& model, const std::string& name, const ModelValue& mass, double velocity) {
  ModelElement& network = model.add_component(name, "network").add("Network");
  network.add("Mass").set("name", "body").set("mass", mass).set("velocity", velocity);
  network.add("Interface").set("name", "end").set("node", "body");
}

Model pair() {
  Model model("pair");
  model.set_description("Two masses & a rod");
  model.add_parameter("k", 1e6, "N/m", "stiffness of the rod");
  add_mass(model, "left", 1.0, 3.0);
  add_mass(model, "right", "{2*1}", 3.0);
  model.add_line("rod", "left.end", "right.end", {.delay = 1e-4, .stiffness = "{k}"});
  model.set_simulation({.stop = 0.01, .tolerance = 1e-9});
  model.record("right.*", 1e-3);
  model.exclude("right.end.*");
  return model;
}

TEST(ModelInCode, RunsAsItsFileDoes) {
  const Model model = pair();
  Simulation built = Simulation::from(model);
  built.set("k", 2e6);
  built.advance_to(built.stop_time());
  EXPECT_NEAR(built.get("right.body.position"), 0.03, 1e-12);

  const support::TemporaryFolder folder;
  model.write(folder.path() / "pair.xml");
  Simulation loaded = Simulation::load(folder.path() / "pair.xml");
  loaded.set("k", 2e6);
  loaded.advance_to(loaded.stop_time());
  EXPECT_EQ(support::present_values(built), support::present_values(loaded));
  EXPECT_THROW(model.write(folder.path() / "missing" / "pair.xml"), std::runtime_error);
}

TEST(ModelInCode, RecordsWhatItSays) {
  const support::TemporaryFolder folder;
  Simulation simulation = Simulation::from(pair());
  simulation.record_to(folder.path());
  simulation.advance_to(simulation.stop_time());
  simulation.finish();
  const support::RunRecord run = support::read_run(folder.path());
  EXPECT_EQ(run.times("right.body.position").size(), 11U);
  EXPECT_FALSE(run.series.contains("right.end.force"));
  EXPECT_FALSE(run.series.contains("left.body.position"));
}

std::string problem_of(const Model& model) {
  try {
    Simulation simulation = Simulation::from(model);
    simulation.advance_to(simulation.start_time() + 1e-3);
    return "";
  } catch (const ModelError& error) {
    return error.what();
  }
}

TEST(ModelInCode, ProblemsNameThePartOfTheModel) {
  Model model = pair();
  model.add_component("third", "network").add("Network").add("Mass").set("name", "m").set("masss", 1.0);
  model.add_line("", "left.end", "nobody.end", {.delay = "{k", .impedance = 1.0});
  const std::string text = problem_of(model);
  EXPECT_NE(text.find("model 'pair', component 'third', <Network>, <Mass name='m'>: error: "), std::string::npos)
      << text;
  EXPECT_NE(text.find("model 'pair', connection 'left.end--nobody.end': error: "), std::string::npos) << text;
}

TEST(ModelInCode, OffersEveryCouplingAndOpenEnds) {
  custom::register_test_kinds();
  Model model("mixed");
  model.add_component("a", "oscillator").add("Oscillator").set("mass", 1.0).set("stiffness", 100.0);
  model.add_component("shank", "shank").add("Shank").set("mass", 1.0).set("stiffness", 1e4).set("damping", 1.0);
  model.add_sampled("samples", "a.end", "shank.root", {.schedule = "jacobi", .step = 1e-3});
  model.add_component("b", "oscillator").add("Oscillator").set("mass", 1.0);
  model.add_open_end("b.end", "force", "{3*t}");
  model.add_component("c", "oscillator").add("Oscillator").set("mass", 1.0).set("velocity", 1.0);
  model.add_component("d", "shank").add("Shank").set("mass", 1.0).set("stiffness", 1e4).set("damping", 1.0);
  model.add_glue("glue", "c.end", "d.root");
  model.gluing().set("step", 1e-3);
  model.add_component("ball", "ball");
  model.add_component("adder", "adder");
  model.add_signal("count", "ball.count", "adder.u[1]", 0.01);
  model.set_simulation({.start = 0.0, .stop = 1.0, .solver = "dopri5", .write_interval = 0.1});
  Simulation simulation = Simulation::from(model);
  simulation.advance_to(1.0);
  EXPECT_NEAR(simulation.get("b.x"), 0.5, 1e-9);                      // 3 t^3 / 6
  EXPECT_NEAR(simulation.get("adder.y[1].value"), 1.0 + 7.0, 1e-12);  // one bounce, and what rests there
  EXPECT_NE(model.to_xml().find("schedule=\"jacobi\""), std::string::npos);
}

TEST(ModelInCode, ProcessesOfTheirOwnNeedAFile) {
  Model model = pair();
  model.add_component("third", "network")
      .set("isolate", "true")
      .add("Network")
      .add("Mass")
      .set("name", "m")
      .set("mass", 1.0);
  const std::string text = problem_of(model);
  EXPECT_NE(text.find("write the model to a file and load it"), std::string::npos) << text;
}

TEST(ModelInCode, NumbersAreWrittenWithEveryDigit) {
  EXPECT_EQ(std::stod(ModelValue(0.1 + 0.2).text()), 0.1 + 0.2);
  EXPECT_EQ(ModelValue(3).text(), "3");
  EXPECT_EQ(ModelElement("A").set("b", 1.0).set("b", 2.0).get("b"), "2");
}

}  // namespace model_test
}  // namespace tieline
