#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <set>

#include "assembly/conversion.hpp"
#include "core/installation.hpp"
#include "document/expression.hpp"
#include "interchange/modelica_role.hpp"
#include "kinds/registry.hpp"
#include "model/grammar.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::assembly {
namespace modelica_round_trip_test {

namespace fs = std::filesystem;

/// A model as text in which nothing but its meaning counts: the order of attributes and of unlike elements, blanks in
/// expressions, and stated defaults of interfaces do not.
std::string meaning(const document::Element& element) {
  std::vector<std::string> attributes;
  for (const auto& name : element.attributes()) {
    std::string value(document::trimmed(element.get(name)));
    if (value.starts_with('{')) {
      std::erase(value, ' ');
      for (std::size_t at; (at = value.find("!=0?")) != value.npos;) value.erase(at, 3);
    }
    const bool is_default =
        element.name() == "Interface" && (value == "translation" || value == "force" || value == "input");
    if (!is_default) attributes.push_back(" " + name + "=" + value);
  }
  std::sort(attributes.begin(), attributes.end());
  std::string text = "<" + std::string(element.name());
  for (const auto& attribute : attributes) text += attribute;
  auto children = element.children();
  const bool has_free_order =
      element.name() == "CompositeModel" || element.name() == "Component" || element.name() == "Simulation";
  if (has_free_order) {
    std::stable_sort(children.begin(), children.end(),
                     [](const auto& a, const auto& b) { return a.name() < b.name(); });
  }
  text += "> " + (children.empty() ? element.text() : "") + "\n";
  for (const auto& child : children) text += meaning(child);
  return text;
}

class RoundTrip : public testing::Test {
 protected:
  /// Empty, with the problems reported, where it fails.
  std::string convert(const fs::path& in, const fs::path& out, std::string_view format) {
    document::Diagnostics diagnostics;
    interchange::Source source(in);
    const auto* const exporter = interchange::find_named_exporter(format);
    const auto done =
        convert_model({.source = source, .exporter = *exporter, .out = out, .replaces = true}, diagnostics);
    return done ? "" : diagnostics.describe() + done.error().message;
  }
  void check(const fs::path& file) {
    document::Diagnostics diagnostics;
    const auto document = document::Document::load(file, diagnostics);
    if (!document || document->root().name() != "CompositeModel") return;
    ++count_;
    // Beside a copy, whose paths lead to the files of the original.
    const fs::path modelica = folder_.path() / "model.mo";
    const fs::path back = folder_.path() / "back.xml";
    const fs::path again = folder_.path() / "again.mo";
    ASSERT_EQ(convert(file, modelica, "modelica"), "") << file;
    ASSERT_EQ(convert(modelica, back, "tieline"), "") << file;
    ASSERT_EQ(convert(back, again, "modelica"), "") << file;
    document::Diagnostics of_back;
    const auto returned = document::Document::load(back, of_back);
    ASSERT_TRUE(returned) << of_back.describe();
    // Paths have moved with the file; everything else is compared with the original.
    const auto original = meaning(document->root());
    const auto result = meaning(returned->root());
    if (original != result) {
      const auto moved = convert(again, back, "tieline");
      ASSERT_EQ(moved, "") << file;
      document::Diagnostics ignored;
      EXPECT_EQ(meaning(document::Document::load(back, ignored)->root()), result) << file << " is not stable";
    }
    if (original.find("file=") == original.npos && original.find("path=") == original.npos &&
        original.find("command=") == original.npos && original.find("library=") == original.npos) {
      EXPECT_EQ(original, result) << file;
    }
  }
  /// In the folder of the model itself, so that paths stay as they are.
  void check_in_place(const fs::path& source, const std::string& name) {
    fs::copy(source, folder_.path() / "copy", fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const fs::path file = folder_.path() / "copy" / name;
    const fs::path modelica = folder_.path() / "copy" / "round-trip.mo";
    const fs::path back = folder_.path() / "copy" / "round-trip.xml";
    ASSERT_EQ(convert(file, modelica, "modelica"), "") << file;
    ASSERT_EQ(convert(modelica, back, "tieline"), "") << file;
    document::Diagnostics diagnostics;
    EXPECT_EQ(meaning(document::Document::load(file, diagnostics)->root()),
              meaning(document::Document::load(back, diagnostics)->root()))
        << file;
  }

  /// Through an archive of SSP: files are then in a folder of its name, in `resources`.
  void check_ssp(const fs::path& file) {
    document::Diagnostics of_check;
    // What is not in the repository, as FMUs that are built, cannot be packed.
    if (!check_model(file, {}, of_check) || of_check.has_errors()) return;
    ++count_;
    const std::string name = std::to_string(count_);
    const fs::path archive = folder_.path() / (name + ".ssp"), back = folder_.path() / name / "back.xml";
    fs::create_directories(back.parent_path());
    ASSERT_EQ(convert(file, archive, "ssp"), "") << file;
    ASSERT_EQ(convert(archive, back, "tieline"), "") << file;
    document::Diagnostics diagnostics;
    // Files of other folders have one of their own in an archive.
    static const std::regex of_neighbour(R"(file=\.\./[^ /]*/)");
    const auto original = std::regex_replace(meaning(document::Document::load(file, diagnostics)->root()), of_neighbour,
                                             "file=from-elsewhere/");
    const auto result = meaning(document::Document::load(back, diagnostics)->root());
    // A program is told the folder that its command counts from.
    if (original.find("command=") != original.npos) return;
    EXPECT_EQ(original, without(without(result, name + "/"), "resources/")) << file;
  }
  [[nodiscard]] static std::string without(std::string text, const std::string& folder) {
    for (std::size_t at = text.find(folder); at != text.npos; at = text.find(folder)) text.erase(at, folder.size());
    return text;
  }

  support::TemporaryFolder folder_{};
  int count_ = 0;
};

TEST_F(RoundTrip, EveryModelComesBackFromSsp) {
  for (const char* const folder : {"/tests/cases", "/examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(std::string(TIELINE_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".xml") continue;
      document::Diagnostics diagnostics;
      const auto document = document::Document::load(entry.path(), diagnostics);
      if (document && document->root().name() == "CompositeModel") check_ssp(entry.path());
    }
  }
  EXPECT_GT(count_, 35);
}

TEST_F(RoundTrip, EveryModelOfTheTestsComesBackFromModelica) {
  for (const auto& entry : fs::recursive_directory_iterator(TIELINE_SOURCE_DIR "/tests/cases")) {
    if (entry.path().extension() == ".xml") check(entry.path());
  }
  EXPECT_GE(count_, 8);
}

TEST_F(RoundTrip, EveryExampleComesBackFromModelica) {
  for (const auto& entry : fs::directory_iterator(TIELINE_SOURCE_DIR "/examples")) {
    if (!entry.is_directory()) continue;
    for (const auto& each : fs::directory_iterator(entry.path())) {
      if (each.path().extension() != ".xml") continue;
      document::Diagnostics diagnostics;
      const auto document = document::Document::load(each.path(), diagnostics);
      if (!document || document->root().name() != "CompositeModel") continue;
      ++count_;
      check_in_place(entry.path(), each.path().filename());
    }
  }
  EXPECT_GT(count_, 30);
}

constexpr const char* kOdd = R"(<CompositeModel name="odd-names">
  <Description>Names that Modelica has otherwise: "quotes" and \ too.</Description>
  <Properties> <Property name="author" value="some one"/> </Properties>
  <Parameters>
    <Parameter name="tolerance" value="1e-9"/> <Parameter name="end" value="{2^(-3) + (1 &lt; 2 ? 3 : 4)}" unit="kg m^2"/>
    <Parameter name="link" value="{tolerance &gt; 0 &amp;&amp; end != 3 ? max(1, 2, 3) : avg(1, 2)}"/>
  </Parameters>
  <Components>
    <Component name="link" kind="network" enabled="{end}"> <Parameter name="step" value="{end}"/>
      <Network> <Mass name="body" mass="{step}"/> <Interface name="file" node="body"/> </Network> </Component>
    <Component name="1st" kind="composite"> <Parameter name="inner" value="{tolerance}"/>
      <CompositeModel name="part">
        <Parameters> <Parameter name="inner" value="3" unit="kg"/> <Parameter name="outer" value="{end*inner}"/> </Parameters>
        <Components> <Component name="a" kind="network" tolerance="{tolerance}">
          <Network> <Mass name="body" mass="{inner}"/> <Interface name="left" node="body"/> </Network> </Component> </Components>
        <Interfaces> <Interface name="a" of="a.left"/> </Interfaces>
      </CompositeModel>
    </Component>
    <Repeat index="i" count="2"> <Component name="m{i}" kind="network">
      <Network> <Mass name="body" mass="1"/> <Interface name="left" node="body"/> <Interface name="right" node="body"/> </Network>
    </Component> </Repeat>
  </Components>
  <Connections>
    <Connection name="tool" from="link.file" to="1st.a" coupling="line" stiffness="{1e6*end}" delay="1e-4"/>
    <Repeat index="i" count="1"> <Connection from="m{i}.right" to="m{i+1}.left" coupling="line" stiffness="1e6" delay="1e-4"/> </Repeat>
    <Open interface="m0.left" as="fixed"/>
  </Connections>
  <Simulation stop="{2*tolerance*1e7}" tolerance="{tolerance}" save_interval="1"> <Record variables="*"/> </Simulation>
</CompositeModel>
)";

TEST_F(RoundTrip, NamesThatClashInModelicaComeBack) {
  fs::create_directory(folder_.path() / "odd");
  std::ofstream(folder_.path() / "odd" / "odd.xml") << kOdd;
  check_in_place(folder_.path() / "odd", "odd.xml");
}

/// Attributes of the file format that no parameter of a class of the library states.
std::set<std::string> missing_in(modelica::ClassTree& tree, std::initializer_list<std::string_view> classes,
                                 const document::ElementRule& rule, std::set<std::string> exceptions) {
  for (const auto name : classes) {
    modelica::Name dotted;
    for (std::size_t at = 0; at <= name.size();) {
      const std::size_t dot = std::min(name.find('.', at), name.size());
      dotted.parts.push_back(name.substr(at, dot - at));
      at = dot + 1;
    }
    modelica::Class* const type = tree.find(dotted, tree.root());
    if (type == nullptr) continue;
    for (modelica::Class* const each : tree.lineage(*type)) {
      for (const auto& element : each->definition->elements) {
        const auto attribute =
            interchange::annotated_text(interchange::vendor_annotation(element.comment.annotation), "attribute");
        exceptions.insert(attribute ? attribute->text : std::string(element.name));
      }
    }
  }
  std::set<std::string> missing;
  for (const auto& attribute : rule.attributes) {
    if (!exceptions.contains(attribute.name)) missing.insert(attribute.name);
  }
  return missing;
}

TEST(ModelicaLibrary, StatesEveryAttributeOfTheFileFormat) {
  document::Diagnostics diagnostics;
  modelica::ClassTree tree({}, core::data_path("tieline/library/modelica"), diagnostics);
  const auto grammar = model::grammar(kinds::kind_descriptions());
  const std::set<std::string> none;
  EXPECT_EQ(missing_in(tree, {"Tieline.Components.BaseComponent"}, *grammar.find("Component"),
                       {"name", "kind", "enabled", "diagram_x", "diagram_y"}),
            none);
  EXPECT_EQ(missing_in(tree, {"Tieline.BaseModel"}, *grammar.find("Simulation"), {}), none);
  EXPECT_EQ(missing_in(tree, {"Tieline.Boundaries.BaseBoundary"}, *grammar.find("Open"), {"interface", "enabled"}),
            none);
  EXPECT_EQ(
      missing_in(tree,
                 {"Tieline.Connections.Lines.Space", "Tieline.Connections.Lines.Hydraulic",
                  "Tieline.Connections.Lines.Electrical", "Tieline.Connections.Lines.Thermal",
                  "Tieline.Connections.Sampled.Space", "Tieline.Connections.Glue.Space", "Tieline.Connections.Signal"},
                 *grammar.find("Connection"), {"name", "from", "to", "enabled", "coupling"}),
      none);
  EXPECT_EQ(missing_in(tree, {"Tieline.Connections.Gluing"}, *grammar.find("Gluing"), {}), none);
  EXPECT_EQ(diagnostics.describe(), "");
}

}  // namespace modelica_round_trip_test
}  // namespace tieline::assembly
