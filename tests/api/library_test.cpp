#include <cstdlib>
#include <gtest/gtest.h>

#include "tieline/exchange.hpp"

#include "api/pair.hpp"

namespace tieline::api {
namespace library_test {

constexpr const char* kSprings = R"(<Library name="springs" version="1.2">
  <Description>Springs of ours.</Description>
  <Type name="Soft" kind="network" file="soft.xml">
    <Description>A soft support.</Description>
    <Parameters> <Parameter name="stiffness" value="1e3" unit="N/m"/> </Parameters>
  </Type>
</Library>
)";
constexpr const char* kSoft = R"(<Network>
  <Ground name="ground"/>
  <Mass name="foot" mass="1"/>
  <Spring name="spring" from="ground" to="foot" stiffness="{stiffness}"/>
  <Interface name="top" node="foot"/>
</Network>
)";

class Libraries : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("XDG_DATA_HOME", work_.path("home").c_str(), 1);
    work_.write("springs.xml", kSprings);
    work_.write("soft.xml", kSoft);
  }
  PairFolder work_;
};

TEST_F(Libraries, AreListedWithTheirTypes) {
  const LibraryListing listing = list_libraries(work_.model());
  ASSERT_FALSE(listing.folders.empty());
  EXPECT_EQ(listing.folders.front().whose, "model");
  ASSERT_EQ(listing.folders.front().libraries.size(), 1U);
  const LibraryInfo& library = listing.folders.front().libraries.front();
  EXPECT_EQ(library.name, "springs");
  EXPECT_EQ(library.version, "1.2");
  ASSERT_EQ(library.types.size(), 1U);
  EXPECT_EQ(library.types.front().name, "springs.Soft");
  EXPECT_TRUE(listing.problems.empty());
}

TEST_F(Libraries, DescribeATypeOrNameTheNearest) {
  const TypeDescription type = describe_type("springs.Soft", work_.model());
  EXPECT_EQ(type.kind, "network");
  ASSERT_EQ(type.parameters.size(), 1U);
  EXPECT_EQ(type.parameters.front().unit, "N/m");
  ASSERT_EQ(type.files.size(), 1U);
  EXPECT_EQ(type.files.front().role, "file");
  EXPECT_NE(thrown<ModelError>([&] { (void)describe_type("springs.Sof", work_.model()); }).find("springs.Soft"),
            std::string::npos);
}

TEST_F(Libraries, AreAddedOnceAndReplacedOnRequest) {
  const auto place = add_library(work_.path("springs.xml"));
  EXPECT_TRUE(std::filesystem::exists(place));
  EXPECT_TRUE(std::filesystem::exists(place.parent_path() / "soft.xml"));
  EXPECT_NE(thrown<FileError>([&] { add_library(work_.path("springs.xml")); }).find("already exists"),
            std::string::npos);
  EXPECT_EQ(add_library(work_.path("springs.xml"), {.replaces = true}), place);
}

TEST_F(Libraries, AreExported) {
  std::filesystem::create_directory(work_.path("to"));
  const LibraryExport exported =
      export_types({"springs.Soft"}, work_.path("to") / "mine.xml", {.model = work_.model()});
  EXPECT_EQ(exported.types, 1U);
  EXPECT_EQ(describe_type("mine.Soft", work_.path("to") / "model.xml").kind, "network");
}

}  // namespace library_test
}  // namespace tieline::api
