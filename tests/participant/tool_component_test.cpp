#include "participant/tool_component.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tieline::participant {
namespace tool_component_test {

using core::Causality;
using core::Domain;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

transport::InterfaceMessage interface(const std::string& name, Domain domain, Causality causality,
                                      std::uint32_t size = 1) {
  return {.name = name, .domain = domain, .causality = causality, .size = size, .is_connected = true};
}

/// A mass, a body in space, two numbers out and one in.
ToolSettings settings() {
  return {.name = "tool",
          .declared = {interface("axle", Domain::translation, Causality::takes_force),
                       interface("hub", Domain::mechanical3d, Causality::takes_force),
                       interface("y", Domain::signal, Causality::output, 2),
                       interface("u", Domain::signal, Causality::input)}};
}

transport::Registration registration() {
  const auto declared = settings().declared;
  return {.interfaces = {{declared[0], {0.5, 2.0}},
                         {declared[1], {1, 2, 3, 1, 0, 0, 0, 4, 5, 6, 0.1, 0.2, 0.3}},
                         {declared[2], {7.0, 8.0}},
                         {declared[3], {}}},
          .can_save = true};
}

/// Moves every port with constant velocity, and notes what it is asked for.
class FakeDriver final : public ToolDriver {
 public:
  [[nodiscard]] bool has_begun() const override { return true; }
  core::Result<transport::Driven> drive(double begin, double end, bool, core::InterfaceSet& interfaces) override {
    asked.push_back({begin, end});
    transport::Driven driven;
    for (std::size_t p = 0; p < interfaces.ports().size(); ++p) {
      const bool is_w = p == 1 + core::SpatialInterface::kAxes;
      driven.samples.push_back({end, is_w ? 1.0 : end, is_w ? 0.0 : 1.0, kUnknown, 0.5, kUnknown, 0.0, 0.0});
    }
    if (spoil) spoil(driven);
    return driven;
  }
  core::Result<void> keep(std::uint64_t number) override {
    kept.push_back(number);
    return {};
  }
  core::Result<void> put_back(std::uint64_t number) override {
    put_backs.push_back(number);
    return {};
  }
  core::Result<std::string> save() override { return std::string("state of the tool"); }
  core::Result<void> restore(const std::string& state) override {
    restored = state;
    return {};
  }

  std::vector<std::pair<double, double>> asked;
  std::vector<std::uint64_t> kept, put_backs;
  std::string restored;
  std::function<void(transport::Driven&)> spoil;
};

class RowCollector final : public core::RowSink {
 public:
  void row(double t, std::span<const double> values) override {
    times.push_back(t);
    rows.emplace_back(values.begin(), values.end());
  }
  std::vector<double> times;
  std::vector<std::vector<double>> rows;
};

class ToolComponentTest : public ::testing::Test {
 protected:
  ToolComponentTest() {
    EXPECT_TRUE(tool.set_first(registration()).has_value());
    for (core::Port& port : tool.ports()) port.is_connected = true;
    tool.set_driver(&driver, true);
  }
  ToolComponent tool{settings()};
  FakeDriver driver;
};

TEST(ToolComponent, HasPortsAndColumnsNamedAsNativeOnes) {
  ToolComponent tool(settings());
  ASSERT_EQ(tool.ports().size(), 1U + 10U + 2U + 1U);
  EXPECT_EQ(tool.ports()[0].name, "axle");
  EXPECT_EQ(tool.ports()[1].name, "hub.x");
  EXPECT_EQ(tool.ports()[11].name, "y[1]");
  EXPECT_EQ(tool.ports()[13].name, "u");
  EXPECT_EQ(tool.spatial_interfaces().size(), 1U);
  const auto columns = tool.columns();
  ASSERT_EQ(columns.size(), 3U + 19U + 2U + 1U);
  EXPECT_EQ(columns[0].name, "axle.position");
  EXPECT_EQ(columns[2].name, "axle.force");
  EXPECT_EQ(columns[6].name, "hub.orientation.w");
  EXPECT_EQ(columns[22].name, "y[1].value");
  EXPECT_EQ(columns[24].name, "u.value");
}

TEST(ToolComponent, AllMistakesOfARegistrationAreReportedAtOnce) {
  auto wrong = registration();
  wrong.interfaces[0].interface.domain = Domain::rotation;
  wrong.interfaces[1].first.pop_back();
  wrong.interfaces.pop_back();
  ToolComponent tool(settings());
  const auto set = tool.set_first(wrong);
  ASSERT_FALSE(set);
  const std::string text = set.error().describe();
  EXPECT_NE(text.find("'axle' is registered as rotation"), std::string::npos) << text;
  EXPECT_NE(text.find("'hub'"), std::string::npos) << text;
  EXPECT_NE(text.find("'u' of the model is not registered"), std::string::npos) << text;
  EXPECT_NE(text.find("component 'tool'"), std::string::npos) << text;
}

TEST_F(ToolComponentTest, StartsFromWhatWasRegisteredAndTheLaw) {
  core::Port& axle = tool.ports()[0];
  axle.law = {1.0, 10.0};
  axle.incoming.push({0.0, 0.0, 50.0, 0.0});
  ASSERT_TRUE(tool.start(0.0));
  const wave::Sample& first = axle.outbox.back();
  EXPECT_EQ(first.position, 0.5);
  EXPECT_EQ(first.flow, 2.0);
  EXPECT_EQ(first.effort, 50.0 - 10.0 * 2.0);
  EXPECT_EQ(axle.preferred, wave::Interpolation::motion);
  EXPECT_EQ(tool.ports()[11].outbox.back().flow, 7.0);
  EXPECT_EQ(tool.ports()[2].outbox.back().position, 2.0);
}

TEST(ToolComponent, AnEndThatTakesMotionStartsAsTheLawSays) {
  const auto declared = interface("spring", Domain::translation, Causality::takes_motion);
  ToolComponent tool({.name = "tool", .declared = {declared}});
  ASSERT_TRUE(tool.set_first({.interfaces = {{declared, {0.0, 30.0}}}}));
  core::Port& port = tool.ports()[0];
  EXPECT_TRUE(port.follows_wave);
  port.law = {1.0, 10.0};
  port.is_connected = true;
  port.incoming.push({0.0, 0.0, 50.0, 0.0});
  ASSERT_TRUE(tool.start(0.0));
  EXPECT_EQ(port.outbox.back().flow, 2.0);
  EXPECT_EQ(port.outbox.back().effort, 30.0);
}

TEST(ToolComponent, AccelerationsChooseHowWavesAreJoined) {
  auto with_rates = registration();
  with_rates.interfaces[0].first.push_back(9.0);
  ToolComponent tool(settings());
  ASSERT_TRUE(tool.set_first(with_rates));
  EXPECT_EQ(tool.ports()[0].preferred, wave::Interpolation::quintic);
  EXPECT_EQ(tool.ports()[1].preferred, wave::Interpolation::motion);
}

TEST_F(ToolComponentTest, StepsGoThroughTheDriver) {
  ASSERT_TRUE(tool.start(0.0));
  for (core::Port& port : tool.ports()) port.outbox.clear();
  const auto reached = tool.step(0.25);
  ASSERT_TRUE(reached);
  EXPECT_EQ(*reached, 0.25);
  ASSERT_TRUE(tool.advance({.begin = 0.25, .end = 0.5, .horizon = 0.5}));
  EXPECT_EQ(driver.asked, (std::vector<std::pair<double, double>>{{0.0, 0.25}, {0.25, 0.5}}));
  ASSERT_EQ(tool.ports()[0].outbox.size(), 2U);
  EXPECT_EQ(tool.ports()[0].outbox.back().position, 0.5);
  EXPECT_TRUE(tool.ports()[13].outbox.empty());
}

TEST_F(ToolComponentTest, RowsLieBetweenTheSamples) {
  RowCollector rows;
  tool.plan_recording({.sink = &rows, .selected = {0, 1}, .interval = 0.125});
  ASSERT_TRUE(tool.start(0.0));
  ASSERT_TRUE(tool.step(0.5));
  ASSERT_EQ(rows.times.size(), 5U);
  EXPECT_EQ(rows.rows[0], (std::vector<double>{0.5, 2.0}));
  EXPECT_EQ(rows.rows[4], (std::vector<double>{0.5, 1.0}));
  // Between: the cubic from (0.5, 2) to (0.5, 1) at the half.
  EXPECT_NEAR(rows.rows[2][0], 0.5 + 0.5 * (2.0 - 1.0) / 8.0, 1e-15);
}

TEST_F(ToolComponentTest, TrialsAreKeptByNumberAndCheckpointsAsBytes) {
  ASSERT_TRUE(tool.start(0.0));
  core::ArchiveWriter trial(core::SnapshotUse::trial), checkpoint;
  ASSERT_TRUE(tool.save(trial));
  ASSERT_TRUE(tool.save(checkpoint));
  ASSERT_TRUE(tool.step(0.5));
  core::ArchiveReader back(trial.bytes(), core::SnapshotUse::trial);
  ASSERT_TRUE(tool.restore(back));
  EXPECT_TRUE(back.at_end());
  EXPECT_EQ(tool.time(), 0.0);
  EXPECT_EQ(driver.kept, driver.put_backs);
  EXPECT_EQ(driver.kept.size(), 1U);
  core::ArchiveReader resumed(checkpoint.bytes());
  ASSERT_TRUE(tool.restore(resumed));
  EXPECT_EQ(driver.restored, "state of the tool");
}

TEST_F(ToolComponentTest, NonsenseFromTheProgramIsRefused) {
  ASSERT_TRUE(tool.start(0.0));
  const auto complaint = [&](std::function<void(transport::Driven&)> spoil) {
    driver.spoil = std::move(spoil);
    const auto stepped = tool.step(0.5);
    return stepped ? std::string() : stepped.error().describe();
  };
  EXPECT_NE(complaint([](auto& d) { d.samples.pop_back(); }).find("did not report"), std::string::npos);
  EXPECT_NE(complaint([](auto& d) { d.samples[3].pop_back(); }).find("incomplete"), std::string::npos);
  EXPECT_NE(complaint([](auto& d) { d.samples[0][2] = kUnknown; }).find("not finite"), std::string::npos);
  EXPECT_NE(complaint([](auto& d) { d.samples[0][0] = 0.7; }).find("not in order"), std::string::npos);
  EXPECT_NE(complaint([](auto& d) {
              for (auto& s : d.samples) s[0] = 0.25;
            }).find("did not reach the end"),
            std::string::npos);
}

TEST(ToolComponent, WithoutADriverNobodyAdvancesIt) {
  ToolComponent tool(settings());
  ASSERT_TRUE(tool.set_first(registration()));
  ASSERT_TRUE(tool.start(0.0));
  EXPECT_FALSE(tool.step(1.0));
  const core::Capabilities can = tool.capabilities();
  EXPECT_FALSE(can.can_snapshot);
  EXPECT_TRUE(can.can_save_at_save_points);
  EXPECT_NE(can.snapshot_obstacle.find("'tool'"), std::string::npos);
}

}  // namespace tool_component_test
}  // namespace tieline::participant
