// What is forgiven in the text of a description, and what is not.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fmi/description_files.hpp"
#include "fmi/value_text.hpp"

namespace tieline::fmi {
namespace tolerance_test {

/// A small description with something in place of its variables, structure and version.
std::string small(std::string_view variables, std::string_view rest = "<ModelStructure/>",
                  std::string_view head = R"(fmiVersion="3.0" modelName="m" instantiationToken="t")") {
  return fmt::format(
      "<fmiModelDescription {}>\n<CoSimulation modelIdentifier=\"m\"/>\n<ModelVariables>\n{}\n</ModelVariables>\n{}\n"
      "</fmiModelDescription>\n",
      head, variables, rest);
}

constexpr std::string_view kHead2 = R"(fmiVersion="2.0" modelName="m" guid="t")";

void expect_refused(std::string text, std::string_view words) {
  const auto read = read_text(std::move(text));
  EXPECT_FALSE(read.description) << words;
  EXPECT_TRUE(read.diagnostics.has_errors());
  EXPECT_TRUE(read.says(words)) << words << "\n" << read.diagnostics.describe();
}

TEST(Tolerance, TakesEncodings) {
  const std::string text = small(
      "<Float64 name=\"gr\xC3\xB6\xC3\x9F"
      "e\" valueReference=\"1\"/>");
  const std::string name =
      "gr\xC3\xB6\xC3\x9F"
      "e";
  EXPECT_TRUE(read_text("\xEF\xBB\xBF" + text)[name].name == name);
  EXPECT_EQ(read_text("\n\n" + text)[name].line, 6);
  EXPECT_EQ(read_text(text + std::string(3, '\0'))[name].line, 4);
  const std::string latin = small(
      "<Float64 name=\"gr\xF6\xDF"
      "e\" valueReference=\"1\"/>");
  const auto undeclared = read_text(latin);
  EXPECT_EQ(undeclared[name].name, name);
  EXPECT_TRUE(undeclared.says("declares utf-8, but is not")) << undeclared.diagnostics.describe();
  const auto declared = read_text("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>" + latin);
  EXPECT_EQ(declared[name].name, name);
  EXPECT_EQ(declared.diagnostics.all().size(), 0u) << declared.diagnostics.describe();
  const auto lying = read_text("<?xml version=\"1.0\" encoding=\"UTF-16\"?>" + text);
  EXPECT_EQ(lying[name].name, name);
  EXPECT_TRUE(lying.says("declares utf-16; it is read as UTF-8"));
  for (const bool is_big : {false, true}) {
    std::string wide = is_big ? "\xFE\xFF" : "\xFF\xFE";
    for (const char c : latin) {
      if (is_big) wide += '\0';
      wide += c;
      if (!is_big) wide += '\0';
    }
    EXPECT_EQ(read_text(wide)[name].name, name);
  }
}

TEST(Tolerance, ReadsVersions) {
  const auto version = [](std::string_view text) {
    const auto read = read_text(
        small("", "<ModelStructure/>", fmt::format(R"({} modelName="m" guid="g" instantiationToken="g")", text)));
    return std::pair(read.description ? read.description->version : 0, read.diagnostics.warning_count());
  };
  EXPECT_EQ(version("fmiVersion='2.0'"), std::pair(2, std::size_t{0}));
  EXPECT_EQ(version("fmiVersion='2.0.1'"), std::pair(2, std::size_t{0}));
  EXPECT_EQ(version("fmiVersion='3.0.2'"), std::pair(3, std::size_t{0}));
  EXPECT_EQ(version("fmiVersion='3.0-beta.2'"), std::pair(3, std::size_t{1}));
  EXPECT_EQ(version("fmiVersion='2.1'"), std::pair(2, std::size_t{1}));
  EXPECT_EQ(version(""), std::pair(3, std::size_t{1}));
  EXPECT_EQ(read_text("<fmiModelDescription fmiVersion='1.0' modelName='m' modelIdentifier='m' guid='g'/>")
                .description->version,
            1);
  expect_refused(small("", "", "fmiVersion='4.0'"), "FMI '4.0' is not supported; it must be 1.0, 2.0 or 3.0");
  expect_refused(small("", "", "fmiVersion='20'"), "FMI '20' is not supported");
}

TEST(Tolerance, RefusesWhatIsNoDescription) {
  expect_refused("", "the file contains no element");
  expect_refused("<CompositeModel/>", "<fmiModelDescription> is expected, not <CompositeModel>");
  expect_refused("<!DOCTYPE a [<!ENTITY b \"&c;&c;\">]><fmiModelDescription/>", "a document type");
  expect_refused(small("<Float64 name='&b;' valueReference='1'/>"), "entity '&b;' is not allowed");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<a>";
  expect_refused(deep, "nested more than");
  expect_refused("<fmiModelDescription fmiVersion='3.0' modelName='m' instantiationToken='t'/>",
                 "neither <ModelExchange> nor <CoSimulation>");
  expect_refused(
      "<fmiModelDescription fmiVersion='3.0' modelName='m' "
      "instantiationToken='t'><ScheduledExecution/></fmiModelDescription>",
      "scheduled execution only");
  expect_refused("<fmiModelDescription fmiVersion='3.0'><CoSimulation/></fmiModelDescription>",
                 "<CoSimulation> has no modelIdentifier");
}

// The binary is loaded by this name: it must not lead to another folder.
TEST(Tolerance, RefusesIdentifiersThatLeadElsewhere) {
  for (const char* head : {"fmiVersion='2.0' guid='t'", "fmiVersion='3.0' instantiationToken='t'"}) {
    for (const char* name : {"../../../tmp/evil", "/tmp/evil", "..", "sub/evil", "sub\\evil", "..evil"}) {
      for (const char* element : {"CoSimulation", "ModelExchange"}) {
        expect_refused(fmt::format("<fmiModelDescription modelName='m' {}><{} modelIdentifier='{}'/>"
                                   "<ModelVariables/><ModelStructure/></fmiModelDescription>",
                                   head, element, name),
                       fmt::format("<{}>: modelIdentifier is '{}', but must be the name of a file", element, name));
      }
    }
  }
}

TEST(Tolerance, ReportsAllReasonsAtOnce) {
  const auto read =
      read_text(small("<Float64 name='a'/>\n<Float64 valueReference='1'/>\n"
                      "<Float64 name='b' valueReference='-3'/>\n"
                      "<Float64 name='c' valueReference='4'><Dimension/></Float64>",
                      "<ModelStructure><ContinuousStateDerivative valueReference='9'/></ModelStructure>"));
  EXPECT_FALSE(read.description);
  EXPECT_EQ(read.diagnostics.error_count(), 5u) << read.diagnostics.describe();
  EXPECT_TRUE(read.says("modelDescription.xml:4:1: error: variable 'a' has no value reference"));
  EXPECT_TRUE(read.says("modelDescription.xml:5:1: error: a variable has no name"));
  EXPECT_TRUE(read.says("modelDescription.xml:7:38: error: a dimension of 'c' has no size"))
      << read.diagnostics.describe();
  EXPECT_TRUE(read.says("derivative number 1 is value reference '9', which does not exist"));
}

TEST(Tolerance, RefusesAbsurdArrays) {
  expect_refused(
      small("<Float64 name='a' valueReference='1'><Dimension start='100000'/><Dimension start='100000'/></Float64>"),
      "'a' would have more than");
  expect_refused(small("<Float64 name='a' valueReference='1'><Dimension start='18446744073709551615'/></Float64>"),
                 "'a' would have more than");
  std::string many;
  for (int i = 0; i < 20; ++i) {
    many += fmt::format("<Float64 name='a{0}' valueReference='{0}'><Dimension start='100000000'/></Float64>", i);
  }
  expect_refused(small(many), "elements in all");
}

TEST(Tolerance, CountsWhatRepeats) {
  std::string variables;
  for (int i = 0; i < 100; ++i)
    variables += fmt::format("<Float64 name='a{0}' valueReference='{0}' colour='red'/>\n", i);
  const auto read = read_text(small(variables));
  ASSERT_TRUE(read.description);
  EXPECT_EQ(read.diagnostics.warning_count(), 4u) << read.diagnostics.describe();
  EXPECT_TRUE(read.says("and 97 more: unknown attributes"));
}

TEST(Tolerance, LivesWithoutAStructure) {
  const auto read = read_text(
      small("<ScalarVariable name='x' valueReference='0' initial='exact'><Real start='1'/></ScalarVariable>"
            "<ScalarVariable name='v' valueReference='1' causality='output'><Real derivative='1'/></ScalarVariable>",
            "", kHead2));
  ASSERT_TRUE(read.description) << read.diagnostics.describe();
  EXPECT_TRUE(read.says("<ModelStructure> is missing"));
  ASSERT_EQ(read.description->structure.outputs.size(), 1u);
  EXPECT_FALSE(read.description->structure.outputs[0].dependencies);
  EXPECT_EQ(read.description->structure.derivatives.size(), 1u);
}

TEST(Tolerance, LivesWithDoubles) {
  const auto read = read_text(small("<Float64 name='a' valueReference='1'/>\n<Float64 name='a' valueReference='1'/>",
                                    "<ModelStructure><Output valueReference='1'/></ModelStructure>"));
  ASSERT_TRUE(read.description) << read.diagnostics.describe();
  EXPECT_EQ(read.description->index_of("a"), 0u);
  EXPECT_TRUE(read.says("'a' of line 5 has the same name as a variable of line 4"));
  EXPECT_TRUE(read.says("'a' has the value reference 1 of 'a'"));
  EXPECT_TRUE(read.says("'a' is listed as an output, but its causality is 'local'"));
  EXPECT_TRUE(read.description->structure.outputs.empty());
}

TEST(Tolerance, DropsStartValuesThatAreWrong) {
  const auto read = read_text(
      small("<Int8 name='a' valueReference='1' causality='input' start='128'/>"
            "<Float64 name='b' valueReference='2' causality='input' start='1 2'><Dimension start='3'/></Float64>"
            "<Boolean name='c' valueReference='3' causality='input' start='perhaps'/>"
            "<Binary name='d' valueReference='4' causality='input'><Start value='0'/></Binary>"
            "<Int32 name='e' valueReference='5' causality='input' start='1.5'/>"));
  ASSERT_TRUE(read.description) << read.diagnostics.describe();
  for (const char* name : {"a", "b", "c", "d", "e"}) EXPECT_FALSE(read[name].has_start()) << name;
  EXPECT_TRUE(read.says("'b' has 2 start values for 3 elements"));
  EXPECT_TRUE(read.says("'a': the start value '128' is not a valid Int8"));
}

TEST(Tolerance, ReadsNumbersAsTheyAreMeant) {
  const auto number = [](std::string_view text) {
    bool is_odd = false;
    const auto value = read_number(text, is_odd);
    return std::pair(value.value_or(-77.0), is_odd);
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(number(" 1e3 "), std::pair(1000.0, false));
  EXPECT_EQ(number("+.5"), std::pair(0.5, false));
  EXPECT_EQ(number("INF"), std::pair(kInfinity, false));
  EXPECT_EQ(number("-INF"), std::pair(-kInfinity, false));
  EXPECT_EQ(number("1.0f"), std::pair(1.0, true));
  EXPECT_EQ(number("1d-2"), std::pair(0.01, true));
  EXPECT_EQ(number("-1.#INF"), std::pair(-kInfinity, true));
  EXPECT_EQ(number("1e999"), std::pair(kInfinity, true));
  EXPECT_EQ(number("-1e-999"), std::pair(-0.0, true));
  EXPECT_EQ(number("1,5"), std::pair(-77.0, true));
  EXPECT_EQ(number(""), std::pair(-77.0, true));
  EXPECT_EQ(number("0x10"), std::pair(-77.0, true));
  bool is_odd = false;
  EXPECT_EQ(read_signed("9223372036854775808", is_odd), std::nullopt);
  EXPECT_EQ(read_unsigned("-1", is_odd), std::nullopt);
  EXPECT_EQ(read_unsigned("18446744073709551616", is_odd), std::nullopt);
  EXPECT_EQ(read_unsigned("1e3", is_odd), 1000u);
  EXPECT_EQ(read_boolean("TRUE", is_odd), true);
  EXPECT_EQ(read_boolean("2", is_odd), std::nullopt);
  EXPECT_EQ(read_hexadecimal("0aFF 10"), std::string("\x0A\xFF\x10"));
  EXPECT_EQ(read_hexadecimal("0"), std::nullopt);
}

}  // namespace tolerance_test
}  // namespace tieline::fmi
