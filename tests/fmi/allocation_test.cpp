// Values and steps of an instance are had without allocating memory.

#include <gtest/gtest.h>
#include <vector>

#include "fmi/cs_systems.hpp"
#include "fmi/instance.hpp"
#include "support/allocation_count.hpp"

namespace tieline::fmi {
namespace allocation_test {

class Allocation : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Instance, Allocation, testing::Values(1, 2, 3));

TEST_P(Allocation, StepsAllocateNothing) {
  const auto instance = make_instance("mass", GetParam(), kCoSimulation);
  initialize(*instance);
  const std::vector<std::uint32_t> inputs{5}, outputs{1, 2};
  const std::vector<double> force{1.0};
  std::vector<double> motion(2);
  SavedState state;
  const bool can_save = GetParam() > 1;
  if (can_save) expect_done(instance->save(state));
  const std::size_t before = allocation_count;
  bool is_done = true;
  for (int i = 0; i < 100; ++i) {
    is_done = is_done && instance->set(inputs, force) && instance->do_step(0.01 * i, 0.01, false) &&
              instance->get(outputs, motion);
    if (can_save) is_done = is_done && instance->save(state) && instance->restore(state);
  }
  EXPECT_EQ(allocation_count, before);
  EXPECT_TRUE(is_done);
}

TEST_P(Allocation, RightHandSidesAllocateNothing) {
  const auto instance = make_instance("mass", GetParam(), kExchange);
  initialize(*instance);
  expect_done(instance->enter_continuous_time());
  std::vector<double> states(2), derivatives(2);
  const std::size_t before = allocation_count;
  bool is_done = true;
  for (int i = 0; i < 100; ++i) {
    is_done = is_done && instance->set_time(0.01 * i) && instance->set_states(states) &&
              instance->get_derivatives(derivatives) && instance->completed_step(true);
  }
  EXPECT_EQ(allocation_count, before);
  EXPECT_TRUE(is_done);
}

TEST_P(Allocation, ConvertedValuesAllocateNothing) {
  const auto instance = make_instance("feedthrough", GetParam(), kCoSimulation);
  initialize(*instance);
  const std::vector<std::uint32_t> in(100, 22), out(100, 23);
  bool values[100] = {true};
  const std::size_t before = allocation_count;
  const bool is_done = instance->set(in, std::span<const bool>(values)) && instance->get(out, std::span<bool>(values));
  EXPECT_EQ(allocation_count, before);
  EXPECT_TRUE(is_done);
}

TEST_P(Allocation, SystemsOfFmusAllocateNothing) {
  // Signals of two types to and fro, and a loop.
  for (const bool has_loop : {false, true}) {
    std::vector<CsPart> parts;
    parts.push_back(part("a", read_spec("feedthrough", GetParam(), {{"gain", "0.5"}, {"float64_in", "1"}}), 1e-3));
    parts.push_back(part("b", read_spec("feedthrough", GetParam(), {{"int32_in", "7"}}), 1e-3));
    std::vector<SignalLink> links{link(parts, 0, "float64_out", 1, "float64_in"),
                                  link(parts, 1, "int32_out", 0, "int32_in")};
    if (has_loop) links.push_back(link(parts, 1, "float64_out", 0, "float64_in"));
    CsSystem system("s", parts, links);
    expect_done(system.start(0.0));
    expect_done(system.advance({.begin = 0.0, .end = 0.01, .horizon = 0.01}));
    const std::size_t before = allocation_count;
    const bool is_done = system.advance({.begin = 0.01, .end = 1.0, .horizon = 1.0}).has_value();
    EXPECT_EQ(allocation_count, before);
    EXPECT_TRUE(is_done);
  }
}

}  // namespace allocation_test
}  // namespace tieline::fmi
