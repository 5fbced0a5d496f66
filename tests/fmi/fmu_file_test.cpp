#include "fmi/fmu_file.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "support/zip_bytes.hpp"

namespace tieline::fmi {
namespace fmu_file_test {

TEST(FmuFile, ListsThePlatformsOfItsBinaries) {
  const support::TemporaryFolder folder;
  document::Diagnostics diagnostics;
  const auto file =
      support::write_file(folder.path() / "model.fmu",
                          support::zip_of({{.name = "modelDescription.xml", .content = "<a/>"},
                                           {.name = "binaries/win64/model.dll", .content = "MZ", .unix_mode = 0},
                                           {.name = "binaries/linux64/model.so", .content = "ELF"},
                                           {.name = "binaries/linux64/sub/helper.so", .content = "ELF"},
                                           {.name = "binaries/README", .content = "no platform"}}));
  const auto fmu = open_fmu(file, diagnostics);
  ASSERT_TRUE(fmu) << diagnostics.describe();
  const auto platforms = platforms_of(*fmu);
  ASSERT_EQ(platforms.size(), 2u);
  EXPECT_EQ(platforms[0].name, "linux64");
  EXPECT_EQ(platforms[0].files, std::vector<std::string>{"model.so"});
  EXPECT_EQ(platforms[1].name, "win64");

  support::write_file(folder.path() / "unpacked/binaries/x86_64-linux/model.so", "ELF");
  const auto unpacked = open_fmu(folder.path() / "unpacked", diagnostics);
  ASSERT_TRUE(unpacked);
  EXPECT_EQ(platforms_of(*unpacked).front().name, "x86_64-linux");
}

TEST(FmuFile, IsKnownByItsNameOrItsContent) {
  const support::TemporaryFolder folder;
  support::write_file(folder.path() / "unpacked/modelDescription.xml", "<a/>");
  EXPECT_TRUE(looks_like_fmu(folder.path() / "unpacked"));
  EXPECT_FALSE(looks_like_fmu(folder.path()));
  EXPECT_TRUE(looks_like_fmu("a/MODEL.FMU"));
  EXPECT_FALSE(looks_like_fmu("a/model.xml"));
  const auto packed = [&](const char* name, const char* entry) {
    return support::write_file(folder.path() / name, support::zip_of({{.name = entry, .content = "<a/>"}}));
  };
  EXPECT_TRUE(looks_like_fmu(packed("model.zip", "modelDescription.xml")));
  EXPECT_FALSE(looks_like_fmu(packed("system.ssp", "SystemStructure.ssd")));
}

TEST(FmuFile, IsCalledAnFmuInItsProblems) {
  const support::TemporaryFolder folder;
  document::Diagnostics diagnostics;
  EXPECT_FALSE(open_fmu(support::write_file(folder.path() / "text.fmu", "text"), diagnostics));
  EXPECT_NE(diagnostics.describe().find("this is not a zip archive, but an FMU must be one"), std::string::npos)
      << diagnostics.describe();
}

}  // namespace fmu_file_test
}  // namespace tieline::fmi
