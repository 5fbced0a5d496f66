#include "checkpoints/checkpoint.hpp"

#include <gtest/gtest.h>

#include "engine/scripted_component.hpp"

// The form of checkpoints on disk, and what keeps a run from having or using one. Whole runs are in tests/cases.

namespace tieline::checkpoints {
namespace checkpoint_test {

Checkpoint sample() {
  Checkpoint checkpoint;
  checkpoint.model = {
      "1.2", "/models/pair.xml", {{"k", "1e6"}, {"left.m", "{2*3}"}}, {{"pair.xml", 77}}, "<a>\n</a>\n"};
  checkpoint.stop = 2.0, checkpoint.save_interval = 0.1, checkpoint.every = 0.5;
  checkpoint.time = 1.5, checkpoint.tick = 1500, checkpoint.schedule = "ticks";
  checkpoint.resumed_from = {0.5, 1.0};
  checkpoint.rows = {{"left", 12}, {"connections.rod", 7}};
  checkpoint.engine = std::string("state\0with\0zeros", 16);
  return checkpoint;
}

TEST(CheckpointFile, ComesBackAsItWas) {
  const Checkpoint before = sample();
  const auto after = decode(encode(before), "file");
  ASSERT_TRUE(after) << after.error().describe();
  EXPECT_EQ(after->model.version, before.model.version);
  EXPECT_EQ(after->model.file, before.model.file);
  ASSERT_EQ(after->model.overrides.size(), 2U);
  EXPECT_EQ(after->model.overrides[1].value, "{2*3}");
  ASSERT_EQ(after->model.files.size(), 1U);
  EXPECT_EQ(after->model.files[0].fingerprint, 77U);
  EXPECT_EQ(difference(before.model, after->model), "");
  EXPECT_EQ(after->stop, 2.0);
  EXPECT_EQ(after->save_interval, 0.1);
  EXPECT_EQ(after->every, 0.5);
  EXPECT_EQ(after->time, 1.5);
  EXPECT_EQ(after->tick, 1500);
  EXPECT_EQ(after->schedule, "ticks");
  EXPECT_EQ(after->resumed_from, before.resumed_from);
  ASSERT_EQ(after->rows.size(), 2U);
  EXPECT_EQ(after->rows[1].owner, "connections.rod");
  EXPECT_EQ(after->rows[1].rows, 7U);
  EXPECT_EQ(after->engine, before.engine);
}

TEST(CheckpointFile, AnyDamageIsNoticed) {
  const std::string good = encode(sample());
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(decode(good.substr(0, length), "file")) << length;
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_FALSE(decode(damaged, "file")) << i;
  }
  EXPECT_FALSE(decode(good + "x", "file"));
}

TEST(ModelIdentity, DifferencesAreReported) {
  const ModelIdentity before = sample().model;
  ModelIdentity now = before;
  now.version = "1.3";
  EXPECT_EQ(difference(before, now), "it was written by tieline 1.2, and this is tieline 1.3");
  now = before;
  now.resolved = "<a>\n  <b/>\n</a>\n";
  EXPECT_EQ(difference(before, now), "the model has changed: '<b/>' was '</a>'");
  now = before;
  now.files[0].fingerprint = 78;
  EXPECT_EQ(difference(before, now), "'pair.xml' has changed since");
  now.files[0].path = "other.xml";
  EXPECT_EQ(difference(before, now), "the model now uses the file 'other.xml'");
  now.files.clear();
  EXPECT_EQ(difference(before, now), "the model no longer uses some of its files");
  now = before;
  now.file = "/moved/pair.xml";
  EXPECT_EQ(difference(before, now), "");
}

TEST(Saving, IsRefusedWithEveryComponentThatCannot) {
  engine::ScriptedComponent good("good", 0, 0, 1.0), bad("bad", 0, 0, 1.0), worse("worse", 0, 0, 1.0);
  bad.is_savable = worse.is_savable = false;
  worse.is_copyable = false;
  const std::vector<core::Component*> all{&bad, &good, &worse};
  const std::string text = obstacles_to_saving(all);
  EXPECT_NE(text.find("component 'bad' cannot be saved"), std::string::npos) << text;
  EXPECT_NE(text.find("component 'worse' cannot be saved"), std::string::npos) << text;
  EXPECT_NE(text.find("the script forbids it"), std::string::npos) << text;
  EXPECT_EQ(text.find("good"), std::string::npos) << text;
  EXPECT_EQ(obstacles_to_saving(std::vector<core::Component*>{&good}), "");
}

TEST(Intervals, ArePutOnSavePoints) {
  EXPECT_TRUE(check_multiple(0.3, 0.1));  // but for rounding
  EXPECT_TRUE(check_multiple(0.1, 0.1));
  const auto between = check_multiple(0.25, 0.1), below = check_multiple(0.04, 0.1);
  ASSERT_FALSE(between || below);
  EXPECT_NE(between.error().message.find("expected 0.2 s or 0.3 s"), std::string::npos) << between.error().message;
  EXPECT_NE(below.error().message.find("expected 0.1 s"), std::string::npos) << below.error().message;
}

}  // namespace checkpoint_test
}  // namespace tieline::checkpoints
