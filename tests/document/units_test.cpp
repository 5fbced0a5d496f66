#include "document/units.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "document/grammar.hpp"
#include "document/scope.hpp"

namespace tieline::document {
namespace units_test {

TEST(Units, AreConverted) {
  const auto si = [](const char* unit, double number) {
    const auto parsed = parse_unit(unit);
    return parsed ? parsed->to_si(number) : std::nan("");
  };
  EXPECT_DOUBLE_EQ(si("kg", 350.0), 350.0);
  EXPECT_DOUBLE_EQ(si("mm", 10.0), 0.01);
  EXPECT_DOUBLE_EQ(si("mm^2", 1.0), 1e-6);
  EXPECT_DOUBLE_EQ(si("mm2", 1.0), 1e-6);
  EXPECT_DOUBLE_EQ(si("cm³", 2.0), 2e-6);
  EXPECT_DOUBLE_EQ(si("kN/mm", 3.0), 3e6);
  EXPECT_DOUBLE_EQ(si("kN·m", 3.0), 3e3);
  EXPECT_DOUBLE_EQ(si("l/min", 60.0), 1e-3);
  EXPECT_DOUBLE_EQ(si("km/h", 36.0), 10.0);
  EXPECT_DOUBLE_EQ(si("bar", 2.0), 2e5);
  EXPECT_DOUBLE_EQ(si("rpm", 60.0), 2.0 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(si("deg", 180.0), std::numbers::pi);
  EXPECT_DOUBLE_EQ(si("°C", 20.0), 293.15);
  EXPECT_DOUBLE_EQ(si("degF", 68.0), 293.15);
  EXPECT_DOUBLE_EQ(si("1/ms", 1.0), 1e3);
  EXPECT_DOUBLE_EQ(si("µF", 1.0), 1e-6);
  for (const char* unknown : {"", "1", "smoot", "m^", "m^x", "kg m +", "°C/m", "°C^2", "(m)", "2"})
    EXPECT_FALSE(parse_unit(unknown)) << unknown;
}

TEST(Units, OfOneQuantityAreFoundSo) {
  const auto same = [](const char* a, const char* b) { return parse_unit(a)->measures_the_same(*parse_unit(b)); };
  EXPECT_TRUE(same("N", "kg m/s^2"));
  EXPECT_TRUE(same("V", "W/A"));
  EXPECT_TRUE(same("F", "C/V"));
  EXPECT_TRUE(same("H", "V s/A"));
  EXPECT_TRUE(same("ohm", "V/A"));
  EXPECT_TRUE(same("N m", "N m/rad"));
  EXPECT_TRUE(same("deg", "rad"));
  EXPECT_FALSE(same("deg", "m"));
  EXPECT_FALSE(same("Hz", "rad/s"));
  EXPECT_FALSE(same("1/s", "rad/s"));
  EXPECT_FALSE(same("N", "N m"));
  EXPECT_EQ(describe_si(*parse_unit("kN")), "kg m/s^2");
  EXPECT_EQ(describe_si(*parse_unit("%")), "1");
}

// The descriptions of attributes state their units; the advice follows them.
TEST(Units, OfANumberAreAnswered) {
  Grammar grammar;
  grammar.rules = {{.name = "A",
                    .attributes = {{"m", AttributeType::number, false, "Mass [kg]."},
                                   {"x", AttributeType::numbers, false, "Where [m]."},
                                   {"k", AttributeType::function, false, "[N/m], of a rotation [N m/rad]."},
                                   {"T", AttributeType::number, false, "At the start [K]."},
                                   {"n", AttributeType::number, false, "How many."}}}};
  const auto said = [&](const std::string& attribute) {
    Diagnostics diagnostics;
    const auto document = Document::parse("<A " + attribute + "/>", "a", diagnostics);
    check_against(grammar, document->root(), diagnostics);
    const std::string text = diagnostics.describe();
    return text.empty() ? text : text.substr(14, text.size() - 15);
  };
  EXPECT_EQ(said("m='350 kg'"), "'350 kg' has a unit; write 350 (SI units: kg)");
  EXPECT_EQ(said("m='350kg'"), "'350kg' has a unit; write 350 (SI units: kg)");
  EXPECT_EQ(said("m='1.5e3 g'"), "'1.5e3 g' has a unit; write 1.5 (SI units: kg)");
  EXPECT_EQ(said("m='2 t'"), "'2 t' has a unit; write 2000 (SI units: kg)");
  EXPECT_EQ(said("m='10 mm'"), "'10 mm' has a unit; write a number of kg without it: mm is a different quantity");
  EXPECT_EQ(said("m='7 stones'"),
            "'7 stones' is neither a finite number nor an {expression}; write a number of kg (SI units)");
  EXPECT_EQ(said("x='0, 10 mm, 1'"), "'10 mm' has a unit; write 0.01 (SI units: m)");
  EXPECT_EQ(said("x='0 -1.5  2e3'"), "'0 -1.5  2e3': numbers are separated by commas; write '0, -1.5, 2e3'");
  EXPECT_EQ(said("k='5 N/mm'"), "'5 N/mm' has a unit; write 5000 (SI units: N/m)");
  EXPECT_EQ(said("k='5 kNm'"), "'5 kNm' has a unit; write 5000 (SI units: N m/rad)");
  EXPECT_EQ(said("T='20 C'"), "'20 C' has a unit; write 293.15 (SI units: K)");
  EXPECT_EQ(said("T='20 °C'"), "'20 °C' has a unit; write 293.15 (SI units: K)");
  EXPECT_EQ(said("n='3 kN'"), "'3 kN' has a unit; write 3000 (SI units: kg m/s^2)");
  EXPECT_EQ(said("m='350'"), "");
}

TEST(Units, AreAdvisedOnOnce) {
  Diagnostics diagnostics;
  const auto document = Document::parse("<A m='10 mm'/>", "a", diagnostics);
  Grammar grammar;
  grammar.rules = {{.name = "A", .attributes = {{"m", AttributeType::number, false, "Mass [kg]."}}}};
  check_against(grammar, document->root(), diagnostics);
  (void)read_number(document->root(), "m", Scope(), NumberRule{}, diagnostics);
  EXPECT_EQ(diagnostics.describe(),
            "a:1:4: error: '10 mm' has a unit; write a number of kg without it: mm is a different quantity\n");
}

TEST(Units, TemperaturesInCelsiusAreDoubted) {
  EXPECT_EQ(doubt_of_temperature("temperature", 20.0),
            "temperature = 20 K is -253.15 degrees Celsius; for 20 degrees Celsius write 293.15");
  EXPECT_EQ(doubt_of_temperature("temperature", -5.0),
            "temperature = -5 K is below absolute zero; for -5 degrees Celsius write 268.15");
  EXPECT_EQ(doubt_of_temperature("temperature", 293.15), "");
  EXPECT_EQ(doubt_of_temperature("temperature", 150.0), "");
}

}  // namespace units_test
}  // namespace tieline::document
