// The published schema and the reader must agree: each file here is given to both, to xmllint with the generated
// schema and to the check behind the reader.

#include <cstdlib>
#include <gtest/gtest.h>

#include "model/grammar.hpp"
#include "model/model_files.hpp"

namespace tieline::model {
namespace schema_test {

using test::component_text;
using test::model_text;
using test::ModelFolder;

class Schema : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(std::system("xmllint --version >/dev/null 2>&1"), 0)
        << "xmllint (Debian: libxml2-utils) is needed by this test";
  }
  void SetUp() override {
    kinds = test::kinds();
    folder.write("model.xsd", schema(kinds));
  }
  bool schema_accepts(const std::string& text) {
    folder.write("model.xml", text);
    const std::string log = folder.path("log").string();
    const std::string command = "xmllint --noout --schema " + folder.path("model.xsd").string() + " " +
                                folder.path("model.xml").string() + " >" + log + " 2>&1";
    const int status = std::system(command.c_str());
    // 0: valid, 3: invalid, 1: not well-formed; anything else (a schema that does not compile) is a failure of the
    // test.
    const int code = WEXITSTATUS(status);
    EXPECT_TRUE(code == 0 || code == 1 || code == 3 || code == 4) << folder.read("log");
    EXPECT_EQ(folder.read("log").find("Schemas parser error"), std::string::npos) << folder.read("log");
    return code == 0;
  }
  bool reader_accepts(const std::string& text) {
    document::Diagnostics diagnostics;
    const auto document = document::Document::parse(text, "model.xml", diagnostics);
    if (document) {
      const std::string root(document->root().name());
      document::check_against(
          grammar(kinds).rooted_at(root == "Network" || root == "Site" || root == "Library" ? root : "CompositeModel"),
          document->root(), diagnostics);
    }
    said = diagnostics.describe();
    return !diagnostics.has_errors();
  }

  std::vector<ComponentKind> kinds;
  ModelFolder folder;
  std::string said;
};

TEST_F(Schema, AcceptsWhatTheReaderAccepts) {
  const std::vector<std::string> accepted{
      model_text(""),
      model_text(component_text("a", {"x", "u:input"})),
      model_text("<Component name=\"a{i+1}\" kind=\"network\" file=\"a.xml\" solver=\"cvode-bdf\" tolerance=\" 1e-8 \" "
                 "step=\"{h/2}\" window=\"-.5E+3\"/>"),
      model_text("<Component name=\"a\" kind=\"network\"><Parameter name=\"p\" "
                 "value=\"1\"/><Network/><Description>x</Description>"
                 "<Parameter name=\"q\" value=\"{p}\"/><InputFile path=\"f\"/></Component>"),
      model_text("<Component name=\"a\" kind=\"network\"><Description/><InputFile path=\"f\"/><Network/></Component>"),
      model_text("<Component name=\"s\" kind=\"composite\"><CompositeModel "
                 "name=\"s\"><Components/></CompositeModel></Component>"),
      model_text("<Repeat index=\"i\" count=\"3\"><Repeat index=\"j\" count=\"{i}\"><Component name=\"a\" "
                 "kind=\"external\"/></Repeat></Repeat>",
                 "<Repeat index=\"i\" count=\"3\"><Connection from=\"a{i}.x\" to=\"b.x\" coupling=\"line\" "
                 "delay=\"+1.\" stiffness=\"5\"/></Repeat>"),
      model_text("",
                 "<Connection from=\"a.x\" to=\"b.x\" coupling=\"sampled\" extrapolation=\"hold\" schedule=\"jacobi\" "
                 "step=\"1\"/>"),
      model_text("", "<Connection from=\"a.x[2]\" to=\"b.x\" coupling=\"glue\" joint=\"revolute\" axis=\"y\"/>",
                 "<Gluing step=\"{h}\" compatibility=\"auto\" forces=\"linear\" update=\"iqn_ils\" refresh=\"once\" "
                 "iterations=\"3\"/>"),
      model_text("<Alternative name=\"b\" choose=\"{d}\" enabled=\"1\"><Component name=\"p\" type=\"l.T\" "
                 "attach=\"a.x\"/><Component name=\"q\" kind=\"external\" command=\"run it\"><Interface name=\"x\" "
                 "domain=\"mechanical3d\" position=\"1, 2, {a}\"/><Placement angles=\"0, 0, 1\"/></Component>"
                 "</Alternative>",
                 "<Open interface=\"b.x\" as=\"force\" value=\"{sin(t)}\"/>",
                 "<Libraries><Uses library=\"l.xml\"/></Libraries>"),
      "<CompositeModel name=\"m\"><Simulation stop=\"1\"><Exclude variables=\"a\"/><Record variables=\"*\" "
      "interval=\"0\"/></Simulation>"
      "<!-- c --><Interfaces><Interface name=\"t\" "
      "of=\"a.t\"/></Interfaces><Components/><Description>d</Description></CompositeModel>",
      model_text("<Component name=\"a\" kind=\"external\" command=\"x '{model_file}'\" tool=\"a tool\" folder=\"w\" "
                 "exact_step=\"true\" transport=\"shared_memory\" start_deadline=\"{2*t}\" isolate=\"false\">"
                 "<Environment name=\"A\" value=\"\"/><Environment name=\"B\" value=\"\"/>"
                 "<Interface name=\"x\"><Pin number=\"1\"/></Interface></Component>"),
      "<CompositeModel name=\"m\"><Components/><Simulation stop=\"1\"><Processes routing=\"master\" transport=\"tcp\" "
      "start_deadline=\"1\" silence_deadline=\"1\" stall_deadline=\"1\" "
      "shutdown_deadline=\"1\"/></Simulation></CompositeModel>",
      "<Site><Description>d</Description><Tool name=\"a tool\"/><Tool name=\"b\" command=\"x\" folder=\"w\">"
      "<Environment name=\"A\" value=\"{n}\"/></Tool></Site>",
      "<Network><Mass name=\"a\" mass=\"1\"/><Parameters><Parameter name=\"a\" value=\"1\"/></Parameters><Mass "
      "name=\"b\" mass=\"{a}\"/></Network>",
  };
  for (const auto& text : accepted) {
    EXPECT_TRUE(reader_accepts(text)) << text << said;
    EXPECT_TRUE(schema_accepts(text)) << text << folder.read("log");
  }
}

TEST_F(Schema, RefusesWhatTheReaderRefuses) {
  const std::vector<std::string> refused{
      "<Zoo/>",
      "<CompositeModel name=\"m\"/>",
      "<CompositeModel><Components/></CompositeModel>",
      "<CompositeModel name=\"a b\"><Components/></CompositeModel>",
      "<CompositeModel name=\"m\"><Components/><Components/></CompositeModel>",
      "<CompositeModel name=\"m\"><Components/>stray</CompositeModel>",
      "<CompositeModel name=\"m\"><Components/><Simulation/></CompositeModel>",
      "<!DOCTYPE CompositeModel><CompositeModel name=\"m\"><Components></CompositeModel>",
      model_text("<Componnent/>"),
      model_text("<Component name=\"a\" kind=\"netwrok\"/>"),
      model_text("<Component name=\"a.b\" kind=\"network\"/>"),
      model_text("<Component name=\"\" kind=\"network\"/>"),
      model_text("<Component name=\"a{b\" kind=\"network\"/>"),
      model_text("<Component name=\"a\" kind=\"network\" tolerance=\"small\"/>"),
      model_text("<Component name=\"a\" kind=\"network\" tolerance=\"1e\"/>"),
      model_text("<Component name=\"a\" kind=\"network\" tolerance=\"nan\"/>"),
      model_text("<Component name=\"a\" kind=\"network\" tolerance=\"\"/>"),
      model_text("<Component name=\"a\" kind=\"network\" tolerance=\"{a}{b}\"/>"),
      model_text("<Component name=\"a\" kind=\"network\" file=\"\"/>"),
      model_text("<Component name=\"a\" kind=\"network\" solver=\"euler\"/>"),
      model_text("<Component name=\"a\" kind=\"network\" colour=\"red\"/>"),
      model_text("<Component name=\"a\" kind=\"network\"><Network/><Network/></Component>"),
      model_text("<Component name=\"a\" kind=\"network\"><Network/><CompositeModel "
                 "name=\"x\"><Components/></CompositeModel></Component>"),
      model_text("<Component name=\"a\" kind=\"network\"><Description/><Network/><Description/></Component>"),
      model_text("<Component name=\"a\" kind=\"network\"><Parameter name=\"a-b\" value=\"1\"/></Component>"),
      model_text("<Component name=\"a\" kind=\"network\"><Parameter name=\"a\"/></Component>"),
      model_text("<Repeat index=\"i\" count=\"3\"><Connection from=\"a.x\" to=\"b.x\"/></Repeat>"),
      model_text("<Repeat index=\"i\"/>"),
      model_text("<Alternative name=\"b\"/>"),
      model_text("<Component name=\"a\" kind=\"external\"><Placement/><Placement/></Component>"),
      model_text("", "<Open interface=\"b.x\" as=\"frozen\"/>"),
      model_text("<Component name=\"a\" kind=\"external\"><Interface name=\"x\" domain=\"music\"/></Component>"),
      model_text("",
                 "<Repeat index=\"i\" count=\"3\"><Repeat index=\"i\" count=\"3\"><Component name=\"a\" "
                 "kind=\"network\"/></Repeat></Repeat>"),
      model_text("", "<Connection from=\"a.x\"/>"),
      model_text("<Component name=\"a\" kind=\"external\" isolate=\"1\"/>"),
      model_text("<Component name=\"a\" kind=\"external\"><Environment name=\"a b\" value=\"\"/></Component>"),
      "<CompositeModel name=\"m\"><Components/><Simulation stop=\"1\"><Processes/><Processes/></Simulation>"
      "</CompositeModel>",
      "<Site><Tool command=\"x\"/></Site>",
      "<Site><Tool name=\"x\" host=\"y\"/></Site>",
      model_text("", "<Connection from=\"a x\" to=\"b.x\"/>"),
      model_text("", "<Connection from=\"a.x\" to=\"b.x\" coupling=\"rope\"/>"),
      model_text("", "<Connection from=\"a.x\" to=\"b.x\" stifness=\"1\"/>"),
      model_text("", "<Connection from=\"a.x\" to=\"b.x\" coupling=\"glue\" joint=\"hinge\"/>"),
      model_text("", "<Connection from=\"a.x\" to=\"b.x\" coupling=\"glue\" axis=\"w\"/>"),
      model_text("", "", "<Gluing/><Gluing/>"),
      model_text("", "", "<Gluing forces=\"quartic\"/>"),
      model_text("", "<Gluing/>"),
      "<Network><Mass name=\"a\"/></Network>",
      "<Network><Interface name=\"a\" of=\"b.c\"/></Network>",
      "<Network><Parameters/><Mass name=\"a\" mass=\"1\"/><Parameters/></Network>",
  };
  for (const auto& text : refused) {
    EXPECT_FALSE(reader_accepts(text)) << text;
    EXPECT_FALSE(schema_accepts(text)) << text;
  }
}

/// A root element with attributes that bind a schema, and its end.
std::string bound(const std::string& root, const std::string& attributes, const std::string& rest) {
  return "<" + root + " " + attributes + " " + rest;
}

TEST_F(Schema, MayBeBoundToAnyRootElement) {
  const std::string xsi = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";
  for (const std::string& attributes :
       {xsi, xsi + " xsi:noNamespaceSchemaLocation=\"https://example.org/tieline.xsd\"",
        xsi + "\n xsi:schemaLocation=\"urn:a a.xsd\" xsi:noNamespaceSchemaLocation=\"tieline.xsd\"",
        std::string("x:noNamespaceSchemaLocation='tieline.xsd' xmlns:x='http://www.w3.org/2001/XMLSchema-instance'")}) {
    for (const std::string& text : {bound("CompositeModel", attributes, "name=\"m\"><Components/></CompositeModel>"),
                                    bound("Network", attributes, "><Mass name=\"a\" mass=\"1\"/></Network>"),
                                    bound("Library", attributes, "name=\"l\"/>"), bound("Site", attributes, "/>")}) {
      EXPECT_TRUE(reader_accepts(text)) << text << said;
      EXPECT_TRUE(schema_accepts(text)) << text << folder.read("log");
    }
  }
}

TEST_F(Schema, OnlyItsAttributesAreAcceptedBesideOurs) {
  EXPECT_FALSE(reader_accepts("<Site xsi:noNamespaceSchemaLocation=\"a.xsd\"/>"));
  EXPECT_NE(said.find("xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""), std::string::npos) << said;
  for (const char* attributes :
       {"xmlns:xsi=\"urn:other\"", "xmlns=\"http://www.w3.org/2001/XMLSchema-instance\"",
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"x\"",
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" noNamespaceSchemaLocation=\"x\""}) {
    EXPECT_FALSE(reader_accepts(bound("Site", attributes, "/>"))) << attributes;
  }
  EXPECT_FALSE(
      reader_accepts("<Site><Tool name=\"x\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"/></Site>"));
}

TEST_F(Schema, TheReferenceIsAPageOfAllKindsAndElements) {
  const std::string page = reference(kinds);
  EXPECT_TRUE(page.starts_with("# File format reference\n"));
  EXPECT_NE(page.find("\n## Component\n"), std::string::npos);
  EXPECT_NE(page.find("| `network` | [Network](#network) | A network. |"), std::string::npos);
  EXPECT_TRUE(page.ends_with(".\n") || page.ends_with("|\n")) << page.substr(page.size() - 20);
  EXPECT_FALSE(page.ends_with("\n\n"));
}

}  // namespace schema_test
}  // namespace tieline::model
