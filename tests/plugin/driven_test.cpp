// A tool that a group computes: stretch by stretch, back and again.

#include <thread>

#include "plugin/fake_master.hpp"
#include "plugin/tools.hpp"

namespace tieline::plugin {
namespace driven_test {

using transport::Message;

/// Reaches a tool as the real master does.
class FleetDriver final : public participant::ToolDriver {
 public:
  explicit FleetDriver(participant::Fleet& fleet) : fleet_(fleet) {}
  [[nodiscard]] bool has_begun() const override { return true; }

  core::Result<transport::Driven> drive(double begin, double end, bool, core::InterfaceSet& interfaces) override {
    const transport::Drive drive{.begin = begin, .end = end, .inputs = lines::driven_inputs(interfaces)};
    if (auto sent = fleet_.send(0, Message::drive, [&](transport::Encoder e) { encode(e, drive); }); !sent) {
      return sent.error();
    }
    auto message = fleet_.await(0, Message::driven, {});
    if (!message) return message.error();
    return transport::decode<transport::Driven>(message->payload).value();
  }
  core::Result<void> keep(std::uint64_t number) override { return ask(Message::keep, number); }
  core::Result<void> put_back(std::uint64_t number) override { return ask(Message::put_back, number); }
  core::Result<std::string> save() override {
    if (auto sent = fleet_.send(0, Message::save, [](transport::Encoder) {}); !sent) return sent.error();
    auto message = fleet_.await(0, Message::saved, {});
    if (!message) return message.error();
    return transport::decode<transport::Saved>(message->payload).value().state;
  }
  core::Result<void> restore(const std::string&) override { return core::Error{.message = "not here"}; }

 private:
  core::Result<void> ask(Message what, std::uint64_t number) {
    if (auto sent = fleet_.send(0, what, [&](transport::Encoder e) { e.u64(number); }); !sent) return sent;
    auto message = fleet_.await(0, Message::done, {});
    if (!message) return message.error();
    return {};
  }
  participant::Fleet& fleet_;
};

transport::Setup setup() {
  return {.component = "a", .stop = 1.0, .interfaces = {{.name = "axle", .is_connected = true}}};
}

class DrivenTest : public ::testing::Test {
 protected:
  DrivenTest() : master({setup()}), driver(master.fleet()) {
    mass.mass = 2.0, mass.step = 0.03, mass.can_save = true;
    thread = std::thread([this, options = master.options(0)] { mass.run(options); });
    master.meet();
    const transport::Begin begin{.start = 0.0, .stop = 1.0, .tick_length = 1.0, .is_driven = true};
    EXPECT_TRUE(master.fleet().send(0, Message::begin, [&](transport::Encoder e) { encode(e, begin); }));
    EXPECT_TRUE(master.fleet().await(0, Message::ready, {}));
    tool().set_driver(&driver, true);
    tool().ports()[0].is_connected = true;
    EXPECT_TRUE(tool().start(0.0));
    push(6.0);
  }
  ~DrivenTest() override {
    master.fleet().dismiss();
    thread.join();
  }
  participant::ToolComponent& tool() { return master.tool(0); }
  /// A constant force from now on.
  void push(double force) {
    wave::Track& track = tool().ports()[0].incoming;
    track.clear();
    track.push({tool().time(), 0.0, force, 0.0});
    track.push({1.0, 0.0, force, 0.0});
  }

  FakeMaster master;
  FleetDriver driver;
  MassTool mass;
  std::thread thread;
};

TEST_F(DrivenTest, ComputesStretchesUnderGivenForces) {
  const auto reached = tool().step(0.1);
  ASSERT_TRUE(reached) << reached.error().describe();
  const core::Port& axle = tool().ports()[0];
  ASSERT_EQ(axle.outbox.size(), 1U + 4U);  // at the start, and four steps
  const wave::Sample& last = axle.outbox.back();
  EXPECT_EQ(last.t, 0.1);
  EXPECT_NEAR(last.position, 0.5 * 3.0 * 0.01, 1e-15);
  EXPECT_NEAR(last.flow, 0.3, 1e-15);
  EXPECT_EQ(last.effort, 6.0);
  EXPECT_NEAR(last.impulse, 0.6, 1e-14);
  EXPECT_NEAR(last.work, 6.0 * last.position, 1e-14);
}

TEST_F(DrivenTest, GoesBackAndComputesAnew) {
  core::ArchiveWriter snapshot(core::SnapshotUse::trial);
  ASSERT_TRUE(tool().save(snapshot));
  ASSERT_TRUE(tool().step(0.1));
  core::ArchiveReader reader(snapshot.bytes(), core::SnapshotUse::trial);
  ASSERT_TRUE(tool().restore(reader));
  push(12.0);
  ASSERT_TRUE(tool().step(0.1));
  const wave::Sample& last = tool().ports()[0].outbox.back();
  EXPECT_NEAR(last.flow, 0.6, 1e-14);
  EXPECT_NEAR(last.impulse, 1.2, 1e-14);
  EXPECT_EQ(mass.repeats, 1);
}

TEST_F(DrivenTest, ReportsItsStateForCheckpoints) {
  ASSERT_TRUE(tool().step(0.1));
  core::ArchiveWriter checkpoint;
  ASSERT_TRUE(tool().save(checkpoint));
  EXPECT_GT(checkpoint.bytes().size(), 2 * sizeof(double));
}

}  // namespace driven_test
}  // namespace tieline::plugin
