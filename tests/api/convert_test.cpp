#include <gtest/gtest.h>

#include "tieline/check.hpp"
#include "tieline/exchange.hpp"

#include "api/pair.hpp"

namespace tieline::api {
namespace convert_test {

constexpr const char* kForeign = R"(<Model Name="pair">
  <SubModels>
    <SubModel Name="left" ModelFile="mass.xml" StartCommand="tieline"/>
    <SubModel Name="right" ModelFile="mass.xml" StartCommand="tieline"/>
  </SubModels>
  <Connections> <Connection From="left.end" To="right.end" Delay="1e-4" Zf="1000"/> </Connections>
  <SimulationParams StartTime="0" StopTime="0.01"/>
</Model>
)";
constexpr const char* kMass = R"(<Network>
  <Mass name="body" mass="1"/>
  <Interface name="end" node="body"/>
</Network>
)";

TEST(ConvertModel, WritesAModelOfOurs) {
  const PairFolder work;
  work.write("foreign.xml", kForeign);
  work.write("mass.xml", kMass);
  const Conversion conversion = convert_model(work.path("foreign.xml"), work.path("ours.xml"));
  EXPECT_NE(conversion.format.find("OMTLM"), std::string::npos) << conversion.format;
  EXPECT_EQ(check_model(work.path("ours.xml")).errors, 0U);
}

TEST(ConvertModel, ReplacesNothingUnasked) {
  const PairFolder work;
  work.write("foreign.xml", kForeign);
  work.write("mass.xml", kMass);
  work.write("ours.xml", "");
  try {
    convert_model(work.path("foreign.xml"), work.path("ours.xml"));
    FAIL();
  } catch (const FileError& error) {
    ASSERT_EQ(error.problems().size(), 1U);
    EXPECT_EQ(error.problems().front().advice, "replace it");
  }
  EXPECT_EQ(text_of(work.path("ours.xml")), "");
  convert_model(work.path("foreign.xml"), work.path("ours.xml"), {.replaces = true});
  EXPECT_NE(text_of(work.path("ours.xml")), "");
}

TEST(ConvertModel, RefusesOurOwnModels) {
  const PairFolder work;
  EXPECT_NE(thrown<FileError>([&] { convert_model(work.model(), work.path("x.xml")); }).find("<CompositeModel>"),
            std::string::npos);
}

}  // namespace convert_test
}  // namespace tieline::api
