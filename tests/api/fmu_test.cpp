#include "tieline/fmu.hpp"

#include <gtest/gtest.h>

#include "api/pair.hpp"

namespace tieline::api {
namespace fmu_test {

const std::filesystem::path kVanDerPol = std::filesystem::path(TIELINE_TEST_FMUS) / "vanderpol_fmi3.fmu";

TEST(DescribeFmu, ListsInterfacesAndVariables) {
  ASSERT_TRUE(is_fmu(kVanDerPol));
  const FmuInfo fmu = describe_fmu(kVanDerPol);
  EXPECT_EQ(fmu.fmi_version.front(), '3');
  ASSERT_TRUE(fmu.model_exchange);
  EXPECT_EQ(fmu.model_exchange->states, 2U);
  EXPECT_FALSE(fmu.platforms.empty());
  const auto output = std::find_if(fmu.variables.begin(), fmu.variables.end(), [](const FmuVariable& variable) {
    return variable.causality == FmuCausality::output;
  });
  ASSERT_NE(output, fmu.variables.end());
  EXPECT_EQ(output->type, "Float64");
}

TEST(DescribeFmu, RefusesOtherFiles) {
  const PairFolder work;
  EXPECT_FALSE(is_fmu(work.model()));
  work.write("bad.fmu", "no archive");
  EXPECT_NE(thrown<ModelError>([&] { (void)describe_fmu(work.path("bad.fmu")); }).find("bad.fmu"), std::string::npos);
}

TEST(VerifyFmu, ReportsEachCheckOfEachMode) {
  const std::vector<FmuCheck> checks = verify_fmu(kVanDerPol);
  const auto result = [&](const std::string& mode, const std::string& check) {
    for (const FmuCheck& each : checks) {
      if (each.mode == mode && each.check == check) return each.result;
    }
    return FmuCheckResult::failed;
  };
  EXPECT_EQ(result("", "description"), FmuCheckResult::passed);
  for (const char* mode : {"model exchange", "co-simulation"}) {
    EXPECT_EQ(result(mode, "step"), FmuCheckResult::passed);
    EXPECT_EQ(result(mode, "second instance"), FmuCheckResult::passed);
  }
  EXPECT_EQ(thrown<RunError>([] { (void)verify_fmu(kVanDerPol, {.runner = "/no/such/program"}); }).empty(), false);
}

}  // namespace fmu_test
}  // namespace tieline::api
