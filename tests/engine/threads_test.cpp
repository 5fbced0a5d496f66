// Whoever computes a window, and when: the results are the same bits, and so are failures and early ends.

#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/scripted_graph.hpp"

namespace tieline::engine {
namespace threads_test {

/// A graph to be made again for each run.
struct Shape {
  int count = 0;
  std::vector<Link> links{};
  std::vector<double> windows{};
  double stop = 40.0;
  double save_interval = 0.0;
  std::vector<int> groups{};
  std::vector<int> costs{};  ///< of a window, in rounds of `burn`; empty: none

  void join(int a, int b, double delay) {
    links.push_back({a, b, delay});
    links.push_back({b, a, delay});
  }
  [[nodiscard]] int cost(int node) const { return costs.empty() ? 0 : costs[static_cast<std::size_t>(node)]; }
};

/// Computes for a while; a round takes some tens of nanoseconds.
void burn(int rounds) {
  volatile double x = 0.5;
  for (int i = 0; i < rounds; ++i) x = std::sin(x + 1.0);
}

Shape chain_of(int count) {
  Shape shape{.count = count};
  for (int i = 0; i + 1 < count; ++i) shape.join(i, i + 1, 1.0);
  shape.windows.assign(static_cast<std::size_t>(count), 0.5);
  return shape;
}

Shape star_of(int count) {
  Shape shape{.count = count};
  for (int i = 1; i < count; ++i) shape.join(0, i, 1.0);
  shape.windows.assign(static_cast<std::size_t>(count), 0.5);
  return shape;
}

Shape ring_of(int count) {
  Shape shape = chain_of(count);
  shape.join(count - 1, 0, 1.0);
  return shape;
}

/// Delays, windows and costs that differ by more than a factor of ten, and signals one way.
Shape uneven_graph() {
  constexpr int count = 37;
  Shape shape{.count = count, .stop = 20.0, .save_interval = 3.3};
  for (int i = 0; i + 1 < count; ++i) shape.join(i, i + 1, 0.1 * (1 + (7 * i) % 11));
  for (int i = 0; i < count; i += 5) shape.links.push_back({i, (i * 13 + 4) % count, 0.7});
  std::vector<double> shortest(count, 2.0);
  for (const Link& link : shape.links) {
    for (const int end : {link.from, link.to}) {
      double& least = shortest[static_cast<std::size_t>(end)];
      least = std::min(least, link.delay);
    }
  }
  for (int i = 0; i < count; ++i) {
    shape.windows.push_back(shortest[static_cast<std::size_t>(i)] / (1 + i % 3));
    shape.costs.push_back(i == 20 ? 2000 : i % 4 == 0 ? 50 : 0);
  }
  return shape;
}

/// The graph, with components that answer to all their inputs, so that a different bit anywhere is different everywhere
/// soon.
Graph made(const Shape& shape) {
  Graph graph(shape.count, shape.links, shape.windows, shape.stop, shape.save_interval, shape.groups);
  for (int i = 0; i < shape.count; ++i) {
    ScriptedComponent& node = *graph.nodes[static_cast<std::size_t>(i)];
    node.reaction = [](double state, const std::vector<double>& inputs) {
      double sum = 3.0 * state + 0.1;
      for (const double input : inputs) sum += 2.0 * input;
      return std::sin(sum);
    };
    if (const int cost = shape.cost(i); cost > 0) node.on_window = [cost](const core::Window&) { burn(cost); };
  }
  return graph;
}

using Seen = std::vector<std::vector<std::vector<double>>>;

Seen seen_by(const Graph& graph) {
  Seen seen;
  for (const ScriptedComponent* node : graph.nodes) {
    EXPECT_EQ(node->uncovered, 0) << node->name();
    seen.push_back(node->seen);
  }
  return seen;
}

Seen run(const Shape& shape, const RunOptions& options) {
  Graph graph = made(shape);
  auto outcome = graph.run(options);
  EXPECT_TRUE(outcome) << outcome.error().describe();
  for (const ScriptedComponent* node : graph.nodes) EXPECT_EQ(node->time(), shape.stop);
  return seen_by(graph);
}

void expect_same_bits(const Shape& shape) {
  const Seen alone = run(shape, {.threads = 1});
  for (const int threads : {2, 3, 5, 8}) {
    EXPECT_EQ(alone, run(shape, {.threads = threads, .sharing = Sharing::always})) << threads << " threads";
  }
}

TEST(Threads, ChainsHaveTheSameBits) {
  expect_same_bits(chain_of(1));
  expect_same_bits(chain_of(2));
  expect_same_bits(chain_of(40));
  expect_same_bits(chain_of(300));
}

TEST(Threads, StarsHaveTheSameBits) { expect_same_bits(star_of(60)); }

TEST(Threads, RingsHaveTheSameBits) { expect_same_bits(ring_of(90)); }

TEST(Threads, UnevenGraphsHaveTheSameBits) { expect_same_bits(uneven_graph()); }

TEST(Threads, GroupsAreNodesLikeOthers) {
  Shape shape = ring_of(12);
  shape.groups = {0, 1, 5, 11};
  expect_same_bits(shape);
}

TEST(Threads, NodesWithoutConnectionsAreShared) {
  Shape shape = chain_of(50);
  shape.links.clear();
  expect_same_bits(shape);
}

// Nodes that are joined lie far apart in the model, so that the schedule takes them in another order.
TEST(Threads, TheOrderOfTheModelDoesNotMatter) {
  Shape shape = chain_of(200);
  for (Link& link : shape.links) link = {(link.from * 77) % 200, (link.to * 77) % 200, link.delay};
  expect_same_bits(shape);
}

// As many threads as are found to pay: their number changes during the run.
TEST(Threads, ChangesOfTheirNumberDoNotMatter) {
  Shape shape = ring_of(16);
  shape.stop = 100.0;
  for (int i = 0; i < shape.count; ++i) shape.costs.push_back(i == 3 ? 1000 : 100);
  const Seen alone = run(shape, {.threads = 1});
  EXPECT_EQ(alone, run(shape, {.threads = 2}));
  EXPECT_EQ(alone, run(shape, {.threads = 4}));
  EXPECT_EQ(alone, run(shape, {}));
}

TEST(Threads, RunsInSmallPiecesHaveTheSameBits) {
  for (const Shape& shape : {chain_of(70), uneven_graph()}) {
    const Seen alone = run(shape, {.threads = 1});
    for (const Tick piece : {1, 7, 50}) {
      Graph graph = made(shape);
      ASSERT_TRUE(graph.engine->start());
      const Tick stop = graph.engine->windows().grid.stop_tick();
      for (Tick tick = 0; tick < stop;) {
        tick = std::min(stop, tick + std::max<Tick>(1, stop * piece / 400));
        auto outcome =
            graph.engine->run_to(tick, {.threads = 1 + static_cast<int>(tick % 5), .sharing = Sharing::always});
        ASSERT_TRUE(outcome) << outcome.error().describe();
      }
      EXPECT_EQ(alone, seen_by(graph)) << piece;
    }
  }
}

// A caller may stop anywhere: what was computed until then is the same for any number of threads.
TEST(Threads, CutWindowsHaveTheSameBits) {
  const auto run_cut = [](int threads) {
    Graph graph = made(uneven_graph());
    EXPECT_TRUE(graph.engine->start());
    for (const double t : {0.0123, 1.7, 1.70001, 9.99, 20.0}) {
      auto outcome = graph.engine->run_exactly_to(graph.engine->windows().locate(t),
                                                  {.threads = threads, .sharing = Sharing::always});
      EXPECT_TRUE(outcome) << outcome.error().describe();
      for (const ScriptedComponent* node : graph.nodes) EXPECT_EQ(node->time(), t);
    }
    return seen_by(graph);
  };
  const Seen alone = run_cut(1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(alone, run_cut(threads)) << threads;
}

// Whoever fails first by the wall clock, the cause is who fails first in simulated time.
TEST(Threads, TheEarliestFailureIsReported) {
  for (const bool is_tie : {false, true}) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      for (const int threads : {1, 2, 3, 5, 8}) {
        Graph graph = made(chain_of(200));
        graph.nodes[3]->fails_at = 25.0;
        graph.nodes[50]->fails_at = 22.1;
        graph.nodes[70]->fails_at = 24.0;
        graph.nodes[190]->fails_at = 20.6;
        if (is_tie) graph.nodes[12]->fails_at = 20.6;
        auto outcome = graph.run(threads);
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().component, is_tie ? "n12" : "n190");
        EXPECT_EQ(outcome.error().time, 20.5);
        // Nobody else stops much earlier or continues much longer.
        EXPECT_LT(graph.engine->time_reached(), 21.0);
      }
    }
  }
}

TEST(Threads, AFailureThatOthersWaitForIsReported) {
  for (const int threads : {1, 2, 8}) {
    Graph graph = made(star_of(20));
    graph.nodes[0]->fails_at = 7.2;
    auto outcome = graph.run(threads);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().component, "n0");
    EXPECT_EQ(outcome.error().time, 7.0);
  }
}

TEST(Threads, TheEarliestRequestEndsTheRun) {
  std::optional<Seen> first;
  for (const int threads : {1, 2, 3, 5, 8}) {
    Graph graph = made(chain_of(150));
    graph.nodes[2]->ends_at = 12.0;
    graph.nodes[120]->ends_at = 9.5;
    graph.nodes[149]->ends_at = 9.5;
    auto outcome = graph.run(threads);
    ASSERT_TRUE(outcome) << outcome.error().describe();
    ASSERT_TRUE(graph.engine->ending());
    EXPECT_EQ(graph.engine->ending()->component, "n120");
    EXPECT_EQ(graph.engine->ending()->time, 9.5);
    // Up to there all is the same; some have been computed further.
    Seen seen = seen_by(graph);
    for (auto& steps : seen) {
      ASSERT_GE(steps.size(), 19U);
      steps.resize(19);
    }
    if (!first) first = seen;
    EXPECT_EQ(*first, seen) << threads;
  }
}

TEST(Threads, StopOnRequestInTheMiddle) {
  for (const int threads : {1, 2, 3, 8}) {
    Graph graph = made(ring_of(40));
    std::atomic<bool> cancel{false};
    graph.nodes[7]->on_window = [&](const core::Window& window) {
      if (window.begin >= 15.0) cancel.store(true);
    };
    auto outcome = graph.run({.threads = threads, .sharing = Sharing::always, .cancel = &cancel});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, core::ErrorCode::cancelled);
    EXPECT_GE(graph.nodes[7]->time(), 15.0);
    EXPECT_LE(graph.nodes[7]->time(), 15.5);
  }
}

TEST(Threads, AFailedCheckEndsTheRun) {
  for (const int threads : {1, 2, 5}) {
    Shape shape = ring_of(10);
    shape.stop = 1e7;
    Graph graph = made(shape);
    // What is seen is not needed, and there is no end of it.
    for (ScriptedComponent* node : graph.nodes) {
      node->on_window = [node](const core::Window&) { node->windows.clear(), node->steps.clear(), node->seen.clear(); };
    }
    int reports = 0;
    RunOptions options{.threads = threads, .sharing = Sharing::always, .progress_interval = 1e-3};
    options.on_progress = [&](const Progress& progress) {
      ++reports;
      EXPECT_GE(progress.windows, 0U);
    };
    options.check = [&]() -> core::Result<void> {
      if (reports < 3) return {};
      return core::Error{.code = core::ErrorCode::input_output, .message = "the disk is full"};
    };
    auto outcome = graph.run(options);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().message, "the disk is full");
    EXPECT_EQ(reports, 3);
  }
}

// Windows longer than the delay between them wait for each other.
TEST(Threads, ABrokenScheduleIsAnError) {
  for (const int threads : {1, 2}) {
    Graph graph(2, {{0, 1, 0.5}, {1, 0, 0.5}}, {1.0, 1.0}, 10.0);
    auto outcome = graph.run(threads);
    ASSERT_FALSE(outcome);
    EXPECT_NE(outcome.error().message.find("no component can continue"), std::string::npos);
  }
}

TEST(Threads, ContinueFromASnapshot) {
  const Shape shape = chain_of(50);
  Graph whole = made(shape), first = made(shape), second = made(shape);
  ASSERT_TRUE(whole.run(1));
  ASSERT_TRUE(first.engine->start());
  const Tick half = first.engine->windows().locate(20.0).tick;
  ASSERT_TRUE(first.engine->run_to(half, {.threads = 3, .sharing = Sharing::always}));
  core::ArchiveWriter writer;
  ASSERT_TRUE(first.engine->save(writer));
  const std::string state = std::move(writer).take();
  ASSERT_TRUE(second.engine->start());
  core::ArchiveReader reader(state);
  ASSERT_TRUE(second.engine->restore(reader));
  ASSERT_TRUE(
      second.engine->run_to(second.engine->windows().grid.stop_tick(), {.threads = 5, .sharing = Sharing::always}));
  for (std::size_t i = 0; i < whole.nodes.size(); ++i) {
    const auto& all = whole.nodes[i]->seen;
    EXPECT_EQ(std::vector(all.end() - 40, all.end()), second.nodes[i]->seen);
  }
}

// Whatever the graph, the costs and the number of threads.
RC_GTEST_PROP(ThreadsProperty, RandomGraphsHaveTheSameBits, ()) {
  Shape shape{.count = *rc::gen::inRange(2, 60), .stop = 0.05 * *rc::gen::inRange(20, 400)};
  const auto node = [&] { return *rc::gen::inRange(0, shape.count); };
  const int joins = *rc::gen::inRange(0, 80);
  std::vector<double> shortest(static_cast<std::size_t>(shape.count), 1.0);
  for (int i = 0; i < joins; ++i) {
    const Link link{node(), node(), 0.05 * *rc::gen::inRange(2, 30)};
    if (*rc::gen::inRange(0, 3) == 0) {
      shape.links.push_back(link);
    } else {
      shape.join(link.from, link.to, link.delay);
    }
    for (const int end : {link.from, link.to}) {
      double& least = shortest[static_cast<std::size_t>(end)];
      least = std::min(least, link.delay);
    }
  }
  for (const double least : shortest) shape.windows.push_back(least / *rc::gen::inRange(1, 4));
  for (int i = 0; i < shape.count; ++i) shape.costs.push_back(*rc::gen::element(0, 0, 0, 5, 300));
  shape.save_interval = *rc::gen::element(0.0, 0.0, 1.3);
  const int fails = *rc::gen::inRange(0, 4) == 0 ? node() : -1;
  const double fails_at = 0.5 * shape.stop;

  const auto run_with = [&](int threads) {
    Graph graph = made(shape);
    if (fails >= 0) graph.nodes[static_cast<std::size_t>(fails)]->fails_at = fails_at;
    auto outcome = graph.run(threads);
    RC_ASSERT(static_cast<bool>(outcome) == (fails < 0));
    for (const ScriptedComponent* each : graph.nodes) RC_ASSERT(each->uncovered == 0);
    return fails < 0 ? std::pair(seen_by(graph), std::string()) : std::pair(Seen(), outcome.error().describe());
  };
  const auto alone = run_with(1);
  RC_ASSERT(alone == run_with(*rc::gen::inRange(2, 9)));
}

}  // namespace threads_test
}  // namespace tieline::engine
