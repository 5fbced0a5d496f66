#include <cmath>
#include <gtest/gtest.h>

#include "components/blocks/blocks.hpp"
#include "components/blocks/grammar.hpp"
#include "components/blocks/reader.hpp"
#include "components/model_driver.hpp"
#include "components/reader_support.hpp"

namespace tieline::components {
namespace blocks_reader_test {

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
  read.expect_error(4, {"'one' is already used", "line 2"});
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

TEST(BlocksReader, SignalsHaveAnySize) {
  const ReadBlocks read(R"(<Blocks>
  <Parameters><Parameter name="n" value="3"/></Parameters>
  <Output name="y" of="sum, u, u[2]"/>
  <Sum name="sum" inputs="u[1], -u[{n}], v[1]"/>
  <Input name="u" size="{n}" start="1, {n-1}, 5"/>
  <Input name="v" size="1" start="100"/>
  <Table name="t" input="v" x="0, 50, 200" y="0,1,2; 10,20,30"/>
  <Output name="z" of="t"/>
  <Output name="alone" of="t[2]"/>
</Blocks>)");
  ASSERT_FALSE(read.diagnostics.has_errors()) << read.diagnostics.describe();
  const auto interfaces = interfaces_of(read.spec);
  const std::vector<std::pair<std::string, int>> expected{{"u", 3}, {"v", 1}, {"y", 5}, {"z", 2}, {"alone", 1}};
  ASSERT_EQ(interfaces.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(interfaces[i].name, expected[i].first);
    EXPECT_EQ(interfaces[i].size, expected[i].second);
  }
  Blocks blocks(read.spec);
  const std::vector<std::string> ports{"u[1]", "u[2]", "u[3]", "v",    "y[1]", "y[2]",
                                       "y[3]", "y[4]", "y[5]", "z[1]", "z[2]", "alone"};
  ASSERT_EQ(blocks.ports().size(), ports.size());
  for (std::size_t i = 0; i < ports.size(); ++i) EXPECT_EQ(blocks.ports()[i].name, ports[i]);
  ModelDriver driver(blocks, 0.0);
  EXPECT_EQ(driver.value("y[1].value"), 96.0);
  EXPECT_EQ(driver.value("y[2].value"), 1.0);
  EXPECT_EQ(driver.value("y[4].value"), 5.0);
  EXPECT_EQ(driver.value("y[5].value"), 2.0);
  EXPECT_NEAR(driver.value("z[1].value"), 1.0 + 1.0 / 3.0, 1e-14);
  EXPECT_NEAR(driver.value("alone.value"), 20.0 + 10.0 / 3.0, 1e-13);
}

// What reads a signal of several numbers does the same with each; around a loop, too, and whatever comes first.
TEST(BlocksReader, BlocksTreatAllNumbersAlike) {
  const ReadBlocks read(R"(<Blocks>
  <Output name="y" of="state"/>
  <Output name="z" of="line, still"/>
  <Integrator name="state" input="error"/>
  <Sum name="error" inputs="reference, -state"/>
  <Source name="reference" value="{1 + 0*t}, {2}, 3"/>
  <Table name="line" input="doubled" x="0, 10" y="0, 10"/>
  <Gain name="doubled" input="still" gain="2"/>
  <Constant name="still" value="1, {1+1}"/>
</Blocks>)");
  ASSERT_FALSE(read.diagnostics.has_errors()) << read.diagnostics.describe();
  Blocks blocks(read.spec);
  EXPECT_EQ(blocks.size(), 3);
  ASSERT_EQ(blocks.ports().size(), 7U);
  EXPECT_EQ(blocks.ports()[2].name, "y[3]");
  ModelDriver driver(blocks, 0.0);
  EXPECT_EQ(driver.value("z[1].value"), 2.0);
  EXPECT_EQ(driver.value("z[2].value"), 4.0);
  EXPECT_EQ(driver.value("z[4].value"), 2.0);
  driver.run_to(0.5, 1e-2);
  for (int k = 1; k <= 3; ++k) {
    EXPECT_NEAR(driver.value("y[" + std::to_string(k) + "].value"), k * (1.0 - std::exp(-0.5)), 1e-8);
  }
}

TEST(BlocksReader, ReportsWrongSizes) {
  const ReadBlocks read(R"(<Blocks>
  <Input name="u" size="3"/>
  <Input name="v" size="1.5"/>
  <Input name="w" size="0"/>
  <Input name="x" size="3" start="1, 2"/>
  <Sum name="g" inputs="u, v"/>
  <Gain name="h" input="u[4]" gain="1"/>
  <Output name="o" of="u, nothing"/>
  <Output name="p" of=""/>
  <Table name="t" input="v" x="0,1" y="0,1; 2"/>
  <Input name="z" start="one"/>
  <Table name="s" input="u" x="0,1" y="0,1; 2,3"/>
</Blocks>)");
  read.expect_error(12, {"'u' is a signal of size 3, but one of size 1 is expected here"});
  read.expect_error(3, {"size = 1.5 must be a whole number from 1 to"});
  read.expect_error(4, {"size = 0 must be a whole number from 1 to"});
  read.expect_error(5, {"start has 2 numbers, the signal 3"});
  read.expect_error(6, {"'v' is a signal of size 1, but one of size 3 is expected here"});
  read.expect_error(7, {"no block 'u[4]'"});
  read.expect_error(8, {"no block 'nothing'"});
  read.expect_error(9, {"name"});
  read.expect_error(10, {"2 values of x, but 1 of y"});
  read.expect_error(11, {"start"});
}

}  // namespace blocks_reader_test
}  // namespace tieline::components
