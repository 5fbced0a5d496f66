#include "bearings/catalogue.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "bearings/life.hpp"
#include "bearings/test_bearings.hpp"

namespace tieline::bearings {
namespace catalogue_test {

Catalogue shipped() {
  document::Diagnostics diagnostics;
  const auto document = document::Document::load(TIELINE_SOURCE_DIR "/library/bearings.xml", diagnostics);
  Catalogue catalogue;
  if (document) catalogue.add(document->root(), "bearings.xml", diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  return catalogue;
}

std::optional<Bearing> read(const std::string& text, document::Diagnostics& diagnostics) {
  const auto document = document::Document::parse(text, "b.xml", diagnostics);
  return document ? read_bearing(document->root(), shipped(), diagnostics) : std::nullopt;
}

TEST(Catalogue, HasThirtyTypes) {
  const Catalogue catalogue = shipped();
  EXPECT_GE(catalogue.entries().size(), 30u);
  for (const char* name : {"6004", "6205", "6312", "7014C", "7210B", "HBU1", "HBU2", "HBU3"}) {
    EXPECT_NE(catalogue.find(name), nullptr) << name;
  }
}

TEST(Catalogue, HasTheSpindleBearing) {
  const Catalogue catalogue = shipped();
  const CatalogueEntry* entry = catalogue.find("6214");
  ASSERT_NE(entry, nullptr);
  const Bearing &b = entry->bearing, expected = test::spindle_bearing();
  EXPECT_EQ(b.balls, expected.balls);
  EXPECT_EQ(b.ball_diameter, expected.ball_diameter);
  EXPECT_EQ(b.pitch_diameter, expected.pitch_diameter);
  EXPECT_EQ(b.inner_conformity, expected.inner_conformity);
  EXPECT_EQ(b.clearance, expected.clearance);
  EXPECT_EQ(b.inner_shoulder_diameter, expected.inner_shoulder_diameter);
  EXPECT_EQ(catalogue.find("HBU3")->bearing.row_spacing, test::hub_bearing().row_spacing);
}

// What makers state for these (general catalogues of SKF and NSK) in kN. Numbers and sizes of balls differ between
// makers: a ball more or less is up to 9 % of C, a size of balls 6 to 9 %; some makers also rate their steel higher by
// up to 12 %.
TEST(Catalogue, RatingsAreThoseOfTheirSeries) {
  const std::pair<const char*, double> listed[]{{"6004", 9.95}, {"6006", 13.8}, {"6010", 22.9}, {"6203", 9.95},
                                                {"6204", 13.5}, {"6205", 14.8}, {"6206", 20.3}, {"6208", 32.5},
                                                {"6210", 37.1}, {"6212", 55.3}, {"6305", 23.4}, {"6306", 29.6},
                                                {"6308", 42.3}, {"6310", 65.0}, {"6312", 85.2}, {"7208B", 32.0}};
  const Catalogue catalogue = shipped();
  for (const auto& [name, rating] : listed) {
    EXPECT_NEAR(load_ratings(catalogue.find(name)->bearing).dynamic / (1e3 * rating), 1.0, 0.15) << name;
  }
}

TEST(Catalogue, UnknownTypesHaveNeighbours) {
  const Catalogue catalogue = shipped();
  EXPECT_NE(catalogue.suggestion("6215").find("6214"), std::string::npos);
  EXPECT_NE(catalogue.suggestion("HUB3").find("HBU3"), std::string::npos);
  EXPECT_NE(catalogue.suggestion("hbu9").find("HBU1, HBU2, HBU3"), std::string::npos);
}

TEST(Catalogue, TypesAreChangedByOtherFiles) {
  document::Diagnostics diagnostics;
  const auto bearing =
      read(R"(<Bearing name="mine" type="6214" clearance="{30e-6}" ball_material="ceramic"/>)", diagnostics);
  ASSERT_TRUE(bearing) << diagnostics.describe();
  EXPECT_EQ(bearing->balls, 11);
  EXPECT_EQ(bearing->clearance, 30e-6);
  EXPECT_EQ(bearing->ball_material.density, kCeramic.density);
  EXPECT_EQ(bearing->ring_material.density, kSteel.density);
}

TEST(Catalogue, LaterTypesReplaceAndExtendEarlierOnes) {
  document::Diagnostics diagnostics;
  Catalogue catalogue = shipped();
  const std::size_t count = catalogue.entries().size();
  const auto add = [&](const std::string& text) {
    const auto document = document::Document::parse(text, "own.xml", diagnostics);
    ASSERT_TRUE(document);
    catalogue.add(document->root(), "own.xml", diagnostics);
  };
  add("<Library name='own'><Bearing name='a' type='6214' clearance='10e-6'/><Bearing name='6205' "
      "type='6214'/></Library>");
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  EXPECT_EQ(catalogue.entries().size(), count + 1);
  ASSERT_NE(catalogue.find("a"), nullptr);
  EXPECT_EQ(catalogue.find("a")->bearing.clearance, 10e-6);
  EXPECT_EQ(catalogue.find("6205")->bearing.balls, 11);
  EXPECT_EQ(catalogue.find("6205")->file, "own.xml");
  // One that cannot be used is not found, not even as it was before; the others stay.
  add("<Library name='own'>\n<Bearing name='6205' type='6214' balls='40'/></Library>");
  EXPECT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(catalogue.find("6205"), nullptr);
  EXPECT_NE(catalogue.find("6214"), nullptr);
  diagnostics = {};
  catalogue.report_missing("6205", {"m.xml", 3, 4}, "", diagnostics);
  for (const char* part :
       {"m.xml:3:4: error: bearing '6205' of a library cannot be used", "own.xml:2:34: error: balls"}) {
    EXPECT_NE(diagnostics.describe().find(part), std::string::npos) << diagnostics.describe();
  }
}

TEST(Catalogue, EveryProblemHasItsPlace) {
  document::Diagnostics diagnostics;
  EXPECT_FALSE(read("<Bearing name=\"mine\"\n type=\"6214\"\n balls=\"30\"\n bore=\"0.09\"\n clearance=\"0.01\"/>",
                    diagnostics));
  const std::string text = diagnostics.describe();
  EXPECT_NE(text.find("b.xml:3:2: error: balls are too many: 30 balls of 0.016669 m do not fit on a pitch circle of "
                      "0.0975 m, at most 18 do"),
            std::string::npos)
      << text;
  // Only what fits on the pitch circle has further dimensions.
  diagnostics = {};
  EXPECT_FALSE(read("<Bearing name=\"mine\"\n type=\"6214\"\n bore=\"0.09\"\n clearance=\"0.01\"/>", diagnostics));
  EXPECT_NE(diagnostics.describe().find("b.xml:3:2: error: bore must be less"), std::string::npos);
  EXPECT_NE(diagnostics.describe().find("b.xml:4:2: error: clearance must be between"), std::string::npos);
  diagnostics = {};
  EXPECT_FALSE(read("<Bearing name=\"mine\" type=\"6213\" bals=\"3\"/>", diagnostics));
  EXPECT_NE(diagnostics.describe().find("'balls'"), std::string::npos) << diagnostics.describe();
}

TEST(Catalogue, AttributesAreSetByName) {
  Bearing bearing = test::spindle_bearing();
  document::Diagnostics diagnostics;
  set_attribute("clearance", "{1e-5*2}", {}, bearing, diagnostics);
  set_attribute("balls", "9", {}, bearing, diagnostics);
  set_attribute("ball_material", "ceramic", {}, bearing, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  EXPECT_EQ(bearing.balls, 9);
  EXPECT_EQ(bearing.clearance, 2e-5);
  set_attribute("ball_materal", "steel", {"a", 1, 1}, bearing, diagnostics);
  set_attribute("balls", "2.5", {"a", 1, 2}, bearing, diagnostics);
  set_attribute("design", "flat", {"a", 1, 3}, bearing, diagnostics);
  set_attribute("width", "nan", {"a", 1, 4}, bearing, diagnostics);
  EXPECT_EQ(diagnostics.error_count(), 4u) << diagnostics.describe();
  EXPECT_NE(diagnostics.describe().find("'ball_material'"), std::string::npos);
}

}  // namespace catalogue_test
}  // namespace tieline::bearings
