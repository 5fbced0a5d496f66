#include "engine/engine.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/scripted_graph.hpp"

namespace tieline::engine {
namespace engine_test {

TEST(Engine, RunsEveryWindowOnceAndInOrder) {
  for (const int threads : {1, 4}) {
    Graph graph(2, {{0, 1, 1.0}, {1, 0, 1.0}}, {0.5, 1.0}, 6.25);
    ASSERT_TRUE(graph.run(threads));
    for (const ScriptedComponent* node : graph.nodes) {
      double at = 0.0;
      for (const core::Window& window : node->windows) {
        EXPECT_EQ(window.begin, at);
        EXPECT_GT(window.end, window.begin);
        EXPECT_GE(window.horizon, window.end);
        EXPECT_LE(window.horizon, 6.25 + 1e-12);
        at = window.end;
      }
      EXPECT_EQ(at, 6.25);
      EXPECT_EQ(node->uncovered, 0);
    }
    EXPECT_EQ(graph.nodes[0]->windows.size(), 13U);
    EXPECT_EQ(graph.nodes[1]->windows.size(), 7U);
    EXPECT_EQ(graph.engine->time_reached(), 6.25);
  }
}

TEST(Engine, InputsSeeTheDelayedOutput) {
  Graph graph(2, {{0, 1, 1.5}}, {0.75, 0.5}, 9.0);
  ASSERT_TRUE(graph.run());
  const ScriptedComponent& reader = *graph.nodes[1];
  for (std::size_t i = 0; i < reader.steps.size(); ++i) {
    EXPECT_NEAR(reader.seen[i][0], std::max(0.0, reader.steps[i] - 1.5), 1e-9) << reader.steps[i];
  }
}

TEST(Engine, EndsWindowsAtSavePoints) {
  Graph graph(2, {{0, 1, 1.0}, {1, 0, 1.0}}, {0.5, 1.0}, 6.0, 1.25);
  ASSERT_TRUE(graph.run());
  for (const ScriptedComponent* node : graph.nodes) {
    int save_points = 0;
    for (const core::Window& window : node->windows) {
      const double share = window.end / 1.25;
      EXPECT_EQ(window.is_save_point, std::abs(share - std::round(share)) < 1e-9) << window.end;
      save_points += window.is_save_point ? 1 : 0;
    }
    EXPECT_EQ(save_points, 4);
  }
}

TEST(Engine, StopsAndNamesWhoFailed) {
  for (const int threads : {1, 3}) {
    Graph graph(3, {{0, 1, 1.0}, {1, 2, 1.0}, {2, 0, 1.0}}, {0.5, 0.5, 0.5}, 50.0);
    graph.nodes[1]->fails_at = 7.2;
    auto outcome = graph.run(threads);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().component, "n1");
    EXPECT_EQ(outcome.error().time, 7.0);
    EXPECT_LT(graph.engine->time_reached(), 8.0);
  }
}

TEST(Engine, StopsOnRequest) {
  for (const int threads : {1, 2}) {
    Graph graph(2, {{0, 1, 1e-3}, {1, 0, 1e-3}}, {5e-4, 5e-4}, 1e6);
    std::atomic<bool> cancel{true};
    ASSERT_TRUE(graph.engine->start());
    auto outcome = graph.engine->run_to(graph.engine->windows().grid.stop_tick(),
                                        {.threads = threads, .sharing = Sharing::always, .cancel = &cancel});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, core::ErrorCode::cancelled);
  }
}

TEST(Engine, SavesOnlyWhereAllStandAtOneTime) {
  Graph graph(2, {{0, 1, 1.0}, {1, 0, 1.0}}, {0.5, 1.0}, 6.0);
  ASSERT_TRUE(graph.engine->start());
  ASSERT_TRUE(graph.engine->run_to(1, {.threads = 1}));
  core::ArchiveWriter writer;
  auto saved = graph.engine->save(writer);
  const bool is_aligned = graph.nodes[0]->time() == graph.nodes[1]->time();
  EXPECT_EQ(static_cast<bool>(saved), is_aligned);
  graph.nodes[1]->is_copyable = false;
  saved = graph.engine->save(writer);
  ASSERT_FALSE(saved);
}

// A node that was ready when it was looked at may have been run by another thread since.
TEST(Engine, ThreadsNeverRunAWindowBeforeItsInputs) {
  const int count = 30;
  std::vector<Link> links;
  for (int i = 0; i + 1 < count; ++i) {
    links.push_back({i, i + 1, 1.0});
    links.push_back({i + 1, i, 1.0});
  }
  for (int repeat = 0; repeat < 120; ++repeat) {
    Graph graph(count, links, std::vector<double>(count, 0.5), 100.0);
    auto outcome = graph.run(2 + repeat % 7);
    ASSERT_TRUE(outcome) << outcome.error().describe();
    for (const ScriptedComponent* node : graph.nodes) {
      ASSERT_EQ(node->uncovered, 0) << node->name() << ", run " << repeat;
      ASSERT_EQ(node->windows.size(), 200U) << node->name() << ", run " << repeat;
    }
  }
}

// A sender that nothing but room holds back is many windows ahead, and save points make them more.
TEST(Engine, QueuesHoldTheWindowsThatSavePointsCut) {
  Graph graph(2, {{0, 0, 0.05}, {1, 0, 0.21}}, {0.05, 0.105}, 2.002, 0.3);
  auto outcome = graph.run(1);
  ASSERT_TRUE(outcome) << outcome.error().describe();
  for (const ScriptedComponent* node : graph.nodes) EXPECT_EQ(node->uncovered, 0);
}

// Whatever the graph, the schedule neither locks up nor asks for the future nor depends on threads.
RC_GTEST_PROP(EngineProperty, AnyGraphRunsAndDoesNotDependOnThreads, ()) {
  const int count = *rc::gen::inRange(1, 7);
  std::vector<Link> links;
  const int link_count = *rc::gen::inRange(0, 12);
  std::vector<double> shortest(static_cast<std::size_t>(count), 1.0);
  for (int i = 0; i < link_count; ++i) {
    Link link{*rc::gen::inRange(0, count), *rc::gen::inRange(0, count), 0.01 * *rc::gen::inRange(5, 60)};
    for (const int end : {link.from, link.to}) {
      double& least = shortest[static_cast<std::size_t>(end)];
      least = std::min(least, link.delay);
    }
    links.push_back(link);
  }
  std::vector<double> windows;
  for (const double least : shortest) windows.push_back(least / *rc::gen::inRange(1, 4));
  const double save_interval = *rc::gen::element(0.0, 0.3, 0.77);
  const double stop = 0.013 * *rc::gen::inRange(20, 200);

  const auto run = [&](int threads) {
    Graph graph(count, links, windows, stop, save_interval);
    auto outcome = graph.run(threads);
    RC_ASSERT(outcome);
    std::vector<std::vector<std::vector<double>>> seen;
    for (const ScriptedComponent* node : graph.nodes) {
      RC_ASSERT(node->uncovered == 0);
      RC_ASSERT(node->time() == stop);
      seen.push_back(node->seen);
    }
    return seen;
  };
  const auto single = run(1);
  RC_ASSERT(single == run(3));
}

}  // namespace engine_test
}  // namespace tieline::engine
