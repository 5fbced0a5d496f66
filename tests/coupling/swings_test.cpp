#include "coupling/swings.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tieline::coupling {
namespace swings_test {

template <class Function>
double growth_of(const Function& f) {
  Swings swings;
  for (int k = 0; k <= 20000; ++k) swings.note(f(1e-3 * k));
  return swings.growth();
}

TEST(Swings, GrowingOscillationIsFound) {
  // From the first swing on over six periods of one second.
  const double growth = growth_of([](double t) { return std::exp(0.5 * t) * std::sin(6.28318530718 * t); });
  EXPECT_GT(growth, std::exp(0.5 * 18.0));
  EXPECT_LT(growth, std::exp(0.5 * 20.0));
}

TEST(Swings, SteadyDecayingAndResonantOnesAreNot) {
  EXPECT_EQ(growth_of([](double t) { return std::sin(5.0 * t); }), 1.0);
  EXPECT_EQ(growth_of([](double t) { return std::exp(-0.3 * t) * std::sin(5.0 * t); }), 1.0);
  EXPECT_LT(growth_of([](double t) { return t * std::sin(5.0 * t); }), 4.0);
  EXPECT_EQ(growth_of([](double t) { return std::exp(t); }), 1.0);
  // What grows at first and is nothing beside what follows.
  EXPECT_EQ(growth_of([](double t) {
              const double pi = 3.14159265358979;
              return t < 5.0 ? 1e-12 * std::exp(t) * std::sin(2.0 * pi * t) : std::sin(2.0 * pi * t);
            }),
            1.0);
}

}  // namespace swings_test
}  // namespace tieline::coupling
