#include "document/xml.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "document/editor.hpp"

namespace tieline::document {
namespace xml_test {

std::shared_ptr<const Document> parse(std::string text, Diagnostics& diagnostics) {
  return Document::parse(std::move(text), "a.xml", diagnostics);
}

/// The only error of a text, as it is shown.
std::string error_of(std::string text) {
  Diagnostics diagnostics;
  EXPECT_EQ(parse(std::move(text), diagnostics), nullptr);
  EXPECT_EQ(diagnostics.error_count(), 1U);
  return diagnostics.all().empty() ? "" : diagnostics.all()[0].describe();
}

std::string place_text(const Place& place) { return std::to_string(place.line) + ":" + std::to_string(place.column); }

TEST(Xml, KnowsWhereElementsAndAttributesStand) {
  Diagnostics diagnostics;
  const auto document = parse(
      "<?xml version=\"1.0\"?>\n<!-- <a x='1'/> -->\n<root>\n  <item first = \"1\"\n        second='2 &gt; "
      "1'/>\n</root>\n",
      diagnostics);
  ASSERT_NE(document, nullptr) << diagnostics.describe();
  const Element item = document->root().child("item");
  EXPECT_EQ(place_text(document->root().place()), "3:1");
  EXPECT_EQ(place_text(item.place()), "4:3");
  EXPECT_EQ(place_text(item.place_of("first")), "4:9");
  EXPECT_EQ(place_text(item.place_of("second")), "5:9");
  EXPECT_EQ(place_text(item.place_of("absent")), "4:3");
  EXPECT_EQ(item.place().file, "a.xml");
  EXPECT_EQ(item.get("second"), "2 > 1");
  EXPECT_EQ(item.get("absent", "otherwise"), "otherwise");
  EXPECT_EQ(item.attributes(), (std::vector<std::string>{"first", "second"}));
}

TEST(Xml, CountsColumnsInCharacters) {
  Diagnostics diagnostics;
  const auto document = parse("\xEF\xBB\xBF<a n=\"\xC3\xA9\xE2\x82\xAC\" m=\"1\"/>", diagnostics);
  ASSERT_NE(document, nullptr) << diagnostics.describe();
  EXPECT_EQ(place_text(document->root().place_of("m")), "1:11");
}

TEST(Xml, ReadsTextAndChildren) {
  Diagnostics diagnostics;
  const auto document = parse("<a>\n some <b/> text <b><c/></b> <![CDATA[<raw>]]> </a>", diagnostics);
  ASSERT_NE(document, nullptr);
  EXPECT_EQ(document->root().children("b").size(), 2U);
  EXPECT_EQ(document->root().children().size(), 2U);
  EXPECT_NE(document->root().text().find("<raw>"), std::string::npos);
  EXPECT_FALSE(document->root().child("none").exists());
  EXPECT_TRUE(document->root().child("none").children().empty());
  const Element last = document->root().children("b")[1];
  EXPECT_EQ(document->source().substr(last.offset() - 1, last.end() - last.offset() + 1), "<b><c/></b>");
}

TEST(Xml, AnElementOutlivesTheHandleOfItsDocument) {
  Diagnostics diagnostics;
  Element element = parse("<a x=\"1\"/>", diagnostics)->root();
  EXPECT_EQ(element.get("x"), "1");
}

TEST(Xml, NamesThePlaceOfEachMalformation) {
  EXPECT_EQ(error_of("<a>\n <b>\n </a>"), "a.xml:3:2: error: </a> does not close <b> of line 2");
  EXPECT_EQ(error_of("<a>\n <b>"), "a.xml:2:2: error: <b> is never closed");
  EXPECT_EQ(error_of("<a x=1/>"), "a.xml:1:6: error: the value of 'x' must be in quotes");
  EXPECT_EQ(error_of("<a x=\"1\" x=\"2\"/>"), "a.xml:1:10: error: attribute 'x' appears twice");
  EXPECT_EQ(error_of("<a x=\"1\"y=\"2\"/>"), "a.xml:1:9: error: a space is missing before 'y'");
  EXPECT_EQ(error_of("<a x/>"), "a.xml:1:4: error: attribute 'x' has no value");
  EXPECT_EQ(error_of("<a/>\n<b/>"), "a.xml:2:1: error: <b> comes after the root element");
  EXPECT_EQ(error_of("<a/>\n b"), "a.xml:2:2: error: text outside the root element");
  EXPECT_EQ(error_of("<a x=\"1\n<b/></a>"), "a.xml:1:4: error: the quotes of 'x' are never closed");
  EXPECT_EQ(error_of("<a><b x=\"1><c y=\"2\"/></a>"),
            "a.xml:1:12: error: '<' in the value of 'x' (a missing quote?); write '&lt;'");
  EXPECT_EQ(error_of("<a>x & y</a>"), "a.xml:1:6: error: a bare '&'; write '&amp;'");
  EXPECT_EQ(error_of("<a><!-- a -- b --></a>"), "a.xml:1:11: error: '--' inside a comment");
  EXPECT_EQ(error_of("<a><!-- "), "a.xml:1:4: error: a comment is never closed");
  EXPECT_EQ(error_of(""), "a.xml:1:1: error: the file contains no element");
  EXPECT_EQ(error_of("<a>\xFF</a>"), "a.xml:1:4: error: the file is not UTF-8 text; save it in that encoding");
  EXPECT_NE(error_of(std::string("<a>\0</a>", 8)).find("character number 0"), std::string::npos);
}

TEST(Xml, RefusesDocumentTypesAndEntities) {
  EXPECT_NE(error_of("<!DOCTYPE a [<!ENTITY b \"c\">]>\n<a>&b;</a>").find("a.xml:1:1: error: a document type"),
            std::string::npos);
  EXPECT_NE(error_of("<a>&b;</a>").find("entity '&b;' is not allowed"), std::string::npos);
  EXPECT_EQ(error_of("<a n=\"b&#0;c\"/>"), "a.xml:1:8: error: '&#0;' is not a character that XML allows");
  for (const char* number :
       {"#x0", "#00", "#8", "#x1F", "#xD800", "#xFFFE", "#x110000", "#4294967361", "#x10000000041"})
    EXPECT_NE(error_of(fmt::format("<a>&{};</a>", number)).find("not a character"), std::string::npos) << number;
  for (const char* number : {"#", "#x", "#-65", "#x 41", "#6a", "#xg"})
    EXPECT_NE(error_of(fmt::format("<a>&{};</a>", number)).find("is not allowed"), std::string::npos) << number;
  Diagnostics diagnostics;
  EXPECT_EQ(parse("<a>&amp;&#65;&#x42;</a>", diagnostics)->root().text(), "&AB");
}

TEST(Xml, RefusesWhatIsTooDeepOrTooLarge) {
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += "<a>";
    for (std::size_t i = 0; i < depth; ++i) text += "</a>";
    return text;
  };
  EXPECT_NE(error_of(nested(Document::kDeepest + 1)).find("nested more than 200 deep"), std::string::npos);
  EXPECT_NE(error_of(nested(300'000)).find("nested more than 200 deep"), std::string::npos);
  Diagnostics diagnostics;
  EXPECT_NE(parse(nested(Document::kDeepest), diagnostics), nullptr);
  EXPECT_NE(error_of(std::string(Document::kLargestSize + 1, ' ')).find("more than"), std::string::npos);
}

TEST(Xml, RefusesTooManyAttributes) {
  std::string text = "<a";
  for (int i = 0; i < 1000; ++i) text += " x" + std::to_string(i) + "='1'";
  Diagnostics diagnostics;
  EXPECT_NE(parse(text + "/>", diagnostics), nullptr) << diagnostics.describe();
  EXPECT_EQ(parse(text + " y='1'/>", diagnostics), nullptr);
  EXPECT_NE(diagnostics.describe().find("<a> has more than 1000 attributes"), std::string::npos);
}

TEST(Xml, NamesAFileThatCannotBeRead) {
  Diagnostics diagnostics;
  EXPECT_EQ(Document::load("/nonexistent/a.xml", diagnostics), nullptr);
  EXPECT_EQ(Document::load(std::filesystem::temp_directory_path(), diagnostics), nullptr);
  ASSERT_EQ(diagnostics.error_count(), 2U);
  EXPECT_EQ(diagnostics.all()[0].describe(), "/nonexistent/a.xml: error: the file does not exist");
}

TEST(Editor, ChangesOneValueAndNothingElse) {
  Diagnostics diagnostics;
  const std::string text =
      "<?xml version=\"1.0\"?>\r\n<!-- kept --><a  x = 'old'\n\ty=\"2\" ><b/>\n<unknown z='1'/></a>\n";
  const auto document = parse(text, diagnostics);
  ASSERT_NE(document, nullptr) << diagnostics.describe();
  EXPECT_EQ(Editor(document).text(), text);
  Editor editor(document);
  editor.set_attribute(document->root(), "x", "a<\"b\"&'c'");
  editor.set_attribute(document->root(), "new", "1");
  editor.set_attribute(document->root().child("b"), "p", "1");
  editor.set_attribute(document->root().child("b"), "q", "2");
  EXPECT_EQ(
      editor.text(),
      "<?xml version=\"1.0\"?>\r\n<!-- kept --><a  x = 'a&lt;&quot;b&quot;&amp;&apos;c&apos;'\n\ty=\"2\" new=\"1\" >"
      "<b p=\"1\" q=\"2\"/>\n<unknown z='1'/></a>\n");
  const auto again = parse(editor.text(), diagnostics);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->root().get("x"), "a<\"b\"&'c'");
}

}  // namespace xml_test
}  // namespace tieline::document
