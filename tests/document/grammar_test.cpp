#include "document/grammar.hpp"

#include <gtest/gtest.h>

namespace tieline::document {
namespace grammar_test {

Grammar zoo() {
  Grammar grammar;
  grammar.rules = {
      {.name = "Zoo",
       .description = "All animals.",
       .attributes = {{"name", AttributeType::name, true, "Its name."}},
       .children = {"Note", "Animal", "Cage@Zoo", "Head", "Deputy"},
       .once = {"Note"},
       .required = {"Animal"},
       .one_of = {"Head", "Deputy"}},
      {.name = "Note", .description = "Text.", .has_text = true},
      {.name = "Animal",
       .description = "One.",
       .attributes = {{"kind", AttributeType::choice, true, "", {"cat", "dog"}},
                      {"age", AttributeType::number, false, "Years."},
                      {"id", AttributeType::identifier, false, ""},
                      {"near", AttributeType::reference, false, ""},
                      {"picture", AttributeType::file, false, ""},
                      {"weights", AttributeType::numbers, false, ""}}},
      {.name = "Cage@Zoo", .description = "", .children = {"Cage@Zoo", "Cage"}},
      {.name = "Head", .description = ""},
      {.name = "Deputy", .description = ""},
  };
  return grammar;
}

std::string check(const std::string& text) {
  Diagnostics diagnostics;
  const auto document = Document::parse(text, "z", diagnostics);
  if (document) check_against(zoo(), document->root(), diagnostics);
  return diagnostics.describe();
}

TEST(Grammar, AcceptsWhatItDescribes) {
  EXPECT_EQ(check("<Zoo name=\"a{i}\"><Animal kind=\"cat\" age=\"{2*x}\" id=\"_a1\" near=\"a.b{i}[{j}]\" picture=\"p\" "
                  "weights=\"1, {max(x,2)} ,-3e2\"/>"
                  "<Note>hi</Note><!-- c --><Head/><Animal kind=\"dog\" age=\" 1e3 \"/><Cage><Cage/></Cage></Zoo>"),
            "");
}

TEST(Grammar, ReportsEveryProblemAtItsPlace) {
  EXPECT_EQ(check("<Zoo nam=\"a\">\n <Animl/>\n <Note/><Note/>\n stray\n</Zoo>"),
            "z:1:1: error: <Zoo> needs the attribute 'name'\n"
            "z:1:1: error: <Zoo> contains text, which is not allowed there: 'stray'\n"
            "z:1:1: error: <Zoo> needs the element <Animal>\n"
            "z:1:6: error: <Zoo> has no attribute 'nam' (did you mean 'name'?)\n"
            "z:2:2: error: <Animl> is not allowed in <Zoo> (did you mean 'Animal'?)\n"
            "z:3:9: error: <Note> appears twice in <Zoo>\n");
  EXPECT_EQ(check("<Zoo name=\"a b\">\n <Animal kind=\"cta\" age=\"x\" id=\"1a\" near=\"a b\" "
                  "picture=\"\"/><Head/><Deputy/></Zoo>"),
            "z:1:6: error: name=\"a b\" is not a name (letters, digits, '_', '-' and {expressions})\n"
            "z:2:10: error: kind=\"cta\" is not known (did you mean 'cat'?)\n"
            "z:2:21: error: 'x' is neither a finite number nor an {expression} (a parameter is written '{x}')\n"
            "z:2:29: error: id=\"1a\" is not the name of a parameter (letters, digits and '_', not a digit first)\n"
            "z:2:37: error: near=\"a b\" is not a reference such as \"component.interface\"\n"
            "z:2:48: error: 'picture' must name a file\n"
            "z:2:67: error: <Zoo> already contains <Head>; only one such element is allowed\n");
  for (const auto& [weights, wrong] :
       {std::pair("", ""), {"1,", ""}, {"1; 2", "1; 2"}, {"{x}, 2y", "2y"}}) {
    EXPECT_EQ(check(std::string("<Zoo name=\"a\"><Animal kind=\"cat\" weights=\"") + weights + "\"/></Zoo>"),
              std::string("z:1:34: error: '") + wrong + "' is neither a finite number nor an {expression}\n");
  }
  EXPECT_EQ(check("<Zoo name=\"a\"><Animal kind=\"cat\" weights=\"1 2\"/></Zoo>"),
            "z:1:34: error: '1 2': numbers are separated by commas; write '1, 2'\n");
  EXPECT_EQ(check("<Cage/>"), "z:1:1: error: the root element is <Cage>, but <Zoo> is expected\n");
}

TEST(Grammar, ARuleForOneParentComesFirst) {
  Grammar grammar;
  grammar.rules = {
      {.name = "A", .children = {"X", "B"}}, {.name = "B", .children = {"X"}}, {.name = "X"}, {.name = "X@B"}};
  EXPECT_EQ(grammar.find("X", "A")->name, "X");
  EXPECT_EQ(grammar.find("X", "B")->name, "X@B");
  EXPECT_EQ(grammar.find("Y", "B"), nullptr);
  EXPECT_EQ(grammar.find_child(grammar.rules[1], "X")->name, "X@B");
  EXPECT_EQ(grammar.rooted_at("B").rules.front().name, "B");
  EXPECT_EQ(grammar.rooted_at("B").rules.size(), 4U);
}

TEST(Grammar, TwoDifferentRulesOfOneNameAreAProgrammersMistake) {
  Grammar grammar = zoo();
  grammar.add(zoo());
  EXPECT_EQ(grammar.rules.size(), zoo().rules.size());
  Grammar other;
  other.rules = {{.name = "Note", .description = "Another."}};
  EXPECT_DEATH(grammar.add(other), "two different rules for <Note>");
}

TEST(Grammar, MakesAReference) {
  const std::string page = to_markdown(zoo());
  EXPECT_NE(page.find("## Animal\n\nOne.\n"), std::string::npos);
  EXPECT_NE(page.find("| `kind` | `cat`, `dog` | required |"), std::string::npos);
  EXPECT_NE(page.find("## Cage in Zoo"), std::string::npos);
  EXPECT_NE(page.find("[Cage](#cage-in-zoo)"), std::string::npos);
}

}  // namespace grammar_test
}  // namespace tieline::document
