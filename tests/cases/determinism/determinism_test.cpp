// Results depend on the model alone: not on the number of threads, nor on the order in which the file lists things.

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>

#include "support/domains_model.hpp"
#include "support/mixed_model.hpp"
#include "support/model_run.hpp"

namespace tieline::support {
namespace determinism_determinism_test {

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
  expect_same_for_any_threads(kExamples / "hydraulic-servo/hydraulic-servo.xml", 0.15);
  expect_same_for_any_threads(kExamples / "electric-drive/electric-drive.xml", 0.05);
  expect_same_for_any_threads(kExamples / "omtlm-cases/triple-pendulum.xml", 0.05);
}

// Breaks at the ends of windows, of which the receiver knows both sides only where its partner is ahead.
TEST(Determinism, WhoIsAheadDoesNotMatterAtBreaksBetweenWindows) {
  for (int repeat = 0; repeat < 2; ++repeat) {
    expect_same_for_any_threads(kExamples / "omtlm-cases/spring-dampers.xml", 0.8);
    expect_same_for_any_threads(kExamples / "omtlm-cases/rotational-spring-dampers.xml", 0.8);
  }
}

TEST(Determinism, AnyNumberOfThreadsGivesTheSameBitsInAllDomains) {
  const ModelFiles model(DomainsModel{}.text());
  for (int repeat = 0; repeat < 2; ++repeat) expect_same_for_any_threads(model.path(), 0.02);
}

TEST(Determinism, AnyOrderOfDeclarationsGivesTheSameBitsInAllDomains) {
  const DomainsModel model;
  const RunRecord sorted = run_text(model.text(), {.threads = 1});
  std::mt19937 random(815);
  for (int round = 0; round < 4; ++round) {
    auto components = model.components();
    auto connections = model.connections();
    std::shuffle(components.begin(), components.end(), random);
    std::shuffle(connections.begin(), connections.end(), random);
    EXPECT_TRUE(have_same_bits(sorted, run_text(model.text(components, connections), {.threads = 1 + round % 2})))
        << "round " << round;
  }
}

// Rows at the ends of steps and windows: j * interval is often a rounding beyond the same time on the schedule.
TEST(Determinism, RowsAtWindowEndsHaveTheSameBits) {
  std::ifstream example(kExamples / "torsion-drive/torsion-drive.xml");
  std::string text{std::istreambuf_iterator<char>(example), {}};
  const std::string coarse = "write_interval=\"1e-3\"";
  const std::size_t at = text.find(coarse);
  ASSERT_NE(at, text.npos);
  const ModelFiles dense(text.replace(at, coarse.size(), "write_interval=\"1e-5\""));
  for (int repeat = 0; repeat < 3; ++repeat) expect_same_for_any_threads(dense.path(), 0.02);
}

/// A row of masses on equal lines; the first one is pushed by a function of time t, and of u = t - 1e-3.
std::string pushed_row(const std::string& push, double delay, double stop, double interval) {
  std::string components =
      "<Component name=\"clock\" kind=\"blocks\"><Blocks><Constant name=\"one\" value=\"1\"/><Integrator name=\"t\" "
      "input=\"one\"/><Output name=\"y\" of=\"t\"/></Blocks></Component>";
  std::string connections = "<Connection from=\"clock.y\" to=\"m0.u\" delay=\"1e-3\"/>";
  for (int i = 0; i < 5; ++i) {
    const std::string load = "<SignalInput name=\"u\"/><Load name=\"push\" node=\"body\" force=\"{" + push + "}\"/>";
    components += fmt::format(
        "<Component name=\"m{}\" kind=\"network\"><Network><Mass name=\"body\" mass=\"1\"/>{}<Interface name=\"left\" "
        "node=\"body\"/><Interface name=\"right\" node=\"body\"/></Network></Component>",
        i, i == 0 ? load : "");
    if (i == 0) continue;
    connections +=
        fmt::format("<Connection from=\"m{}.right\" to=\"m{}.left\" coupling=\"line\" stiffness=\"1e7\" delay=\"{}\"/>",
                    i - 1, i, delay);
  }
  return fmt::format(
      "<CompositeModel name=\"row\"><Components>{}</Components><Connections>{}</Connections><Simulation stop=\"{}\" "
      "write_interval=\"{}\"/></CompositeModel>",
      components, connections, stop, interval);
}

// A switch that flips right at the end of a window publishes its jump with the next window; the jump arrives at the end
// of the neighbours' windows, a little before or after they get there.
TEST(Determinism, JumpsAtWindowEndsGiveTheSameBits) {
  for (const double threshold : {1e-3, 1.1e-3, 1.15e-3, 2e-3, 3e-3}) {
    const ModelFiles model(pushed_row(fmt::format("100*step(u - {})", threshold), 1e-4, 8e-3, 1e-5));
    expect_same_for_any_threads(model.path(), 8e-3);
  }
}

// 11 windows of 1.5e-4 s are a rounding less than 1.65e-3 s.
TEST(Determinism, AStopARoundingBehindItsWindowGivesTheSameBits) {
  for (const double stop : {7.5e-4, 1.35e-3, 1.65e-3, 5.25e-3}) {
    const ModelFiles model(pushed_row("1e5*sin(2*pi*3000*t)", 3e-4, stop, 1.5e-4));
    expect_same_for_any_threads(model.path(), stop);
  }
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
  // The connection's own energy account is kept by its `to` end.
  std::erase_if(forward.series, [](const auto& entry) { return entry.first.starts_with("connections."); });
  std::erase_if(backward.series, [](const auto& entry) { return entry.first.starts_with("connections."); });
  EXPECT_TRUE(have_same_bits(forward, backward));
}

}  // namespace determinism_determinism_test
}  // namespace tieline::support
