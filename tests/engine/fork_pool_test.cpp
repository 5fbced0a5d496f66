#include "engine/fork_pool.hpp"

#include <atomic>
#include <gtest/gtest.h>

#include "engine/held_sink.hpp"

namespace tieline::engine {
namespace fork_pool_test {

TEST(ForkPool, RunsEveryTaskOnceAndNests) {
  ForkPool pool(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::atomic<int>> outer(7), inner(35);
    pool.run(outer.size(), [&](std::size_t i) {
      ++outer[i];
      pool.run(5, [&](std::size_t k) { ++inner[5 * i + k]; });
    });
    for (const auto& count : outer) EXPECT_EQ(count.load(), 1);
    for (const auto& count : inner) EXPECT_EQ(count.load(), 1);
  }
}

TEST(ForkPool, WorksWithoutHelpers) {
  ForkPool pool(0);
  int sum = 0;
  pool.run(4, [&](std::size_t i) { sum += static_cast<int>(i); });
  EXPECT_EQ(sum, 6);
}

class Rows final : public core::RowSink {
 public:
  void row(double t, std::span<const double> values) override { rows.push_back({t, values[0]}); }
  std::vector<std::pair<double, double>> rows;
};

TEST(HeldSink, PassesOnWhatWasKept) {
  Rows rows;
  HeldSink held(rows);
  const auto put = [&](double t) { held.row(t, std::array{10.0 * t}); };
  put(1.0), put(2.0);
  const std::size_t mark = held.size();
  put(3.0), put(4.0);
  held.keep_first(mark);
  put(3.5);
  EXPECT_TRUE(rows.rows.empty());
  held.release();
  const std::vector<std::pair<double, double>> expected{{1.0, 10.0}, {2.0, 20.0}, {3.5, 35.0}};
  EXPECT_EQ(rows.rows, expected);
  EXPECT_EQ(held.size(), 0U);
}

}  // namespace fork_pool_test
}  // namespace tieline::engine
