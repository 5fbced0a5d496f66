// Every mistake of a tool has its own code, and a sentence that the master shows.

#include <cmath>
#include <functional>
#include <thread>

#include "plugin/fake_master.hpp"
#include "plugin/tools.hpp"

namespace tieline::plugin {
namespace mistakes_test {

constexpr double kDelay = 0.01;

transport::Setup setup(const std::string& name) {
  return {.component = name,
          .stop = 0.2,
          .parameters = {{.name = "speed", .text = "3.5", .unit = "m/s", .value = 3.5}},
          .interfaces = {{.name = "axle", .is_connected = true}}};
}

struct Mistake {
  int status = 0;
  std::string text{};
  std::string shown{};  ///< by the master
};

/// Runs two tools, of which the first makes one mistake before its third step and leaves.
Mistake make(const std::function<int(tieline_session*, int id, double t)>& wrong) {
  Mistake mistake;
  std::array<MassTool, 2> tools;
  tools[0].step = tools[1].step = 2e-3;
  tools[0].before_step = [&, count = 0](tieline_session* session, int id, double t) mutable {
    if (++count < 3) return false;
    mistake.status = wrong(session, id, t);
    mistake.text = tieline_error(session);
    // The session stays failed, whatever is called next.
    double now = 0.0;
    if (mistake.status < 0) {
      EXPECT_EQ(tieline_time(session, &now), mistake.status);
    }
    return true;
  };
  FakeMaster master({setup("a"), setup("b")});
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i, options = master.options(i)] { tools[i].run(options); });
  }
  master.meet();
  master.join_two(0.2, kDelay, {{.name = "bar", .delay = kDelay, .impedance = 20.0}});
  master.begin();
  master.go(master.stop_tick());
  const auto parked = master.parked();
  EXPECT_FALSE(parked);
  if (!parked) mistake.shown = parked.error().describe();
  master.fleet().stop("over");
  for (std::thread& thread : threads) thread.join();
  // The other one is asked to stop, or finds its partner gone.
  EXPECT_TRUE(tools[1].answer == TIELINE_STOP || tools[1].answer == TIELINE_ERROR_LOST) << tools[1].answer;
  return mistake;
}

void expect(const Mistake& mistake, int status, const std::string& words) {
  EXPECT_EQ(mistake.status, status) << mistake.text;
  EXPECT_NE(mistake.text.find(words), std::string::npos) << mistake.text;
  EXPECT_NE(mistake.shown.find(words), std::string::npos) << mistake.shown;
  EXPECT_NE(mistake.shown.find("component 'a'"), std::string::npos) << mistake.shown;
}

TEST(Mistakes, AStepThatIsTooLarge) {
  expect(make([](tieline_session* session, int id, double t) {
           tieline_set_motion(session, id, t + 1.0, 0.0, 0.0);
           return tieline_sync(session, t + 1.0);
         }),
         TIELINE_ERROR_STEP, "at the latest");
}

TEST(Mistakes, TimeThatRunsBackwards) {
  expect(make([](tieline_session* session, int id, double t) {
           return tieline_set_motion(session, id, t - 1e-3, 0.0, 0.0);
         }),
         TIELINE_ERROR_TIME, "'axle'");
}

TEST(Mistakes, ValuesThatAreNotFinite) {
  expect(make([](tieline_session* session, int id, double t) {
           return tieline_set_motion(session, id, t + 1e-3, std::nan(""), 0.0);
         }),
         TIELINE_ERROR_VALUE, "'axle': the position is NaN");
  expect(make([](tieline_session* session, int id, double t) {
           double force = 0.0;
           return tieline_get_force(session, id, t + 1e-3, std::numeric_limits<double>::infinity(), &force);
         }),
         TIELINE_ERROR_VALUE, "'axle': the velocity is infinite");
}

TEST(Mistakes, AForceOfTheFuture) {
  expect(make([](tieline_session* session, int id, double t) {
           double force = 0.0;
           return tieline_get_force(session, id, t + 1.0, 0.0, &force);
         }),
         TIELINE_ERROR_HORIZON, "known up to");
}

TEST(Mistakes, InterfacesThatAreNoneOrOfAnotherKind) {
  expect(make([](tieline_session* session, int, double t) {
           double force = 0.0;
           return tieline_get_force(session, 77, t, 0.0, &force);
         }),
         TIELINE_ERROR_INTERFACE, "no interface 77");
  expect(make([](tieline_session* session, int id, double t) {
           double value = 0.0;
           return tieline_get_signal(session, id, t, &value);
         }),
         TIELINE_ERROR_INTERFACE, "'axle' is force in");
}

TEST(Mistakes, CallsOutOfOrder) {
  expect(make([](tieline_session* session, int, double t) { return tieline_sync(session, t + 1e-4); }),
         TIELINE_ERROR_ORDER, "'axle' was not set");
  expect(make([](tieline_session* session, int, double) {
           int id = 0;
           return tieline_register(session, "late", TIELINE_SIGNAL, TIELINE_INPUT, 1, &id);
         }),
         TIELINE_ERROR_ORDER, "'late' is registered after tieline_start");
  expect(make([](tieline_session* session, int, double) { return tieline_start(session); }), TIELINE_ERROR_ORDER,
         "called twice");
  expect(make([](tieline_session* session, int id, double t) {
           return tieline_set_acceleration(session, id, t + 1e-4, 1.0);
         }),
         TIELINE_ERROR_ORDER, "right after its values");
}

TEST(Mistakes, AToolThatCannotContinueSaysWhy) {
  expect(make([](tieline_session* session, int, double) { return tieline_fail(session, "the mesh is torn"); }),
         TIELINE_ERROR_TOOL, "the mesh is torn");
}

TEST(Mistakes, AToolThatLeavesEarly) {
  const Mistake mistake = make([](tieline_session*, int, double) { return 0; });
  EXPECT_NE(mistake.shown.find("before the run was over"), std::string::npos) << mistake.shown;
}

TEST(Mistakes, NullPointers) {
  expect(
      make([](tieline_session* session, int id, double t) { return tieline_get_force(session, id, t, 0.0, nullptr); }),
      TIELINE_ERROR_ARGUMENT, "force is NULL");
  EXPECT_EQ(tieline_sync(nullptr, 0.0), TIELINE_ERROR_ARGUMENT);
  tieline_close(nullptr);
}

class Before : public ::testing::Test {
 protected:
  Before() : master({setup("a")}) {
    const tieline_options options = master.options(0);
    EXPECT_EQ(tieline_open(&options, &session), TIELINE_OK) << tieline_error(nullptr);
  }
  ~Before() override { tieline_close(session); }
  FakeMaster master;
  tieline_session* session = nullptr;
};

TEST_F(Before, WhatTheModelSaysIsThere) {
  tieline_info info{};
  EXPECT_EQ(tieline_get_info(session, &info), TIELINE_ERROR_ARGUMENT);
  EXPECT_NE(std::string(tieline_error(session)).find("sizeof(tieline_info)"), std::string::npos);
}

TEST_F(Before, ParametersAreFoundByName) {
  tieline_info info{};
  info.size = sizeof info;
  ASSERT_EQ(tieline_get_info(session, &info), TIELINE_OK);
  EXPECT_STREQ(info.component, "a");
  EXPECT_EQ(info.stop, 0.2);
  EXPECT_EQ(info.orientation[0], 1.0);
  EXPECT_EQ(info.parameters, 1);
  double speed = 0.0;
  EXPECT_EQ(tieline_find_number(session, "spede", &speed), TIELINE_ERROR_NAME);
  EXPECT_NE(std::string(tieline_error(session)).find("did you mean 'speed'?"), std::string::npos);
  // That harms nothing.
  EXPECT_EQ(tieline_find_number(session, "speed", &speed), TIELINE_OK);
  EXPECT_EQ(speed, 3.5);
  tieline_parameter parameter{};
  parameter.size = sizeof parameter;
  EXPECT_EQ(tieline_get_parameter(session, 0, &parameter), TIELINE_OK);
  EXPECT_STREQ(parameter.unit, "m/s");
}

TEST_F(Before, InterfacesMustFitTheModel) {
  int id = -1;
  EXPECT_EQ(tieline_register(session, "axle", TIELINE_ROTATION, TIELINE_FORCE_IN, 1, &id), TIELINE_ERROR_ARGUMENT);
  EXPECT_NE(std::string(tieline_error(session)).find("the model declares translation"), std::string::npos);
}

TEST_F(Before, AMissingInterfaceIsNamedWithTheNearest) {
  int id = -1;
  EXPECT_EQ(tieline_register(session, "axel", TIELINE_TRANSLATION, TIELINE_FORCE_IN, 1, &id), TIELINE_OK);
  EXPECT_EQ(tieline_start(session), TIELINE_ERROR_INTERFACE);
  EXPECT_NE(std::string(tieline_error(session)).find("'axle', which is not registered ('axel' is)"), std::string::npos)
      << tieline_error(session);
}

TEST_F(Before, AMatrixThatIsNoRotationIsRefused) {
  int id = -1;
  EXPECT_EQ(tieline_register(session, "hub", TIELINE_MECHANICAL_3D, TIELINE_FORCE_IN, 1, &id), TIELINE_OK);
  const double zero[3] = {}, mirror[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
  EXPECT_EQ(tieline_set_motion_3d(session, id, 0.0, zero, mirror, zero, zero), TIELINE_ERROR_ARGUMENT);
}

TEST_F(Before, EachMatrixIsCheckedThoughTheLastOneWasRight) {
  int id = -1;
  EXPECT_EQ(tieline_register(session, "hub", TIELINE_MECHANICAL_3D, TIELINE_FORCE_IN, 1, &id), TIELINE_OK);
  const double zero[3] = {}, right[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, longer[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1.1};
  EXPECT_EQ(tieline_set_motion_3d(session, id, 0.0, zero, right, zero, zero), TIELINE_OK);
  EXPECT_EQ(tieline_set_motion_3d(session, id, 0.0, zero, right, zero, zero), TIELINE_OK);
  EXPECT_EQ(tieline_set_motion_3d(session, id, 0.0, zero, longer, zero, zero), TIELINE_ERROR_ARGUMENT);
}

TEST_F(Before, OnlyTheStartTimeCanBeSet) {
  int id = -1;
  EXPECT_EQ(tieline_register(session, "axle", TIELINE_TRANSLATION, TIELINE_FORCE_IN, 1, &id), TIELINE_OK);
  EXPECT_EQ(tieline_set_motion(session, id, 0.1, 0.0, 0.0), TIELINE_ERROR_TIME);
}

TEST(Joining, NeedsTheRightToken) {
  FakeMaster master({setup("a")});
  tieline_options options = master.options(0);
  options.token = "00112233445566778899aabbccddeeff";
  tieline_session* session = nullptr;
  EXPECT_EQ(tieline_open(&options, &session), TIELINE_ERROR_JOIN);
  EXPECT_EQ(session, nullptr);
  EXPECT_NE(std::string(tieline_error(nullptr)).find("cannot join"), std::string::npos);
  options.token = "nonsense";
  EXPECT_EQ(tieline_open(&options, &session), TIELINE_ERROR_JOIN);
  EXPECT_EQ(tieline_open(nullptr, &session), TIELINE_ERROR_JOIN);
  EXPECT_NE(std::string(tieline_error(nullptr)).find("TIELINE_MASTER"), std::string::npos);
}

TEST(Joining, AnInquiryOnlyAsksForInterfaces) {
  transport::Setup asked = setup("a");
  asked.is_inquiry = true;
  asked.interfaces.clear();
  FakeMaster master({asked});
  const tieline_options options = master.options(0);
  tieline_session* session = nullptr;
  ASSERT_EQ(tieline_open(&options, &session), TIELINE_OK) << tieline_error(nullptr);
  int id = -1;
  EXPECT_EQ(tieline_register(session, "y", TIELINE_SIGNAL, TIELINE_OUTPUT, 3, &id), TIELINE_OK);
  EXPECT_EQ(tieline_start(session), TIELINE_STOP);
  tieline_close(session);
  ASSERT_TRUE(master.fleet().await_registrations(nullptr));
  EXPECT_EQ(master.fleet().registration(0).interfaces.at(0).interface.size, 3U);
}

}  // namespace mistakes_test
}  // namespace tieline::plugin
