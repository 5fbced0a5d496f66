// What is left out of a model, and what is chosen among alternatives.

#include <gtest/gtest.h>

#include "model/reading_test.hpp"

namespace tieline::model {
namespace variants_test {

using test::component_text;
using test::model_text;

class Variants : public test::ReadingTest {
 protected:
  static std::vector<std::string> names(const CompositeModel& model) {
    std::vector<std::string> all;
    for (const auto& component : model.components) all.push_back(component.name);
    return all;
  }
};

using Names = std::vector<std::string>;

const std::string kSwitchable = model_text(
    component_text("a", {"x", "y"}) +
        "<Component name=\"b\" kind=\"network\" enabled=\"{with_b}\"><Parameter name=\"m\" value=\"1\"/><Network/>"
        "</Component>\n",
    "<Connection from=\"a.x\" to=\"b.x\" coupling=\"line\" delay=\"1\" stiffness=\"1\"/>\n"
    "<Connection name=\"loop\" from=\"a.y\" to=\"a.x\" enabled=\"{1-with_b}\" coupling=\"line\" delay=\"1\" "
    "stiffness=\"1\"/>\n",
    "<Parameters><Parameter name=\"with_b\" value=\"1\"/></Parameters>\n");

TEST_F(Variants, ADisabledComponentGoesWithItsConnections) {
  auto model = read(kSwitchable);
  EXPECT_EQ(names(model), (Names{"a", "b"}));
  ASSERT_EQ(model.connections.size(), 1U);
  EXPECT_EQ(model.connections[0].name, "a.x--b.x");
  EXPECT_NE(folder.shown(diagnostics).find("note: connection 'loop' is disabled"), std::string::npos);

  model = read(kSwitchable, {{"with_b", "0"}});
  EXPECT_EQ(names(model), (Names{"a"}));
  ASSERT_EQ(model.connections.size(), 1U);
  EXPECT_EQ(model.connections[0].name, "loop");
  EXPECT_EQ(folder.shown(diagnostics),
            "model.xml:5:36: note: component 'b' is disabled\n"
            "model.xml:8:1: note: connection 'a.x--b.x' is left out with the disabled 'b'\n");
}

TEST_F(Variants, AnOpenEndOfWhatIsDisabledIsNoted) {
  const auto model =
      read(model_text(component_text("a", {"x"}) + "<Component name=\"b\" kind=\"network\" enabled=\"0\">"
                                                   "<Network/></Component>\n",
                      "<Open interface=\"b.x\" as=\"fixed\"/>\n"));
  EXPECT_TRUE(model.open_ends.empty());
  EXPECT_NE(folder.shown(diagnostics).find("note: an open end is left out with the disabled 'b'"), std::string::npos)
      << folder.shown(diagnostics);
}

TEST_F(Variants, ParametersOfWhatIsLeftOutStayKnown) {
  (void)read(kSwitchable, {{"with_b", "0"}, {"b.m", "7"}});
  EXPECT_EQ(errors_of(kSwitchable, {{"with_b", "0"}, {"b.mm", "7"}}).substr(0, 19), "--set b.mm=7: error");
}

TEST_F(Variants, ARepeatLeavesOutWhatItsIndexSays) {
  const auto model = read(model_text(
      "<Repeat index=\"i\" count=\"4\"><Component name=\"c{i}\" kind=\"network\" enabled=\"{i != 2}\">"
      "<Network><Interface name=\"x\"/><Interface name=\"y\"/></Network></Component></Repeat>",
      "<Repeat index=\"i\" count=\"3\"><Connection from=\"c{i}.x\" to=\"c{i+1}.y\" coupling=\"line\" delay=\"1\" "
      "stiffness=\"1\"/></Repeat>"));
  EXPECT_EQ(names(model), (Names{"c0", "c1", "c3"}));
  EXPECT_EQ(model.connections.size(), 1U);
}

TEST_F(Variants, AnExportedInterfaceGoesWithItsComponent) {
  folder.write(
      "sub.xml",
      "<CompositeModel name=\"s\"><Components><Component name=\"p\" kind=\"network\" enabled=\"0\"><Network/>"
      "</Component></Components><Interfaces><Interface name=\"tip\" of=\"p.x\"/></Interfaces></CompositeModel>");
  const auto model =
      read(model_text("<Component name=\"sub\" kind=\"composite\" file=\"sub.xml\"/>" + component_text("a", {"x"}),
                      "<Connection from=\"sub.tip\" to=\"a.x\" coupling=\"line\" delay=\"1\" stiffness=\"1\"/>"));
  EXPECT_EQ(names(model), (Names{"a"}));
  EXPECT_TRUE(model.connections.empty());
  EXPECT_NE(folder.shown(diagnostics).find("is left out with the disabled 'sub.tip'"), std::string::npos);
}

TEST_F(Variants, AFileOfWhatIsLeftOutMayBeMissing) {
  (void)read(model_text("<Component name=\"a\" kind=\"network\" file=\"nowhere.xml\" enabled=\"0\"/>"));
}

const std::string kBearing = model_text(
    "<Alternative name=\"bearing\" choose=\"{detail}\">\n"
    "<Component name=\"simple\" kind=\"network\"><Parameter name=\"k\" value=\"1\"/><Network/></Component>\n"
    "<Component name=\"fine\" kind=\"network\"><Parameter name=\"k\" value=\"2\"/><Network/></Component>\n"
    "</Alternative>\n" +
        component_text("shaft", {"x"}),
    "<Connection from=\"bearing.x\" to=\"shaft.x\" coupling=\"line\" delay=\"1\" stiffness=\"1\"/>",
    "<Parameters><Parameter name=\"detail\" value=\"0\"/></Parameters>\n");

TEST_F(Variants, AnAlternativeIsChosenByNumberOrName) {
  auto model = read(kBearing);
  EXPECT_EQ(names(model), (Names{"bearing", "shaft"}));
  EXPECT_EQ(value(model.components[0], "k"), 1.0);
  EXPECT_EQ(model.describe(model.connections[0].from), "bearing.x");
  ASSERT_EQ(model.alternatives.size(), 1U);
  ASSERT_EQ(model.alternatives[0].choices.size(), 2U);
  EXPECT_EQ(model.alternatives[0].choices[0].part, nullptr);
  ASSERT_NE(model.alternatives[0].choices[1].part, nullptr);
  EXPECT_EQ(value(model.alternatives[0].choices[1].part->components.at(0), "k"), 2.0);

  EXPECT_EQ(value(read(kBearing, {{"detail", "1"}}).components[0], "k"), 2.0);
  EXPECT_EQ(value(read(kBearing, {{"bearing", "fine"}}).components[0], "k"), 2.0);
  EXPECT_EQ(value(read(kBearing, {{"bearing", "1"}}).components[0], "k"), 2.0);
  EXPECT_EQ(value(read(kBearing, {{"bearing", "{1-detail}"}, {"bearing.k", "5"}}).components[0], "k"), 5.0);
}

TEST_F(Variants, AnUnknownChoiceIsNamedWithTheNearest) {
  EXPECT_EQ(errors_of(kBearing, {{"bearing", "simpl"}}),
            "--set bearing=simpl: error: alternative 'bearing' has no choice 'simpl' (did you mean 'simple'?)\n");
  EXPECT_EQ(errors_of(kBearing, {{"detail", "2"}}),
            "model.xml:4:29: error: alternative 'bearing' has no choice '2' (known: simple, fine)\n");
}

TEST_F(Variants, AllChoicesAreRead) {
  EXPECT_EQ(
      errors_of(model_text("<Alternative name=\"b\"><Component name=\"p\" kind=\"network\"><Network/></Component>\n"
                           "<Component name=\"q\" kind=\"network\" file=\"gone.xml\"/></Alternative>")),
      "model.xml:4:36: error: the file 'gone.xml' does not exist\n");
}

TEST_F(Variants, DifferencesOfChoicesAreNamed) {
  const auto choice = [](const std::string& name, const std::string& interfaces) {
    return "<Component name=\"" + name + "\" kind=\"network\"><Network>" + interfaces + "</Network></Component>\n";
  };
  const auto model = read(model_text(
      "<Alternative name=\"b\">\n" + choice("p", "<Interface name=\"x\"/><Interface name=\"y\"/>") +
      choice("q", "<Interface name=\"x\" causality=\"motion\"/><Interface name=\"z\"/>") + "</Alternative>"));
  const auto& alternative = model.alternatives.at(0);
  const std::vector<ComponentInterfaces> interfaces{test::interfaces_of(model)(0),
                                                    test::interfaces_of(*alternative.choices.at(1).part)(0)};
  compare_choices(alternative, interfaces, diagnostics);
  EXPECT_EQ(folder.shown(diagnostics),
            "model.xml:5:1: error: the choices of 'b' must have the same interfaces, but 'x' is translation that takes "
            "motion in 'q' and translation that takes force in 'p'\n"
            "model.xml:5:1: error: the choices of 'b' must have the same interfaces, but 'q' has no interface 'y', "
            "which 'p' has\n"
            "model.xml:5:1: error: the choices of 'b' must have the same interfaces, but 'q' has an interface 'z', "
            "which 'p' does not have\n");
}

TEST_F(Variants, ModelsThatMultiplyWithoutEndAreRefused) {
  for (int i = 0; i < 40; ++i) {
    const std::string next = "m" + std::to_string(i + 1) + ".xml";
    folder.write("m" + std::to_string(i) + ".xml",
                 "<CompositeModel name=\"m\"><Components><Component name=\"a\" kind=\"composite\" file=\"" + next +
                     "\"/><Component name=\"b\" kind=\"composite\" file=\"" + next +
                     "\"/></Components></CompositeModel>");
  }
  folder.write("m40.xml", "<CompositeModel name=\"m\"><Components/></CompositeModel>");
  EXPECT_NE(errors_of(model_text("<Component name=\"a\" kind=\"composite\" file=\"m0.xml\"/>"))
                .find("the model has more than 50000 nested models"),
            std::string::npos);
}

}  // namespace variants_test
}  // namespace tieline::model
