// Component types: where they are found, what counts, the errors for missing ones.

#include "model/library.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

#include "model/reading_test.hpp"

namespace tieline::model {
namespace library_test {

using test::component_text;
using test::model_text;

class Types : public test::ReadingTest {
 protected:
  void SetUp() override {
    ::setenv("TIELINE_LIBRARY", (folder.path("one").string() + ":" + folder.path("two").string()).c_str(), 1);
    ::setenv("XDG_DATA_HOME", folder.path("user").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("TIELINE_LIBRARY");
    ::unsetenv("XDG_DATA_HOME");
  }
};

const std::string kBearings = R"(<Library name="bearings" version="2.1">
  <Type name="Base" kind="network" tool="Tieline" solver="radau5" icon="base.svg">
    <Description>Any bearing.</Description>
    <Parameters>
      <Parameter name="k" value="1e8" unit="N/m"/>
      <Parameter name="c" value="{2*k}"/>
      <Parameter name="unused" value="{c+1}"/>
    </Parameters>
    <InputFile path="map.csv"/>
    <Network>
      <Parameters><Parameter name="k" value="1"/><Parameter name="m" value="{k/1e8}"/></Parameters>
      <Mass name="ring" mass="{m}"/>
      <Interface name="seat"/>
    </Network>
  </Type>
  <Type name="Ball" extends="Base" version="3" tolerance="{1/k}">
    <Parameters><Parameter name="k" value="2e8"/></Parameters>
  </Type>
</Library>
)";

TEST_F(Types, AComponentTakesFromItsTypeWhatItDoesNotState) {
  folder.write("lib/bearings.xml", kBearings);
  const std::string libraries = "<Libraries><Uses library=\"lib/bearings.xml\"/></Libraries>\n";
  const std::string text = model_text(
      "<Component name=\"a\" type=\"bearings.Ball\"/>\n"
      "<Component name=\"b\" type=\"bearings.Ball\" solver=\"rk4\" step=\"1\" tolerance=\"1e-3\">"
      "<Description>Mine.</Description><Parameter name=\"k\" value=\"5\"/></Component>\n"
      "<Component name=\"c\" type=\"bearings.Base\"><Network><Interface name=\"own\"/></Network></Component>",
      "", libraries);
  const auto model = read(text);
  ASSERT_EQ(model.components.size(), 3U);
  const auto& a = model.components[0];
  EXPECT_EQ(a.kind, "network");
  EXPECT_EQ(a.type, "bearings.Ball");
  EXPECT_EQ(a.tool, "Tieline");
  EXPECT_EQ(a.version, "3");
  EXPECT_EQ(a.description, "Any bearing.");
  EXPECT_EQ(a.settings.solver, "radau5");
  EXPECT_EQ(a.settings.tolerance, 1.0 / 2e8);
  EXPECT_EQ(a.icon, folder.path("lib/base.svg"));
  ASSERT_EQ(a.input_files.size(), 1U);
  EXPECT_EQ(a.input_files[0], folder.path("lib/map.csv"));
  EXPECT_EQ(a.content_file, folder.path("lib/bearings.xml"));
  EXPECT_EQ(value(a, "k"), 2e8);
  EXPECT_EQ(value(a, "c"), 4e8);  // the base type's expression, with the value of the type
  EXPECT_EQ(value(a, "m"), 2.0);  // the content's, likewise
  const auto& b = model.components[1];
  EXPECT_EQ(b.description, "Mine.");
  EXPECT_EQ(b.settings.solver, "rk4");
  EXPECT_EQ(b.settings.tolerance, 1e-3);
  EXPECT_EQ(value(b, "c"), 10.0);
  EXPECT_EQ(model.components[2].content.child("Interface").get("name"), "own");
  EXPECT_EQ(value(read(text, {{"a.k", "7"}}).components[0], "c"), 14.0);
  EXPECT_EQ(value(read(text, {{"a.c", "7"}}).components[0], "unused"), 8.0);
}

TEST_F(Types, LibrariesAreFoundByName) {
  const auto library = [](const std::string& k) {
    return "<Library name=\"parts\"><Type name=\"P\" kind=\"network\"><Parameters><Parameter name=\"k\" value=\"" + k +
           "\"/></Parameters><Network/></Type></Library>";
  };
  const std::string text = model_text("<Component name=\"a\" type=\"parts.P\"/>");
  folder.write("user/tieline/library/parts.xml", library("4"));
  EXPECT_EQ(value(read(text).components[0], "k"), 4.0);
  folder.write("two/parts.xml", library("3"));
  EXPECT_EQ(value(read(text).components[0], "k"), 3.0);
  folder.write("one/parts.xml", library("2"));
  EXPECT_EQ(value(read(text).components[0], "k"), 2.0);
  folder.write("parts.xml", library("1"));
  const auto model = read(text);
  EXPECT_EQ(value(model.components[0], "k"), 1.0);
  EXPECT_EQ(model.files.back(), folder.path("parts.xml"));
  EXPECT_EQ(diagnostics.files_read().size(), 2U);
}

TEST_F(Types, WhatIsMissingIsNamedWhereItIsNamed) {
  folder.write("one/bearings.xml", kBearings);
  EXPECT_EQ(errors_of(model_text("<Component name=\"a\" type=\"bearing.Ball\"/>")),
            "model.xml:3:21: error: there is no library 'bearing' (did you mean 'bearings'?)\n");
  EXPECT_EQ(errors_of(model_text("<Component name=\"a\" type=\"bearings.Bal\"/>")),
            "model.xml:3:21: error: library 'bearings' (one/bearings.xml) has no type 'Bal' (did you mean 'Ball'?)\n");
  EXPECT_EQ(errors_of(model_text("<Component name=\"a\" type=\"Ball\"/>")),
            "model.xml:3:21: error: type=\"Ball\" must have the form \"library.Type\"\n");
  EXPECT_EQ(errors_of(model_text("<Component name=\"a\"/>")),
            "model.xml:3:1: error: <Component> needs the attribute 'kind' or 'type'\n");
  folder.write("one/other.xml", "<Library name=\"other\">\n<Type name=\"A\" extends=\"bearings.Bull\"/>\n</Library>");
  EXPECT_EQ(errors_of(model_text("<Component name=\"a\" type=\"other.A\"/>")),
            "one/other.xml:2:16: error: library 'bearings' (one/bearings.xml) has no type 'Bull' (did you mean "
            "'Ball'?)\n");
}

TEST_F(Types, TypesInACircleAreLocated) {
  folder.write("one/loop.xml",
               "<Library name=\"loop\">\n<Type name=\"A\" extends=\"B\"/>\n<Type name=\"B\" extends=\"C\"/>\n"
               "<Type name=\"C\" extends=\"loop.B\"/>\n</Library>");
  EXPECT_EQ(errors_of(model_text("<Component name=\"a\" type=\"loop.A\"/>")),
            "one/loop.xml:4:16: error: type 'B' extends itself: B -> C -> B\n");
  folder.write("one/self.xml",
               "<Library name=\"self\">\n<Type name=\"A\" kind=\"composite\"><CompositeModel name=\"a\"><Components>\n"
               "<Component name=\"in\" type=\"self.A\"/></Components></CompositeModel></Type>\n</Library>");
  EXPECT_EQ(errors_of(model_text("<Component name=\"a\" type=\"self.A\"/>")),
            "one/self.xml:3:22: error: the model contains itself: model.xml -> self.A -> self.A\n");
}

TEST_F(Types, AMistakeInATypeIsLocatedInItsLibrary) {
  folder.write("one/bad.xml",
               "<Library name=\"bad\">\n<Type name=\"A\" kind=\"network\" solvr=\"rk4\"><Parameters>\n"
               "<Parameter name=\"k\" value=\"{kk}\"/></Parameters><Network/></Type>\n</Library>");
  EXPECT_EQ(errors_of(model_text("<Component name=\"a\" type=\"bad.A\"/>")),
            "one/bad.xml:2:31: error: <Type> has no attribute 'solvr' (did you mean 'solver'?)\n"
            "one/bad.xml:3:21: error: unknown name 'kk' (did you mean 'k'?)\n");
}

TEST_F(Types, ALibraryIsCheckedByItself) {
  const auto kinds = test::kinds();
  EXPECT_NE(read_library(folder.write("good.xml", kBearings), kinds, diagnostics), nullptr);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  const auto file = folder.write("bad.xml",
                                 "<Library name=\"bad\">\n<Type name=\"A\"/>\n<Type name=\"A\" kind=\"network\"/>\n"
                                 "<Type name=\"B\" extends=\"D\"/>\n</Library>");
  EXPECT_EQ(read_library(file, kinds, diagnostics), nullptr);
  EXPECT_EQ(folder.shown(diagnostics),
            "bad.xml:2:1: error: type 'A' has no kind, and extends none that has\n"
            "bad.xml:3:7: error: type 'A' appears twice\n"
            "bad.xml:4:16: error: library 'bad' (bad.xml) has no type 'D' (known: A, A, B)\n");
}

// ---- three levels of nesting

class Levels : public Types {
 protected:
  void SetUp() override {
    Types::SetUp();
    folder.write("one/arms.xml",
                 "<Library name=\"arms\">\n<Type name=\"Arm\" kind=\"composite\" file=\"arm.xml\">\n"
                 "<Parameters><Parameter name=\"ratio\" value=\"{2*scale}\"/></Parameters></Type></Library>");
    folder.write(
        "one/arm.xml",
        "<CompositeModel name=\"arm\">\n<Parameters><Parameter name=\"length\" value=\"{ratio*base}\"/>"
        "</Parameters>\n<Components><Component name=\"hand\" kind=\"composite\" file=\"hand.xml\"/></Components>\n"
        "</CompositeModel>");
    folder.write(
        "one/hand.xml",
        "<CompositeModel name=\"hand\">\n<Parameters><Parameter name=\"grip\" value=\"{length+scale}\"/>"
        "</Parameters>\n<Components><Component name=\"finger\" kind=\"network\" file=\"finger.xml\"/></Components>\n"
        "</CompositeModel>");
    folder.write("one/finger.xml",
                 "<Network>\n<Parameters><Parameter name=\"m\" value=\"{grip*base}\"/></Parameters>\n"
                 "<Mass name=\"tip\" mass=\"{m}\"/></Network>");
  }
  const std::string text = model_text(
      "<Component name=\"arm\" type=\"arms.Arm\"><Parameter name=\"scale\" value=\"3\"/></Component>", "",
      "<Parameters><Parameter name=\"base\" value=\"10\"/><Parameter name=\"scale\" value=\"1\"/></Parameters>\n");
};

TEST_F(Levels, NamesAreLookedUpThroughThreeLevels) {
  const auto model = read(text);
  ASSERT_EQ(model.components.size(), 1U);
  EXPECT_EQ(model.components[0].name, "arm.hand.finger");
  EXPECT_EQ(value(model.components[0], "m"), (2.0 * 3.0 * 10.0 + 3.0) * 10.0);
}

TEST_F(Levels, TheCommandLineReachesEveryLevel) {
  const auto m = [&](const std::string& name, const std::string& value_text) {
    return value(read(text, {{name, value_text}}).components.at(0), "m");
  };
  EXPECT_EQ(m("base", "1"), 9.0);
  EXPECT_EQ(m("scale", "5"), 630.0);  // the component gives its own
  EXPECT_EQ(m("arm.scale", "5"), 1050.0);
  EXPECT_EQ(m("arm.ratio", "1"), 130.0);
  EXPECT_EQ(m("arm.length", "{7*base}"), 730.0);
  EXPECT_EQ(m("arm.hand.grip", "2"), 20.0);
  EXPECT_EQ(m("arm.hand.finger.m", "{grip}"), 63.0);
}

TEST_F(Levels, ACycleOrAMissingNameIsLocatedInItsFile) {
  folder.write("one/finger.xml",
               "<Network>\n<Parameters><Parameter name=\"m\" value=\"{gripp*base}\"/></Parameters></Network>");
  EXPECT_EQ(errors_of(text), "one/finger.xml:2:33: error: unknown name 'gripp' (did you mean 'grip'?)\n");
  folder.write("one/finger.xml", "<Network/>");
  folder.write("one/arm.xml",
               "<CompositeModel name=\"arm\">\n<Parameters><Parameter name=\"p\" value=\"{q}\"/>\n"
               "<Parameter name=\"q\" value=\"{ratio*p}\"/></Parameters>\n<Components/></CompositeModel>");
  EXPECT_EQ(errors_of(text), "one/arm.xml:2:33: error: 'p' depends on itself: p -> q -> p\n");
}

}  // namespace library_test
}  // namespace tieline::model
