#include "model/icon.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace tieline::model {
namespace icon_test {

class Icons : public ::testing::Test {
 protected:
  core::Result<Icon> read(const std::string& bytes) const {
    std::ofstream(folder_.path() / "icon", std::ios::binary) << bytes;
    return read_icon(folder_.path() / "icon");
  }
  support::TemporaryFolder folder_;
};

TEST_F(Icons, AreRecognisedByTheirContent) {
  for (const char* svg :
       {"<svg/>", "\xEF\xBB\xBF<svg xmlns='x'></svg>", "<?xml version='1.0'?>\n<!-- a > b -->\n<svg>\n</svg>",
        "<!DOCTYPE svg PUBLIC 'a' 'b'>\n<svg:svg/>", "<!DOCTYPE svg [<!ENTITY a 'b>'>]>\n<svg\n/>"}) {
    const auto icon = read(svg);
    ASSERT_TRUE(icon) << svg;
    EXPECT_EQ(icon->media_type, "image/svg+xml");
    EXPECT_EQ(icon->bytes, svg);
  }
  std::string png("\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0", 29);
  png += std::string(12, 'x') + "IEND    ";
  ASSERT_TRUE(read(png));
  EXPECT_EQ(read(png)->media_type, "image/png");
  png[23] = '\0';  // no height
  EXPECT_FALSE(read(png));
}

TEST_F(Icons, OthersAreRefused) {
  for (const std::string bytes : {"", "svg", "<html><svg/></html>", "<svgx/>", "<?xml", "<!-- <svg/>", "<svg",
                                  "\xFF\xD8\xFF\xE0 a photograph", "\x89PNG\r\n\x1A\n cut"}) {
    const auto icon = read(bytes);
    ASSERT_FALSE(icon) << bytes;
    EXPECT_NE(icon.error().message.find("expected an SVG or a PNG file"), std::string::npos) << icon.error().message;
  }
  EXPECT_NE(read("<svg>" + std::string(kLargestIcon, ' ')).error().message.find("larger than 4 MB"), std::string::npos);
  EXPECT_NE(read_icon(folder_.path()).error().message.find("cannot read"), std::string::npos);
  EXPECT_NE(read_icon(folder_.path() / "none").error().message.find("cannot read"), std::string::npos);
}

}  // namespace icon_test
}  // namespace tieline::model
