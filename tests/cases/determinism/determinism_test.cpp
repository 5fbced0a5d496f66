// Results depend on the model alone: not on the number of threads, nor on the order in which the file lists things.

#include <gtest/gtest.h>
#include <random>

#include "support/mixed_model.hpp"
#include "support/model_run.hpp"

namespace tieline::support {
namespace {

const std::filesystem::path kExamples = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples";

void expect_same_for_any_threads(const std::filesystem::path& model, double stop) {
  const auto run = [&](int threads) {
    return run_model(model, {.threads = threads}, [&](Simulation& simulation) { simulation.set_stop(stop); });
  };
  const RunRecord single = run(1);
  for (const int threads : {0, 2, 3, 8}) EXPECT_TRUE(have_same_bits(single, run(threads))) << model << ", " << threads;
}

TEST(Determinism, AnyNumberOfThreadsGivesTheSameBitsInExamples) {
  expect_same_for_any_threads(kExamples / "chain/chain.xml", 0.02);
  expect_same_for_any_threads(kExamples / "torsion-drive/torsion-drive.xml", 0.05);
  expect_same_for_any_threads(kExamples / "two-bodies/two-bodies.xml", 5e-3);
}

TEST(Determinism, AnyNumberOfThreadsGivesTheSameBits) {
  const ModelFiles mixed(MixedModel{}.text());
  for (int repeat = 0; repeat < 3; ++repeat) expect_same_for_any_threads(mixed.path(), 0.02);
}

TEST(Determinism, AnyOrderOfDeclarationsGivesTheSameBits) {
  const MixedModel model;
  const RunRecord sorted = run_text(model.text(), {.threads = 1});
  std::mt19937 random(20260);
  for (int round = 0; round < 6; ++round) {
    auto components = model.components();
    auto connections = model.connections();
    std::shuffle(components.begin(), components.end(), random);
    std::shuffle(connections.begin(), connections.end(), random);
    const RunRecord shuffled = run_text(model.text(components, connections), {.threads = 1 + round % 2});
    EXPECT_TRUE(have_same_bits(sorted, shuffled)) << "round " << round;
  }
}

TEST(Determinism, ChainListedInAnyOrderGivesTheSameBits) {
  const int count = 12;
  std::vector<std::string> components, connections;
  for (int i = 0; i < count; ++i) {
    components.push_back(fmt::format(
        "<Component name=\"mass{0}\" kind=\"network\"><Network><Mass name=\"body\" mass=\"{1}\" velocity=\"{2}\"/>"
        "<Interface name=\"left\" node=\"body\"/><Interface name=\"right\" node=\"body\"/></Network></Component>",
        i, 1.0 + 0.1 * i, i == 0 ? 1.0 : 0.0));
    if (i > 0) {
      connections.push_back(
          fmt::format("<Connection name=\"line{0}\" from=\"mass{1}.right\" to=\"mass{0}.left\" coupling=\"line\" "
                      "stiffness=\"1e6\" delay=\"{2}\"/>",
                      i, i - 1, 1e-4 * (1 + i % 3)));
    }
  }
  const MixedModel frame{.stop = 0.01};
  const RunRecord sorted = run_text(frame.text(components, connections));
  std::mt19937 random(4711);
  for (int round = 0; round < 4; ++round) {
    std::shuffle(components.begin(), components.end(), random);
    std::shuffle(connections.begin(), connections.end(), random);
    EXPECT_TRUE(have_same_bits(sorted, run_text(frame.text(components, connections)))) << "round " << round;
  }
}

// What is recorded, and how densely, does not change the run.
TEST(Determinism, RecordingDoesNotChangeTheRun) {
  const MixedModel model;
  const ModelFiles files(model.text());
  Simulation silent = Simulation::load(files.path());
  silent.advance_to(silent.stop_time());
  const TemporaryFolder folder;
  Simulation loud = Simulation::load(files.path());
  loud.record_to(folder.path());
  loud.advance_to(loud.stop_time());
  EXPECT_EQ(present_values(silent), present_values(loud));
}

// Ends of a line are alike, but for the side that states the force.
TEST(Determinism, SwappedEndsOfALineGiveTheSameMotion) {
  const auto text = [](const std::string& from, const std::string& to) {
    return fmt::format(
        "<CompositeModel name=\"pair\"><Components><Component name=\"a\" kind=\"network\"><Network><Mass name=\"body\" "
        "mass=\"2\" velocity=\"1\"/><Interface name=\"end\" node=\"body\"/></Network></Component><Component name=\"b\" "
        "kind=\"network\"><Network><Mass name=\"body\" mass=\"3\"/><Interface name=\"end\" node=\"body\"/></Network>"
        "</Component></Components><Connections><Connection name=\"rod\" from=\"{}.end\" to=\"{}.end\" "
        "coupling=\"line\" stiffness=\"1e8\" delay=\"1e-5\"/></Connections><Simulation stop=\"1e-3\" "
        "write_interval=\"7e-6\"/></CompositeModel>",
        from, to);
  };
  RunRecord forward = run_text(text("a", "b"));
  RunRecord backward = run_text(text("b", "a"));
  // The connection's own books are kept by its `to` end.
  std::erase_if(forward.series, [](const auto& entry) { return entry.first.starts_with("connections."); });
  std::erase_if(backward.series, [](const auto& entry) { return entry.first.starts_with("connections."); });
  EXPECT_TRUE(have_same_bits(forward, backward));
}

}  // namespace
}  // namespace tieline::support
