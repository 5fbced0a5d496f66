#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "fuzz/targets.hpp"
#include "kinds/registry.hpp"
#include "model/grammar.hpp"

// Models in which one thing is wrong: every attribute is left out, emptied, doubled and garbled, every element left
// out, doubled and emptied. They come from the examples and from the grammar, so that no kind of element is left out.
// Each is read, checked and, where nothing is found, built; what matters is that the reader survives (address
// sanitizer).

namespace tieline::fuzz {
namespace garbled_test {

namespace fs = std::filesystem;
using document::AttributeRule;
using document::AttributeType;
using document::ElementRule;
using document::Grammar;

std::string text_of(const pugi::xml_document& document) {
  std::ostringstream text;
  document.save(text, "", pugi::format_raw);
  return text.str();
}

/// What a value is replaced by.
constexpr const char* kGarbled[] = {"", "{", "{1/0}", "-1", "1e999", "nan", "a.b.c", "0", "{t}", ",,", "\xc3\xa4 \"<&"};

/// Calls `visit` for each element, in the order of the document.
void for_each(pugi::xml_node node, const std::function<void(pugi::xml_node)>& visit) {
  if (node.type() == pugi::node_element) visit(node);
  for (pugi::xml_node child = node.first_child(); child;) {
    const pugi::xml_node next = child.next_sibling();
    for_each(child, visit);
    child = next;
  }
}

/// Reads the document with each thing changed in turn; returns how many readings that were.
int garble(const pugi::xml_document& original, const char* const* first, const char* const* last) {
  int count = 0;
  const auto read = [&](const pugi::xml_document& document) {
    read_model_file(text_of(document));
    ++count;
  };
  pugi::xml_document document;
  document.reset(original);
  std::vector<pugi::xml_node> elements;
  for_each(document, [&](pugi::xml_node element) { elements.push_back(element); });
  for (pugi::xml_node element : elements) {
    std::vector<std::string> names;
    for (const pugi::xml_attribute& attribute : element.attributes()) names.emplace_back(attribute.name());
    for (const std::string& name : names) {
      pugi::xml_attribute attribute = element.attribute(name.c_str());
      const std::string value = attribute.value();
      for (const char* const* garbled = first; garbled != last; ++garbled) {
        attribute.set_value(*garbled);
        read(document);
      }
      attribute.set_value(value.c_str());
      pugi::xml_attribute twice = element.append_copy(attribute);
      read(document);
      element.remove_attribute(twice);
      pugi::xml_attribute before = attribute.previous_attribute();
      element.remove_attribute(attribute);
      read(document);
      (before ? element.insert_attribute_after(name.c_str(), before) : element.prepend_attribute(name.c_str()))
          .set_value(value.c_str());
    }
    if (element.parent() == document) continue;
    pugi::xml_node doubled = element.parent().insert_copy_after(element, element);
    read(document);
    element.parent().remove_child(doubled);
    pugi::xml_node emptied = element.parent().insert_child_after(element.name(), element);
    pugi::xml_document kept;
    kept.append_copy(element);
    pugi::xml_node parent = element.parent();
    // The place of the element is held by the empty one.
    parent.remove_child(element);
    read(document);
    const std::string name = emptied.name();
    emptied.set_name("Unknown");
    read(document);
    pugi::xml_node place = parent.insert_copy_after(kept.first_child(), emptied);
    parent.remove_child(emptied);
    // Elements inside the copy are visited where they stood before: they are not looked for again.
    std::vector<pugi::xml_node> copies;
    for_each(place, [&](pugi::xml_node copy) { copies.push_back(copy); });
    const auto at = std::find(elements.begin(), elements.end(), element);
    std::copy(copies.begin(), copies.end(), at);
    element = place;
  }
  EXPECT_EQ(text_of(document), text_of(original)) << "the changes were not undone";
  return count;
}

class Garbled : public testing::TestWithParam<std::string> {};

std::vector<std::string> models() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(TIELINE_SOURCE_DIR) / "examples")) {
    if (entry.path().extension() == ".xml") files.push_back(fs::relative(entry.path(), TIELINE_SOURCE_DIR).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_P(Garbled, ModelsAreSurvived) {
  pugi::xml_document model;
  ASSERT_TRUE(model.load_file((fs::path(TIELINE_SOURCE_DIR) / GetParam()).c_str()));
  EXPECT_GT(garble(model, std::begin(kGarbled), std::begin(kGarbled) + 2), 10);
}

INSTANTIATE_TEST_SUITE_P(Examples, Garbled, testing::ValuesIn(models()), [](const auto& file) {
  std::string name = file.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

/// A value that fits the rule.
std::string sample_of(const AttributeRule& rule) {
  switch (rule.type) {
    case AttributeType::choice:
      return rule.choices.empty() ? "x" : rule.choices.front();
    case AttributeType::number:
    case AttributeType::function:
      return "1";
    case AttributeType::numbers:
    case AttributeType::functions:
      return "1, 2, 3";
    case AttributeType::file:
      return "none.xml";
    case AttributeType::text:
    case AttributeType::name:
    case AttributeType::identifier:
    case AttributeType::reference:
      break;
  }
  return "a";
}

/// An element with all attributes and one of each child; children inside of themselves are left out.
void add_sample(const Grammar& grammar, const ElementRule& rule, pugi::xml_node element,
                std::set<const ElementRule*> around) {
  for (const AttributeRule& attribute : rule.attributes)
    element.append_attribute(attribute.name.c_str()).set_value(sample_of(attribute).c_str());
  if (!around.insert(&rule).second) return;
  for (const std::string& child : rule.children) {
    const std::string name = child.substr(0, child.find('@'));
    const ElementRule* const inner = grammar.find_child(rule, name);
    if (inner == nullptr || around.contains(inner)) continue;
    add_sample(grammar, *inner, element.append_child(name.c_str()), around);
  }
}

class GarbledKind : public testing::TestWithParam<std::string> {};

TEST_P(GarbledKind, IsSurvived) {
  const auto kinds = kinds::kind_descriptions();
  const Grammar grammar = model::grammar(kinds);
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [](const auto& each) { return each.name == GetParam(); });
  ASSERT_NE(kind, kinds.end());
  pugi::xml_document model;
  model.load_string(R"(<CompositeModel name="m"><Components><Component name="c"/></Components>
    <Simulation stop="1"/></CompositeModel>)");
  pugi::xml_node component = model.first_child().child("Components").first_child();
  component.append_attribute("kind").set_value(kind->name.c_str());
  for (const AttributeRule& attribute : kind->own_attributes)
    component.append_attribute(attribute.name.c_str()).set_value(sample_of(attribute).c_str());
  if (!kind->grammar.rules.empty()) {
    const ElementRule* const root = grammar.find(kind->grammar.rules.front().name);
    ASSERT_NE(root, nullptr);
    add_sample(grammar, *root, component.append_child(root->name.c_str()), {});
  }
  EXPECT_GT(garble(model, std::begin(kGarbled), std::end(kGarbled)), 10);
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const auto& kind : kinds::kind_descriptions()) names.push_back(kind.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, GarbledKind, testing::ValuesIn(kind_names()),
                         [](const auto& kind) { return kind.param; });

// All that a model can contain beside its components.
TEST(GarbledModel, IsSurvived) {
  const auto kinds = kinds::kind_descriptions();
  const Grammar grammar = model::grammar(kinds);
  pugi::xml_document model;
  const ElementRule& root = grammar.rules.front();
  // Contents of components have tests of their own.
  std::set<const ElementRule*> around;
  for (const auto& kind : kinds) {
    if (!kind.grammar.rules.empty()) around.insert(grammar.find(kind.grammar.rules.front().name));
  }
  add_sample(grammar, root, model.append_child(root.name.c_str()), around);
  EXPECT_GT(garble(model, std::begin(kGarbled), std::end(kGarbled)), 100);
}

}  // namespace garbled_test
}  // namespace tieline::fuzz
