// What the README of the bouncing ball states: heights, differences to the reference, verdicts.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex>

#include "support/model_run.hpp"

namespace tieline::support {
namespace published_bouncing_ball_test {

RunRecord run_ball(const std::string& model, const std::string& parameter = "", double value = 0.0, double stop = 4.0) {
  return run_model(example("bouncing-ball/" + model), {}, [&](Simulation& simulation) {
    if (!parameter.empty()) simulation.set(parameter, value);
    simulation.set_stop(stop);
  });
}

const results::Series& ball_of(const RunRecord& run) {
  return run.of(run.series.contains("both.ball.position") ? "both.ball.position" : "ball.ball.position");
}

double difference(const RunRecord& run, const RunRecord& reference) {
  const auto &a = ball_of(run).values, &b = ball_of(reference).values;
  double largest = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// The first four heights to which the ball comes back, as the table has them.
std::string heights(const RunRecord& run) {
  const auto& y = ball_of(run).values;
  std::string row;
  int count = 0;
  for (std::size_t i = 1; i + 1 < y.size() && count < 4; ++i) {
    if (y[i] > y[i - 1] && y[i] >= y[i + 1]) row += fmt::format(" {:.3f} |", y[i]), ++count;
  }
  return row;
}

TEST(BouncingBall, IsAsItsReadmeSays) {
  const std::string readme = text_of(example("bouncing-ball/README.md"));
  const auto says = [&](const std::string& text) { return readme.find(text) != std::string::npos; };
  const RunRecord whole = run_ball("monolithic.xml"), naive = run_ball("naive.xml"),
                  finer = run_ball("naive.xml", "h", 1e-4);
  EXPECT_TRUE(says("| monolithic |" + heights(whole))) << heights(whole);
  EXPECT_TRUE(says("| naive, 0.2 ms |" + heights(naive))) << heights(naive);
  EXPECT_TRUE(says("| naive, 0.1 ms |" + heights(finer))) << heights(finer);

  const auto off = [&](const RunRecord& run, double unit, const char* format, const char* unit_name) {
    return fmt::format(fmt::runtime(format), difference(run, whole) / unit) + unit_name + ": verdict `" +
           std::string(results::name_of(run.report.verdict)) + "`";
  };
  EXPECT_TRUE(says("| " + off(naive, 1.0, "{:.2f}", " m"))) << off(naive, 1.0, "{:.2f}", " m");
  EXPECT_TRUE(says("| " + off(finer, 1.0, "{:.3f}", " m"))) << off(finer, 1.0, "{:.3f}", " m");
  if (!kIsInstrumented) {  // five million windows
    const RunRecord line = run_ball("line.xml");
    EXPECT_TRUE(says("| line |" + heights(line))) << heights(line);
    EXPECT_TRUE(says("| " + off(line, 1e-3, "{:.2f}", " mm"))) << off(line, 1e-3, "{:.2f}", " mm");
    EXPECT_LT(difference(line, whole), difference(finer, whole));
  }

  // A ball that hits a mass a hundred times its own, at rest.
  EXPECT_NEAR(*std::max_element(ball_of(whole).values.begin() + 300, ball_of(whole).values.begin() + 600),
              std::pow(99.0 / 101.0, 2), 2e-4);
  const RunRecord thrown = run_ball("naive.xml", "h", 1e-3);
  EXPECT_EQ(std::round(*std::max_element(ball_of(thrown).values.begin(), ball_of(thrown).values.end())), 7.0);
}

TEST(BouncingBall, CarefulExchangeConvergesAsItsReadmeSays) {
  const RunRecord whole = run_ball("monolithic.xml");
  const struct {
    double tolerance, difference;
    results::Verdict verdict;
  } rows[] = {{1e-2, 0.35, results::Verdict::wrong},
              {1e-4, 0.011, results::Verdict::doubt},
              {1e-6, 0.3e-3, results::Verdict::trust},
              {1e-8, 1e-6, results::Verdict::trust}};
  for (const auto& row : rows) {
    const RunRecord run = run_ball("sampled.xml", "tolerance", row.tolerance);
    EXPECT_NEAR(difference(run, whole), row.difference, 0.05 * row.difference) << row.tolerance;
    EXPECT_EQ(run.report.verdict, row.verdict) << row.tolerance;
  }
}

// The force of a Hertz contact begins from nothing, somewhere within a window: steps into it are not to resolve how.
TEST(BouncingBall, FirstContactWorksThroughAnyLine) {
  for (const auto& [k, T, alpha] :
       {std::tuple{4e9, 4e-6, 0.005}, std::tuple{2e10, 4e-6, 0.01}, std::tuple{2.2e10, 4e-6, 0.004}}) {
    Simulation simulation = Simulation::load(example("bouncing-ball/line.xml"));
    simulation.set("k", k), simulation.set("T", T), simulation.set("alpha", alpha);
    simulation.set_stop(0.453);
    simulation.advance_to(0.453);
    // It has touched down at sqrt(2 h / g) = 0.4515 s, and left as from a mass a hundred times its own.
    const double fall = std::sqrt(2.0 * 9.81), since = 0.453 - fall / 9.81;
    EXPECT_NEAR(simulation.get("ball.ball.velocity"), fall * 99.0 / 101.0 - 9.81 * since, 0.02) << k << " " << alpha;
  }
}

}  // namespace published_bouncing_ball_test
}  // namespace tieline::support
