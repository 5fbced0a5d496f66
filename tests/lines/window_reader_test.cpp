#include "lines/window_reader.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace tieline::lines {
namespace window_reader_test {

const std::vector<wave::Knot> kGood{{0.5, 1.0, 2.0, 3.0}, {1.0, 1.5, 2.5, 3.5}};

/// What is wrong with a window from 0 to 1 s that brings these knots; nothing for null.
std::string problem_of(const std::vector<wave::Knot>& knots, DeliveryRing& ring, std::size_t tracks = 1,
                       std::size_t spare_bytes = 0) {
  transport::ByteBuffer bytes;
  transport::Encoder encoder(bytes);
  encoder.i64(7);
  put_knots(encoder, knots);
  for (std::size_t i = 0; i < spare_bytes; ++i) encoder.u8(0);
  WindowReader reader;
  EXPECT_EQ(reader.open(bytes.bytes()), 7);
  reader.expect({7, 0.0, 1.0});
  reader.take(ring, tracks);
  const char* const problem = reader.commit();
  return problem == nullptr ? "" : problem;
}

TEST(WindowReader, FillsAQueueOnceAllIsThere) {
  DeliveryRing ring(2);
  EXPECT_EQ(problem_of(kGood, ring, 2), "");
  const Delivery* const delivery = ring.front();
  ASSERT_NE(delivery, nullptr);
  EXPECT_EQ(delivery->end_tick, 7);
  EXPECT_EQ(delivery->end_time, 1.0);
  ASSERT_EQ(delivery->knots.size(), 2U);
  EXPECT_EQ(delivery->knots[1].value, 2.5);
}

TEST(WindowReader, LeavesNoTraceOfAWindowWithAProblem) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  DeliveryRing ring(2);
  EXPECT_NE(problem_of({}, ring).find("without a sample"), std::string::npos);
  EXPECT_NE(problem_of(kGood, ring, 4).find("without a sample"), std::string::npos);
  EXPECT_NE(problem_of({{0.5, 0.0, kNever, 0.0}, {1.0}}, ring).find("not finite"), std::string::npos);
  EXPECT_NE(problem_of({{1.0}, {0.5}}, ring).find("not in order"), std::string::npos);
  EXPECT_NE(problem_of({{0.5}}, ring).find("without its end"), std::string::npos);
  EXPECT_NE(problem_of(kGood, ring, 1, 3).find("cannot be read"), std::string::npos);
  EXPECT_EQ(ring.front(), nullptr);
}

TEST(WindowReader, NoticesAFullQueue) {
  DeliveryRing ring(1);
  EXPECT_EQ(problem_of(kGood, ring), "");
  EXPECT_NE(problem_of(kGood, ring).find("before its turn"), std::string::npos);
}

}  // namespace window_reader_test
}  // namespace tieline::lines
