// Functions of signals, products and switches against closed forms.

#include <cmath>
#include <gtest/gtest.h>

#include "components/blocks/blocks.hpp"
#include "components/blocks/grammar.hpp"
#include "components/blocks/reader.hpp"
#include "components/model_driver.hpp"
#include "components/reader_support.hpp"

namespace tieline::components {
namespace blocks_functions_test {

struct ReadBlocks : Reading<decltype(&read_blocks)> {
  explicit ReadBlocks(const std::string& text)
      : Reading("<Blocks>" + text + "</Blocks>", blocks_grammar(), &read_blocks) {
    spec_is_sound = !diagnostics.has_errors();
    EXPECT_TRUE(spec_is_sound) << diagnostics.describe();
  }
  bool spec_is_sound = false;
};

/// Gives an input the cubic a t^3 + b t + c, which tracks follow exactly, over [0, 2].
void give_cubic(core::Port& port, double a, double b, double c) {
  for (const double t : {0.0, 0.5, 1.0, 1.5, 2.0})
    port.incoming.push({.t = t, .value = a * t * t * t + b * t + c, .rate = 3.0 * a * t * t + b});
}

TEST(BlocksFunctions, SourcesUseTheInputsOfTheComponent) {
  const ReadBlocks read(R"(
  <Parameters> <Parameter name="k" value="2"/> </Parameters>
  <Source name="q" value="{k*vb*abs(vb) + sin(t)}, {w[2]^2 - w[k-1]*vb}"/> <Output name="y" of="q"/>
  <Input name="vb"/> <Input name="w" size="2"/>)");
  Blocks blocks(read.spec);
  give_cubic(blocks.ports()[0], 1.0, -2.0, 0.3);
  give_cubic(blocks.ports()[1], 0.5, 1.0, 0.0);
  give_cubic(blocks.ports()[2], -1.0, 0.0, 4.0);
  ModelDriver driver(blocks, 0.0);
  for (const double t : {0.0, 0.4, 1.1, 1.7}) {
    driver.run_to(t, 0.1);
    const double v = t * t * t - 2.0 * t + 0.3, v1 = 3.0 * t * t - 2.0;
    const double w1 = 0.5 * t * t * t + t, w1_rate = 1.5 * t * t + 1.0;
    const double w2 = 4.0 - t * t * t, w2_rate = -3.0 * t * t;
    const auto out = driver.outputs();
    EXPECT_NEAR(out[3].flow, 2.0 * v * std::abs(v) + std::sin(t), 1e-12) << t;
    EXPECT_NEAR(out[3].flow_rate, 4.0 * std::abs(v) * v1 + std::cos(t), 1e-7) << t;
    EXPECT_NEAR(out[4].flow, w2 * w2 - w1 * v, 1e-12) << t;
    EXPECT_NEAR(out[4].flow_rate, 2.0 * w2 * w2_rate - w1_rate * v - w1 * v1, 1e-7) << t;
  }
}

TEST(BlocksFunctions, OnlyWhatAFunctionNamesFeedsThrough) {
  const ReadBlocks read(R"(
  <Input name="a"/> <Input name="b"/> <Integrator name="x" input="f"/>
  <Source name="s" value="{sin(a)}, {cos(t)}"/> <Function name="f" inputs="x, s" value="{b - x*s[1]}"/>
  <Output name="of_s" of="s[1]"/> <Output name="of_t" of="s[2]"/> <Output name="of_f" of="f"/> <Output name="of_x" of="x"/>)");
  EXPECT_EQ(feedthrough_pairs(read.spec),
            (std::set<std::pair<std::string, std::string>>{{"a", "of_s"}, {"a", "of_f"}, {"b", "of_f"}}));
}

TEST(BlocksFunctions, AFunctionOfItselfIsAnAlgebraicLoop) {
  const Reading read(
      "<Blocks>\n<Input name=\"u\"/>\n<Function name=\"f\" inputs=\"g\" value=\"{u - g^2}\"/>\n"
      "<Gain name=\"g\" input=\"f\" gain=\"2\"/>\n</Blocks>",
      blocks_grammar(), &read_blocks);
  EXPECT_EQ(read.diagnostics.error_count(), 1U);
  EXPECT_NE(read.diagnostics.describe().find("algebraic loop: g -> f -> g"), std::string::npos)
      << read.diagnostics.describe();
}

TEST(BlocksFunctions, MistakesAreNamed) {
  const Reading read(R"(<Blocks>
<Input name="speed"/> <Constant name="c-1" value="1"/> <Constant name="two" value="1, 2"/>
<Source name="a" value="{2*sped}"/>
<Source name="b" value="{2*two[1]}"/>
<Function name="c" inputs="c-1" value="{1}"/>
<Function name="d" inputs="tow" value="{1}"/>
<Function name="e" inputs="two" value="{two}"/>
<Product name="f" inputs=""/>
<Product name="g" inputs="two, speed"/>
<Switch name="h" condition="speed" above="two" below="speed"/>
<Switch name="i" condition="two" above="speed" below="speed" hysteresis="-1"/>
</Blocks>)",
                     blocks_grammar(), &read_blocks);
  read.expect_error(3, {"unknown name 'sped' (did you mean 'speed'?)"});
  read.expect_error(4, {"there is no signal input 'two[1]'"});
  read.expect_error(5, {"'c-1' cannot be used in a function"});
  read.expect_error(6, {"there is no block 'tow'", "two"});
  read.expect_error(7, {"'two' is a signal of several numbers"});
  read.expect_error(8, {"<Product> needs at least one input"});
  read.expect_error(9, {"'speed' is a signal of size 1, but one of size 2"});
  read.expect_error(10, {"'speed' is a signal of size 1, but one of size 2"});
  read.expect_error(11, {"hysteresis = -1 must be at least 0"});
}

// x' = x (1 - x), the logistic equation: x = 1 / (1 + 3 exp(-t)) from 1/4.
TEST(BlocksFunctions, AnEquationOfTheUserIsSolved) {
  const ReadBlocks read(R"(
  <Integrator name="x" input="growth" start="0.25"/> <Function name="growth" inputs="x" value="{x*(1 - x)}"/>
  <Product name="square" inputs="x, x"/> <Output name="y" of="growth"/> <Output name="z" of="square"/>)");
  Blocks blocks(read.spec);
  ModelDriver driver(blocks, 0.0);
  driver.run_to(2.0, 1e-2);
  const double x = 1.0 / (1.0 + 3.0 * std::exp(-2.0)), x1 = x * (1.0 - x);
  EXPECT_NEAR(driver.value("x.value"), x, 1e-9);
  EXPECT_NEAR(driver.outputs()[0].flow_rate, x1 * (1.0 - 2.0 * x), 1e-8);
  EXPECT_NEAR(driver.outputs()[1].flow, x * x, 1e-9);
  EXPECT_NEAR(driver.outputs()[1].flow_rate, 2.0 * x * x1, 1e-8);
  std::vector<double> jacobian(1);
  ASSERT_TRUE(blocks.jacobian(2.0, driver.y(), jacobian));
  EXPECT_NEAR(jacobian[0], 1.0 - 2.0 * x, 1e-8);
}

TEST(BlocksFunctions, ProductsMultiplyNumberByNumber) {
  const ReadBlocks read(R"(
  <Source name="a" value="{sin(t)}, {t}"/> <Source name="b" value="{cos(t)}, {exp(t)}"/> <Constant name="c" value="2, 3"/>
  <Product name="p" inputs="a, b, c"/> <Integrator name="i" input="p"/> <Output name="y" of="p"/>)");
  Blocks blocks(read.spec);
  ModelDriver driver(blocks, 0.0);
  driver.run_to(1.0, 1e-2);
  EXPECT_NEAR(driver.value("i[1].value"), std::pow(std::sin(1.0), 2), 1e-9);
  EXPECT_NEAR(driver.value("i[2].value"), 3.0, 1e-8);  // 3 (t - 1) exp(t) + 3
  EXPECT_NEAR(driver.outputs()[0].flow_rate, 2.0 * std::cos(2.0), 1e-8);
  EXPECT_NEAR(driver.outputs()[1].flow_rate, 6.0 * std::exp(1.0), 1e-7);
}

// sin(t) is 1/2 at pi/6 and 5 pi/6: the integral of the switch is exact only where these times are.
TEST(BlocksFunctions, SwitchesAreLocated) {
  const ReadBlocks read(R"(
  <Source name="c" value="{sin(t)}"/> <Constant name="up" value="3"/> <Source name="down" value="{-t}"/>
  <Switch name="s" condition="c" threshold="0.5" above="up" below="down"/> <Integrator name="i" input="s"/>
  <Output name="y" of="s"/>)");
  Blocks blocks(read.spec);
  ModelDriver driver(blocks, 0.0);
  driver.run_to(1.0, 0.13);
  EXPECT_EQ(driver.value("s.value"), 3.0);
  EXPECT_EQ(driver.outputs()[0].flow_rate, 0.0);
  driver.run_to(3.0, 0.13);
  EXPECT_EQ(driver.value("s.value"), -3.0);
  EXPECT_NEAR(driver.outputs()[0].flow_rate, -1.0, 1e-9);
  const double first = M_PI / 6.0, second = 5.0 * M_PI / 6.0;
  const double exact = -0.5 * first * first + 3.0 * (second - first) - 0.5 * (9.0 - second * second);
  EXPECT_NEAR(driver.value("i.value"), exact, 1e-12);
  EXPECT_EQ(driver.events, 2);
}

TEST(BlocksFunctions, OneConditionSwitchesAllNumbers) {
  const ReadBlocks read(R"(
  <Source name="c" value="{t - 1}, {1 - t}"/> <Constant name="a" value="1, 2"/> <Constant name="b" value="3, 4"/>
  <Switch name="all" condition="c[1]" above="a" below="b"/> <Switch name="each" condition="c" above="a" below="b"/>)");
  Blocks blocks(read.spec);
  ModelDriver driver(blocks, 0.0);
  const auto values = [&](const std::string& name) {
    return std::pair(driver.value(name + "[1].value"), driver.value(name + "[2].value"));
  };
  EXPECT_EQ(values("all"), std::pair(3.0, 4.0));
  EXPECT_EQ(values("each"), std::pair(3.0, 2.0));
  driver.run_to(1.5, 0.2);
  EXPECT_EQ(values("all"), std::pair(1.0, 2.0));
  EXPECT_EQ(values("each"), std::pair(1.0, 4.0));
}

// x' = 2 below, -1 above, with hysteresis: a saw tooth between 0.6 and 1 with the period 0.6.
TEST(BlocksFunctions, HysteresisLetsASwitchActOnItsCondition) {
  const ReadBlocks read(R"(
  <Integrator name="x" input="s"/> <Constant name="fall" value="-1"/> <Constant name="rise" value="2"/>
  <Switch name="s" condition="x" threshold="1" hysteresis="0.4" above="fall" below="rise"/>)");
  Blocks blocks(read.spec);
  ModelDriver driver(blocks, 0.0);
  for (const auto& [t, x] : {std::pair(0.5, 1.0), {0.8, 0.7}, {1.0, 0.8}, {1.3, 0.8}, {5.5, 0.8}}) {
    driver.run_to(t, 0.07);
    EXPECT_NEAR(driver.value("x.value"), x, 1e-12) << t;
  }
}

// A jump of what comes in switches at once, also within functions, and back.
TEST(BlocksFunctions, JumpsOfInputsSwitchAtOnce) {
  const ReadBlocks read(R"(
  <Input name="u"/> <Constant name="a" value="1"/> <Constant name="b" value="-1"/>
  <Switch name="s" condition="u" above="a" below="b"/> <Source name="f" value="{step(u) + 10*sign(u - 3)}"/>
  <Integrator name="i" input="s"/> <Integrator name="j" input="f"/>)");
  Blocks blocks(read.spec);
  auto& track = blocks.ports()[0].incoming;
  for (const auto& [t, value] : {std::pair(0.0, -2.0), {0.3, -2.0}, {0.3, 5.0}, {0.7, 5.0}, {0.7, 1.0}, {2.0, 1.0}})
    track.push({.t = t, .value = value});
  ModelDriver driver(blocks, 0.0);
  driver.run_to(1.0, 0.11);
  EXPECT_NEAR(driver.value("i.value"), -0.3 + 0.7, 1e-12);
  EXPECT_NEAR(driver.value("j.value"), -10.0 * 0.3 + 11.0 * 0.4 - 9.0 * 0.3, 1e-12);
}

TEST(BlocksFunctions, ModesAreSaved) {
  const ReadBlocks read(R"(
  <Source name="c" value="{sin(3*t)}"/> <Switch name="s" condition="c" above="c" below="f"/>
  <Function name="f" inputs="c" value="{step(c)*c - 2*sign(c)}"/> <Integrator name="i" input="s"/>)");
  Blocks one(read.spec), other(read.spec);
  ModelDriver driver(one, 0.0);
  ASSERT_TRUE(other.begin(0.0));
  driver.run_to(1.5, 0.01);
  core::ArchiveWriter writer;
  one.save_modes(writer);
  core::ArchiveReader reader(writer.bytes());
  other.restore_modes(reader);
  EXPECT_TRUE(reader.at_end());
  std::vector<double> expected(one.columns().size()), found(expected.size());
  const std::vector<double> ydot(driver.y().size());
  one.record(1.5, wave::Side::right, driver.y(), ydot, expected);
  other.record(1.5, wave::Side::right, driver.y(), ydot, found);
  EXPECT_EQ(expected, found);
  EXPECT_EQ(expected[1], expected[2]);  // below
}

}  // namespace blocks_functions_test
}  // namespace tieline::components
