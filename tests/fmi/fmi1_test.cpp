// FMI 1.0 behind the functions of the later versions: what differs.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "fmi/fmi1_model.hpp"
#include "fmi/test_fmus.hpp"
#include "fmi/variable.hpp"

namespace tieline::fmi {
namespace fmi1_test {

constexpr std::uint32_t kFirst = 1000;  ///< of the references of negated aliases

/// Its first sample is taken while it is initialized: u = kp (r - y).
std::unique_ptr<Instance> controller(InterfaceType type, InstanceSettings settings = {}) {
  auto instance = make_instance("controller", 1, type, std::move(settings));
  set_number(*instance, 4, 3.0);
  expect_done(instance->enter_initialization({}));
  return instance;
}

TEST(Fmi1, IsInitializedWithTheInputsOfInitializationMode) {
  for (const InterfaceType type : {kExchange, kCoSimulation}) {
    const auto instance = controller(type);
    set_number(*instance, 1, 2.0);
    EXPECT_EQ(number(*instance, 3), 6.0);
    expect_done(instance->exit_initialization());
    EXPECT_EQ(number(*instance, 3), 6.0);
  }
}

TEST(Fmi1, IsMadeAgainWhereInputsChangeAfterItWasInitialized) {
  for (const InterfaceType type : {kExchange, kCoSimulation}) {
    const auto instance = controller(type);
    EXPECT_EQ(number(*instance, 3), 0.0) << "it is initialized";
    set_number(*instance, 1, 2.0);
    EXPECT_EQ(number(*instance, 1), 2.0);
    expect_done(instance->exit_initialization());
    EXPECT_EQ(number(*instance, 1), 2.0);
    EXPECT_EQ(number(*instance, 3), 6.0) << "with the start value of kp";

    InstanceSettings settings;
    settings.may_be_remade = false;
    const auto other = controller(type, settings);
    EXPECT_EQ(number(*other, 3), 0.0);
    set_number(*other, 1, 2.0);
    expect_done(other->exit_initialization());
    EXPECT_EQ(number(*other, 1), 2.0);
    EXPECT_EQ(number(*other, 3), 0.0);
  }
}

TEST(Fmi1, IsMadeAgainOnlyThen) {
  for (const double u : {1.0, 2.0}) {
    const auto instance = make_instance("nasty", 1, kCoSimulation);
    set_text(*instance, 1, "chatter");
    set_text(*instance, 2, "free");
    expect_done(instance->enter_initialization({}));
    EXPECT_EQ(number(*instance, 4), 0.0);
    set_number(*instance, 6, 7.0);
    set_number(*instance, 6, u);  // which has been 1 from the start
    expect_done(instance->exit_initialization());
    EXPECT_EQ(instance->log().count(), u == 1.0 ? 0U : 10000U);
    EXPECT_EQ(value_or_throw(instance->do_step(0.0, 0.5, true)).reached, 0.5);
    EXPECT_EQ(number(*instance, 4), 0.5 * u);
  }
}

TEST(Fmi1, ErrorsNameTheFunctionThatWasCalled) {
  const auto failing = [](InterfaceType type, const char* call) {
    auto instance = make_instance("nasty", 1, type);
    set_text(*instance, 1, "error");
    set_text(*instance, 2, call);
    expect_done(instance->enter_initialization({}));
    return instance;
  };
  const std::uint32_t x = 4;
  double value = 0.0;
  const auto message = [&](core::Result<void> result) { return result ? std::string() : result.error().message; };
  const std::string said = " answered 'error'; the FMU's last messages: 'as it was told'";
  EXPECT_EQ(message(failing(kExchange, "exit_initialization")->get(References(&x, 1), std::span(&value, 1))),
            "fmiInitialize" + said);
  EXPECT_EQ(message(failing(kCoSimulation, "exit_initialization")->exit_initialization()), "fmiInitializeSlave" + said);
  EXPECT_EQ(message(failing(kExchange, "set_time")->exit_initialization()), "fmiSetTime" + said);
  EXPECT_EQ(message(failing(kExchange, "get")->get(References(&x, 1), std::span(&value, 1))), "fmiGetReal" + said);
  const auto exchange = failing(kExchange, "terminate");
  expect_done(exchange->exit_initialization());
  EXPECT_EQ(message(exchange->terminate()), "fmiTerminate" + said);
  const auto stepped = failing(kCoSimulation, "terminate");
  expect_done(stepped->exit_initialization());
  EXPECT_EQ(message(stepped->terminate()), "fmiTerminateSlave" + said);
  SavedState state;
  EXPECT_EQ(make_instance("mass", 1, kCoSimulation)->save(state).error().message,
            "the FMU has no function fmiGetFMUstate");
}

TEST(Fmi1, NegatedAliasesHaveTheOppositeSign) {
  InstanceSettings settings;
  // Of the real, integer and Boolean input and output; references of other variables are passed on as they are.
  settings.negated_aliases = {kFirst, {2, 3, 14, 15, 22, 23}};
  const auto instance = make_instance("feedthrough", 1, kCoSimulation, settings);
  set_number(*instance, kFirst, 1.5);  // a start value
  initialize(*instance);
  EXPECT_EQ(number(*instance, 2), -1.5);
  EXPECT_EQ(number(*instance, 3), -1.5);
  EXPECT_EQ(number(*instance, kFirst + 1), 1.5);
  // More than are converted at a time, of both kinds.
  std::vector<std::uint32_t> references;
  for (int i = 0; i < 100; ++i) references.push_back(i % 3 == 0 ? 3 : kFirst + 1);
  std::vector<double> values(references.size());
  set_number(*instance, kFirst, -4.0);
  expect_done(instance->get(references, values));
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], i % 3 == 0 ? 4.0 : -4.0) << i;

  const std::uint32_t whole = kFirst + 2, truth = kFirst + 4, opposite = kFirst + 5, same = 23;
  const std::int32_t seven = 7;
  expect_done(instance->set(References(&whole, 1), std::span(&seven, 1)));
  EXPECT_EQ(integer(*instance, 15), -7);
  EXPECT_EQ(integer(*instance, kFirst + 3), 7);
  const bool yes = true;
  bool got = false, other = true;
  expect_done(instance->set(References(&truth, 1), std::span(&yes, 1)));
  expect_done(instance->get(References(&opposite, 1), std::span(&got, 1)));
  expect_done(instance->get(References(&same, 1), std::span(&other, 1)));
  EXPECT_TRUE(got);
  EXPECT_FALSE(other);
}

TEST(Fmi1, RatesOfNegatedAliasesHaveTheOppositeSign) {
  InstanceSettings settings;
  settings.negated_aliases = {kFirst, {5, 1}};  // force and position
  const auto instance = make_instance("mass", 1, kCoSimulation, settings);
  for (const std::uint32_t reference : {1, 7, 8}) set_number(*instance, reference, 0.0);
  initialize(*instance);
  // A free mass under a force that grows as 6 t: x = t^3.
  const std::uint32_t force = kFirst, position = kFirst + 1;
  const std::int32_t first = 1;
  const double rate = -6.0;
  set_number(*instance, force, 0.0);
  expect_done(instance->set_input_derivatives(References(&force, 1), std::span(&first, 1), std::span(&rate, 1)));
  static_cast<void>(value_or_throw(instance->do_step(0.0, 1.0, true)));
  EXPECT_NEAR(number(*instance, position), -1.0, 1e-12);
  double speed = 0.0;
  expect_done(instance->get_output_derivatives(References(&position, 1), std::span(&first, 1), std::span(&speed, 1)));
  EXPECT_NEAR(speed, -3.0, 1e-12);
}

TEST(Fmi1, MessagesFindTheirInstance) {
  std::vector<std::string> one, two;
  const auto make = [](const char* name, std::vector<std::string>& said) {
    InstanceSettings settings;
    settings.name = name;
    settings.log = [&](const LogMessage& message) { said.push_back(message.text); };
    auto instance = make_instance("nasty", 1, kCoSimulation, settings);
    set_text(*instance, 1, "warning");
    initialize(*instance);
    return instance;
  };
  const auto first = make("one", one), second = make("two", two);
  static_cast<void>(value_or_throw(first->do_step(0.0, 0.1, true)));
  EXPECT_EQ(one.size(), 1U);
  EXPECT_EQ(two.size(), 0U);
  static_cast<void>(value_or_throw(second->do_step(0.0, 0.1, true)));
  EXPECT_EQ(one.size(), 1U);
  EXPECT_EQ(two.size(), 1U);
}

TEST(Fmi1, ReportsWhichVariablesAreStates) {
  InstanceSettings settings;
  settings.state_count = 2;
  const auto instance = make_instance("bouncing_ball", 1, kExchange, settings);
  initialize(*instance);
  EXPECT_EQ(value_or_throw(instance->state_references()), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_TRUE(value_or_throw(make_instance("mass", 2, kExchange)->state_references()).empty());
}

TEST(Fmi1, FunctionsHaveTheNameOfTheModelInFront) {
  const auto wrong = Library::open({binaries_of("mass", 2), "mass", 1, kCoSimulation});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message,
            "'mass.so' does not contain functions of co-simulation: mass_fmiGetVersion, mass_fmiGetReal, "
            "mass_fmiSetReal, mass_fmiInstantiateSlave, mass_fmiInitializeSlave, mass_fmiTerminateSlave, "
            "mass_fmiFreeSlaveInstance, mass_fmiDoStep");
}

}  // namespace fmi1_test
}  // namespace tieline::fmi
