#include "interchange/conversion_report.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tieline::interchange {
namespace conversion_report_test {

TEST(ConversionReport, CountsByWhatThingsAreInTheOrderOfTheirFirst) {
  ConversionReport report;
  report.translated("components", 3);
  report.kept("comments", "of the model");
  report.lost("components", "gearbox");
  report.lost("components", "gearbox");
  ASSERT_EQ(report.rows().size(), 2u);
  EXPECT_EQ(report.rows()[0], (ConversionReport::Row{"components", 3, 0, 2, {"gearbox"}}));
  EXPECT_EQ(report.rows()[1], (ConversionReport::Row{"comments", 0, 1, 0, {"of the model"}}));
}

TEST(ConversionReport, ListsTheFirstNamesOnly) {
  ConversionReport report;
  for (int i = 0; i < 100; ++i) report.kept("elements", fmt::format("e{}", i));
  EXPECT_EQ(report.rows()[0].kept, 100u);
  EXPECT_EQ(report.rows()[0].names.size(), ConversionReport::kMostNames);
}

}  // namespace conversion_report_test
}  // namespace tieline::interchange
