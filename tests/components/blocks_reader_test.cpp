#include <cmath>
#include <gtest/gtest.h>

#include "components/blocks/blocks.hpp"
#include "components/blocks/grammar.hpp"
#include "components/blocks/reader.hpp"
#include "components/model_driver.hpp"
#include "components/reader_support.hpp"

namespace tieline::components {
namespace {

struct ReadBlocks : Reading<decltype(&read_blocks)> {
  explicit ReadBlocks(const std::string& text) : Reading(text, blocks_grammar(), &read_blocks) {}
};

TEST(BlocksReader, ReadsEveryBlock) {
  const ReadBlocks read(R"(<Blocks>
  <Parameters><Parameter name="T" value="0.2"/></Parameters>
  <Output name="u" of="limited"/>
  <Limiter name="limited" input="pid" lower="-3" upper="{1+2}"/>
  <Pid name="pid" input="error" kp="2" ki="1" kd="0.1" filter="0.01" lower="-5" upper="5"/>
  <Sum name="error" inputs="reference, -measured, + trim"/>
  <Input name="measured" start="0.25"/>
  <Source name="reference" value="{step(t-1)}"/>
  <Constant name="trim" value="0"/>
  <Integrator name="integral" input="error" start="0.5" lower="0" upper="1"/>
  <TransferFunction name="lag" input="error" denominator="{T}, 1"/>
  <Table name="bent" input="lag" x="0,1" y="0,2" join="smooth"/>
  <Gain name="gain" input="bent" gain="{1/T}"/>
  <SampleHold name="hold" input="gain" period="0.1" offset="0.05"/>
</Blocks>)");
  ASSERT_FALSE(read.diagnostics.has_errors()) << read.diagnostics.describe();
  const auto interfaces = interfaces_of(read.spec);
  ASSERT_EQ(interfaces.size(), 2U);
  EXPECT_EQ(interfaces[0].name, "measured");
  EXPECT_EQ(interfaces[1].causality, core::Causality::output);
  Blocks blocks(read.spec);
  ModelDriver driver(blocks, 0.0);
  EXPECT_EQ(driver.value("error.value"), -0.25);
  EXPECT_EQ(driver.value("gain.value"), 0.0);
  driver.run_to(0.2, 1e-3);
  EXPECT_NEAR(driver.value("lag.value"), -0.25 * (1.0 - std::exp(-1.0)), 1e-9);
  EXPECT_NEAR(driver.value("u.value"), -0.5 - 0.25 * 0.2, 1e-9);
}

TEST(BlocksReader, ReportsEveryProblemAtItsPlace) {
  const ReadBlocks read(R"(<Blocks>
  <Constant name="one" value="1"/>
  <Gain name="g" input="on" gain="2"/>
  <Gain name="one" input="one" gain="2"/>
  <Limiter name="l" input="one" lower="2" upper="1"/>
  <TransferFunction name="tf" input="one" numerator="1,0,0" denominator="1,1"/>
  <Pid name="pid" input="one" kp="1" kd="1"/>
  <SampleHold name="h" input="one" period="0"/>
  <Integrator name="i" input="one" start="3" upper="2"/>
  <Sum name="s" inputs="one, -nothing"/>
  <Output name="o" of="gg"/>
  <TransferFunction name="zero" input="one" denominator="0"/>
  <Table name="t" input="one" x="0,1" y="0"/>
</Blocks>)");
  read.expect_error(3, {"no block 'on'", "'one'"});
  read.expect_error(4, {"'one' is taken", "line 2"});
  read.expect_error(5, {"lower = 2 is above upper = 1"});
  read.expect_error(6, {"improper", "degree 2"});
  read.expect_error(7, {"filter"});
  read.expect_error(8, {"period = 0"});
  read.expect_error(9, {"start = 3", "outside"});
  read.expect_error(10, {"no block 'nothing'"});
  read.expect_error(11, {"no block 'gg'", "'g'"});
  read.expect_error(12, {"denominator"});
  read.expect_error(13, {"y"});
  EXPECT_EQ(read.diagnostics.error_count(), 11U) << read.diagnostics.describe();
}

TEST(BlocksReader, AlgebraicLoopsAreNamedBlockByBlock) {
  const ReadBlocks read(R"(<Blocks>
  <Sum name="error" inputs="one, -scaled"/>
  <Constant name="one" value="1"/>
  <Gain name="doubled" input="error" gain="2"/>
  <Gain name="scaled" input="doubled" gain="2"/>
</Blocks>)");
  EXPECT_EQ(read.diagnostics.error_count(), 1U);
  EXPECT_NE(read.diagnostics.describe().find("doubled -> scaled -> error -> doubled"), std::string::npos)
      << read.diagnostics.describe();
}

}  // namespace
}  // namespace tieline::components
