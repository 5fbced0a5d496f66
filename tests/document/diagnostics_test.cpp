#include "document/diagnostics.hpp"

#include <gtest/gtest.h>

namespace tieline::document {
namespace diagnostics_test {

TEST(Diagnostics, DescribesPlaceSeverityAndMessage) {
  EXPECT_EQ((Diagnostic{Severity::error, {"a.xml", 3, 7}, "wrong"}.describe()), "a.xml:3:7: error: wrong");
  EXPECT_EQ((Diagnostic{Severity::warning, {"a.xml", 0, 0}, "odd"}.describe()), "a.xml: warning: odd");
  EXPECT_EQ((Diagnostic{Severity::note, {}, "said"}.describe()), "note: said");
}

TEST(Diagnostics, SortsByPlaceWithNotesLast) {
  Diagnostics diagnostics;
  diagnostics.note({"a.xml", 1, 1}, "free end");
  diagnostics.error({"b.xml", 1, 1}, "third");
  diagnostics.error({"a.xml", 10, 1}, "second");
  diagnostics.warning({"a.xml", 9, 5}, "first");
  EXPECT_EQ(
      diagnostics.describe(),
      "a.xml:9:5: warning: first\na.xml:10:1: error: second\nb.xml:1:1: error: third\na.xml:1:1: note: free end\n");
  EXPECT_EQ(diagnostics.error_count(), 2U);
  EXPECT_EQ(diagnostics.warning_count(), 1U);
}

TEST(Diagnostics, SaysAThingOnce) {
  Diagnostics diagnostics;
  for (int i = 0; i < 3; ++i) diagnostics.error({"a.xml", 1, 1}, "wrong");
  EXPECT_EQ(diagnostics.error_count(), 1U);
}

TEST(Diagnostics, SuggestsTheNearestNameOrAllOfThem) {
  const std::vector<std::string> known{"stiffness", "damping", "delay"};
  EXPECT_EQ(suggestion("stifness", known), " (did you mean 'stiffness'?)");
  EXPECT_EQ(suggestion("xyz", known), " (known: stiffness, damping, delay)");
  EXPECT_EQ(suggestion("xyz", {}), "");
}

}  // namespace diagnostics_test
}  // namespace tieline::document
