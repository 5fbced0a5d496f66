// An FMU that goes wrong in ways that leave the process alive.

#include <array>
#include <cfenv>
#include <clocale>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <string>
#include <vector>

#include "fmi/instance.hpp"
#include "fmi/test_fmus.hpp"

namespace tieline::fmi {
namespace instance_fault_test {

enum : std::uint32_t { kBehaviour = 1, kCall = 2, kAt = 3, kX = 4 };

class Nasty : public testing::TestWithParam<int> {
 protected:
  static std::unique_ptr<Instance> make(const char* behaviour, const char* call, double at = 0.0,
                                        InterfaceType type = kCoSimulation, InstanceSettings settings = {}) {
    settings.state_count = 1;
    auto instance = make_instance("nasty", GetParam(), type, std::move(settings));
    set_text(*instance, kBehaviour, behaviour);
    set_text(*instance, kCall, call);
    set_number(*instance, kAt, at);
    return instance;
  }
  static std::string function(const char* name) {
    return (GetParam() == 1 ? "fmi" : "fmi" + std::to_string(GetParam())) + name;
  }
};
INSTANTIATE_TEST_SUITE_P(Instance, Nasty, testing::Values(1, 2, 3));

TEST_P(Nasty, WorksWithoutAFault) {
  const auto instance = make("none", "step");
  initialize(*instance);
  EXPECT_EQ(value_or_throw(instance->do_step(0.0, 0.5, true)).reached, 0.5);
  EXPECT_DOUBLE_EQ(number(*instance, kX), 0.5);
}

TEST_P(Nasty, AnErrorNamesCallTimeAndMessages) {
  const auto instance = make("error", "step", 0.25);
  initialize(*instance);
  static_cast<void>(value_or_throw(instance->do_step(0.0, 0.2, true)));
  const auto failed = instance->do_step(0.2, 0.1, true);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().describe(), "component 'nasty', t = 0.2 s: " + function("DoStep") +
                                           " answered 'error'; the FMU's last messages: 'as it was told'");
  EXPECT_EQ(instance->phase(), Phase::failed);
  EXPECT_EQ(instance->last_status(), Status::error);
  EXPECT_FALSE(instance->do_step(0.3, 0.1, true));
}

TEST_P(Nasty, ErrorsAtTheStartAreErrorsToo) {
  const auto instance = make("error", "enter_initialization");
  auto started = instance->enter_initialization({});
  if (started) started = instance->exit_initialization();  // 1.0 has one call for both
  ASSERT_FALSE(started);
  const std::string name = function(GetParam() == 1 ? "InitializeSlave" : "EnterInitializationMode");
  EXPECT_NE(started.error().message.find(name), std::string::npos) << started.error().message;
  EXPECT_EQ(instance->phase(), Phase::failed);
}

TEST_P(Nasty, AfterAFatalErrorNothingIsCalled) {
  {
    const auto instance = make("fatal", "step");
    initialize(*instance);
    SavedState state;
    if (GetParam() > 1) expect_done(instance->save(state));
    EXPECT_FALSE(instance->do_step(0.0, 0.1, true));
    EXPECT_EQ(instance->phase(), Phase::lost);
    EXPECT_EQ(instance->terminate().error().message, function(GetParam() == 1 ? "TerminateSlave" : "Terminate") +
                                                         " may not be called in the state after a fatal error");
    double value = 0.0;
    const std::uint32_t x = kX;
    EXPECT_FALSE(instance->get(References(&x, 1), std::span(&value, 1)));
    EXPECT_FALSE(instance->restore(state));
  }
  // What is not freed behaves badly when it is: this one would end the process.
  {
    const auto instance = make("fatal", "terminate");
    initialize(*instance);
    EXPECT_FALSE(instance->terminate());
    EXPECT_EQ(instance->phase(), Phase::lost);
  }
}

TEST_P(Nasty, WarningsAreCounted) {
  const auto instance = make("warning", "step");
  initialize(*instance);
  for (int i = 0; i < 3; ++i) static_cast<void>(value_or_throw(instance->do_step(0.1 * i, 0.1, true)));
  EXPECT_EQ(instance->warning_count(), 3U);
  EXPECT_EQ(instance->last_status(), Status::warning);
}

TEST_P(Nasty, ADiscardedStepIsNoError) {
  const auto instance = make("discard", "step", 0.25);
  initialize(*instance);
  static_cast<void>(value_or_throw(instance->do_step(0.0, 0.2, true)));
  const StepResult step = value_or_throw(instance->do_step(0.2, 0.1, true));
  EXPECT_TRUE(step.discarded && step.early_return);
  EXPECT_FALSE(step.terminate);
  EXPECT_EQ(step.reached, 0.2);
  EXPECT_EQ(value_or_throw(instance->do_step(0.2, 0.05, true)).reached, 0.25);
}

TEST_P(Nasty, ADiscardedCallLeavesTheInstanceAlive) {
  const auto instance = make("discard", "get_derivatives", 0.5, kExchange);
  initialize(*instance);
  expect_done(instance->enter_continuous_time());
  double derivative = 0.0;
  expect_done(instance->get_derivatives(std::span(&derivative, 1)));
  EXPECT_EQ(derivative, 1.0);
  expect_done(instance->set_time(0.5));
  EXPECT_FALSE(instance->get_derivatives(std::span(&derivative, 1)));
  EXPECT_EQ(instance->last_status(), Status::discard);
  expect_done(instance->set_time(0.4));
  expect_done(instance->get_derivatives(std::span(&derivative, 1)));
}

TEST_P(Nasty, AnUnknownStatusIsNamed) {
  const auto instance = make("status", "step");
  initialize(*instance);
  EXPECT_EQ(instance->do_step(0.0, 0.1, true).error().message,
            function("DoStep") + " answered 'status 42', which is not a valid answer");
}

TEST_P(Nasty, AStepThatEndsBeforeItBeganIsNamed) {
  const auto instance = make("wrong_time", "step");
  initialize(*instance);
  const auto wrong = instance->do_step(2.0, 0.5, true);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, function("DoStep") + " from 2 s to 2.5 s reports that it ended at 1 s");
  EXPECT_EQ(wrong.error().code, core::ErrorCode::protocol);
}

TEST_P(Nasty, NumbersThatAreNoneComeThrough) {
  const auto instance = make("nan", "step");
  initialize(*instance);
  static_cast<void>(value_or_throw(instance->do_step(0.0, 0.1, true)));
  EXPECT_TRUE(std::isnan(number(*instance, kX)));
}

TEST_P(Nasty, ManyMessagesAndEmptyOnesAreTaken) {
  std::size_t count = 0;
  InstanceSettings settings;
  settings.log = [&](const LogMessage&) { ++count; };
  const auto chatter = make("chatter", "step", 0.0, kCoSimulation, settings);
  initialize(*chatter);
  static_cast<void>(value_or_throw(chatter->do_step(0.0, 0.1, true)));
  EXPECT_EQ(count, 10000U);
  EXPECT_EQ(chatter->log().count(), 10000U);
  EXPECT_NE(chatter->log().last_messages().find("'message 9999'"), std::string::npos);

  const auto silent = make("null_log", "step");
  initialize(*silent);
  static_cast<void>(value_or_throw(silent->do_step(0.0, 0.1, true)));
  EXPECT_EQ(silent->log().count(), 1U);
  EXPECT_EQ(silent->log().last_messages(), "");
}

TEST_P(Nasty, RefusesItsName) {
  InstanceSettings settings;
  settings.name = "refused";
  settings.token = token_of("nasty", GetParam());
  EXPECT_FALSE(Instance::create(open_library("nasty", GetParam(), kExchange), settings));
}

TEST_P(Nasty, OneOfAKind) {
  const auto first = make_instance("nasty_once", GetParam(), kCoSimulation);
  InstanceSettings settings;
  settings.name = "second";
  settings.token = token_of("nasty_once", GetParam());
  EXPECT_FALSE(Instance::create(open_library("nasty_once", GetParam(), kCoSimulation), settings));
}

TEST_P(Nasty, AStepMayRunAsynchronously) {
  if (GetParam() == 3) return;
  // Also where a step is known to be over before the FMU calls back: the call must not end the next step.
  for (const char* behaviour : {"pending", "pending_late"}) {
    InstanceSettings settings;
    settings.runs_asynchronously = true;
    auto instance = make_instance("nasty", GetParam(), kCoSimulation, settings);
    set_text(*instance, kBehaviour, behaviour);
    initialize(*instance);
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(value_or_throw(instance->do_step(0.1 * i, 0.1, true)).reached, 0.1 * i + 0.1);
    }
    EXPECT_NEAR(number(*instance, kX), 2.0, 1e-12) << behaviour;
  }
}

TEST_P(Nasty, AStepThatNeverEndsIsLost) {
  if (GetParam() == 3) return;
  InstanceSettings settings;
  settings.pending_deadline = std::chrono::milliseconds(5);
  auto instance = make_instance("nasty", GetParam(), kCoSimulation, settings);
  set_text(*instance, kBehaviour, "pending_forever");
  initialize(*instance);
  const auto lost = instance->do_step(0.0, 0.1, true);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, core::ErrorCode::deadline);
  EXPECT_EQ(lost.error().message, function("DoStep") + " continues asynchronously and has not ended within 0.005 s");
  EXPECT_EQ(instance->phase(), Phase::lost);
}

TEST_P(Nasty, NumbersThatAreNoneAreNamed) {
  const auto ready = [](const char* behaviour) {
    auto instance = make(behaviour, "none", 0.0, kExchange, {.indicator_count = 1});
    initialize(*instance);
    static_cast<void>(value_or_throw(instance->settle_events()));
    expect_done(instance->enter_continuous_time());
    return instance;
  };
  std::array<double, 1> numbers{};
  EXPECT_EQ(ready("nan_nominal")->get_nominals(numbers).error().message,
            "the FMU reports nan for the nominal value of state 1 of 1");
  EXPECT_EQ(ready("nan_indicator")->get_indicators(numbers).error().message,
            "the FMU reports nan for event indicator 1 of 1");
  expect_done(ready("none")->get_nominals(numbers));
  expect_done(ready("none")->get_indicators(numbers));
}

TEST(NastyUpdate, OutsideTheStepIsRefused) {
  InstanceSettings settings;
  settings.early_return = true;
  settings.on_intermediate = [](Instance&, const IntermediateUpdate&) { return IntermediateReply{}; };
  const auto instance = make_instance("nasty", 3, kCoSimulation, settings);
  set_text(*instance, kBehaviour, "wrong_update");
  initialize(*instance);
  EXPECT_EQ(instance->do_step(0.0, 0.5, true).error().message,
            "in a step from 0 s to 0.5 s the FMU asks for an update at -1 s");
}

/// What all code in a process shares.
struct Shared {
  int rounding = std::fegetround();
  std::string locale = std::setlocale(LC_ALL, nullptr);
  std::filesystem::path folder = std::filesystem::current_path();
  bool blocks_interrupts = [] {
    sigset_t blocked;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    return ::sigismember(&blocked, SIGINT) == 1;
  }();
  bool operator==(const Shared&) const = default;
};

TEST_P(Nasty, ChangesOfTheProcessArePutBack) {
  for (const auto& [behaviour, name] :
       {std::pair{"rounding", "the floating-point mode"}, std::pair{"locale", "the locale"},
        std::pair{"signals", "the blocked signals"}, std::pair{"folder", "the working folder"}}) {
    for (const char* call : {"enter_initialization", "step", "terminate", "free"}) {
      SCOPED_TRACE(fmt::format("{} at {}", behaviour, call));
      const Shared before;
      std::vector<std::string> said;
      {
        const auto instance = make(behaviour, call, 0.0, kCoSimulation,
                                   {.log = [&](const LogMessage& message) { said.push_back(message.text); }});
        initialize(*instance);
        for (int i = 0; i < 200; ++i) static_cast<void>(value_or_throw(instance->do_step(0.01 * i, 0.01, true)));
        EXPECT_TRUE(call != std::string("step") || !said.empty()) << "steps are looked at only now and then";
        expect_done(instance->terminate());
        EXPECT_EQ(Shared(), before);
      }
      EXPECT_EQ(Shared(), before);
      EXPECT_EQ(said, std::vector<std::string>{fmt::format(
                          "the FMU has changed {} of the process that computes it, which was put back", name)});
    }
  }
}

// The importer's code is called in the middle of a step, when the FMU may round as it likes.
TEST(NastyUpdate, IsComputedWithOurOwnRounding) {
  int rounding = -1;
  InstanceSettings settings;
  settings.on_intermediate = [&](Instance&, const IntermediateUpdate&) {
    rounding = std::fegetround();
    return IntermediateReply{};
  };
  const auto instance = make_instance("nasty", 3, kCoSimulation, settings);
  set_text(*instance, kBehaviour, "rounding");
  initialize(*instance);
  static_cast<void>(value_or_throw(instance->do_step(0.0, 0.5, true)));
  EXPECT_EQ(rounding, FE_TONEAREST);
}

}  // namespace instance_fault_test
}  // namespace tieline::fmi
