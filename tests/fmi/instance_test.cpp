#include "fmi/instance.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "fmi/test_fmus.hpp"

namespace tieline::fmi {
namespace instance_test {

class BothVersions : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Instance, BothVersions, testing::Values(2, 3));
class EveryVersion : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Instance, EveryVersion, testing::Values(1, 2, 3));

TEST_P(EveryVersion, GoesThroughThePhasesOfCoSimulation) {
  const auto instance = make_instance("mass", GetParam(), kCoSimulation);
  EXPECT_EQ(instance->version(), GetParam());
  EXPECT_EQ(instance->phase(), Phase::instantiated);
  expect_done(instance->enter_initialization({1.0, 2.0, 1e-6}));
  EXPECT_EQ(instance->phase(), Phase::initialization);
  EXPECT_EQ(number(*instance, 0), 1.0);
  expect_done(instance->exit_initialization());
  EXPECT_EQ(instance->phase(), Phase::step);
  EXPECT_EQ(value_or_throw(instance->do_step(1.0, 0.5, true)).reached, 1.5);
  EXPECT_EQ(instance->time(), 1.5);
  expect_done(instance->terminate());
  EXPECT_EQ(instance->phase(), Phase::terminated);
}

TEST_P(EveryVersion, GoesThroughThePhasesOfModelExchange) {
  const auto instance = make_instance("mass", GetParam(), kExchange);
  initialize(*instance);
  EXPECT_EQ(instance->phase(), Phase::event);
  const EventResult events = value_or_throw(instance->settle_events());
  EXPECT_FALSE(events.needs_update || events.terminate || events.next_time);
  expect_done(instance->enter_continuous_time());
  EXPECT_EQ(instance->phase(), Phase::continuous);
  expect_done(instance->enter_event());
  EXPECT_EQ(instance->phase(), Phase::event);
}

TEST_P(BothVersions, RefusesAWrongOrderByName) {
  const std::string prefix = "fmi" + std::to_string(GetParam());
  const auto exchange = make_instance("mass", GetParam(), kExchange);
  EXPECT_EQ(exchange->do_step(0.0, 1.0, true).error().message,
            prefix + "DoStep may not be called in the state after instantiation");
  EXPECT_EQ(exchange->set_time(1.0).error().message,
            prefix + "SetTime may not be called in the state after instantiation");
  const std::uint32_t x = 1;
  double value = 0.0;
  EXPECT_EQ(
      exchange->get(References(&x, 1), std::span(&value, 1)).error().message,
      prefix + (GetParam() == 2 ? "GetReal" : "GetFloat64") + " may not be called in the state after instantiation");
  initialize(*exchange);
  EXPECT_EQ(exchange->completed_step(true).error().code, core::ErrorCode::protocol);
  expect_done(exchange->enter_continuous_time());
  EXPECT_EQ(exchange->settle_events().error().message,
            prefix + (GetParam() == 2 ? "NewDiscreteStates" : "UpdateDiscreteStates") +
                " may not be called in continuous-time mode");
  EXPECT_EQ(exchange->exit_initialization().error().component, "mass");

  const auto stepped = make_instance("mass", GetParam(), kCoSimulation);
  initialize(*stepped);
  EXPECT_EQ(stepped->enter_continuous_time().error().message,
            prefix + "EnterContinuousTimeMode may not be called in step mode");
  EXPECT_EQ(stepped->enter_event().error().message, prefix + "EnterEventMode may not be called in step mode");
}

TEST_P(EveryVersion, AWrongTokenIsRefusedWithTheLog) {
  InstanceSettings settings;
  settings.name = "stranger";
  settings.token = "{00000000}";
  const auto refused = Instance::create(open_library("mass", GetParam(), kCoSimulation), settings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().component, "stranger");
  EXPECT_NE(refused.error().message.find("the FMU refuses to make an instance"), std::string::npos);
  EXPECT_NE(refused.error().message.find("cannot be made"), std::string::npos) << refused.error().message;
}

TEST_P(EveryVersion, PassesValuesOfTheTypesOfAll) {
  const auto instance = make_instance("feedthrough", GetParam(), kCoSimulation);
  initialize(*instance);
  set_number(*instance, 1, 3.0);
  set_number(*instance, 2, 1.5);
  EXPECT_EQ(number(*instance, 3), 4.5);

  const std::uint32_t integer_in = 14, boolean_in = 22, string_in = 24;
  const std::int32_t seven = 7;
  expect_done(instance->set(References(&integer_in, 1), std::span(&seven, 1)));
  EXPECT_EQ(integer(*instance, 15), 7);
  const bool yes = true;
  bool boolean_out = false;
  const std::uint32_t boolean_reference = 23, string_reference = 25;
  expect_done(instance->set(References(&boolean_in, 1), std::span(&yes, 1)));
  expect_done(instance->get(References(&boolean_reference, 1), std::span(&boolean_out, 1)));
  EXPECT_TRUE(boolean_out);
  set_text(*instance, string_in, "grüße");
  const char* text = nullptr;
  expect_done(instance->get(References(&string_reference, 1), std::span(&text, 1)));
  EXPECT_STREQ(text, "grüße");
  // Enumerations are 64 bits wide for all.
  const std::uint32_t choice_in = GetParam() == 3 ? 28 : 37, choice_out = choice_in + 1;
  const std::int64_t fifth = 5;
  std::int64_t chosen = 0;
  expect_done(instance->set(References(&choice_in, 1), std::span(&fifth, 1)));
  expect_done(instance->get(References(&choice_out, 1), std::span(&chosen, 1)));
  EXPECT_EQ(chosen, 5);
}

TEST_P(EveryVersion, ConvertsManyValuesAtOnce) {
  // More than are converted at a time, all of one variable.
  const auto instance = make_instance("feedthrough", GetParam(), kCoSimulation);
  initialize(*instance);
  const std::vector<std::uint32_t> in(200, 22), out(200, 23);
  bool values[200] = {};
  values[199] = true;
  expect_done(instance->set(in, std::span<const bool>(values)));
  expect_done(instance->get(out, std::span<bool>(values)));
  for (const bool value : values) EXPECT_TRUE(value);
}

TEST(Instance, IntegersThatDoNotFitAreRefused) {
  const auto instance = make_instance("feedthrough", 2, kCoSimulation);
  initialize(*instance);
  const std::uint32_t in = 37;
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(instance->set(References(&in, 1), std::span(&large, 1)).error().code, core::ErrorCode::bad_input);
  const float half = 0.5F;
  EXPECT_EQ(instance->set(References(&in, 1), std::span(&half, 1)).error().message,
            "FMI 2.0 has no equivalent of fmi3SetFloat32");
}

/// Sets the input of a pair and expects the same value at its output.
template <class Value>
void expect_through(Instance& instance, std::uint32_t in, Value value) {
  const std::uint32_t out = in + 1;
  Value got{};
  expect_done(instance.set(References(&in, 1), std::span<const Value>(&value, 1)));
  expect_done(instance.get(References(&out, 1), std::span<Value>(&got, 1)));
  EXPECT_EQ(got, value);
}

TEST(Instance, PassesAllTypesOfFmi3) {
  const auto instance = make_instance("feedthrough", 3, kCoSimulation);
  initialize(*instance);
  expect_through<double>(*instance, 2, 0.1);
  expect_through<float>(*instance, 4, 0.1F);
  expect_through<std::int8_t>(*instance, 6, -100);
  expect_through<std::uint8_t>(*instance, 8, 200);
  expect_through<std::int16_t>(*instance, 10, -30000);
  expect_through<std::uint16_t>(*instance, 12, 60000);
  expect_through<std::int32_t>(*instance, 14, -2000000000);
  expect_through<std::uint32_t>(*instance, 16, 4000000000U);
  expect_through<std::int64_t>(*instance, 18, -(std::int64_t{1} << 60));
  expect_through<std::uint64_t>(*instance, 20, std::uint64_t{1} << 63);
  expect_through<bool>(*instance, 22, true);
}

TEST(Instance, PassesArraysStringsAndBytes) {
  const auto instance = make_instance("feedthrough", 3, kCoSimulation);
  initialize(*instance);
  // Two references, five values: a vector and a list.
  const std::vector<std::uint32_t> in{30, 33}, out{31, 34};
  const std::vector<double> values{1.0, 2.0, 3.0, 4.0, 5.0};
  std::vector<double> got(5);
  expect_done(instance->set(in, values));
  expect_done(instance->get(out, got));
  EXPECT_EQ(got, values);

  const std::uint32_t words_in = 35, words_out = 36;
  const std::array<const char*, 2> words{"tie", "line"};
  std::array<const char*, 2> read{};
  expect_done(instance->set(References(&words_in, 1), std::span<const char* const>(words)));
  expect_done(instance->get(References(&words_out, 1), std::span<const char*>(read)));
  EXPECT_STREQ(read[0], "tie");
  EXPECT_STREQ(read[1], "line");

  const std::uint32_t bytes_in = 26, bytes_out = 27;
  const std::array<std::uint8_t, 3> bytes{0, 255, 7};
  const std::uint8_t* pointer = bytes.data();
  std::size_t size = bytes.size();
  expect_done(instance->set_binary(References(&bytes_in, 1), std::span<const std::size_t>(&size, 1),
                                   std::span<const std::uint8_t* const>(&pointer, 1)));
  pointer = nullptr;
  size = 0;
  expect_done(instance->get_binary(References(&bytes_out, 1), std::span(&size, 1),
                                   std::span<const std::uint8_t*>(&pointer, 1)));
  ASSERT_EQ(size, 3U);
  EXPECT_EQ(pointer[1], 255);
}

TEST(Instance, ConfigurationModeResizesArrays) {
  const auto instance = make_instance("feedthrough", 3, kExchange);
  expect_done(instance->enter_configuration());
  EXPECT_EQ(instance->phase(), Phase::configuration);
  const std::uint32_t size = 32, in = 33, out = 34;
  const std::uint64_t four = 4;
  expect_done(instance->set(References(&size, 1), std::span(&four, 1)));
  expect_done(instance->exit_configuration());
  EXPECT_EQ(instance->phase(), Phase::instantiated);
  initialize(*instance);
  const std::vector<double> values{4.0, 3.0, 2.0, 1.0};
  std::vector<double> got(4);
  expect_done(instance->set(References(&in, 1), values));
  expect_done(instance->get(References(&out, 1), got));
  EXPECT_EQ(got, values);
}

TEST_P(EveryVersion, AReferenceThatIsNoneIsAnErrorWithTheLog) {
  const auto instance = make_instance("mass", GetParam(), kCoSimulation);
  initialize(*instance);
  const std::uint32_t wrong = 99;
  double value = 0.0;
  const auto got = instance->get(References(&wrong, 1), std::span(&value, 1));
  ASSERT_FALSE(got);
  const std::string name = GetParam() == 1 ? "fmiGetReal" : GetParam() == 2 ? "fmi2GetReal" : "fmi3GetFloat64";
  EXPECT_EQ(got.error().message,
            name + " answered 'error'; the FMU's last messages: 'no variable of this type has the value reference 99'");
  EXPECT_EQ(instance->phase(), Phase::failed);
}

TEST_P(BothVersions, SavesAndRestoresItsState) {
  const auto instance = make_instance("mass", GetParam(), kCoSimulation);
  initialize(*instance);
  const auto run = [&](double begin) {
    for (int i = 0; i < 10; ++i) static_cast<void>(value_or_throw(instance->do_step(begin + 0.01 * i, 0.01, false)));
    return number(*instance, 1);
  };
  run(0.0);
  SavedState state;
  expect_done(instance->save(state));
  const double first = run(0.1);
  expect_done(instance->restore(state));
  EXPECT_EQ(instance->phase(), Phase::step);
  EXPECT_DOUBLE_EQ(instance->time(), 0.1);
  EXPECT_EQ(run(0.1), first);

  // The same by way of bytes, in another instance, from any phase.
  const std::vector<std::byte> bytes = value_or_throw(instance->serialize(state));
  const auto other = make_instance("mass", GetParam(), kCoSimulation);
  SavedState copy;
  expect_done(other->deserialize(bytes, copy));
  expect_done(other->restore(copy));
  EXPECT_EQ(other->phase(), Phase::step);
  for (int i = 0; i < 10; ++i) static_cast<void>(value_or_throw(other->do_step(0.1 + 0.01 * i, 0.01, false)));
  EXPECT_EQ(number(*other, 1), first);

  EXPECT_EQ(other->restore(state).error().message, "the saved state does not belong to this instance");
  EXPECT_FALSE(other->deserialize(std::span(bytes).first(5), copy));
}

TEST_P(BothVersions, SavedStatesMayOutliveTheInstance) {
  SavedState kept, moved;
  {
    const auto instance = make_instance("mass", GetParam(), kCoSimulation);
    expect_done(instance->save(kept));
    expect_done(instance->save(kept));
    moved = std::move(kept);
  }
  EXPECT_FALSE(moved.is_empty());
  EXPECT_TRUE(kept.is_empty());
}

TEST_P(BothVersions, ReportsDirectionalDerivatives) {
  const auto instance = make_instance("vanderpol", GetParam(), kExchange);
  initialize(*instance);
  expect_done(instance->enter_continuous_time());
  expect_done(instance->set_states(std::vector<double>{1.5, -0.5}));
  const std::vector<std::uint32_t> unknowns{3, 4}, knowns{1, 2};
  const std::vector<double> seed{2.0, 3.0};
  std::vector<double> sensitivity(2);
  expect_done(instance->directional_derivative(unknowns, knowns, seed, sensitivity));
  // J = (0, 1; -2 mu x0 x1 - 1, mu (1 - x0^2))
  EXPECT_DOUBLE_EQ(sensitivity[0], 3.0);
  EXPECT_DOUBLE_EQ(sensitivity[1], (-2.0 * 1.5 * -0.5 - 1.0) * 2.0 + (1.0 - 1.5 * 1.5) * 3.0);
  if (GetParam() == 2) return;
  expect_done(instance->adjoint_derivative(unknowns, knowns, seed, sensitivity));
  EXPECT_DOUBLE_EQ(sensitivity[0], (-2.0 * 1.5 * -0.5 - 1.0) * 3.0);
  EXPECT_DOUBLE_EQ(sensitivity[1], 2.0 + (1.0 - 1.5 * 1.5) * 3.0);
  const auto reported = value_or_throw(instance->dependencies(3));
  ASSERT_EQ(reported.size(), 2U);
  EXPECT_EQ(reported[0].independent, 2U);
}

TEST_P(EveryVersion, ManyInstancesInManyThreads) {
  const auto library = open_library("mass", GetParam(), kCoSimulation);
  const auto run = [&](double start) {
    InstanceSettings settings;
    settings.name = "one of many";
    settings.token = token_of("mass", GetParam());
    const auto instance = value_or_throw(Instance::create(library, settings));
    set_number(*instance, 1, start);
    initialize(*instance);
    for (int i = 0; i < 100; ++i) static_cast<void>(value_or_throw(instance->do_step(0.01 * i, 0.01, true)));
    return number(*instance, 1);
  };
  std::vector<double> alone, together(8);
  for (std::size_t i = 0; i < together.size(); ++i) alone.push_back(run(0.1 * static_cast<double>(i)));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < together.size(); ++i) {
    threads.emplace_back([&, i] { together[i] = run(0.1 * static_cast<double>(i)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(together, alone);
}

}  // namespace instance_test
}  // namespace tieline::fmi
